#!/usr/bin/env bash
# ns per URI beside net/url in the same run, then whole runs of the program. Real URLs where
# ../shared/corpora is, else the shipped sample.
set -euo pipefail
cd "$(dirname "$0")/.."
make --no-print-directory build
go run ./internal/urlbench -urisieve build/bin/urisieve
