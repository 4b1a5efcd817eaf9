import numpy as np
from usearch.index import Index, MetricKind, search

from peer import Peer


class UsearchExact(Peer):
    """The function `usearch.index.search`, which scans a matrix of the caller's."""

    name = "usearch-exact"
    distribution = "usearch"
    note = "usearch.index.search(exact=True), float16; no store, put is one copy to float16"

    def build(self, rows):
        self.rows = rows.astype(np.float16)

    def search(self, query, k):
        return self._search(query, k)

    def search_many(self, queries, k):
        return self._search(queries, k)

    def byte_count(self):
        return self.rows.nbytes

    def _search(self, queries, k):
        matches = search(
            self.rows, queries, k, MetricKind.IP, exact=True, threads=self.threads
        )
        return matches.keys


class UsearchIndexExact(Peer):
    """The method `Index.search(exact=True)`, which scans the rows of an index.

    Only the scan is measured, so the graph is kept as thin as the library allows and put is fast.
    """

    name = "usearch-index-exact"
    distribution = "usearch"
    note = "Index.search(exact=True), float16; graph kept minimal (connectivity 2)"

    def build(self, rows):
        self.index = Index(
            ndim=rows.shape[1], metric=MetricKind.IP, dtype="f16", connectivity=2, expansion_add=1
        )
        self.index.add(np.arange(len(rows)), rows, threads=self.threads)

    def search(self, query, k):
        return self.index.search(query, k, exact=True, threads=self.threads).keys

    def search_many(self, queries, k):
        return self.index.search(queries, k, exact=True, threads=self.threads).keys

    def byte_count(self):
        return self.index.memory_usage
