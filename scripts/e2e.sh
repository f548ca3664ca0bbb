#!/usr/bin/env bash
# The long tests: those that `make test` keeps short (kill -9 at random among them), then real input
# end to end. Usage: scripts/e2e.sh URISIEVE
set -euo pipefail
cd "$(dirname "$0")/.."

go test -count=1 -timeout 30m ./cmd/urisieve -e2e
scripts/spill-check.sh "$1" 20000000 32MiB
test/acceptance/real-input.sh "$1"
