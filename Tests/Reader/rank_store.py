#!/usr/bin/env python3
"""Ranks the rows of an embedding store for a few queries: `rank_store.py <directory>`.

Prints a line of JSON for each query: its components, and every live row as key, part and the bits of
its score, best first. Follows the definition of a score (the comment of `dot_f16` in
CEmbeddingKernels) in exact arithmetic that is rounded where the definition rounds, and shares no
code with the library.
"""

import json
import math
import pathlib
import struct
import sys
from fractions import Fraction

from read_store import read_store


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def bits_float(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def rounded(value):
    """The Float32 nearest to a fraction, the even one of two that are equally near."""
    near = float_bits(abs(float(value)))
    nearest = min(
        range(max(near - 1, 0), near + 2),
        key=lambda bits: (abs(Fraction(bits_float(bits)) - abs(value)), bits & 1),
    )
    return math.copysign(bits_float(nearest), value)


def halved(lanes, add):
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [add(lanes[index], lanes[index + half]) for index in range(half)]
    return lanes[0]


def score(row, query):
    lanes = [0.0] * 64
    for index, (half, component) in enumerate(zip(row, query)):
        product = Fraction(half) * Fraction(component)
        lanes[index % 64] = rounded(Fraction(lanes[index % 64]) + product)
    return halved(lanes, lambda one, other: rounded(Fraction(one) + Fraction(other))) + 0.0


def normalised(query):
    squares = [0.0] * 32
    for index, component in enumerate(query):
        squares[index % 32] += component * component
    scale = 1 / math.sqrt(halved(squares, lambda one, other: one + other))
    return [bits_float(float_bits(component * scale)) for component in query]


def queries(dimension):
    yield [1.0] + [0.0] * (dimension - 1)
    yield [(-1.0) ** index * (index % 5 + 1) for index in range(dimension)]
    yield [bits_float(float_bits((index * 37 + 11) % 101 / 101 - 0.5)) for index in range(dimension)]


def rank(directory):
    records, _ = read_store(lambda name: pathlib.Path(directory, name).read_bytes())
    manifest = pathlib.Path(directory, "MANIFEST").read_bytes()
    (generation,) = struct.unpack_from("<Q", manifest, 32)
    header = pathlib.Path(directory, f"main-{generation}").read_bytes()[:16384]
    (dimension,) = struct.unpack_from("<I", header, 72)
    for query in queries(dimension):
        prepared = normalised(query) if header[81] == 1 else query
        matches = [(score(records[row]["vector"], prepared), *row) for row in records]
        matches.sort(key=lambda match: (-match[0], match[1], match[2]))
        rows = [[key.decode(), part, float_bits(value)] for value, key, part in matches]
        yield json.dumps({"query": query, "matches": rows})


if __name__ == "__main__":
    for line in rank(sys.argv[1]):
        print(line)
