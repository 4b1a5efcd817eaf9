"""Inserts the rows of a data set by psycopg, many rows a statement, vectors as text: the usual way.

Prints how many seconds it took to read the rows and make their texts, and how many to insert them, with
one commit at the end.
"""

import datetime
import struct
import sys
import time

import psycopg

ROWS_A_STATEMENT = 1_000
COLUMNS = 'key, "timestamp", labels, embedding, change'


def labels(number):
    """As Benchmarks/bench/Postgres/Selectivity.swift has them."""
    number = (number * 0x9E3779B97F4A7C15 & 0xFFFF_FFFF_FFFF_FFFF) >> 40
    passing = [("50 %", number % 2 == 0), ("5 %", number % 20 == 1), ("0.5 %", number % 200 == 3)]
    return [label for label, passes in passing if passes]


def timestamp(month):
    if not month:
        return None
    return datetime.datetime.strptime(month, "%Y-%m").replace(tzinfo=datetime.timezone.utc)


def rows(folder, count, dimension):
    with (
        open(f"{folder}/keys.txt") as keys,
        open(f"{folder}/months.txt") as months,
        open(f"{folder}/rows.f16", "rb") as halves,
    ):
        for number in range(count):
            vector = struct.unpack(f"<{dimension}e", halves.read(2 * dimension))
            text = "[" + ",".join(f"{component:.7g}" for component in vector) + "]"
            key = keys.readline().rstrip("\n")
            yield key, timestamp(months.readline().strip()), labels(number), text, number + 1


def main():
    connection_string, table, folder, count, dimension = sys.argv[1:]
    started = time.perf_counter()
    waiting = list(rows(folder, int(count), int(dimension)))
    making = time.perf_counter() - started
    with psycopg.connect(connection_string) as connection:
        started = time.perf_counter()
        for start in range(0, len(waiting), ROWS_A_STATEMENT):
            batch = waiting[start : start + ROWS_A_STATEMENT]
            places = ",".join(["(%s,%s,%s,%s,%s)"] * len(batch))
            connection.execute(
                f"INSERT INTO {table} ({COLUMNS}) VALUES {places}",
                [value for row in batch for value in row],
            )
        connection.commit()
        print(making, time.perf_counter() - started)


main()
