#!/usr/bin/env python3
"""Judge a dataset by readers that aren't ours: DuckDB, pyarrow, and an independent XXH3-128.

    check.py DATASET [--unique] [--sorted] [--rejects] [--rows N] [--incomplete]

DATASET is a directory that `urisieve run --output DATASET` wrote, or one Parquet file. Every check
that fails is printed with what was found and what was wanted; the exit code is then 1.
"""
import argparse
import json
import pathlib
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

# What docs/schema.md promises, in the words of Arrow. Columns that pass through (x_*) are left out.
TEXT = pa.string()
TIME = pa.timestamp("us", tz="UTC")
TYPES = {
    "url": TEXT, "url_fp": pa.binary(16), "url_key": TEXT, "url_key_fp": pa.binary(16), "url_surtkey": TEXT,
    "url_host_name": TEXT, "url_host_tld": TEXT, "url_host_registry_suffix": TEXT,
    "url_host_registered_domain": TEXT, "url_host_private_suffix": TEXT, "url_host_private_domain": TEXT,
    "url_host_name_reversed": TEXT, "url_protocol": TEXT, "url_port": pa.int32(), "url_path": TEXT,
    "url_query": TEXT, "url_fragment": TEXT, "canon_profile": TEXT, "canon_flags": pa.int64(),
    "canon_changed": pa.int64(), "url_original": pa.binary(), "base_used": TEXT, "dedup_state": TEXT,
    "first_seen": TIME, "last_seen": TIME, "seen_count": pa.int64(), "queue_key": TEXT,
    "discovered_from": TEXT, "depth": pa.int32(), "priority": pa.float32(), "fetch_time": TIME,
    "fetch_status": pa.int32(), "element": TEXT, "source": TEXT, "source_partition": pa.int32(),
    "source_offset": pa.int64(), "source_record": pa.int64(), "source_index": pa.int32(),
    # of rejects
    "raw": pa.binary(), "raw_length": pa.int64(), "raw_hash": pa.binary(16), "raw_cut": pa.bool_(), "reason": TEXT,
    "component": TEXT, "byte_offset": pa.int64(), "embedded_base": pa.binary(), "entity_base": pa.binary(),
    "base": pa.binary(),
}
NEVER_NULL = {"url", "url_fp", "url_surtkey", "url_protocol", "url_path", "canon_profile", "canon_flags",
              "canon_changed", "source", "source_offset", "source_record", "source_index",
              "raw", "raw_length", "raw_hash", "raw_cut", "reason", "byte_offset"}
FOOTER = ("schema", "settings_id", "tool", "hash", "public_suffix_list", "rows")
CODECS = {"ZSTD", "SNAPPY", "UNCOMPRESSED"}  # hashes are not compressed; compat: wide takes Snappy
FINGERPRINTS = (("url", "url_fp"), ("url_key", "url_key_fp"))
HASHED_AT_MOST = 2_000_000  # rows whose fingerprint is recomputed; of more, every n-th


class Judge:
    def __init__(self):
        self.faults = 0
        self.checks = 0

    def equal(self, what, got, want):
        self.checks += 1
        if got != want:
            self.faults += 1
            print(f"FAULT: {what}: got {got!r}, want {want!r}")

    def true(self, what, holds):
        self.equal(what, bool(holds), True)


def parquet_files(path):
    """The data files as a reader of datasets finds them: names that begin with . or _ are no data."""
    if path.is_file():
        return [path]
    return sorted(p for p in path.rglob("*.parquet") if p.name[0] not in "._")


def check_folder(judge, path, rows, complete):
    if not path.is_dir():
        return
    judge.equal("temporary files left behind", [p.name for p in path.rglob(".*.tmp")], [])
    judge.equal("_SUCCESS is there", (path / "_SUCCESS").exists(), complete)
    # A run that was appended has a manifest of its own: _run-0001-manifest.json.
    manifests = [json.loads(p.read_text()) for p in sorted(path.glob("_*manifest.json"))]
    listed = {f["name"]: f["rows"] for m in manifests for f in m["files"]}
    judge.equal("files in the manifests", sorted(listed), [p.name for p in parquet_files(path)])
    judge.equal("rows in the manifests", sum(listed.values()), rows)


