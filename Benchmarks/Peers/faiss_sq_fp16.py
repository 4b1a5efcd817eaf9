import faiss

from peer import Peer


class FaissScalarFloat16(Peer):
    name = "faiss-sq-fp16"
    distribution = "faiss-cpu"
    note = "IndexScalarQuantizer QT_fp16, inner product; exact up to rounding"

    def build(self, rows):
        faiss.omp_set_num_threads(self.threads)
        # QT_fp16 needs no training.
        self.index = faiss.IndexScalarQuantizer(
            rows.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        self.index.add(rows)

    def search(self, query, k):
        return self.index.search(query.reshape(1, -1), k)[1][0]

    def search_many(self, queries, k):
        return self.index.search(queries, k)[1]

    def byte_count(self):
        return self.index.ntotal * self.index.code_size
