#!/bin/sh
# Builds a commit's program twice, in two folders with caches of their own, and
# fails if the bytes differ. The commit's files are taken, not the working tree's.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd "$here/../.."
arch=$(go env GOHOSTARCH)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
for place in one two/with-a-longer-name; do
	mkdir -p "$tmp/$place"
	git archive HEAD | tar -x -C "$tmp/$place"
	mkdir -p "$tmp/$place/build/dist" "$tmp/$place/web/static"
	cp -r build/onnxruntime "$tmp/$place/build/dist/onnxruntime-$arch"
	cp -r web/static/vendor "$tmp/$place/web/static/"
	cp -r internal/password/breached "$tmp/$place/internal/password/"
	GOCACHE="$tmp/cache-$(basename "$place")" sh "$tmp/$place/tools/dist/build.sh" "$tmp/$place/out" "$arch" check
done
cmp "$tmp/one/out/bin/webapp" "$tmp/two/with-a-longer-name/out/bin/webapp"
cmp "$tmp/one/out/bin/evaluate" "$tmp/two/with-a-longer-name/out/bin/evaluate"
sha256sum "$tmp/one/out/bin/webapp"
echo "two builds, the same bytes"
