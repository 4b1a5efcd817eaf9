"""What a peer must offer to be measured."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import metadata

import numpy as np

Search = Callable[[np.ndarray, int], Sequence[int]]
Recall = Callable[[Search], float]


class Peer:
    """One library and one way of searching with it.

    A subclass imports its library inside its own module, so that a library that is missing fails
    that peer alone.
    """

    name: str
    distribution: str
    """Name of the package on PyPI."""
    exact = True
    note = ""

    def __init__(self, threads: int):
        self.threads = threads

    @property
    def version(self) -> str:
        return metadata.version(self.distribution)

    def build(self, rows: np.ndarray) -> None:
        """Stores `rows`, a C-contiguous float32 matrix whose row index is the key."""
        raise NotImplementedError

    def search(self, query: np.ndarray, k: int) -> Sequence[int]:
        """Returns the row indices of the best `k` rows for one float32 vector."""
        raise NotImplementedError

    def search_many(self, queries: np.ndarray, k: int) -> Sequence[Sequence[int]] | None:
        """Returns a line of `k` row indices for each query, or None if there is no batch call."""
        return None

    def variants(self, recall: Recall) -> Iterator[str]:
        """Yields a suffix for the name each time the peer is set up for one measurement.

        `recall` takes a search function and returns its recall at 10 on the queries for tuning.
        """
        yield ""

    def byte_count(self) -> int | None:
        """Returns the bytes held in memory or on disk, or None if that is costly to know."""
        return None

    def close(self) -> None:
        """Removes what `build` left on disk."""


class ApproximatePeer(Peer):
    """A peer that is measured at the smallest effort that reaches a recall at 10.

    The effort is how many candidates a search keeps when it looks for ten rows.
    """

    exact = False
    targets: tuple[float, ...] = (0.99,)
    settings: str
    """How the index was built."""
    effort_name: str
    """What the library calls the effort."""
    efforts = range(10, 4097)

    def set_effort(self, effort: int) -> None:
        raise NotImplementedError

    def variants(self, recall: Recall) -> Iterator[str]:
        @cache
        def reached(effort: int) -> float:
            self.set_effort(effort)
            return recall(self.search)

        for target in self.targets:
            place = bisect_left(self.efforts, target, key=reached)
            effort = self.efforts[min(place, len(self.efforts) - 1)]
            self.note = (
                f"{self.settings}, {self.effort_name}={effort}; "
                f"recall {reached(effort):.3f} when tuned, on other queries"
            )
            if place == len(self.efforts):
                self.note += ", the target was not reached"
            self.set_effort(effort)
            yield f" recall {target}"
