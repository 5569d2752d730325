"""`lowland.sklearn` beside scikit-learn: the same numbers from the same calls, and from Lowland."""

import logging
import pickle

import numpy as np
import pytest
import sklearn.cluster
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.manifold
import sklearn.neighbors
import sklearn.random_projection
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_s_curve
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import lowland
import lowland.sklearn as ours
from lowland import _native

MODULES = ["cluster", "decomposition", "discriminant_analysis", "manifold", "neighbors", "random_projection"]
CLASSES = [
    (module, name)
    for module in MODULES
    for name in getattr(ours, module).__all__
    if isinstance(getattr(ours, name), type)
]
X, Y = load_iris(return_X_y=True)
CURVE = make_s_curve(150, random_state=0)[0]


def theirs(module, name):
    return getattr(getattr(sklearn, module), name)


@pytest.mark.parametrize("module,name", CLASSES)
def test_names_parameters_and_defaults_are_those_of_scikit_learn(module, name):
    mine, peer = getattr(ours, name), theirs(module, name)
    assert issubclass(mine, peer)
    if name != "SpectralClustering":
        assert repr(mine()) == repr(peer())
    assert mine().get_params().keys() == peer().get_params().keys()
    assert ">>>" in mine.__doc__, "an example"


SMALL = {
    "SpectralClustering": {"n_clusters": 3, "random_state": 0},
    "MDS": {"n_init": 1, "max_iter": 20},
    # As scikit-learn checks its own: the default perplexity needs more rows than its checks have.
    "TSNE": {"max_iter": 250, "perplexity": 2},
    "GaussianRandomProjection": {"n_components": 2},
    "SparseRandomProjection": {"n_components": 2},
}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("module,name", CLASSES)
def test_fits_by_the_native_side(module, name, monkeypatch):
    calls, logged = [], []
    for function in ("fit", "stream"):
        real = getattr(_native, function)
        monkeypatch.setattr(_native, function, lambda *a, _f=real, **k: calls.append(a[0]) or _f(*a, **k))
    handler = logging.Handler()
    handler.emit = logged.append
    logging.getLogger("lowland.sklearn").addHandler(handler)
    getattr(ours, name)(**SMALL.get(name, {})).fit(X, Y)
    logging.getLogger("lowland.sklearn").removeHandler(handler)
    assert calls and not logged


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", [*(name for _, name in CLASSES), "UMAP"])
def test_passes_the_checks_of_scikit_learn(name):
    results = check_estimator(getattr(ours, name)(**SMALL.get(name, {})), on_skip=None, on_fail=None)
    assert len(results) > 30 and not any(r["expected_to_fail"] for r in results)
    assert not {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}


