"""Spectral embedding and clustering by Lowland."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import sklearn.cluster as their_clusters
import sklearn.manifold as theirs
from scipy import linalg
from scipy.sparse import csr_matrix, issparse
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import k_means
from sklearn.metrics.pairwise import KERNEL_PARAMS, pairwise_kernels
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from sklearn.utils import check_random_state, check_symmetric

from .. import _native
from .._arguments import _native_data, _warn
from .._compat import check_array
from ._shared import Ours, layout_of, same_precision, signs_of_rows

__all__ = ["SpectralClustering", "SpectralEmbedding", "spectral_clustering", "spectral_embedding"]


def spectral_embedding(
    adjacency: Any,
    *,
    n_components: int = 8,
    eigen_solver: str | None = None,
    random_state: Any = None,
    eigen_tol: Any = "auto",
    norm_laplacian: bool = True,
    drop_first: bool = True,
) -> np.ndarray:
    """The eigenvectors of the graph Laplacian of a symmetric matrix of affinities, scaled as
    `sklearn.manifold.spectral_embedding` scales them. `eigen_tol`, `random_state` and `eigen_solver` are not needed."""
    _known_solver(eigen_solver)
    adjacency = check_symmetric(check_array(adjacency, accept_sparse="csr", ensure_all_finite=True))
    n = adjacency.shape[0]
    connected = connected_components(adjacency, directed=False)
    if connected[0] > 1:
        _warn("Graph is not fully connected, spectral embedding may not work as expected.", UserWarning)
    # A vertex is not its own neighbor.
    if issparse(adjacency):
        affinities = csr_matrix(adjacency, dtype=np.float64, copy=True)
        affinities.setdiag(0)
        affinities.eliminate_zeros()
    else:
        affinities = adjacency.astype(np.float64)
        np.fill_diagonal(affinities, 0.0)
    if connected[0] > 1 or (affinities.sum(axis=1) == 0).any():
        affinities = _linked(affinities)
    degrees = np.asarray(affinities.sum(axis=1)).ravel()
    first = np.full((n, 1), 1 / np.sqrt(degrees.sum() if norm_laplacian else n))
    found = [] if drop_first else [first]
    wanted = n_components - len(found)
    if wanted > 0:
        found.append(_vectors(affinities, degrees, min(wanted, n - 1), norm_laplacian))
    embedding = np.hstack(found)
    return same_precision(embedding * signs_of_rows(embedding.T), adjacency)


def _vectors(affinities: Any, degrees: np.ndarray, count: int, normalized: bool) -> np.ndarray:
    """Eigenvectors of the smallest eigenvalues after the first."""
    parameters = {
        "n_components": int(count),
        "weighted": True,
        "laplacian": "random-walk" if normalized else "unnormalized",
    }
    kind = "graph" if issparse(affinities) else "kernel"
    model = _native.fit("laplacian-eigenmaps", parameters, _native_data(affinities), kind, _native.Settings())
    vectors = layout_of(model)
    weights = degrees[:, None] if normalized else 1.0
    lengths = np.sqrt((weights * vectors**2).sum(axis=0))
    return vectors / np.where(lengths > 0, lengths, 1)


def _linked(affinities: Any) -> Any:
    """The graph, connected: its connected components in a row, by edges that weigh next to nothing. Its first
    eigenvectors are constant on each component, as those of the graph itself."""
    count, labels = connected_components(affinities, directed=False)
    firsts = np.unique(labels, return_index=True)[1]
    largest = affinities.max()
    weight = (largest if largest > 0 else 1.0) * 1e-8
    affinities = affinities.tolil() if issparse(affinities) else affinities
    for a, b in zip(firsts[:-1], firsts[1:]):
        affinities[a, b] = affinities[b, a] = weight
    return affinities.tocsr() if issparse(affinities) else affinities


def _known_solver(solver: str | None) -> None:
    if solver == "amg":
        if find_spec("pyamg") is None:
            raise ValueError("The eigen_solver was set to 'amg', but pyamg is not available.")
    elif solver not in (None, "arpack", "lobpcg"):
        raise ValueError(f"eigen_solver = {solver!r} is not one of None, 'arpack', 'lobpcg', 'amg'")


class SpectralEmbedding(Ours, theirs.SpectralEmbedding):
    """Laplacian eigenmaps with scikit-learn's affinities. `eigen_solver`, `eigen_tol` and `random_state` are accepted and
    not needed.

    Examples
    --------
    >>> from sklearn.datasets import make_s_curve
    >>> from lowland.sklearn import SpectralEmbedding
    >>> X, _ = make_s_curve(200, random_state=0)
    >>> SpectralEmbedding(2).fit_transform(X).shape
    (200, 2)
    """

    def fit(self, X: Any, y: Any = None) -> SpectralEmbedding:
        """Fits the model to the rows of `X`, or to a matrix of affinities; `y` is ignored."""
        X = self._checked(X, reset=True, sparse="csr")
        self.n_neighbors_ = self.n_neighbors if self.n_neighbors is not None else max(int(X.shape[0] / 10), 1)
        affinity = self.affinity
        if callable(affinity):
            self.affinity_matrix_ = affinity(X)
        elif affinity == "rbf":
            self.gamma_ = self.gamma if self.gamma is not None else 1.0 / X.shape[1]
            self.affinity_matrix_ = pairwise_kernels(X, metric="rbf", gamma=self.gamma_)
        else:
            self.affinity_matrix_ = _graph(X, affinity, self.n_neighbors_, self.n_jobs)
        self.embedding_ = spectral_embedding(
            self.affinity_matrix_, n_components=self.n_components, eigen_solver=self.eigen_solver
        )
        self.embedding_ = same_precision(self.embedding_, X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fits the model and returns the embedding of the rows of `X`."""
        return self.fit(X).embedding_


