"""Isomap by Lowland."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.manifold as theirs
from scipy.sparse import csr_matrix, issparse
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import BallTree, KDTree, NearestNeighbors

from .. import _native
from .._arguments import _PRECISIONS, _native_data, _warn
from .._compat import _from_elsewhere
from ._shared import Ours, named_metric, same_precision
from .decomposition import KernelPCA

__all__ = ["Isomap"]


class Isomap(Ours, theirs.Isomap):
    """Isomap: neighbors, shortest paths and eigenvectors are Lowland's. `eigen_solver`, `path_method`, `tol` and `max_iter`
    are accepted and not needed; a metric that is a function, or that only scikit-learn has, is measured by it.

    Examples
    --------
    >>> from sklearn.datasets import make_s_curve
    >>> from lowland.sklearn import Isomap
    >>> X, _ = make_s_curve(200, random_state=0)
    >>> Isomap(n_neighbors=8).fit_transform(X).shape
    (200, 2)
    """

    def fit(self, X: Any, y: Any = None) -> Isomap:
        """Fits the model to the rows of `X`; `y` is ignored."""
        self._validate_params()
        self._embed(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fits the model and returns the embedding of the rows of `X`."""
        self._validate_params()
        self._embed(X)
        return self.embedding_

    def _embed(self, X: Any) -> None:
        if self.n_neighbors is not None and self.radius is not None:
            raise ValueError(
                f"Both n_neighbors and radius are provided. Use Isomap(radius={self.radius}, n_neighbors=None) if "
                "intended to use radius-based neighbors"
            )
        search: Any = NearestNeighbors(
            n_neighbors=self.n_neighbors,
            radius=self.radius,  # pyright: ignore[reportArgumentType]  # None is no radius
            algorithm=self.neighbors_algorithm,
            metric=self.metric,
            p=self.p,
            metric_params=self.metric_params,
            n_jobs=self.n_jobs,
        )
        X = _from_elsewhere(X)
        self.nbrs_ = search.fit(X)
        self.n_features_in_ = search.n_features_in_
        if hasattr(search, "feature_names_in_"):
            self.feature_names_in_ = search.feature_names_in_
        graph = self._graph(X)
        count, labels = connected_components(graph, directed=False)
        if count > 1:
            graph = self._joined(X, graph, count, labels)
        lengths = _native_data(csr_matrix(graph, dtype=np.float64))
        distances = _native.geodesics(lengths, self._native_settings())
        fitted = search._fit_X
        self.dist_matrix_ = same_precision(distances, fitted)
        self.kernel_pca_ = KernelPCA(self.n_components, kernel="precomputed", n_jobs=self.n_jobs)
        self.kernel_pca_.set_output(transform="default")
        self.embedding_ = self.kernel_pca_.fit_transform(-0.5 * self.dist_matrix_**2)
        self._n_features_out = self.embedding_.shape[1]

    def _graph(self, X: Any) -> Any:
        """Every row with its neighbors and their distances, compressed."""
        metric = named_metric(self.metric, self.p, self.metric_params)
        plain = not isinstance(X, (NearestNeighbors, BallTree, KDTree))
        rows = self.nbrs_._fit_X
        if metric is None or not plain or (issparse(rows) and self.n_neighbors is None):
            if self.n_neighbors is not None:
                return self.nbrs_.kneighbors_graph(mode="distance")
            return self.nbrs_.radius_neighbors_graph(mode="distance")
        rows = rows if rows.dtype in _PRECISIONS else rows.astype(np.float64)
        n = rows.shape[0]
        if self.n_neighbors is not None and self.n_neighbors >= n:
            raise ValueError(
                f"Expected n_neighbors < n_samples_fit, but n_neighbors = {self.n_neighbors}, n_samples_fit = {n}, "
                f"n_samples = {n}"
            )
        # Beyond the largest number no pair is apart.
        radius = None if self.radius is None else min(float(self.radius), float(np.finfo(np.float32).max))
        offsets, indices, lengths = _native.neighbors(
            _native_data(rows), None, self.n_neighbors, radius, metric, self._native_settings()
        )
        return csr_matrix((lengths, indices, offsets), shape=(n, n))

    def _joined(self, X: Any, graph: Any, count: int, labels: np.ndarray) -> Any:
        """The graph with the shortest edge between every two of its connected components, as scikit-learn joins them."""
        found = f"The number of connected components of the neighbors graph is {count} > 1."
        if self.metric == "precomputed" and issparse(X):
            raise RuntimeError(
                f"{found} The graph cannot be completed with metric='precomputed', and Isomap cannot be fitted. Increase "
                "the number of neighbors to avoid this issue, or precompute the full distance matrix instead of passing "
                "a sparse neighbors graph."
            )
        _warn(
            f"{found} Completing the graph to fit Isomap might be slow. Increase the number of neighbors to avoid this "
            "issue.",
            UserWarning,
        )
        rows, given = self.nbrs_._fit_X, self.metric == "precomputed"
        metric, more = self.nbrs_.effective_metric_, self.nbrs_.effective_metric_params_
        graph = graph.tolil()
        members = [np.flatnonzero(labels == label) for label in range(count)]
        for first in range(count):
            for second in range(first):
                a, b = members[first], members[second]
                between = rows[np.ix_(a, b)] if given else pairwise_distances(rows[a], rows[b], metric=metric, **more)
                i, j = np.unravel_index(np.argmin(between), between.shape)
                graph[a[i], b[j]] = graph[b[j], a[i]] = between[i, j]
        return graph.tocsr()
