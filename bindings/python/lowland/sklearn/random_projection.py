"""`sklearn.random_projection` by Lowland."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.random_projection as theirs
from scipy import sparse
from sklearn.random_projection import johnson_lindenstrauss_min_dim

from .. import _native
from .._arguments import _seed
from .._compat import _from_elsewhere
from ._shared import Ours, of_scikit_learn

__all__ = ["GaussianRandomProjection", "SparseRandomProjection", "johnson_lindenstrauss_min_dim"]


def _matrix(count: int, columns: int, random_state: Any, **parameters: Any) -> np.ndarray:
    """The matrix that Lowland draws: it depends on the shape and the seed alone. More components than columns are drawn
    in blocks of as many as there are columns."""
    rows, seed, blocks = np.zeros((2, columns)), _seed(random_state), []
    for begin in range(0, count, columns):
        size = min(columns, count - begin)
        settings = _native.Settings(seed=(seed + begin) % 2**64)
        model = _native.fit("random-projection", {"n_components": size, **parameters}, rows, "points", settings)
        blocks.append(model.attributes()["components"] * np.sqrt(size / count))
    return np.vstack(blocks)


class Drawn(Ours):
    """Rows of any library."""

    def fit(self, X: Any, y: Any = None) -> Any:
        """Draws the matrix for the shape of `X`; `y` is ignored."""
        return super().fit(_from_elsewhere(X), y)  # type: ignore[misc]  # of scikit-learn

    def transform(self, X: Any) -> Any:
        """The rows of `X`, projected."""
        return super().transform(_from_elsewhere(X))  # type: ignore[misc]  # of scikit-learn


class GaussianRandomProjection(Drawn, theirs.GaussianRandomProjection):
    """A Gaussian random projection, drawn by Lowland.

    Examples
    --------
    >>> import numpy as np
    >>> from lowland.sklearn import GaussianRandomProjection
    >>> GaussianRandomProjection(5, random_state=0).fit_transform(np.eye(20)).shape
    (20, 5)
    """

    def _make_random_matrix(self, n_components: int, n_features: int) -> np.ndarray:
        return _matrix(n_components, n_features, self.random_state, kind="gaussian")


class SparseRandomProjection(Drawn, theirs.SparseRandomProjection):
    """A sparse random projection, drawn by Lowland.

    Examples
    --------
    >>> import numpy as np
    >>> from lowland.sklearn import SparseRandomProjection
    >>> SparseRandomProjection(5, random_state=0).fit(np.eye(20)).components_.shape
    (5, 20)
    """

    def _make_random_matrix(self, n_components: int, n_features: int) -> Any:
        self.density_ = 1 / np.sqrt(n_features) if self.density == "auto" else self.density
        components = _matrix(n_components, n_features, self.random_state, kind="sparse", density=float(self.density_))
        return components if self.density_ == 1 else sparse.csr_matrix(components)


def __getattr__(name: str) -> Any:
    return of_scikit_learn(theirs, name)
