"""t-SNE by Lowland, and the measure that judges it."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.manifold as theirs
from scipy.sparse import csr_matrix, issparse
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_array, check_random_state

from .. import _quality
from ._shared import Ours, layout_of, named_metric

__all__ = ["TSNE", "trustworthiness"]


# The spread of a layout that is one point.
COLLAPSED = 1e-6


class TSNE(Ours, theirs.TSNE):
    """t-SNE with scikit-learn's parameters and starts. With `method="barnes_hut"` and the default `angle` the faster of
    Barnes-Hut and interpolation is taken; the layout is in single precision, as scikit-learn's. `verbose` prints the
    stages of Lowland.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lowland.sklearn import TSNE
    >>> X, _ = load_iris(return_X_y=True)
    >>> TSNE(2, max_iter=250, random_state=0).fit_transform(X).shape
    (150, 2)
    """

    def fit(self, X: Any, y: Any = None) -> TSNE:
        """Finds the layout of the rows of `X`; `y` is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Finds the layout of the rows of `X` and returns it."""
        self._validate_params()
        self._check_params_vs_input(X)
        X, kind, metric = self._input(X)
        n = X.shape[0]
        auto = self.learning_rate == "auto"
        self.learning_rate_ = max(n / self.early_exaggeration / 4, 50) if auto else self.learning_rate
        start, init = None, "pca"
        if isinstance(self.init, np.ndarray):
            start = np.asarray(self.init, dtype=np.float64)
        elif self.init == "random":
            start = 1e-4 * check_random_state(self.random_state).standard_normal((n, self.n_components))
        max_iter = getattr(self, "max_iter", None) or 1000
        parameters: dict[str, Any] = {
            "n_components": int(self.n_components),
            "perplexity": float(self.perplexity),
            "early_exaggeration": float(self.early_exaggeration),
            "early_exaggeration_iter": 250,
            "max_iter": int(max_iter),
            "learning_rate": float(self.learning_rate_),
            "n_iter_without_progress": max(1, int(self.n_iter_without_progress)),
            "min_grad_norm": float(self.min_grad_norm),
            "metric": metric or "euclidean",
            "n_neighbors": max(1, min(n - 1, int(3.0 * self.perplexity + 1))),
        }
        if self.method == "exact":
            parameters["negative_gradient_method"] = "exact"
        elif self.angle != 0.5:
            parameters.update(negative_gradient_method="bh", theta=float(self.angle))
        if start is None:
            parameters["init"] = init
        if _alike(X, kind):
            # No pair is closer than any other: nothing moves.
            given = np.zeros((n, self.n_components)) if start is None else start
            self.embedding_, self.kl_divergence_, self.n_iter_ = given.astype(np.float32), 0.0, 0
            return self.embedding_
        model = self._native_fit("t-sne", parameters, X, kind, start=start, quiet=True)
        if layout_of(model).std() < COLLAPSED and self.early_exaggeration > 1:
            # With a perplexity near the number of rows the exaggerated attraction draws all points into one, where the
            # gradient vanishes: without it they unfold.
            parameters["early_exaggeration"] = 1.0
            model = self._native_fit("t-sne", parameters, X, kind, start=start, quiet=True)
        found = model.attributes()
        self.embedding_ = layout_of(model).astype(np.float32)
        self.kl_divergence_ = found["loss"]
        # The number of the last iteration, counted from 0.
        self.n_iter_ = found["n_iter"] - 1
        return self.embedding_

    def _input(self, X: Any) -> tuple[Any, str, str | None]:
        """The rows as the native side takes them, what they are, and the metric where it still has to be taken."""
        if self.method == "barnes_hut" and self.n_components > 3:
            raise ValueError(
                "'n_components' should be inferior to 4 for the barnes_hut algorithm as it relies on quad-tree or oct-tree."
            )
        given = self.metric == "precomputed"
        if given and isinstance(self.init, str) and self.init == "pca":
            raise ValueError('The parameter init="pca" cannot be used with metric="precomputed".')
        if given and self.method == "exact" and issparse(X):
            raise TypeError(
                'TSNE with method="exact" does not accept sparse precomputed distance matrix. Use method="barnes_hut" or '
                "provide the dense distance matrix."
            )
        X = self._checked(X, reset=True, sparse=("csr", "csc", "coo"))
        if given:
            if X.shape[0] != X.shape[1]:
                raise ValueError("X should be a square distance matrix")
            if (X.data if issparse(X) else X).min(initial=0) < 0:
                raise ValueError("All distances should be positive, the precomputed distances given as X is not correct")
            if issparse(X):
                return self._lists(X), "graph", None
            return _symmetric(X), "distances", None
        metric = named_metric(self.metric, 2, self.metric_params)
        if metric is not None and not (issparse(X) and metric != "euclidean"):
            return X.tocsr() if issparse(X) else X, "points", metric
        if self.metric == "mahalanobis" and not self.metric_params:
            raise ValueError("Must provide either V or VI for Mahalanobis distance: give metric_params")
        more = dict(self.metric_params or {})
        if self.metric == "mahalanobis" and "V" in more:
            # Given the covariance, scikit-learn would add the inverse of another one.
            more["VI"] = np.linalg.inv(more.pop("V"))
        distances = pairwise_distances(X, metric=self.metric, n_jobs=self.n_jobs, **more)
        if (distances < 0).any():
            raise ValueError("All distances should be positive, the metric given is not correct")
        np.fill_diagonal(distances, 0.0)
        return _symmetric(distances), "distances", None

    def _lists(self, X: Any) -> Any:
        """Neighbor lists without a row's own entry, as long as the perplexity needs."""
        X = X.tocsr()
        needed = min(X.shape[0] - 1, int(3.0 * self.perplexity + 1))
        stored = np.diff(X.indptr)
        if (stored.min() if len(stored) else 0) < needed:
            raise ValueError(
                f"{needed} neighbors per samples are required, but some samples have only {stored.min()} neighbors in "
                "precomputed graph matrix. Decrease number of neighbors used for estimator or recompute the graph with "
                "more neighbors."
            )
        # The nearest of each row, which are all that a dense matrix would be asked for.
        lists = X.tocoo()
        order = np.lexsort((lists.data, lists.row))
        order = order[lists.row[order] != lists.col[order]]
        rows = lists.row[order]
        place = np.arange(len(rows)) - np.searchsorted(rows, rows)
        keep = order[place < needed]
        return csr_matrix((lists.data[keep], (lists.row[keep], lists.col[keep])), shape=X.shape)


