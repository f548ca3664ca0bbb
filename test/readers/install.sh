#!/usr/bin/env bash
# Installs DuckDB, pyarrow and xxhash into build/venv, in the pinned versions, and prints the path of
# the Python that has them. Where that can't be done (no Python, no network) it prints nothing and
# ends with 0, so that a developer's `make check` goes on; in CI (CI=true) it fails, unless
# ALLOW_NO_READERS=1 says that this machine may do without.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=build/venv
want=test/readers/requirements.txt
if ! cmp -s "$want" "$venv/installed.txt"; then
  log=$(mktemp)
  if python3 -m venv "$venv" >"$log" 2>&1 &&
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$want" >>"$log" 2>&1; then
    cp "$want" "$venv/installed.txt"
    rm -f "$log"
  else
    tail -n 5 "$log" >&2
    rm -f "$log"
    if [ "${CI:-}" = true ] && [ "${ALLOW_NO_READERS:-}" != 1 ]; then
      echo "the foreign readers could not be installed; set ALLOW_NO_READERS=1 to do without" >&2
      exit 1
    fi
    exit 0
  fi
fi
echo "$PWD/$venv/bin/python"
