"""What all estimators share. The classes themselves, one a method, are in `_estimators.py`."""

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
    _labels,
    _native_data,
    _print_stage,
    _seed,
    _threads,
    _warn,
)
from ._compat import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    NotFittedError,
    TransformerMixin,
    check_array,
    validate_data,
)
from ._errors import LowlandError, ParameterError

if sys.version_info >= (3, 11):
    from typing import Self
else:
    Self = Any

_COMMON = {"random_state", "n_jobs", "memory", "verbose", "input", "callback", "callback_every"}


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
            model = _native.fit(
                self._method, self._parameters(), data, self._kind(), self._settings(), labels, self._start()
            )
        self._forget()
        self._model = model
        for words in model.report()[1]:
            _warn(words, FitWarning)
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
        return getattr(self, "input", "points")

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

    def _start(self) -> np.ndarray | None:
        """The coordinates that a fit begins with, where they are given."""
        return None

    def _settings(self) -> _native.Settings:
        return _native.Settings(
            seed=_seed(getattr(self, "random_state", None)),
            threads=_threads(self.n_jobs),
            memory=_bytes(self.memory),
            progress=_print_stage if self.verbose else None,
            layout=self._callback(),
        )

    def _callback(self) -> tuple[Any, int] | None:
        callback = getattr(self, "callback", None)
        return None if callback is None else (callback, _count("callback_every", self.callback_every))

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
        for name in ("_model", "_stream", "_begun_with", "_found", "_sealed"):
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
        """The cluster of each training row, numbered from 0."""
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
        computed when it is first asked for. After a `fit`, the rows of that fit come first: as far as the fitted model
        knows them, what it left out being spread evenly. `fit` starts anew."""
        if "_sealed" in self.__dict__:
            raise LowlandError("this estimator was copied or unpickled between chunks, and takes no more of them")
        stream = self.__dict__.get("_stream")
        model = self.__dict__.get("_model") if stream is None else None
        parameters = self._parameters()
        begun_with = self.__dict__.get("_begun_with", parameters)
        for name, value in parameters.items():
            if repr(value) != repr(begun_with[name]):
                raise ParameterError(
                    f"{name} = {value!r} cannot be set between chunks: it was {begun_with[name]!r} before; set it back, "
                    "or call fit",
                    name=name,
                    value=value,
                )
        first = stream is None and model is None
        stream = stream or _native.stream(self._method, parameters, model)
        with self._unchanged_if_refused():
            data = self._validated(X, reset=first, ensure_min_samples=1, dense=True)
            stream.push(data, self._settings())
        self._forget()
        self._stream, self._begun_with = stream, parameters
        return self

    def _fit(self, X: Any, labels: list[int] | None) -> Self:
        super()._fit(X, labels)
        self._begun_with = self._parameters()
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


class WithMixture(Estimator):
    """A method whose model is a mixture."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """The responsibility of each part of the mixture for each row: each row sums to 1."""
        model = self._fitted()
        data = self._validated(X, reset=False, ensure_min_samples=0, dense=True)
        return model.responsibilities(data, self._settings())


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


class WithOptionalLabels(Estimator):
    """A method that can learn from labels, one a row."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fits the method to the rows of `X`; with `target_weight`, also to the labels `y`, of which -1 is not known."""
        learns = y is not None and self.target_weight is not None
        return self._fit(X, _labels(y, type(self).__name__, unknown=True) if learns else None)


class WithStart(Estimator):
    """A method whose fit may begin with given coordinates: an array as `init`."""

    def _parameters(self) -> dict[str, Any]:
        parameters = super()._parameters()
        if isinstance(parameters.get("init"), np.ndarray):
            del parameters["init"]
        return parameters

    def _start(self) -> np.ndarray | None:
        init = self.init
        return np.ascontiguousarray(init, dtype=np.float64) if isinstance(init, np.ndarray) else None


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
