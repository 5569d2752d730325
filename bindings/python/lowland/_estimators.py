"""The estimators, one a method of the registry. Written by `make_classes.py`: change the registry, not this file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from ._abilities import (
    WithCheckpoint,
    WithChunks,
    WithClasses,
    WithClusters,
    WithDensity,
    WithEnergy,
    WithInverse,
    WithLabels,
    WithMissing,
    WithMixture,
    WithOptionalLabels,
    WithStart,
)
from ._base import Estimator

__all__ = [
    "Autoencoder",
    "CIsomap",
    "Charting",
    "ClassicalMDS",
    "CommuteTime",
    "DiffusionMaps",
    "DistortionDiscriminantAnalysis",
    "FactorAnalysis",
    "FastICA",
    "FastMVU",
    "Fastmap",
    "HeatKernel",
    "HessianLLE",
    "Isomap",
    "KernelPCA",
    "LDA",
    "LLC",
    "LLE",
    "LLTSA",
    "LPP",
    "LTSA",
    "LandmarkIsomap",
    "LandmarkMDS",
    "LandmarkMVU",
    "LaplacianEigenmaps",
    "MDS",
    "MVU",
    "ManifoldParzenWindows",
    "MixtureOfFactorAnalyzers",
    "MixturePPCA",
    "ModifiedLLE",
    "NCA",
    "NPE",
    "NonmetricMDS",
    "ONPP",
    "OrientedPCA",
    "PCA",
    "PPCA",
    "PaCMAP",
    "ProjectionPursuit",
    "RBM",
    "RandomProjection",
    "SammonMapping",
    "SimplePCA",
    "SpectralClustering",
    "TSNE",
    "TruncatedSVD",
    "UMAP",
]


class PCA(WithInverse, WithChunks, WithDensity):
    """Principal component analysis.

    The orthogonal directions along which the data vary most: linear, exact, fast, with an inverse.
    The first thing to try, and the baseline for all others.

    Parameters
    ----------
    n_components : int | float | Literal["mle", "all"], default "all"
        How many components to keep: a count (at most the smaller of rows and columns), a share of
        the variance to explain (between 0 and 1), `mle` for Minka's rule, or `all`.

        - `mle`: chosen by Minka's Bayesian rule
        - `all`: as many as the data allow

    select : Literal["leading", "minor", "extreme"], default "leading"
        Which directions are kept. The ends other than `leading` need more rows than columns and a
        count.

        - `leading`: Those of largest variance.
        - `minor`: Those of smallest variance: what the data hardly do (minor components).
        - `extreme`: Of both ends, those that leave the most nearly equal variances out (extreme
          components).

    svd_solver : Literal["auto", "covariance", "gram", "full", "randomized", "krylov"], default "auto"
        How the directions are found.

        - `auto`: Chosen by the shape of the data.
        - `covariance`: Eigenvectors of the covariance matrix: fastest for tall data; variances
          below about 1e-15 of the largest are lost.
        - `gram`: Eigenvectors of the rows' inner products: fastest for wide data; the same
          resolution.
        - `full`: All singular values of the centered data: slowest, and resolves variances down to
          1e-30 of the largest.
        - `randomized`: A few singular values from a random sketch: cheap and approximate.
        - `krylov`: A few directions to full accuracy by products with the data alone.

    whiten : bool, default False
        Whether the components are divided by their standard deviations, so that each has variance
        1.
    symmetric : bool, default False
        For `whiten`: whether the coordinates are turned back to the columns of the data (symmetric
        sphering, or ZCA). There are as many as columns, uncorrelated, and each as near to its
        column as can be.
    n_oversamples : int, default 10
        For `randomized`: how many directions more than asked for the sketch has.
        It is a whole number from 0 to 10000.
    iterated_power : int | None, default None
        For `randomized`: how many times the sketch is multiplied by the data again; `auto` suits
        the count.
        It is None, or a whole number from 0 to 1000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The directions, one a row, by descending variance.
    explained_variance_ : np.ndarray
        The variance (divisor n - 1) along each direction.
    explained_variance_ratio_ : np.ndarray
        The share of the whole variance along each direction.
    singular_values_ : np.ndarray
        The singular values of the centered data.
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
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.PCA(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    K. Pearson, On lines and planes of closest fit to systems of points in space, 1901; H.
    Hotelling, Analysis of a complex of statistical variables into principal components, 1933.
    """

    _method = "pca"
    _inputs = ("points", "sparse")

    def __init__(
        self,
        n_components: int | float | Literal["mle", "all"] = "all",
        *,
        select: Literal["leading", "minor", "extreme"] = "leading",
        svd_solver: Literal["auto", "covariance", "gram", "full", "randomized", "krylov"] = "auto",
        whiten: bool = False,
        symmetric: bool = False,
        n_oversamples: int = 10,
        iterated_power: int | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.select = select
        self.svd_solver = svd_solver
        self.whiten = whiten
        self.symmetric = symmetric
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
        """The singular values of the centered data."""
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


class PPCA(WithInverse, WithDensity, WithMissing):
    """Probabilistic principal component analysis.

    Principal components as a probability model: it takes missing values, fills them in, gives the
    likelihood of new points, draws samples, and can choose the number of components by Bayesian
    evidence.

    Parameters
    ----------
    n_components : int | Literal["mle", "ard"] | None, default None
        How many components: a count (at most the smaller of rows and columns), `mle` or `ard` to
        choose it by Bayesian evidence, or `auto`: as many as leave some noise or, where values are
        missing, as the evidence says. Of expectation maximization the evidence is taken to its
        leading order, whichever the word.

        - `mle`: the largest evidence, by Minka's approximation
        - `ard`: Bishop's automatic relevance determination: directions that the prior prunes are
          left out

    algorithm : Literal["auto", "closed", "em"], default "auto"
        How the model is found.

        - `auto`: The closed form, and expectation maximization where values are missing.
        - `closed`: From the spectrum of the covariance (Burges eqs. 1.8 and 1.9).
        - `em`: Expectation maximization: its cost grows with the columns, and not with their
          square.

    tol : float, default 1e-08
        For expectation maximization: the fit ends when an iteration adds less to the mean log-
        likelihood of a row.
        It is a number from 0 to 1.
    max_iter : int, default 2000
        For expectation maximization: the most iterations.
        It is a whole number from 1 to 1000000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The principal directions, one unit row each, by descending variance.
    loadings_ : np.ndarray
        The matrix W: columns of the data by factors.
    explained_variance_ : np.ndarray
        The variance (divisor n) of the model along each direction.
    mean_ : np.ndarray
        The mean of the model.
    noise_variance_ : float
        The variance of the noise in every direction.
    log_likelihoods_ : np.ndarray
        The mean log-likelihood of a row at each iteration.
    n_iter_ : int
        The iterations of expectation maximization; 1 for the closed form.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.PPCA(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    M. E. Tipping, C. M. Bishop, Probabilistic principal component analysis, 1999; C. M. Bishop,
    Bayesian PCA, 1999.
    """

    _method = "ppca"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | Literal["mle", "ard"] | None = None,
        *,
        algorithm: Literal["auto", "closed", "em"] = "auto",
        tol: float = 1e-08,
        max_iter: int = 2000,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The principal directions, one unit row each, by descending variance."""
        return self._attribute("components")

    @property
    def loadings_(self) -> np.ndarray:
        """The matrix W: columns of the data by factors."""
        return self._attribute("loadings")

    @property
    def explained_variance_(self) -> np.ndarray:
        """The variance (divisor n) of the model along each direction."""
        return self._attribute("explained_variance")

    @property
    def mean_(self) -> np.ndarray:
        """The mean of the model."""
        return self._attribute("mean")

    @property
    def noise_variance_(self) -> float:
        """The variance of the noise in every direction."""
        return self._attribute("noise_variance")

    @property
    def log_likelihoods_(self) -> np.ndarray:
        """The mean log-likelihood of a row at each iteration."""
        return self._attribute("log_likelihoods")

    @property
    def n_iter_(self) -> int:
        """The iterations of expectation maximization; 1 for the closed form."""
        return self._attribute("n_iter")


class FactorAnalysis(WithInverse, WithDensity, WithMissing):
    """Factor analysis.

    A few factors that explain how the columns vary together, with noise of its own in each column:
    it does not care for the columns' units, takes missing values, and can rotate the factors to a
    simple pattern.

    Parameters
    ----------
    n_components : int | None, default None
        How many factors, at most the number of columns; `auto` takes as many as the columns can
        determine.
        It is None, or a whole number of at least 1.
    algorithm : Literal["auto", "newton", "svd", "em"], default "auto"
        How the likelihood is maximized.

        - `auto`: The fastest for complete data, and expectation maximization where values are
          missing.
        - `newton`: A quasi-Newton search for the noise; the loadings follow from it (Jöreskog).
        - `svd`: Alternates between the noise and the leading singular vectors of the scaled data,
          as scikit-learn does.
        - `em`: Expectation maximization: its cost grows with the columns, and not with their
          square.

    rotation : Literal["none", "varimax", "quartimax", "promax", "oblimin"] | None, default "none"
        How the factors are rotated: the likelihood is the same. Those of `promax` and `oblimin` are
        correlated. None is `none`.

        - `none`: Their principal axes.
        - `varimax`: Few large loadings in each factor (Kaiser 1958).
        - `quartimax`: Few large loadings in each column of the data.
        - `promax`: Varimax, then correlated factors, whose small loadings are smaller still
          (Hendrickson and White 1964).
        - `oblimin`: Correlated factors with the least products of squared loadings (direct oblimin
          with gamma = 0, or quartimin: Jennrich and Sampson 1966).

    tol : float, default 1e-08
        For `svd` and `em`: the fit ends when a step adds less than this to the mean log-likelihood
        of a row. The quasi-Newton search goes on until the likelihood is flat.
        It is a number from 0 to 1.
    max_iter : int, default 2000
        The most steps that the search takes.
        It is a whole number from 1 to 1000000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The loadings, one factor a row: of oblique factors the pattern, the weights that rebuild the
        columns.
    factor_correlation_ : np.ndarray
        The correlations of the factors in the model.
    structure_ : np.ndarray
        The covariances of factors and columns, one factor a row: of uncorrelated factors the
        loadings.
    noise_variance_ : np.ndarray
        The variance of the noise in each column.
    mean_ : np.ndarray
        The mean of each column in the model.
    loglike_ : np.ndarray
        The mean log-likelihood of a row, step by step.
    n_iter_ : int
        The steps taken.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.FactorAnalysis(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    K. G. Jöreskog, Some contributions to maximum likelihood factor analysis, 1967; D. Barber,
    Bayesian reasoning and machine learning, algorithm 21.1, 2012.
    """

    _method = "factor-analysis"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | None = None,
        *,
        algorithm: Literal["auto", "newton", "svd", "em"] = "auto",
        rotation: Literal["none", "varimax", "quartimax", "promax", "oblimin"] | None = "none",
        tol: float = 1e-08,
        max_iter: int = 2000,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.rotation = rotation
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The loadings, one factor a row: of oblique factors the pattern, the weights that rebuild the columns."""
        return self._attribute("components")

    @property
    def factor_correlation_(self) -> np.ndarray:
        """The correlations of the factors in the model."""
        return self._attribute("factor_correlation")

    @property
    def structure_(self) -> np.ndarray:
        """The covariances of factors and columns, one factor a row: of uncorrelated factors the loadings."""
        return self._attribute("structure")

    @property
    def noise_variance_(self) -> np.ndarray:
        """The variance of the noise in each column."""
        return self._attribute("noise_variance")

    @property
    def mean_(self) -> np.ndarray:
        """The mean of each column in the model."""
        return self._attribute("mean")

    @property
    def loglike_(self) -> np.ndarray:
        """The mean log-likelihood of a row, step by step."""
        return self._attribute("loglike")

    @property
    def n_iter_(self) -> int:
        """The steps taken."""
        return self._attribute("n_iter")


class MixturePPCA(WithClusters, WithInverse, WithDensity, WithMixture):
    """Mixture of probabilistic principal component analyzers.

    A density made of local planes: likelihoods, samples, clusters, and how many planes there are.
    Its embedding is the denoised rows on the principal axes of the data; for one that unrolls a
    sheet take llc or charting.

    Parameters
    ----------
    n_components : int | Literal["bic"] | None, default None
        How many components, which is also how many factors each analyzer has: fewer than columns.
        `auto` is 2, or 1 where there are two columns; `bic` goes by the Bayesian information
        criterion.

        - `bic`: the least Bayesian information criterion; the report has the curve

    n_analyzers : int | Literal["bic"] | None, default None
        How many analyzers: local linear models, of which each needs more rows than components.
        `auto` is one for ten times as many, at most 20.

        - `bic`: the least Bayesian information criterion; the report has the curve

    density : Literal["gaussian", "student-t"], default "gaussian"
        The tails of the analyzers' densities: those of Student's t are not moved by outliers.

        - `gaussian`: Gaussian: a row far away counts in full.
        - `student-t`: Student's t: rows far away count little (the robust mixture of Maaten 7.3).

    degrees_of_freedom : float | None, default None
        The degrees of freedom of Student's t; `auto` finds those of each analyzer by maximum
        likelihood.
        It is None, or a number from 0.5 to 1000000.
    init : Literal["graph", "k-means++", "random"], default "k-means++"
        Where the analyzers start.

        - `graph`: Patches of the neighbor graph, by shortest paths: no patch reaches across a fold.
        - `k-means++`: Groups by k-means, seeded by k-means++.
        - `random`: The rows nearest to each of some random rows.

    n_init : int, default 3
        How many starts are tried for some iterations; the best goes on.
        It is a whole number from 1 to 10000.
    n_neighbors : int, default 10
        The neighbors of each row, or all other rows where there are fewer: for a start by patches
        of their graph, for the weights of llc, and for the neighborhoods on which the charts of
        charting agree.
        It is a whole number from 1 to 1000000.
    tol : float, default 1e-05
        The fit ends when an iteration adds less to the mean log-likelihood of a cell.
        It is a number from 0 to 1.
    max_iter : int, default 500
        The most iterations of expectation maximization.
        It is a whole number from 1 to 1000000.
    variance_floor : float, default 1e-06
        The least variance of the noise, relative to the variance of the data: an analyzer cannot
        shrink to a point.
        It is a number from 0.000000000001 to 1.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    weights_ : np.ndarray
        The share of each analyzer; they sum to 1.
    means_ : np.ndarray
        The means of the analyzers, one a row.
    loadings_ : np.ndarray
        The matrices W of the analyzers below each other: each has the columns of the data by
        factors.
    noise_variance_ : np.ndarray
        The variance of the noise: analyzers by columns of the data.
    labels_ : np.ndarray
        The most responsible analyzer of each training row.
    log_likelihoods_ : np.ndarray
        The mean log-likelihood of a row at each iteration.
    n_iter_ : int
        The iterations of expectation maximization.
    bic_ : float
        The Bayesian information criterion of the mixture.
    bic_curve_ : np.ndarray
        Analyzers, components and Bayesian information criterion of each mixture that was tried.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.MixturePPCA(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    M. E. Tipping, C. M. Bishop, Mixtures of probabilistic principal component analyzers, 1999.
    """

    _method = "mixture-ppca"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | Literal["bic"] | None = None,
        *,
        n_analyzers: int | Literal["bic"] | None = None,
        density: Literal["gaussian", "student-t"] = "gaussian",
        degrees_of_freedom: float | None = None,
        init: Literal["graph", "k-means++", "random"] = "k-means++",
        n_init: int = 3,
        n_neighbors: int = 10,
        tol: float = 1e-05,
        max_iter: int = 500,
        variance_floor: float = 1e-06,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_analyzers = n_analyzers
        self.density = density
        self.degrees_of_freedom = degrees_of_freedom
        self.init = init
        self.n_init = n_init
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter
        self.variance_floor = variance_floor
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def weights_(self) -> np.ndarray:
        """The share of each analyzer; they sum to 1."""
        return self._attribute("weights")

    @property
    def means_(self) -> np.ndarray:
        """The means of the analyzers, one a row."""
        return self._attribute("means")

    @property
    def loadings_(self) -> np.ndarray:
        """The matrices W of the analyzers below each other: each has the columns of the data by factors."""
        return self._attribute("loadings")

    @property
    def noise_variance_(self) -> np.ndarray:
        """The variance of the noise: analyzers by columns of the data."""
        return self._attribute("noise_variance")

    @property
    def log_likelihoods_(self) -> np.ndarray:
        """The mean log-likelihood of a row at each iteration."""
        return self._attribute("log_likelihoods")

    @property
    def n_iter_(self) -> int:
        """The iterations of expectation maximization."""
        return self._attribute("n_iter")

    @property
    def bic_(self) -> float:
        """The Bayesian information criterion of the mixture."""
        return self._attribute("bic")

    @property
    def bic_curve_(self) -> np.ndarray:
        """Analyzers, components and Bayesian information criterion of each mixture that was tried."""
        return self._attribute("bic_curve")


class MixtureOfFactorAnalyzers(WithClusters, WithInverse, WithDensity, WithMixture):
    """Mixture of factor analyzers.

    A density made of local planes with a noise of its own in every column: likelihoods, samples,
    clusters. Its embedding is the denoised rows on the principal axes of the data; for one that
    unrolls a sheet take llc or charting.

    Parameters
    ----------
    n_components : int | Literal["bic"] | None, default None
        How many components, which is also how many factors each analyzer has: fewer than columns.
        `auto` is 2, or 1 where there are two columns; `bic` goes by the Bayesian information
        criterion.

        - `bic`: the least Bayesian information criterion; the report has the curve

    n_analyzers : int | Literal["bic"] | None, default None
        How many analyzers: local linear models, of which each needs more rows than components.
        `auto` is one for ten times as many, at most 20.

        - `bic`: the least Bayesian information criterion; the report has the curve

    density : Literal["gaussian", "student-t"], default "gaussian"
        The tails of the analyzers' densities: those of Student's t are not moved by outliers.

        - `gaussian`: Gaussian: a row far away counts in full.
        - `student-t`: Student's t: rows far away count little (the robust mixture of Maaten 7.3).

    degrees_of_freedom : float | None, default None
        The degrees of freedom of Student's t; `auto` finds those of each analyzer by maximum
        likelihood.
        It is None, or a number from 0.5 to 1000000.
    init : Literal["graph", "k-means++", "random"], default "k-means++"
        Where the analyzers start.

        - `graph`: Patches of the neighbor graph, by shortest paths: no patch reaches across a fold.
        - `k-means++`: Groups by k-means, seeded by k-means++.
        - `random`: The rows nearest to each of some random rows.

    n_init : int, default 3
        How many starts are tried for some iterations; the best goes on.
        It is a whole number from 1 to 10000.
    n_neighbors : int, default 10
        The neighbors of each row, or all other rows where there are fewer: for a start by patches
        of their graph, for the weights of llc, and for the neighborhoods on which the charts of
        charting agree.
        It is a whole number from 1 to 1000000.
    tol : float, default 1e-05
        The fit ends when an iteration adds less to the mean log-likelihood of a cell.
        It is a number from 0 to 1.
    max_iter : int, default 500
        The most iterations of expectation maximization.
        It is a whole number from 1 to 1000000.
    variance_floor : float, default 1e-06
        The least variance of the noise, relative to the variance of the data: an analyzer cannot
        shrink to a point.
        It is a number from 0.000000000001 to 1.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    weights_ : np.ndarray
        The share of each analyzer; they sum to 1.
    means_ : np.ndarray
        The means of the analyzers, one a row.
    loadings_ : np.ndarray
        The matrices W of the analyzers below each other: each has the columns of the data by
        factors.
    noise_variance_ : np.ndarray
        The variance of the noise: analyzers by columns of the data.
    labels_ : np.ndarray
        The most responsible analyzer of each training row.
    log_likelihoods_ : np.ndarray
        The mean log-likelihood of a row at each iteration.
    n_iter_ : int
        The iterations of expectation maximization.
    bic_ : float
        The Bayesian information criterion of the mixture.
    bic_curve_ : np.ndarray
        Analyzers, components and Bayesian information criterion of each mixture that was tried.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.MixtureOfFactorAnalyzers(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    Z. Ghahramani, G. E. Hinton, The EM algorithm for mixtures of factor analyzers, 1996.
    """

    _method = "mixture-of-factor-analyzers"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | Literal["bic"] | None = None,
        *,
        n_analyzers: int | Literal["bic"] | None = None,
        density: Literal["gaussian", "student-t"] = "gaussian",
        degrees_of_freedom: float | None = None,
        init: Literal["graph", "k-means++", "random"] = "k-means++",
        n_init: int = 3,
        n_neighbors: int = 10,
        tol: float = 1e-05,
        max_iter: int = 500,
        variance_floor: float = 1e-06,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_analyzers = n_analyzers
        self.density = density
        self.degrees_of_freedom = degrees_of_freedom
        self.init = init
        self.n_init = n_init
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter
        self.variance_floor = variance_floor
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def weights_(self) -> np.ndarray:
        """The share of each analyzer; they sum to 1."""
        return self._attribute("weights")

    @property
    def means_(self) -> np.ndarray:
        """The means of the analyzers, one a row."""
        return self._attribute("means")

    @property
    def loadings_(self) -> np.ndarray:
        """The matrices W of the analyzers below each other: each has the columns of the data by factors."""
        return self._attribute("loadings")

    @property
    def noise_variance_(self) -> np.ndarray:
        """The variance of the noise: analyzers by columns of the data."""
        return self._attribute("noise_variance")

    @property
    def log_likelihoods_(self) -> np.ndarray:
        """The mean log-likelihood of a row at each iteration."""
        return self._attribute("log_likelihoods")

    @property
    def n_iter_(self) -> int:
        """The iterations of expectation maximization."""
        return self._attribute("n_iter")

    @property
    def bic_(self) -> float:
        """The Bayesian information criterion of the mixture."""
        return self._attribute("bic")

    @property
    def bic_curve_(self) -> np.ndarray:
        """Analyzers, components and Bayesian information criterion of each mixture that was tried."""
        return self._attribute("bic_curve")


class ManifoldParzenWindows(WithDensity, WithMixture):
    """Manifold Parzen windows.

    A density with a flat window on every point, along its neighbors: nothing is iterated, and every
    row is kept. Its embedding is the denoised rows on the principal axes of the data. For at most
    some thousands of rows.

    Parameters
    ----------
    n_components : int | None, default None
        How many directions a window has: fewer than columns, and at most as many as neighbors.
        `auto` is 2, or 1 where there are two columns or one neighbor.
        It is None, or a whole number from 1 to 1000000.
    n_neighbors : int, default 10
        The neighbors whose differences make a window; all other rows, where there are fewer.
        It is a whole number from 1 to 1000000.
    noise_variance : float | None, default None
        The variance in all directions; `auto` takes the one with the largest likelihood of every
        row in the windows of its neighbors.
        It is None, or a number above 0.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    weights_ : np.ndarray
        The share of each analyzer; they sum to 1.
    means_ : np.ndarray
        The means of the analyzers, one a row.
    loadings_ : np.ndarray
        The matrices W of the analyzers below each other: each has the columns of the data by
        factors.
    noise_variance_ : np.ndarray
        The variance of the noise: analyzers by columns of the data.
    window_noise_ : float
        The variance that every window has in all directions, beside those of its neighbors.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.ManifoldParzenWindows(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    P. Vincent, Y. Bengio, Manifold Parzen windows, 2003.
    """

    _method = "manifold-parzen-windows"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_neighbors: int = 10,
        noise_variance: float | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.noise_variance = noise_variance
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def weights_(self) -> np.ndarray:
        """The share of each analyzer; they sum to 1."""
        return self._attribute("weights")

    @property
    def means_(self) -> np.ndarray:
        """The means of the analyzers, one a row."""
        return self._attribute("means")

    @property
    def loadings_(self) -> np.ndarray:
        """The matrices W of the analyzers below each other: each has the columns of the data by factors."""
        return self._attribute("loadings")

    @property
    def noise_variance_(self) -> np.ndarray:
        """The variance of the noise: analyzers by columns of the data."""
        return self._attribute("noise_variance")

    @property
    def window_noise_(self) -> float:
        """The variance that every window has in all directions, beside those of its neighbors."""
        return self._attribute("window_noise")


class TruncatedSVD(WithInverse):
    """Truncated singular value decomposition.

    The directions that keep most of the data's squares, without centering: for sparse tables such
    as counts of words, which stay sparse.

    Parameters
    ----------
    n_components : int | None, default None
        How many components: at most the smaller of rows and columns; `auto` is 2, or fewer where
        there are not as many.
        It is None, or a whole number of at least 1.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The right singular vectors, one a row, by descending singular value.
    singular_values_ : np.ndarray
        The singular values; of large tables those above 1e-7 of the first.
    explained_variance_ : np.ndarray
        The variance (divisor n) of the training rows along each component.
    explained_variance_ratio_ : np.ndarray
        Its share of the variance of all columns.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.TruncatedSVD(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    C. Eckart, G. Young, The approximation of one matrix by another of lower rank, 1936; S.
    Deerwester et al., Indexing by latent semantic analysis, 1990.
    """

    _method = "truncated-svd"
    _inputs = ("points", "sparse")

    def __init__(
        self,
        n_components: int | None = None,
        *,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The right singular vectors, one a row, by descending singular value."""
        return self._attribute("components")

    @property
    def singular_values_(self) -> np.ndarray:
        """The singular values; of large tables those above 1e-7 of the first."""
        return self._attribute("singular_values")

    @property
    def explained_variance_(self) -> np.ndarray:
        """The variance (divisor n) of the training rows along each component."""
        return self._attribute("explained_variance")

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        """Its share of the variance of all columns."""
        return self._attribute("explained_variance_ratio")


class SimplePCA(WithInverse, WithChunks):
    """Simple principal component analysis.

    Principal components from one look at each row, in memory for a few rows: for very many columns
    and for streams. Exact as long as the data have no more directions than are carried along,
    otherwise approximate.

    Parameters
    ----------
    n_components : int | None, default None
        How many components: at most the smaller of rows and columns; `auto` is 2, or fewer where
        there are not as many.
        It is None, or a whole number of at least 1.
    algorithm : Literal["merge", "oja", "simple"], default "merge"
        By which rule the directions follow the rows. In chunks, `simple` keeps all rows.

        - `merge`: Blocks of rows are merged into a few directions by singular values.
        - `oja`: Oja's rule with a memory: the directions move toward what the covariance of each
          block makes of them.
        - `simple`: One direction after the other, each the sum of the rows on its positive side:
          all rows are needed at once.

    n_oversamples : int, default 20
        How many directions more than asked for are carried along.
        It is a whole number from 0 to 10000.
    batch_size : int, default 256
        How many rows are taken at a time.
        It is a whole number from 1 to 1000000.
    max_iter : int, default 20
        For `oja`, how often all rows are looked at, where they are given at once; for `simple`, the
        most steps of a direction.
        It is a whole number from 1 to 100000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The directions, one a row, by descending variance.
    explained_variance_ : np.ndarray
        The variance (divisor n - 1) along each direction, as far as it was followed.
    mean_ : np.ndarray
        The mean of each column of the data.
    n_samples_seen_ : int
        The number of rows seen.
    n_iter_ : int
        How often the rows were looked at, or the most steps of a direction.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.SimplePCA(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    E. Oja, A simplified neuron model as a principal component analyzer, 1982; M. Partridge, R.
    Calvo, Fast dimensionality reduction and simple PCA, 1998; D. Ross et al., Incremental learning
    for robust visual tracking, 2008.
    """

    _method = "simple-pca"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | None = None,
        *,
        algorithm: Literal["merge", "oja", "simple"] = "merge",
        n_oversamples: int = 20,
        batch_size: int = 256,
        max_iter: int = 20,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_oversamples = n_oversamples
        self.batch_size = batch_size
        self.max_iter = max_iter
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
        """The variance (divisor n - 1) along each direction, as far as it was followed."""
        return self._attribute("explained_variance")

    @property
    def mean_(self) -> np.ndarray:
        """The mean of each column of the data."""
        return self._attribute("mean")

    @property
    def n_samples_seen_(self) -> int:
        """The number of rows seen."""
        return self._attribute("n_samples_seen")

    @property
    def n_iter_(self) -> int:
        """How often the rows were looked at, or the most steps of a direction."""
        return self._attribute("n_iter")


class RandomProjection(WithInverse):
    """Random projection.

    A random linear map that keeps every distance to within a chosen error with high probability:
    costs one product, looks at no data, and reports its distortion on yours.

    Parameters
    ----------
    n_components : int | None, default None
        How many components: at most the number of columns; `auto` is what the lemma asks for.
        It is None, or a whole number of at least 1.
    eps : float, default 0.3
        The error of a squared distance, relative to it, that is allowed.
        It is a number between 0 and 0.5, both excluded.
    kind : Literal["gaussian", "sparse", "hadamard"], default "gaussian"
        Which random matrix is drawn.

        - `gaussian`: Independent normal entries.
        - `sparse`: Mostly zeros, otherwise plus or minus the same number (Achlioptas; Li).
        - `hadamard`: Some rows of a Hadamard matrix, its columns with random signs: applied by the
          fast transform.

    density : float | None, default None
        For `sparse`: the share of entries that are not zero. `auto` is 1/3 (Achlioptas), the least
        that the lemma covers, where n_components is `auto`, and 1 over the root of the columns (Li)
        where it is given.
        It is None, or a number from 0.000000001 to 1.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The random matrix, one direction a row.
    distortion_ : np.ndarray
        The ratio of squared distances, after to before, for some pairs of rows, ascending.
    johnson_lindenstrauss_min_dim_ : int
        The components that the lemma asks for, for this error and number of rows.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.RandomProjection(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    W. B. Johnson, J. Lindenstrauss, Extensions of Lipschitz mappings into a Hilbert space, 1984; D.
    Achlioptas, Database-friendly random projections, 2003; P. Li, T. J. Hastie, K. W. Church, Very
    sparse random projections, 2006; N. Ailon, B. Chazelle, The fast Johnson-Lindenstrauss
    transform, 2009.
    """

    _method = "random-projection"
    _inputs = ("points", "sparse")

    def __init__(
        self,
        n_components: int | None = None,
        *,
        eps: float = 0.3,
        kind: Literal["gaussian", "sparse", "hadamard"] = "gaussian",
        density: float | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.eps = eps
        self.kind = kind
        self.density = density
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The random matrix, one direction a row."""
        return self._attribute("components")

    @property
    def distortion_(self) -> np.ndarray:
        """The ratio of squared distances, after to before, for some pairs of rows, ascending."""
        return self._attribute("distortion")

    @property
    def johnson_lindenstrauss_min_dim_(self) -> int:
        """The components that the lemma asks for, for this error and number of rows."""
        return self._attribute("johnson_lindenstrauss_min_dim")


class FastICA(WithInverse):
    """Independent component analysis.

    Takes linear mixtures apart: the directions whose projections are as independent, and as far
    from Gaussian, as possible. For signals that were added up, not for compact pictures of data.

    Parameters
    ----------
    n_components : int | None, default None
        How many components: at most the smaller of rows and columns; `auto` takes all directions of
        the data.
        It is None, or a whole number of at least 1.
    algorithm : Literal["parallel", "deflation", "infomax", "extended-infomax"], default "parallel"
        How the components are found.

        - `parallel`: All at once, by fixed points of the contrast.
        - `deflation`: One after the other, each orthogonal to those before.
        - `infomax`: All at once, by the likelihood of sources with heavy tails (Bell and
          Sejnowski); `fun` only ranks them.
        - `extended-infomax`: The same for sources with heavy or light tails, whichever each has
          (Lee, Girolami and Sejnowski).

    fun : Literal["logcosh", "exp", "cube"], default "logcosh"
        What measures the distance from a Gaussian.

        - `logcosh`: ln cosh: for all purposes.
        - `exp`: A Gaussian bump: for heavy tails, and where outliers must not count.
        - `cube`: The fourth power, that is the kurtosis: fast, but sensitive to outliers.

    tol : float, default 1e-08
        The iteration ends when no direction changes by more: 1 less the cosine.
        It is a number between 0 and 1, both excluded.
    max_iter : int, default 500
        The most steps (for each component, where they are found one after the other).
        It is a whole number from 1 to 1000000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The unmixing matrix, one component a row: it maps centered rows to sources.
    mixing_ : np.ndarray
        The mixing matrix: it maps sources to centered rows.
    mean_ : np.ndarray
        The mean of each column of the data.
    negentropy_ : np.ndarray
        How far each component is from Gaussian, by the contrast.
    n_iter_ : int
        The steps of the iteration with all rows.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.FastICA(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    A. Hyvärinen, Fast and robust fixed-point algorithms for independent component analysis, 1999;
    A. J. Bell, T. J. Sejnowski, An information-maximization approach to blind separation and blind
    deconvolution, 1995; T.-W. Lee, M. Girolami, T. J. Sejnowski, Independent component analysis
    using an extended infomax algorithm for mixed subgaussian and supergaussian sources, 1999.
    """

    _method = "fast-ica"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | None = None,
        *,
        algorithm: Literal["parallel", "deflation", "infomax", "extended-infomax"] = "parallel",
        fun: Literal["logcosh", "exp", "cube"] = "logcosh",
        tol: float = 1e-08,
        max_iter: int = 500,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.fun = fun
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The unmixing matrix, one component a row: it maps centered rows to sources."""
        return self._attribute("components")

    @property
    def mixing_(self) -> np.ndarray:
        """The mixing matrix: it maps sources to centered rows."""
        return self._attribute("mixing")

    @property
    def mean_(self) -> np.ndarray:
        """The mean of each column of the data."""
        return self._attribute("mean")

    @property
    def negentropy_(self) -> np.ndarray:
        """How far each component is from Gaussian, by the contrast."""
        return self._attribute("negentropy")

    @property
    def n_iter_(self) -> int:
        """The steps of the iteration with all rows."""
        return self._attribute("n_iter")


class ProjectionPursuit(WithInverse):
    """Projection pursuit.

    The linear views of the data that look least like a Gaussian cloud (clusters, gaps, outliers),
    whatever their variance, and a test of whether there is anything to see at all.

    Parameters
    ----------
    n_components : int | None, default None
        How many projections: at most the smaller of rows and columns; `auto` is 2, or 1 of a single
        column.
        It is None, or a whole number of at least 1.
    index : Literal["negentropy", "kurtosis", "friedman-tukey", "holes", "mardia", "plane-holes"], default "negentropy"
        What makes a projection interesting.

        - `negentropy`: An approximation of the negentropy that outliers do not rule: for all
          purposes.
        - `kurtosis`: How far the kurtosis is from a Gaussian's, by its logarithm: outliers, and
          clusters of equal size.
        - `friedman-tukey`: The integral of the squared density (Friedman and Tukey): clusters and
          other dense regions.
        - `holes`: Few points in the middle (Cook, Buja and Cabrera).
        - `mardia`: Mardia's skewness and kurtosis of a plane: two directions are looked for at a
          time. Outliers, clusters, rings.
        - `plane-holes`: Few points in the middle of a plane: two directions are looked for at a
          time.

    deflation : Literal["orthogonal", "structure-removal"], default "orthogonal"
        How the next projection is kept apart from those before.

        - `orthogonal`: Its direction is orthogonal to theirs, in the whitened space.
        - `structure-removal`: What they showed is made Gaussian (Friedman's structure removal), and
          all directions are searched again.

    n_init : int, default 8
        From how many random directions each search starts: the best end counts.
        It is a whole number from 1 to 10000.
    n_noise : int, default 10
        How many times the search is repeated on Gaussian noise to know what noise shows; 0 leaves
        that out, and every projection counts as significant.
        It is a whole number from 0 to 10000.
    max_iter : int, default 200
        The most steps of a search.
        It is a whole number from 1 to 100000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The directions, one a row: each maps centered rows to variance 1.
    index_ : np.ndarray
        The index of each projection.
    noise_level_ : float
        The index that the best projection of Gaussian noise of this shape stays below.
    n_significant_ : int
        How many of the projections depart from a Gaussian more than noise would.
    mean_ : np.ndarray
        The mean of each column of the data.
    n_iter_ : int
        The steps of the longest search.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.ProjectionPursuit(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    J. H. Friedman, J. W. Tukey, A projection pursuit algorithm for exploratory data analysis, 1974;
    P. J. Huber, Projection pursuit, 1985.
    """

    _method = "projection-pursuit"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | None = None,
        *,
        index: Literal["negentropy", "kurtosis", "friedman-tukey", "holes", "mardia", "plane-holes"] = "negentropy",
        deflation: Literal["orthogonal", "structure-removal"] = "orthogonal",
        n_init: int = 8,
        n_noise: int = 10,
        max_iter: int = 200,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.index = index
        self.deflation = deflation
        self.n_init = n_init
        self.n_noise = n_noise
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The directions, one a row: each maps centered rows to variance 1."""
        return self._attribute("components")

    @property
    def index_(self) -> np.ndarray:
        """The index of each projection."""
        return self._attribute("index")

    @property
    def noise_level_(self) -> float:
        """The index that the best projection of Gaussian noise of this shape stays below."""
        return self._attribute("noise_level")

    @property
    def n_significant_(self) -> int:
        """How many of the projections depart from a Gaussian more than noise would."""
        return self._attribute("n_significant")

    @property
    def mean_(self) -> np.ndarray:
        """The mean of each column of the data."""
        return self._attribute("mean")

    @property
    def n_iter_(self) -> int:
        """The steps of the longest search."""
        return self._attribute("n_iter")


class LDA(WithClasses):
    """Linear discriminant analysis.

    The linear views in which labeled classes lie furthest apart, measured by their own spread. Has
    at most one component less than there are classes.

    Parameters
    ----------
    n_components : int | None, default None
        How many components: at most the smaller of columns and classes less one; `auto` takes all.
        It is None, or a whole number of at least 1.
    shrinkage : float | None | Literal["auto"], default 0.0
        How far the covariance within classes is shrunk toward a sphere, from 0 (not) to 1 (in
        full): for few rows. `auto` is the amount that Ledoit and Wolf 2004 estimate. None is 0.
        It is auto, or a number from 0 to 1.
    tol : float, default 0.0001
        Directions within classes whose deviation, relative to that of the columns, is below this
        are left out.
        It is a number between 0 and 1, both excluded.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    scalings_ : np.ndarray
        The directions, one a column: the variance within classes (divisor n) is 1 along each.
    explained_variance_ratio_ : np.ndarray
        The share of the variance between classes along each direction.
    means_ : np.ndarray
        The mean of each class, in the order of the labels.
    xbar_ : np.ndarray
        The mean of all rows.
    priors_ : np.ndarray
        The share of each class among the rows, in the order of the labels.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.LDA(n_components=2).fit_transform(sample.X, sample.labels).shape
    (120, 2)

    References
    ----------
    R. A. Fisher, The use of multiple measurements in taxonomic problems, 1936; C. R. Rao, The
    utilization of multiple measurements in problems of biological classification, 1948.
    """

    _method = "lda"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | None = None,
        *,
        shrinkage: float | None | Literal["auto"] = 0.0,
        tol: float = 0.0001,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def scalings_(self) -> np.ndarray:
        """The directions, one a column: the variance within classes (divisor n) is 1 along each."""
        return self._attribute("scalings")

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        """The share of the variance between classes along each direction."""
        return self._attribute("explained_variance_ratio")

    @property
    def means_(self) -> np.ndarray:
        """The mean of each class, in the order of the labels."""
        return self._attribute("means")

    @property
    def xbar_(self) -> np.ndarray:
        """The mean of all rows."""
        return self._attribute("xbar")

    @property
    def priors_(self) -> np.ndarray:
        """The share of each class among the rows, in the order of the labels."""
        return self._attribute("priors")


class NCA(WithLabels):
    """Neighborhood components analysis.

    The linear map after which a row's nearest neighbors are most often of its own class: a metric
    learned from labels. Its cost grows with the square of the rows.

    Parameters
    ----------
    n_components : int | None, default None
        How many components: at most the number of columns; `auto` takes as many as there are
        columns.
        It is None, or a whole number of at least 1.
    init : Literal["auto", "lda", "pca", "identity"], default "auto"
        Where the search starts.

        - `auto`: Linear discriminants where they suffice, then principal components, then the
          identity.
        - `lda`: Linear discriminants.
        - `pca`: Principal components.
        - `identity`: The first columns as they are.

    tol : float, default 1e-05
        The search ends when a step improves the expected number of correctly classified rows by
        less, relative to it.
        It is a number between 0 and 1, both excluded.
    max_iter : int, default 50
        The most steps that the search takes.
        It is a whole number from 1 to 100000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The map, one component a row.
    expected_accuracy_ : float
        The expected share of rows that pick a neighbor of their own class.
    mean_ : np.ndarray
        The mean of each column of the data: a row is measured from there.
    n_iter_ : int
        The steps taken.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.NCA(n_components=2).fit_transform(sample.X, sample.labels).shape
    (120, 2)

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighborhood components analysis, 2004.
    """

    _method = "nca"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | None = None,
        *,
        init: Literal["auto", "lda", "pca", "identity"] = "auto",
        tol: float = 1e-05,
        max_iter: int = 50,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The map, one component a row."""
        return self._attribute("components")

    @property
    def expected_accuracy_(self) -> float:
        """The expected share of rows that pick a neighbor of their own class."""
        return self._attribute("expected_accuracy")

    @property
    def mean_(self) -> np.ndarray:
        """The mean of each column of the data: a row is measured from there."""
        return self._attribute("mean")

    @property
    def n_iter_(self) -> int:
        """The steps taken."""
        return self._attribute("n_iter")


class OrientedPCA(WithLabels):
    """Oriented principal component analysis.

    Directions that keep what distinguishes signals and ignore how each may be distorted. A label
    names the signal that a row belongs to: its first row is the signal, the others are its
    distorted versions.

    Parameters
    ----------
    n_components : int | None, default None
        How many directions: at most the number of columns; `auto` takes all.
        It is None, or a whole number of at least 1.
    criterion : Literal["quotient", "difference"], default "quotient"
        What the directions maximize.

        - `quotient`: The variance of the signal over the mean square of the noise: no units matter.
        - `difference`: The first less the second (Burges 1.4): the directions are orthogonal.

    regularization : float | None, default None
        For `quotient`: what is added to the diagonal of the noise, relative to its mean; `auto`
        adds something only where the noise is singular, with a warning.
        It is None, or a number from 0 to 1000000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The directions, one unit row each, by descending ratio of signal to noise.
    signal_to_noise_ : np.ndarray
        The variance of the signal over the mean square of the noise along each direction.
    mean_ : np.ndarray
        The mean of the signals.
    n_signals_ : int
        The number of signals.
    n_versions_ : int
        The number of distorted versions.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.OrientedPCA(n_components=2).fit_transform(sample.X, sample.labels).shape
    (120, 2)

    References
    ----------
    K. I. Diamantaras, S. Y. Kung, Principal component neural networks, 1996; C. J. C. Burges, J. C.
    Platt, S. Jana, Distortion discriminant analysis for audio fingerprinting, 2003.
    """

    _method = "oriented-pca"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | None = None,
        *,
        criterion: Literal["quotient", "difference"] = "quotient",
        regularization: float | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.criterion = criterion
        self.regularization = regularization
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The directions, one unit row each, by descending ratio of signal to noise."""
        return self._attribute("components")

    @property
    def signal_to_noise_(self) -> np.ndarray:
        """The variance of the signal over the mean square of the noise along each direction."""
        return self._attribute("signal_to_noise")

    @property
    def mean_(self) -> np.ndarray:
        """The mean of the signals."""
        return self._attribute("mean")

    @property
    def n_signals_(self) -> int:
        """The number of signals."""
        return self._attribute("n_signals")

    @property
    def n_versions_(self) -> int:
        """The number of distorted versions."""
        return self._attribute("n_versions")


class DistortionDiscriminantAnalysis(WithLabels):
    """Distortion discriminant analysis.

    Features of signals in time that survive distortion: oriented PCA over windows, in layers. A row
    is a signal, its columns are in order of time; labels mark distorted versions as for oriented
    PCA.

    Parameters
    ----------
    n_components : int | None, default None
        How many features: at most the number of columns; `auto` is 8, or fewer where there are
        fewer columns.
        It is None, or a whole number of at least 1.
    n_layers : int, default 2
        How many layers. Layers between the first and the last join pairs of windows.
        It is a whole number from 1 to 8.
    window : int | None, default None
        The length of the first layer's window, in columns; `auto` is half of a row.
        It is None, or a whole number of at least 1.
    stride : int | None, default None
        How far apart windows begin; `auto` is half a window.
        It is None, or a whole number of at least 1.
    n_hidden : int | None, default None
        How many features a window has, in all layers but the last; `auto` is the number of
        components, or 8 where that is more, and at most the length of the window.
        It is None, or a whole number of at least 1.
    first_versions : int | None, default None
        How many of each signal's versions, in their order, teach the first layer; the others teach
        the later ones. `auto` is all for all layers.
        It is None, or a whole number of at least 1.
    regularization : float | None, default None
        What is added to the diagonal of the noise, relative to its mean; `auto` adds something only
        where the noise is singular, with a warning.
        It is None, or a number from 0 to 1000000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        What all layers together are: one direction a row.
    signal_to_noise_ : np.ndarray
        The ratio of signal to noise of each feature of the last layer.
    first_layer_ : np.ndarray
        The filters of the first layer, one a row, as long as its window.
    mean_ : np.ndarray
        The mean of the signals.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.DistortionDiscriminantAnalysis(n_components=2).fit_transform(sample.X, sample.labels).shape
    (120, 2)

    References
    ----------
    C. J. C. Burges, J. C. Platt, S. Jana, Distortion discriminant analysis for audio
    fingerprinting, 2003.
    """

    _method = "distortion-discriminant-analysis"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_layers: int = 2,
        window: int | None = None,
        stride: int | None = None,
        n_hidden: int | None = None,
        first_versions: int | None = None,
        regularization: float | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_layers = n_layers
        self.window = window
        self.stride = stride
        self.n_hidden = n_hidden
        self.first_versions = first_versions
        self.regularization = regularization
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """What all layers together are: one direction a row."""
        return self._attribute("components")

    @property
    def signal_to_noise_(self) -> np.ndarray:
        """The ratio of signal to noise of each feature of the last layer."""
        return self._attribute("signal_to_noise")

    @property
    def first_layer_(self) -> np.ndarray:
        """The filters of the first layer, one a row, as long as its window."""
        return self._attribute("first_layer")

    @property
    def mean_(self) -> np.ndarray:
        """The mean of the signals."""
        return self._attribute("mean")


class KernelPCA(WithInverse):
    """Kernel principal component analysis.

    Principal components in the feature space of a kernel: curved features, one matrix of all pairs.
    With landmarks it goes to large data.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of rows, or of landmarks.
        It is a whole number from 1 to 1000000.
    kernel : Literal["gaussian", "linear", "polynomial", "laplacian", "sigmoid", "cosine", "local"] | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "gaussian"
        The kernel between two points. A kernel matrix given as input is used instead. With
        `precomputed`, `X` holds the kernel, a function of two rows is called for every pair.

        - `gaussian`: `exp(-gamma |x - y|^2)`
        - `linear`: `x . y`: plain PCA.
        - `polynomial`: `(gamma x . y + coef0)^degree`
        - `laplacian`: `exp(-gamma |x - y|_1)`
        - `sigmoid`: `tanh(gamma x . y + coef0)`, which may have negative eigenvalues.
        - `cosine`: The cosine of the angle between the vectors.
        - `local`: A Gaussian as wide at each point as the distance to its seventh neighbor.

    gamma : float | None, default None
        The inverse width, `1 / (2 s^2)` of a Gaussian of width s. `auto` is the median heuristic (s
        the median distance of two points) for the Gaussian and the Laplacian, 1 / columns for the
        others.
        It is None, or a number above 0.
    degree : int, default 3
        The power of the polynomial kernel.
        It is a whole number from 1 to 100.
    coef0 : float, default 1.0
        What the polynomial and the sigmoid kernels add to the inner product.
        It is a number.
    center : bool, default True
        Whether the origin is moved to the mean in feature space.
    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes 1971).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    landmarks : int | None, default None
        How many points stand for all: then no matrix of all pairs is built. `auto` is all of them.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    nystrom : Literal["orthogonal", "plain"], default "orthogonal"
        Which eigenvectors are made from landmarks.

        - `orthogonal`: Those of the approximate kernel itself: orthogonal, and the exact ones where
          the rank allows.
        - `plain`: Those of the landmarks, extended to all points (Bengio eq. 23): cheaper, not
          orthogonal.

    preimage : Literal["auto", "regression", "fixed-point"], default "auto"
        How points are found that belong to given coordinates.

        - `auto`: The fixed point where the kernel is Gaussian, the regression for all others.
        - `regression`: Kernel ridge regression from the embedding of the training points to
          themselves.
        - `fixed-point`: The fixed point of Mika et al. (1999) for Gaussian kernels, from the
          regression as a start.

    alpha : float | None, default None
        For the way back: the ridge of the regression from the embedding to the data. `auto` is the
        one that predicts training points best from the others.
        It is None, or a number above 0.
    input : Literal["points", "kernel"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.KernelPCA(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    B. Schölkopf, A. Smola, K.-R. Müller, Nonlinear component analysis as a kernel eigenvalue
    problem, 1998.
    """

    _method = "kernel-pca"
    _inputs = ("points", "kernel")

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: Literal["gaussian", "linear", "polynomial", "laplacian", "sigmoid", "cosine", "local"] | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "gaussian",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        center: bool = True,
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        nystrom: Literal["orthogonal", "plain"] = "orthogonal",
        preimage: Literal["auto", "regression", "fixed-point"] = "auto",
        alpha: float | None = None,
        input: Literal["points", "kernel"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.center = center
        self.negative = negative
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.nystrom = nystrom
        self.preimage = preimage
        self.alpha = alpha
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")


class ClassicalMDS(Estimator):
    """Classical multidimensional scaling.

    Points whose distances are as close as can be to given ones, by one eigenproblem. Of Euclidean
    distances it is principal component analysis.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of rows, or of landmarks.
        It is a whole number from 1 to 1000000.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues, which distances that are not Euclidean have.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes 1971).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    additive_constant : bool, default False
        Whether the smallest constant is added to all distances that makes them Euclidean (Cailliez
        1983).
    origin : int | None, default None
        The row that becomes the origin; `auto` is the mean of all.
        It is None, or a whole number from 0 to 100000000.
    weights : Sequence[float] | None, default None
        The origin is the mean by these weights, one a row, of any sum but 0 (Burges 2.2.1); `auto`
        weighs all rows alike. Not with `origin` or `landmarks`.
        It is None, or a list of 1 to 1000000 values, each a number.
    landmarks : int | None, default None
        How many points stand for all: then no matrix of all pairs is built. `auto` is all of them.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    landmark_rows_ : np.ndarray
        The rows that the distances were taken to.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.ClassicalMDS(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    W. Torgerson, Multidimensional scaling: I. Theory and method, 1952; J. Gower, Some distance
    properties of latent root and vector methods used in multivariate analysis, 1966.
    """

    _method = "classical-mds"
    _inputs = ("points", "distances")

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        additive_constant: bool = False,
        origin: int | None = None,
        weights: Sequence[float] | None = None,
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.negative = negative
        self.additive_constant = additive_constant
        self.origin = origin
        self.weights = weights
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def landmark_rows_(self) -> np.ndarray:
        """The rows that the distances were taken to."""
        return self._attribute("landmark_rows")


class LandmarkMDS(Estimator):
    """Landmark multidimensional scaling.

    Classical scaling of a few landmarks; all other points follow from their distances to these. The
    cost grows as the number of points.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of landmarks.
        It is a whole number from 1 to 1000000.
    landmarks : int | None, default None
        How many points stand for all; `auto` is the square root of their number, at least 50 and
        ten to a component, and never more than there are.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues, which distances that are not Euclidean have.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes 1971).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    input : Literal["points", "distances"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    landmark_rows_ : np.ndarray
        The rows that the distances were taken to.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.LandmarkMDS(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction,
    2003; J. Platt, FastMap, MetricMap, and Landmark MDS are all Nyström algorithms, 2005.
    """

    _method = "landmark-mds"
    _inputs = ("points", "distances")

    def __init__(
        self,
        n_components: int = 2,
        *,
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        input: Literal["points", "distances"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.metric = metric
        self.negative = negative
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def landmark_rows_(self) -> np.ndarray:
        """The rows that the distances were taken to."""
        return self._attribute("landmark_rows")


class Fastmap(Estimator):
    """FastMap.

    Each axis goes through two objects that are far apart, and only the distances to these are asked
    for: the cheapest way from distances to coordinates. Landmark scaling costs a little more and is
    closer to the best.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: fewer than there are rows.
        It is a whole number from 1 to 1000000.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    n_iter : int, default 5
        How often the far end of an axis is looked for from its other end.
        It is a whole number from 1 to 1000.
    input : Literal["points", "distances"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    pivot_rows_ : np.ndarray
        The rows that each axis goes through, two an axis.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.Fastmap(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    C. Faloutsos, K.-I. Lin, FastMap: a fast algorithm for indexing, data-mining and visualization
    of traditional and multimedia datasets, 1995; J. Platt, FastMap, MetricMap, and Landmark MDS are
    all Nyström algorithms, 2005.
    """

    _method = "fastmap"
    _inputs = ("points", "distances")

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        n_iter: int = 5,
        input: Literal["points", "distances"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.n_iter = n_iter
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def pivot_rows_(self) -> np.ndarray:
        """The rows that each axis goes through, two an axis."""
        return self._attribute("pivot_rows")


class SammonMapping(WithStart):
    """Sammon mapping.

    Distances in the layout follow those of the data, errors counted by the share of the distance:
    near points keep their distances better than by metric scaling.

    Parameters
    ----------
    n_components : int, default 2
        How many components: fewer than there are rows. Two are usual.
        It is a whole number from 1 to 32.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input take its place. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    geodesic : bool, default False
        Whether distances are measured along the neighbor graph, as by Isomap. Those of a graph
        given as input always are.
    n_neighbors : int, default 8
        How many neighbors each point is joined to in that graph.
        It is a whole number from 1 to 1000000.
    init : Literal["classical", "random"] | np.ndarray, default "classical"
        Where the layout starts, unless coordinates are given. An array is where it starts.

        - `classical`: The classical scaling of the dissimilarities.
        - `random`: Random positions.

    n_init : int, default 1
        How many starts: those after the first are random, and the best end is kept.
        It is a whole number from 1 to 10000.
    max_iter : int, default 1000
        The most iterations from each start.
        It is a whole number from 1 to 1000000000.
    tol : float, default 1e-06
        Stop when three iterations in a row lower the stress by less than this share.
        It is a number from 0 to 1.
    solver : Literal["auto", "majorization", "sampled"], default "auto"
        Over which pairs the stress is minimized.

        - `auto`: All pairs of up to 5,000 rows, sampled ones of more.
        - `majorization`: All pairs, by majorization.
        - `sampled`: Some pairs of each row, drawn once, by majorization: memory grows with the rows
          and not with their square.

    n_pairs : int | None, default None
        For sampled: how many pairs are drawn for each row; `auto` is 50.
        It is None, or a whole number from 5 to 1000000.
    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    callback : Callable[[int, float, np.ndarray], object] | None, default None
        Called with the iteration, the loss and the layout so far. What it returns, if true, ends
        the fit: the layout so far is the result.
    callback_every : int, default 50
        After how many iterations it is called each time.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    stress_ : float
        What was minimized, for the returned layout.
    loss_history_ : np.ndarray
        Iterations and the stress after them.
    n_iter_ : int
        The iterations that led to the returned layout.
    stress_of_starts_ : np.ndarray
        The stress that each start led to; the least was kept.
    stress_per_point_ : np.ndarray
        The mean of the weighted squared residuals of each row's pairs.
    shepard_ : np.ndarray
        Pairs of rows, at most ten thousand: dissimilarity, disparity, distance in the layout.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.SammonMapping(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    J. Sammon, A nonlinear mapping for data structure analysis, 1969.
    """

    _method = "sammon"
    _inputs = ("points", "distances", "graph")

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        geodesic: bool = False,
        n_neighbors: int = 8,
        init: Literal["classical", "random"] | np.ndarray = "classical",
        n_init: int = 1,
        max_iter: int = 1000,
        tol: float = 1e-06,
        solver: Literal["auto", "majorization", "sampled"] = "auto",
        n_pairs: int | None = None,
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        callback: Callable[[int, float, np.ndarray], object] | None = None,
        callback_every: int = 50,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.geodesic = geodesic
        self.n_neighbors = n_neighbors
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.n_pairs = n_pairs
        self.input = input
        self.random_state = random_state
        self.callback = callback
        self.callback_every = callback_every
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def stress_(self) -> float:
        """What was minimized, for the returned layout."""
        return self._attribute("stress")

    @property
    def loss_history_(self) -> np.ndarray:
        """Iterations and the stress after them."""
        return self._attribute("loss_history")

    @property
    def n_iter_(self) -> int:
        """The iterations that led to the returned layout."""
        return self._attribute("n_iter")

    @property
    def stress_of_starts_(self) -> np.ndarray:
        """The stress that each start led to; the least was kept."""
        return self._attribute("stress_of_starts")

    @property
    def stress_per_point_(self) -> np.ndarray:
        """The mean of the weighted squared residuals of each row's pairs."""
        return self._attribute("stress_per_point")

    @property
    def shepard_(self) -> np.ndarray:
        """Pairs of rows, at most ten thousand: dissimilarity, disparity, distance in the layout."""
        return self._attribute("shepard")


class MDS(WithStart):
    """Metric MDS.

    Distances in the layout are as near to those of the data as they can be, by least squares: shows
    the large shape, of points or of any dissimilarities, also with pairs that are missing.

    Parameters
    ----------
    n_components : int, default 2
        How many components: fewer than there are rows. Two are usual.
        It is a whole number from 1 to 32.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input take its place. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    geodesic : bool, default False
        Whether distances are measured along the neighbor graph, as by Isomap. Those of a graph
        given as input always are.
    n_neighbors : int, default 8
        How many neighbors each point is joined to in that graph.
        It is a whole number from 1 to 1000000.
    transformation : Literal["absolute", "ratio", "interval", "spline"], default "absolute"
        How the distances of the layout are to follow those of the data.

        - `absolute`: They are the same.
        - `ratio`: They are proportional.
        - `interval`: They are a line of the dissimilarities: their zero is not known.
        - `spline`: They are a smooth increasing function: quadratic splines with three knots.

    weight_power : float, default 0.0
        Pairs weigh their distance to the power of minus this: 0 is least squares, 1 is Sammon's
        weighting, 2 counts relative errors.
        It is a number from 0 to 10.
    init : Literal["classical", "random"] | np.ndarray, default "classical"
        Where the layout starts, unless coordinates are given. An array is where it starts.

        - `classical`: The classical scaling of the dissimilarities.
        - `random`: Random positions.

    n_init : int, default 1
        How many starts: those after the first are random, and the best end is kept.
        It is a whole number from 1 to 10000.
    max_iter : int, default 1000
        The most iterations from each start.
        It is a whole number from 1 to 1000000000.
    tol : float, default 1e-06
        Stop when three iterations in a row lower the stress by less than this share.
        It is a number from 0 to 1.
    solver : Literal["auto", "majorization", "sampled"], default "auto"
        Over which pairs the stress is minimized.

        - `auto`: All pairs of up to 5,000 rows, sampled ones of more.
        - `majorization`: All pairs, by majorization.
        - `sampled`: Some pairs of each row, drawn once, by majorization: memory grows with the rows
          and not with their square.

    n_pairs : int | None, default None
        For sampled: how many pairs are drawn for each row; `auto` is 50.
        It is None, or a whole number from 5 to 1000000.
    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    callback : Callable[[int, float, np.ndarray], object] | None, default None
        Called with the iteration, the loss and the layout so far. What it returns, if true, ends
        the fit: the layout so far is the result.
    callback_every : int, default 50
        After how many iterations it is called each time.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    stress_ : float
        What was minimized, for the returned layout.
    loss_history_ : np.ndarray
        Iterations and the stress after them.
    n_iter_ : int
        The iterations that led to the returned layout.
    stress_of_starts_ : np.ndarray
        The stress that each start led to; the least was kept.
    stress_per_point_ : np.ndarray
        The mean of the weighted squared residuals of each row's pairs.
    shepard_ : np.ndarray
        Pairs of rows, at most ten thousand: dissimilarity, disparity, distance in the layout.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.MDS(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    J. de Leeuw, Applications of convex analysis to multidimensional scaling, 1977.
    """

    _method = "mds"
    _inputs = ("points", "distances", "graph")

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        geodesic: bool = False,
        n_neighbors: int = 8,
        transformation: Literal["absolute", "ratio", "interval", "spline"] = "absolute",
        weight_power: float = 0.0,
        init: Literal["classical", "random"] | np.ndarray = "classical",
        n_init: int = 1,
        max_iter: int = 1000,
        tol: float = 1e-06,
        solver: Literal["auto", "majorization", "sampled"] = "auto",
        n_pairs: int | None = None,
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        callback: Callable[[int, float, np.ndarray], object] | None = None,
        callback_every: int = 50,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.geodesic = geodesic
        self.n_neighbors = n_neighbors
        self.transformation = transformation
        self.weight_power = weight_power
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.n_pairs = n_pairs
        self.input = input
        self.random_state = random_state
        self.callback = callback
        self.callback_every = callback_every
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def stress_(self) -> float:
        """What was minimized, for the returned layout."""
        return self._attribute("stress")

    @property
    def loss_history_(self) -> np.ndarray:
        """Iterations and the stress after them."""
        return self._attribute("loss_history")

    @property
    def n_iter_(self) -> int:
        """The iterations that led to the returned layout."""
        return self._attribute("n_iter")

    @property
    def stress_of_starts_(self) -> np.ndarray:
        """The stress that each start led to; the least was kept."""
        return self._attribute("stress_of_starts")

    @property
    def stress_per_point_(self) -> np.ndarray:
        """The mean of the weighted squared residuals of each row's pairs."""
        return self._attribute("stress_per_point")

    @property
    def shepard_(self) -> np.ndarray:
        """Pairs of rows, at most ten thousand: dissimilarity, disparity, distance in the layout."""
        return self._attribute("shepard")


class NonmetricMDS(WithStart):
    """Non-metric MDS.

    Distances in the layout have the order of those of the data, as far as they can: for
    dissimilarities of which only the order means something, such as judgments.

    Parameters
    ----------
    n_components : int, default 2
        How many components: fewer than there are rows. Two are usual.
        It is a whole number from 1 to 32.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input take its place. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    geodesic : bool, default False
        Whether distances are measured along the neighbor graph, as by Isomap. Those of a graph
        given as input always are.
    n_neighbors : int, default 8
        How many neighbors each point is joined to in that graph.
        It is a whole number from 1 to 1000000.
    ties : Literal["primary", "secondary"], default "primary"
        What is done with pairs of equal distance.

        - `primary`: They may have different disparities.
        - `secondary`: They have one disparity.

    init : Literal["classical", "random"] | np.ndarray, default "classical"
        Where the layout starts, unless coordinates are given. An array is where it starts.

        - `classical`: The classical scaling of the dissimilarities.
        - `random`: Random positions.

    n_init : int, default 1
        How many starts: those after the first are random, and the best end is kept.
        It is a whole number from 1 to 10000.
    max_iter : int, default 1000
        The most iterations from each start.
        It is a whole number from 1 to 1000000000.
    tol : float, default 1e-06
        Stop when three iterations in a row lower the stress by less than this share.
        It is a number from 0 to 1.
    solver : Literal["auto", "majorization", "sampled"], default "auto"
        Over which pairs the stress is minimized.

        - `auto`: All pairs of up to 5,000 rows, sampled ones of more.
        - `majorization`: All pairs, by majorization.
        - `sampled`: Some pairs of each row, drawn once, by majorization: memory grows with the rows
          and not with their square.

    n_pairs : int | None, default None
        For sampled: how many pairs are drawn for each row; `auto` is 50.
        It is None, or a whole number from 5 to 1000000.
    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    callback : Callable[[int, float, np.ndarray], object] | None, default None
        Called with the iteration, the loss and the layout so far. What it returns, if true, ends
        the fit: the layout so far is the result.
    callback_every : int, default 50
        After how many iterations it is called each time.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    stress_ : float
        What was minimized, for the returned layout.
    loss_history_ : np.ndarray
        Iterations and the stress after them.
    n_iter_ : int
        The iterations that led to the returned layout.
    stress_of_starts_ : np.ndarray
        The stress that each start led to; the least was kept.
    stress_per_point_ : np.ndarray
        The mean of the weighted squared residuals of each row's pairs.
    shepard_ : np.ndarray
        Pairs of rows, at most ten thousand: dissimilarity, disparity, distance in the layout.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.NonmetricMDS(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    J. Kruskal, Nonmetric multidimensional scaling: a numerical method, 1964.
    """

    _method = "nonmetric-mds"
    _inputs = ("points", "distances", "graph")

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        geodesic: bool = False,
        n_neighbors: int = 8,
        ties: Literal["primary", "secondary"] = "primary",
        init: Literal["classical", "random"] | np.ndarray = "classical",
        n_init: int = 1,
        max_iter: int = 1000,
        tol: float = 1e-06,
        solver: Literal["auto", "majorization", "sampled"] = "auto",
        n_pairs: int | None = None,
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        callback: Callable[[int, float, np.ndarray], object] | None = None,
        callback_every: int = 50,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.geodesic = geodesic
        self.n_neighbors = n_neighbors
        self.ties = ties
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.n_pairs = n_pairs
        self.input = input
        self.random_state = random_state
        self.callback = callback
        self.callback_every = callback_every
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def stress_(self) -> float:
        """What was minimized, for the returned layout."""
        return self._attribute("stress")

    @property
    def loss_history_(self) -> np.ndarray:
        """Iterations and the stress after them."""
        return self._attribute("loss_history")

    @property
    def n_iter_(self) -> int:
        """The iterations that led to the returned layout."""
        return self._attribute("n_iter")

    @property
    def stress_of_starts_(self) -> np.ndarray:
        """The stress that each start led to; the least was kept."""
        return self._attribute("stress_of_starts")

    @property
    def stress_per_point_(self) -> np.ndarray:
        """The mean of the weighted squared residuals of each row's pairs."""
        return self._attribute("stress_per_point")

    @property
    def shepard_(self) -> np.ndarray:
        """Pairs of rows, at most ten thousand: dissimilarity, disparity, distance in the layout."""
        return self._attribute("shepard")


class Isomap(Estimator):
    """Isomap.

    Distances along the neighbor graph, then classical scaling: unrolls a curved sheet and keeps its
    global shape. Wants a connected graph without short circuits.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of rows, or of landmarks.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbors each point is joined to. Too few leave the graph disconnected, too many
        jump between sheets.
        It is a whole number from 1 to 1000000.
    radius : float | None, default None
        All within this distance are neighbors, instead of the nearest few.
        It is None, or a number above 0.
    adaptive : bool, default False
        Whether each point keeps only as many of its neighbors as the data are flat around it.
    graph : Literal["either", "mutual", "spanning-tree"], default "either"
        Which neighbors have an edge.

        - `either`: Where either is a neighbor of the other.
        - `mutual`: Where each is a neighbor of the other: points that are neighbors of many keep
          fewer edges.
        - `spanning-tree`: Those of the minimum spanning tree of all points: the fewest and shortest
          that connect them, whoever the neighbors are.

    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    cut_short_circuits : bool, default False
        Whether edges through which far too many shortest paths run are cut: they are reported in
        any case.
    tear : int | None, default None
        Loops that do not shrink to a point, such as those around a cylinder, are torn: of the edges
        beyond the spanning tree of the graph those are kept that close a cycle of at most so many
        edges (4 is usual); `auto` keeps all.
        It is None, or a whole number from 3 to 1000000.
    conformal : bool, default False
        Whether edges are divided by the root of the product of the mean distances of their ends to
        their neighbors (C-Isomap).
    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes 1971).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    landmarks : int | None, default None
        From how many points geodesics are computed: then no matrix of all pairs is built. `auto` is
        all of them.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    geodesic_residual_variance_ : np.ndarray
        1 - R^2 between geodesic and embedded distances, for the first component, the first two, and
        so on.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.Isomap(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    J. Tenenbaum, V. de Silva, J. Langford, A global geometric framework for nonlinear
    dimensionality reduction, 2000.
    """

    _method = "isomap"
    _inputs = ("points", "distances", "graph")

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        radius: float | None = None,
        adaptive: bool = False,
        graph: Literal["either", "mutual", "spanning-tree"] = "either",
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        cut_short_circuits: bool = False,
        tear: int | None = None,
        conformal: bool = False,
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.adaptive = adaptive
        self.graph = graph
        self.metric = metric
        self.disconnected = disconnected
        self.cut_short_circuits = cut_short_circuits
        self.tear = tear
        self.conformal = conformal
        self.negative = negative
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def geodesic_residual_variance_(self) -> np.ndarray:
        """1 - R^2 between geodesic and embedded distances, for the first component, the first two, and so on."""
        return self._attribute("geodesic_residual_variance")


class LandmarkIsomap(Estimator):
    """Landmark Isomap.

    Isomap with geodesics from a few landmarks only: the cost grows as the number of points.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of landmarks.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbors each point is joined to.
        It is a whole number from 1 to 1000000.
    landmarks : int | None, default None
        From how many points geodesics are computed; `auto` is the square root of their number, at
        least 50 and ten to a component, and never more than there are.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes 1971).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    geodesic_residual_variance_ : np.ndarray
        1 - R^2 between geodesic and embedded distances, for the first component, the first two, and
        so on.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.LandmarkIsomap(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction,
    2003.
    """

    _method = "landmark-isomap"
    _inputs = ("points", "distances", "graph")

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.metric = metric
        self.disconnected = disconnected
        self.negative = negative
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def geodesic_residual_variance_(self) -> np.ndarray:
        """1 - R^2 between geodesic and embedded distances, for the first component, the first two, and so on."""
        return self._attribute("geodesic_residual_variance")


class CIsomap(Estimator):
    """Conformal Isomap.

    Isomap whose edges are divided by the root of the product of the mean distances of their ends to
    their neighbors: unrolls sheets that were stretched differently from point to point, if they are
    sampled evenly.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of rows, or of landmarks.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbors each point is joined to: their mean distance is the local scale.
        It is a whole number from 1 to 1000000.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes 1971).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    landmarks : int | None, default None
        From how many points geodesics are computed: then no matrix of all pairs is built. `auto` is
        all of them.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    geodesic_residual_variance_ : np.ndarray
        1 - R^2 between geodesic and embedded distances, for the first component, the first two, and
        so on.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.CIsomap(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction,
    2003.
    """

    _method = "c-isomap"
    _inputs = ("points", "distances", "graph")

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.disconnected = disconnected
        self.negative = negative
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def geodesic_residual_variance_(self) -> np.ndarray:
        """1 - R^2 between geodesic and embedded distances, for the first component, the first two, and so on."""
        return self._attribute("geodesic_residual_variance")


class MVU(WithInverse):
    """Maximum variance unfolding.

    Pulls the points apart as far as the distances between neighbors allow: finds the number of
    dimensions by itself, and proves its optimum. Slower than Isomap, and as sensitive to short
    circuits.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: fewer than points.
        It is a whole number from 1 to 1000000.
    n_neighbors : int | None, default None
        How many neighbors each point keeps its distance to. Too few let the sheet fold around holes
        in the sample, too many jump between sheets. `auto` is one for every 80 points, but at least
        6 and at most 12.
        It is None, or a whole number from 1 to 1000000.
    distances : Literal["keep", "shrink"], default "shrink"
        What the distances between neighbors may do. To keep all of them is more than a curved sheet
        with many neighbors can do and be flattened.

        - `keep`: They stay as they are.
        - `shrink`: They may shrink, and never grow: any distances can be given.

    angles : bool, default True
        Whether the neighbors of a point keep their distances to each other, too, and so the angles
        between them.
    slack : float | None, default None
        The relative error that the squared distance of an edge with a mean Lagrange multiplier may
        have, for noisy data; `auto` is 0.
        It is None, or a number above 0.
    solver : Literal["low-rank", "interior-point"], default "low-rank"
        How the semidefinite program is solved.

        - `low-rank`: As few dimensions as the optimum has, proven by the dual: for thousands of
          points.
        - `interior-point`: All of them, for up to some hundred points: the reference.

    tol : float, default 1e-06
        The largest relative violation of a squared distance; a tenth of the largest duality gap.
        It is a number from 0.0000000001 to 0.1.
    max_iter : int, default 100
        The most updates of the Lagrange multipliers of the edges.
        It is a whole number from 1 to 100000.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph, whose connected components could move apart
        without bound.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    cut_short_circuits : bool, default True
        Whether short circuits between sheets are cut where they can be found: a single one holds
        the whole sheet together.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    spectrum_ : np.ndarray
        All eigenvalues of the learned kernel, of the largest connected component.
    n_iter_ : int
        The outer steps of the solver.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.MVU(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    K. Weinberger, L. Saul, Unsupervised learning of image manifolds by semidefinite programming,
    2004.
    """

    _method = "mvu"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int | None = None,
        distances: Literal["keep", "shrink"] = "shrink",
        angles: bool = True,
        slack: float | None = None,
        solver: Literal["low-rank", "interior-point"] = "low-rank",
        tol: float = 1e-06,
        max_iter: int = 100,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        cut_short_circuits: bool = True,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.distances = distances
        self.angles = angles
        self.slack = slack
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.disconnected = disconnected
        self.cut_short_circuits = cut_short_circuits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def spectrum_(self) -> np.ndarray:
        """All eigenvalues of the learned kernel, of the largest connected component."""
        return self._attribute("spectrum")

    @property
    def n_iter_(self) -> int:
        """The outer steps of the solver."""
        return self._attribute("n_iter")


class LandmarkMVU(WithInverse):
    """Landmark maximum variance unfolding.

    Maximum variance unfolding of a few landmarks, of which all points are combinations, then
    improved point by point in the dimensions asked for: for tens of thousands of points.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of landmarks.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 6
        How many neighbors each point is rebuilt from, and keeps near.
        It is a whole number from 1 to 1000000.
    landmarks : int | None, default None
        Of how many points all others are combinations; `auto` is 60, or all where there are fewer.
        It is None, or a whole number from 1 to 100000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    refine : bool, default True
        Whether all points are then improved one by one, in the dimensions asked for: combinations
        of a few landmarks keep distances only roughly.
    slack : float | None, default None
        The relative error that the squared distance of an edge with a mean Lagrange multiplier may
        have; `auto` is 0.05 among the landmarks, and 0 where points are improved.
        It is None, or a number above 0.
    tol : float, default 1e-06
        The largest relative violation of a squared distance; a tenth of the largest duality gap.
        It is a number from 0.0000000001 to 0.1.
    max_iter : int, default 100
        The most updates of the Lagrange multipliers of the edges.
        It is a whole number from 1 to 100000.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph, whose connected components could move apart
        without bound.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    cut_short_circuits : bool, default True
        Whether short circuits between sheets are cut where they can be found: a single one holds
        the whole sheet together.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    spectrum_ : np.ndarray
        All eigenvalues of the learned kernel, of the largest connected component.
    n_iter_ : int
        The outer steps of the solver.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.LandmarkMVU(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    K. Weinberger, B. Packer, L. Saul, Nonlinear dimensionality reduction by semidefinite
    programming and kernel matrix factorization, 2005.
    """

    _method = "landmark-mvu"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 6,
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        refine: bool = True,
        slack: float | None = None,
        tol: float = 1e-06,
        max_iter: int = 100,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        cut_short_circuits: bool = True,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.refine = refine
        self.slack = slack
        self.tol = tol
        self.max_iter = max_iter
        self.disconnected = disconnected
        self.cut_short_circuits = cut_short_circuits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def spectrum_(self) -> np.ndarray:
        """All eigenvalues of the learned kernel, of the largest connected component."""
        return self._attribute("spectrum")

    @property
    def n_iter_(self) -> int:
        """The outer steps of the solver."""
        return self._attribute("n_iter")


class FastMVU(WithInverse):
    """Fast maximum variance unfolding.

    Maximum variance unfolding among the smoothest vectors on the neighbor graph, then improved
    point by point in the dimensions asked for: for tens of thousands of points.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of vectors.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 6
        How many neighbors each point keeps its distance to.
        It is a whole number from 1 to 1000000.
    n_vectors : int, default 20
        How many Laplacian eigenvectors the coordinates are combinations of at first.
        It is a whole number from 1 to 10000.
    distances : Literal["keep", "shrink"], default "shrink"
        What the distances between neighbors may do where points are improved; the vectors keep them
        as well as they can.

        - `keep`: They stay as they are.
        - `shrink`: They may shrink, and never grow: any distances can be given.

    refine : bool, default True
        Whether all points are then improved one by one, in the dimensions asked for.
    slack : float | None, default None
        The relative error that the squared distance of an edge with a mean Lagrange multiplier may
        have; `auto` is 0.05 among the vectors, and 0 where points are improved.
        It is None, or a number above 0.
    tol : float, default 1e-06
        The largest relative violation of a squared distance; a tenth of the largest duality gap.
        It is a number from 0.0000000001 to 0.1.
    max_iter : int, default 100
        The most updates of the Lagrange multipliers of the edges.
        It is a whole number from 1 to 100000.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph, whose connected components could move apart
        without bound.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    cut_short_circuits : bool, default True
        Whether short circuits between sheets are cut where they can be found: a single one holds
        the whole sheet together.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    spectrum_ : np.ndarray
        All eigenvalues of the learned kernel, of the largest connected component.
    n_iter_ : int
        The outer steps of the solver.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.FastMVU(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    K. Weinberger, F. Sha, Q. Zhu, L. Saul, Graph Laplacian regularization for large-scale
    semidefinite programming, 2006.
    """

    _method = "fast-mvu"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 6,
        n_vectors: int = 20,
        distances: Literal["keep", "shrink"] = "shrink",
        refine: bool = True,
        slack: float | None = None,
        tol: float = 1e-06,
        max_iter: int = 100,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        cut_short_circuits: bool = True,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_vectors = n_vectors
        self.distances = distances
        self.refine = refine
        self.slack = slack
        self.tol = tol
        self.max_iter = max_iter
        self.disconnected = disconnected
        self.cut_short_circuits = cut_short_circuits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def spectrum_(self) -> np.ndarray:
        """All eigenvalues of the learned kernel, of the largest connected component."""
        return self._attribute("spectrum")

    @property
    def n_iter_(self) -> int:
        """The outer steps of the solver."""
        return self._attribute("n_iter")


class LLE(Estimator):
    """Locally linear embedding.

    Every point is a weighted sum of its neighbors, and so is its image: unrolls a curved sheet with
    one sparse eigenproblem. Distances are not kept, and noise or too few neighbors make it
    collapse.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: fewer than points, or landmarks.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        By how many neighbors each point is rebuilt: more than the manifold has dimensions. Too many
        reach across its folds.
        It is a whole number from 1 to 1000000.
    radius : float | None, default None
        All within this distance are neighbors, instead of the nearest few.
        It is None, or a number above 0.
    adaptive : bool, default False
        Whether each point keeps only as many of its neighbors as the data are flat around it.
    reg : float, default 0.001
        The ridge of the weights, relative to the trace of the local Gram matrix: it decides among
        the many weights that rebuild a point exactly when there are more neighbors than dimensions.
        It is a number from 0 to 1000000.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.LLE(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    S. Roweis, L. Saul, Nonlinear dimensionality reduction by locally linear embedding, 2000.
    """

    _method = "lle"
    _inputs = ("points", "distances")

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        radius: float | None = None,
        adaptive: bool = False,
        reg: float = 0.001,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.adaptive = adaptive
        self.reg = reg
        self.disconnected = disconnected
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")


class ModifiedLLE(Estimator):
    """Modified locally linear embedding.

    Locally linear embedding with several sets of weights a neighborhood: keeps shapes that the
    plain method distorts, at a little more cost.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of columns.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbors each point has: at least n_components + 1. Too many reach across the
        folds of a manifold.
        It is a whole number from 1 to 1000000.
    radius : float | None, default None
        All within this distance are neighbors, instead of the nearest few.
        It is None, or a number above 0.
    adaptive : bool, default False
        Whether each point keeps only as many of its neighbors as the data are flat around it.
    reg : float, default 0.001
        The ridge of the weights, relative to the trace of the local Gram matrix: it decides among
        the many weights that rebuild a point exactly when there are more neighbors than dimensions.
        It is a number from 0 to 1000000.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.ModifiedLLE(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    Z. Zhang, J. Wang, MLLE: modified locally linear embedding using multiple weights, 2006.
    """

    _method = "modified-lle"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        radius: float | None = None,
        adaptive: bool = False,
        reg: float = 0.001,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.adaptive = adaptive
        self.reg = reg
        self.disconnected = disconnected
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")


class HessianLLE(Estimator):
    """Hessian locally linear embedding.

    Coordinates without curvature in any neighborhood: recovers sheets that are isometric to an open
    region of the plane, with holes too. Wants many neighbors in more than two dimensions.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of columns.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbors each point has: at least 1 + d + d (d + 1) / 2 with d = n_components. Too
        many reach across the folds of a manifold.
        It is a whole number from 1 to 1000000.
    radius : float | None, default None
        All within this distance are neighbors, instead of the nearest few.
        It is None, or a number above 0.
    adaptive : bool, default False
        Whether each point keeps only as many of its neighbors as the data are flat around it.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.HessianLLE(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    D. Donoho, C. Grimes, Hessian eigenmaps: locally linear embedding techniques for high-
    dimensional data, 2003.
    """

    _method = "hessian-lle"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        radius: float | None = None,
        adaptive: bool = False,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.adaptive = adaptive
        self.disconnected = disconnected
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")


class LTSA(Estimator):
    """Local tangent space alignment.

    Every neighborhood is an affine image of its tangent coordinates: recovers flat sheets exactly
    and curved ones closely.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of columns.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbors each point has: at least n_components + 2. Too many reach across the
        folds of a manifold.
        It is a whole number from 1 to 1000000.
    radius : float | None, default None
        All within this distance are neighbors, instead of the nearest few.
        It is None, or a number above 0.
    adaptive : bool, default False
        Whether each point keeps only as many of its neighbors as the data are flat around it.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.LTSA(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    Z. Zhang, H. Zha, Principal manifolds and nonlinear dimensionality reduction via tangent space
    alignment, 2004.
    """

    _method = "ltsa"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        radius: float | None = None,
        adaptive: bool = False,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.adaptive = adaptive
        self.disconnected = disconnected
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")


class LPP(WithInverse):
    """Locality preserving projections.

    The linear map that keeps neighbors together: Laplacian eigenmaps with a formula for new points,
    and a way back. Take it where a linear picture is wanted that follows local structure rather
    than variance.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of columns, and fewer than rows.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbors each point is joined to.
        It is a whole number from 1 to 1000000.
    width : float | None, default None
        The width s of the weights exp(-d^2 / (2 s^2)) of the edges; `auto` is their root mean
        square length.
        It is None, or a number above 0.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph; `separate` is refused: one linear map cannot
        put connected components side by side.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The directions, one a row, by ascending penalty.
    eigenvalues_ : np.ndarray
        The penalty of the image along each direction.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.LPP(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    X. He, P. Niyogi, Locality preserving projections, 2004.
    """

    _method = "lpp"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        width: float | None = None,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.width = width
        self.disconnected = disconnected
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The directions, one a row, by ascending penalty."""
        return self._attribute("components")

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The penalty of the image along each direction."""
        return self._attribute("eigenvalues")


class NPE(WithInverse):
    """Neighborhood preserving embedding.

    The linear map under which every point stays the weighted sum of its neighbors: locally linear
    embedding with a formula for new points, and a way back.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of columns, and fewer than rows.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        By how many neighbors each point is rebuilt.
        It is a whole number from 1 to 1000000.
    reg : float, default 0.001
        The ridge of the weights, relative to the trace of the local Gram matrix.
        It is a number from 0 to 1000000.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph; `separate` is refused: one linear map cannot
        put connected components side by side.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The directions, one a row, by ascending penalty.
    eigenvalues_ : np.ndarray
        The penalty of the image along each direction.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.NPE(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    X. He, D. Cai, S. Yan, H.-J. Zhang, Neighborhood preserving embedding, 2005.
    """

    _method = "npe"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        reg: float = 0.001,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.reg = reg
        self.disconnected = disconnected
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The directions, one a row, by ascending penalty."""
        return self._attribute("components")

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The penalty of the image along each direction."""
        return self._attribute("eigenvalues")


class ONPP(WithInverse):
    """Orthogonal neighborhood preserving projections.

    The orthogonal projection under which every point stays closest to the weighted sum of its
    neighbors: angles and lengths inside the projected plane are kept.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of columns, and fewer than rows.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        By how many neighbors each point is rebuilt.
        It is a whole number from 1 to 1000000.
    reg : float, default 0.001
        The ridge of the weights, relative to the trace of the local Gram matrix.
        It is a number from 0 to 1000000.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph; `separate` is refused: one linear map cannot
        put connected components side by side.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The directions, orthonormal, one a row, by ascending penalty.
    eigenvalues_ : np.ndarray
        The penalty of the image along each direction.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.ONPP(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    E. Kokiopoulou, Y. Saad, Orthogonal neighborhood preserving projections: a projection-based
    dimensionality reduction technique, 2007.
    """

    _method = "onpp"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        reg: float = 0.001,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.reg = reg
        self.disconnected = disconnected
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The directions, orthonormal, one a row, by ascending penalty."""
        return self._attribute("components")

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The penalty of the image along each direction."""
        return self._attribute("eigenvalues")


class LLTSA(WithInverse):
    """Linear local tangent space alignment.

    The linear map under which every neighborhood is an affine image of its tangent coordinates:
    local tangent space alignment with a formula for new points, and a way back.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of columns, and fewer than rows.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbors each point has: at least n_components + 2.
        It is a whole number from 1 to 1000000.
    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph; `separate` is refused: one linear map cannot
        put connected components side by side.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        Accepted, as by every method: this one makes no random choice.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The directions, one a row, by ascending penalty.
    eigenvalues_ : np.ndarray
        The penalty of the image along each direction.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.LLTSA(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    T. Zhang, J. Yang, D. Zhao, X. Ge, Linear local tangent space alignment and application to face
    recognition, 2007.
    """

    _method = "lltsa"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.disconnected = disconnected
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The directions, one a row, by ascending penalty."""
        return self._attribute("components")

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The penalty of the image along each direction."""
        return self._attribute("eigenvalues")


class LLC(WithClusters, WithInverse, WithDensity, WithMixture):
    """Locally linear coordination.

    A mixture of local planes, placed by the weights of LLE: unrolls a sheet with few parameters,
    embeds new points by a formula, and is a density, too. It says where its planes disagree.

    Parameters
    ----------
    n_components : int | Literal["bic"] | None, default None
        How many components, which is also how many factors each analyzer has: fewer than columns.
        `auto` is 2, or 1 where there are two columns; `bic` goes by the Bayesian information
        criterion.

        - `bic`: the least Bayesian information criterion; the report has the curve

    n_analyzers : int | Literal["bic"] | None, default None
        How many analyzers: local linear models, of which each needs more rows than components.
        `auto` is one for ten times as many, at most 20.

        - `bic`: the least Bayesian information criterion; the report has the curve

    noise : Literal["isotropic", "columns"], default "isotropic"
        The noise of the analyzers: the same in all columns, or one variance a column.

        - `isotropic`: The same in all columns: probabilistic PCA.
        - `columns`: One variance a column: factor analysis.

    reg : float, default 0.001
        The ridge of the weights, relative to the trace of the local Gram matrix.
        It is a number from 0 to 1000000.
    density : Literal["gaussian", "student-t"], default "gaussian"
        The tails of the analyzers' densities: those of Student's t are not moved by outliers.

        - `gaussian`: Gaussian: a row far away counts in full.
        - `student-t`: Student's t: rows far away count little (the robust mixture of Maaten 7.3).

    degrees_of_freedom : float | None, default None
        The degrees of freedom of Student's t; `auto` finds those of each analyzer by maximum
        likelihood.
        It is None, or a number from 0.5 to 1000000.
    init : Literal["graph", "k-means++", "random"], default "graph"
        Where the analyzers start.

        - `graph`: Patches of the neighbor graph, by shortest paths: no patch reaches across a fold.
        - `k-means++`: Groups by k-means, seeded by k-means++.
        - `random`: The rows nearest to each of some random rows.

    n_init : int, default 3
        How many starts are tried for some iterations; the best goes on.
        It is a whole number from 1 to 10000.
    n_neighbors : int, default 10
        The neighbors of each row, or all other rows where there are fewer: for a start by patches
        of their graph, for the weights of llc, and for the neighborhoods on which the charts of
        charting agree.
        It is a whole number from 1 to 1000000.
    tol : float, default 1e-05
        The fit ends when an iteration adds less to the mean log-likelihood of a cell.
        It is a number from 0 to 1.
    max_iter : int, default 500
        The most iterations of expectation maximization.
        It is a whole number from 1 to 1000000.
    variance_floor : float, default 1e-06
        The least variance of the noise, relative to the variance of the data: an analyzer cannot
        shrink to a point.
        It is a number from 0.000000000001 to 1.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    weights_ : np.ndarray
        The share of each analyzer; they sum to 1.
    means_ : np.ndarray
        The means of the analyzers, one a row.
    loadings_ : np.ndarray
        The matrices W of the analyzers below each other: each has the columns of the data by
        factors.
    noise_variance_ : np.ndarray
        The variance of the noise: analyzers by columns of the data.
    labels_ : np.ndarray
        The most responsible analyzer of each training row.
    log_likelihoods_ : np.ndarray
        The mean log-likelihood of a row at each iteration.
    n_iter_ : int
        The iterations of expectation maximization.
    bic_ : float
        The Bayesian information criterion of the mixture.
    bic_curve_ : np.ndarray
        Analyzers, components and Bayesian information criterion of each mixture that was tried.
    disagreement_ : np.ndarray
        How far apart the charts place each training row: the root of the mean squared distance from
        its image.
    chart_disagreement_ : np.ndarray
        The same for each chart, over the rows that it is responsible for.
    chart_centers_ : np.ndarray
        Where the mean of each chart lies in the embedding, one a row.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.LLC(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    Y. W. Teh, S. Roweis, Automatic alignment of local representations, 2003.
    """

    _method = "llc"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | Literal["bic"] | None = None,
        *,
        n_analyzers: int | Literal["bic"] | None = None,
        noise: Literal["isotropic", "columns"] = "isotropic",
        reg: float = 0.001,
        density: Literal["gaussian", "student-t"] = "gaussian",
        degrees_of_freedom: float | None = None,
        init: Literal["graph", "k-means++", "random"] = "graph",
        n_init: int = 3,
        n_neighbors: int = 10,
        tol: float = 1e-05,
        max_iter: int = 500,
        variance_floor: float = 1e-06,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_analyzers = n_analyzers
        self.noise = noise
        self.reg = reg
        self.density = density
        self.degrees_of_freedom = degrees_of_freedom
        self.init = init
        self.n_init = n_init
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter
        self.variance_floor = variance_floor
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def weights_(self) -> np.ndarray:
        """The share of each analyzer; they sum to 1."""
        return self._attribute("weights")

    @property
    def means_(self) -> np.ndarray:
        """The means of the analyzers, one a row."""
        return self._attribute("means")

    @property
    def loadings_(self) -> np.ndarray:
        """The matrices W of the analyzers below each other: each has the columns of the data by factors."""
        return self._attribute("loadings")

    @property
    def noise_variance_(self) -> np.ndarray:
        """The variance of the noise: analyzers by columns of the data."""
        return self._attribute("noise_variance")

    @property
    def log_likelihoods_(self) -> np.ndarray:
        """The mean log-likelihood of a row at each iteration."""
        return self._attribute("log_likelihoods")

    @property
    def n_iter_(self) -> int:
        """The iterations of expectation maximization."""
        return self._attribute("n_iter")

    @property
    def bic_(self) -> float:
        """The Bayesian information criterion of the mixture."""
        return self._attribute("bic")

    @property
    def bic_curve_(self) -> np.ndarray:
        """Analyzers, components and Bayesian information criterion of each mixture that was tried."""
        return self._attribute("bic_curve")

    @property
    def disagreement_(self) -> np.ndarray:
        """How far apart the charts place each training row: the root of the mean squared distance from its image."""
        return self._attribute("disagreement")

    @property
    def chart_disagreement_(self) -> np.ndarray:
        """The same for each chart, over the rows that it is responsible for."""
        return self._attribute("chart_disagreement")

    @property
    def chart_centers_(self) -> np.ndarray:
        """Where the mean of each chart lies in the embedding, one a row."""
        return self._attribute("chart_centers")


class Charting(WithClusters, WithInverse, WithDensity, WithMixture):
    """Manifold charting.

    A mixture of local planes that must agree where they overlap: unrolls a sheet with few
    parameters and keeps lengths, embeds new points and goes back by formulas, and says for each row
    how far its charts disagree.

    Parameters
    ----------
    n_components : int | Literal["bic"] | None, default None
        How many components, which is also how many factors each analyzer has: fewer than columns.
        `auto` is 2, or 1 where there are two columns; `bic` goes by the Bayesian information
        criterion.

        - `bic`: the least Bayesian information criterion; the report has the curve

    n_analyzers : int | Literal["bic"] | None, default None
        How many analyzers: local linear models, of which each needs more rows than components.
        `auto` is one for ten times as many, at most 20.

        - `bic`: the least Bayesian information criterion; the report has the curve

    noise : Literal["isotropic", "columns"], default "isotropic"
        The noise of the analyzers: the same in all columns, or one variance a column.

        - `isotropic`: The same in all columns: probabilistic PCA.
        - `columns`: One variance a column: factor analysis.

    density : Literal["gaussian", "student-t"], default "gaussian"
        The tails of the analyzers' densities: those of Student's t are not moved by outliers.

        - `gaussian`: Gaussian: a row far away counts in full.
        - `student-t`: Student's t: rows far away count little (the robust mixture of Maaten 7.3).

    degrees_of_freedom : float | None, default None
        The degrees of freedom of Student's t; `auto` finds those of each analyzer by maximum
        likelihood.
        It is None, or a number from 0.5 to 1000000.
    init : Literal["graph", "k-means++", "random"], default "graph"
        Where the analyzers start.

        - `graph`: Patches of the neighbor graph, by shortest paths: no patch reaches across a fold.
        - `k-means++`: Groups by k-means, seeded by k-means++.
        - `random`: The rows nearest to each of some random rows.

    n_init : int, default 3
        How many starts are tried for some iterations; the best goes on.
        It is a whole number from 1 to 10000.
    n_neighbors : int, default 10
        The neighbors of each row, or all other rows where there are fewer: for a start by patches
        of their graph, for the weights of llc, and for the neighborhoods on which the charts of
        charting agree.
        It is a whole number from 1 to 1000000.
    tol : float, default 1e-05
        The fit ends when an iteration adds less to the mean log-likelihood of a cell.
        It is a number from 0 to 1.
    max_iter : int, default 500
        The most iterations of expectation maximization.
        It is a whole number from 1 to 1000000.
    variance_floor : float, default 1e-06
        The least variance of the noise, relative to the variance of the data: an analyzer cannot
        shrink to a point.
        It is a number from 0.000000000001 to 1.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    weights_ : np.ndarray
        The share of each analyzer; they sum to 1.
    means_ : np.ndarray
        The means of the analyzers, one a row.
    loadings_ : np.ndarray
        The matrices W of the analyzers below each other: each has the columns of the data by
        factors.
    noise_variance_ : np.ndarray
        The variance of the noise: analyzers by columns of the data.
    labels_ : np.ndarray
        The most responsible analyzer of each training row.
    log_likelihoods_ : np.ndarray
        The mean log-likelihood of a row at each iteration.
    n_iter_ : int
        The iterations of expectation maximization.
    bic_ : float
        The Bayesian information criterion of the mixture.
    bic_curve_ : np.ndarray
        Analyzers, components and Bayesian information criterion of each mixture that was tried.
    disagreement_ : np.ndarray
        How far apart the charts place each training row: the root of the mean squared distance from
        its image.
    chart_disagreement_ : np.ndarray
        The same for each chart, over the rows that it is responsible for.
    chart_centers_ : np.ndarray
        Where the mean of each chart lies in the embedding, one a row.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.Charting(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    M. Brand, Charting a manifold, 2003.
    """

    _method = "charting"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int | Literal["bic"] | None = None,
        *,
        n_analyzers: int | Literal["bic"] | None = None,
        noise: Literal["isotropic", "columns"] = "isotropic",
        density: Literal["gaussian", "student-t"] = "gaussian",
        degrees_of_freedom: float | None = None,
        init: Literal["graph", "k-means++", "random"] = "graph",
        n_init: int = 3,
        n_neighbors: int = 10,
        tol: float = 1e-05,
        max_iter: int = 500,
        variance_floor: float = 1e-06,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_analyzers = n_analyzers
        self.noise = noise
        self.density = density
        self.degrees_of_freedom = degrees_of_freedom
        self.init = init
        self.n_init = n_init
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter
        self.variance_floor = variance_floor
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def weights_(self) -> np.ndarray:
        """The share of each analyzer; they sum to 1."""
        return self._attribute("weights")

    @property
    def means_(self) -> np.ndarray:
        """The means of the analyzers, one a row."""
        return self._attribute("means")

    @property
    def loadings_(self) -> np.ndarray:
        """The matrices W of the analyzers below each other: each has the columns of the data by factors."""
        return self._attribute("loadings")

    @property
    def noise_variance_(self) -> np.ndarray:
        """The variance of the noise: analyzers by columns of the data."""
        return self._attribute("noise_variance")

    @property
    def log_likelihoods_(self) -> np.ndarray:
        """The mean log-likelihood of a row at each iteration."""
        return self._attribute("log_likelihoods")

    @property
    def n_iter_(self) -> int:
        """The iterations of expectation maximization."""
        return self._attribute("n_iter")

    @property
    def bic_(self) -> float:
        """The Bayesian information criterion of the mixture."""
        return self._attribute("bic")

    @property
    def bic_curve_(self) -> np.ndarray:
        """Analyzers, components and Bayesian information criterion of each mixture that was tried."""
        return self._attribute("bic_curve")

    @property
    def disagreement_(self) -> np.ndarray:
        """How far apart the charts place each training row: the root of the mean squared distance from its image."""
        return self._attribute("disagreement")

    @property
    def chart_disagreement_(self) -> np.ndarray:
        """The same for each chart, over the rows that it is responsible for."""
        return self._attribute("chart_disagreement")

    @property
    def chart_centers_(self) -> np.ndarray:
        """Where the mean of each chart lies in the embedding, one a row."""
        return self._attribute("chart_centers")


class LaplacianEigenmaps(Estimator):
    """Laplacian eigenmaps.

    Neighbors stay neighbors: the smoothest functions on the neighbor graph. Quick at any size, and
    shows clusters; distances in the picture mean little.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: fewer than there are rows, or landmarks.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbors each point has an edge to. Too few leave the graph disconnected, too many
        fold sheets together.
        It is a whole number from 1 to 1000000.
    radius : float | None, default None
        All within this distance are neighbors, instead of the nearest few.
        It is None, or a number above 0.
    affinity : Literal["gaussian", "local", "binary"] | Literal["precomputed"], default "gaussian"
        How the weight of an edge follows from its length. Similarities given as a kernel, and
        weights of a graph, are used instead. With `precomputed`, `X` holds the kernel.

        - `gaussian`: `exp(-d^2 / (2 s^2))`, the width `s` the same for all; at least 1e-10 between
          neighbors.
        - `local`: `exp(-d^2 / (s_i s_j))`, each `s` the distance to the seventh neighbor (Zelnik-
          Manor and Perona 2004); at least 1e-10.
        - `binary`: 1 for neighbors, 0 for others.

    width : float | None, default None
        The width s of the Gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of
        neighbors.
        It is None, or a number above 0.
    weighted : bool, default False
        Whether the entries of a graph are weights, and not lengths.
    laplacian : Literal["random-walk", "symmetric", "unnormalized"], default "random-walk"
        Which Laplacian of the graph.

        - `random-walk`: `L v = m D v`, that is `I - D^-1 W`: the generalized problem of Belkin and
          Niyogi.
        - `symmetric`: `I - D^-1/2 W D^-1/2` (Bengio eq. 12).
        - `unnormalized`: `D - W`.

    graph : Literal["either", "mutual", "spanning-tree"], default "either"
        Which neighbors have an edge.

        - `either`: Where either is a neighbor of the other.
        - `mutual`: Where each is a neighbor of the other: points that are neighbors of many keep
          fewer edges.
        - `spanning-tree`: Those of the minimum spanning tree of all points: the fewest and shortest
          that connect them, whoever the neighbors are.

    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 2 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "kernel", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    laplacian_eigenvalues_ : np.ndarray
        The eigenvalues of the Laplacian, one a component, ascending.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.LaplacianEigenmaps(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    M. Belkin, P. Niyogi, Laplacian eigenmaps for dimensionality reduction and data representation,
    2003.
    """

    _method = "laplacian-eigenmaps"
    _inputs = ("points", "distances", "kernel", "graph")

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        radius: float | None = None,
        affinity: Literal["gaussian", "local", "binary"] | Literal["precomputed"] = "gaussian",
        width: float | None = None,
        weighted: bool = False,
        laplacian: Literal["random-walk", "symmetric", "unnormalized"] = "random-walk",
        graph: Literal["either", "mutual", "spanning-tree"] = "either",
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "kernel", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.affinity = affinity
        self.width = width
        self.weighted = weighted
        self.laplacian = laplacian
        self.graph = graph
        self.metric = metric
        self.disconnected = disconnected
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def laplacian_eigenvalues_(self) -> np.ndarray:
        """The eigenvalues of the Laplacian, one a component, ascending."""
        return self._attribute("laplacian_eigenvalues")


class SpectralClustering(WithClusters):
    """Spectral clustering.

    Cuts the neighbor graph where it is thinnest: finds clusters of any shape. The embedding is that
    of Laplacian eigenmaps, the labels are its clusters.

    Parameters
    ----------
    n_clusters : int | None, default None
        How many clusters; `auto` finds the gap among the first eigenvalues: two to ten.
        It is None, or a whole number from 1 to 1000000.
    n_components : int | None, default None
        How many eigenvectors to look at, the constant one among them; `auto` is as many as there
        are clusters.
        It is None, or a whole number from 1 to 1000000.
    assign_labels : Literal["k-means", "discretize", "normalized-cut"], default "k-means"
        How points of the embedding become clusters.

        - `k-means`: k-means on rows of unit length (Ng, Jordan and Weiss 2002).
        - `discretize`: The rotation that brings rows of unit length nearest to the axes (Yu and Shi
          2003).
        - `normalized-cut`: The threshold on the second vector with the least normalized cut (Shi
          and Malik 2000): two clusters.

    n_init : int, default 10
        How many starts are tried, of which the best counts.
        It is a whole number from 1 to 10000.
    n_neighbors : int, default 8
        How many neighbors each point has an edge to.
        It is a whole number from 1 to 1000000.
    radius : float | None, default None
        All within this distance are neighbors, instead of the nearest few.
        It is None, or a number above 0.
    affinity : Literal["gaussian", "local", "binary"] | Literal["precomputed"], default "local"
        How the weight of an edge follows from its length. Similarities given as a kernel, and
        weights of a graph, are used instead. With `precomputed`, `X` holds the kernel.

        - `gaussian`: `exp(-d^2 / (2 s^2))`, the width `s` the same for all; at least 1e-10 between
          neighbors.
        - `local`: `exp(-d^2 / (s_i s_j))`, each `s` the distance to the seventh neighbor (Zelnik-
          Manor and Perona 2004); at least 1e-10.
        - `binary`: 1 for neighbors, 0 for others.

    width : float | None, default None
        For `gaussian`: the width s of `exp(-d^2 / (2 s^2))`; `auto` is the median distance of
        neighbors.
        It is None, or a number above 0.
    weighted : bool, default False
        Whether the entries of a graph are weights, and not lengths.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph; `separate` is refused. Connected components
        of a given graph are clusters without being joined; `largest` is refused for it.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 2 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "kernel", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    laplacian_eigenvalues_ : np.ndarray
        The eigenvalues of the Laplacian, one a component, ascending.
    labels_ : np.ndarray
        The cluster of each training row, numbered from 0 in order of appearance.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.SpectralClustering(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    A. Ng, M. Jordan, Y. Weiss, On spectral clustering: analysis and an algorithm, 2002.
    """

    _method = "spectral-clustering"
    _inputs = ("points", "distances", "kernel", "graph")

    def __init__(
        self,
        *,
        n_clusters: int | None = None,
        n_components: int | None = None,
        assign_labels: Literal["k-means", "discretize", "normalized-cut"] = "k-means",
        n_init: int = 10,
        n_neighbors: int = 8,
        radius: float | None = None,
        affinity: Literal["gaussian", "local", "binary"] | Literal["precomputed"] = "local",
        width: float | None = None,
        weighted: bool = False,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "kernel", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.assign_labels = assign_labels
        self.n_init = n_init
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.affinity = affinity
        self.width = width
        self.weighted = weighted
        self.metric = metric
        self.disconnected = disconnected
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def laplacian_eigenvalues_(self) -> np.ndarray:
        """The eigenvalues of the Laplacian, one a component, ascending."""
        return self._attribute("laplacian_eigenvalues")


class DiffusionMaps(Estimator):
    """Diffusion maps.

    Distances by how differently random walks spread from two points: steady against noise and short
    circuits. alpha = 1 takes the density of the sample out.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: fewer than there are rows, or landmarks. All together keep the
        diffusion distance exactly.
        It is a whole number from 1 to 1000000.
    t : float, default 1.0
        The time of the walk: how often its matrix is applied. Longer times keep fewer, larger
        features.
        It is a number from 0 to 1000000.
    alpha : float, default 1.0
        How much of the density is taken out: 0 is the plain walk, 1/2 the Fokker-Planck diffusion,
        1 the geometry alone.
        It is a number from 0 to 1.
    edges : Literal["all", "neighbors"], default "all"
        Which pairs of points have an edge. Similarities given as a kernel, and the edges of a
        graph, are used instead.

        - `all`: All to all: a matrix of all pairs.
        - `neighbors`: Neighbors only.

    n_neighbors : int, default 8
        How many neighbors each point has an edge to; their median distance is the width where none
        is given.
        It is a whole number from 1 to 1000000.
    width : float | None, default None
        The width s of the Gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of
        neighbors.
        It is None, or a number above 0.
    weighted : bool, default False
        Whether the entries of a graph are weights, and not lengths.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 2 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "kernel", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    laplacian_eigenvalues_ : np.ndarray
        The eigenvalues of the Laplacian, one a component, ascending.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.DiffusionMaps(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    R. Coifman, S. Lafon, Diffusion maps, 2006.
    """

    _method = "diffusion-maps"
    _inputs = ("points", "distances", "kernel", "graph")

    def __init__(
        self,
        n_components: int = 2,
        *,
        t: float = 1.0,
        alpha: float = 1.0,
        edges: Literal["all", "neighbors"] = "all",
        n_neighbors: int = 8,
        width: float | None = None,
        weighted: bool = False,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "kernel", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.t = t
        self.alpha = alpha
        self.edges = edges
        self.n_neighbors = n_neighbors
        self.width = width
        self.weighted = weighted
        self.metric = metric
        self.disconnected = disconnected
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def laplacian_eigenvalues_(self) -> np.ndarray:
        """The eigenvalues of the Laplacian, one a component, ascending."""
        return self._attribute("laplacian_eigenvalues")


class CommuteTime(Estimator):
    """Commute-time embedding.

    Squared distances are the times of a random walk there and back: kernel PCA of the Laplacian's
    pseudo-inverse.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: fewer than there are rows, or landmarks. All together keep the
        commute time exactly.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbors each point has an edge to.
        It is a whole number from 1 to 1000000.
    affinity : Literal["gaussian", "local", "binary"] | Literal["precomputed"], default "gaussian"
        How the weight of an edge follows from its length. Similarities given as a kernel, and
        weights of a graph, are used instead. With `precomputed`, `X` holds the kernel.

        - `gaussian`: `exp(-d^2 / (2 s^2))`, the width `s` the same for all; at least 1e-10 between
          neighbors.
        - `local`: `exp(-d^2 / (s_i s_j))`, each `s` the distance to the seventh neighbor (Zelnik-
          Manor and Perona 2004); at least 1e-10.
        - `binary`: 1 for neighbors, 0 for others.

    width : float | None, default None
        The width s of the Gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of
        neighbors.
        It is None, or a number above 0.
    weighted : bool, default False
        Whether the entries of a graph are weights, and not lengths.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 2 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "kernel", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    laplacian_eigenvalues_ : np.ndarray
        The eigenvalues of the Laplacian, one a component, ascending.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.CommuteTime(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    J. Ham, D. Lee, S. Mika, B. Schölkopf, A kernel view of the dimensionality reduction of
    manifolds, 2004.
    """

    _method = "commute-time"
    _inputs = ("points", "distances", "kernel", "graph")

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 8,
        affinity: Literal["gaussian", "local", "binary"] | Literal["precomputed"] = "gaussian",
        width: float | None = None,
        weighted: bool = False,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "kernel", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.width = width
        self.weighted = weighted
        self.metric = metric
        self.disconnected = disconnected
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def laplacian_eigenvalues_(self) -> np.ndarray:
        """The eigenvalues of the Laplacian, one a component, ascending."""
        return self._attribute("laplacian_eigenvalues")


class HeatKernel(Estimator):
    """Heat-kernel PCA.

    Kernel PCA of the heat kernel exp(-t L) of the neighbor graph: how much heat is shared after a
    time t.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: fewer than there are rows, or landmarks.
        It is a whole number from 1 to 1000000.
    t : float, default 1.0
        The time that heat has to spread.
        It is a number between 0 and 1000000, both excluded.
    n_neighbors : int, default 8
        How many neighbors each point has an edge to.
        It is a whole number from 1 to 1000000.
    affinity : Literal["gaussian", "local", "binary"] | Literal["precomputed"], default "gaussian"
        How the weight of an edge follows from its length. Similarities given as a kernel, and
        weights of a graph, are used instead. With `precomputed`, `X` holds the kernel.

        - `gaussian`: `exp(-d^2 / (2 s^2))`, the width `s` the same for all; at least 1e-10 between
          neighbors.
        - `local`: `exp(-d^2 / (s_i s_j))`, each `s` the distance to the seventh neighbor (Zelnik-
          Manor and Perona 2004); at least 1e-10.
        - `binary`: 1 for neighbors, 0 for others.

    width : float | None, default None
        The width s of the Gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of
        neighbors.
        It is None, or a number above 0.
    weighted : bool, default False
        Whether the entries of a graph are weights, and not lengths.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input are used instead. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a disconnected neighbor graph.

        - `error`: Refuse, and name the sizes of the connected components.
        - `join`: Join the connected components by their shortest edges.
        - `largest`: Embed the largest connected component; the other points are embedded as new
          ones.
        - `separate`: Embed each connected component by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 2 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centers of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "kernel", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    eigenvalues_ : np.ndarray
        The eigenvalues behind the components.
    laplacian_eigenvalues_ : np.ndarray
        The eigenvalues of the Laplacian, one a component, ascending.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.HeatKernel(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    J. Ham, D. Lee, S. Mika, B. Schölkopf, A kernel view of the dimensionality reduction of
    manifolds, 2004.
    """

    _method = "heat-kernel"
    _inputs = ("points", "distances", "kernel", "graph")

    def __init__(
        self,
        n_components: int = 2,
        *,
        t: float = 1.0,
        n_neighbors: int = 8,
        affinity: Literal["gaussian", "local", "binary"] | Literal["precomputed"] = "gaussian",
        width: float | None = None,
        weighted: bool = False,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "kernel", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.t = t
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.width = width
        self.weighted = weighted
        self.metric = metric
        self.disconnected = disconnected
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues behind the components."""
        return self._attribute("eigenvalues")

    @property
    def laplacian_eigenvalues_(self) -> np.ndarray:
        """The eigenvalues of the Laplacian, one a component, ascending."""
        return self._attribute("laplacian_eigenvalues")


class TSNE(WithStart, WithCheckpoint):
    """t-SNE.

    Points that are neighbors stay neighbors, all others repel each other: shows clusters and what
    is in them. Distances between clusters, and their sizes, mean little.

    Parameters
    ----------
    n_components : int, default 2
        How many components: fewer than there are rows. Two are usual.
        It is a whole number from 1 to 32.
    perplexity : float | None, default None
        The effective number of neighbors of each point: 5 to 50 is usual, and below the number of
        neighbors. `auto` is 30, or a third of the other points where these are fewer than 90.
        It is None, or a number from 1 to 1000000.
    second_perplexity : float | None, default None
        A second perplexity: the affinities are the mean of both, and so show near and far structure
        at once.
        It is None, or a number from 1 to 1000000.
    affinities : Literal["perplexity", "uniform"], default "perplexity"
        How affinities are made.

        - `perplexity`: Gaussian, of the given perplexity, or of the mean of two.
        - `uniform`: All neighbors alike.

    n_neighbors : int | None, default None
        How many neighbors each point has an affinity to; `auto` is three times the perplexity.
        It is None, or a whole number from 1 to 1000000.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input take its place. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    init : Literal["auto", "pca", "spectral", "random"] | np.ndarray, default "auto"
        Where the layout starts. An array is where it starts.

        - `auto`: What suits the method: principal components for t-SNE and PaCMAP, eigenvectors for
          UMAP; where there are none, the other, and random positions where there is neither.
        - `pca`: The first principal components of points, which keep the large shape of the data.
        - `spectral`: The first eigenvectors of the normalized affinities; of each connected
          component by itself, where there are several.
        - `random`: Random positions.

    early_exaggeration : float, default 12.0
        The factor of the attraction at first, which gathers clusters.
        It is a number between 0 and 1000000, both excluded.
    early_exaggeration_iter : int, default 250
        For how many iterations.
        It is a whole number from 0 to 1000000000.
    exaggeration : float, default 1.0
        The factor of the attraction afterward: 1 is t-SNE, about 4 looks like UMAP, more goes
        toward Laplacian eigenmaps.
        It is a number between 0 and 1000000, both excluded.
    max_iter : int, default 1000
        The most iterations, the early ones included.
        It is a whole number from 1 to 1000000000.
    learning_rate : float | Sequence[float] | None, default None
        How far a point moves along the gradient, or two such numbers: in the early iterations, and
        afterward. `auto` is the number of points divided by the exaggeration of each.
        It is None, or a number between 0 and 1000000000000, both excluded, or a list of 1 to 2
        values, each a number between 0 and 1000000000000, both excluded.
    initial_momentum : float, default 0.5
        How much of the last step is repeated, in the early iterations.
        It is a number from 0 to 0.999.
    final_momentum : float, default 0.8
        How much of the last step is repeated, afterward.
        It is a number from 0 to 0.999.
    n_iter_without_progress : int, default 300
        Stop after so many iterations without a lower divergence.
        It is a whole number from 1 to 1000000000.
    min_grad_norm : float, default 1e-07
        Stop when the norm of the gradient is not above this.
        It is a number of at least 0.
    dof : float, default 1.0
        The degrees of freedom of the similarity in the layout: 1 is t-SNE, smaller shows finer
        clusters.
        It is a number from 0.05 to 1000000.
    negative_gradient_method : Literal["auto", "exact", "bh", "fft"], default "auto"
        How the repulsion between all points is computed.

        - `auto`: The fastest that is accurate: exact for few points, then fft in one or two
          dimensions and bh in three.
        - `exact`: Every pair.
        - `bh`: Barnes and Hut's tree, in up to three dimensions.
        - `fft`: Interpolation on a grid, in one or two dimensions.

    theta : float, default 0.5
        For bh: a cell of the tree counts as one point where its width is below so many times its
        distance.
        It is a number from 0 to 1.
    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    callback : Callable[[int, float, np.ndarray], object] | None, default None
        Called with the iteration, the loss and the layout so far. What it returns, if true, ends
        the fit: the layout so far is the result.
    callback_every : int, default 50
        After how many iterations it is called each time.
    checkpoint : str | os.PathLike[str] | None, default None
        A file in which the fit under way is kept: `resume` goes on from it.
    checkpoint_seconds : float, default 30.0
        After how many seconds it is written each time; also when the callback ends the fit.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    loss_ : float
        What was minimized, for the returned layout.
    loss_history_ : np.ndarray
        Iterations and the loss after them.
    n_iter_ : int
        The iterations made.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.TSNE(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    L. van der Maaten, G. Hinton, Visualizing data using t-SNE, 2008.
    """

    _method = "t-sne"
    _inputs = ("points", "sparse", "distances", "graph")
    _lists = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float | None = None,
        second_perplexity: float | None = None,
        affinities: Literal["perplexity", "uniform"] = "perplexity",
        n_neighbors: int | None = None,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        init: Literal["auto", "pca", "spectral", "random"] | np.ndarray = "auto",
        early_exaggeration: float = 12.0,
        early_exaggeration_iter: int = 250,
        exaggeration: float = 1.0,
        max_iter: int = 1000,
        learning_rate: float | Sequence[float] | None = None,
        initial_momentum: float = 0.5,
        final_momentum: float = 0.8,
        n_iter_without_progress: int = 300,
        min_grad_norm: float = 1e-07,
        dof: float = 1.0,
        negative_gradient_method: Literal["auto", "exact", "bh", "fft"] = "auto",
        theta: float = 0.5,
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        callback: Callable[[int, float, np.ndarray], object] | None = None,
        callback_every: int = 50,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_seconds: float = 30.0,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.second_perplexity = second_perplexity
        self.affinities = affinities
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.init = init
        self.early_exaggeration = early_exaggeration
        self.early_exaggeration_iter = early_exaggeration_iter
        self.exaggeration = exaggeration
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.initial_momentum = initial_momentum
        self.final_momentum = final_momentum
        self.n_iter_without_progress = n_iter_without_progress
        self.min_grad_norm = min_grad_norm
        self.dof = dof
        self.negative_gradient_method = negative_gradient_method
        self.theta = theta
        self.input = input
        self.random_state = random_state
        self.callback = callback
        self.callback_every = callback_every
        self.checkpoint = checkpoint
        self.checkpoint_seconds = checkpoint_seconds
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def loss_(self) -> float:
        """What was minimized, for the returned layout."""
        return self._attribute("loss")

    @property
    def loss_history_(self) -> np.ndarray:
        """Iterations and the loss after them."""
        return self._attribute("loss_history")

    @property
    def n_iter_(self) -> int:
        """The iterations made."""
        return self._attribute("n_iter")


class UMAP(WithOptionalLabels, WithStart, WithCheckpoint, WithInverse):
    """UMAP.

    Neighbors attract each other and negative samples repel: clusters are tighter and farther apart
    than in t-SNE, and large data are quick. Distances between clusters, and their sizes, mean
    little.

    Parameters
    ----------
    n_components : int, default 2
        How many components: fewer than there are rows. Two are usual.
        It is a whole number from 1 to 32.
    n_neighbors : int | None, default None
        How many neighbors each point has an edge to, itself counted: few show detail, many the
        large shape. `auto` is 15, or all where there are fewer points.
        It is None, or a whole number from 2 to 1000000.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input take its place. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    min_dist : float, default 0.1
        How close points may come in the layout; at most the spread.
        It is a number from 0 to 1000000.
    spread : float, default 1.0
        Over which length similarity falls off in the layout.
        It is a number between 0 and 1000000, both excluded.
    n_epochs : int | None, default None
        The epochs: edges of the largest weight attract in each; `auto` is 500 up to 10,000 points
        and 200 beyond.
        It is None, or a whole number from 1 to 1000000.
    learning_rate : float, default 1.0
        The length of a step at first; it falls to zero.
        It is a number between 0 and 1000, both excluded.
    init : Literal["auto", "pca", "spectral", "random"] | np.ndarray, default "auto"
        Where the layout starts. An array is where it starts.

        - `auto`: What suits the method: principal components for t-SNE and PaCMAP, eigenvectors for
          UMAP; where there are none, the other, and random positions where there is neither.
        - `pca`: The first principal components of points, which keep the large shape of the data.
        - `spectral`: The first eigenvectors of the normalized affinities; of each connected
          component by itself, where there are several.
        - `random`: Random positions.

    set_op_mix_ratio : float, default 1.0
        1 is the union of both directions of an edge, 0 their intersection, in between a mixture.
        It is a number from 0 to 1.
    local_connectivity : float, default 1.0
        To how many nearest neighbors each point has an edge of full weight.
        It is a number from 0 to 1000000.
    repulsion_strength : float, default 1.0
        The weight of the repulsion from negative samples.
        It is a number from 0 to 1000000.
    negative_sample_rate : int, default 5
        How many negative samples there are for each edge that attracts.
        It is a whole number from 1 to 1000.
    target_weight : float | None, default None
        How much the labels count, from 0 (not at all) to 1 (they alone): rows of one label attract
        each other. A label of -1 is not known. `auto` learns nothing from labels.
        It is None, or a number from 0 to 1.
    dens_lambda : float, default 0.0
        densMAP: how much the local density of the data counts, so that sparse regions look sparse.
        0 is UMAP, 2 is usual.
        It is a number from 0 to 1000000.
    dens_frac : float, default 0.3
        In which share of the epochs, the last, density counts.
        It is a number from 0 to 1.
    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    callback : Callable[[int, float, np.ndarray], object] | None, default None
        Called with the iteration, the loss and the layout so far. What it returns, if true, ends
        the fit: the layout so far is the result.
    callback_every : int, default 50
        After how many iterations it is called each time.
    checkpoint : str | os.PathLike[str] | None, default None
        A file in which the fit under way is kept: `resume` goes on from it.
    checkpoint_seconds : float, default 30.0
        After how many seconds it is written each time; also when the callback ends the fit.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    loss_ : float
        What was minimized, for the returned layout.
    loss_history_ : np.ndarray
        Iterations and the loss after them.
    n_iter_ : int
        The iterations made.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.UMAP(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    L. McInnes, J. Healy, J. Melville, UMAP: uniform manifold approximation and projection, 2018.
    """

    _method = "umap"
    _inputs = ("points", "sparse", "distances", "graph")
    _lists = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int | None = None,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        min_dist: float = 0.1,
        spread: float = 1.0,
        n_epochs: int | None = None,
        learning_rate: float = 1.0,
        init: Literal["auto", "pca", "spectral", "random"] | np.ndarray = "auto",
        set_op_mix_ratio: float = 1.0,
        local_connectivity: float = 1.0,
        repulsion_strength: float = 1.0,
        negative_sample_rate: int = 5,
        target_weight: float | None = None,
        dens_lambda: float = 0.0,
        dens_frac: float = 0.3,
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        callback: Callable[[int, float, np.ndarray], object] | None = None,
        callback_every: int = 50,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_seconds: float = 30.0,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.min_dist = min_dist
        self.spread = spread
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.init = init
        self.set_op_mix_ratio = set_op_mix_ratio
        self.local_connectivity = local_connectivity
        self.repulsion_strength = repulsion_strength
        self.negative_sample_rate = negative_sample_rate
        self.target_weight = target_weight
        self.dens_lambda = dens_lambda
        self.dens_frac = dens_frac
        self.input = input
        self.random_state = random_state
        self.callback = callback
        self.callback_every = callback_every
        self.checkpoint = checkpoint
        self.checkpoint_seconds = checkpoint_seconds
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def loss_(self) -> float:
        """What was minimized, for the returned layout."""
        return self._attribute("loss")

    @property
    def loss_history_(self) -> np.ndarray:
        """Iterations and the loss after them."""
        return self._attribute("loss_history")

    @property
    def n_iter_(self) -> int:
        """The iterations made."""
        return self._attribute("n_iter")


class PaCMAP(WithStart, WithCheckpoint):
    """PaCMAP.

    Neighbors attract each other, at first also mid-near points, so that both clusters and their
    arrangement show. Needs little tuning.

    Parameters
    ----------
    n_components : int, default 2
        How many components: fewer than there are rows. Two are usual.
        It is a whole number from 1 to 32.
    n_neighbors : int | None, default 10
        How many near points attract each point; `auto` is 10, and more beyond 10,000 points, for
        more of the large shape.
        It is None, or a whole number from 1 to 1000000.
    mn_ratio : float, default 0.5
        How many mid-near pairs there are for each near one.
        It is a number from 0 to 1000.
    fp_ratio : float, default 2.0
        How many further pairs there are for each near one.
        It is a number from 0 to 1000.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float], default "euclidean"
        The distance between points. Distances given as input take its place. With `precomputed`,
        `X` holds the distances, a function of two rows is called for every pair.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries
        - `minkowski(order)`: the norm of this order: 1 is manhattan, 2 euclidean, inf chebyshev

    apply_pca : bool, default True
        Whether points of more than 100 columns are first reduced to their first 100 principal
        components, in which pairs are then looked for, where the metric is euclidean.
    lr : float, default 1.0
        The length of a step of the descent.
        It is a number between 0 and 1000, both excluded.
    first_iter : int, default 100
        The iterations in which the weight of mid-near pairs falls.
        It is a whole number from 0 to 1000000.
    second_iter : int, default 100
        The iterations in which it is constant.
        It is a whole number from 0 to 1000000.
    third_iter : int, default 250
        The iterations in which it is 0.
        It is a whole number from 1 to 1000000.
    init : Literal["auto", "pca", "spectral", "random"] | np.ndarray, default "auto"
        Where the layout starts. An array is where it starts.

        - `auto`: What suits the method: principal components for t-SNE and PaCMAP, eigenvectors for
          UMAP; where there are none, the other, and random positions where there is neither.
        - `pca`: The first principal components of points, which keep the large shape of the data.
        - `spectral`: The first eigenvectors of the normalized affinities; of each connected
          component by itself, where there are several.
        - `random`: Random positions.

    input : Literal["points", "distances"], default "points"
        What the rows of `X` are.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    callback : Callable[[int, float, np.ndarray], object] | None, default None
        Called with the iteration, the loss and the layout so far. What it returns, if true, ends
        the fit: the layout so far is the result.
    callback_every : int, default 50
        After how many iterations it is called each time.
    checkpoint : str | os.PathLike[str] | None, default None
        A file in which the fit under way is kept: `resume` goes on from it.
    checkpoint_seconds : float, default 30.0
        After how many seconds it is written each time; also when the callback ends the fit.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    loss_ : float
        What was minimized, for the returned layout.
    loss_history_ : np.ndarray
        Iterations and the loss after them.
    n_iter_ : int
        The iterations made.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.PaCMAP(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    Y. Wang, H. Huang, C. Rudin, Y. Shaposhnik, Understanding how dimension reduction tools work,
    2021.
    """

    _method = "pacmap"
    _inputs = ("points", "sparse", "distances")

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int | None = 10,
        mn_ratio: float = 0.5,
        fp_ratio: float = 2.0,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "hamming", "jaccard"] | str | Literal["precomputed"] | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        apply_pca: bool = True,
        lr: float = 1.0,
        first_iter: int = 100,
        second_iter: int = 100,
        third_iter: int = 250,
        init: Literal["auto", "pca", "spectral", "random"] | np.ndarray = "auto",
        input: Literal["points", "distances"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        callback: Callable[[int, float, np.ndarray], object] | None = None,
        callback_every: int = 50,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_seconds: float = 30.0,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.mn_ratio = mn_ratio
        self.fp_ratio = fp_ratio
        self.metric = metric
        self.apply_pca = apply_pca
        self.lr = lr
        self.first_iter = first_iter
        self.second_iter = second_iter
        self.third_iter = third_iter
        self.init = init
        self.input = input
        self.random_state = random_state
        self.callback = callback
        self.callback_every = callback_every
        self.checkpoint = checkpoint
        self.checkpoint_seconds = checkpoint_seconds
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def loss_(self) -> float:
        """What was minimized, for the returned layout."""
        return self._attribute("loss")

    @property
    def loss_history_(self) -> np.ndarray:
        """Iterations and the loss after them."""
        return self._attribute("loss_history")

    @property
    def n_iter_(self) -> int:
        """The iterations made."""
        return self._attribute("n_iter")


class Autoencoder(WithCheckpoint, WithInverse):
    """Multilayer autoencoder.

    A neural network that rebuilds its input through a narrow layer: a smooth map for new points and
    back, learned from much data; strong on images, slower than the spectral methods.

    Parameters
    ----------
    n_components : int, default 2
        The width of the middle layer.
        It is a whole number of at least 1.
    hidden_layer_sizes : Sequence[int] | None, default None
        The widths of the hidden layers between the data and the middle layer, the widest first; the
        decoder is their mirror image. `auto` chooses two by the size of the data.
        It is None, or a list of 0 to 64 values, each a whole number from 1 to 1000000.
    tied_weights : bool, default True
        Whether the weights of the decoder are those of the encoder, transposed.
    activation : Literal["sigmoid", "tanh", "relu", "softplus", "linear"], default "sigmoid"
        The units of the hidden layers; those of the middle layer are linear.

        - `sigmoid`: 1 / (1 + e^-x): the units of a Boltzmann machine.
        - `tanh`: The hyperbolic tangent: a sigmoid about zero.
        - `relu`: max(0, x).
        - `softplus`: ln(1 + e^x): a smooth max(0, x).
        - `linear`: x: the network finds the subspace of PCA.

    loss : Literal["squared", "cross-entropy"], default "squared"
        What is minimized over the rows: the error of the rebuilt row.

        - `squared`: The mean squared error; outputs are linear.
        - `cross-entropy`: The mean cross-entropy, for data in [0, 1]; outputs are sigmoid.

    scaling : Literal["global", "columns", "raw"], default "global"
        How the data are scaled; the cross-entropy takes them as they are.

        - `global`: Centered, and all columns divided by one number: distances keep their
          proportions.
        - `columns`: Centered, and each column divided by its standard deviation.
        - `raw`: Taken as they are.

    pca_components : int | None, default None
        How many principal components the network sees in place of the columns, 0 for none; `auto`
        is 512 where there are more than 2048 columns.
        It is None, or a whole number of at least 0.
    pretraining : Literal["random", "rbm", "denoising"] | None, default None
        How layers are trained one by one before they are trained together. `auto` is rbm where
        sigmoid units see many columns, else random.

        - `random`: Not pretrained: training begins with random weights.
        - `rbm`: Restricted Boltzmann machines, by contrastive divergence; for sigmoid units (Hinton
          and Salakhutdinov 2006).
        - `denoising`: Small autoencoders that undo noise (Vincent et al. 2008).

    pretraining_epochs : int | None, default None
        Passes through the data for each pretrained layer; `auto` chooses by the number of rows.
        It is None, or a whole number from 0 to 1000000.
    noise : float | None, default None
        The share of a row's cells that is set to zero before the network sees it; `auto` is 0.3 for
        many columns, which can be predicted from each other, else 0.
        It is None, or a number from 0 to 0.9.
    alpha : float | None, default None
        How much half the sum of squared weights counts. `auto` is 0.0003 for many columns, 0.0002
        where principal components stand for very many, which a network would overfit, else 0.
        It is None, or a number from 0 to 1000000.
    batch_size : int, default 100
        Rows of a step; all rows where there are fewer.
        It is a whole number from 1 to 1000000.
    learning_rate_init : float, default 0.002
        The rate of Adam's steps at the start.
        It is a number from 0.000000001 to 1.
    learning_rate : Literal["constant", "cosine", "exponential"], default "cosine"
        How the rate falls in the course of the training.

        - `constant`: The rate stays.
        - `cosine`: Half a cosine down to a hundredth, after a first twentieth that rises
          (Loshchilov and Hutter 2017).
        - `exponential`: A geometric fall to a hundredth.

    max_iter : int | None, default None
        Passes through the data; `auto` chooses by the number of rows.
        It is None, or a whole number from 0 to 1000000.
    validation_fraction : float, default 0.1
        The share of the rows held out to know when to stop; 0 trains on all rows, to the end. Below
        50 rows none are, nor below 1000 where principal components stand for very many columns.
        It is a number from 0 to 0.9.
    n_iter_no_change : int, default 20
        Passes without a better loss of the rows held out before training stops.
        It is a whole number from 1 to 1000000.
    lbfgs_steps : int | None, default None
        Steps of L-BFGS over all rows at the end; `auto` is 500 for small data, 0 for large.
        It is None, or a whole number from 0 to 1000000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    callback : Callable[[int, float, np.ndarray], object] | None, default None
        Called with the iteration, the loss and the layout so far. What it returns, if true, ends
        the fit: the layout so far is the result.
    callback_every : int, default 50
        After how many iterations it is called each time.
    checkpoint : str | os.PathLike[str] | None, default None
        A file in which the fit under way is kept: `resume` goes on from it.
    checkpoint_seconds : float, default 30.0
        After how many seconds it is written each time; also when the callback ends the fit.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    n_iter_ : int
        The epochs of the training, and the steps of L-BFGS after them.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.Autoencoder(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    G. E. Hinton, R. R. Salakhutdinov, Reducing the dimensionality of data with neural networks,
    2006; P. Vincent, H. Larochelle, Y. Bengio, P.-A. Manzagol, Extracting and composing robust
    features with denoising autoencoders, 2008.
    """

    _method = "autoencoder"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden_layer_sizes: Sequence[int] | None = None,
        tied_weights: bool = True,
        activation: Literal["sigmoid", "tanh", "relu", "softplus", "linear"] = "sigmoid",
        loss: Literal["squared", "cross-entropy"] = "squared",
        scaling: Literal["global", "columns", "raw"] = "global",
        pca_components: int | None = None,
        pretraining: Literal["random", "rbm", "denoising"] | None = None,
        pretraining_epochs: int | None = None,
        noise: float | None = None,
        alpha: float | None = None,
        batch_size: int = 100,
        learning_rate_init: float = 0.002,
        learning_rate: Literal["constant", "cosine", "exponential"] = "cosine",
        max_iter: int | None = None,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        lbfgs_steps: int | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        callback: Callable[[int, float, np.ndarray], object] | None = None,
        callback_every: int = 50,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_seconds: float = 30.0,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.tied_weights = tied_weights
        self.activation = activation
        self.loss = loss
        self.scaling = scaling
        self.pca_components = pca_components
        self.pretraining = pretraining
        self.pretraining_epochs = pretraining_epochs
        self.noise = noise
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.lbfgs_steps = lbfgs_steps
        self.random_state = random_state
        self.callback = callback
        self.callback_every = callback_every
        self.checkpoint = checkpoint
        self.checkpoint_seconds = checkpoint_seconds
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def n_iter_(self) -> int:
        """The epochs of the training, and the steps of L-BFGS after them."""
        return self._attribute("n_iter")


class RBM(WithInverse, WithEnergy):
    """Restricted Boltzmann machine.

    Hidden units that explain the data together, each on or off: features for further work rather
    than a picture, with a free energy for new rows, and samples.

    Parameters
    ----------
    n_components : int, default 2
        The number of hidden units.
        It is a whole number from 1 to 1000000.
    visible_units : Literal["binary", "gaussian"] | None, default None
        What the visible units are. `auto` is binary where all values are in [0, 1], else Gaussian.

        - `binary`: On or off: energy `-b'u`. Real values in [0, 1] are taken as probabilities
          (mean-field).
        - `gaussian`: Real, of unit variance about their mean: energy `|u - b|^2 / 2`.

    hidden_units : Literal["binary", "gaussian"], default "binary"
        What the hidden units are.

        - `binary`: On or off: energy `-b'u`. Real values in [0, 1] are taken as probabilities
          (mean-field).
        - `gaussian`: Real, of unit variance about their mean: energy `|u - b|^2 / 2`.

    scaling : Literal["global", "columns", "raw"], default "columns"
        How the data of Gaussian visible units are scaled; binary ones take them as they are.

        - `global`: Centered, and all columns divided by one number: distances keep their
          proportions.
        - `columns`: Centered, and each column divided by its standard deviation.
        - `raw`: Taken as they are.

    learning_rate : float, default 0.005
        The rate of Adam's steps at the start; it falls to a hundredth on half a cosine.
        It is a number from 0.000000001 to 1.
    batch_size : int, default 100
        Rows of a step; all rows where there are fewer.
        It is a whole number from 1 to 1000000.
    n_iter : int | None, default None
        Passes through the data; `auto` chooses by the number of rows.
        It is None, or a whole number from 0 to 1000000.
    gibbs_steps : int, default 1
        Times the visible units are made again before the comparison with the data.
        It is a whole number from 1 to 10000.
    mean_field : bool, default False
        Whether hidden units pass on their means in place of samples.
    alpha : float, default 0.0002
        How much half the sum of squared weights counts.
        It is a number from 0 to 1000000.
    sampling_steps : int, default 200
        Rounds of Gibbs sampling, from random visible units on, behind every row that is drawn from
        the model.
        It is a whole number from 1 to 10000000.
    random_state : int | np.random.Generator | np.random.RandomState | None, default None
        The seed of every random choice. None is 0: results repeat.
    n_jobs : int | None, default None
        How many threads compute; the results do not depend on it. None and -1 are all processors,
        -2 all but one.
    memory : int | str | None, default None
        The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of
        1024, as '8g') or '8GB' (powers of 1000). More is refused before anything is allocated.
    verbose : bool | Callable[[str, int, float | None], object], default False
        Whether each stage is printed with its time; in a notebook, one text that changes. A
        function is called with the stage, the steps done, and the seconds once it has ended.

    Attributes
    ----------
    components_ : np.ndarray
        The weights, one hidden unit a row.
    intercept_hidden_ : np.ndarray
        The biases of the hidden units.
    intercept_visible_ : np.ndarray
        The biases of the visible units.
    n_iter_ : int
        The passes through the data.
    n_features_in_ : int
        The width of the data.
    feature_names_in_ : np.ndarray
        The names of the columns, where the data had any.
    n_components_ : int
        The width of the embedding.
    embedding_ : np.ndarray
        The embedding of the training rows, where the model holds it.
    report_ : dict
        What was optimized, eigenvalues with their residuals, warnings.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("blobs", 120)
    >>> lowland.RBM(n_components=2).fit_transform(sample.X).shape
    (120, 2)

    References
    ----------
    G. E. Hinton, Training products of experts by minimizing contrastive divergence, 2002; G. E.
    Hinton, A practical guide to training restricted Boltzmann machines, 2012.
    """

    _method = "rbm"
    _inputs = ("points",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        visible_units: Literal["binary", "gaussian"] | None = None,
        hidden_units: Literal["binary", "gaussian"] = "binary",
        scaling: Literal["global", "columns", "raw"] = "columns",
        learning_rate: float = 0.005,
        batch_size: int = 100,
        n_iter: int | None = None,
        gibbs_steps: int = 1,
        mean_field: bool = False,
        alpha: float = 0.0002,
        sampling_steps: int = 200,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool | Callable[[str, int, float | None], object] = False,
    ) -> None:
        self.n_components = n_components
        self.visible_units = visible_units
        self.hidden_units = hidden_units
        self.scaling = scaling
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_iter = n_iter
        self.gibbs_steps = gibbs_steps
        self.mean_field = mean_field
        self.alpha = alpha
        self.sampling_steps = sampling_steps
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def components_(self) -> np.ndarray:
        """The weights, one hidden unit a row."""
        return self._attribute("components")

    @property
    def intercept_hidden_(self) -> np.ndarray:
        """The biases of the hidden units."""
        return self._attribute("intercept_hidden")

    @property
    def intercept_visible_(self) -> np.ndarray:
        """The biases of the visible units."""
        return self._attribute("intercept_visible")

    @property
    def n_iter_(self) -> int:
        """The passes through the data."""
        return self._attribute("n_iter")


CLASSES: dict[str, type[Estimator]] = {
    "pca": PCA,
    "ppca": PPCA,
    "factor-analysis": FactorAnalysis,
    "mixture-ppca": MixturePPCA,
    "mixture-of-factor-analyzers": MixtureOfFactorAnalyzers,
    "manifold-parzen-windows": ManifoldParzenWindows,
    "truncated-svd": TruncatedSVD,
    "simple-pca": SimplePCA,
    "random-projection": RandomProjection,
    "fast-ica": FastICA,
    "projection-pursuit": ProjectionPursuit,
    "lda": LDA,
    "nca": NCA,
    "oriented-pca": OrientedPCA,
    "distortion-discriminant-analysis": DistortionDiscriminantAnalysis,
    "kernel-pca": KernelPCA,
    "classical-mds": ClassicalMDS,
    "landmark-mds": LandmarkMDS,
    "fastmap": Fastmap,
    "sammon": SammonMapping,
    "mds": MDS,
    "nonmetric-mds": NonmetricMDS,
    "isomap": Isomap,
    "landmark-isomap": LandmarkIsomap,
    "c-isomap": CIsomap,
    "mvu": MVU,
    "landmark-mvu": LandmarkMVU,
    "fast-mvu": FastMVU,
    "lle": LLE,
    "modified-lle": ModifiedLLE,
    "hessian-lle": HessianLLE,
    "ltsa": LTSA,
    "lpp": LPP,
    "npe": NPE,
    "onpp": ONPP,
    "lltsa": LLTSA,
    "llc": LLC,
    "charting": Charting,
    "laplacian-eigenmaps": LaplacianEigenmaps,
    "spectral-clustering": SpectralClustering,
    "diffusion-maps": DiffusionMaps,
    "commute-time": CommuteTime,
    "heat-kernel": HeatKernel,
    "t-sne": TSNE,
    "umap": UMAP,
    "pacmap": PaCMAP,
    "autoencoder": Autoencoder,
    "rbm": RBM,
}
