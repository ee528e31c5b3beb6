#!/bin/sh
# Builds what a release archive has, for one processor, into DEST:
#
#   build.sh DEST ARCH VERSION     ARCH: amd64 or arm64
#
# The same commit gives the same bytes, whichever folder it is built in: no path,
# no time and no identity of the build is in the program. C is compiled for the
# oldest processors of each kind that Debian knows; Go's kernels look at run time.
set -eu

fail() {
	echo "build.sh: $*" >&2
	exit 1
}

[ $# -eq 3 ] || fail "usage: build.sh DEST ARCH VERSION"
dest=$1 arch=$2 version=$3
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
host=$(go env GOHOSTARCH)

case "$host/$arch" in
amd64/amd64 | arm64/arm64) cc=${CC:-gcc} ;;
amd64/arm64) cc=${CC_ARM64:-aarch64-linux-gnu-gcc} ;;
arm64/amd64) cc=${CC_AMD64:-x86_64-linux-gnu-gcc} ;;
*) fail "cannot build for $arch on $host: there is amd64 and arm64" ;;
esac
command -v "$cc" >/dev/null 2>&1 ||
	fail "there is no C compiler $cc: on Debian, apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross (or CC_ARM64=...)"

mkdir -p "$dest/bin" "$dest/lib"
cd "$root"
for program in webapp evaluate; do
	CGO_ENABLED=1 GOOS=linux GOARCH=$arch CC=$cc GOEXPERIMENT=simd GOFLAGS=-mod=readonly CGO_CFLAGS="-O2" \
		go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.release=$version" \
		-o "$dest/bin/$program" "./cmd/$program"
done
ONNXRUNTIME_ARCH=$arch sh tools/onnxruntime/fetch.sh "build/dist/onnxruntime-$arch"
cp build/dist/onnxruntime-"$arch"/libonnxruntime.so.1 "$dest/lib/"
# WebAssembly: the same for every processor.
sh tools/wasm/fetch.sh build/wasm
cp build/wasm/*.wasm.gz build/wasm/LICENSE.* "$dest/lib/"
