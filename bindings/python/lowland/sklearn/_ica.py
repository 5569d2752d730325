"""FastICA by Lowland."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import sklearn.decomposition as theirs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._arguments import _warn
from ._shared import Ours, left_to_scikit_learn, same_precision

__all__ = ["FastICA", "fastica"]


class FastICA(Ours, theirs.FastICA):
    """Independent component analysis. A contrast that is a function or has `fun_args`, `w_init` and `whiten=False` are
    computed by scikit-learn; everything else by Lowland, whatever `whiten_solver`.

    Examples
    --------
    >>> import numpy as np
    >>> from lowland.sklearn import FastICA
    >>> S = np.random.default_rng(0).laplace(size=(200, 2))
    >>> FastICA(2, random_state=0).fit_transform(S @ [[1.0, 2.0], [0.5, 1.0]] + S).shape
    (200, 2)
    """

    def fit(self, X: Any, y: Any = None) -> FastICA:
        """Fits the model to the rows of `X`; `y` is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fits the model and returns the sources of the rows of `X`."""
        self._validate_params()
        if callable(self.fun) or self.fun_args or self.w_init is not None or not self.whiten:
            left_to_scikit_learn(self, "a contrast that is a function, w_init or whiten=False")
            sources: Any = theirs.FastICA.fit_transform(self, X, y)
            return sources
        X = self._checked(X, reset=True)
        n, d = X.shape
        least = min(n, d)
        count = least if self.n_components is None else min(int(self.n_components), least)
        if self.n_components is not None and count < self.n_components:
            _warn(f"n_components is too large: it will be set to {count}", UserWarning)
        parameters = {
            "n_components": count,
            "algorithm": self.algorithm,
            "fun": self.fun,
            "tol": min(max(self.tol, 1e-12), 0.1),
            "max_iter": int(self.max_iter),
        }
        model = self._native_fit("fast-ica", parameters, X, quiet=True)
        found = model.attributes()
        if any(warning["warning"] == "not_converged" for warning in json.loads(model.report()[0])["warnings"]):
            _warn(
                "FastICA did not converge. Consider increasing tolerance or the maximum number of iterations.",
                ConvergenceWarning,
            )
        self.mean_, self.n_iter_ = found["mean"], found["n_iter"]
        components = found["components"]
        deviations = ((X - self.mean_) @ components.T).std(axis=0)
        deviations[deviations == 0] = 1.0
        # Of arbitrary variance means orthogonal directions of whitened data: the sources have variance 1/n.
        scale = np.sqrt(n) if self.whiten == "arbitrary-variance" else 1.0
        components = components / (deviations * scale)[:, None]
        self.components_ = same_precision(components, X)
        self.mean_ = same_precision(self.mean_, X)
        self.mixing_ = np.linalg.pinv(self.components_)
        # The rotation that is left of the components once the data are whitened, and that whitening.
        _, values, directions = np.linalg.svd(X - self.mean_, full_matrices=False)
        small = values < np.finfo(values.dtype).eps * 10
        if self.whiten_solver == "eigh" and small.any():
            _warn(
                "There are some small singular values, using whiten_solver = 'svd' might lead to more accurate results.",
                UserWarning,
            )
        values[small] = 1.0
        self.whitening_ = same_precision(directions[:count] / values[:count, None], X)
        self._unmixing = self.components_ @ np.linalg.pinv(self.whitening_)
        return same_precision((X - self.mean_) @ self.components_.T, X)


def fastica(
    X: Any,
    n_components: int | None = None,
    *,
    algorithm: str = "parallel",
    whiten: Any = "unit-variance",
    fun: Any = "logcosh",
    fun_args: dict[str, Any] | None = None,
    max_iter: int = 200,
    tol: float = 1e-04,
    w_init: Any = None,
    whiten_solver: str = "svd",
    random_state: Any = None,
    return_X_mean: bool = False,
    compute_sources: bool = True,
    return_n_iter: bool = False,
) -> tuple[Any, ...]:
    """The whitening, the unmixing matrix and the sources of the rows of `X`, as `sklearn.decomposition.fastica` returns
    them: with the mean and the number of steps where they are asked for."""
    estimator = FastICA(
        n_components=n_components,
        algorithm=algorithm,
        whiten=whiten,
        fun=fun,
        fun_args=fun_args,
        max_iter=max_iter,
        tol=tol,
        w_init=w_init,
        whiten_solver=whiten_solver,
        random_state=check_random_state(random_state),
    )
    sources = estimator.fit_transform(X)
    whitening = estimator.whitening_ if estimator.whiten else None
    result = [whitening, estimator._unmixing, sources if compute_sources else None]
    if return_X_mean:
        result.append(estimator.mean_ if estimator.whiten else None)
    if return_n_iter:
        result.append(estimator.n_iter_)
    return tuple(result)
