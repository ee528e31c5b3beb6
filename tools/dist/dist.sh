#!/bin/sh
# Makes the release archives of one commit in build/dist:
#
#   dist.sh VERSION [ARCH...]      default: amd64 arm64
#
# For each processor: programs, ONNX Runtime, licences, the SBOM, how to run it;
# and SHA256SUMS of the archives.
set -eu

[ $# -ge 1 ] || { echo "dist.sh: usage: dist.sh VERSION [ARCH...]" >&2; exit 1; }
version=$1
shift
[ $# -gt 0 ] || set -- amd64 arm64
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd "$here/../.."
out=build/dist
mkdir -p "$out"
go build -o "$out/dist" ./tools/dist
"$out/dist" licences LICENSES/THIRD-PARTY.md

for arch in "$@"; do
	name=fieldmark-$version-linux-$arch
	rm -rf "${out:?}/$name"
	sh tools/dist/build.sh "$out/$name" "$arch" "$version"
	cp LICENSE README.md "$out/$name/"
	"$out/dist" notices "$out/$name/THIRD-PARTY-NOTICES.txt"
	"$out/dist" sbom "$version" "$arch" "$out/$name/sbom.cdx.json"
	cp -r deploy "$out/$name/deploy"
	mkdir -p "$out/$name/doc"
	cp doc/*.md "$out/$name/doc/"
	(cd "$out/$name" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
	"$out/dist" pack "$out/$name" "$out/$name.tar.gz"
done
(cd "$out" && sha256sum fieldmark-"$version"-linux-*.tar.gz >SHA256SUMS)
cat "$out/SHA256SUMS"
