import hnswlib
import numpy as np

from peer import Peer

CONNECTIVITY = 16
CONSTRUCTION_EF = 200
HIGHEST_EF = 4096


class HnswlibGraph(Peer):
    """An approximate search, measured at the smallest effort that reaches a recall."""

    name = "hnswlib-graph"
    distribution = "hnswlib"
    exact = False

    def build(self, rows):
        self.index = hnswlib.Index(space="ip", dim=rows.shape[1])
        self.index.init_index(
            max_elements=len(rows), M=CONNECTIVITY, ef_construction=CONSTRUCTION_EF
        )
        self.index.set_num_threads(self.threads)
        self.index.add_items(rows, np.arange(len(rows)))

    def variants(self, recall):
        ef = 10
        for target in (0.95, 0.99):
            self.index.set_ef(ef)
            while (reached := recall(self.search)) < target and ef < HIGHEST_EF:
                ef = min(ef + max(ef // 4, 1), HIGHEST_EF)
                self.index.set_ef(ef)
            self.note = (
                f"M={CONNECTIVITY}, ef_construction={CONSTRUCTION_EF}, ef={ef}; "
                f"recall {reached:.3f} when tuned"
            )
            if reached < target:
                self.note += ", the target was not reached"
            yield f" recall {target}"

    def search(self, query, k):
        return self.index.knn_query(query, k)[0][0]

    def search_many(self, queries, k):
        return self.index.knn_query(queries, k)[0]

    def byte_count(self):
        return self.index.index_file_size()
