"""The estimators, one a method of the registry. Written by `make_classes.py`: change the registry, not this file."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ._base import Estimator, WithChunks, WithClusters, WithDensity, WithInverse, WithLabels, WithMissing

__all__ = [
    "CIsomap",
    "ClassicalMDS",
    "CommuteTime",
    "DiffusionMaps",
    "HeatKernel",
    "Isomap",
    "KernelPCA",
    "LandmarkIsomap",
    "LandmarkMDS",
    "LaplacianEigenmaps",
    "PCA",
    "SpectralClustering",
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


class KernelPCA(WithInverse):
    """Kernel principal component analysis.

    Principal components in the feature space of a kernel: curved features, one matrix of all pairs.
    With landmarks it goes to large data.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of rows, or of landmarks.
        It is a whole number from 1 to 1000000.
    kernel : Literal["gaussian", "linear", "polynomial", "laplacian", "sigmoid", "cosine", "local"], default "gaussian"
        The kernel between two points. A kernel matrix given as input takes its place.

        - `gaussian`: `exp(-gamma |x - y|^2)`
        - `linear`: `x . y`: plain PCA.
        - `polynomial`: `(gamma x . y + coef0)^degree`
        - `laplacian`: `exp(-gamma |x - y|_1)`
        - `sigmoid`: `tanh(gamma x . y + coef0)`, which may have negative eigenvalues.
        - `cosine`: The cosine of the angle between the vectors.
        - `local`: A gaussian as wide at each point as the distance to its seventh neighbour.

    gamma : float | None, default None
        The inverse width, `1 / (2 s^2)` of a gaussian of width s. `auto` is the median heuristic (s
        the median distance of two points) for the gaussian and the laplacian, 1 / columns for the
        others.
        It is None, or a number between 0 and 100000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000, both excluded.
    degree : int, default 3
        The power of the polynomial kernel.
        It is a whole number from 1 to 100.
    coef0 : float, default 1.0
        What the polynomial and the sigmoid kernels add to the inner product.
        It is a number between -10000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        0000000000000000000000000000000000000000000000000 and 10000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        0000000000000000000000000000000000000000000000000000000000000000000000000000000, both
        excluded.
    center : bool, default True
        Whether the origin is moved to the mean in feature space.
    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    landmarks : int | None, default None
        How many points stand for all: then no matrix of all pairs is built. `auto` is all of them.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centres of k-means.
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

        - `auto`: The fixed point where the kernel is gaussian, the regression for all others.
        - `regression`: Kernel ridge regression from the embedding of the training points to
          themselves.
        - `fixed-point`: The fixed point of Mika et al. (1999) for gaussian kernels, from the
          regression as a start.

    alpha : float, default 1e-06
        For the way back: the ridge of the regression from the embedding to the data.
        It is a number between 0 and 100000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000, both excluded.
    input : Literal["points", "kernel"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
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
    B. Schölkopf, A. Smola, K.-R. Müller, Nonlinear component analysis as a kernel eigenvalue
    problem, 1998.
    """

    _method = "kernel-pca"
    _inputs = ("points", "kernel")

    def __init__(
        self,
        *,
        n_components: int = 2,
        kernel: Literal["gaussian", "linear", "polynomial", "laplacian", "sigmoid", "cosine", "local"] = "gaussian",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        center: bool = True,
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        nystrom: Literal["orthogonal", "plain"] = "orthogonal",
        preimage: Literal["auto", "regression", "fixed-point"] = "auto",
        alpha: float = 1e-06,
        input: Literal["points", "kernel"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
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
        """The eigenvalues of the normalised kernel, one a component."""
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
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"], default "euclidean"
        The distance between points. Distances given as input take its place.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `minkowski`: the p-norm: write minkowski(3)
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries

    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues, which distances that are not Euclidean have.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    additive_constant : bool, default False
        Whether the smallest constant is added to all distances that makes them Euclidean (Cailliez
        1983).
    origin : int | None, default None
        The row that becomes the origin; `auto` is the mean of all.
        It is None, or a whole number from 0 to 100000000.
    landmarks : int | None, default None
        How many points stand for all: then no matrix of all pairs is built. `auto` is all of them.
        It is None, or a whole number from 1 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centres of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
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
        What was optimised, eigenvalues with their residuals, warnings.

    References
    ----------
    W. Torgerson, Multidimensional scaling: I. Theory and method, 1952; J. Gower, Some distance
    properties of latent root and vector methods used in multivariate analysis, 1966.
    """

    _method = "classical-mds"
    _inputs = ("points", "distances")

    def __init__(
        self,
        *,
        n_components: int = 2,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"] = "euclidean",
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        additive_constant: bool = False,
        origin: int | None = None,
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.negative = negative
        self.additive_constant = additive_constant
        self.origin = origin
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues of the normalised kernel, one a component."""
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
        - `k-means`: The points nearest to the centres of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"], default "euclidean"
        The distance between points. Distances given as input take its place.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `minkowski`: the p-norm: write minkowski(3)
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries

    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues, which distances that are not Euclidean have.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    input : Literal["points", "distances"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
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
        What was optimised, eigenvalues with their residuals, warnings.

    References
    ----------
    V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction,
    2003; J. Platt, FastMap, MetricMap, and Landmark MDS are all Nyström algorithms, 2005.
    """

    _method = "landmark-mds"
    _inputs = ("points", "distances")

    def __init__(
        self,
        *,
        n_components: int = 2,
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"] = "euclidean",
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        input: Literal["points", "distances"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
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
        """The eigenvalues of the normalised kernel, one a component."""
        return self._attribute("eigenvalues")

    @property
    def landmark_rows_(self) -> np.ndarray:
        """The rows that the distances were taken to."""
        return self._attribute("landmark_rows")


class Isomap(Estimator):
    """Isomap.

    Distances along the neighbour graph, then classical scaling: unrolls a curved sheet and keeps
    its global shape. Wants a connected graph without short circuits.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of rows, or of landmarks.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbours each point is joined to. Too few leave the graph in pieces, too many
        jump between sheets.
        It is a whole number from 1 to 1000000.
    radius : float | None, default None
        All within this distance are neighbours, instead of the nearest few.
        It is None, or a number between 0 and 100000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000, both excluded.
    adaptive : bool, default False
        Whether each point keeps only as many of its neighbours as the data are flat around it.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"], default "euclidean"
        The distance between points. Distances given as input take its place.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `minkowski`: the p-norm: write minkowski(3)
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a neighbour graph in several pieces.

        - `error`: Refuse, and name the sizes of the pieces.
        - `join`: Connect the pieces by their shortest links.
        - `largest`: Embed the largest piece; the other points are placed as new ones.
        - `separate`: Embed each piece by itself, side by side.

    cut_shortcuts : bool, default False
        Whether edges through which far too many shortest paths run are cut: they are reported in
        any case.
    conformal : bool, default False
        Whether edges are scaled by the local density (C-Isomap).
    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes).
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
        - `k-means`: The points nearest to the centres of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
    residual_variance_ : np.ndarray
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
        What was optimised, eigenvalues with their residuals, warnings.

    References
    ----------
    J. Tenenbaum, V. de Silva, J. Langford, A global geometric framework for nonlinear
    dimensionality reduction, 2000.
    """

    _method = "isomap"
    _inputs = ("points", "distances", "graph")

    def __init__(
        self,
        *,
        n_components: int = 2,
        n_neighbors: int = 8,
        radius: float | None = None,
        adaptive: bool = False,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        cut_shortcuts: bool = False,
        conformal: bool = False,
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.adaptive = adaptive
        self.metric = metric
        self.disconnected = disconnected
        self.cut_shortcuts = cut_shortcuts
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
        """The eigenvalues of the normalised kernel, one a component."""
        return self._attribute("eigenvalues")

    @property
    def residual_variance_(self) -> np.ndarray:
        """1 - R^2 between geodesic and embedded distances, for the first component, the first two, and so on."""
        return self._attribute("residual_variance")


class LandmarkIsomap(Estimator):
    """Landmark Isomap.

    Isomap with geodesics from a few landmarks only: the cost grows as the number of points.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of landmarks.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbours each point is joined to.
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
        - `k-means`: The points nearest to the centres of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"], default "euclidean"
        The distance between points. Distances given as input take its place.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `minkowski`: the p-norm: write minkowski(3)
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a neighbour graph in several pieces.

        - `error`: Refuse, and name the sizes of the pieces.
        - `join`: Connect the pieces by their shortest links.
        - `largest`: Embed the largest piece; the other points are placed as new ones.
        - `separate`: Embed each piece by itself, side by side.

    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
    residual_variance_ : np.ndarray
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
        What was optimised, eigenvalues with their residuals, warnings.

    References
    ----------
    V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction,
    2003.
    """

    _method = "landmark-isomap"
    _inputs = ("points", "distances", "graph")

    def __init__(
        self,
        *,
        n_components: int = 2,
        n_neighbors: int = 8,
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
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
        """The eigenvalues of the normalised kernel, one a component."""
        return self._attribute("eigenvalues")

    @property
    def residual_variance_(self) -> np.ndarray:
        """1 - R^2 between geodesic and embedded distances, for the first component, the first two, and so on."""
        return self._attribute("residual_variance")


class CIsomap(Estimator):
    """Conformal Isomap.

    Isomap whose edges are scaled by the local density: unrolls sheets that were stretched
    differently from place to place, if they are sampled evenly.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: at most the number of rows, or of landmarks.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbours each point is joined to: their mean distance is the local scale.
        It is a whole number from 1 to 1000000.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"], default "euclidean"
        The distance between points. Distances given as input take its place.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `minkowski`: the p-norm: write minkowski(3)
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a neighbour graph in several pieces.

        - `error`: Refuse, and name the sizes of the pieces.
        - `join`: Connect the pieces by their shortest links.
        - `largest`: Embed the largest piece; the other points are placed as new ones.
        - `separate`: Embed each piece by itself, side by side.

    negative : Literal["drop", "clip", "shift", "magnitude"], default "drop"
        What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.

        - `drop`: They are left out: components beyond the positive ones are zero, and the share is
          reported.
        - `clip`: They count as zero, silently.
        - `shift`: The spectrum is shifted up until none is left: a constant is added to all squared
          distances (Lingoes).
        - `magnitude`: The largest by magnitude are taken, whatever their sign (Bengio, section 6).

    landmarks : int | None, default None
        From how many points geodesics are computed: then no matrix of all pairs is built. `auto` is
        all of them.
        It is None, or a whole number from 1 to 100000000.
    input : Literal["points", "distances", "graph"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
    residual_variance_ : np.ndarray
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
        What was optimised, eigenvalues with their residuals, warnings.

    References
    ----------
    V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction,
    2003.
    """

    _method = "c-isomap"
    _inputs = ("points", "distances", "graph")

    def __init__(
        self,
        *,
        n_components: int = 2,
        n_neighbors: int = 8,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        negative: Literal["drop", "clip", "shift", "magnitude"] = "drop",
        landmarks: int | None = None,
        input: Literal["points", "distances", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.disconnected = disconnected
        self.negative = negative
        self.landmarks = landmarks
        self.input = input
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    @property
    def eigenvalues_(self) -> np.ndarray:
        """The eigenvalues of the normalised kernel, one a component."""
        return self._attribute("eigenvalues")

    @property
    def residual_variance_(self) -> np.ndarray:
        """1 - R^2 between geodesic and embedded distances, for the first component, the first two, and so on."""
        return self._attribute("residual_variance")


class LaplacianEigenmaps(Estimator):
    """Laplacian eigenmaps.

    Neighbours stay neighbours: the smoothest functions on the neighbour graph. Quick at any size,
    and shows clusters; distances in the picture mean little.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep: fewer than there are rows, or landmarks.
        It is a whole number from 1 to 1000000.
    n_neighbors : int, default 8
        How many neighbours each point is bound to. Too few leave the graph in pieces, too many fold
        sheets together.
        It is a whole number from 1 to 1000000.
    radius : float | None, default None
        All within this distance are neighbours, instead of the nearest few.
        It is None, or a number between 0 and 100000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000, both excluded.
    affinity : Literal["gaussian", "local", "binary"], default "gaussian"
        How strong the bond between neighbours is. Similarities given as a kernel, and weights of a
        graph, take its place.

        - `gaussian`: `exp(-d^2 / (2 s^2))`, the width `s` the same for all.
        - `local`: `exp(-d^2 / (s_i s_j))`, each `s` the distance to the seventh neighbour (Zelnik-
          Manor and Perona 2004).
        - `binary`: 1 for neighbours, 0 for others.

    width : float | None, default None
        The width s of the gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of
        neighbours.
        It is None, or a number between 0 and 100000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000, both excluded.
    weighted : bool, default False
        Whether the entries of a graph are weights, and not lengths.
    laplacian : Literal["random-walk", "symmetric", "unnormalised"], default "random-walk"
        Which Laplacian of the graph.

        - `random-walk`: `L v = m D v`, that is `I - D^-1 W`: the generalised problem of Belkin and
          Niyogi.
        - `symmetric`: `I - D^-1/2 W D^-1/2` (Bengio eq. 12).
        - `unnormalised`: `D - W`.

    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"], default "euclidean"
        The distance between points. Distances given as input take its place.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `minkowski`: the p-norm: write minkowski(3)
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a neighbour graph in several pieces.

        - `error`: Refuse, and name the sizes of the pieces.
        - `join`: Connect the pieces by their shortest links.
        - `largest`: Embed the largest piece; the other points are placed as new ones.
        - `separate`: Embed each piece by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 2 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centres of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "kernel", "graph"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
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
        What was optimised, eigenvalues with their residuals, warnings.

    References
    ----------
    M. Belkin, P. Niyogi, Laplacian eigenmaps for dimensionality reduction and data representation,
    2003.
    """

    _method = "laplacian-eigenmaps"
    _inputs = ("points", "distances", "kernel", "graph")

    def __init__(
        self,
        *,
        n_components: int = 2,
        n_neighbors: int = 8,
        radius: float | None = None,
        affinity: Literal["gaussian", "local", "binary"] = "gaussian",
        width: float | None = None,
        weighted: bool = False,
        laplacian: Literal["random-walk", "symmetric", "unnormalised"] = "random-walk",
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "kernel", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.affinity = affinity
        self.width = width
        self.weighted = weighted
        self.laplacian = laplacian
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
        """The eigenvalues of the normalised kernel, one a component."""
        return self._attribute("eigenvalues")

    @property
    def laplacian_eigenvalues_(self) -> np.ndarray:
        """The eigenvalues of the Laplacian, one a component, ascending."""
        return self._attribute("laplacian_eigenvalues")


class SpectralClustering(WithClusters):
    """Spectral clustering.

    Cuts the neighbour graph where it is thinnest: finds clusters of any shape. The embedding is
    that of Laplacian eigenmaps, the labels are its clusters.

    Parameters
    ----------
    n_clusters : int | None, default None
        How many clusters; `auto` is the widest gap among the first eigenvalues: two to ten.
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
        - `normalized-cut`: The threshold on the second vector with the least normalised cut (Shi
          and Malik 2000): two clusters.

    n_init : int, default 10
        How many starts are tried, of which the best counts.
        It is a whole number from 1 to 10000.
    n_neighbors : int, default 8
        How many neighbours each point is bound to.
        It is a whole number from 1 to 1000000.
    radius : float | None, default None
        All within this distance are neighbours, instead of the nearest few.
        It is None, or a number between 0 and 100000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000, both excluded.
    affinity : Literal["gaussian", "local", "binary"], default "gaussian"
        How strong the bond between neighbours is. Similarities given as a kernel, and weights of a
        graph, take its place.

        - `gaussian`: `exp(-d^2 / (2 s^2))`, the width `s` the same for all.
        - `local`: `exp(-d^2 / (s_i s_j))`, each `s` the distance to the seventh neighbour (Zelnik-
          Manor and Perona 2004).
        - `binary`: 1 for neighbours, 0 for others.

    width : float | None, default None
        The width s of the gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of
        neighbours.
        It is None, or a number between 0 and 100000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000, both excluded.
    weighted : bool, default False
        Whether the entries of a graph are weights, and not lengths.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"], default "euclidean"
        The distance between points. Distances given as input take its place.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `minkowski`: the p-norm: write minkowski(3)
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with the neighbour graph of points in several pieces; `separate` is no way to
        cluster them.

        - `error`: Refuse, and name the sizes of the pieces.
        - `join`: Connect the pieces by their shortest links.
        - `largest`: Embed the largest piece; the other points are placed as new ones.
        - `separate`: Embed each piece by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 2 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centres of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "kernel", "graph"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
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
        What was optimised, eigenvalues with their residuals, warnings.

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
        affinity: Literal["gaussian", "local", "binary"] = "gaussian",
        width: float | None = None,
        weighted: bool = False,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "kernel", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
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
        """The eigenvalues of the normalised kernel, one a component."""
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
    bonds : Literal["all", "neighbors"], default "all"
        Who is bound to whom. Similarities given as a kernel, and the edges of a graph, take its
        place.

        - `all`: All to all: a matrix of all pairs.
        - `neighbors`: Neighbours only.

    n_neighbors : int, default 8
        How many neighbours each point is bound to; their median distance is the width where none is
        given.
        It is a whole number from 1 to 1000000.
    width : float | None, default None
        The width s of the gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of
        neighbours.
        It is None, or a number between 0 and 100000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000, both excluded.
    weighted : bool, default False
        Whether the entries of a graph are weights, and not lengths.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"], default "euclidean"
        The distance between points. Distances given as input take its place.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `minkowski`: the p-norm: write minkowski(3)
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a neighbour graph in several pieces.

        - `error`: Refuse, and name the sizes of the pieces.
        - `join`: Connect the pieces by their shortest links.
        - `largest`: Embed the largest piece; the other points are placed as new ones.
        - `separate`: Embed each piece by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 2 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centres of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "kernel", "graph"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
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
        What was optimised, eigenvalues with their residuals, warnings.

    References
    ----------
    R. Coifman, S. Lafon, Diffusion maps, 2006.
    """

    _method = "diffusion-maps"
    _inputs = ("points", "distances", "kernel", "graph")

    def __init__(
        self,
        *,
        n_components: int = 2,
        t: float = 1.0,
        alpha: float = 1.0,
        bonds: Literal["all", "neighbors"] = "all",
        n_neighbors: int = 8,
        width: float | None = None,
        weighted: bool = False,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "kernel", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.t = t
        self.alpha = alpha
        self.bonds = bonds
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
        """The eigenvalues of the normalised kernel, one a component."""
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
        How many neighbours each point is bound to.
        It is a whole number from 1 to 1000000.
    affinity : Literal["gaussian", "local", "binary"], default "gaussian"
        How strong the bond between neighbours is. Similarities given as a kernel, and weights of a
        graph, take its place.

        - `gaussian`: `exp(-d^2 / (2 s^2))`, the width `s` the same for all.
        - `local`: `exp(-d^2 / (s_i s_j))`, each `s` the distance to the seventh neighbour (Zelnik-
          Manor and Perona 2004).
        - `binary`: 1 for neighbours, 0 for others.

    width : float | None, default None
        The width s of the gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of
        neighbours.
        It is None, or a number between 0 and 100000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000, both excluded.
    weighted : bool, default False
        Whether the entries of a graph are weights, and not lengths.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"], default "euclidean"
        The distance between points. Distances given as input take its place.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `minkowski`: the p-norm: write minkowski(3)
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a neighbour graph in several pieces.

        - `error`: Refuse, and name the sizes of the pieces.
        - `join`: Connect the pieces by their shortest links.
        - `largest`: Embed the largest piece; the other points are placed as new ones.
        - `separate`: Embed each piece by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 2 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centres of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "kernel", "graph"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
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
        What was optimised, eigenvalues with their residuals, warnings.

    References
    ----------
    J. Ham, D. Lee, S. Mika, B. Schölkopf, A kernel view of the dimensionality reduction of
    manifolds, 2004.
    """

    _method = "commute-time"
    _inputs = ("points", "distances", "kernel", "graph")

    def __init__(
        self,
        *,
        n_components: int = 2,
        n_neighbors: int = 8,
        affinity: Literal["gaussian", "local", "binary"] = "gaussian",
        width: float | None = None,
        weighted: bool = False,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "kernel", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
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
        """The eigenvalues of the normalised kernel, one a component."""
        return self._attribute("eigenvalues")

    @property
    def laplacian_eigenvalues_(self) -> np.ndarray:
        """The eigenvalues of the Laplacian, one a component, ascending."""
        return self._attribute("laplacian_eigenvalues")


class HeatKernel(Estimator):
    """Heat-kernel PCA.

    Kernel PCA of the heat kernel exp(-t L) of the neighbour graph: how much heat is shared after a
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
        How many neighbours each point is bound to.
        It is a whole number from 1 to 1000000.
    affinity : Literal["gaussian", "local", "binary"], default "gaussian"
        How strong the bond between neighbours is. Similarities given as a kernel, and weights of a
        graph, take its place.

        - `gaussian`: `exp(-d^2 / (2 s^2))`, the width `s` the same for all.
        - `local`: `exp(-d^2 / (s_i s_j))`, each `s` the distance to the seventh neighbour (Zelnik-
          Manor and Perona 2004).
        - `binary`: 1 for neighbours, 0 for others.

    width : float | None, default None
        The width s of the gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of
        neighbours.
        It is None, or a number between 0 and 100000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000, both excluded.
    weighted : bool, default False
        Whether the entries of a graph are weights, and not lengths.
    metric : Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"], default "euclidean"
        The distance between points. Distances given as input take its place.

        - `euclidean`: the straight line
        - `sqeuclidean`: its square
        - `manhattan`: the sum of absolute differences
        - `chebyshev`: the largest absolute difference
        - `minkowski`: the p-norm: write minkowski(3)
        - `cosine`: 1 - cosine of the angle
        - `correlation`: 1 - correlation of the entries
        - `hamming`: the share of entries that differ
        - `jaccard`: 1 - intersection / union of the sets of non-zero entries

    disconnected : Literal["error", "join", "largest", "separate"], default "join"
        What to do with a neighbour graph in several pieces.

        - `error`: Refuse, and name the sizes of the pieces.
        - `join`: Connect the pieces by their shortest links.
        - `largest`: Embed the largest piece; the other points are placed as new ones.
        - `separate`: Embed each piece by itself, side by side.

    landmarks : int | None, default None
        How many points stand for all: the others are placed as new ones. `auto` is all of them.
        It is None, or a whole number from 2 to 100000000.
    landmark_choice : Literal["uniform", "farthest", "k-means", "leverage"], default "uniform"
        How landmarks are chosen.

        - `uniform`: At random, all alike.
        - `farthest`: Each next one as far as can be from those before: covers the data, and finds
          outliers.
        - `k-means`: The points nearest to the centres of k-means.
        - `leverage`: At random, by how much a point adds to what the others span (leverage scores
          of a first approximation).

    input : Literal["points", "distances", "kernel", "graph"], default "points"
        What the rows of `X` are.
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
    eigenvalues_ : np.ndarray
        The eigenvalues of the normalised kernel, one a component.
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
        What was optimised, eigenvalues with their residuals, warnings.

    References
    ----------
    J. Ham, D. Lee, S. Mika, B. Schölkopf, A kernel view of the dimensionality reduction of
    manifolds, 2004.
    """

    _method = "heat-kernel"
    _inputs = ("points", "distances", "kernel", "graph")

    def __init__(
        self,
        *,
        n_components: int = 2,
        t: float = 1.0,
        n_neighbors: int = 8,
        affinity: Literal["gaussian", "local", "binary"] = "gaussian",
        width: float | None = None,
        weighted: bool = False,
        metric: Literal["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard"] = "euclidean",
        disconnected: Literal["error", "join", "largest", "separate"] = "join",
        landmarks: int | None = None,
        landmark_choice: Literal["uniform", "farthest", "k-means", "leverage"] = "uniform",
        input: Literal["points", "distances", "kernel", "graph"] = "points",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
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
        """The eigenvalues of the normalised kernel, one a component."""
        return self._attribute("eigenvalues")

    @property
    def laplacian_eigenvalues_(self) -> np.ndarray:
        """The eigenvalues of the Laplacian, one a component, ascending."""
        return self._attribute("laplacian_eigenvalues")


CLASSES: dict[str, type[Estimator]] = {
    "pca": PCA,
    "kernel-pca": KernelPCA,
    "classical-mds": ClassicalMDS,
    "landmark-mds": LandmarkMDS,
    "isomap": Isomap,
    "landmark-isomap": LandmarkIsomap,
    "c-isomap": CIsomap,
    "laplacian-eigenmaps": LaplacianEigenmaps,
    "spectral-clustering": SpectralClustering,
    "diffusion-maps": DiffusionMaps,
    "commute-time": CommuteTime,
    "heat-kernel": HeatKernel,
}
