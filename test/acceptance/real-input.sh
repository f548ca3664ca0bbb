#!/usr/bin/env bash
# The whole chain on real input: the large list, links with their documents, and access logs, through
# `urisieve run` to Parquet. Checked for each of them:
#
#   - references in = unique + duplicates + filtered + rejected, to the one
#   - DuckDB counts as many rows in the dataset and in its rejects, and each url once
#   - the unique ones, in order, are what awk '!s[$0]++' leaves of the output of `urisieve normalize`
#   - DuckDB, pyarrow and another XXH3-128 find nothing wrong with the files (test/readers)
#   - a sample of 10,000 agrees with the independent reading of the standards (test/oracle)
#
# Usage: test/acceptance/real-input.sh URISIEVE [CORPORA]     (needs gawk or mawk, zstd; about 2 GB of disk)
set -euo pipefail
cd "$(dirname "$0")/../.."

urisieve=$(realpath "${1:?usage: real-input.sh URISIEVE [CORPORA]}")
corpora=${2:-../shared/corpora}
if [ ! -d "$corpora" ]; then
  echo "SKIPPED: no $corpora"
  exit 0
fi
python=$(test/readers/install.sh)
if [ -z "$python" ]; then
  echo "SKIPPED: DuckDB and pyarrow are not to be had on this machine"
  exit 0
fi
out=$(mktemp -d "${TMPDIR:-/tmp}/urisieve-acceptance.XXXXXX")
trap 'rm -rf "$out"' EXIT

# job NAME FLAGS...: one input through both commands.
job() {
  local name=$1
  shift
  echo "== $name"
  local t=$SECONDS
  "$urisieve" run "$@" --output "$out/$name" --quiet
  echo "run: $((SECONDS - t)) s, $(cat "$out/$name"/*.parquet | wc -c) bytes of Parquet"
  "$python" test/readers/check.py "$out/$name" --unique
  "$python" test/acceptance/counts.py "$out/$name"
  "$urisieve" normalize "$@" --quiet | LC_ALL=C awk '!s[$0]++' >"$out/$name.want"
  "$python" test/acceptance/urls.py "$out/$name" >"$out/$name.got"
  cmp "$out/$name.want" "$out/$name.got"
  echo "order: $(wc -l <"$out/$name.got") urls, the same as awk leaves of normalize's output"
  rm -rf "${out:?}/$name"*
}

job sitemaps "$corpora/urls/eot2024-sitemaps.txt.zst"
job seeds "$corpora"/urls/*.txt.gz --base http://seeds.example/
job hrefs "$corpora/web/hrefs.jsonl.gz" --input-format jsonl --ref-field raw --base-field doc --embedded-base-field base_href
job combined "$corpora/logs/elastic-apache-combined.log.gz" --input-format combined --base http://semicomplete.com/
job nasa "$corpora/logs/nasa-199507.tsv.gz" --input-format tsv --ragged --ref-field url --base http://kennedy.example/

echo "== 10,000 references, judged by test/oracle"
"$python" test/oracle/compare.py --urisieve "$urisieve" --sample 10000 "$corpora/urls/eot2024-sitemaps.txt.zst" \
  "$corpora"/urls/*.txt.gz "$corpora/web/hrefs.jsonl.gz" "$corpora/logs/elastic-apache-combined.log.gz" "$corpora/logs/nasa-199507.tsv.gz"
echo "all as it should be"
