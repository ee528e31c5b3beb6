#!/bin/sh
# Puts what `make bench` compares with in place: Debian's packages, by version, where
# they are missing and can be installed, and hnswlib compiled for this machine, as
# the file that is named. What cannot be had is said; the table then says so too.
set -eu
native=$1
here=$(dirname "$0")

packages=
want() { packages="$packages $1"; }
/usr/bin/python3 -c 'import sklearn' 2>/dev/null || want python3-sklearn=1.2.1+dfsg-1
/usr/bin/python3 -c 'import faiss' 2>/dev/null || want python3-faiss=1.7.3-2+b1
/usr/bin/python3 -c 'import hnswlib' 2>/dev/null || want python3-hnswlib=0.6.2-2+deb12u1
test -e /usr/include/hnswlib/hnswlib.h || want libhnswlib-dev=0.6.2-2+deb12u1
if test -n "$packages"; then
	if command -v apt-get >/dev/null && test "$(id -u)" = 0; then
		# shellcheck disable=SC2086 # a list
		apt-get install -y --no-install-recommends $packages || echo "bench: not installed:$packages"
	else
		echo "bench: these packages are missing, and installing them takes root on Debian 12:$packages"
	fi
fi

mkdir -p "$(dirname "$native")"
if ! command -v g++ >/dev/null; then
	echo "bench: g++ is missing: hnswlib is compared with as Debian compiles it only"
elif ! test -e /usr/include/hnswlib/hnswlib.h; then
	echo "bench: hnswlib's headers are missing: it is compared with as Debian compiles it only"
else
	g++ -std=c++17 -O3 -march=native -o "$native" "$here/hnswlib.cpp"
fi
