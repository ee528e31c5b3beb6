#!/usr/bin/env python3
"""What `make bench` compares Fieldmark with: scikit-learn, hnswlib, FAISS.

    peers.py versions
    peers.py probe DIR             scikit-learn's logistic regression: warm, cold, its optimum
    peers.py refits DIR N…         the same, cold, on the first N exemplars
    peers.py paper DIR PSI         the paper's task-incremental run (paper.py); PSI 0 is LinProbe
    peers.py hnswlib DIR WIDTH…    hnswlib's index: built once, searched at each width
    peers.py faiss DIR WIDTH…      FAISS's own HNSW, likewise
    peers.py faiss-scan DIR        FAISS's exact scan

DIR is written by cmd/bench (arrays.go): meta.json and arrays of float32 or
int32, little-endian, without headers. Results go to standard output, one JSON
object a line; a peer that is not installed says {"missing": …}. Debian's
packages, run by the system's python3.
"""
import importlib
import json
import os
import sys
import time
import warnings

STARTED = time.perf_counter()


def emit(**row):
    print(json.dumps(row), flush=True)


class Data:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "meta.json")) as f:
            self.meta = json.load(f)

    def floats(self, name, mapped=False):
        import numpy as np

        path = os.path.join(self.folder, name)
        flat = np.memmap(path, "<f4", "r") if mapped else np.fromfile(path, "<f4")
        return flat.reshape(-1, self.meta["dim"])

    def ints(self, name):
        import numpy as np

        return np.fromfile(os.path.join(self.folder, name), "<i4")


def versions():
    from importlib.metadata import PackageNotFoundError, version

    for peer, module in (("scikit-learn", "sklearn"), ("faiss", "faiss"), ("hnswlib", "hnswlib")):
        try:
            found = importlib.import_module(module)
        except ImportError as e:
            emit(peer=peer, missing=str(e))
            continue
        number = getattr(found, "__version__", None)
        try:
            number = number or version(peer)
        except PackageNotFoundError:
            number = "of unknown version"
        emit(peer=peer, version=number)


def objective(model, x, y, c):
    """f of internal/probe: ½‖W‖² + C · Σ −log softmax, in double precision."""
    import numpy as np

    w, b = model.coef_.astype(np.float64), model.intercept_.astype(np.float64)
    loss = 0.0
    for i in range(0, len(y), 4096):
        scores = x[i : i + 4096].astype(np.float64) @ w.T + b
        scores -= scores.max(axis=1, keepdims=True)
        right = scores[np.arange(len(scores)), np.searchsorted(model.classes_, y[i : i + 4096])]
        loss += (np.log(np.exp(scores).sum(axis=1)) - right).sum()
    return float(0.5 * (w**2).sum() + c * loss)


def logistic(c, **more):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=c, solver="lbfgs", multi_class="multinomial", max_iter=5000, **more)


def probe(data):
    """A refit with one exemplar more from the optimum that Fieldmark found; cold;
    and the optimum itself, which the cold fit's tolerance stops short of: from
    where that ended, in double precision. What takes long comes last."""
    import numpy as np

    c = data.meta["c"]
    x, y, held = data.floats("leaf.f32"), data.ints("leaf_labels.i32"), data.floats("held.f32")
    n = len(y) - 1

    def begun(kind, coef, intercept, **more):
        model = logistic(c, warm_start=True, **more)
        model.coef_, model.intercept_, model.classes_ = coef.astype(kind), intercept.astype(kind), np.unique(y)
        return model

    def fitted(what, model, x, y):
        emit(peer="scikit-learn", what=what + " begins", seconds=time.perf_counter() - STARTED, used=time.process_time())
        start, used = time.perf_counter(), time.process_time()
        model.fit(x, y)
        seconds, used = time.perf_counter() - start, time.process_time() - used
        emit(peer="scikit-learn", what=what, seconds=seconds, used=used, iterations=int(np.max(model.n_iter_)),
             objective=objective(model, x, y, c), top1=model.predict(held).tolist())
        return model

    intercept = np.fromfile(os.path.join(data.folder, "intercept.f32"), "<f4")
    fitted("warm", begun(np.float32, data.floats("optimum.f32"), intercept), x, y)
    cold = fitted("cold", logistic(c), x[:n], y[:n])
    fitted("optimum", begun(np.float64, cold.coef_, cold.intercept_, tol=1e-6), x[:n].astype(np.float64), y[:n])


