from collections.abc import Sequence

import faiss
import numpy as np

from peer import Peer

LEVELS = 8
BATCH_ROWS = 512


class FaissPanorama(Peer):
    """A scan that leaves a row as soon as a bound says it can not be among the best.

    The rows are first rotated onto their principal axes, so that the first numbers of a row say
    most about it. Faiss's own "PCA" also subtracts the mean, which would change the order of
    inner products; without that the answers are exact up to rounding.
    """

    name = "faiss-panorama"
    distribution = "faiss-cpu"
    note = (
        f"rotation to principal axes, IndexFlatIPPanorama, {LEVELS} levels, float32; "
        "exact up to rounding"
    )

    def build(self, rows: np.ndarray) -> None:
        faiss.omp_set_num_threads(self.threads)
        dimension = rows.shape[1]
        rotation = faiss.PCAMatrix(dimension, dimension)
        rotation.train(rows)
        rotation.have_bias = False
        scan = faiss.IndexFlatIPPanorama(dimension, LEVELS, BATCH_ROWS)
        self.index = faiss.IndexPreTransform(rotation, scan)
        self.index.add(rows)

    def search(self, query: np.ndarray, k: int) -> Sequence[int]:
        return self.index.search(query.reshape(1, -1), k)[1][0]

    def search_many(self, queries: np.ndarray, k: int) -> Sequence[Sequence[int]]:
        return self.index.search(queries, k)[1]

    def byte_count(self) -> int:
        """Counts the rows and, for each, the length of what is left of it at every level."""
        return self.index.ntotal * 4 * (self.index.d + LEVELS + 1)
