"""What a peer must offer to be measured."""

from importlib import metadata


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

    def __init__(self, threads):
        self.threads = threads

    @property
    def version(self):
        return metadata.version(self.distribution)

    def build(self, rows):
        """Stores `rows`, a C-contiguous float32 matrix whose row index is the key."""
        raise NotImplementedError

    def search(self, query, k):
        """Returns the row indices of the best `k` rows for one float32 vector."""
        raise NotImplementedError

    def search_many(self, queries, k):
        """Returns a line of `k` row indices for each query, or None if there is no batch call."""
        return None

    def variants(self, recall):
        """Yields a suffix for the name each time the peer is set up for one measurement.

        `recall` takes a search function and returns its recall at 10 on a sample of the queries.
        """
        yield ""

    def byte_count(self):
        """Returns the bytes held in memory or on disk, or None if that is costly to know."""
        return None

    def close(self):
        """Removes what `build` left on disk."""
