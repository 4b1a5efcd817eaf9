"""Times other libraries on the rows, queries and exact answers of one folder.

    python3 peers.py --data DIR --json FILE [--threads 1] [--queries 200] [--only name,...]

FILE receives a list with one object for each peer and variant:

    peer, version, exact                what was measured
    rows, dimension, threads            on what
    build_seconds, put_rows_per_second  from a float32 matrix to ready for search
    byte_count                          held in memory or on disk, where cheap to know
    p50_ms_k10, p99_ms_k10              one query at a time, ten matches; nearest-rank percentiles
    p50_ms_k100, p99_ms_k100            the same for a hundred matches
    batch_queries_per_second            100 queries in one call, ten matches; null without one
    recall_at_10                        share of the true ten found
    agreement_at_10                     share of queries with all ten
    note                                settings, or why there are no figures

A peer that cannot be imported, fails or crashes has null figures and a note that starts with
"failed:". An approximate peer is tuned to a recall on every other query, and its times and its
recall are those of the queries between. Each peer runs in a process of its own, one after the
other.
"""

import argparse
import importlib
import json
import multiprocessing
import os
import sys
from pathlib import Path

PEERS = {
    "faiss-flat": ("faiss_flat", "FaissFlat"),
    "faiss-sq-fp16": ("faiss_sq_fp16", "FaissScalarFloat16"),
    "faiss-panorama": ("faiss_panorama", "FaissPanorama"),
    "usearch-exact": ("usearch_exact", "UsearchExact"),
    "usearch-index-exact": ("usearch_exact", "UsearchIndexExact"),
    "sqlite-vec-scan": ("sqlite_vec_scan", "SQLiteVecScan"),
    "numpy-product": ("numpy_product", "NumpyProduct"),
    "hnswlib-graph": ("hnswlib_graph", "HnswlibGraph"),
    "usearch-graph": ("usearch_graph", "UsearchGraph"),
    "faiss-hnsw": ("faiss_hnsw", "FaissHNSW"),
    "faiss-hnsw-fp16": ("faiss_hnsw", "FaissHNSWFloat16"),
    "faiss-pq-fastscan": ("faiss_pq_fastscan", "FaissPQFastScan"),
}
APPROXIMATE = {
    "hnswlib-graph",
    "usearch-graph",
    "faiss-hnsw",
    "faiss-hnsw-fp16",
    "faiss-pq-fastscan",
}
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
FIGURES = (
    "build_seconds",
    "put_rows_per_second",
    "byte_count",
    "p50_ms_k10",
    "p99_ms_k10",
    "p50_ms_k100",
    "p99_ms_k100",
    "batch_queries_per_second",
    "recall_at_10",
    "agreement_at_10",
)


def main():
    options = parse_arguments()
    # The libraries read these when they are loaded, which only the processes started below do.
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(options.threads)
    description = json.loads((options.data / "set.json").read_text())
    report = []
    for name in options.only:
        print(f"{name}: building", file=sys.stderr, flush=True)
        for line in run(name, options):
            if "failure" in line:
                line = failed_line(name, description, options.threads, line["failure"])
            print(progress(line), file=sys.stderr, flush=True)
            report.append(line)
            options.json.write_text(json.dumps(report, indent=1) + "\n")


def parse_arguments():
    parser = argparse.ArgumentParser(description="Time peers on a folder of rows and queries.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--threads", type=positive, default=1)
    parser.add_argument("--queries", type=positive, default=200)
    parser.add_argument("--only", type=peer_names, default=list(PEERS))
    return parser.parse_args()


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def peer_names(text):
    names = text.split(",")
    for name in names:
        if name not in PEERS:
            raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(PEERS)}")
    return names


def run(name, options):
    """Yields the lines of one peer, the last of them a failure if it did not finish."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(
        target=measure_peer, args=(name, options.data, options.queries, options.threads, sender)
    )
    process.start()
    sender.close()
    finished = False
    try:
        while (line := receiver.recv()) is not None:
            yield line
        finished = True
    except EOFError:
        pass
    process.join()
    if not finished:
        yield {"failure": f"its process ended with code {process.exitcode}"}


def measure_peer(name, data, query_count, threads, sender):
    """Sends the lines of one peer and then None; runs in a process of its own."""
    try:
        from dataset import Dataset
        from measure import measure

        module, type_name = PEERS[name]
        peer = getattr(importlib.import_module(module), type_name)(threads)
        for line in measure(peer, Dataset(data), query_count):
            sender.send(line)
    except Exception as error:
        sender.send({"failure": f"{type(error).__name__}: {error}"})
    sender.send(None)


def failed_line(name, description, threads, reason):
    return {
        "peer": name,
        "version": None,
        "exact": name not in APPROXIMATE,
        "rows": description["rows"],
        "dimension": description["dimension"],
        "threads": threads,
        **dict.fromkeys(FIGURES),
        "note": f"failed: {reason}",
    }


def progress(line):
    if line["p50_ms_k10"] is None:
        return f"{line['peer']}: {line['note']}"
    batch = line["batch_queries_per_second"]
    return (
        f"{line['peer']} {line['version']}: "
        f"build {line['build_seconds']:.2f} s, "
        f"k=10 p50 {line['p50_ms_k10']:.3f} p99 {line['p99_ms_k10']:.3f} ms, "
        f"k=100 p50 {line['p50_ms_k100']:.3f} p99 {line['p99_ms_k100']:.3f} ms, "
        f"batch {'none' if batch is None else f'{batch:.0f} queries/s'}, "
        f"recall@10 {line['recall_at_10']:.4f} ({line['note']})"
    )


if __name__ == "__main__":
    main()
