#!/usr/bin/env bash
# Runs a command in the folder of every Go module of the project but bench, whose peers nobody
# needs who only changes the product. Usage: scripts/each-module.sh go test ./...
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
while IFS= read -r mod; do
  dir=$(dirname "$mod")
  [ "$dir" = . ] || echo "== module $dir"
  (cd "$dir" && "$@") || status=$?
done < <(find . -name go.mod -not -path './build/*' -not -path './bench/*' -not -path '*/testdata/*' | sort)
exit "$status"
