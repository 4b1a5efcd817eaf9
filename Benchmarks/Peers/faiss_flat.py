import faiss

from peer import Peer


class FaissFlat(Peer):
    name = "faiss-flat"
    distribution = "faiss-cpu"
    note = "IndexFlatIP, float32"

    def build(self, rows):
        faiss.omp_set_num_threads(self.threads)
        # Faiss multiplies matrices once queries x dimension passes this number. Its default of
        # 128,000 suits many threads; on one, 100 queries are then scanned one by one and take six
        # times as long (faiss pull request 5109). Drop this when a release includes that change.
        faiss.cvar.distance_compute_blas_threshold = 8 * rows.shape[1]
        self.index = faiss.IndexFlatIP(rows.shape[1])
        self.index.add(rows)

    def search(self, query, k):
        return self.index.search(query.reshape(1, -1), k)[1][0]

    def search_many(self, queries, k):
        return self.index.search(queries, k)[1]

    def byte_count(self):
        return self.index.ntotal * self.index.code_size
