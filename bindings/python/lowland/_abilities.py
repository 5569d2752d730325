"""What some methods can do beside embedding: one class an ability, which the generated classes are made of."""

from __future__ import annotations

import os
import sys
from numbers import Number, Real
from typing import Any

import numpy as np

from . import _native
from ._arguments import _PRECISIONS, _count, _labels, _native_data, _one_a_row
from ._base import Estimator, _precision_of
from ._compat import check_array
from ._errors import InputError, ParameterError, _counted

if sys.version_info >= (3, 11):
    from typing import Self
else:
    Self = Any


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
        self._stream, self._begun_with, self._precision = stream, parameters, _precision_of(data)
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

    def get_covariance(self) -> np.ndarray:
        """The covariance of the data under the model."""
        loadings, noise = self._factors()
        return loadings.T @ loadings + np.diag(noise)

    def get_precision(self) -> np.ndarray:
        """The inverse of that covariance."""
        loadings, noise = self._factors()
        if not (noise > 0).all():
            return np.linalg.pinv(self.get_covariance(), hermitian=True)
        # By the Woodbury identity: only a matrix of the size of the components is solved.
        scaled = loadings / noise
        inner = np.eye(len(loadings)) + scaled @ loadings.T
        return np.diag(1 / noise) - scaled.T @ np.linalg.solve(inner, scaled)

    def _factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Loadings, one component a row, and the variance of the noise of every column."""
        found = self._fitted().attributes()
        if "components" not in found or "noise_variance" not in found:
            raise AttributeError(f"{type(self).__name__} has no single covariance: it is not one latent Gaussian")
        noise = np.broadcast_to(np.asarray(found["noise_variance"], dtype=np.float64), (self.n_features_in_,))
        loadings = found.get("loadings", found["components"])
        if loadings.shape[0] == self.n_features_in_ and "loadings" in found:
            loadings = loadings.T
        if "loadings" not in found and np.ndim(found["noise_variance"]) == 0:
            # Unit directions: the variance beyond that of the noise lies along them.
            beyond = np.maximum(found["explained_variance"] - float(found["noise_variance"]), 0.0)
            loadings = loadings * np.sqrt(beyond)[:, None]
        return loadings, noise

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Rows drawn from the model. None is the seed of the fit."""
        return self._fitted().sample(_count("n_samples", n_samples), self._settings(random_state))


class WithEnergy(Estimator):
    """A method whose model is a probability density up to a factor that is not known."""

    def free_energy(self, X: Any) -> np.ndarray:
        """The negative log-density of each row, up to a constant: of two rows, the lower one is more likely."""
        model = self._fitted()
        data = self._validated(X, reset=False, ensure_min_samples=0, dense=True)
        return model.free_energy(data, self._settings())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Rows drawn from the model by Gibbs sampling. None is the seed of the fit."""
        return self._fitted().sample(_count("n_samples", n_samples), self._settings(random_state))


class WithCheckpoint(Estimator):
    """A method whose fit can be interrupted and gone on with."""

    def resume(self, X: Any, checkpoint: str | os.PathLike[str], y: Any = None) -> Self:
        """Goes on with a fit that was interrupted, from the file of its checkpoint: the same parameters, the same rows
        (and labels, where there were some). The result has the bits of a fit that was not interrupted."""
        self._goes_on_from = os.fspath(checkpoint)
        try:
            return self.fit(X, y)
        finally:
            self.__dict__.pop("_goes_on_from", None)

    def _checkpoint(self) -> tuple[str, float, str] | None:
        file, seconds = getattr(self, "checkpoint", None), self.__dict__.get("checkpoint_seconds")
        if file is None:
            return None
        if not isinstance(seconds, Real) or isinstance(seconds, bool) or not 0 <= float(seconds) < float("inf"):
            raise ParameterError(
                f"checkpoint_seconds = {seconds!r} is out of range: 0 or more; give a number of seconds",
                name="checkpoint_seconds",
                value=seconds,
            )
        return os.fspath(file), float(seconds), self._method


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

    classes_: np.ndarray
    """The labels, in order."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fits the method to the rows of `X` with the labels `y`, numbers or words."""
        labels = self._learned(y)
        classes = np.unique(np.asarray(y))
        self._fit(X, labels)
        self.classes_ = classes
        return self

    def _learned(self, y: Any) -> list[int] | None:
        return _labels(y, type(self).__name__)

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
        return self._fit(X, self._learned(y))

    def _learned(self, y: Any) -> list[int] | None:
        learns = y is not None and self.target_weight is not None
        return _labels(y, type(self).__name__, unknown=True) if learns else None


