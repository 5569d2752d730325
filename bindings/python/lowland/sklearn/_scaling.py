"""Metric and non-metric scaling by Lowland."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import sklearn.manifold as theirs
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_symmetric

from .. import _native
from .._arguments import _native_data, _threads

__all__ = ["MDS", "smacof"]

from ._shared import Ours, layout_of


class MDS(Ours, theirs.MDS):
    """Metric and non-metric MDS: scikit-learn's parameters and starts, Lowland's majorization. What future versions of
    scikit-learn change is announced as by scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lowland.sklearn import MDS
    >>> X, _ = load_iris(return_X_y=True)
    >>> MDS(2, n_init=1, init="random", random_state=0).fit_transform(X[:50]).shape
    (50, 2)
    """

    def fit(self, X: Any, y: Any = None, init: Any = None) -> MDS:
        """Finds the layout of the rows of `X`, from `init` on where it is given; `y` is ignored."""
        self.fit_transform(X, init=init)
        return self

    def fit_transform(self, X: Any, y: Any = None, init: Any = None) -> np.ndarray:
        """Finds the layout of the rows of `X` and returns it."""
        self._validate_params()
        start, metric, is_metric = self._understood()
        X = self._checked(X, reset=True)
        if metric == "precomputed":
            self.dissimilarity_matrix_ = X
        else:
            params = getattr(self, "metric_params", None) or {}
            self.dissimilarity_matrix_ = pairwise_distances(X, metric=metric, **params)
        if init is None and start == "classical_mds":
            from .manifold import ClassicalMDS

            classical = ClassicalMDS(self.n_components, metric="precomputed")
            init = classical.fit_transform(self.dissimilarity_matrix_)
            if init.shape[1] < self.n_components:
                init = np.pad(init, ((0, 0), (0, self.n_components - init.shape[1])))
        n_init = self.n_init if isinstance(self.n_init, int) else 4
        self.embedding_, self.stress_, self.n_iter_ = smacof(
            self.dissimilarity_matrix_,
            metric=is_metric,
            n_components=self.n_components,
            init=init,
            n_init=n_init,
            n_jobs=self.n_jobs,
            max_iter=self.max_iter,
            verbose=self.verbose,
            eps=self.eps,
            random_state=self.random_state,
            return_n_iter=True,
            normalized_stress=self.normalized_stress,
        )
        return self.embedding_

    def _understood(self) -> tuple[str, Any, bool]:
        """The start, the metric and whether it is metric scaling, in the words of every version of scikit-learn."""
        start = getattr(self, "init", "random")
        if start == "warn":
            warnings.warn(
                "The default value of `init` will change from 'random' to 'classical_mds' in 1.10. To suppress this "
                "warning, provide some value of `init`.",
                FutureWarning,
                stacklevel=4,
            )
            start = "random"
        if not hasattr(self, "metric_mds"):
            return start, self.dissimilarity, bool(self.metric)
        metric: Any = self.metric
        is_metric: Any = self.metric_mds
        if self.dissimilarity != "deprecated":
            if not isinstance(metric, bool) and metric != "euclidean":
                raise ValueError("You provided both `dissimilarity` and `metric`. Please use only `metric`.")
            words = "The `dissimilarity` parameter is deprecated and will be removed in 1.10. Use `metric` instead."
            warnings.warn(words, FutureWarning, stacklevel=4)
            metric = self.dissimilarity
        if isinstance(self.metric, bool):
            words = "Use metric_mds: a metric that is true or false is deprecated and will be removed in 1.10."
            warnings.warn(words, FutureWarning, stacklevel=4)
            is_metric, metric = self.metric, "euclidean" if isinstance(metric, bool) else metric
        return start, metric, is_metric


def smacof(
    dissimilarities: Any,
    *,
    metric: bool = True,
    n_components: int = 2,
    init: Any = None,
    n_init: Any = 1,
    n_jobs: int | None = None,
    max_iter: int = 300,
    verbose: int = 0,
    eps: float = 1e-6,
    random_state: Any = None,
    return_n_iter: bool = False,
    normalized_stress: Any = "auto",
) -> tuple[Any, ...]:
    """The layout of given dissimilarities and its stress, as `sklearn.manifold.smacof` returns them."""
    given = check_symmetric(check_array(dissimilarities), raise_exception=True).astype(np.float64)
    n = len(given)
    rng = check_random_state(random_state)
    if normalized_stress == "auto":
        normalized_stress = not metric
    if init is not None:
        init = np.asarray(init, dtype=np.float64)
        if init.ndim != 2 or init.shape[0] != n:
            raise ValueError(f"init matrix should be of shape ({n}, {n_components})")
        starts, n_components = [init], init.shape[1]
    else:
        count = n_init if isinstance(n_init, int) else 1
        starts = [rng.uniform(size=(n, n_components)) for _ in range(count)]
    missing = given.copy()
    method = "mds" if metric else "nonmetric-mds"
    if not metric:
        # As scikit-learn has it: of a dissimilarity of 0 the order is not known.
        missing[missing == 0] = np.nan
    np.fill_diagonal(missing, 0.0)
    best: tuple[Any, ...] = ()
    for start in starts:
        parameters = {"n_components": int(n_components), "max_iter": int(max_iter), "tol": min(float(eps), 1.0)}
        settings = _native.Settings(threads=_threads(n_jobs))
        model = _native.fit(method, parameters, _native_data(missing), "distances", settings, None, start)
        found = model.attributes()
        layout = _turned(layout_of(model), _guttman(given, start))
        stress = _stress(given, layout, found, metric, normalized_stress)
        if verbose:
            print(f"{found['n_iter']} iterations: stress {stress:.6g}")
        if not best or stress < best[1]:
            best = (layout, stress, found["n_iter"])
    return best if return_n_iter else best[:2]


def _guttman(given: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The first step of the majorization."""
    distances = np.sqrt(((start[:, None] - start[None]) ** 2).sum(axis=-1))
    ratios = np.divide(given, distances, out=np.zeros_like(given), where=distances > 0)
    return (ratios.sum(axis=1)[:, None] * start - ratios @ start) / len(given)


def _turned(layout: np.ndarray, like: np.ndarray) -> np.ndarray:
    """The layout, which Lowland turns to its principal axes, turned as the search began."""
    left, _, right = np.linalg.svd(layout.T @ (like - like.mean(axis=0)))
    return layout @ (left @ right)


def _stress(given: np.ndarray, layout: np.ndarray, found: dict[str, Any], metric: bool, normalized: bool) -> float:
    """The sum over pairs of squared differences, or Kruskal's stress-1, which is a share of the squared distances."""
    pairs = np.triu_indices(len(given), 1)
    distances = np.sqrt(((layout[pairs[0]] - layout[pairs[1]]) ** 2).sum(axis=1))
    if metric:
        raw = float(((distances - given[pairs]) ** 2).sum())
    else:
        # Dissimilarity, disparity, distance, one pair a row.
        raw = float(((found["shepard"][:, 1] - found["shepard"][:, 2]) ** 2).sum())
        distances = found["shepard"][:, 2]
    whole = float((distances**2).sum())
    return np.sqrt(raw / whole) if normalized and whole > 0 else raw
