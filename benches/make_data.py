"""Makes the data of the benchmarks, once: the same bytes for every contestant.

    make_data.py FOLDER NAME...

Each NAME is a set, and after a dot the reference that the quality of results on it is measured against:

    swiss_roll-N-TYPE       N x 3
    gaussian-NxD-TYPE       independent normal values
    decay-NxD-TYPE          normal, variances that fall by a fixed factor, turned and moved off the origin
    csv-NxD-TYPE            as decay, and beside it the same as a text file, each number to its last digit
    mnist-N-TYPE            the first N images, those for training first, 0 to 1, and .labels; `blots` takes their place if there are none
    mnist50-N-TYPE          the 50 first principal components of these images (of `blots`: blots50)
    factors-NxD-TYPE        ten factors and noise of its own in each column
    holes-NxD-TYPE          the same with a fifth of the cells missing, and .truth without
    sources-NxD-TYPE        D mixed sources that are not Gaussian, and .mixing
    symmetric-N, kernel-N   dense symmetric matrices, float64: random; the centered Gaussian kernel of a roll
    lle-N-K                 scikit-learn's LLE matrix of a Swiss roll, sparse rows: .indptr, .indices, .values
    ....neighbors-K         of up to 1,000 rows: their numbers (.rows) and the K least distances to others
    ....components-K        the K leading principal axes, K x D, from the SVD in double precision

TYPE is f32 or f64. Prints the name of each set that was really made, in order.
"""

import gzip
import hashlib
import os
import signal
import sys
import zlib
from pathlib import Path

import numpy as np
import scipy
import sklearn

from data_folder import DATA

signal.signal(signal.SIGINT, signal.SIG_DFL)  # an interrupt needs no traceback
TYPES = {"f32": np.float32, "f64": np.float64}


