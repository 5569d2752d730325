"""What all estimators share. The classes themselves, one a method, are in `_estimators.py`."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from . import _native
from ._compat import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    NotFittedError,
    TransformerMixin,
    check_array,
    validate_data,
)
from ._errors import InputError, LowlandError, ParameterError

if sys.version_info >= (3, 11):
    from typing import Self
else:
    Self = Any

_PRECISIONS = [np.float64, np.float32]
_COMMON = {"random_state", "n_jobs", "memory", "verbose", "input"}


class FitWarning(UserWarning):
    """Something about a fit that its user should know; it did not stop the fit."""


class Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A method: `fit` makes a model, everything else uses it."""

    _method: ClassVar[str]
    _inputs: ClassVar[tuple[str, ...]]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fits the method to the rows of `X`; `y` is ignored."""
        return self._fit(X, None)

    def _fit(self, X: Any, labels: list[int] | None) -> Self:
        with self._unchanged_if_refused():
            data = self._validated(X, reset=True, ensure_min_samples=2)
            model = _native.fit(self._method, self._parameters(), data, self._kind(), self._settings(), labels)
        self._forget()
        self._model = model
        for words in model.report()[1]:
            warnings.warn(words, FitWarning, stacklevel=3)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fits the method and returns the embedding of the rows of `X`; `y` is ignored."""
        embedding = self.fit(X, y).__dict__["_model"].embedding()
        return self._embed(X) if embedding is None else embedding

    def transform(self, X: Any) -> Any:
        """The embedding of the rows of `X`, new or old. Each row's result is its own."""
        return self._embed(X)

    def kernel_matrix(self, X: Any) -> np.ndarray:
        """The normalized kernel between the rows of `X` and the model's points or landmarks: of the training rows, the
        Gram matrix whose eigenvectors are the embedding. Spectral methods only."""
        model = self._fitted()
        data = self._validated(X, reset=False, ensure_min_samples=0)
        return self._spectral(model.kernel(data, self._kind_of_rows(data), self._settings()))

    def kernel_error(self, X: Any) -> float:
        """The share of that kernel which the components leave unexplained: on the training rows the training error, on
        others that of generalization (Bengio et al., section 4). Spectral methods only."""
        model = self._fitted()
        data = self._validated(X, reset=False, ensure_min_samples=0)
        return self._spectral(model.kernel_error(data, self._kind_of_rows(data), self._settings()))[1]

    def _spectral(self, result: Any) -> Any:
        if result is None:
            raise LowlandError(f"{type(self).__name__} has no kernel: it is not a spectral method")
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, whole or not at all: `lowland.load` and the program `lowland` read it."""
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
                f"this {type(self).__name__} was loaded or fitted in chunks, and holds no embedding: "
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

    def _kind(self) -> str:
        kind = getattr(self, "input", "points")
        if kind not in self._inputs:
            raise ParameterError(
                f"input = {kind!r} is out of range: it must be one of {', '.join(self._inputs)}",
                name="input",
                value=kind,
            )
        return kind

    def _kind_of_rows(self, data: Any) -> str:
        """New rows of a graph may be dense, as those of any other matrix."""
        kind = self._kind()
        return "points" if kind == "graph" and isinstance(data, np.ndarray) else kind

    def _validated(self, X: Any, *, reset: bool, ensure_min_samples: int, dense: bool = False) -> Any:
        sparse = not dense and ("sparse" in self._inputs or self._kind() == "graph")
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if sparse else False,
            dtype=_PRECISIONS,
            ensure_all_finite=False,
            ensure_min_samples=ensure_min_samples,
        )
        return _native_data(X)

    def _parameters(self) -> dict[str, Any]:
        return {name: value for name, value in self.get_params(deep=False).items() if name not in _COMMON}

    def _settings(self) -> _native.Settings:
        return _native.Settings(
            seed=_seed(getattr(self, "random_state", None)),
            threads=_threads(self.n_jobs),
            memory=_bytes(self.memory),
            progress=_tell if self.verbose else None,
        )

    def _fitted(self) -> _native.Model:
        model = self.__dict__.get("_model")
        if model is None:
            stream = self.__dict__.get("_stream")
            if stream is None:
                name = type(self).__name__
                raise NotFittedError(f"This {name} instance is not fitted yet. Call 'fit' first.")
            model = self._model = stream.finish(self._settings())
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
        for name in ("_model", "_stream", "_found", "_sealed"):
            self.__dict__.pop(name, None)

    def _attribute(self, name: str) -> Any:
        found = self.__dict__.get("_found")
        if found is None:
            found = self._fitted().attributes()
            self._found = found
        return found[name]

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_found", None)
        if state.pop("_stream", None) is not None:
            state["_model"] = self._fitted()
            state["_sealed"] = True
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__ or "_stream" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = "sparse" in self._inputs and _native.takes_sparse(
            self._method, self._parameters()
        )
        tags.input_tags.pairwise = getattr(self, "input", "points") != "points"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class WithInverse(Estimator):
    """A method whose embedding leads back to the data."""

    def inverse_transform(self, X: Any) -> np.ndarray:
        """From rows of the embedding back to the space of the data."""
        model = self._fitted()
        X = check_array(X, dtype=_PRECISIONS, ensure_all_finite=False, ensure_min_samples=0)
        return model.inverse(_native_data(X), self._settings())


class WithClusters(Estimator):
    """A method that finds clusters."""

    @property
    def labels_(self) -> np.ndarray:
        """The cluster of each training row, numbered from 0 in order of appearance."""
        return self._attribute("labels").astype(np.int64)

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of each row, new or old."""
        model = self._fitted()
        data = self._validated(X, reset=False, ensure_min_samples=0)
        return model.assign(data, self._kind_of_rows(data), self._settings())

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Fits the method and returns the cluster of each row; `y` is ignored."""
        return self.fit(X, y).labels_


class WithChunks(Estimator):
    """A method whose data may come in chunks that are never held together."""

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Takes a chunk of rows; `y` is ignored. The result is that of all chunks since the first as one table,
        computed when it is first asked for. `fit` starts anew, and so does the first chunk after it."""
        if "_sealed" in self.__dict__:
            raise LowlandError("this estimator was copied or unpickled between chunks, and takes no more of them")
        first = "_stream" not in self.__dict__
        stream = _native.stream(self._method, self._parameters()) if first else self._stream
        with self._unchanged_if_refused():
            data = self._validated(X, reset=first, ensure_min_samples=1, dense=True)
            stream.push(data, self._settings())
        self._forget()
        self._stream = stream
        return self


