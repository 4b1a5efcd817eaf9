"""Joins all rows of one folder with each other by numpy's matrix product.

    python3 duplicates.py --data DIR --json FILE --score S [--threads 1]

Every pair of rows is scored once, in blocks, in float32. FILE receives one object with version and
seconds. Beside it, in the same order and little-endian, FILE.rows has two row numbers (uint32) for
each pair whose score reaches S - 1e-6 in double precision, and FILE.scores these scores (float64);
that is not timed.
"""

import argparse
import json
import os
from pathlib import Path
from time import perf_counter

from peers import THREAD_VARIABLES, positive

BLOCK = 2048
PRODUCT_ERROR = 1e-4
"""More than a float32 product of rows of length 1 can err."""
TOLERANCE = 1e-6


def main():
    parser = argparse.ArgumentParser(description="Join a folder's rows with each other.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--score", type=float, required=True)
    parser.add_argument("--threads", type=positive, default=1)
    options = parser.parse_args()
    # numpy's BLAS reads these when it is loaded.
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(options.threads)
    import numpy as np

    from dataset import Dataset

    rows = Dataset(options.data).rows()
    start = perf_counter()
    pairs = join(rows, options.score - PRODUCT_ERROR)
    seconds = perf_counter() - start
    pairs, scores = rescored(rows, pairs, options.score - TOLERANCE)
    pairs.astype("<u4").tofile(f"{options.json}.rows")
    scores.astype("<f8").tofile(f"{options.json}.scores")
    line = {"version": np.__version__, "seconds": seconds, "pairs": len(pairs)}
    options.json.write_text(json.dumps(line, indent=1) + "\n")


def join(rows, limit):
    """Returns the pairs of different rows, the lower first, whose product reaches the limit."""
    import numpy as np

    products = np.empty((BLOCK, BLOCK), np.float32)
    found = [np.empty((0, 2), np.int64)]
    for first in range(0, len(rows), BLOCK):
        left = rows[first : first + BLOCK]
        for second in range(first, len(rows), BLOCK):
            right = rows[second : second + BLOCK]
            part = products[: len(left), : len(right)]
            np.matmul(left, right.T, out=part)
            near = np.argwhere(part >= limit) + (first, second)
            found.append(near[near[:, 0] < near[:, 1]])
    return np.concatenate(found)


def rescored(rows, pairs, limit):
    import numpy as np

    scores = np.empty(len(pairs))
    for start in range(0, len(pairs), 65_536):
        part = pairs[start : start + 65_536]
        left, right = rows[part[:, 0]].astype(np.float64), rows[part[:, 1]].astype(np.float64)
        scores[start : start + len(part)] = np.einsum("ij,ij->i", left, right)
    reached = scores >= limit
    return pairs[reached], scores[reached]


if __name__ == "__main__":
    main()
