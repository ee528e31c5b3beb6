"""The reference's LinProbe and TreeProbe over a task-incremental run, for peers.py.

Written from METHOD.md sections 2 to 4, with scikit-learn's logistic regression
and k-means as the paper has them: LinProbe is fitted anew on all exemplars after
each task, TreeProbe wherever a leaf changed. Both answer in one batch, which is
the quickest that NumPy can do, by AIM-Emb, each task among its own labels.
"""
import time

import numpy as np

K = 9
TAU = 100.0


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


class Leaf:
    def __init__(self, ids, centre):
        self.ids, self.centre, self.changed, self.model = ids, centre, True, None


class Constant:
    """The classifier of a leaf with one label."""

    def __init__(self, label):
        self.label = label

    def predict(self, x):
        return np.full(len(x), self.label)


def fitted(make, x, y):
    return make().fit(x, y) if y.min() < y.max() else Constant(y[0])


class LinProbe:
    def __init__(self, make):
        self.make = make

    def teach(self, x, y, _):
        self.model = fitted(self.make, x, y)

    def embed(self, queries, texts):
        """Text embedding of the arg max, of each query."""
        return texts[self.model.predict(queries)]


class TreeProbe:
    """A binary tree of 2-means; a node is a Leaf, or two nodes with their centres."""

    def __init__(self, make, psi):
        self.make, self.psi, self.root = make, psi, None
        self.count = 0

    def teach(self, x, y, new):
        self.x, self.y = x, y
        for i in new:
            self.insert(i)
        for leaf in self.leaves():
            if leaf.changed:
                leaf.model, leaf.changed = fitted(self.make, x[leaf.ids], y[leaf.ids]), False

    def insert(self, i):
        if self.root is None:
            self.root = Leaf([], self.x[i].astype(np.float64))
        holder, side, node = None, 0, self.root
        while isinstance(node, list):
            holder, side = node, int(((node[3] - self.x[i]) ** 2).sum() < ((node[2] - self.x[i]) ** 2).sum())
            node = node[side]
        if len(node.ids) >= self.psi:
            split = self.split(node)
            if split is not None:
                if holder is None:
                    self.root = split
                else:
                    holder[side] = split
                return self.insert(i)
        node.ids.append(i)
        node.changed = True

    def split(self, leaf):
        from sklearn.cluster import KMeans

        ids = np.array(leaf.ids)
        found = KMeans(n_clusters=2, n_init=1, random_state=0).fit(self.x[ids])
        parts = [ids[found.labels_ == side].tolist() for side in (0, 1)]
        if not all(parts):
            return None
        centres = found.cluster_centers_
        return [Leaf(parts[0], centres[0]), Leaf(parts[1], centres[1]), centres[0], centres[1]]

    def leaves(self):
        stack = [self.root]
        while stack:
            node = stack.pop()
            if isinstance(node, list):
                stack += node[:2]
            else:
                yield node

    def embed(self, queries, texts):
        """Σ_j β_j t(arg max of the leaf of neighbour j), of each query."""
        n = max(max(leaf.ids) for leaf in self.leaves()) + 1
        home = np.empty(n, int)
        leaves = list(self.leaves())
        for number, leaf in enumerate(leaves):
            home[leaf.ids] = number
        exemplars = unit(self.x[:n])
        out = np.empty_like(queries)
        for at in range(0, len(queries), 256):
            part = queries[at : at + 256]
            cosines = unit(part) @ exemplars.T
            k = min(K, n)
            near = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
            near_cosines = np.take_along_axis(cosines, near, 1)
            beta = np.exp(TAU * (near_cosines - near_cosines.max(axis=1, keepdims=True)))
            beta /= beta.sum(axis=1, keepdims=True)
            said = np.empty(near.shape, int)
            for number in np.unique(home[near]):
                rows = (home[near] == number).any(axis=1)
                best = leaves[number].model.predict(part[rows])
                said[rows] = np.where(home[near[rows]] == number, best[:, None], said[rows])
            out[at : at + 256] = np.einsum("qk,qkd->qd", beta, texts[said])
        return out


def aim(queries, embedded, texts, known):
    """AIM-Emb's candidate for each query, among texts."""
    v = unit(queries)
    scores = TAU * (v @ texts.T)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p_in = (p / p.sum(axis=1, keepdims=True))[:, known].sum(axis=1, keepdims=True)
    return np.argmax((p_in * unit(embedded) + (1 - p_in) * v) @ texts.T, axis=1)


def accuracy(system, data, taught):
    """Mean top-1 over the target tasks, and over the zero-shot tasks."""
    target, zero = [], []
    embedded = system.embed(data["asked"], data["texts"])
    for task in range(data["tasks"].max() + 1):
        labels = np.flatnonzero(data["task_of_label"] == task)
        rows = data["tasks"] == task
        best = aim(data["asked"][rows], embedded[rows], data["texts"][labels], np.isin(labels, taught))
        (target if task < data["targets"] else zero).append(np.mean(labels[best] == data["asked_labels"][rows]))
    return float(np.mean(target)), float(np.mean(zero)) if zero else 0.0


def run(data, make, psi, emit, started):
    """ψ = 0 is LinProbe. After each stage says what teaching and answering took."""
    system = TreeProbe(make, psi) if psi else LinProbe(make)
    begin = 0
    for stage, end in enumerate(data["ends"], 1):
        emit(what="stage begins", n=stage, seconds=time.perf_counter() - started, used=time.process_time())
        clock, used = time.perf_counter(), time.process_time()
        system.teach(data["taught"][:end], data["taught_labels"][:end], range(begin, end))
        emit(what="taught", n=stage, seconds=time.perf_counter() - clock, used=time.process_time() - used)
        clock, used = time.perf_counter(), time.process_time()
        target, zero = accuracy(system, data, np.unique(data["taught_labels"][:end]))
        emit(what="answered", n=stage, seconds=time.perf_counter() - clock, used=time.process_time() - used,
             asked=len(data["asked"]), target=target, zero_shot=zero)
        begin = end
