"""What is of use beside the estimators: the list of methods, neighbors, kernels, built-in data."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._arguments import _PRECISIONS, _bytes, _count, _native_data, _seed, _threads
from ._base import _warn_of
from ._compat import check_array
from ._errors import ParameterError, _counted


class Sample(NamedTuple):
    """Built-in data."""

    X: np.ndarray
    """The points, one a row."""
    labels: np.ndarray
    """The class of each point."""
    truth: np.ndarray
    """The true parameters of each point."""


class Neighbors(NamedTuple):
    """The neighbors of every row, nearest first."""

    indices: np.ndarray
    """Their rows."""
    distances: np.ndarray
    """How far they are."""


def methods() -> dict[str, dict[str, Any]]:
    """Every method by its name: its title, summary, citation, parameters and what it can do, as the registry has them.

    Examples
    --------
    >>> import lowland
    >>> lowland.methods()["pca"]["title"]
    'Principal component analysis'
    """
    return {entry["name"]: entry for entry in json.loads(_native.methods())}


def data(
    name: str | None = None, n: int = 1000, *, noise: float = 0.0, density: float = 1.0, random_state: Any = None
) -> Any:
    """A sample of built-in data: points, labels and true parameters. Without a name, all of them by name with what they
    are. `noise` is the standard deviation of what is added to every coordinate, and with a `density` other than 1 the
    points crowd at one end.

    Examples
    --------
    >>> import lowland
    >>> lowland.data("swiss-roll", 500).X.shape
    (500, 3)
    >>> "swiss-roll" in lowland.data()
    True
    """
    if name is None:
        return {entry["name"]: entry for entry in json.loads(_native.generators())}
    return Sample(*_native.generate(name, _count("n", n), float(noise), float(density), _seed(random_state)))


def neighbors(
    X: Any,
    n_neighbors: int = 8,
    *,
    queries: Any = None,
    metric: str = "euclidean",
    n_jobs: int | None = None,
    memory: int | str | None = None,
) -> Neighbors:
    """The `n_neighbors` nearest rows of every row of `X`, nearest first, none its own neighbor; or those of the rows of
    `queries`. Dense or sparse rows. Exact, but for many wide rows, where nearly all true neighbors are found.

    Examples
    --------
    >>> import lowland, numpy as np
    >>> lowland.neighbors(np.array([[0.0], [1.0], [3.0]]), 1).indices.ravel()
    array([1, 0, 1])
    """
    count = _count("n_neighbors", n_neighbors)
    rows = check_array(X, accept_sparse="csr", dtype=_PRECISIONS)
    most = rows.shape[0] - (queries is None)
    if not 1 <= count <= most:
        raise ParameterError(
            f"n_neighbors = {n_neighbors} is out of range: 1 to {most}, for {_counted(rows.shape[0], 'row')}; "
            "ask for fewer",
            name="n_neighbors",
            value=n_neighbors,
        )
    asked = None if queries is None else check_array(queries, accept_sparse="csr", dtype=_PRECISIONS)
    settings = _native.Settings(threads=_threads(n_jobs), memory=_bytes(memory))
    _, indices, distances = _native.neighbors(
        _native_data(rows), None if asked is None else _native_data(asked), count, None, metric, settings
    )
    return Neighbors(indices.reshape(-1, count), distances.reshape(-1, count))


def kernel(X: Any, method: str = "kernel-pca", **parameters: Any) -> np.ndarray:
    """The normalized kernel whose eigenvectors are the embedding of the rows of `X` by a spectral method.

    Examples
    --------
    >>> import lowland
    >>> lowland.kernel(lowland.data("swiss-roll", 100).X, "isomap", n_neighbors=10).shape
    (100, 100)
    """
    return estimator(method, **parameters).fit(X).kernel_matrix(X)


def complete_kernel(K: Any, *, n_jobs: int | None = None, memory: int | str | None = None) -> np.ndarray:
    """A kernel of which some rows are complete, its unknown entries (NaN) filled in by Nyström's method: those between
    objects without a complete row become `B' A^-1 B`, where `A` is the kernel between the objects with one and `B` their
    rows to the others. Entries that are given stay; one that is given on one side of the diagonal is known on both.

    Examples
    --------
    >>> import lowland
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> K = X @ X.T
    >>> partial = np.where(np.arange(30)[:, None] + np.zeros(30) < 3, K, np.nan)
    >>> bool(np.allclose(lowland.complete_kernel(partial), K))
    True
    """
    K = check_array(K, dtype=(np.float64,), ensure_all_finite=False)
    settings = _native.Settings(threads=_threads(n_jobs), memory=_bytes(memory))
    return _native.complete_kernel(K, settings)[0]


def oriented_pca(
    signal: Any, noise: Any, *, mean: Any = None, n_jobs: int | None = None, **parameters: Any
) -> Any:
    """The fitted `OrientedPCA` of a covariance of signals and a correlation of noise that are known, with the `mean` of the
    signals (None is 0) and the `parameters` of the class. It has no embedding: transform rows with it.

    Examples
    --------
    >>> import lowland
    >>> import numpy as np
    >>> found = lowland.oriented_pca(np.diag([3.0, 2.0]), np.diag([6.0, 1.0]), n_components=1)
    >>> found.transform(np.eye(2)).round(6).tolist()
    [[0.0], [1.0]]
    """
    from . import _estimators

    signal, noise = (check_array(M, dtype=(np.float64,), ensure_all_finite=False) for M in (signal, noise))
    mean = np.zeros(len(signal)) if mean is None else np.asarray(mean, dtype=np.float64).ravel()
    fitted = _estimators.OrientedPCA(**parameters)
    settings = _native.Settings(threads=_threads(n_jobs))
    fitted._model = _native.fit_covariances(parameters, signal, noise, mean.tolist(), settings)
    fitted.n_features_in_ = fitted._model.features
    _warn_of(fitted._model)
    return fitted


def estimator(method: str, **parameters: Any) -> Any:
    """The estimator of a method by its name in the registry, or by an alias, as the program takes them.

    Examples
    --------
    >>> import lowland
    >>> lowland.estimator("t-sne", perplexity=20.0)
    TSNE(perplexity=20.0)
    """
    from ._estimators import CLASSES

    return CLASSES[_native.find(method)](**parameters)