def _alike(X: Any, kind: str) -> bool:
    """Whether all rows are the same, or all distances 0."""
    if issparse(X):
        # Rows that are equal and not 0 are left to the fit, which refuses them.
        return not X.data.any()
    return not X.any() if kind == "distances" else bool((X == X[:1]).all())


def _symmetric(distances: np.ndarray) -> np.ndarray:
    """Distances that differ between the two directions by their last digits, as one."""
    other = distances.T
    return (distances + other) / 2 if np.allclose(distances, other, rtol=1e-5, atol=1e-8 * abs(distances).max()) else distances


def trustworthiness(X: Any, X_embedded: Any, *, n_neighbors: int = 5, metric: Any = "euclidean") -> float:
    """To what extent the local structure is kept: scikit-learn's measure, without a matrix of all pairs."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_neighbors >= n / 2:
        raise ValueError(f"n_neighbors ({n_neighbors}) should be less than n_samples / 2 ({n / 2})")
    if issparse(X) or named_metric(metric) is None and metric != "precomputed":
        X, metric = pairwise_distances(X, metric=metric), "precomputed"
    else:
        X = check_array(X)
    words = "precomputed" if metric == "precomputed" else named_metric(metric)
    return _quality.trustworthiness(X, X_embedded, n_neighbors=n_neighbors, metric=words or "euclidean")
