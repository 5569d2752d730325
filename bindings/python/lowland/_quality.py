"""Judging embeddings, the dimension of data, and its outliers."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._arguments import _PRECISIONS, _count, _labels, _native_data, _seed, _threads
from ._compat import check_array


class IntrinsicDimension(NamedTuple):
    """An estimate of a dimension."""

    value: float
    """The estimate for all rows."""
    low: float
    """The lower end of its 95 % interval, which covers its variation and not its bias."""
    high: float
    """The upper end."""
    local: np.ndarray | None
    """The estimate around every row, where the method has them."""


class Outliers(NamedTuple):
    """Rows that lie far from all others."""

    mask: np.ndarray
    """True for every row that is an outlier: `X[~mask]` are the others."""
    factors: np.ndarray
    """The local outlier factor of every row: 1 amid others, 2 in half their density."""


def trustworthiness(
    X: Any, X_embedded: Any, *, n_neighbors: int = 5, metric: str = "euclidean", n_jobs: int | None = None
) -> float:
    """1 - the share, of the worst possible, by which points that are neighbors only in the embedding are too far away
    in the data. The same number as `sklearn.manifold.trustworthiness`, but equally far points count in the order of
    their rows, `n_neighbors` may be up to n - 1, and nothing of the size n x n is held. With `metric="precomputed"`
    `X` holds the distances between all rows."""
    k = _count("n_neighbors", n_neighbors)
    return _native.preservation(*_both(X, X_embedded), k, metric, False, _settings(None, n_jobs))


def continuity(
    X: Any, X_embedded: Any, *, n_neighbors: int = 5, metric: str = "euclidean", n_jobs: int | None = None
) -> float:
    """As `trustworthiness`, for points that are neighbors only in the data and too far away in the embedding."""
    k = _count("n_neighbors", n_neighbors)
    return _native.preservation(*_both(X, X_embedded), k, metric, True, _settings(None, n_jobs))


def evaluate(
    X: Any,
    Y: Any,
    *,
    labels: Any = None,
    truth: Any = None,
    model: Any = None,
    held_out: Any = None,
    k: int | None = None,
    metric: str = "euclidean",
    entropy: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Judges the embedding `Y` of the rows of `X` by neighborhoods of `k` (None is 12, or all other rows where they
    are fewer), by distances, by `labels` and by the `truth`, where they are given. With `metric="precomputed"` `X`
    holds the distances between all rows.

    With the fitted estimator `model` that made the embedding, what it loses is measured too: `reconstruction_error`, a
    share of the variance of `X`, where it has an inverse (0 at best, and 1 where the mean says as much); where it is
    spectral `kernel_error`, the share of its kernel that the components leave unexplained, and on the rows `held_out`,
    which were not in the fit, `kernel_error_held_out`. With `entropy=True`, `entropy` is that of the embedding in bits, as
    that of a Gaussian, and so its mutual information with the data (Burges eq. 1.6).

    Returns a dictionary: `measures` by name, each with its `value`, whether `more` or `less` is `better`, and where it
    was sampled the ends `low` and `high` of a 95 % interval; the `curves` over neighborhoods of every size; and
    `per_point` how far to believe the picture around each of the `rows`: arrays of `trustworthiness` and
    `continuity` (1 at best), `stretch` and `compression` (1 where distances keep the common scale)."""
    data, embedding = _both(X, Y)
    numbers = None if labels is None else _labels(labels, "evaluate")
    if truth is not None:
        truth = _native_data(check_array(truth, dtype=_PRECISIONS, ensure_all_finite=False))
    if held_out is not None:
        held_out = _native_data(check_array(held_out, dtype=_PRECISIONS, ensure_all_finite=False))
    fitted = None if model is None else (model._fitted(), held_out)
    settings = _settings(random_state, n_jobs)
    k = None if k is None else _count("k", k)
    found = json.loads(_native.evaluate(data, embedding, numbers, truth, fitted, k, metric, bool(entropy), settings))
    for name, measure in found["measures"].items():
        # JSON has no infinity; the entropy of a flat embedding is below all numbers.
        infinite = -np.inf if name == "entropy" else np.inf
        measure.update({key: infinite for key in ("value", "low", "high") if key in measure and measure[key] is None})
    for group in ("curves", "per_point"):
        if group in found:
            found[group] = {name: _array(name, values) for name, values in found[group].items()}
    return found


def intrinsic_dimension(
    X: Any,
    method: str = "mle",
    *,
    k1: int = 10,
    k2: int = 20,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> IntrinsicDimension:
    """Estimates how many dimensions the rows of `X` really have.

    `method` is `mle` (maximum likelihood), `two_nn`, `correlation`, `packing`, `spanning_tree`, `local_pca` or
    `nearest_neighbor`; `k1` and `k2` are the smallest and the largest neighborhood looked at. Duplicates are left out first."""
    X = check_array(X, dtype=_PRECISIONS, ensure_all_finite=False)
    k1, k2, settings = _count("k1", k1), _count("k2", k2), _settings(random_state, n_jobs)
    return IntrinsicDimension(*_native.intrinsic_dimension(_native_data(X), method, k1, k2, settings))


def outliers(
    X: Any, *, n_neighbors: int | None = None, threshold: float = 1.5, n_jobs: int | None = None
) -> Outliers:
    """Finds the rows of `X` that lie far from all others, by the local outlier factor (Breunig et al. 2000): how
    much sparser the surroundings of a row are than those of its `n_neighbors` nearest (20, or all other different
    rows where they are fewer). Rows above `threshold` are outliers. As `sklearn.neighbors.LocalOutlierFactor`, but
    that duplicates count once: copies have no density."""
    X = check_array(X, dtype=_PRECISIONS, ensure_all_finite=False)
    k = None if n_neighbors is None else _count("n_neighbors", n_neighbors)
    factors = _native.outlier_factors(_native_data(X), k, float(threshold), _settings(None, n_jobs))
    return Outliers(factors > threshold, factors)


def _both(X: Any, Y: Any) -> tuple[Any, Any]:
    checked = (check_array(Z, dtype=_PRECISIONS, ensure_all_finite=False) for Z in (X, Y))
    data, embedding = (_native_data(Z) for Z in checked)
    return data, embedding


def _settings(random_state: Any, n_jobs: int | None) -> _native.Settings:
    return _native.Settings(seed=_seed(random_state), threads=_threads(n_jobs))


def _array(name: str, values: list[Any]) -> np.ndarray:
    if name == "rows":
        return np.asarray(values, dtype=np.int64)
    return np.asarray([np.inf if value is None else value for value in values], dtype=float)
