"""Times k-means of other libraries on the rows of one folder.

    python3 clusters.py --data DIR --json FILE --clusters K --iterations N [--threads 1] --only NAME

FILE receives one object:

    peer, version, note
    seconds     median over the seeds, from a float32 matrix to centroids
    objective   of the best seed: sum over all rows of what the score with the best centroid, scaled
                to length 1, falls short of the row's length
"""

import argparse
import importlib.metadata
import json
import os
import statistics
from pathlib import Path
from time import perf_counter

from peers import THREAD_VARIABLES, positive


def main():
    parser = argparse.ArgumentParser(description="Time k-means on a folder of rows.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--clusters", type=positive, required=True)
    parser.add_argument("--iterations", type=positive, required=True)
    parser.add_argument("--threads", type=positive, default=1)
    parser.add_argument("--only", choices=list(PEERS), required=True)
    options = parser.parse_args()
    # The libraries read these when they are loaded.
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(options.threads)
    from dataset import Dataset

    train, distribution, seeds, note = PEERS[options.only]
    rows = Dataset(options.data).rows()
    seconds, objectives = [], []
    for seed in range(seeds):
        start = perf_counter()
        centroids = train(rows, options, seed)
        seconds.append(perf_counter() - start)
        objectives.append(objective(rows, centroids))
    line = {
        "peer": options.only,
        "version": importlib.metadata.version(distribution),
        "seconds": statistics.median(seconds),
        "objective": min(objectives),
        "note": note,
    }
    options.json.write_text(json.dumps(line, indent=1) + "\n")


def train_faiss(rows, options, seed):
    import faiss

    faiss.omp_set_num_threads(options.threads)
    kmeans = faiss.Kmeans(
        rows.shape[1],
        options.clusters,
        niter=options.iterations,
        spherical=True,
        seed=seed + 1,
        # By default it would look at a sample of the rows only, and warn about few rows.
        max_points_per_centroid=len(rows),
        min_points_per_centroid=1,
    )
    kmeans.train(rows)
    return kmeans.centroids


def train_sklearn(rows, options, seed):
    from sklearn.cluster import KMeans

    kmeans = KMeans(
        options.clusters,
        init="k-means++",
        n_init=1,
        max_iter=options.iterations,
        tol=0,
        random_state=seed,
        copy_x=False,
    )
    return kmeans.fit(rows).cluster_centers_


def objective(rows, centroids):
    import numpy as np

    lengths = np.linalg.norm(centroids, axis=1, keepdims=True)
    centroids = (centroids / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    total = 0.0
    for start in range(0, len(rows), 8192):
        block = rows[start : start + 8192]
        best = (block @ centroids.T).max(axis=1).astype(np.float64)
        total += (np.linalg.norm(block.astype(np.float64), axis=1) - best).sum()
    return float(total)


PEERS = {
    "faiss-kmeans": (train_faiss, "faiss-cpu", 5, "spherical, all rows, best of 5 seeds"),
    "sklearn-kmeans": (
        train_sklearn,
        "scikit-learn",
        1,
        "Lloyd on the normalised rows, k-means++, one seed, centroids normalised at the end",
    ),
}

if __name__ == "__main__":
    main()
