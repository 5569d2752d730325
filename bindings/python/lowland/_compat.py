"""What the estimators take from scikit-learn, and plain stand-ins where it is not installed."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_array, validate_data

    HAS_SKLEARN = True
except ImportError:
    HAS_SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """The estimator has not been fitted yet."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by name, as scikit-learn has them."""

        @classmethod
        def _get_param_names(cls) -> list[str]:
            return sorted(set(inspect.signature(cls).parameters))

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """The parameters of the constructor with their values."""
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> Any:
            """Sets parameters of the constructor."""
            known = self._get_param_names()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(
                        f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known!r}."
                    )
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            defaults = inspect.signature(type(self)).parameters
            changed = [
                f"{name}={value!r}"
                for name, value in self.get_params().items()
                if repr(value) != repr(defaults[name].default)
            ]
            return f"{type(self).__name__}({', '.join(changed)})"

    class TransformerMixin:  # type: ignore[no-redef]
        """Nothing: the estimators define `fit_transform` themselves."""

    class ClassNamePrefixFeaturesOutMixin:  # type: ignore[no-redef]
        """Names of the components: the name of the class and a number."""

        def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
            """The names of the components."""
            prefix = type(self).__name__.lower()
            return np.asarray([f"{prefix}{i}" for i in range(self._n_features_out)], dtype=object)

    def check_array(  # type: ignore[no-redef]
        X: Any,
        *,
        accept_sparse: Any = False,
        dtype: Any = (np.float64, np.float32),
        ensure_all_finite: bool = False,
        ensure_min_samples: int = 1,
    ) -> Any:
        """A matrix in one of the precisions; the values are looked at in Rust."""
        from ._errors import InputError

        if hasattr(X, "tocsr"):
            if not accept_sparse:
                raise TypeError("Sparse data was passed, but dense data is required. Use '.toarray()'.")
            X = X.tocsr()
            return X if X.dtype in dtype else X.astype(dtype[0])
        X = np.asarray(X)
        if X.ndim != 2:
            raise InputError(f"Expected 2D array, got {X.ndim}D array instead", ndim=X.ndim)
        if X.dtype.kind == "c":
            raise InputError("Complex data not supported")
        if X.shape[0] < ensure_min_samples:
            raise InputError(
                f"Found array with {X.shape[0]} sample(s) (shape={X.shape}) while a minimum of "
                f"{ensure_min_samples} is required.",
                rows=X.shape[0],
            )
        return X if X.dtype in dtype else X.astype(dtype[0])

    def validate_data(estimator: Any, X: Any, *, reset: bool, **checks: Any) -> Any:  # type: ignore[no-redef]
        """`check_array`, and the width and names of the columns kept or compared."""
        from ._errors import InputError

        columns = getattr(X, "columns", None)
        X = check_array(X, **checks)
        if reset:
            estimator.n_features_in_ = X.shape[1]
            vars(estimator).pop("feature_names_in_", None)
            if columns is not None and all(isinstance(name, str) for name in columns):
                estimator.feature_names_in_ = np.asarray(list(columns), dtype=object)
        elif X.shape[1] != estimator.n_features_in_:
            raise InputError(
                f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
                f"{estimator.n_features_in_} features as input",
                expected=estimator.n_features_in_,
                found=X.shape[1],
            )
        return X


__all__ = [
    "HAS_SKLEARN",
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "NotFittedError",
    "TransformerMixin",
    "check_array",
    "validate_data",
]
