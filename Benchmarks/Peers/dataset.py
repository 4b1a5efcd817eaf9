"""A folder of rows, queries and exact answers; `Benchmarks/Data/README.md` gives the format."""

import json
from pathlib import Path

import numpy as np

SCORE_TOLERANCE = 1e-6
"""Rows whose double-precision scores differ by less may swap places in single precision."""


class Dataset:
    def __init__(self, directory):
        directory = Path(directory)
        description = json.loads((directory / "set.json").read_text())
        self.row_count = description["rows"]
        self.dimension = description["dimension"]
        self.half_rows = self._read(directory / "rows.f16", "<f2", self.row_count, self.dimension)
        self.queries = self._read(
            directory / "queries.f32", "<f4", description["queries"], self.dimension
        )
        self.truth = self._read(
            directory / "truth-rows.u32", "<u4", description["queries"], description["truth"]
        )

    def rows(self):
        """Returns a new C-contiguous float32 copy of the rows."""
        return self.half_rows.astype(np.float32)

    def count_right(self, query_index, found, k):
        """Returns how many distinct rows among `found` belong to the best `k` of a query.

        A row belongs there if its double-precision score reaches the score of the k-th exact
        answer within the tolerance, so which of several equal rows is returned does not matter.
        """
        found = np.unique(np.asarray(found, dtype=np.int64)[:k])
        found = found[(found >= 0) & (found < self.row_count)]
        last = self._scores(query_index, self.truth[query_index, k - 1 : k])[0]
        return int(np.count_nonzero(self._scores(query_index, found) >= last - SCORE_TOLERANCE))

    def _scores(self, query_index, row_indices):
        query = self.queries[query_index].astype(np.float64)
        return self.half_rows[row_indices].astype(np.float64) @ query

    @staticmethod
    def _read(path, element_format, line_count, line_length):
        values = np.fromfile(path, dtype=element_format)
        if values.size != line_count * line_length:
            raise ValueError(
                f"{path.name} holds {values.size} numbers where set.json promises "
                f"{line_count} x {line_length}"
            )
        return values.reshape(line_count, line_length)
