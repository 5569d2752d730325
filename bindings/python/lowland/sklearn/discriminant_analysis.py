"""`sklearn.discriminant_analysis` by Lowland."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.discriminant_analysis as theirs

from .._arguments import _labels
from .._compat import _from_elsewhere
from ._shared import Ours, left_to_scikit_learn, of_scikit_learn, same_precision, unheard

__all__ = ["LinearDiscriminantAnalysis"]


class LinearDiscriminantAnalysis(Ours, theirs.LinearDiscriminantAnalysis):
    """The classifier and the reducer. The directions come from Lowland with `solver="svd"`, the default; the solvers
    `lsqr` and `eigen` are scikit-learn's.

    Examples
    --------
    >>> import numpy as np
    >>> from lowland.sklearn import LinearDiscriminantAnalysis
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> LinearDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    def fit(self, X: Any, y: Any) -> LinearDiscriminantAnalysis:
        """Fits the model to the rows of `X` with the labels `y`."""
        # The checks, the classes and the priors are scikit-learn's, which then asks for the solver below.
        if self.solver != "svd":
            left_to_scikit_learn(self, f"solver={self.solver!r}")
        return super().fit(_from_elsewhere(X), y)

    def _solve_svd(self, X: np.ndarray, y: np.ndarray) -> None:
        n, d = X.shape
        groups = len(self.classes_)
        if groups == 1 or d == 0:
            return super()._solve_svd(X, y)
        with unheard():
            found = self._native_fit(
                "lda", {"tol": max(float(self.tol), 1e-300)}, X, labels=_labels(y, "LDA"), quiet=True
            ).attributes()
        self.means_ = found["means"]
        if self.store_covariance:
            residuals = X - self.means_[np.searchsorted(self.classes_, y)]
            covariance = np.zeros((d, d))
            for group, prior in zip(self.classes_, self.priors_):
                rows = residuals[y == group]
                covariance += prior * (rows.T @ rows) / len(rows)
            self.covariance_ = same_precision(covariance, X)
        self.xbar_ = self.priors_ @ self.means_
        scalings = found["scalings"]
        scalings = scalings[:, np.abs(scalings).max(axis=0) > 0]
        # The directions span what parts the means; which of them part them most depends on the priors.
        weights = np.sqrt(n * self.priors_ / (groups - 1))
        _, values, rotation = np.linalg.svd((weights * (self.means_ - self.xbar_).T).T @ scalings, full_matrices=False)
        squares = np.zeros(self._max_components)
        total = (values**2).sum()
        if total > 0:
            squares[: len(values)] = (values**2 / total)[: self._max_components]
        rank = int((values > self.tol * values[0]).sum()) if total > 0 else 0
        self.scalings_ = scalings @ rotation.T[:, :rank]
        projected = (self.means_ - self.xbar_) @ self.scalings_
        self.intercept_ = -0.5 * (projected**2).sum(axis=1) + np.log(self.priors_)
        self.coef_ = projected @ self.scalings_.T
        self.intercept_ = self.intercept_ - self.xbar_ @ self.coef_.T
        self.explained_variance_ratio_ = squares
        for name in ("means_", "xbar_", "scalings_", "coef_", "intercept_", "explained_variance_ratio_"):
            setattr(self, name, same_precision(getattr(self, name), X))


def __getattr__(name: str) -> Any:
    return of_scikit_learn(theirs, name)
