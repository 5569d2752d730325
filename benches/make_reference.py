"""Writes the affinities of the reference implementations that the tests of `layout/affinity` compare with:

    target/peers/bin/python benches/make_reference.py

Needs openTSNE and umap-learn, as `cargo xtask bench` installs them. The points are a formula, so that the tests know them.
"""

import json
import warnings
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "crates/lowland/src/layout/affinity/reference"
N, D, PERPLEXITY, NEIGHBORS = 40, 5, 5, 8


def points():
    i, j = np.ogrid[:N, :D]
    x = (D - j) * np.sin((7 * i * (j + 1) + 3 * j).astype(float))
    x[N - 1] = x[N - 2]  # a copy
    return x


def entries(matrix):
    matrix = matrix.tocoo()
    kept = [(int(i), int(j), float(v)) for i, j, v in zip(matrix.row, matrix.col, matrix.data) if v != 0]
    return sorted(kept)


def main():
    from openTSNE.affinity import Multiscale, PerplexityBasedNN
    from umap.umap_ import discrete_metric_simplicial_set_intersection, fuzzy_simplicial_set, reset_local_connectivity

    x = points()
    distances = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
    # Nearest first, ties by number; the point itself first, also before its copy.
    distances_first = distances - 1e-9 * np.eye(N)
    order = np.argsort(distances_first, axis=1, kind="stable")[:, :NEIGHBORS]
    near = np.take_along_axis(distances, order, axis=1)
    tsne = PerplexityBasedNN(x, perplexity=PERPLEXITY, method="exact")
    several = Multiscale(x, perplexities=[3, 9], method="exact")
    found = {
        "perplexity": entries(tsne.P),
        "multiscale": entries(several.P),
    }
    for name, settings in {
        "fuzzy": {},
        "fuzzy_mixed": {"set_op_mix_ratio": 0.25, "local_connectivity": 1.5},
    }.items():
        graph, _, _ = fuzzy_simplicial_set(
            x, NEIGHBORS, np.random.RandomState(0), "euclidean", knn_indices=order, knn_dists=near, **settings
        )
        found[name] = entries(graph)
        if name == "fuzzy":
            labels = np.arange(N) % 3
            labels[::7] = -1
            weight = 0.5
            mixed = discrete_metric_simplicial_set_intersection(graph, labels, far_dist=2.5 / (1 - weight))
            found["supervised"] = entries(mixed)
    FOLDER.mkdir(exist_ok=True)
    for name, values in found.items():
        lines = ",\n".join(json.dumps(value) for value in values)
        (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n")
        print(name, len(values))


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    main()
