#!/usr/bin/env python3
"""Hold a run's own counts (_manifest.json) against what DuckDB finds in its datasets.

Usage: counts.py DATASET, with the rejects in DATASET.rejects
"""
import json
import pathlib
import sys

import duckdb

dataset = pathlib.Path(sys.argv[1])
counts = json.loads((dataset / "_manifest.json").read_text())["counts"]


def rows(path):
    files = sorted(str(p) for p in path.glob("*.parquet"))
    return duckdb.execute("SELECT count(*) FROM read_parquet(?)", [files]).fetchone()[0] if files else 0


settled = counts["unique"] + counts["duplicates"] + counts["filtered"] + counts["rejected"]
print(f"{counts['references']} references = {counts['unique']} unique + {counts['duplicates']} duplicates"
      f" + {counts['filtered']} filtered + {counts['rejected']} rejected")
rejects = pathlib.Path(f"{dataset}.rejects")
faults = [
    f"{what}: the run says {told}, found {found}"
    for what, told, found in (
        ("sum of the outcomes", counts["references"], settled),
        ("rows, by DuckDB", counts["unique"], rows(dataset)),
        ("rejects, by DuckDB", counts["rejected"], rows(rejects)),
    )
    if told != found
]
if counts["unique"] == 0:
    faults.append("nothing came out at all")
print("\n".join(faults) or "DuckDB counts the same")
sys.exit(1 if faults else 0)
