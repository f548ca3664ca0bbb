#!/usr/bin/env bash
# Holds deduplication with little memory against sort and awk, at any size: N generated references, half of
# them repeats, through `urisieve run` with a set of MEMORY bytes. Checked:
#
#   - as many URLs come out as the generator made
#   - sorted, they are the bytes of `urisieve normalize | sort -u`: none is lost, none comes twice
#   - as they came, they are the generator's URLs in the order of their first appearance
#   - and the bytes that awk '!seen[$0]++' leaves of the output of `urisieve normalize` (up to 2,000,000)
#   - nothing is left behind beside the output, nor in the folder for temporary files
#
# Usage: scripts/spill-check.sh URISIEVE N MEMORY [FLAG...]      (flags for run; about 250 bytes of disk a reference)
#        DISTINCT=0.1 SKEW=uniform DIRTY=0 SEED=2 scripts/spill-check.sh build/bin/urisieve 10000000 64MiB
set -euo pipefail

usage='usage: spill-check.sh URISIEVE N MEMORY [FLAG...]'
urisieve=$(realpath "${1:?$usage}") n=${2:?$usage} memory=${3:?$usage}
shift 3
cd "$(dirname "$0")/.."
distinct=${DISTINCT:-0.5} skew=${SKEW:-zipf} dirty=${DIRTY:-0.2} seed=${SEED:-1}
export LC_ALL=C

dir=$(mktemp -d "${TMPDIR:-/tmp}/urisieve-check.XXXXXX")
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/out" "$dir/tmp"
export TMPDIR=$dir/tmp

fail() {
  echo "spill-check: $*" >&2
  exit 1
}

# measured COMMAND...: runs it, and leaves "wall user system peak" (seconds, KiB) in $dir/usage.
measured() {
  if /usr/bin/time -f %M true 2>/dev/null >&2; then
    /usr/bin/time -q -o "$dir/usage" -f '%e %U %S %M' "$@"
    return
  fi
  python3 - "$dir/usage" "$@" <<'PYTHON'
import resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.run(sys.argv[2:]).returncode
u = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as f:
    print(f"{time.monotonic() - start:.2f} {u.ru_utime:.2f} {u.ru_stime:.2f} {u.ru_maxrss}", file=f)
sys.exit(status if status >= 0 else 128 - status)
PYTHON
}

sorted() { sort -S 256M --parallel=2 "$@"; }
normalized() { "$urisieve" normalize --quiet <"$dir/in.txt"; }

go build -o "$dir/refgen" ./internal/refgen/main
"$dir/refgen" -n "$n" -distinct "$distinct" -skew "$skew" -dirty "$dirty" -seed "$seed" -truth "$dir/truth" >"$dir/in.txt"
want=$(cat "$dir/truth")

status=0
measured "$urisieve" run "$dir/in.txt" --output "$dir/out/urls.txt" --rejects none --progress none \
  --dedup-memory "$memory" "$@" 2>"$dir/summary" || status=$?
[ "$status" = 0 ] || { cat "$dir/summary" >&2; fail "run ended with exit code $status"; }

read -r wall user system peak <"$dir/usage"
got=$(wc -l <"$dir/out/urls.txt")
awk -v n="$n" -v got="$got" -v memory="$memory" -v wall="$wall" -v user="$user" -v sys="$system" -v peak="$peak" 'BEGIN {
  printf "%d references, %d distinct, set of %s: %.2f s wall, %.2f s CPU (%.0f ns a reference), peak RSS %.1f MiB\n",
    n, got, memory, wall, user + sys, n ? (user + sys) / n * 1e9 : 0, peak / 1024 }'
grep -i spill "$dir/summary" || true

[ "$got" = "$want" ] || fail "$got URLs came out, the generator made $want"
echo "count: $got, as the generator made"

"$dir/refgen" -n "$want" -distinct 1 -canonical -seed "$seed" | cmp - "$dir/out/urls.txt" || fail "not in the order of first appearance"
echo "order: the generator's"

if [ "$n" -le 2000000 ]; then
  normalized | awk '!seen[$0]++' | cmp - "$dir/out/urls.txt" || fail "awk leaves others, or in another order"
  echo "order: awk's"
fi

left=$(find "$dir/out" "$dir/tmp" -mindepth 1 ! -path "$dir/out/urls.txt")
[ -z "$left" ] || fail "left behind: $left"

normalized | sorted -u >"$dir/want"
rm "$dir/in.txt"
sorted "$dir/out/urls.txt" | cmp - "$dir/want" || fail "sort -u leaves others"
echo "set: what sort -u leaves"
