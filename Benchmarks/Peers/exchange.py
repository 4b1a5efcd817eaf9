"""Writes and reads an array and a list of records by numpy and json, and looks at ours.

    python3 exchange.py --data DIR --json FILE --array NPY --records JSONL [--threads 1]

FILE receives one object: the median seconds of numpy.save of the folder's rows in float32 (save), with
a sync (save_synced), with the list of records and a sync of both (export), of numpy.load of NPY (load),
with json.loads of every line of JSONL (load_records); and how many rows of NPY are not what the folder
says under the key of their line (mismatches).
"""

import argparse
import json
import os
import statistics
from pathlib import Path
from time import perf_counter

import numpy as np

from dataset import Dataset

RUNS = 3


def main():
    parser = argparse.ArgumentParser(description="Write and read an array and its records.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--array", type=Path, required=True)
    parser.add_argument("--records", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    rows = Dataset(options.data).rows()
    array, lines = numpy_load(options.array), read_lines(options.records)
    scratch = options.json.with_suffix(".npy")
    listed = options.json.with_suffix(".jsonl")

    def save():
        np.save(scratch, rows)

    def save_synced():
        with open(scratch, "wb") as file:
            np.save(file, rows)
            sync(file)

    def export():
        save_synced()
        with open(listed, "w", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
            sync(file)

    report = {
        "version": np.__version__,
        "save": median(save),
        "save_synced": median(save_synced),
        "export": median(export),
        "load": median(lambda: numpy_load(options.array)),
        "load_records": median(lambda: (numpy_load(options.array), read_lines(options.records))),
        "mismatches": mismatches(options.data, rows, array, lines),
    }
    options.json.write_text(json.dumps(report, indent=1) + "\n")


def numpy_load(path):
    return np.load(path, allow_pickle=False)


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def sync(file):
    file.flush()
    os.fsync(file.fileno())


def median(body):
    seconds = []
    for _ in range(RUNS):
        start = perf_counter()
        body()
        seconds.append(perf_counter() - start)
    return statistics.median(seconds)


def mismatches(data, rows, array, lines):
    keys = (data / "keys.txt").read_text(encoding="utf-8").splitlines()
    numbers = {key: number for number, key in enumerate(keys)}
    if array.shape != rows.shape or array.dtype != np.float32 or len(lines) != len(rows):
        return len(rows)
    order = [numbers[line["key"]] for line in lines]
    wrong = int(np.count_nonzero((array != rows[order]).any(axis=1)))
    return wrong + len(rows) - len(set(order))


if __name__ == "__main__":
    main()