def _graph(X: Any, affinity: str, n_neighbors: int, n_jobs: int | None) -> Any:
    """The affinities of neighbors, or those that are given."""
    if affinity == "precomputed":
        return X
    if affinity == "nearest_neighbors":
        graph = kneighbors_graph(X, n_neighbors, include_self=True, n_jobs=n_jobs)
    else:
        search = NearestNeighbors(n_neighbors=n_neighbors, n_jobs=n_jobs, metric="precomputed").fit(X)
        graph = search.kneighbors_graph(X=X, mode="connectivity")
    return 0.5 * (graph + graph.T)


class SpectralClustering(Ours, their_clusters.SpectralClustering):
    """Spectral clustering with scikit-learn's affinities and rules: the eigenvectors are Lowland's, `kmeans` and
    `discretize` scikit-learn's. `eigen_solver`, `eigen_tol` are accepted and not needed.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from lowland.sklearn import SpectralClustering
    >>> X, _ = make_moons(100, random_state=0)
    >>> SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(X).labels_.shape
    (100,)
    """

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Finds the clusters of the rows of `X`, or of a matrix of affinities; `y` is ignored."""
        X = self._checked(X, reset=True, sparse=("csr", "csc", "coo"))
        given = self.affinity in ("precomputed", "precomputed_nearest_neighbors")
        if X.shape[0] == X.shape[1] and not given:
            _warn(
                "The spectral clustering API has changed. ``fit``now constructs an affinity matrix from data. To use a "
                "custom affinity matrix, set ``affinity=precomputed``.",
                UserWarning,
            )
        if given or self.affinity == "nearest_neighbors":
            self.affinity_matrix_ = _graph(X, self.affinity, self.n_neighbors, self.n_jobs)
        else:
            params = dict(self.kernel_params or {})
            if not callable(self.affinity):
                params.update(gamma=self.gamma, degree=self.degree, coef0=self.coef0)
                # Only what the kernel knows.
                known = KERNEL_PARAMS.get(self.affinity, ())
                params = {name: value for name, value in params.items() if name in known}
            self.affinity_matrix_ = pairwise_kernels(X, metric=self.affinity, **params)
        rng = check_random_state(self.random_state)
        count = self.n_clusters if self.n_components is None else self.n_components
        maps = spectral_embedding(
            self.affinity_matrix_, n_components=count, eigen_solver=self.eigen_solver, drop_first=False
        )
        if self.verbose:
            print(f"Computing label assignment using {self.assign_labels}")
        self.labels_ = _assigned(maps, self.assign_labels, self.n_clusters, rng, self.n_init, self.verbose)
        return self


def _assigned(maps: np.ndarray, rule: str, count: int, rng: Any, n_init: int = 10, verbose: bool = False) -> np.ndarray:
    if rule == "kmeans":
        found: Any = k_means(maps, count, random_state=rng, n_init=n_init, verbose=verbose)  # pyright: ignore[reportArgumentType]
        return found[1]
    if rule == "cluster_qr":
        return cluster_qr(maps)
    from sklearn.cluster._spectral import discretize

    return discretize(maps, random_state=rng)


def cluster_qr(vectors: np.ndarray) -> np.ndarray:
    """Clusters of the rows of eigenvectors, one a column: the rows that a pivoted QR factorization picks stand for a
    cluster each, and the polar factor turns the vectors onto them (Damle, Minden and Ying 2019)."""
    count = vectors.shape[1]
    factors: Any = linalg.qr(vectors.T, pivoting=True)
    picked = factors[2][:count]
    left, _, right = linalg.svd(vectors[picked].T)
    return np.abs(vectors @ (left @ right.conj())).argmax(axis=1)


def spectral_clustering(
    affinity: Any,
    *,
    n_clusters: int = 8,
    n_components: int | None = None,
    eigen_solver: str | None = None,
    random_state: Any = None,
    n_init: int = 10,
    eigen_tol: Any = "auto",
    assign_labels: str = "kmeans",
    verbose: bool = False,
) -> np.ndarray:
    """The clusters of a matrix of affinities, as `sklearn.cluster.spectral_clustering` returns them."""
    estimator = SpectralClustering(
        n_clusters=n_clusters,
        n_components=n_components,
        eigen_solver=eigen_solver,
        random_state=random_state,
        n_init=n_init,
        affinity="precomputed",
        eigen_tol=eigen_tol,
        assign_labels=assign_labels,
        verbose=verbose,
    )
    return estimator.fit(affinity).labels_