def refits(data, sizes):
    x, y = data.floats("leaf.f32"), data.ints("leaf_labels.i32")
    for n in sizes:
        model = logistic(data.meta["c"])
        start = time.perf_counter()
        model.fit(x[:n], y[:n])
        emit(peer="scikit-learn", what="refit", n=n, seconds=time.perf_counter() - start)


def paper_run(data, psi):
    import paper

    def said(**row):
        emit(peer="scikit-learn", **row)

    arrays = {name: data.floats(name + ".f32") for name in ("taught", "asked", "texts")}
    arrays |= {name: data.ints(name + ".i32") for name in ("taught_labels", "asked_labels", "tasks", "task_of_label", "ends")}
    paper.run(arrays | {"targets": len(arrays["ends"])}, lambda: logistic(data.meta["c"]), psi, said, STARTED)


def searched(peer, what, search, queries, truth, **more):
    """Times one query at a time, as a person asks them: latencies by the clock,
    the rate by the process's own time."""
    import numpy as np

    times, hits = [], 0
    search(queries[:1], truth.shape[1])
    used = time.process_time()
    for q, want in zip(queries, truth):
        start = time.perf_counter()
        found = search(q[None], len(want))
        times.append(time.perf_counter() - start)
        hits += len(set(found.tolist()).intersection(want.tolist()))
    used = time.process_time() - used
    emit(peer=peer, what=what, recall=hits / truth.size, per_second=len(times) / used,
         p50_ms=float(np.median(times) * 1e3), p99_ms=float(np.quantile(times, 0.99) * 1e3), **more)


def built(peer, n, build):
    used, start = time.process_time(), time.perf_counter()
    build()
    emit(peer=peer, what="build", seconds=time.perf_counter() - start, per_second=n / (time.process_time() - used))


def retrieval(data):
    queries = data.floats("queries.f32")
    return data.floats("rows.f32", mapped=True), queries, data.ints("truth.i32").reshape(len(queries), -1)


def portions(rows, size=10_000):
    for i in range(0, len(rows), size):
        yield i, rows[i : i + size]


def hnswlib_peer(data, widths):
    import hnswlib

    rows, queries, truth = retrieval(data)
    index = hnswlib.Index(space="ip", dim=rows.shape[1])
    index.init_index(max_elements=len(rows), M=data.meta["m"], ef_construction=data.meta["ef_construction"], random_seed=1)
    index.set_num_threads(1)
    built("hnswlib", len(rows), lambda: [index.add_items(part, num_threads=1) for _, part in portions(rows)])
    for ef in widths:
        index.set_ef(ef)
        searched("hnswlib", "search", lambda q, k: index.knn_query(q, k=k, num_threads=1)[0][0], queries, truth, ef=ef)


def faiss_scan(data):
    import faiss

    faiss.omp_set_num_threads(1)
    rows, queries, truth = retrieval(data)
    flat = faiss.IndexFlatIP(rows.shape[1])
    for _, part in portions(rows):
        flat.add(part)
    few = slice(0, min(50, len(queries)))
    searched("faiss", "search", lambda q, k: flat.search(q, k)[1][0], queries[few], truth[few])


def faiss_graph(data, widths):
    import faiss

    faiss.omp_set_num_threads(1)
    rows, queries, truth = retrieval(data)
    index = faiss.IndexHNSWFlat(rows.shape[1], data.meta["m"], faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = data.meta["ef_construction"]
    built("faiss", len(rows), lambda: [index.add(part) for _, part in portions(rows)])
    for ef in widths:
        index.hnsw.efSearch = ef
        searched("faiss", "search", lambda q, k: index.search(q, k)[1][0], queries, truth, ef=ef)


def main(args):
    if args == ["versions"]:
        return versions()
    if len(args) < 2:
        sys.exit(__doc__)
    warnings.filterwarnings("ignore")
    what, data, numbers = args[0], Data(args[1]), [int(a) for a in args[2:]]
    jobs = {"probe": lambda: probe(data), "refits": lambda: refits(data, numbers),
            "paper": lambda: paper_run(data, numbers[0]),
            "hnswlib": lambda: hnswlib_peer(data, numbers), "faiss": lambda: faiss_graph(data, numbers),
            "faiss-scan": lambda: faiss_scan(data)}
    if what not in jobs:
        sys.exit(__doc__)
    try:
        jobs[what]()
    except ImportError as e:
        emit(peer=what, missing=str(e))


if __name__ == "__main__":
    main(sys.argv[1:])