class WithDensity(Estimator):
    """A method whose model is a probability density of the data."""

    def score_samples(self, X: Any) -> np.ndarray:
        """The log-likelihood of each row."""
        model = self._fitted()
        data = self._validated(X, reset=False, ensure_min_samples=0, dense=True)
        return model.log_density(data, self._settings())

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of the rows; `y` is ignored."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Rows drawn from the model. None is the seed of the fit."""
        settings = self._settings() if random_state is None else _native.Settings(seed=_seed(random_state))
        return self._fitted().sample(_count("n_samples", n_samples), settings)


class WithMissing(Estimator):
    """A method that takes NaN for a missing value, in the fit and in new rows."""

    def impute(self, X: Any) -> np.ndarray:
        """The rows with their missing values filled in by what the model expects there."""
        model = self._fitted()
        data = self._validated(X, reset=False, ensure_min_samples=0, dense=True)
        return model.impute(data, self._settings())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class WithLabels(Estimator):
    """A method that learns from labels, one a row."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fits the method to the rows of `X` with the labels `y`, numbers or words."""
        return self._fit(X, _labels(y, type(self).__name__))

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fits the method and returns the embedding of the rows of `X`."""
        return super().fit_transform(X, y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _labels(y: Any, name: str) -> list[int]:
    """Equal labels as equal numbers, in the order of the labels."""
    if y is None:
        raise InputError(f"{name} requires y to be passed, but the target y is None")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {y.shape} instead")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError("the labels y contain NaN or infinity")
    return np.unique(y, return_inverse=True)[1].tolist()


def _native_data(X: Any) -> Any:
    """Arrays as they lie; sparse rows as (rows, columns, offsets, indices, values)."""
    if hasattr(X, "indptr"):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return (*X.shape, X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data)
    X = np.asarray(X)
    if not X.flags.aligned or any(stride % X.itemsize for stride in X.strides):
        X = X.copy()
    return X


def _seed(random_state: Any) -> int:
    """None is 0: results repeat. Generators are drawn from."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if 0 <= random_state < 2**64:
            return int(random_state)
    elif hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    elif hasattr(random_state, "randint"):
        return int(random_state.randint(2**31))
    raise ParameterError(
        f"random_state = {random_state!r} is out of range: it must be None, a whole number of at least 0, or a "
        "generator of numpy",
        name="random_state",
        value=random_state,
    )


def _count(name: str, value: Any) -> int:
    """A whole number that is not negative; what is too small or too large besides is reported by the method."""
    if isinstance(value, Integral) and not isinstance(value, bool) and 0 <= value < 2**63:
        return int(value)
    raise ParameterError(
        f"{name} = {value!r} is out of range: it must be a whole number from 0 to 2^63 - 1", name=name, value=value
    )


def _threads(n_jobs: Any) -> int:
    """None and -1 are all processors, -2 all but one, and so on."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool) and n_jobs != 0:
        return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
    raise ParameterError(
        f"n_jobs = {n_jobs!r} is out of range: it must be None, a whole number above 0, or one below",
        name="n_jobs",
        value=n_jobs,
    )


_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS.update({f"{unit}i": 1024 ** (i + 1) for i, unit in enumerate("kmgt")})


def _bytes(memory: Any) -> int | None:
    """A budget: bytes, or words such as '8 GiB' and '500MB'."""
    if memory is None:
        return None
    if isinstance(memory, Integral) and not isinstance(memory, bool) and memory >= 0:
        return int(memory)
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?|)b?\s*", memory.lower())
        if match:
            return int(float(match[1]) * _UNITS[match[2]])
    raise ParameterError(
        f"memory = {memory!r} is out of range: it must be None, a number of bytes, or words such as '8 GiB'",
        name="memory",
        value=memory,
    )


def _tell(stage: str, _done: int, seconds: float | None) -> None:
    if seconds is not None:
        print(f"{stage}: {seconds:.3f} s", flush=True)


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
