"""What all estimators share. What some can do besides is in `_abilities.py`; the classes themselves, one a method, are in
`_estimators.py`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from . import _native
from ._arguments import (
    _PRECISIONS,
    _bytes,
    _count,
    _native_data,
    _seed,
    _threads,
    _warn,
)
from ._compat import BaseEstimator, not_fitted, sklearn_is_loaded, validate_data
from ._errors import LowlandError, ParameterError
from ._lists import OneWay, both_ways
from ._progress import listener

if sys.version_info >= (3, 11):
    from typing import Self
else:
    Self = Any

_COMMON = {
    "random_state",
    "n_jobs",
    "memory",
    "verbose",
    "input",
    "callback",
    "callback_every",
    "checkpoint",
    "checkpoint_seconds",
}


# What None means where scikit-learn has it and the registry another word.
_NONE = {"rotation": "none", "shrinkage": 0.0}
# Where a matrix may be given in place of points: by which parameter, and what the matrix holds.
_GIVEN = {"metric": "distances", "kernel": "kernel", "affinity": "kernel"}




class FitWarning(UserWarning):
    """Something about a fit that its user should know; it did not stop the fit."""


class ConvergenceWarning(FitWarning):
    """A search ended before it had converged. Where scikit-learn is loaded, it is one of its `ConvergenceWarning`s too."""


_joint: list[type[ConvergenceWarning]] = []


def _category(warning: dict[str, Any]) -> type[FitWarning]:
    if warning.get("warning") != "not_converged":
        return FitWarning
    if not sklearn_is_loaded():
        return ConvergenceWarning
    if not _joint:
        from sklearn.exceptions import ConvergenceWarning as Theirs

        _joint.append(type("ConvergenceWarning", (ConvergenceWarning, Theirs), {"__module__": __name__}))
    return _joint[0]


def _warn_of(model: _native.Model) -> None:
    """The warnings of a fit, at the line of whoever asked for it."""
    text, words = model.report()
    for warning, sentence in zip(json.loads(text).get("warnings", []), words):
        _warn(sentence, _category(warning))


class Estimator(BaseEstimator):
    """A method: `fit` makes a model, everything else uses it."""

    _method: ClassVar[str]
    _inputs: ClassVar[tuple[str, ...]]
    # Whether it takes lists of neighbors as they are: edges that go one way.
    _lists: ClassVar[bool] = False
    # The parameters that all methods have, and those that some abilities need.
    n_jobs: int | None
    memory: int | str | None
    verbose: Any
    callback_every: int
    target_weight: float | None
    init: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fits the method to the rows of `X`; `y` is ignored."""
        return self._fit(X, self._learned(y))

    def _learned(self, y: Any) -> list[int] | None:
        """The labels that a fit with these parameters learns from; None where it does without."""
        return None

    def _fit(self, X: Any, labels: list[int] | None) -> Self:
        with self._unchanged_if_refused():
            data = self._validated(X, reset=True, ensure_min_samples=2)
            parameters = self._parameters()
            if self._method == "kernel-pca" and parameters["n_components"] is None:
                # As many as there are: a centered kernel has one eigenvector less than rows.
                landmarks = parameters["landmarks"]
                anchors = landmarks if isinstance(landmarks, (int, np.integer)) else len(data)
                parameters["n_components"] = max(anchors - bool(parameters["center"]), 1)
            model = _native.fit(
                self._method,
                parameters,
                data,
                self._kind(isinstance(data, tuple)),
                self._settings(),
                labels,
                self._start(),
                self.__dict__.get("_goes_on_from"),
            )
        self._forget()
        self._model, self._precision = model, _precision_of(data)
        _warn_of(model)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fits the method and returns the embedding of the rows of `X`; `y` is ignored."""
        embedding = self.fit(X, y).__dict__["_model"].embedding()
        return self._embed(X) if embedding is None else embedding

    def transform(self, X: Any) -> Any:
        """The embedding of the rows of `X`, new or old. Each row's result is its own."""
        return self._embed(X)

    def kernel_matrix(
        self, X: Any = None, *, kernel: str = "auto", time: float | None = None, shift: float | None = None
    ) -> np.ndarray:
        """The normalized kernel between the rows of `X` and the model's points or landmarks: of the training rows, the
        Gram matrix whose eigenvectors are the embedding. Spectral methods only.

        Without `X`, the Gram matrix of the model's own points (equal rows once) or landmarks. Where it is a function of
        a matrix of all of them (LLE and its relatives, LTSA, commute times, the heat kernel, the unnormalized
        Laplacian), there is no kernel with other rows, and the function can be chosen: `kernel` is auto (the method's
        own), inverse (the pseudo-inverse), exponential (`exp(-t M)`, `t` the `time`) or shifted (`c I - M`, where `c` is
        the `shift`: the largest eigenvalue of `M` unless it is given)."""
        model = self._fitted()
        if X is None:
            return self._spectral(model.gram(kernel, time, shift, self._settings()))
        if kernel != "auto" or time is not None or shift is not None:
            raise ParameterError("kernel, time and shift are for the Gram matrix of the training points; leave out X")
        data = self._validated(X, reset=False, ensure_min_samples=0)
        return self._spectral(model.kernel(data, self._kind_of_rows(data), self._settings()))

    def kernel_error(self, X: Any) -> float:
        """The share of that kernel which the components leave unexplained: on the training rows the training error, on
        others that of generalization (Bengio et al., section 4). Spectral methods with a kernel of two rows only."""
        model = self._fitted()
        data = self._validated(X, reset=False, ensure_min_samples=0)
        return self._spectral(model.kernel_error(data, self._kind_of_rows(data), self._settings()))[1]

    def _spectral(self, result: Any) -> Any:
        if result is None:
            raise LowlandError(f"{type(self).__name__} has no kernel; choose a spectral method")
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, whole or not at all: `lowland.load` and the program `lowland` read it."""
        if self._function() is not None:
            raise LowlandError("a metric or kernel that is a function cannot be written to a file; pickle the estimator")
        names = getattr(self, "feature_names_in_", None)
        self._fitted().save(path, None if names is None else list(names))

    @property
    def n_components_(self) -> int:
        """The width of the embedding."""
        return self._fitted().components

    @property
    def embedding_(self) -> np.ndarray:
        """The embedding of the training rows, where the model holds it."""
        embedding = self._fitted().embedding()
        if embedding is None:
            raise AttributeError(
                f"this {type(self).__name__} was loaded or fitted in chunks, and holds no embedding; "
                "transform the rows"
            )
        return embedding

    @property
    def report_(self) -> dict[str, Any]:
        """What was optimized, eigenvalues with their residuals, warnings."""
        text, words = self._fitted().report()
        return {**json.loads(text), "warnings": words}

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _embed(self, X: Any) -> np.ndarray:
        model = self._fitted()
        data = self._validated(X, reset=False, ensure_min_samples=0)
        return model.transform(data, self._kind_of_rows(data), self._settings())

    def _kind(self, sparse: bool = False) -> str:
        """What the rows are: by `input`, or because the metric, the kernel or the affinity is given or a function."""
        kind = getattr(self, "input", "points")
        if kind == "points":
            for name, given in _GIVEN.items():
                value = getattr(self, name, None)
                if (isinstance(value, str) and value == "precomputed") or callable(value):
                    return "graph" if sparse and "graph" in self._inputs else given
        return kind

    def _kind_of_rows(self, data: Any) -> str:
        """New rows of a graph may be dense, as those of any other matrix."""
        kind = self._kind(isinstance(data, tuple))
        return "points" if kind == "graph" and isinstance(data, np.ndarray) else kind

    def _function(self) -> Any:
        """The metric, kernel or affinity, where it is a function of two rows."""
        return next((value for name in _GIVEN if callable(value := getattr(self, name, None))), None)

    def _validated(self, X: Any, *, reset: bool, ensure_min_samples: int, dense: bool = False) -> Any:
        X = validate_data(
            self,
            X,
            reset=reset,
            # What a method does not take is refused in its own words.
            accept_sparse=False if dense else "csr",
            dtype=_PRECISIONS,
            ensure_all_finite=False,
            ensure_min_samples=ensure_min_samples,
        )
        function = self._function()
        if hasattr(X, "toarray") and self._kind(True) != "graph" and (self._spreads() or function is not None):
            X = X.toarray()
        if hasattr(X, "tocoo") and self._kind(True) == "graph" and not self._lists:
            if reset:
                given, X = X, both_ways(X)
                self._one_way: OneWay | None = None if X is given else OneWay(given.tocsr(), X)
            elif (one_way := self.__dict__.get("_one_way")) is not None:
                X = one_way.as_fitted(X.tocsr())
        if function is not None:
            if reset:
                self._anchors = np.array(X)
            X = _measured(function, X, self._anchors)
        return _native_data(X)

    def _spreads(self) -> bool:
        """Whether sparse rows are spread out, as scikit-learn does: the method knows them by their distances alone."""
        return "sparse" not in self._inputs and not {"distances", "kernel"}.isdisjoint(self._inputs)

    def _parameters(self) -> dict[str, Any]:
        found = {name: value for name, value in self.get_params(deep=False).items() if name not in _COMMON}
        for name in _GIVEN:
            value = found.get(name)
            if (isinstance(value, str) and value == "precomputed") or callable(value):
                del found[name]
                if name == "affinity" and "weighted" in found:
                    found["weighted"] = True
        for name, meant in _NONE.items():
            if name in found and found[name] is None:
                found[name] = meant
        if found.get("n_neighbors", 0) is None and found.get("radius") is not None:
            # The radius chooses the neighbors.
            del found["n_neighbors"]
        return found

    def _start(self) -> np.ndarray | None:
        """The coordinates that a fit begins with, where they are given."""
        return None

    def _settings(self, random_state: Any = None) -> _native.Settings:
        """Those of the estimator, with another seed where one is given."""
        return _native.Settings(
            seed=_seed(getattr(self, "random_state", None) if random_state is None else random_state),
            threads=_threads(self.n_jobs),
            memory=_bytes(self.memory),
            progress=listener(self.verbose),
            layout=self._callback(),
            checkpoint=self._checkpoint(),
        )

    def _callback(self) -> tuple[Any, int] | None:
        callback = getattr(self, "callback", None)
        return None if callback is None else (callback, _count("callback_every", self.callback_every))

    def _checkpoint(self) -> tuple[str, float, str] | None:
        """Where a fit under way is kept, after how many seconds each time, and the method."""
        return None

    def _fitted(self) -> _native.Model:
        model = self.__dict__.get("_model")
        if model is None:
            stream = self.__dict__.get("_stream")
            if stream is None:
                name = type(self).__name__
                raise not_fitted(f"This {name} instance is not fitted yet. Call 'fit' first.")
            model = self._model = stream.finish(self._settings())
            _warn_of(model)
        return model

    @contextmanager
    def _unchanged_if_refused(self) -> Iterator[None]:
        """The width and names of the columns are noted before a fit: they must not outlive its refusal."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _forget(self) -> None:
        for name in ("_model", "_stream", "_begun_with", "_found", "_precision"):
            self.__dict__.pop(name, None)

    def _attribute(self, name: str) -> Any:
        found = self.__dict__.get("_found")
        if found is None:
            found = self._fitted().attributes()
            self._found = found
        value = found[name]
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            # In the precision of the data.
            return value.astype(self.__dict__.get("_precision", np.float64), copy=False)
        return value

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_found", None)
        if state.pop("_stream", None) is not None:
            # What comes after goes on from the model, as after a fit.
            state["_model"] = self._fitted()
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__ or "_stream" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._spreads() or (
            "sparse" in self._inputs and _native.takes_sparse(self._method, self._parameters())
        )
        tags.input_tags.pairwise = self._kind() != "points" and self._function() is None
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _precision_of(data: Any) -> Any:
    """That of a matrix, or of the values of compressed rows."""
    return (data[-1] if isinstance(data, tuple) else data).dtype


def _measured(function: Any, rows: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """A function of two rows, for every row and every anchor."""
    return np.array([[float(function(row, anchor)) for anchor in anchors] for row in rows]).reshape(
        len(rows), len(anchors)
    )


def load(path: str | os.PathLike[str]) -> Estimator:
    """The fitted estimator of a model file, whichever front end wrote it."""
    from . import _estimators

    model, names = _native.load(path)
    estimator = _estimators.CLASSES[model.method]()
    estimator.set_params(**model.parameters())
    estimator._model = model
    estimator.n_features_in_ = model.features
    if names is not None:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    return estimator