def check_footer(judge, name, file, rejects):
    """The schema's types, the statistics, and what the footer says about the file."""
    meta = file.metadata
    for field in file.schema_arrow:
        if field.name in TYPES:
            judge.equal(f"{name}: type of {field.name}", field.type, TYPES[field.name])
        if field.name in NEVER_NULL:
            judge.equal(f"{name}: {field.name} is required", field.nullable, False)
    told = {k.decode(): v.decode() for k, v in (meta.metadata or {}).items()}
    wanted = FOOTER if not rejects else ("schema", "settings_id", "tool", "rows")
    wanted += tuple(f"bits.{c}" for c in ("canon_flags", "canon_changed") if c in file.schema_arrow.names)
    judge.equal(f"{name}: not told by the footer", [key for key in wanted if f"urisieve.{key}" not in told], [])
    judge.equal(f"{name}: rows told by the footer", told.get("urisieve.rows"), str(meta.num_rows))
    if meta.num_rows == 0:
        return
    for g in range(meta.num_row_groups):
        group = meta.row_group(g)
        for c in range(group.num_columns):
            column = group.column(c)
            judge.true(f"{name}: {column.path_in_schema} is compressed by {column.compression}", column.compression in CODECS)
            if column.path_in_schema == "url":
                judge.true(f"{name}: row group {g}: statistics of url", column.statistics is not None and column.statistics.has_min_max)
                judge.true(f"{name}: row group {g}: page index of url", column.has_column_index and column.has_offset_index)


