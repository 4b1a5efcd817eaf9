"""Builds one peer and times its searches."""

import gc
import statistics
from time import perf_counter

import numpy as np

WARM_UP_SEARCHES = 5
BATCH_QUERIES = 100
BATCH_RUNS = 3
TUNING_QUERIES = 200


def measure(peer, dataset, query_count):
    """Yields one finished line of the report for each variant of `peer`."""
    rows = dataset.rows()
    try:
        start = perf_counter()
        peer.build(rows)
        build_seconds = perf_counter() - start
        del rows

        def sample_recall(search):
            sample = dataset.queries[: max(TUNING_QUERIES, query_count)]
            answers = [search(query, 10) for query in sample]
            return _agreement(dataset, answers)[0]

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
                **_time_single_queries(peer, dataset, query_count),
                "batch_queries_per_second": _time_batch(peer, dataset),
                "note": peer.note,
            }
    finally:
        peer.close()


def _time_single_queries(peer, dataset, query_count):
    queries = list(dataset.queries[:query_count])
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
            figures["recall_at_10"], figures["agreement_at_10"] = _agreement(dataset, answers)
    return figures


def _time_batch(peer, dataset):
    """Returns queries per second: the median of several calls, or None without a batch call."""
    queries = dataset.queries[:BATCH_QUERIES]
    if peer.search_many(queries, 10) is None:
        return None
    seconds = []
    for _ in range(BATCH_RUNS):
        start = perf_counter()
        peer.search_many(queries, 10)
        seconds.append(perf_counter() - start)
    return len(queries) / statistics.median(seconds)


def _agreement(dataset, answers):
    """Returns recall at 10 and the share of queries whose ten rows are all right."""
    right = [dataset.count_right(index, answer, 10) for index, answer in enumerate(answers)]
    return sum(right) / (10 * len(right)), sum(count == 10 for count in right) / len(right)


def _percentile(values, percent):
    """Returns a measured value, the nearest rank, never one between two."""
    return float(np.percentile(values, percent, method="inverted_cdf"))
