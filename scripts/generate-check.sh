#!/usr/bin/env bash
# Runs `go generate` and fails if a file differs from what it was before. It looks at the files,
# not at git's index, so that it also works in a tree with changes.
set -euo pipefail
cd "$(dirname "$0")/.."

state() {
  find . -type f -not -path './.git/*' -not -path './build/*' -not -path './out*/*' -print0 |
    sort -z | xargs -0 sha256sum
}

before=$(mktemp) after=$(mktemp)
trap 'rm -f "$before" "$after"' EXIT
state >"$before"
go generate ./...
state >"$after"
if ! diff "$before" "$after" >/dev/null; then
  echo "generated files are not current; run 'make generate' and commit:" >&2
  diff "$before" "$after" | sed -n 's/^[<>] [0-9a-f]*  //p' | sort -u >&2
  exit 1
fi
