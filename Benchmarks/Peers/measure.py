"""Builds one peer and times its searches."""

import gc
import statistics
from time import perf_counter

import numpy as np

WARM_UP_SEARCHES = 5
BATCH_QUERIES = 100
BATCH_RUNS = 3


def measure(peer, dataset, query_count):
    """Yields one finished line of the report for each variant of `peer`.

    An approximate peer is tuned on every other query and timed on those between. Halves of the
    list would not do: in some sets the queries are sorted, and one half is harder than the other.
    """
    rows = dataset.rows()
    every = range(len(dataset.queries))
    tuning = every[::2]
    timed = (every if peer.exact else every[1::2])[:query_count]
    try:
        start = perf_counter()
        peer.build(rows)
        build_seconds = perf_counter() - start
        del rows

        def sample_recall(search):
            answers = [search(dataset.queries[index], 10) for index in tuning]
            return _agreement(dataset, tuning, answers)[0]

        for suffix in peer.variants(sample_recall):
            yield {
                "peer": peer.name + suffix,
                "version": peer.version,
                "exact": peer.exact,
                "rows": dataset.row_count,
                "dimension": dataset.dimension,
                "threads": peer.threads,
                "build_seconds": build_seconds,
                "put_rows_per_second": dataset.row_count / build_seconds,
                "byte_count": peer.byte_count(),
                **_time_single_queries(peer, dataset, timed),
                "batch_queries_per_second": _time_batch(peer, dataset),
                "note": peer.note,
            }
    finally:
        peer.close()


def _time_single_queries(peer, dataset, timed):
    queries = [dataset.queries[index] for index in timed]
    figures = {}
    for k in (10, 100):
        for query in queries[:WARM_UP_SEARCHES]:
            peer.search(query, k)
        answers, milliseconds = [], []
        gc.disable()
        for query in queries:
            start = perf_counter()
            answer = peer.search(query, k)
            milliseconds.append((perf_counter() - start) * 1e3)
            answers.append(answer)
        gc.enable()
        figures[f"p50_ms_k{k}"] = _percentile(milliseconds, 50)
        figures[f"p99_ms_k{k}"] = _percentile(milliseconds, 99)
        if k == 10:
            figures["recall_at_10"], figures["agreement_at_10"] = _agreement(
                dataset, timed, answers
            )
    return figures


def _time_batch(peer, dataset):
    """Returns queries per second: the median of several calls, or None without a batch call.

    Only time is measured, so every peer gets the same queries.
    """
    queries = dataset.queries[:BATCH_QUERIES]
    if peer.search_many(queries, 10) is None:
        return None
    seconds = []
    for _ in range(BATCH_RUNS):
        start = perf_counter()
        peer.search_many(queries, 10)
        seconds.append(perf_counter() - start)
    return len(queries) / statistics.median(seconds)


def _agreement(dataset, query_indices, answers):
    """Returns recall at 10 and the share of queries whose ten rows are all right."""
    right = [
        dataset.count_right(index, answer, 10)
        for index, answer in zip(query_indices, answers, strict=True)
    ]
    return sum(right) / (10 * len(right)), sum(count == 10 for count in right) / len(right)


def _percentile(values, percent):
    """Returns a measured value, the nearest rank, never one between two."""
    return float(np.percentile(values, percent, method="inverted_cdf"))