def generator(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def swiss_roll(n, rng):
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    return np.column_stack([t * np.cos(t), 21 * rng.random(n), t * np.sin(t)])


def decay(n, d, rng):
    turn, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return (rng.standard_normal((n, d)) * 0.9 ** np.arange(d)) @ turn + 3 * rng.standard_normal(d)


def factors(n, d, rng):
    loadings = rng.standard_normal((10, d))
    return rng.standard_normal((n, 10)) @ loadings + rng.standard_normal((n, d)) * rng.uniform(0.5, 2, d)


def sources(n, d, rng):
    kinds = [rng.uniform(-1, 1, (n, d)), rng.laplace(size=(n, d)), rng.choice([-1.0, 1.0], (n, d))]
    values = np.where(np.arange(d) % 3 == 0, kinds[0], np.where(np.arange(d) % 3 == 1, kinds[1], kinds[2]))
    mixing = rng.standard_normal((d, d))
    return (values / values.std(axis=0)) @ mixing.T, mixing


def blots(n, rng):
    """Ten families of sparse 28 x 28 images with a dozen degrees of freedom each."""
    family = rng.integers(10, size=n)
    base = rng.standard_normal((10, 784)) - 0.8
    ways = rng.standard_normal((10, 12, 784)) * 0.4
    images = np.empty((n, 784))
    for f in range(10):
        rows = np.flatnonzero(family == f)
        images[rows] = base[f] + rng.standard_normal((len(rows), 12)) @ ways[f]
    return np.clip(images + 0.05 * rng.standard_normal((n, 784)), 0, 1), family


def mnist_file():
    for name in ["train-images-idx3-ubyte.gz", "train-images-idx3-ubyte"]:
        if (DATA / name).exists():
            return DATA / name
    print(
        f"MNIST (train-images-idx3-ubyte.gz) is not in {DATA}: synthetic `blots` take its place, and the figures are "
        "not comparable with those of MNIST; name the folder that has it by LOWLAND_DATA",
        file=sys.stderr,
    )
    return None


def mnist(file, n):
    if n > 60_000:
        test = file.with_name(file.name.replace("train", "t10k"))
        parts = [mnist(file, 60_000), mnist(test, n - 60_000)]
        return tuple(np.concatenate(part) for part in zip(*parts))
    data = file.read_bytes()
    data = gzip.decompress(data) if file.suffix == ".gz" else data
    magic, count, height, width = np.frombuffer(data[:16], ">i4")
    if magic != 2051 or len(data) != 16 + count * height * width or n > count:
        sys.exit(f"{file} is not a set of at least {n} images of MNIST")
    labels = file.with_name(file.name.replace("images-idx3", "labels-idx1"))
    known = labels.read_bytes()
    known = gzip.decompress(known) if labels.suffix == ".gz" else known
    images = np.frombuffer(data, np.uint8, n * height * width, 16).reshape(n, -1) / 255
    return images, np.frombuffer(known, np.uint8, n, 8)


def symmetric(n, rng):
    square = rng.standard_normal((n, n))
    return (square + square.T) / np.sqrt(2 * n)


def kernel(n, rng):
    from scipy.spatial.distance import cdist

    points = swiss_roll(n, rng)
    values = np.exp(-cdist(points, points, "sqeuclidean") / 50)
    values -= values.mean(axis=0)
    values -= values.mean(axis=1)[:, None]
    return (values + values.T) / 2


def lle(n, k, rng):
    from scipy.sparse import eye_array
    from sklearn.manifold._locally_linear import barycenter_kneighbors_graph

    rest = eye_array(n, format="csr") - barycenter_kneighbors_graph(swiss_roll(n, rng), k)
    matrix = (rest.T @ rest).tocsr()
    matrix = ((matrix + matrix.T) / 2).tocsr()  # to the last bit
    matrix.sort_indices()
    return {
        ".indptr": matrix.indptr.astype(np.int64),
        ".indices": matrix.indices.astype(np.int64),
        ".values": matrix.data,
    }


def make(name):
    """The arrays of a set, by what follows its name in theirs."""
    kind, size, *rest = name.split("-")
    rng = generator(name.removesuffix("-f32").removesuffix("-f64"))
    shape = [int(number) for number in size.split("x")]
    if kind == "lle":
        return lle(shape[0], int(rest[0]), rng)
    if kind in ("symmetric", "kernel"):
        return {"": {"symmetric": symmetric, "kernel": kernel}[kind](shape[0], rng)}
    if kind in ("mnist", "blots", "mnist50", "blots50"):
        values, labels = mnist(mnist_file(), shape[0]) if kind.startswith("mnist") else blots(shape[0], rng)
        if kind.endswith("50"):
            values = values - values.mean(axis=0)
            axes = np.linalg.eigh(values.T @ values)[1][:, :-51:-1]
            values = values @ axes
        return {"": values.astype(TYPES[rest[0]]), ".labels": labels.astype(np.int64)}
    if kind == "sources":
        values, mixing = sources(*shape, rng)
        return {"": values.astype(TYPES[rest[0]]), ".mixing": mixing}
    if kind == "holes":
        truth = factors(*shape, rng)
        values = np.where(rng.random(truth.shape) < 0.2, np.nan, truth)
        return {"": values.astype(TYPES[rest[0]]), ".truth": truth}
    if kind == "gaussian":
        values = rng.standard_normal(shape)
    else:
        values = {"swiss_roll": swiss_roll, "decay": decay, "csv": decay, "factors": factors}[kind](*shape, rng)
    return {"": values.astype(TYPES[rest[0]])}


def refer(data, name, reference):
    """The arrays of a reference."""
    kind, k = reference.split("-")
    k = int(k)
    data = data.astype(np.float64)
    if kind == "components":
        _, _, axes = np.linalg.svd(data - data.mean(axis=0), full_matrices=False)
        return {"": axes[:k]}
    from sklearn.neighbors import NearestNeighbors

    rows = np.sort(generator(name).choice(len(data), min(1000, len(data)), replace=False))
    found = NearestNeighbors(n_neighbors=k + 1, algorithm="brute").fit(data).kneighbors(data[rows])[1]
    # Each row once more without itself, and the distances by plain subtraction.
    distances = np.empty((len(rows), k))
    for i, (row, near) in enumerate(zip(rows, found)):
        others = near[near != row][:k]
        distances[i] = np.sort(np.linalg.norm(data[others] - data[row], axis=1))
    return {".rows": rows.astype(np.int64), "": distances}


def write(folder, name, arrays):
    if name.startswith("csv-"):
        with open(folder / f"{name}.csv", "w") as file:
            file.writelines(",".join(map(repr, row)) + "\n" for row in arrays[""].tolist())
    for part, array in arrays.items():
        partial = folder / f"{name}{part}.npy.partial"
        with open(partial, "wb") as file:
            np.save(file, np.ascontiguousarray(array))
    # Renamed when all is there, so that an interrupted run leaves nothing half made.
    for part in sorted(arrays, reverse=True):
        os.replace(folder / f"{name}{part}.npy.partial", folder / f"{name}{part}.npy")


def is_there(folder, name):
    whole = f"{name}.values.npy" if name.startswith("lle-") else f"{name}.npy"
    return (folder / whole).exists()


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    # Made by another version of this script: made again.
    recipe = Path(__file__).read_bytes() + f"{np.__version__} {scipy.__version__} {sklearn.__version__}".encode()
    stamp, recipe = folder / "recipe.txt", hashlib.sha256(recipe).hexdigest()
    if not stamp.exists() or stamp.read_text() != recipe:
        for old in [*folder.glob("*.npy"), *folder.glob("*.csv"), *folder.glob("*.npy.partial")]:
            old.unlink()
        stamp.write_text(recipe)

    names = sys.argv[2:]
    if any(name.startswith("mnist") for name in names) and mnist_file() is None:
        names = [name.replace("mnist", "blots") for name in names]
    for wanted in names:
        name, _, reference = wanted.partition(".")
        if not is_there(folder, name):
            print(f"making {name}", file=sys.stderr)
            write(folder, name, make(name))
        if reference and not is_there(folder, wanted):
            print(f"making {wanted}", file=sys.stderr)
            write(folder, wanted, refer(np.load(folder / f"{name}.npy"), name, reference))
        print(name, flush=True)


main()
