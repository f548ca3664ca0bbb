#!/usr/bin/env bash
# Holds the program against what nobody here wrote: the published test suites in
# ../shared/corpora/cases, of which it prints the matrix (docs/conformance.md keeps it), and a sample of
# real references judged by the independent reading of the standards in test/oracle. Without the folder there is nothing to do, and it says so.
set -euo pipefail
cd "$(dirname "$0")/.."

corpora=../shared/corpora
if [ ! -d "$corpora" ]; then
  echo "SKIPPED: no $corpora"
  exit 0
fi

echo "== published suites: every case passes, or has a reason in docs/conformance.md"
go run ./internal/conformance
go test ./internal/conformance

echo "== the same suites, asked of each part alone"
go test -count=1 ./normalize/... ./sources -run 'Corpora|Corpus|Oracle|WPT|WebPlatform|GSB'

echo "== 10,000 real references, judged by test/oracle"
python=$(test/readers/install.sh)
python=${python:-python3}
if ! command -v "$python" >/dev/null; then
  echo "SKIPPED: no Python"
  exit 0
fi
files=("$corpora"/urls/*.txt.gz "$corpora"/web/hrefs.jsonl.gz "$corpora"/logs/elastic-apache-combined.log.gz "$corpora"/logs/nasa-199507.tsv.gz)
if command -v zstd >/dev/null; then
  files+=("$corpora"/urls/eot2024-sitemaps.txt.zst)
else
  echo "no zstd: eot2024-sitemaps.txt.zst is left out"
fi
make --no-print-directory build
for mode in "" --strict; do
  "$python" test/oracle/compare.py --urisieve build/bin/urisieve --sample 10000 $mode "${files[@]}"
done