class WithStart(Estimator):
    """A method whose fit may begin with given coordinates: a matrix as `init`."""

    def _parameters(self) -> dict[str, Any]:
        parameters = super()._parameters()
        if self._has_start():
            del parameters["init"]
        return parameters

    def _has_start(self) -> bool:
        return self.init is not None and not isinstance(self.init, (str, Number))

    def _start(self) -> np.ndarray | None:
        if not self._has_start():
            return None
        try:
            start = np.ascontiguousarray(self.init, dtype=np.float64)
        except (TypeError, ValueError):
            start = np.empty(0)
        if start.ndim != 2:
            raise ParameterError(
                "init is no matrix of numbers; give a word, or one row of coordinates for each point", name="init"
            )
        return start


class WithClasses(WithLabels):
    """A method whose components part Gaussian classes of one covariance: it predicts labels. With fewer components than
    there could be, it sees the classes in those alone."""

    @property
    def coef_(self) -> np.ndarray:
        """What the decision of every class weighs every column by."""
        return self._rule()[0]

    @property
    def intercept_(self) -> np.ndarray:
        """The decision of every class at the origin."""
        return self._rule()[1]

    def _rule(self) -> tuple[np.ndarray, np.ndarray]:
        found = self._fitted().attributes()
        centers, offsets = self._centers(found)
        coef = centers @ found["scalings"].T
        return coef, offsets - coef @ found["xbar"]

    def _centers(self, found: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """The mean of every class in the embedding, and the decision of every class at its origin."""
        # Along the components the covariance within classes is the identity.
        centers = (found["means"] - found["xbar"]) @ found["scalings"]
        return centers, np.log(found["priors"]) - 0.5 * (centers**2).sum(axis=1)

    def decision_function(self, X: Any) -> np.ndarray:
        """The decision of every class for every row: log-probabilities up to a constant of the row; of two classes, the
        difference."""
        model = self._fitted()
        data = self._validated(X, reset=False, ensure_min_samples=1, dense=True)
        embedded = model.transform(data.astype(np.float64, copy=False), "points", self._settings())
        centers, offsets = self._centers(model.attributes())
        decisions = embedded @ centers.T + offsets
        return decisions[:, 1] - decisions[:, 0] if len(offsets) == 2 else decisions

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of the probability of every class for every row."""
        decisions = self.decision_function(X)
        if decisions.ndim == 1:
            decisions = np.column_stack([np.zeros_like(decisions), decisions])
        decisions = decisions - decisions.max(axis=1, keepdims=True)
        return decisions - np.log(np.exp(decisions).sum(axis=1, keepdims=True))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class for every row."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row."""
        best = self.predict_log_proba(X).argmax(axis=1)
        if "classes_" not in self.__dict__:
            raise AttributeError("a loaded model does not have its labels; predict_proba has the classes in their order")
        return self.classes_[best]

    def score(self, X: Any, y: Any) -> float:
        """The share of rows whose label is predicted."""
        labels, found = _one_a_row(y, type(self).__name__), self.predict(X)
        if len(labels) != len(found):
            raise InputError(
                f"{_counted(len(labels), 'label')} for {_counted(len(found), 'row')}; give one label a row",
                labels=len(labels),
                rows=len(found),
            )
        return float(np.mean(found == labels))
