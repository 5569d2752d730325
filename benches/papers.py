"""The remarks on docs/reproduction.md that rest on other code than Lowland's: each check prints the figures of its remark.

    cargo build --release -p lowland-cli
    target/peers/bin/python benches/papers.py [hd-lle] [broken-roll-pca] [roll-lem] [coil-ltsa] [coil-llc] [mnist-none]

Without a name all of them run. LOWLAND_DATA names the folder with the real data; LOWLAND_PROGRAM is the program that draws the
samples, if it is another than target/release/lowland. The first run of `cargo xtask bench` installs target/peers.
"""

import gzip
import itertools
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scipy.linalg import eigh
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import LocallyLinearEmbedding, SpectralEmbedding, trustworthiness
from sklearn.neighbors import NearestNeighbors

from data_folder import DATA

PROGRAM = os.environ.get("LOWLAND_PROGRAM", Path(__file__).resolve().parents[1] / "target/release/lowland")
NEIGHBORS = range(5, 16)


def error(x, labels):
    """The leave-one-out error of the nearest neighbor, in percent."""
    near = NearestNeighbors(n_neighbors=1).fit(x).kneighbors(return_distance=False)[:, 0]
    return 100 * np.mean(labels[near] != labels)


def sample(name, seed):
    """5,000 rows of built-in data with the noise of the paper, as `lowland reproduce` draws them; and their labels."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / file) for file in ("x.npy", "labels.npy")]
        options = ["-n", "5000", "--noise", "0.05", "--seed", str(seed), "--labels", files[1], "-q"]
        subprocess.run([PROGRAM, "data", name, *options, "-o", files[0]], check=True)
        return [np.load(file) for file in files]


def coil():
    x = np.load(DATA / "coil20.npy").astype(float)
    return x.reshape(len(x), -1), np.load(DATA / "coil20.labels.npy")


def best(candidates):
    """The least error and what has it; a fit that fails is none."""
    found = []
    for words, fit in candidates:
        try:
            found.append((fit(), words))
        except (ValueError, np.linalg.LinAlgError, RuntimeError) as problem:
            print(f"  {words}: {problem}")
    return min(found)


def hd_on_a_grid(seed):
    """HD as the authors' toolbox draws it: five values a parameter, the formula of appendix B, noise of 0.05."""
    t = np.array(list(itertools.product(np.linspace(0, 1, 5), repeat=5)))
    a, b, c, d, e = t.T
    x = [np.cos(a), np.tanh(3 * b), a + c, d * np.sin(b), np.sin(a + e), e * np.cos(b), e + d, b, c * d, a]
    # Half of a parameter is rounded up, as Matlab does; numpy rounds to even.
    labels = np.floor(t + 0.5).sum(axis=1).astype(int) % 2
    return np.array(x).T + 0.05 * np.random.default_rng(seed).standard_normal((len(t), 10)), labels


def hd_lle():
    for seed in range(3):
        x, labels = hd_on_a_grid(seed)

        def fit(k, ridge, x=x, labels=labels):
            return error(LocallyLinearEmbedding(n_neighbors=k, n_components=5, reg=ridge).fit_transform(x), labels)

        grid = itertools.product(NEIGHBORS, [1e-3, 1e-5])
        least, words = best([(f"k = {k}, ridge {ridge}", lambda k=k, ridge=ridge: fit(k, ridge)) for k, ridge in grid])
        print(f"sample {seed}: LLE of scikit-learn {least:.1f} % at best ({words}), the data {error(x, labels):.1f} %")


def broken_roll_pca():
    errors = []
    for seed in range(8):
        x, labels = sample("broken-swiss-roll", seed)
        errors.append(error(PCA(2).fit_transform(x), labels))
    print(f"PCA of eight samples: {min(errors):.1f} to {max(errors):.1f} % ({', '.join(f'{e:.2f}' for e in errors)})")


def roll_lem():
    for seed in range(5):
        x, _ = sample("swiss-roll", seed)
        found = []
        for k in NEIGHBORS:
            fit = SpectralEmbedding(2, affinity="nearest_neighbors", n_neighbors=k, random_state=0)
            found.append((trustworthiness(x, fit.fit_transform(x), n_neighbors=12), k))
        print("sample {}: SpectralEmbedding of scikit-learn T {:.3f} at best (k = {})".format(seed, *max(found)))


def coil_ltsa():
    x, labels = coil()
    for k in NEIGHBORS:
        fit = LocallyLinearEmbedding(n_neighbors=k, n_components=5, method="ltsa", eigen_solver="dense")
        print(f"k = {k}: LTSA of scikit-learn {error(fit.fit_transform(x), labels):.2f} %", flush=True)


