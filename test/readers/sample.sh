#!/usr/bin/env bash
# Writes datasets from the shipped sample in every shape that a reader may meet, and has check.py
# judge them. Usage: test/readers/sample.sh URISIEVE SAMPLE
set -euo pipefail

urisieve=$1 sample=$2
here=$(dirname "$0")

python=$("$here/install.sh")
if [ -z "$python" ]; then
  echo "SKIPPED: DuckDB and pyarrow are not to be had on this machine"
  exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

run() { "$urisieve" run --quiet "$@"; }
check() { "$python" "$here/check.py" "$@"; }

run "$sample/urls.txt.gz" --output "$out/crawl"
check "$out/crawl" --unique
check "$out/crawl.rejects" --rejects

run "$sample/urls.txt.gz" --output "$out/min" --columns min --rejects none
check "$out/min" --unique

run "$sample/urls.txt.gz" --output "$out/cc" --columns cc,url_original --rejects none
check "$out/cc" --unique

run "$sample/urls.txt.gz" --output "$out/wide" --compat wide --rejects none
check "$out/wide" --unique

# Several files, several row groups, and a second run beside the first.
run "$sample/urls.txt.gz" --output "$out/rolled" --file-rows 3000 --row-group-rows 1000 --rejects none
run "$sample/links.tsv.gz" --input-format tsv --output "$out/rolled" --append --rejects none
check "$out/rolled"

# One order over several files, with memory for a part of them.
run "$sample/urls.txt.gz" --output "$out/sorted" --sort global --sort-memory 1MiB --file-rows 3000 --row-group-rows 1000 --rejects none
check "$out/sorted" --unique --sorted

run "$sample/links.csv" --input-format csv --pass anchor --output "$out/links" --duplicates mark --rejects none
check "$out/links"

run "$sample/documents.jsonl.gz" -c deploy/configs/frontier.yaml --output "$out/frontier"
check "$out/frontier" --unique
check "$out/frontier.rejects" --rejects

run "$sample/access.vcombined.log.gz" -c deploy/configs/logs.yaml --output "$out/requests" --rejects none
check "$out/requests"

run "$sample/access.combined.log.gz" --input-format combined --base https://www.example.com/ --output "$out/one.parquet" --rejects none
check "$out/one.parquet" --unique

: >"$out/empty.txt"
run "$out/empty.txt" --output "$out/nothing" --rejects none
check "$out/nothing" --rows 0 || exit 1
