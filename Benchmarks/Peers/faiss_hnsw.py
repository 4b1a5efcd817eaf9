from collections.abc import Sequence

import faiss
import numpy as np

from peer import ApproximatePeer

CONNECTIVITY = 32
CONSTRUCTION_EF = 200


class FaissHNSW(ApproximatePeer):
    """IndexHNSWFlat, the graph that faiss recommends where memory is no concern.

    M is the library's default; 16 needs a larger efSearch for the same recall and is no faster.
    """

    name = "faiss-hnsw"
    distribution = "faiss-cpu"
    settings = f"IndexHNSWFlat, float32, M={CONNECTIVITY}, efConstruction={CONSTRUCTION_EF}"
    effort_name = "efSearch"

    def build(self, rows: np.ndarray) -> None:
        faiss.omp_set_num_threads(self.threads)
        self.index = self.make_index(rows.shape[1])
        self.index.hnsw.efConstruction = CONSTRUCTION_EF
        self.index.train(rows)
        self.index.add(rows)

    def make_index(self, dimension: int) -> faiss.IndexHNSW:
        return faiss.IndexHNSWFlat(dimension, CONNECTIVITY, faiss.METRIC_INNER_PRODUCT)

    def set_effort(self, effort: int) -> None:
        self.index.hnsw.efSearch = effort

    def search(self, query: np.ndarray, k: int) -> Sequence[int]:
        return self.index.search(query.reshape(1, -1), k)[1][0]

    def search_many(self, queries: np.ndarray, k: int) -> Sequence[Sequence[int]]:
        return self.index.search(queries, k)[1]

    def byte_count(self) -> int:
        links = 4 * self.index.hnsw.neighbors.size()
        return self.index.ntotal * self.index.storage.sa_code_size() + links


class FaissHNSWFloat16(FaissHNSW):
    """IndexHNSWSQ: the same graph, but it reads half as much for each row."""

    name = "faiss-hnsw-fp16"
    settings = f"IndexHNSWSQ, float16, M={CONNECTIVITY}, efConstruction={CONSTRUCTION_EF}"

    def make_index(self, dimension: int) -> faiss.IndexHNSW:
        return faiss.IndexHNSWSQ(
            dimension, faiss.ScalarQuantizer.QT_fp16, CONNECTIVITY, faiss.METRIC_INNER_PRODUCT
        )
