from collections.abc import Sequence

import numpy as np
from usearch.index import Index, MetricKind

from peer import ApproximatePeer

CONNECTIVITY = 32
EXPANSION_ADD = 200


class UsearchGraph(ApproximatePeer):
    """The graph of usearch over half-precision rows.

    At recall .99 the defaults (connectivity 16, expansion_add 128) need a search about 1.5 times
    as wide, and are no faster.
    """

    name = "usearch-graph"
    distribution = "usearch"
    settings = f"float16, connectivity={CONNECTIVITY}, expansion_add={EXPANSION_ADD}"
    effort_name = "expansion_search"

    def build(self, rows: np.ndarray) -> None:
        self.index = Index(
            ndim=rows.shape[1],
            metric=MetricKind.IP,
            dtype="f16",
            connectivity=CONNECTIVITY,
            expansion_add=EXPANSION_ADD,
        )
        self.index.add(np.arange(len(rows)), rows, threads=self.threads)

    def set_effort(self, effort: int) -> None:
        self.index.expansion_search = effort

    def search(self, query: np.ndarray, k: int) -> Sequence[int]:
        return self.index.search(query, k, threads=self.threads).keys

    def search_many(self, queries: np.ndarray, k: int) -> Sequence[Sequence[int]]:
        return self.index.search(queries, k, threads=self.threads).keys

    def byte_count(self) -> int:
        return self.index.memory_usage