def mixture(x, count, d, isotropic, start, rng, passes=200):
    """Posterior means and responsibilities of a mixture of factor analyzers, by EM (Ghahramani and Hinton 1996)."""
    n, width = x.shape
    if start == "k-means":
        labels = KMeans(count, n_init=1, random_state=int(rng.integers(1 << 31))).fit_predict(x)
    else:
        centers = x[rng.choice(n, count, replace=False)]
        labels = ((x[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    weight = np.eye(count)[labels]
    loadings, noise = [None] * count, np.full((count, width), x.var())
    last = -np.inf
    for turn in range(passes):
        share, log, latent = weight.mean(axis=0), np.empty((n, count)), np.empty((n, count, d))
        for k in range(count):
            r = weight[:, k] + 1e-12
            mean = r @ x / r.sum()
            centered = x - mean
            if loadings[k] is None:
                _, s, axes = np.linalg.svd(np.sqrt(r / r.sum())[:, None] * centered, full_matrices=False)
                rest = max((s[d:] ** 2).sum() / (width - d), 1e-6)
                loadings[k] = axes[:d].T * np.sqrt(np.maximum(s[:d] ** 2 - rest, 1e-6))
                noise[k] = rest
            else:
                scaled = loadings[k] / noise[k][:, None]
                inverse = np.linalg.inv(np.eye(d) + loadings[k].T @ scaled)
                z = centered @ scaled @ inverse
                moment = r.sum() * inverse + (z * r[:, None]).T @ z
                cross = (centered * r[:, None]).T @ z
                loadings[k] = np.linalg.solve(moment, cross.T).T
                left = ((centered**2 * r[:, None]).sum(axis=0) - (cross * loadings[k]).sum(axis=1)) / r.sum()
                noise[k] = np.maximum(left.mean() if isotropic else left, 1e-5)
            scaled = loadings[k] / noise[k][:, None]
            core = np.eye(d) + loadings[k].T @ scaled
            latent[:, k] = np.linalg.solve(core, scaled.T @ centered.T).T
            distance = (centered**2 / noise[k]).sum(axis=1) - ((centered @ scaled) * latent[:, k]).sum(axis=1)
            size = np.log(noise[k]).sum() + np.linalg.slogdet(core)[1]
            log[:, k] = np.log(share[k] + 1e-300) - 0.5 * (distance + size + width * np.log(2 * np.pi))
        top = log.max(axis=1, keepdims=True)
        total = top[:, 0] + np.log(np.exp(log - top).sum(axis=1))
        weight = np.exp(log - total[:, None])
        if total.mean() - last < 1e-6 * abs(total.mean()) and turn > 5:
            break
        last = total.mean()
    return latent, weight


def llc(latent, weight, reconstruction, d):
    """Teh and Roweis 2003: the affine maps of the analyzers that keep LLE's weights."""
    n, count, _ = latent.shape
    ones = np.concatenate([latent, np.ones((n, count, 1))], axis=2)
    u = (weight[:, :, None] * ones).reshape(n, -1)
    off = u - reconstruction @ u
    b = u.T @ u / n
    _, vectors = eigh(off.T @ off, b + 1e-9 * np.trace(b) / len(b) * np.eye(len(b)))
    return u @ vectors[:, 1 : d + 1]


def coil_llc():
    x, labels = coil()
    x = x / x.max()
    # EM of 1,024 pixels knows no noise but zero: the first 100 principal components hold nearly all of the variance.
    points = PCA(100, random_state=0).fit_transform(x)
    rebuilt = {}
    for k in NEIGHBORS:
        near = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(return_distance=False)
        w = np.zeros((len(points), len(points)))
        for i, row in enumerate(near):
            gram = (points[row] - points[i]) @ (points[row] - points[i]).T
            found = np.linalg.solve(gram + 1e-3 * np.trace(gram) * np.eye(k), np.ones(k))
            w[i, row] = found / found.sum()
        rebuilt[k] = w
    found = []
    for count in [1, 5, 10, 15, 20, 25]:
        for isotropic, start in itertools.product([True, False], ["k-means", "random"]):
            latent, weight = mixture(points, count, 5, isotropic, start, np.random.default_rng(0))
            errors = [error(llc(latent, weight, w, 5), labels) for w in rebuilt.values()]
            noise = "isotropic noise" if isotropic else "one variance a column"
            print(f"{count} analyzers, {noise}, {start}: {min(errors):.2f} %", flush=True)
            found += [min(errors)] if count > 1 else []
    print(f"5 to 25 analyzers: {min(found):.2f} % at best")


def mnist_none():
    def unpacked(name, header):
        return np.frombuffer(gzip.open(DATA / name).read(), np.uint8)[header:]

    x = unpacked("train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    labels = unpacked("train-labels-idx1-ubyte.gz", 8)
    draws = [np.random.default_rng(seed).permutation(len(x))[:5000] for seed in range(5)]
    errors = [error(x[rows].astype(float), labels[rows]) for rows in draws]
    print(f"five draws of 5,000 digits: {min(errors):.1f} to {max(errors):.1f} %")


CHECKS = {
    "hd-lle": hd_lle,
    "broken-roll-pca": broken_roll_pca,
    "roll-lem": roll_lem,
    "coil-ltsa": coil_ltsa,
    "coil-llc": coil_llc,
    "mnist-none": mnist_none,
}

if __name__ == "__main__":
    chosen = sys.argv[1:] or list(CHECKS)
    if unknown := [name for name in chosen if name not in CHECKS]:
        sys.exit(f"unknown: {', '.join(unknown)}; the checks are {', '.join(CHECKS)}")
    warnings.simplefilter("ignore")
    for name in chosen:
        print(f"{name}:")
        CHECKS[name]()
