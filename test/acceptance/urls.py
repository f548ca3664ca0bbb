#!/usr/bin/env python3
"""Print the column url of a dataset, in the order of its files and rows. Usage: urls.py DATASET"""
import pathlib
import sys

import pyarrow.parquet as pq

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.parquet")):
    for batch in pq.ParquetFile(path).iter_batches(columns=["url"]):
        sys.stdout.write("".join(url + "\n" for url in batch.column(0).to_pylist()))
