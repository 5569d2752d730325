"""`sklearn.decomposition` by Lowland: PCA and its relatives."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import sklearn.decomposition as theirs
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import KernelCenterer
from sklearn.utils import gen_batches

from .. import _native
from .._arguments import _native_data, _warn
from ._ica import FastICA, fastica
from ._shared import Ours, layout_of, of_scikit_learn, same_precision, signs_of_rows, unheard

__all__ = ["PCA", "FactorAnalysis", "FastICA", "IncrementalPCA", "KernelPCA", "TruncatedSVD", "fastica"]

SOLVERS = {"covariance_eigh": "covariance", "arpack": "krylov"}


class PCA(Ours, theirs.PCA):
    """Principal component analysis with scikit-learn's parameters, attributes and signs, fitted by Lowland.

    `tol`, `copy` and `power_iteration_normalizer` are accepted and not needed.

    Examples
    --------
    >>> import numpy as np
    >>> from lowland.sklearn import PCA
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> PCA(2).fit(X).explained_variance_ratio_.round(4)
    array([0.9924, 0.0076])
    """

    def fit(self, X: Any, y: Any = None) -> PCA:
        """Fits the model to the rows of `X`; `y` is ignored."""
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fits the model and returns the coordinates of the rows of `X`."""
        return self.transform(self._fit(X))

    def _fit(self, X: Any) -> Any:
        self._validate_params()
        if sparse.issparse(X) and self.svd_solver not in ("auto", "arpack", "covariance_eigh"):
            raise TypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while '
                f'"{self.svd_solver}" was passed. See TruncatedSVD for a possible alternative.'
            )
        X = self._checked(X, reset=True, sparse=("csr", "csc"), rows=1)
        n, d = X.shape
        least = min(n, d)
        count = self._count(n, d)
        if least == 1 or count == 0:
            self._degenerate(X, count)
            return X
        solver = SOLVERS.get(self.svd_solver, self.svd_solver)
        if sparse.issparse(X):
            solver = "auto"
            if isinstance(count, (int, np.integer)) and count >= least:
                solver = "covariance"
        parameters = {
            "n_components": count if isinstance(count, (str, float)) else int(count),
            "svd_solver": solver,
            "whiten": self.whiten,
            "n_oversamples": int(self.n_oversamples),
            "iterated_power": None if self.iterated_power == "auto" else int(self.iterated_power),
        }
        with unheard():
            model = self._native_fit("pca", parameters, X.tocsr() if sparse.issparse(X) else X, quiet=True)
        found = model.attributes()
        components = same_precision(found["components"], X)
        self.components_ = components * signs_of_rows(components)[:, None]
        self.explained_variance_ = same_precision(found["explained_variance"], X)
        self.explained_variance_ratio_ = same_precision(found["explained_variance_ratio"], X)
        self.singular_values_ = same_precision(found["singular_values"], X)
        self.mean_ = same_precision(found["mean"], X)
        self.n_components_, self.n_samples_ = len(components), n
        kept = found["explained_variance_ratio"].sum()
        total = found["explained_variance"].sum() / kept if kept > 0 else 0.0
        rest = least - len(components)
        noise = max(total - found["explained_variance"].sum(), 0.0) / rest if rest > 0 else 0.0
        self.noise_variance_ = same_precision(noise, X)[()]
        return X

    def _count(self, n: int, d: int) -> Any:
        """The number of components as the native side takes it, and scikit-learn's words where it is wrong."""
        count, least, solver = self.n_components, min(n, d), self.svd_solver
        if count is None:
            return least - 1 if solver == "arpack" else least
        if count == "mle":
            if n < d:
                raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
            if solver in ("arpack", "randomized"):
                raise ValueError(f"n_components={count!r} cannot be a string with svd_solver='{solver}'")
            return count
        if solver == "arpack" and not 1 <= count < least:
            raise ValueError(
                f"n_components={count!r} must be strictly less than min(n_samples, n_features)={least} "
                f"with svd_solver='{solver}'"
                if count >= least
                else f"n_components={count!r} must be between 1 and min(n_samples, n_features)={least} with "
                f"svd_solver='{solver}'"
            )
        if solver == "randomized" and not 1 <= count <= least:
            raise ValueError(
                f"n_components={count!r} must be between 1 and min(n_samples, n_features)={least} with "
                f"svd_solver='{solver}'"
            )
        if not 0 <= count <= least:
            raise ValueError(
                f"n_components={count} must be between 0 and min(n_samples, n_features)={least} with "
                f"svd_solver={self.svd_solver if solver != 'auto' else 'full'!r}"
            )
        return count

    def _degenerate(self, X: Any, count: Any) -> None:
        """One row, one column or no component: too little for a fit, and scikit-learn allows it."""
        dense = X.toarray() if sparse.issparse(X) else X
        n, d = X.shape
        self.mean_ = dense.mean(axis=0)
        centered = dense - self.mean_
        _, values, components = linalg.svd(centered, full_matrices=False)
        variances = values**2 / max(n - 1, 1)
        kept = 1 if isinstance(count, (str, float)) else int(count)
        self.components_ = components[:kept] * signs_of_rows(components[:kept])[:, None]
        self.explained_variance_, self.singular_values_ = variances[:kept], values[:kept]
        total = variances.sum()
        self.explained_variance_ratio_ = variances[:kept] / total if total > 0 else variances[:kept]
        self.n_components_, self.n_samples_ = kept, n
        self.noise_variance_ = variances[kept:].mean() if kept < min(n, d) else X.dtype.type(0)


