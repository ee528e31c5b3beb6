#!/bin/sh
# Puts libjpeg-turbo's shared library into DEST, if this machine needs it.
#
#   fetch.sh DEST
#
# Fieldmark decodes photos faster with it and runs without it, so this script
# succeeds in any case, and says in one line what is used. The system's own
# library goes first: the distribution keeps it up to date. Else the library
# comes out of Debian's package, of the version pinned here, whose archive apt
# verifies, and is checked again against SHA256SUMS. Nothing is installed and
# root is not needed.
set -eu

package=libturbojpeg0
version=1:2.1.5-2 # Debian 12
name=libturbojpeg.so.0

if [ $# -ne 1 ]; then
	echo "fetch.sh: usage: fetch.sh DEST (the folder that gets the library)" >&2
	exit 1
fi
mkdir -p "$1"
dest=$(CDPATH='' cd -- "$1" && pwd)
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/../digest.sh"

without() {
	echo "libjpeg-turbo: $*: photos are decoded in Go, which is slower; installing $package (on macOS jpeg-turbo) makes it fast" >&2
	exit 0
}

if PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q "$name"; then
	echo "libjpeg-turbo: the system's own" >&2
	exit 0
fi
[ "$(uname -s)" = Linux ] || without "not fetched on $(uname -s)"
for tool in apt-get dpkg dpkg-deb; do
	command -v $tool >/dev/null 2>&1 || without "there is no $tool here to fetch it with"
done
arch=$(dpkg --print-architecture)
want=$(awk -v lib="$arch/$name" '$2 == lib { print $1 }' "$here/SHA256SUMS")
[ -n "$want" ] || without "no version is pinned for $arch"

if is_wanted "$dest/$name" "$want"; then
	exit 0
fi

# Beside the destination, so that the last step is a rename on one file system.
tmp=$(mktemp -d "$dest/.fetch.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

download() (cd "$tmp" && apt-get -qq "$@" download "$package=$version" >/dev/null 2>&1)

# A machine that was set up long ago, or just now, has no fit package lists:
# lists of our own are read then, which the system's are not changed by.
fresh() {
	mkdir -p "$tmp/lists/partial" "$tmp/cache/archives/partial"
	set -- -o Dir::State::lists="$tmp/lists" -o Dir::Cache="$tmp/cache"
	apt-get -qq "$@" update >/dev/null 2>&1
	download "$@"
}

download || fresh || without "apt has no $package $version"
dpkg-deb -x "$tmp/$package"_*.deb "$tmp/package" || without "the package cannot be unpacked"
lib=$(find "$tmp/package" -name "$name.*" -type f)
is_wanted "$lib" "$want" || without "the package holds another library than SHA256SUMS says"
cp "$tmp/package/usr/share/doc/$package/copyright" "$dest/libturbojpeg-copyright.txt"
chmod 755 "$lib"
mv -f "$lib" "$dest/$name"
echo "libjpeg-turbo: $dest/$name" >&2
