"""What scikit-learn expects of an estimator, without importing it: `import lowland` must not wait for it. Where it has
been imported already, its own checks of the data are used, so that messages and feature names are exactly its own."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from ._errors import InputError, _counted

_OUTPUTS = ("transform", "fit_transform")


def sklearn_is_loaded() -> bool:
    """Whether somebody else has paid for its import."""
    return sys.modules.get("sklearn") is not None


class _NotFitted(ValueError, AttributeError):
    """The estimator has not been fitted yet."""


def not_fitted(words: str) -> Exception:
    """scikit-learn's `NotFittedError` where it is loaded, and the like of it elsewhere."""
    if sklearn_is_loaded():
        from sklearn.exceptions import NotFittedError

        return NotFittedError(words)
    return _NotFitted(words)


class BaseEstimator:
    """Parameters by name, tags, and tables out where they are asked for: scikit-learn's protocol."""

    n_features_in_: int
    feature_names_in_: np.ndarray

    @property
    def _n_features_out(self) -> int:
        raise NotImplementedError

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        for name in _OUTPUTS:
            if name in cls.__dict__:
                setattr(cls, name, _with_tables(cls.__dict__[name]))

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

    def set_output(self, *, transform: str | None = None) -> Any:
        """What `transform` and `fit_transform` return: `default` (arrays), `pandas` or `polars`."""
        if transform is not None:
            if transform not in ("default", "pandas", "polars"):
                raise ValueError(f"output config must be in ['default', 'pandas', 'polars'], got {transform}")
            self._sklearn_output_config = {**self.__dict__.get("_sklearn_output_config", {}), "transform": transform}
        return self

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the components: the name of the class and a number."""
        count = self._n_features_out
        if input_features is not None:
            given, names = np.asarray(input_features, dtype=object), getattr(self, "feature_names_in_", None)
            if names is not None and not np.array_equal(names, given):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError(
                    f"input_features should have length equal to number of features ({self.n_features_in_}), got "
                    f"{len(given)}"
                )
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}{i}" for i in range(count)], dtype=object)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(defaults[name].default)
        ]
        text = f"{type(self).__name__}({', '.join(changed)})"
        return text if len(text) <= N_CHAR_MAX else f"{text[: N_CHAR_MAX - 3]}..."

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(),
        )


def _with_tables(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, whose array becomes a table where `set_output` or scikit-learn's configuration asks for one."""

    @wraps(method)
    def wrapped(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, X, *args, **kwargs)
        wanted = self.__dict__.get("_sklearn_output_config", {}).get("transform")
        if wanted is None and sklearn_is_loaded():
            from sklearn import get_config

            wanted = get_config()["transform_output"]
        if wanted in (None, "default") or not isinstance(result, np.ndarray):
            return result
        names = list(self.get_feature_names_out())
        if wanted == "pandas":
            import pandas

            return pandas.DataFrame(result, columns=names, index=getattr(X, "index", None), copy=False)
        import polars

        return polars.DataFrame(result, schema=names, orient="row")

    return wrapped


def check_array(
    X: Any,
    *,
    accept_sparse: Any = False,
    dtype: Any = (np.float64, np.float32),
    ensure_all_finite: bool = False,
    ensure_min_samples: int = 1,
) -> Any:
    """A matrix in one of the precisions; the values are looked at in Rust, here only with `ensure_all_finite`."""
    X = _from_elsewhere(X)
    if sklearn_is_loaded():
        from sklearn.utils import check_array as theirs

        with _columns_named(X):
            return theirs(
                X,
                accept_sparse=accept_sparse,
                dtype=list(dtype),  # pyright: ignore[reportArgumentType]  # guessed from its default
                ensure_all_finite=ensure_all_finite,
                ensure_min_samples=ensure_min_samples,
            )
    given = X
    if hasattr(X, "tocsr"):
        if not accept_sparse:
            raise TypeError("Sparse data was passed, but dense data is required. Use '.toarray()'.")
        X = X.tocsr()
    else:
        with _columns_named(given):
            X = _array(X)
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
    if X.dtype not in dtype:
        with _columns_named(given):
            X = X.astype(dtype[0])
    if ensure_all_finite and not np.isfinite(X.data if hasattr(X, "tocsr") else X).all():
        raise InputError("the data contain NaN or infinity; remove or impute them first")
    return X


def _array(X: Any) -> np.ndarray:
    """What numpy makes of it. A table of pandas may have values that are missing and not NaN."""
    if hasattr(X, "iloc") and hasattr(X, "columns") and not all(isinstance(dtype, np.dtype) for dtype in X.dtypes):
        return X.astype(np.float64).to_numpy()
    X = np.asarray(X)
    _refuse_dates(X)
    return X


