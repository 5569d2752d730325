"""The quality of layouts beside that of the reference implementations, on six data sets:

    cargo build --release -p lowland-cli
    target/peers/bin/python benches/layouts.py [t-sne] [umap] [pacmap] [reference] [lowland] [--seeds 3]

t-SNE: the divergence over all pairs after equal iterations, against openTSNE. UMAP and PaCMAP: trustworthiness,
continuity and the error of the nearest neighbor's label, mean and standard error over seeds, against umap-learn and pacmap.
LOWLAND_DATA names the folder with the real data; what is not there is left out. LOWLAND_PROGRAM is the program, if it is
another than target/release/lowland.
"""

import gzip
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from data_folder import DATA

sys.path.insert(0, str(Path(__file__).parent / "peers"))
PROGRAM = os.environ.get("LOWLAND_PROGRAM", Path(__file__).resolve().parents[1] / "target/release/lowland")
K = 12


def mnist(n):
    def unpacked(name, header):
        return np.frombuffer(gzip.open(DATA / name).read(), np.uint8)[header:]

    x = unpacked("train-images-idx3-ubyte.gz", 16).reshape(-1, 784)[:n].astype(float) / 255
    return x, unpacked("train-labels-idx1-ubyte.gz", 8)[:n]


def usps(n):
    x, y = np.load(DATA / "usps.npy").astype(float), np.load(DATA / "usps.labels.npy")
    chosen = np.random.default_rng(0).permutation(len(x))[:n]
    return x[chosen].reshape(len(chosen), -1), y[chosen]


def coil20(_):
    x, y = np.load(DATA / "coil20.npy").astype(float), np.load(DATA / "coil20.labels.npy")
    return x.reshape(len(x), -1), y


def data_sets():
    from sklearn.datasets import load_digits, make_blobs, make_swiss_roll

    yield "digits", load_digits(return_X_y=True)
    for name, make, n in [("mnist 3000", mnist, 3000), ("usps 3100", usps, 3100), ("coil20", coil20, 1440)]:
        try:
            yield name, make(n)
        except FileNotFoundError as missing:
            print(f"{name}: left out, there is no {missing.filename}")
    x, t = make_swiss_roll(2000, random_state=0)
    yield "swiss roll 2000", (x, np.floor(t).astype(int))
    yield "blobs 2000", make_blobs(2000, n_features=20, centers=10, cluster_std=2.0, random_state=0)


def fitted(x, method, seed, **settings):
    """The layout by the program."""
    with tempfile.TemporaryDirectory() as folder:
        rows, layout = Path(folder, "rows.npy"), Path(folder, "layout.npy")
        np.save(rows, x)
        command = [PROGRAM, "embed", rows, "-m", method, "-d", "2", "--seed", str(seed), "-o", layout, "-q"]
        for name, value in settings.items():
            command += ["--set", f"{name}={value}"]
        subprocess.run(command, check=True)
        return np.load(layout)


def tsne(x, sides):
    from embeddings import kullback_leibler

    found = {}
    if "reference" in sides:
        import openTSNE

        peer = openTSNE.TSNE(
            perplexity=30, n_iter=750, random_state=0, n_jobs=2, neighbors="exact", negative_gradient_method="bh"
        )
        found["openTSNE"] = kullback_leibler(x, np.asarray(peer.fit(x)))
    if "lowland" in sides:
        found["lowland"] = kullback_leibler(x, fitted(x, "t-sne", 0, perplexity=30, max_iter=1000))
    print("    t-sne:", ", ".join(f"{name} {value:.4f}" for name, value in found.items()), flush=True)


def figures(x, y, embedding):
    from sklearn.manifold import trustworthiness
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=1).fit(embedding).kneighbors()[1][:, 0]
    return [
        trustworthiness(x, embedding, n_neighbors=K),
        trustworthiness(embedding, x, n_neighbors=K),  # the same with the spaces exchanged: continuity
        np.mean(y != y[near]),
    ]


def sampled(name, x, y, seeds, sides):
    def reference(seed):
        if name == "umap":
            import umap

            return umap.UMAP(random_state=seed).fit_transform(x)
        import pacmap

        # Its pairs of point i are drawn with the seed `random_state + i`: neighboring seeds would share nearly all of them.
        return pacmap.PaCMAP(random_state=seed * 1_000_003).fit_transform(x)

    fits = {"reference": reference, "lowland": lambda seed: fitted(x, name, seed)}
    found = {side: np.array([figures(x, y, fits[side](seed)) for seed in range(seeds)]) for side in sides}
    for side, values in found.items():
        say(f"{name}, {side}", values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(seeds), "")
    return found


def say(label, means, errors, sign):
    cells = [f"{what} {m:{sign}.4f} ± {e:.4f}" for what, m, e in zip(("T", "C", "1-NN"), means, errors)]
    print(f"    {label}: {', '.join(cells)}", flush=True)


def pooled(method, found):
    """What sets ours apart from the reference: of each data set, and in the mean over all of them."""
    sets = [(name, sides["lowland"], sides["reference"]) for name, sides in found]
    apart = np.array([ours.mean(axis=0) - theirs.mean(axis=0) for _, ours, theirs in sets])
    squares = [ours.var(axis=0, ddof=1) / len(ours) + theirs.var(axis=0, ddof=1) / len(theirs) for _, ours, theirs in sets]
    print(f"{method}: lowland - reference")
    for (name, _, _), difference, square in zip(sets, apart, squares):
        say(name, difference, np.sqrt(square), "+")
    say("mean over the data sets", apart.mean(axis=0), np.sqrt(np.sum(squares, axis=0)) / len(sets), "+")


def main():
    warnings.simplefilter("ignore")
    words = sys.argv[1:]
    seeds = int(words[words.index("--seeds") + 1]) if "--seeds" in words else 3
    chosen = lambda names: [name for name in names if name in words] or names
    methods, sides = chosen(["t-sne", "umap", "pacmap"]), chosen(["reference", "lowland"])
    found = {method: [] for method in methods if method != "t-sne"}
    for name, (x, y) in data_sets():
        print(name, x.shape, flush=True)
        for method in methods:
            if method == "t-sne":
                tsne(x, sides)
            else:
                found[method].append((name, sampled(method, x, y, seeds, sides)))
    if len(sides) == 2:
        for method, sets in found.items():
            pooled(method, sets)


if __name__ == "__main__":
    main()
