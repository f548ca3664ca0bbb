#!/usr/bin/env bash
# The main job over the shipped sample: a seed list, crawled documents and an access log, each into a
# Parquet dataset of its own. Usage: scripts/run-sample.sh URISIEVE SAMPLE OUT
set -euo pipefail

urisieve=$1 sample=$2 out=$3

show() {
  printf '\n$ %s' "$urisieve"
  printf ' %s' "$@"
  printf '\n'
  "$urisieve" "$@"
}

mkdir -p "$out"
show run "$sample/urls.txt.gz" --output "$out/urls" --overwrite
show run "$sample/documents.jsonl.gz" -c deploy/configs/frontier.yaml --output "$out/frontier" --overwrite
show run "$sample/access.vcombined.log.gz" -c deploy/configs/logs.yaml --output "$out/requests" --overwrite

cat <<END

The datasets are in $out/; what was refused, with the reason, is beside each of them in *.rejects/.
To look at them:

  duckdb -c "SELECT url, queue_key, discovered_from FROM '$out/frontier/*.parquet' LIMIT 10"
  duckdb -c "SELECT reason, component, count(*) FROM '$out/urls.rejects/*.parquet' GROUP BY ALL ORDER BY 3 DESC"
  duckdb -c "SELECT url, count(*) AS requests FROM '$out/requests/*.parquet' WHERE element = 'request' GROUP BY 1 ORDER BY 2 DESC LIMIT 10"

Why a reference became what it is:

  $urisieve explain 'HTTP://Example.COM:80/a/./b/../%7euser?q=1#top'
END
