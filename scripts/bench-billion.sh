#!/usr/bin/env bash
# A billion different keys (half of two billion references) through the exact set, with 1 GiB for it, in a control
# group whose 2 GiB count the page cache: what CPU and time a reference takes as the set grows.
# Needs some 30 GB of disk in DIR and root, or a user's control groups; takes a quarter of an hour.
#
# Usage: scripts/bench-billion.sh [DIR [REFERENCES [MEMORY [LIMIT]]]]
set -euo pipefail
cd "$(dirname "$0")/.."

dir=${1:-${TMPDIR:-/tmp}} n=${2:-2000000000} memory=${3:-1GiB} limit=${4:-2147483648}
mkdir -p build/bin
(cd bench && go build -o ../build/bin/sets ./sets)
command=(build/bin/sets -n "$n" -distinct 0.5 -way "${WAY:-spill}" -memory "$memory" -dir "$dir" -curve "$((n / 20))")

v1=/sys/fs/cgroup/memory/urisieve-bench-$$
if mkdir "$v1" 2>/dev/null; then
  trap 'rmdir "$v1"' EXIT
  echo "$limit" >"$v1/memory.limit_in_bytes"
  (
    echo "$BASHPID" >"$v1/cgroup.procs"
    exec "${command[@]}"
  )
  echo "control group: at most $(cat "$v1/memory.max_usage_in_bytes") of $limit bytes, page cache included"
elif command -v systemd-run >/dev/null && systemd-run --scope -q -p "MemoryMax=$limit" true 2>/dev/null; then
  systemd-run --scope -q -p "MemoryMax=$limit" -p MemorySwapMax=0 "${command[@]}"
elif command -v systemd-run >/dev/null && systemd-run --user --scope -q -p "MemoryMax=$limit" true 2>/dev/null; then
  systemd-run --user --scope -q -p "MemoryMax=$limit" -p MemorySwapMax=0 "${command[@]}"
else
  echo "bench-billion: no control group can be made here: run it as root, or under systemd" >&2
  exit 1
fi
