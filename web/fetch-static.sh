#!/bin/sh
# Puts what the browser needs that is not ours (htmx, two typefaces, and their
# licences) into web/static/vendor, and axe-core, with which the browser tests
# look at the pages, into build/axe, out of the npm packages that
# package-lock.json pins by digest. No package's script is run.
set -eu

fail() {
	echo "fetch-static.sh: $*" >&2
	exit 1
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
vendor=$here/static/vendor
axe=$here/../build/axe
command -v npm >/dev/null 2>&1 || fail "npm is needed once, to fetch htmx and the typefaces: install Node.js with npm and try again"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$tmp/"
(cd "$tmp" && npm ci --include=dev --ignore-scripts --loglevel=error >&2) ||
	fail "npm could not fetch the packages: check the network and npm's registry setting, then try again"

modules=$tmp/node_modules
serif=$modules/@fontsource-variable/source-serif-4
sans=$modules/@fontsource-variable/source-sans-3
mkdir -p "$vendor/fonts"
cp "$modules/htmx.org/dist/htmx.min.js" "$vendor/"
cp "$modules/htmx.org/LICENSE" "$vendor/htmx-LICENSE.txt"
for subset in latin latin-ext; do
	cp "$serif/files/source-serif-4-$subset-wght-normal.woff2" \
		"$serif/files/source-serif-4-$subset-wght-italic.woff2" \
		"$sans/files/source-sans-3-$subset-wght-normal.woff2" "$vendor/fonts/"
done
cp "$serif/LICENSE" "$vendor/fonts/source-serif-4-LICENSE.txt"
cp "$sans/LICENSE" "$vendor/fonts/source-sans-3-LICENSE.txt"
mkdir -p "$axe"
cp "$modules/axe-core/axe.min.js" "$axe/"
echo "browser files: $vendor" >&2
