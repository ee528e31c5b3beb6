#!/bin/sh
# Puts heif.wasm.gz, by which HEIC photos are decoded, into DEST.
#
#   fetch.sh DEST
#
# It is libheif 1.18.2 and libde265 1.0.15 (both LGPL 3), compiled to WebAssembly,
# out of the Go module pinned here, whose code is not used: it would load the
# system's own library in place of the module. Fieldmark runs without it and refuses
# HEIC photos then, so this script succeeds in any case.
set -eu

module=github.com/gen2brain/heic@v0.4.5
want=3634a6447ea3915633667f39e01ff540a60f4e2f837a8391d044d76dfd8a0435
name=heif.wasm.gz

if [ $# -ne 1 ]; then
	echo "fetch.sh: usage: fetch.sh DEST (the folder that gets the module)" >&2
	exit 1
fi
mkdir -p "$1"
is_wanted() { [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$want" ]; }
without() {
	echo "heif: $*: HEIC photos will be refused" >&2
	exit 0
}
if is_wanted "$1/$name"; then
	exit 0
fi
folder=$(cd / && GOFLAGS=-mod=mod ${GO:-go} mod download -json "$module" 2>/dev/null | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p')
[ -n "$folder" ] || without "$module cannot be had"
is_wanted "$folder/lib/$name" || without "the Go module holds another file than the one pinned here"
cp "$folder/lib/$name" "$1/$name.part"
chmod 644 "$1/$name.part"
mv -f "$1/$name.part" "$1/$name"
cp -f "$folder/lib/LICENSE.libheif" "$folder/lib/LICENSE.libde265" "$1/"
chmod 644 "$1"/LICENSE.*
echo "heif: $1/$name" >&2
