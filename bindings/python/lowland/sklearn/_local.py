"""Locally linear embedding and its relatives by Lowland."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.manifold as theirs
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from .._compat import check_array
from ._shared import Ours, layout_of, same_precision, signs_of_rows

__all__ = ["LocallyLinearEmbedding", "locally_linear_embedding"]

METHODS = {"standard": "lle", "hessian": "hessian-lle", "modified": "modified-lle", "ltsa": "ltsa"}


class LocallyLinearEmbedding(Ours, theirs.LocallyLinearEmbedding):
    """Locally linear embedding: `standard`, `hessian`, `modified` and `ltsa`. The columns have length 1, as scikit-learn's;
    those of Lowland's own classes are larger by the square root of the rows. `eigen_solver`, `tol`, `max_iter`, `hessian_tol`,
    `modified_tol` and `neighbors_algorithm` are accepted and not needed.

    Examples
    --------
    >>> from sklearn.datasets import make_s_curve
    >>> from lowland.sklearn import LocallyLinearEmbedding
    >>> X, _ = make_s_curve(200, random_state=0)
    >>> LocallyLinearEmbedding(n_neighbors=10, method="ltsa").fit_transform(X).shape
    (200, 2)
    """

    def fit(self, X: Any, y: Any = None) -> LocallyLinearEmbedding:
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
        X = self._checked(X, reset=True)
        n, d = X.shape
        count = self.n_components
        if count > d:
            raise ValueError("output dimension must be less than or equal to input dimension")
        if self.n_neighbors >= n:
            raise ValueError(
                f"Expected n_neighbors < n_samples,  but n_samples = {n}, n_neighbors = {self.n_neighbors}"
            )
        if self.method == "hessian" and self.n_neighbors <= count * (count + 3) // 2:
            raise ValueError(
                "for method='hessian', n_neighbors must be greater than [n_components * (n_components + 3) / 2]"
            )
        if self.method == "modified" and self.n_neighbors < count:
            raise ValueError("modified LLE requires n_neighbors >= n_components")
        parameters: dict[str, Any] = {"n_components": int(count), "n_neighbors": int(self.n_neighbors)}
        if self.method in ("standard", "modified"):
            parameters["reg"] = float(self.reg)
        model = self._native_fit(METHODS[self.method], parameters, X)
        embedding = layout_of(model)
        lengths = np.linalg.norm(embedding, axis=0)
        self._factors = signs_of_rows(embedding.T) / np.where(lengths > 0, lengths, 1)
        self.embedding_ = same_precision(embedding * self._factors, X)
        self.reconstruction_error_ = float(np.sum(model.attributes()["eigenvalues"]))
        self._n_features_out = count
        self._rows = X

    @property
    def nbrs_(self) -> NearestNeighbors:
        """scikit-learn's search among the training rows, made when it is asked for."""
        if "_rows" not in self.__dict__:
            raise AttributeError("nbrs_")
        search = NearestNeighbors(
            n_neighbors=self.n_neighbors, algorithm=self.neighbors_algorithm, n_jobs=self.n_jobs
        )
        return search.fit(self._rows)

    def transform(self, X: Any) -> np.ndarray:
        """The embedding of new rows."""
        check_is_fitted(self, "embedding_")
        X = self._checked(X, reset=False)
        return same_precision(self._native_rows(X) * self._factors, X)


def locally_linear_embedding(
    X: Any,
    *,
    n_neighbors: int,
    n_components: int,
    reg: float = 1e-3,
    eigen_solver: str = "auto",
    tol: float = 1e-6,
    max_iter: int = 100,
    method: str = "standard",
    hessian_tol: float = 1e-4,
    modified_tol: float = 1e-12,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, float]:
    """The embedding of the rows of `X` and its reconstruction error, as `sklearn.manifold.locally_linear_embedding`
    returns them."""
    if isinstance(X, NearestNeighbors):
        X = X._fit_X
    estimator = LocallyLinearEmbedding(
        n_neighbors=n_neighbors,
        n_components=n_components,
        reg=reg,
        eigen_solver=eigen_solver,
        tol=tol,
        max_iter=max_iter,
        method=method,
        hessian_tol=hessian_tol,
        modified_tol=modified_tol,
        random_state=random_state,
        n_jobs=n_jobs,
    ).fit(check_array(X))
    return estimator.embedding_, estimator.reconstruction_error_
