#!/bin/sh
# Puts ONNX Runtime's shared library for this machine, or for the processor that
# ONNXRUNTIME_ARCH names (amd64, arm64), into DEST.
#
#   fetch.sh DEST
#
# The library comes out of the npm package that package-lock.json pins by
# digest, and is checked again here against SHA256SUMS, so neither a changed
# package nor a half-written copy is ever loaded. Of the package's 288 MB only
# the one library stays. With the library in place already, nothing is fetched.
set -eu

fail() {
	echo "fetch.sh: $*" >&2
	exit 1
}

[ $# -eq 1 ] || fail "usage: fetch.sh DEST (the folder that gets the library)"
dest=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/../digest.sh"

case "$(uname -s)/${ONNXRUNTIME_ARCH:-$(uname -m)}" in
Linux/x86_64 | Linux/amd64) lib=linux/x64/libonnxruntime.so.1 ;;
Linux/aarch64 | Linux/arm64) lib=linux/arm64/libonnxruntime.so.1 ;;
Darwin/arm64) lib=darwin/arm64/libonnxruntime.1.dylib ;;
*) fail "no ONNX Runtime library for $(uname -s) on $(uname -m): supported are Linux on x86_64 and arm64, and macOS on arm64" ;;
esac
name=$(basename "$lib")
want=$(awk -v lib="$lib" '$2 == lib { print $1 }' "$here/SHA256SUMS")
[ -n "$want" ] || fail "$here/SHA256SUMS has no line for $lib"

if is_wanted "$dest/$name" "$want"; then
	exit 0
fi

command -v npm >/dev/null 2>&1 || fail "npm is needed once, to fetch ONNX Runtime: install Node.js with npm and try again"
mkdir -p "$dest"
# Beside the destination, so that the last step is a rename on one file system.
tmp=$(mktemp -d "$dest/.fetch.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$tmp/"
(cd "$tmp" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) ||
	fail "npm could not fetch onnxruntime-node: check the network and npm's registry setting, then try again"

src=$tmp/node_modules/onnxruntime-node/bin/napi-v6/$lib
[ -f "$src" ] || fail "the package holds no $lib"
got=$(digest "$src")
[ "$got" = "$want" ] || fail "$lib has SHA-256 $got, but SHA256SUMS says $want: not installed"
chmod 755 "$src"
mv -f "$src" "$dest/$name"
echo "ONNX Runtime: $dest/$name" >&2
