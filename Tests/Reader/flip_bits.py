#!/usr/bin/env python3
"""Flips bits of a store and sees that the reader notices.

`flip_bits.py <directory> <seed> <n> <name>...` flips one bit, chosen by the seed, in every byte of
the named files (every n-th byte of long runs of zeros), one at a time and in memory. A flip is
noticed when the reader reports damage, or an unfinished append where the journal had none. Prints
how many were tried; exits with status 1 and the places that went unnoticed.
"""

import functools
import os
import random
import re
import sys

import read_store

# Blocks without a flip come again and again.
read_store.checksum = functools.lru_cache(maxsize=256)(read_store.checksum)


def positions(data, every):
    skipped = set()
    for run in re.finditer(rb"\0{1024,}", data):
        skipped.update(at for at in range(run.start(), run.end()) if (at - run.start()) % every)
    return [at for at in range(len(data)) if at not in skipped]


def main(directory, seed, every, *names):
    choose = random.Random(int(seed))
    files = {}
    for name in os.listdir(directory):
        with open(os.path.join(directory, name), "rb") as file:
            files[name] = file.read()
    _, unfinished = read_store.read_store(files.__getitem__)
    read_store.need(unfinished == 0, "the store has an unfinished append before any flip")
    tried, unnoticed = 0, []
    for name in names:
        for at in positions(files[name], int(every)):
            bit = choose.randrange(8)
            flipped = bytearray(files[name])
            flipped[at] ^= 1 << bit
            try:
                _, unfinished = read_store.read_store((files | {name: bytes(flipped)}).__getitem__)
            except ValueError:
                unfinished = 1
            tried += 1
            if not unfinished:
                unnoticed.append(f"{name} byte {at} bit {bit}")
    print(f"{tried} flips, seed {seed}, {len(unnoticed)} unnoticed")
    if unnoticed:
        sys.exit("\n".join(unnoticed))


if __name__ == "__main__":
    main(*sys.argv[1:])