def check_fingerprints(judge, files, rows):
    every = 1 + rows // HASHED_AT_MOST
    wrong, at, seen = 0, 0, []
    for text, fp in FINGERPRINTS:
        for path in files:
            file = pq.ParquetFile(path)
            if text not in file.schema_arrow.names or fp not in file.schema_arrow.names:
                continue
            for batch in file.iter_batches(columns=[text, fp]):
                for url, got in zip(batch[0].to_pylist()[::every], batch[1].to_pylist()[::every]):
                    at += 1
                    if xxhash.xxh3_128_digest(url.encode()) != got:
                        wrong += 1
                    elif fp == "url_fp" and at % (1 + rows // every // 20) == 1:
                        seen.append((url, got))
    judge.equal("fingerprints that differ from XXH3-128 of the text", wrong, 0)
    return at, seen


def check_sorted(judge, files):
    """The order of url_surtkey over all files, byte by byte; that each row group declares it; the manifest's keys."""
    last, falls = b"", 0
    bounds = {}
    for path in files:
        file = pq.ParquetFile(path)
        declared = pq.SortingColumn(file.schema_arrow.get_field_index("url_surtkey"))
        for g in range(file.metadata.num_row_groups):
            order = [(c.column_index, c.descending) for c in file.metadata.row_group(g).sorting_columns]
            judge.equal(f"{path.name}: order of row group {g}", order, [(declared.column_index, False)])
        first = None
        for batch in file.iter_batches(columns=["url_surtkey"]):
            for key in (text.encode() for text in batch[0].to_pylist()):
                falls += key < last
                last = key
                first = key if first is None else first
        bounds[path.name] = (first.decode(), last.decode())
    judge.equal("rows that are less than the one before", falls, 0)
    manifest = json.loads((files[0].parent / "_manifest.json").read_text())
    judge.equal("sorted by", (manifest["sort"], manifest["sorted_by"]), ("global", "url_surtkey"))
    judge.equal("first and last keys", {f["name"]: (f["first_key"], f["last_key"]) for f in manifest["files"]}, bounds)


def check_raw(judge, files):
    """Length and hash of a reject are those of the bytes, where they were not cut."""
    wrong = 0
    for path in files:
        for batch in pq.ParquetFile(path).iter_batches(columns=["raw", "raw_length", "raw_hash", "raw_cut"]):
            for raw, length, digest, cut in zip(*(batch.column(i).to_pylist() for i in range(4))):
                wrong += not cut and (len(raw), xxhash.xxh3_128_digest(raw)) != (length, digest)
    judge.equal("rejects whose length or hash is not that of their bytes", wrong, 0)


def check_lookups(judge, db, files, seen):
    """A point look-up finds the row and no other; the bloom filter lets it through, and little else."""
    names = [str(f) for f in files]
    for url, fp in seen:
        found = db.execute("SELECT DISTINCT url FROM read_parquet(?) WHERE url_fp = ?", [names, fp]).fetchall()
        judge.equal(f"look-up of {fp.hex()}", found, [(url,)])
    if not seen:
        return
    blooms = db.execute("SELECT count(*), count(bloom_filter_offset) FROM parquet_metadata(?) WHERE path_in_schema = 'url_fp'", [names]).fetchone()
    judge.equal("row groups with a bloom filter on url_fp", blooms[1], blooms[0])
    probe = "SELECT count(*) FILTER (WHERE NOT bloom_filter_excludes) FROM parquet_bloom_probe(?, 'url_fp', ?)"
    for _, fp in seen:
        judge.true(f"the bloom filter knows {fp.hex()}", db.execute(probe, [names, fp]).fetchone()[0] >= 1)
    absent = [xxhash.xxh3_128_digest(b"absent %d" % i) for i in range(50)]
    passed = sum(db.execute(probe, [names, fp]).fetchone()[0] for fp in absent)
    judge.true(f"bloom filters let {passed} of {50 * blooms[0]} absent keys pass", passed <= 50 * blooms[0] * 0.1)


def check_same_content(judge, db, files, columns):
    """DuckDB and pyarrow see the same values: nulls of each column, least and greatest url."""
    names = [str(f) for f in files]
    ours = ", ".join(f'count(*) - count("{c}")' for c in columns)
    by_duckdb = db.execute(f"SELECT {ours} FROM read_parquet(?)", [names]).fetchone()
    table_nulls = [0] * len(columns)
    for path in files:
        for batch in pq.ParquetFile(path).iter_batches(columns=columns):
            for i, c in enumerate(columns):
                table_nulls[i] += batch.column(batch.schema.get_field_index(c)).null_count
    judge.equal("nulls of each column, by DuckDB and by pyarrow", list(by_duckdb), table_nulls)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("dataset", type=pathlib.Path)
    args.add_argument("--unique", action="store_true", help="no url may be there twice")
    args.add_argument("--rejects", action="store_true", help="a dataset of rejects")
    args.add_argument("--sorted", action="store_true", help="a dataset of --sort global with url_surtkey")
    args.add_argument("--rows", type=int, help="the number of rows that must be there")
    args.add_argument("--incomplete", action="store_true", help="the run did not end well: no _SUCCESS")
    args = args.parse_args()

    judge = Judge()
    files = parquet_files(args.dataset)
    judge.true(f"there are Parquet files in {args.dataset}", files)
    if not files:
        return 1
    rows, columns = 0, []
    for path in files:
        file = pq.ParquetFile(path)
        rows += file.metadata.num_rows
        columns = file.schema_arrow.names
        check_footer(judge, path.name, file, args.rejects)
    db = duckdb.connect()
    names = [str(f) for f in files]
    judge.equal("rows, by DuckDB and by pyarrow", db.execute("SELECT count(*) FROM read_parquet(?)", [names]).fetchone()[0], rows)
    if args.rows is not None:
        judge.equal("rows", rows, args.rows)
    check_folder(judge, args.dataset, rows, not args.incomplete)
    check_same_content(judge, db, files, columns)
    summary = f"{args.dataset}: {len(files)} files, {rows} rows, {len(columns)} columns"
    if args.sorted:
        check_sorted(judge, files)
    if args.rejects:
        check_raw(judge, files)
    else:
        hashed, seen = check_fingerprints(judge, files, rows)
        if "url_fp" in columns:
            check_lookups(judge, db, files, seen)
        distinct = db.execute("SELECT count(DISTINCT url) FROM read_parquet(?)", [names]).fetchone()[0]
        if args.unique:
            judge.equal("distinct urls", distinct, rows)
        summary += f", {distinct} distinct urls, {hashed} fingerprints recomputed, {len(seen)} look-ups"
    print(f"{summary}; {judge.checks} checks, {judge.faults} faults (DuckDB {duckdb.__version__}, pyarrow {pa.__version__})")
    return 1 if judge.faults else 0


if __name__ == "__main__":
    sys.exit(main())