class IncrementalPCA(Ours, theirs.IncrementalPCA):
    """PCA of rows that come in batches. Lowland's result is that of all rows as one table, not an approximation of it.

    Examples
    --------
    >>> import numpy as np
    >>> from lowland.sklearn import IncrementalPCA
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> IncrementalPCA(2, batch_size=20).fit(X).n_samples_seen_
    100
    """

    n_components_: int

    def fit(self, X: Any, y: Any = None) -> IncrementalPCA:
        """Fits the model to the rows of `X`, batch by batch; `y` is ignored."""
        X = self._checked(X, reset=True, sparse=("csr", "csc", "lil"), rows=1)
        for name in ("components_", "n_samples_seen_", "_stream"):
            if name in self.__dict__:
                delattr(self, name)
        n, d = X.shape
        self.batch_size_ = 5 * d if self.batch_size is None else self.batch_size
        for batch in gen_batches(n, self.batch_size_, min_batch_size=self.n_components or 0):
            rows = X[batch]
            self._push(rows.toarray() if sparse.issparse(rows) else rows)
        self._finish(X)
        return self

    def partial_fit(self, X: Any, y: Any = None, check_input: bool = True) -> IncrementalPCA:
        """Takes a batch of rows; `y` is ignored."""
        first = not hasattr(self, "components_")
        self._validate_params()
        if check_input:
            if sparse.issparse(X):
                raise TypeError(
                    "IncrementalPCA.partial_fit does not support sparse input. Either convert data to dense or use "
                    "IncrementalPCA.fit to do so in batches."
                )
            X = self._checked(X, reset=first, rows=1)
        self._push(X)
        self._finish(X)
        return self

    def _push(self, X: np.ndarray) -> None:
        n, d = X.shape
        first = not hasattr(self, "n_samples_seen_")
        if self.n_components is None:
            count = min(n, d) if first else self.n_components_
        elif self.n_components > d:
            raise ValueError(
                f"n_components={self.n_components!r} invalid for n_features={d}, need more rows than columns for "
                "IncrementalPCA processing"
            )
        elif self.n_components > n and first:
            raise ValueError(
                f"n_components={self.n_components} must be less or equal to the batch number of samples {n} for the "
                "first partial_fit call."
            )
        else:
            count = self.n_components
        if not first and self.n_components_ != count:
            raise ValueError(
                f"Number of input features has changed from {self.n_components_} to {count} between calls to "
                "partial_fit! Try setting n_components to a fixed value."
            )
        self.n_components_ = count
        if "_stream" not in self.__dict__:
            # A model that was unpickled goes on from what it knows.
            known = None if first else self._model
            self._stream = _native.stream("pca", {"n_components": int(count)}, known)
        if first:
            self.n_samples_seen_, self.mean_, self.var_ = 0, np.zeros(d), np.zeros(d)
        # The variance of each column by Chan, Golub and LeVeque's update.
        seen, total = self.n_samples_seen_, self.n_samples_seen_ + n
        wide = X.astype(np.float64)
        mean = wide.mean(axis=0)
        shift = mean - self.mean_
        self.var_ = (seen * self.var_ + n * wide.var(axis=0) + shift**2 * (seen * n / total)) / total
        self.mean_ = self.mean_ + shift * (n / total)
        self.n_samples_seen_ = total
        self._stream.push(_native_data(X), self._native_settings())

    def _finish(self, X: Any) -> None:
        if self.n_samples_seen_ < 2:
            raise ValueError("1 sample was given, and a variance needs 2: give larger batches")
        self._model = self._stream.finish(self._native_settings())
        found = self._model.attributes()
        components = same_precision(found["components"], X)
        self.components_ = components * signs_of_rows(components)[:, None]
        self.explained_variance_ = same_precision(found["explained_variance"], X)
        self.singular_values_ = same_precision(found["singular_values"], X)
        self.explained_variance_ratio_ = same_precision(found["explained_variance_ratio"], X)
        self.mean_, self.var_ = same_precision(self.mean_, X), same_precision(self.var_, X)
        least = min(self.n_samples_seen_, len(self.mean_))
        total = float(self.var_.sum()) * self.n_samples_seen_ / (self.n_samples_seen_ - 1)
        rest = least - self.n_components_
        self.noise_variance_ = max(total - float(found["explained_variance"].sum()), 0.0) / rest if rest > 0 else 0.0

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        state.pop("_stream", None)
        return state


