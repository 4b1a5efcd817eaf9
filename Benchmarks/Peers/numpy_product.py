from timeit import repeat

import numpy as np

from peer import Peer


class NumpyProduct(Peer):
    name = "numpy-product"
    distribution = "numpy"

    def build(self, rows):
        self.rows = rows.copy()
        self.scores = np.empty(len(rows), np.float32)
        self.batch_scores = np.empty((0, 0), np.float32)

    def variants(self, recall):
        # Which product is faster depends on the BLAS numpy was built with; by a factor of two
        # with OpenBLAS on x86-64.
        products = {"matmul": np.matmul, "vecdot": np.vecdot}
        query = self.rows[0].copy()

        def seconds(name):
            product = products[name]
            return min(
                repeat(lambda: product(self.rows, query, out=self.scores), repeat=5, number=1)
            )

        fastest = min(products, key=seconds)
        self.product = products[fastest]
        self.note = (
            f"float32; {fastest} for one query, matmul for many, argpartition; "
            "no store, put is one copy"
        )
        yield ""

    def search(self, query, k):
        return _best(self.product(self.rows, query, out=self.scores), k)

    def search_many(self, queries, k):
        # Selecting line by line avoids a matrix of indices twice as large as the scores.
        shape = (len(queries), len(self.rows))
        if self.batch_scores.shape != shape:
            self.batch_scores = np.empty(shape, np.float32)
        np.matmul(queries, self.rows.T, out=self.batch_scores)
        return [_best(scores, k) for scores in self.batch_scores]

    def byte_count(self):
        return self.rows.nbytes


def _best(scores, k):
    """Returns the indices of the `k` largest scores, largest first."""
    first = len(scores) - k
    candidates = np.argpartition(scores, first)[first:]
    return candidates[np.argsort(scores[candidates])[::-1]]
