from collections.abc import Sequence

import faiss
import numpy as np

from peer import ApproximatePeer

DIMENSIONS_PER_CODE = 4


class FaissPQFastScan(ApproximatePeer):
    """A scan of 4-bit product codes, whose best candidates are scored again from float16 rows.

    Tried at recall .99 with 384 dimensions. On 16,384 rows: 48, 64, 96, 128 and 192 codes a row,
    96 codes after a learned rotation (OPQ), 96 and 192 codes in 64 and 128 inverted lists, and
    float32 rows for the second scoring; 96 codes without lists were fastest. On 131,072 rows: 96,
    128 and 192 codes, and 96 and 192 in 256 and 1,024 lists; the same codes without lists were as
    fast as in 256 lists, nearly half of which a search must visit to reach this recall.
    """

    name = "faiss-pq-fastscan"
    distribution = "faiss-cpu"
    effort_name = "10 k_factor"

    def build(self, rows: np.ndarray) -> None:
        faiss.omp_set_num_threads(self.threads)
        dimension = rows.shape[1]
        factory = f"PQ{dimension // DIMENSIONS_PER_CODE}x4fs,Refine(SQfp16)"
        self.settings = f"{factory}, inner product"
        self.index = faiss.index_factory(dimension, factory, faiss.METRIC_INNER_PRODUCT)
        self.index.train(rows)
        self.index.add(rows)

    def set_effort(self, effort: int) -> None:
        self.index.k_factor = effort / 10

    def search(self, query: np.ndarray, k: int) -> Sequence[int]:
        return self.index.search(query.reshape(1, -1), k)[1][0]

    def search_many(self, queries: np.ndarray, k: int) -> Sequence[Sequence[int]]:
        return self.index.search(queries, k)[1]

    def byte_count(self) -> int:
        parts = (self.index.base_index, self.index.refine_index)
        return sum(part.ntotal * part.sa_code_size() for part in parts)
