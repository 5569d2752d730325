"""`sklearn.neighbors` by Lowland: what of it reduces dimensions."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import sklearn.neighbors as theirs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from .._arguments import _PRECISIONS, _labels, _warn
from .._compat import _from_elsewhere
from ._shared import Ours, left_to_scikit_learn, of_scikit_learn, same_precision

__all__ = ["NeighborhoodComponentsAnalysis"]


class NeighborhoodComponentsAnalysis(Ours, theirs.NeighborhoodComponentsAnalysis):
    """Neighborhood components analysis. Lowland's map is turned to principal axes, which changes no distance. With a
    `callback` the search is scikit-learn's.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lowland.sklearn import NeighborhoodComponentsAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> NeighborhoodComponentsAnalysis(2).fit(X, y).transform(X).shape
    (150, 2)
    """

    components_: np.ndarray

    def fit(self, X: Any, y: Any) -> NeighborhoodComponentsAnalysis:
        """Fits the model to the rows of `X` with the labels `y`."""
        self._validate_params()
        if self.callback is not None:
            left_to_scikit_learn(self, "a search with a callback")
            return super().fit(X, y)
        X, y = validate_data(self, _from_elsewhere(X), y, dtype=_PRECISIONS, ensure_min_samples=2)
        check_classification_targets(y)
        self._refuse_misfits(X)
        labels = _labels(y, type(self).__name__)
        groups, (n, d) = len(set(labels)), X.shape
        count = d if self.n_components is None else int(self.n_components)
        init: Any = self.init
        start = None
        if self.warm_start and hasattr(self, "components_"):
            start = self.components_
        elif isinstance(init, (list, tuple, np.ndarray)):
            start = np.asarray(init, dtype=np.float64)
            count = len(start)
        elif init == "random":
            start = check_random_state(self.random_state).standard_normal((count, d))
        elif init == "auto":
            init = "lda" if count <= min(d, groups - 1) else "pca" if count < min(d, n) else "identity"
        begun = time.time()
        if groups == 1 or groups == n:
            # Every map is as good as any other.
            self.components_ = same_precision(np.eye(count, d) if start is None else start, X)
            self.n_iter_ = 1
        else:
            self._search(X, labels, count, str(init), start)
        if self.verbose:
            print(f"[{type(self).__name__}] Training took {time.time() - begun:8.2f}s.")
        return self

    def _search(self, X: np.ndarray, labels: list[int], count: int, init: str, start: np.ndarray | None) -> None:
        base = None
        if start is not None:
            # The search starts at the identity of coordinates in which the given map is the first axes.
            base = _completed(np.asarray(start, dtype=np.float64))
            init = "identity"
        parameters = {
            "n_components": count,
            "init": init,
            "tol": min(max(float(self.tol), 1e-15), 0.5),
            "max_iter": int(self.max_iter),
        }
        rows = X.astype(np.float64)
        model = self._native_fit("nca", parameters, rows if base is None else rows @ base.T, labels=labels, quiet=True)
        found = model.attributes()
        components = found["components"] if base is None else found["components"] @ base
        self.components_, self.n_iter_ = same_precision(components, X), found["n_iter"]
        if any("converge" in words for words in model.report()[1]):
            _warn(
                f"[{type(self).__name__}] NCA did not converge: increase max_iter, which is {self.max_iter}",
                ConvergenceWarning,
            )

    def _refuse_misfits(self, X: np.ndarray) -> None:
        """Dimensions that do not fit together, in scikit-learn's words."""
        d, count, known = X.shape[1], self.n_components, getattr(self, "components_", None)
        if count is not None and count > d:
            raise ValueError(
                f"The preferred dimensionality of the projected space `n_components` ({count}) cannot be greater than "
                f"the given data dimensionality ({d})!"
            )
        if self.warm_start and known is not None and known.shape[1] != d:
            raise ValueError(
                f"The new inputs dimensionality ({d}) does not match the input dimensionality of the previously learned "
                f"transformation ({known.shape[1]})."
            )
        if not isinstance(self.init, (list, tuple, np.ndarray)):
            return
        init = np.asarray(self.init)
        if init.ndim != 2 or init.shape[1] != d:
            raise ValueError(
                f"The input dimensionality ({init.shape[-1]}) of the given linear transformation `init` must match the "
                f"dimensionality of the given inputs `X` ({d})."
            )
        if init.shape[0] > init.shape[1]:
            raise ValueError(
                f"The output dimensionality ({init.shape[0]}) of the given linear transformation `init` cannot be greater "
                f"than its input dimensionality ({init.shape[1]})."
            )
        if count is not None and count != init.shape[0]:
            raise ValueError(
                f"The preferred dimensionality of the projected space `n_components` ({count}) does not match the output "
                f"dimensionality of the given linear transformation `init` ({init.shape[0]})!"
            )


def _completed(start: np.ndarray) -> np.ndarray:
    """An invertible matrix whose first rows are those of the map, moved a little where they depend on each other."""
    count, d = start.shape
    values = np.linalg.svd(start, compute_uv=False)
    if values[-1] <= 1e-8 * max(values[0], 1e-300):
        shift = 1e-6 * max(values[0], 1e-6)
        start = start + shift * np.random.default_rng(0).normal(size=start.shape)
    rest = np.linalg.svd(start, full_matrices=True)[2][count:]
    # In the units of the map, or the search would see the other directions first.
    scale = np.sqrt((start**2).sum() / count)
    return np.vstack([start, rest * scale])


def __getattr__(name: str) -> Any:
    return of_scikit_learn(theirs, name)