def validate_data(estimator: Any, X: Any, *, reset: bool, **checks: Any) -> Any:
    """`check_array`, and the width and names of the columns kept or compared."""
    X = _from_elsewhere(X)
    if sklearn_is_loaded():
        from sklearn.utils.validation import validate_data as theirs

        with _columns_named(X):
            return theirs(estimator, X, reset=reset, **checks)
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
    elif columns is not None and hasattr(estimator, "feature_names_in_"):
        _compare_names(list(estimator.feature_names_in_), list(columns))
    return X


def _compare_names(fitted: list[str], given: list[Any]) -> None:
    """Columns under other names, or in another order, would be taken for each other."""
    if fitted == given:
        return
    lost = [name for name in fitted if name not in set(given)]
    if lost:
        columns, be = _counted(len(fitted), "column"), "is" if len(lost) == 1 else "are"
        what = f"{len(lost)} of {columns} of the fit {be} missing: {', '.join(map(repr, lost[:5]))}"
    else:
        what = f"{len(fitted)} columns of the fit are there in another order"
    raise InputError(
        f"The feature names should match those that were passed during fit: {what}; pass the columns that "
        "feature_names_in_ names, in that order"
    )


def _from_elsewhere(X: Any) -> Any:
    """Arrays of other libraries that follow the array standard, as numpy's; an AnnData and dates are refused with the
    remedy."""
    kind = type(X)
    if kind.__module__.partition(".")[0] == "anndata" or (hasattr(X, "obsm") and hasattr(X, "var_names")):
        raise InputError(
            f"this is an {kind.__name__}, not a matrix; pass its X or one of its obsm, or call "
            "lowland.anndata.embed(adata, method=...)"
        )
    _refuse_dates(X)
    if isinstance(X, np.ndarray) or not hasattr(X, "__array_namespace__") or hasattr(X, "columns"):
        return X
    try:
        return np.from_dlpack(X)
    except (TypeError, AttributeError, BufferError, RuntimeError):
        return np.asarray(X)


def _refuse_dates(X: Any) -> None:
    """Dates would become numbers in whatever unit they are kept in, and what is no date the lowest of all."""
    dtypes = X.dtypes if hasattr(X, "columns") and hasattr(X, "dtypes") else [getattr(X, "dtype", None)]
    if any(getattr(dtype, "kind", None) in ("M", "m") or getattr(dtype, "is_temporal", bool)() for dtype in dtypes):
        words = _not_numeric(X)
        if words:
            raise InputError(words)


@contextmanager
def _columns_named(X: Any) -> Iterator[None]:
    """Where a matrix cannot be made of numbers, the columns that hold something else are named."""
    try:
        yield
    except (TypeError, ValueError) as error:
        words = _not_numeric(X)
        if isinstance(error, InputError) or not words:
            raise
        raise InputError(words) from error


def _not_numeric(X: Any) -> str:
    """Which columns hold words or dates, and what to do; nothing where there are none."""
    try:
        if hasattr(X, "columns"):
            names, rows = list(X.columns), X.iloc if hasattr(X, "iloc") else X
            columns = [np.asarray(rows[:, j]) for j in range(len(names))]
        else:
            array = np.asarray(X)
            columns = list(array.T) if array.ndim == 2 else []
            names = list(range(len(columns)))
    except (TypeError, ValueError, LookupError):
        # It is no matrix at all.
        return ""
    held = ((name, _held(column)) for name, column in zip(names, columns))
    found = [f"{name!r} ({what})" for name, what in held if what]
    if not found:
        return ""
    be, them = ("is", "it") if len(found) == 1 else ("are", "them")
    more = ", ..." if len(found) > 5 else ""
    return (
        f"{len(found)} of {_counted(len(columns), 'column')} {be} not numeric: {', '.join(found[:5])}{more}; drop "
        f"{them}, or encode {them} as numbers"
    )


def _held(column: np.ndarray) -> str:
    """What a column holds besides numbers and what reads as one."""
    if column.dtype.kind in "biufcV":
        return ""
    return next((what for value in column.ravel() if (what := _kind(value))), "")


def _kind(value: Any) -> str:
    if isinstance(value, (str, bytes)):
        try:
            float(value)
        except ValueError:
            return "words"
    elif isinstance(value, np.timedelta64) or hasattr(value, "total_seconds"):
        return "durations"
    elif isinstance(value, np.datetime64) or hasattr(value, "strftime"):
        return "dates"
    return ""


__all__ = ["BaseEstimator", "check_array", "not_fitted", "sklearn_is_loaded", "validate_data"]
