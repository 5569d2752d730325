"""What the classes with scikit-learn's names share: the way to the native side, and words for what is left to
scikit-learn."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from .. import _native
from .._arguments import _PRECISIONS, _native_data, _seed, _threads
from .._base import FitWarning, _warn_of
from .._compat import _from_elsewhere
from .._errors import LowlandError
from .._progress import listener

__all__ = [
    "Ours",
    "layout_of",
    "left_to_scikit_learn",
    "named_metric",
    "of_scikit_learn",
    "same_precision",
    "signs_of_rows",
    "unheard",
]

log = logging.getLogger("lowland.sklearn")

# What scikit-learn calls a metric, and what we do.
METRICS = {"cityblock": "manhattan", "l1": "manhattan", "l2": "euclidean"}
OURS = {"euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine"}


def named_metric(metric: Any, p: float = 2, metric_params: dict[str, Any] | None = None) -> str | None:
    """The metric in our words; None where it is a function, or one that only scikit-learn has."""
    if not isinstance(metric, str) or (metric_params and set(metric_params) != {"p"}):
        return None
    if metric == "minkowski":
        p = (metric_params or {}).get("p", p)
        return {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}.get(p, f"minkowski({p:g})")
    metric = METRICS.get(metric, metric)
    return metric if metric in OURS and not metric_params else None


def of_scikit_learn(module: Any, name: str) -> Any:
    """What a module of scikit-learn has and Lowland does not: so that an import of the module can be replaced too."""
    if name.startswith("_"):
        raise AttributeError(f"module {module.__name__!r} of lowland has no attribute {name!r}")
    return getattr(module, name)


def left_to_scikit_learn(estimator: Any, what: str) -> None:
    """Says in the log `lowland.sklearn` what scikit-learn computes because Lowland does not have it."""
    log.info("%s: %s is computed by scikit-learn", type(estimator).__name__, what)


def same_precision(values: Any, like: Any) -> np.ndarray:
    """An attribute in the precision of the data."""
    dtype = getattr(like, "dtype", np.float64)
    return np.asarray(values, dtype=dtype if dtype in _PRECISIONS else np.float64)


def signs_of_rows(components: np.ndarray) -> np.ndarray:
    """The factors with which scikit-learn fixes signs: the largest entry of every row becomes positive."""
    largest = components[np.arange(len(components)), np.argmax(np.abs(components), axis=1)]
    return np.where(largest < 0, -1.0, 1.0).astype(components.dtype)


def layout_of(model: _native.Model) -> np.ndarray:
    """The embedding of a model that was just fitted, in double precision."""
    embedding = model.embedding()
    if embedding is None:
        raise LowlandError(f"{model.method} keeps no embedding")
    return embedding.astype(np.float64)


@contextmanager
def unheard(*categories: type[Warning]) -> Iterator[None]:
    """Without our warnings: what they say is expected here, or is said in scikit-learn's words."""
    with warnings.catch_warnings():
        for category in categories or (FitWarning,):
            warnings.simplefilter("ignore", category)
        yield


class Ours:
    """The way to the native side, for a class that inherits its parameters and their checks from scikit-learn's class
    of the same name."""

    _model: _native.Model | None = None

    def _checked(self, X: Any, *, reset: bool, sparse: Any = False, rows: int | None = None, **checks: Any) -> Any:
        """The rows in single or double precision, with their width and names noted or compared."""
        if reset:
            self._validate_params()  # type: ignore[attr-defined]  # of scikit-learn
        if rows is None:
            rows = 2 if reset else 1
        return validate_data(
            self, _from_elsewhere(X), reset=reset, accept_sparse=sparse, dtype=_PRECISIONS, ensure_min_samples=rows, **checks
        )

    def _native_settings(self, seed: int | None = None) -> _native.Settings:
        return _native.Settings(
            seed=_seed(getattr(self, "random_state", None)) if seed is None else seed,
            threads=_threads(getattr(self, "n_jobs", None)),
            progress=listener(getattr(self, "verbose", 0)),
        )

    def _native_fit(
        self,
        method: str,
        parameters: dict[str, Any],
        X: Any,
        kind: str = "points",
        labels: list[int] | None = None,
        start: np.ndarray | None = None,
        quiet: bool = False,
    ) -> _native.Model:
        """A fitted native model; its warnings are given at the line of the caller."""
        settings = self._native_settings()
        model = _native.fit(method, parameters, _native_data(X), kind, settings, labels, start)
        if not quiet:
            _warn_of(model)
        self._model = model
        return model

    def _native_rows(self, X: Any, kind: str = "points") -> np.ndarray:
        """The embedding of rows by the fitted model."""
        model = self._model
        if model is None:
            raise LowlandError("nothing is fitted yet: call fit")
        return model.transform(_native_data(X), kind, _native.Settings(threads=_threads(getattr(self, "n_jobs", None))))
