from collections.abc import Sequence

import hnswlib
import numpy as np

from peer import ApproximatePeer

CONNECTIVITY = 16
CONSTRUCTION_EF = 200


class HnswlibGraph(ApproximatePeer):
    name = "hnswlib-graph"
    distribution = "hnswlib"
    targets = (0.95, 0.99)
    settings = f"M={CONNECTIVITY}, ef_construction={CONSTRUCTION_EF}"
    effort_name = "ef"

    def build(self, rows: np.ndarray) -> None:
        self.index = hnswlib.Index(space="ip", dim=rows.shape[1])
        self.index.init_index(
            max_elements=len(rows), M=CONNECTIVITY, ef_construction=CONSTRUCTION_EF
        )
        self.index.set_num_threads(self.threads)
        self.index.add_items(rows, np.arange(len(rows)))

    def set_effort(self, effort: int) -> None:
        self.index.set_ef(effort)

    def search(self, query: np.ndarray, k: int) -> Sequence[int]:
        return self.index.knn_query(query, k)[0][0]

    def search_many(self, queries: np.ndarray, k: int) -> Sequence[Sequence[int]]:
        return self.index.knn_query(queries, k)[0]

    def byte_count(self) -> int:
        return self.index.index_file_size()