class TruncatedSVD(Ours, theirs.TruncatedSVD):
    """Truncated singular value decomposition, exact: `n_iter`, `n_oversamples` and `tol` are accepted and not needed.

    Examples
    --------
    >>> import numpy as np
    >>> from lowland.sklearn import TruncatedSVD
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> TruncatedSVD(2).fit(X).explained_variance_ratio_.shape
    (2,)
    """

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fits the model and returns the coordinates of the rows of `X`."""
        X = self._checked(X, reset=True, sparse=("csr", "csc"), rows=1, ensure_min_features=2)
        count, d = self.n_components, X.shape[1]
        if self.algorithm == "randomized" and count > d:
            raise ValueError(f"n_components({count}) must be <= n_features({d}).")
        if self.algorithm == "arpack" and count >= min(X.shape):
            raise ValueError(f"n_components({count}) must be < {min(X.shape)}, the smaller of rows and columns")
        kept = min(count, *X.shape)
        rows = X.tocsr() if sparse.issparse(X) else X
        found = self._native_fit("truncated-svd", {"n_components": int(kept)}, rows, quiet=True).attributes()
        components = same_precision(found["components"], X)
        self.components_ = components * signs_of_rows(components)[:, None]
        self.singular_values_ = same_precision(found["singular_values"], X)
        embedding = X @ self.components_.T
        for name in ("explained_variance", "explained_variance_ratio"):
            setattr(self, f"{name}_", same_precision(found[name], X))
        return embedding


class FactorAnalysis(Ours, theirs.FactorAnalysis):
    """Factor analysis by maximum likelihood. `svd_method`, `iterated_power`, `noise_variance_init` and `copy` are accepted
    and not needed: the search always ends at the maximum, whatever the tolerance.

    Examples
    --------
    >>> import numpy as np
    >>> from lowland.sklearn import FactorAnalysis
    >>> X = np.random.default_rng(0).normal(size=(50, 5))
    >>> FactorAnalysis(2).fit_transform(X).shape
    (50, 2)
    """

    def fit(self, X: Any, y: Any = None) -> FactorAnalysis:
        """Fits the model to the rows of `X`; `y` is ignored."""
        X = self._checked(X, reset=True).astype(np.float64)
        n, d = X.shape
        if self.noise_variance_init is not None and len(self.noise_variance_init) != d:
            raise ValueError(
                f"noise_variance_init dimension does not with number of features : {len(self.noise_variance_init)} != {d}"
            )
        if self.n_components == 0:
            # Independent columns.
            self.components_, self.noise_variance_ = np.zeros((0, d)), np.maximum(X.var(axis=0), 1e-12)
            self.mean_, self.n_iter_ = X.mean(axis=0), 1
            self.loglike_ = [float(self.score_samples(X).sum())]
            return self
        parameters = {
            "n_components": d if self.n_components is None else int(self.n_components),
            "rotation": self.rotation or "none",
            # Theirs is of the sum over rows, ours of the mean.
            "tol": min(max(self.tol / n, 1e-12), 0.1),
            "max_iter": int(self.max_iter),
        }
        found = self._native_fit("factor-analysis", parameters, X).attributes()
        if self.max_iter < 2:
            # As scikit-learn has it: one step cannot show that the next one would gain nothing.
            _warn("FactorAnalysis did not converge. You might want to increase the number of iterations.", ConvergenceWarning)
        self.components_, self.noise_variance_ = found["components"], found["noise_variance"]
        self.mean_, self.n_iter_ = found["mean"], found["n_iter"]
        self.loglike_ = (np.asarray(found["loglike"]) * n).tolist()
        return self


class KernelPCA(Ours, theirs.KernelPCA):
    """Kernel PCA with scikit-learn's kernels, a function as kernel, or a kernel matrix. `eigen_solver`, `tol`, `max_iter`,
    `iterated_power` and `copy_X` are accepted and not needed.

    Examples
    --------
    >>> import numpy as np
    >>> from lowland.sklearn import KernelPCA
    >>> X = np.random.default_rng(0).normal(size=(30, 5))
    >>> KernelPCA(2, kernel="rbf").fit_transform(X).shape
    (30, 2)
    """

    def fit(self, X: Any, y: Any = None) -> KernelPCA:
        """Fits the model to the rows of `X`; `y` is ignored."""
        if self.fit_inverse_transform and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        X = self._checked(X, reset=True, sparse="csr", copy=self.copy_X)
        self.gamma_ = 1 / X.shape[1] if self.gamma is None else self.gamma
        # scikit-learn's kernels, functions among them, for dense and sparse rows.
        K = self._get_kernel(X)
        if sparse.issparse(K):
            K = K.toarray()
        if not np.isfinite(K).all():
            raise ValueError("the kernel contains NaN or infinity")
        n = len(K)
        count = n if self.n_components is None else min(n, self.n_components)
        # Only what the native side needs to solve it; the least eigenvalue of a centered kernel is 0.
        asked = max(1, min(count, n - 1))
        self._centerer = KernelCenterer().set_output(transform="default").fit(K)
        # Centering makes some matrices symmetric that were not.
        K = self._centerer.transform(K.astype(np.float64))
        model = self._native_fit("kernel-pca", {"n_components": asked}, (K + K.T) / 2, "kernel", quiet=True)
        self._refuse_negative(model, X)
        values = np.zeros(count)
        values[:asked] = model.attributes()["eigenvalues"][:asked]
        # As scikit-learn does: what cannot be told from zero is zero.
        values[values < max(values.max(), 0.0) * (1e-12 if X.dtype == np.float64 else 2e-7)] = 0.0
        vectors = np.zeros((n, count))
        positive = np.flatnonzero(values)
        embedding = layout_of(model)
        vectors[:, positive] = embedding[:, positive] / np.sqrt(values[positive])
        vectors *= signs_of_rows(vectors.T)
        if self.remove_zero_eig or self.n_components is None:
            values, vectors = values[positive], vectors[:, positive]
        self.eigenvalues_, self.eigenvectors_ = same_precision(values, X), same_precision(vectors, X)
        self.X_fit_ = X
        if self.fit_inverse_transform:
            self._learn_preimages(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> np.ndarray:
        """Fits the model and returns the coordinates of the rows of `X`."""
        self.fit(X, **params)
        return self.eigenvectors_ * np.sqrt(self.eigenvalues_)

    @staticmethod
    def _refuse_negative(model: _native.Model, X: Any) -> None:
        """Components of negative eigenvalues, beyond what rounding explains, are an error in scikit-learn."""
        least = 1e-5 if X.dtype == np.float64 else 5e-3
        for warning in json.loads(model.report()[0])["warnings"]:
            if warning["warning"] == "negative_eigenvalues" and warning["share"] > least:
                raise ValueError(
                    f"There are significant negative eigenvalues ({100 * warning['share']:.2g} % of the magnitude of those "
                    "found). Either the matrix is not PSD, or there was an issue while computing the eigendecomposition of "
                    "the matrix; ask for fewer components"
                )

    def _learn_preimages(self, X: Any) -> None:
        if sparse.issparse(X):
            raise NotImplementedError("Inverse transform not implemented for sparse matrices!")
        self.X_transformed_fit_ = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        K = self._get_kernel(self.X_transformed_fit_)
        K.flat[:: len(K) + 1] += self.alpha
        self.dual_coef_ = linalg.solve(K, X, assume_a="pos", overwrite_a=True)


def __getattr__(name: str) -> Any:
    return of_scikit_learn(theirs, name)
