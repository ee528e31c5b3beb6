#!/bin/sh
# Puts the modules of modules.tsv, by which HEIC and AVIF photos are decoded, into
# DEST, with their licences.
#
#   fetch.sh DEST
#
# They come out of the Go modules that are pinned there, whose code is not used: it
# would load the system's own library in place of the module. Fieldmark runs without
# them and refuses such photos then, so this script succeeds in any case.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/../digest.sh"
if [ $# -ne 1 ]; then
	echo "fetch.sh: usage: fetch.sh DEST (the folder that gets the modules)" >&2
	exit 1
fi
mkdir -p "$1"
without() { echo "wasm: $*: such photos will be refused" >&2; }

# fetch NAME MODULE PATH LICENCES: the file that has the digest $want.
fetch() {
	folder=$(cd / && GOFLAGS=-mod=mod ${GO:-go} mod download -json "$2" 2>/dev/null | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p')
	[ -n "$folder" ] || { without "$1: $2 cannot be had"; return; }
	is_wanted "$folder/$3" "$want" || { without "$1: $2 holds another file than the one pinned here"; return; }
	for licence in $4; do
		from=$here/$licence
		[ -f "$from" ] || from=$(dirname "$folder/$3")/$licence
		cp -f "$from" "$dest/$licence"
		chmod 644 "$dest/$licence"
	done
	cp "$folder/$3" "$dest/$1.part"
	chmod 644 "$dest/$1.part"
	mv -f "$dest/$1.part" "$dest/$1"
	echo "wasm: $dest/$1" >&2
}

dest=$1
grep -v '^#' "$here/modules.tsv" | while IFS='	' read -r name module path want _ _ licences; do
	is_wanted "$dest/$name" "$want" || fetch "$name" "$module" "$path" "$licences"
done
