#!/usr/bin/env bash
# Runs every fuzz target of the project, one after another, for a time (30s) or a count of
# executions (20000x). Usage: scripts/fuzz.sh AMOUNT [PACKAGE...]
set -euo pipefail
cd "$(dirname "$0")/.."

amount=${1:?usage: fuzz.sh AMOUNT [PACKAGE...]}
shift
packages=("$@")
[ ${#packages[@]} -gt 0 ] || packages=(./...)

found=0
# Packages without a target are left out by their text: listing would compile every test.
for dir in $(go list -f '{{.Dir}}' "${packages[@]}"); do
  grep -qs '^func Fuzz' "$dir"/*_test.go || continue
  for target in $(cd "$dir" && go test -list '^Fuzz' . | grep '^Fuzz'); do
    echo "== ${dir#"$PWD"/} $target"
    (cd "$dir" && go test -run '^$' -fuzz "^$target\$" -fuzztime "$amount" -fuzzminimizetime 10s . | tail -n 3)
    found=$((found + 1))
  done
done
echo "$found fuzz targets, $amount each: no finding"