def same(a, b, tolerance=1e-8):
    """Equal but for the signs of columns."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape
    if a.ndim == 2:
        a = a * np.sign((a * b).sum(axis=0))
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * np.abs(b).max())


@pytest.mark.parametrize("whiten", [False, True])
def test_pca_agrees_in_every_attribute(whiten):
    for count in (1, 2, None, 0.95, "mle"):
        a = ours.PCA(count, whiten=whiten).fit(X)
        b = sklearn.decomposition.PCA(count, whiten=whiten).fit(X)
        for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=1e-10)
        np.testing.assert_allclose(a.get_covariance(), b.get_covariance(), atol=1e-10)
        np.testing.assert_allclose(a.transform(X), b.transform(X), atol=1e-9)
        np.testing.assert_allclose(a.inverse_transform(a.transform(X)), b.inverse_transform(b.transform(X)), atol=1e-9)
        assert a.score(X) == pytest.approx(b.score(X), rel=1e-9)
        assert (a.n_components_, a.n_samples_) == (b.n_components_, b.n_samples_)
        assert a.noise_variance_ == pytest.approx(b.noise_variance_, abs=1e-10)


def test_linear_relatives_agree():
    sparse = csr_matrix(load_digits().data[:200])
    a, b = ours.TruncatedSVD(5), sklearn.decomposition.TruncatedSVD(5, algorithm="arpack")
    same(a.fit_transform(sparse), b.fit_transform(sparse))
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-8)
    for kernel in ("linear", "rbf", "poly", "cosine"):
        a, b = ours.KernelPCA(3, kernel=kernel), sklearn.decomposition.KernelPCA(3, kernel=kernel)
        same(a.fit_transform(X), b.fit_transform(X))
        same(a.transform(X[:7] + 0.1), b.transform(X[:7] + 0.1))
        np.testing.assert_allclose(a.eigenvalues_, b.eigenvalues_, rtol=1e-8)
    # One factor: with two, a column of these data is all factor, and scikit-learn's search creeps.
    settings = {"tol": 1e-6, "max_iter": 20000, "svd_method": "lapack"}
    a, b = ours.FactorAnalysis(1, **settings), sklearn.decomposition.FactorAnalysis(1, **settings)
    np.testing.assert_allclose(a.fit(X).get_covariance(), b.fit(X).get_covariance(), atol=1e-3)
    assert a.loglike_[-1] == pytest.approx(b.loglike_[-1], abs=0.1)
    whole = ours.PCA(2).fit(X)
    chunks = ours.IncrementalPCA(2)
    for part in np.array_split(X, 5):
        chunks.partial_fit(part)
        chunks = pickle.loads(pickle.dumps(chunks))
    # Between chunks only the two components are kept.
    same(chunks.transform(X), whole.transform(X), 5e-3)
    assert chunks.n_samples_seen_ == 150
    np.testing.assert_allclose(chunks.var_, X.var(axis=0))


@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
def test_discriminants_agree_as_classifier_and_as_reducer(priors):
    a = ours.LinearDiscriminantAnalysis(priors=priors, store_covariance=True).fit(X, Y)
    b = sklearn.discriminant_analysis.LinearDiscriminantAnalysis(priors=priors, store_covariance=True).fit(X, Y)
    for name in ("coef_", "intercept_", "means_", "xbar_", "priors_", "covariance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=1e-8)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-10)
    assert (a.predict(X) == b.predict(X)).all() and a.score(X, Y) == b.score(X, Y)
    same(a.transform(X), b.transform(X))


def test_manifolds_agree():
    a, b = ours.Isomap(n_neighbors=8), sklearn.manifold.Isomap(n_neighbors=8)
    same(a.fit_transform(CURVE), b.fit_transform(CURVE))
    np.testing.assert_allclose(a.dist_matrix_, b.dist_matrix_, atol=1e-12)
    assert a.reconstruction_error() == pytest.approx(b.reconstruction_error(), rel=1e-8)
    same(a.transform(CURVE[:9] + 0.01), b.transform(CURVE[:9] + 0.01))
    settings = {"n_neighbors": 12, "eigen_solver": "dense"}
    for method in ("standard", "ltsa"):
        a = ours.LocallyLinearEmbedding(method=method, **settings)
        b = sklearn.manifold.LocallyLinearEmbedding(method=method, **settings)
        same(a.fit_transform(CURVE), b.fit_transform(CURVE), 1e-4)
        assert a.reconstruction_error_ == pytest.approx(b.reconstruction_error_, rel=1e-3, abs=1e-9)
    for settings in ({"affinity": "rbf"}, {"affinity": "nearest_neighbors", "n_neighbors": 12}):
        a, b = ours.SpectralEmbedding(2, **settings), sklearn.manifold.SpectralEmbedding(2, **settings, random_state=0)
        same(a.fit_transform(CURVE), b.fit_transform(CURVE), 1e-5)
    start = np.random.default_rng(0).normal(size=(150, 2))
    a = ours.MDS(2, n_init=1, init="random", eps=1e-9).fit(CURVE, init=start)
    b = sklearn.manifold.MDS(2, n_init=1, init="random", eps=1e-9, max_iter=3000).fit(CURVE, init=start)
    assert a.stress_ <= b.stress_ * 1.01
    one = ours.TSNE(2, random_state=0, max_iter=500).fit(CURVE)
    two = sklearn.manifold.TSNE(2, random_state=0, max_iter=500).fit(CURVE)
    assert one.kl_divergence_ < two.kl_divergence_ * 1.1 and one.embedding_.dtype == np.float32
    y = two.embedding_
    assert ours.trustworthiness(CURVE, y) == pytest.approx(sklearn.manifold.trustworthiness(CURVE, y), abs=1e-12)


def test_precomputed_graphs_and_functions_are_taken():
    neighbors = sklearn.neighbors.KNeighborsTransformer(n_neighbors=10, mode="distance")
    chain = make_pipeline(neighbors, ours.Isomap(n_neighbors=10, metric="precomputed"))
    plain = ours.Isomap(n_neighbors=10)
    same(chain.fit_transform(CURVE), plain.fit_transform(CURVE))
    same(chain.transform(CURVE[:5] + 0.01), plain.transform(CURVE[:5] + 0.01))
    by_function = ours.Isomap(n_neighbors=10, metric=lambda a, b: float(np.abs(a - b).sum()))
    same(by_function.fit_transform(CURVE[:60]), ours.Isomap(n_neighbors=10, metric="manhattan").fit_transform(CURVE[:60]))
    kernel = ours.KernelPCA(2, kernel=lambda a, b: float(a @ b))
    same(kernel.fit_transform(X[:40]), ours.KernelPCA(2).fit_transform(X[:40]))


def test_metric_learning_starts_where_it_is_told():
    a = ours.NeighborhoodComponentsAnalysis(2, random_state=0).fit(X, Y)
    b = sklearn.neighbors.NeighborhoodComponentsAnalysis(2, random_state=0).fit(X, Y)

    def picks(model):
        """The objective: the expected share of right neighbors."""
        y = X @ model.components_.T
        squared = ((y[:, None] - y[None]) ** 2).sum(-1)
        np.fill_diagonal(squared, np.inf)
        p = np.exp(squared.min(axis=1, keepdims=True) - squared)
        return float((p * (Y[:, None] == Y)).sum(axis=1) @ (1 / p.sum(axis=1))) / len(X)

    assert picks(a) > picks(b) - 0.01
    for init in ("random", np.eye(2, 4), np.ones((2, 4)) + np.eye(2, 4)):
        assert picks(ours.NeighborhoodComponentsAnalysis(2, init=init, random_state=0).fit(X, Y)) > 0.9
    warm = ours.NeighborhoodComponentsAnalysis(2, warm_start=True, random_state=0).fit(X, Y)
    before = picks(warm)
    assert picks(warm.fit(X, Y)) >= before - 1e-6


def test_clones_and_pickles_are_whole():
    for estimator in (ours.PCA(2), ours.Isomap(), ours.LocallyLinearEmbedding(), ours.KernelPCA(2)):
        fitted = clone(estimator).fit(CURVE)
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.transform(CURVE[:5]), fitted.transform(CURVE[:5]))


def test_umap_has_the_names_of_umap_learn():
    model = ours.UMAP(10, 2, n_epochs=30, min_dist=0.2, low_memory=False, random_state=3)
    assert model.fit_transform(X).shape == (150, 2)
    assert clone(model).get_params()["n_neighbors"] == 10


@pytest.mark.filterwarnings("ignore")
def test_an_anndata_by_mistake_is_told_what_to_do():
    class AnnData:
        obsm, var_names, shape = {}, [], X.shape

    for name in (name for _, name in CLASSES):
        with pytest.raises(lowland.InputError, match="lowland.anndata.embed"):
            getattr(ours, name)(**SMALL.get(name, {})).fit(AnnData(), Y)


def test_rows_that_are_all_the_same_stay_where_they_began():
    start = np.random.default_rng(0).normal(size=(20, 2))
    model = ours.TSNE(2, init=start, perplexity=5)
    np.testing.assert_allclose(model.fit_transform(np.ones((20, 3))), start, rtol=1e-6)
    assert np.isfinite(model.kl_divergence_)
