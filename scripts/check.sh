#!/usr/bin/env bash
# What a push must pass, cheapest first, each step with its time. CI=true leaves nothing out in
# silence: readers that can't be installed fail the check there, unless ALLOW_NO_READERS=1.
set -euo pipefail
cd "$(dirname "$0")/.."

started=$SECONDS
step() {
  local name=$1 t=$SECONDS
  shift
  echo "=== $name"
  if ! "$@"; then
    echo "=== $name: FAILED after $((SECONDS - t)) s" >&2
    exit 1
  fi
  echo "=== $name: ok, $((SECONDS - t)) s"
}
target() { make --no-print-directory "$1"; }

race() {
  if ! command -v "${CC:-cc}" >/dev/null && ! command -v gcc >/dev/null; then
    [ "${CI:-}" != true ] || { echo "no C compiler for the race detector" >&2; return 1; }
    echo "SKIPPED: no C compiler for the race detector"
    return 0
  fi
  target race
}

step build target build
step vet scripts/each-module.sh go vet ./...
step lint target lint
step fmt-check target fmt-check
step generate-check target generate-check
step test target test
step spill scripts/spill-check.sh build/bin/urisieve 1000000 8MiB
step conformance target conformance
step readers target readers
step race race
step fuzz-smoke target fuzz-smoke
echo "=== check: all ok, $(((SECONDS - started) / 60)) min $(((SECONDS - started) % 60)) s"
