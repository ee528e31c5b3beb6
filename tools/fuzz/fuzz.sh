#!/usr/bin/env bash
# fuzz.sh FOLDER [TARGET…]: runs every fuzz target of this module, or those named
# (FuzzRead, internal/bundle.FuzzRead), each for $FUZZTIME (10m) and with $FUZZMB
# (512) of data memory. Test binaries, corpora and logs go to FOLDER. A finding is
# written by Go to the package's testdata/fuzz, where it is a test from then on:
# mend, and commit both.
#
# The limit is RLIMIT_DATA, which counts what a process may write to in private: the
# heap, unlike the address space that Go's runtime sets aside. What wants more dies
# with "cannot allocate memory", which is a finding like any other. It binds the worker
# alone, which runs the target: Go starts it as it was started itself, here by a script
# that sets the limit, while the process that keeps the corpus has none. Without any
# work a worker has some 130 MB of it (arenas of 64 MB, threads' stacks). GOMEMLIMIT
# makes the collector work before garbage alone reaches the limit.
set -u
out=$1
shift
time=${FUZZTIME:-10m} mb=${FUZZMB:-512}
mkdir -p "$out"
out=$(cd "$out" && pwd)
root=$PWD
failed=0

for dir in $(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u); do
	wanted=
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' "$dir"/*_test.go); do
		case " ${*:-$target} " in *" $target "* | *" $dir.$target "*) wanted="$wanted $target" ;; esac
	done
	[ -n "$wanted" ] || continue
	binary=$out/$(echo "$dir" | tr / -).test
	if ! go test -c -fuzz=. -o "$binary" "./$dir"; then
		echo "FAILED  $dir does not compile"
		failed=1
		continue
	fi
	cat >"$binary.limited" <<END
#!/usr/bin/env bash
case " \$* " in *" -test.fuzzworker "*) ulimit -d $((mb * 1024)) ;; esac
exec -a "$binary.limited" "$binary" "\$@"
END
	chmod +x "$binary.limited"
	for target in $wanted; do
		log=$out/$(echo "$dir" | tr / -).$target.log
		(
			cd "$root/$dir" || exit 1
			GOMEMLIMIT=$((mb / 2))MiB exec nice "$binary.limited" -test.run='^$' -test.fuzz="^$target\$" -test.fuzztime="$time" \
				-test.parallel=1 -test.fuzzminimizetime=20x -test.fuzzcachedir="$out/corpus/$dir"
		) >"$log" 2>&1
		status=$?
		last=$(grep -o 'execs: [0-9]*' "$log" | tail -1)
		if [ $status -eq 0 ]; then
			echo "ok      $dir $target ${last:-}"
		else
			echo "FAILED  $dir $target ${last:-}: see $log"
			failed=1
		fi
	done
done
exit $failed
