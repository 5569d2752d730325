"""The estimators, one a method of the registry. Written by `make_classes.py`: change the registry, not this file."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ._base import Estimator, WithChunks, WithDensity, WithInverse, WithLabels, WithMissing

__all__ = [
    "PCA",
]


class PCA(WithInverse, WithChunks, WithDensity):
    """Principal component analysis.

    The orthogonal directions along which the data vary most: linear, exact, fast, with an inverse.
    The first thing to try, and the yardstick for all others.

    Parameters
    ----------
    n_components : int | float | Literal["mle", "all"] | None, default None
        How many components to keep: a count (at most the smaller of rows and columns), a share of
        the variance to explain (between 0 and 1), `mle` for Minka's rule, or `all`.

        - `mle`: chosen by Minka's Bayesian rule
        - `all`: as many as the data allow

    svd_solver : Literal["auto", "covariance", "gram", "full", "randomized", "krylov"], default "auto"
        By which way the directions are found.

        - `auto`: Chosen by the shape of the data.
        - `covariance`: Eigenvectors of the covariance matrix: fastest for tall data; variances
          below about 1e-15 of the largest are lost.
        - `gram`: Eigenvectors of the rows' inner products: fastest for wide data; the same
          resolution.
        - `full`: All singular values of the centred data: slowest, and resolves variances down to
          1e-30 of the largest.
        - `randomized`: A few singular values from a random sketch: cheap and approximate.
        - `krylov`: A few directions to full accuracy by products with the data alone.

    whiten : bool, default False
        Whether the components are divided by their standard deviations, so that each has variance
        1.
    n_oversamples : int, default 10
        For `randomized`: how many directions more than asked for the sketch holds.
        It is a whole number from 0 to 10000.
    iterated_power : int | None, default None
        For `randomized`: how many times the sketch is multiplied by the data again; `auto` suits
        the count.
        It is None, or a whole number from 0 to 1000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat unless told otherwise.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        How much a fit may ask for beyond its input: bytes, or words such as '8 GiB'. More is
        refused before anything is allocated.
    verbose : bool, default False
        Whether each stage is printed with its time.

    Attributes
    ----------
    components_ : np.ndarray
        The directions, one a row, by descending variance.
    explained_variance_ : np.ndarray
        The variance (divisor n - 1) along each direction.
    explained_variance_ratio_ : np.ndarray
        The share of the whole variance along each direction.
    singular_values_ : np.ndarray
        The singular values of the centred data.
    mean_ : np.ndarray
        The mean of each column of the data.
    noise_variance_ : float
        The mean variance along the directions left out.
    n_samples_ : int
        The number of rows of the fit.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimised, eigenvalues with their residuals, warnings.

    References
    ----------
    K. Pearson, On lines and planes of closest fit to systems of points in space, 1901; H.
    Hotelling, Analysis of a complex of statistical variables into principal components, 1933.
    """

    _method = "pca"
    _inputs = ("points", "sparse")

    def __init__(
        self,
        *,
        n_components: int | float | Literal["mle", "all"] | None = None,
        svd_solver: Literal["auto", "covariance", "gram", "full", "randomized", "krylov"] = "auto",
        whiten: bool = False,
        n_oversamples: int = 10,
        iterated_power: int | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.svd_solver = svd_solver
        self.whiten = whiten
        self.n_oversamples = n_oversamples
        self.iterated_power = iterated_power
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The directions, one a row, by descending variance."""
        return self._attribute("components")

    @property
    def explained_variance_(self) -> np.ndarray:
        """The variance (divisor n - 1) along each direction."""
        return self._attribute("explained_variance")

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        """The share of the whole variance along each direction."""
        return self._attribute("explained_variance_ratio")

    @property
    def singular_values_(self) -> np.ndarray:
        """The singular values of the centred data."""
        return self._attribute("singular_values")

    @property
    def mean_(self) -> np.ndarray:
        """The mean of each column of the data."""
        return self._attribute("mean")

    @property
    def noise_variance_(self) -> float:
        """The mean variance along the directions left out."""
        return self._attribute("noise_variance")

    @property
    def n_samples_(self) -> int:
        """The number of rows of the fit."""
        return self._attribute("n_samples")


CLASSES: dict[str, type[Estimator]] = {
    "pca": PCA,
}
