from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import sqlite_vec

from peer import Peer


class SQLiteVecScan(Peer):
    """A vec0 table in a file, the faster of the two routes sqlite-vec documents.

    The rows are normalised, so its default Euclidean distance orders them as the dot product does
    up to rounding, and it is faster than its cosine distance.
    """

    name = "sqlite-vec-scan"
    distribution = "sqlite-vec"

    def build(self, rows):
        self.directory = TemporaryDirectory()
        self.path = Path(self.directory.name) / "rows.db"
        self.connection = apsw.Connection(str(self.path))
        self.connection.enable_load_extension(True)
        self.connection.load_extension(sqlite_vec.loadable_path())
        vector_units = self.connection.execute("SELECT vec_debug()").get.split("flags:")[1].strip()
        self.note = (
            "vec0 in a mapped file, float32, Euclidean distance; always one thread; "
            f"vector instructions in this build: {vector_units or 'none'}"
        )
        # Without the mapping each scan copies every page through a small cache and takes half
        # as long again.
        self.connection.execute(f"PRAGMA mmap_size = {4 * rows.nbytes}").fetchall()
        self.connection.execute(
            f"CREATE VIRTUAL TABLE rows USING vec0(vector float[{rows.shape[1]}])"
        )
        with self.connection:
            self.connection.executemany(
                "INSERT INTO rows(rowid, vector) VALUES (?, ?)", enumerate(rows)
            )

    def search(self, query, k):
        found = self.connection.execute(
            "SELECT rowid FROM rows WHERE vector MATCH ? AND k = ? ORDER BY distance", (query, k)
        )
        return [row_index for (row_index,) in found]

    def byte_count(self):
        return self.path.stat().st_size

    def close(self):
        if hasattr(self, "connection"):
            self.connection.close()
        if hasattr(self, "directory"):
            self.directory.cleanup()
