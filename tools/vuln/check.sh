#!/bin/sh
# check.sh: looks up what the code in this folder calls among the vulnerabilities that
# are known of Go and of the modules that it is made of. GOVULNDB names a copy of Go's
# database (file:///…) where that cannot be reached.
#
# Status 0: looked up, and nothing is known. 3: something is, and is printed. 1: nothing
# was looked up, which is no pass, and the last line says so.
set -u
export CGO_ENABLED=1 GOEXPERIMENT=simd # as the Makefile builds
version=v1.8.0

not_looked_up() {
	echo "vuln: NOT LOOKED UP: $*. Nothing is said about this code. Run this where Go's module proxy and vulnerability database are reached, or set GOVULNDB to a copy of the latter." >&2
	exit 1
}

bin=$PWD/build/vuln
GOBIN=$bin ${GO:-go} install golang.org/x/vuln/cmd/govulncheck@$version || not_looked_up "govulncheck itself cannot be had"
ask() { "$bin/govulncheck" ${GOVULNDB:+-db "$GOVULNDB"} "$@"; }
# Before minutes are spent on compiling.
ask -mode=query -json golang.org/x/vuln@$version >/dev/null || not_looked_up "the database cannot be asked"
status=0
ask ./... || status=$?
case $status in
0 | 3) exit $status ;;
*) not_looked_up "govulncheck ended with status $status" ;;
esac
