#!/usr/bin/env python3
"""Compares urisieve with the independent reading of the standards in rfc3986.py.

    compare.py [--urisieve PROGRAM] [--sample N] [--seed N] [--strict] FILE...

Draws N references from the files, in equal shares as far as they reach, has both sides
normalize them, and prints every one on which they disagree. Exit: 0 agreed, 1 disagreed,
2 could not compare.
"""

import argparse
import gzip
import io
import json
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REQUEST = re.compile(rb'"[A-Z]+ (.*?)(?: HTTP/[0-9.]+)?" [0-9]+ (?:[0-9]+|-)(?: "((?:[^"\\]|\\.)*)")?')
LOG_BASE = "http://log.example/"  # access logs name no host: any will do, as both sides get it


def open_input(path):
    """The bytes of a file, decompressed by what they are."""
    with open(path, "rb") as f:
        magic = f.read(4)
    if magic[:2] == b"\x1f\x8b":
        return gzip.open(path, "rb")
    if magic == b"\x28\xb5\x2f\xfd":
        process = subprocess.Popen(["zstd", "-dcq", "--long=27", path], stdout=subprocess.PIPE)
        return process.stdout
    return open(path, "rb")


def kind(path):
    """links, log or list, by the name without its compression."""
    name = re.sub(r"\.(gz|zst)$", "", os.path.basename(path))
    return {".jsonl": "links", ".log": "log", ".tsv": "tsv"}.get(os.path.splitext(name)[1], "list")


def references(path):
    """Every reference of a file, as the record that both sides read."""
    what, column = kind(path), None
    for line in open_input(path):
        line = line.rstrip(b"\r\n")
        if not line:
            continue
        if what == "links":
            link = json.loads(line.decode("utf-8", "surrogateescape"))
            yield {"ref": link["raw"], "base": link.get("doc"), "embedded_base": link.get("base_href")}
        elif what == "log":
            match = REQUEST.search(line)
            for ref in match.groups() if match else ():
                if ref not in (None, b"", b"-"):
                    yield {"ref": text(ref), "base": LOG_BASE}
        elif what == "tsv":
            fields = line.split(b"\t")
            if column is None:
                column = fields.index(b"url")
            elif len(fields) > column:
                yield {"ref": text(fields[column]), "base": LOG_BASE}
        else:
            yield {"ref": text(line), "base": LOG_BASE}


def text(raw):
    return raw.decode("utf-8", "surrogateescape")


def draw(paths, size, seed):
    """An equal share of each file (reservoir sampling), in the files' order; small files leave
    what they lack to the others."""
    pools = []
    for path in paths:
        chance, pool = random.Random(f"{seed} {os.path.basename(path)}"), []
        for i, record in enumerate(references(path)):
            if len(pool) < size:
                pool.append((i, record))
            else:
                at = chance.randrange(i + 1)
                if at < size:
                    pool[at] = (i, record)
        chance.shuffle(pool)
        pools.append(pool)
    share, taken = {}, 0
    for n, pool in enumerate(sorted(range(len(pools)), key=lambda p: len(pools[p]))):
        share[pool] = min(len(pools[pool]), (size - taken) // (len(pools) - n))
        taken += share[pool]
    return [r for p, pool in enumerate(pools) for _, r in sorted(pool[: share[p]], key=lambda x: x[0])]


def encode(record):
    """A JSON line with bytes that are not UTF-8 as they are, which both sides read."""
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"


def run(command, lines, count):
    """The answers of a program, one to each line."""
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, check=False)
    answers = [json.loads(line) for line in io.BytesIO(done.stdout)]
    if done.returncode != 0 or len(answers) != count:
        sys.exit(fail(f"{command[0]}: exit {done.returncode}, {len(answers)} answers to {count} references"))
    return answers


def fail(message):
    print("compare.py: " + message, file=sys.stderr)
    return 2


def same(want, got):
    return all(want[k] == got.get(k) for k in ("url", "fragment")) and want["reason"] == (got.get("reason") or "ok")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urisieve", default="urisieve", help="the program to judge")
    parser.add_argument("--sample", type=int, default=10000, help="references to draw (default 10000)")
    parser.add_argument("--seed", type=int, default=1, help="which sample (default 1)")
    parser.add_argument("--strict", action="store_true", help="judge the strict mode")
    parser.add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()

    sample = draw(args.files, args.sample, args.seed)
    if not sample:
        return fail("no references in " + ", ".join(args.files))
    lines = b"".join(map(encode, sample))
    strict = ["--strict"] if args.strict else []
    judge = [sys.executable, os.path.join(HERE, "rfc3986.py")] + strict
    judged = [args.urisieve, "normalize", "--input-format", "jsonl", "--output-format", "jsonl"] + strict
    wants, gots = run(judge, lines, len(sample)), run(judged, lines, len(sample))

    wrong = skipped = refused = names = 0
    for record, want, got in zip(sample, wants, gots):
        skipped += want["reason"] == "skipped-idn"
        refused += want["url"] is None
        names += want["idn"]
        if want["reason"] != "skipped-idn" and not same(want, got):
            wrong += 1
            shown = {k: got.get(k) for k in ("url", "fragment", "reason")}
            print(f"{encode(record).decode('utf-8', 'replace').strip()}\n  standards: {json.dumps(want)}\n  urisieve:  {json.dumps(shown)}")
    print(
        f"{len(sample)} references of {len(args.files)} files: {len(sample) - wrong - skipped} agree "
        f"({refused} of the sample refused, {names} with international names), {wrong} disagree, {skipped} skipped-idn"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
