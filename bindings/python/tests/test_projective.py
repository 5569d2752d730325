"""The linear methods against scikit-learn's, each on many random problems, and its own checks over every class."""

import numpy as np
import pytest
from sklearn import decomposition, discriminant_analysis, random_projection
from sklearn.utils.estimator_checks import check_estimator

import lowland
from lowland._estimators import CLASSES

pytestmark = pytest.mark.filterwarnings("ignore::lowland.FitWarning")

SETTINGS = {
    "ppca": [{}, {"n_components": 1, "algorithm": "em"}],
    "factor-analysis": [{"n_components": 1}, {"n_components": 1, "algorithm": "em"}, {"rotation": "varimax"}],
    "fast-ica": [{"n_components": 1}, {"n_components": 1, "algorithm": "deflation"}],
    "projection-pursuit": [{"n_components": 1, "n_noise": 0, "n_init": 2}],
    "simple-pca": [{"n_components": 1}],
    "random-projection": [{"n_components": 1}, {"n_components": 1, "kind": "sparse"}, {"n_components": 1, "kind": "hadamard"}],
    "nca": [{"n_components": 1, "max_iter": 5}],
    "distortion-discriminant-analysis": [{"n_components": 1}],
}


@pytest.mark.parametrize("method", SETTINGS)
def test_all_checks_of_scikit_learn_pass(method):
    for settings in SETTINGS[method]:
        results = check_estimator(CLASSES[method](**settings), on_skip=None, on_fail=None)
        assert len(results) > 30
        bad = {r["check_name"]: str(r["exception"]) for r in results if r["status"] not in ("passed", "skipped")}
        assert not bad, (settings, bad)


def problem(seed):
    """A few factors, noise and units of its own in each column."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(80, 200)), int(rng.integers(5, 12))
    k = int(rng.integers(1, 3))
    x = rng.normal(size=(n, k)) @ rng.normal(size=(k, d)) * 2 + rng.normal(size=(n, d)) * rng.uniform(0.5, 1.5, size=d)
    return x * 10.0 ** rng.uniform(-1, 1, size=d) + rng.normal(size=d), k


def test_factor_analysis_has_the_likelihood_of_scikit_learn():
    for seed in range(15):
        x, k = problem(seed)
        theirs = decomposition.FactorAnalysis(n_components=k, svd_method="lapack", tol=1e-12, max_iter=100_000).fit(x)
        score = theirs.score(x)
        for algorithm in ("newton", "svd", "em"):
            ours = lowland.FactorAnalysis(n_components=k, algorithm=algorithm, tol=1e-13, max_iter=100_000).fit(x)
            assert abs(ours.score(x) - score) < 1e-6 * abs(score), (seed, algorithm)
        np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=1e-3)
        ours = lowland.FactorAnalysis(n_components=k).fit(x)
        np.testing.assert_allclose(np.abs(ours.transform(x)), np.abs(theirs.transform(x)), atol=1e-3)
        assert ours.score(x) > score - 1e-8


def test_truncated_svd_and_lda_agree_with_scikit_learn(tmp_path):
    for seed in range(15):
        x, _ = problem(seed)
        rng = np.random.default_rng(seed)
        ours = lowland.TruncatedSVD(n_components=3).fit(x)
        theirs = decomposition.TruncatedSVD(n_components=3, algorithm="arpack", tol=1e-12).fit(x)
        np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=1e-9)
        scale = np.abs(theirs.transform(x)).max()
        np.testing.assert_allclose(np.abs(ours.transform(x)), np.abs(theirs.transform(x)), atol=1e-7 * scale)
        y = rng.integers(0, 4, size=len(x))
        x = x + rng.normal(size=(4, x.shape[1]))[y]
        words = np.array(["d", "a", "c", "b"])[y]
        peer = discriminant_analysis.LinearDiscriminantAnalysis().fit(x, words)
        ours = lowland.LDA().fit(x, words)
        np.testing.assert_allclose(np.abs(ours.transform(x)), np.abs(peer.transform(x)), atol=1e-8)
        np.testing.assert_allclose(ours.explained_variance_ratio_, peer.explained_variance_ratio_, atol=1e-9)
        np.testing.assert_allclose(ours.means_, peer.means_, atol=1e-9)
        np.testing.assert_allclose(ours.priors_, peer.priors_)
        # A loaded model has the classes in their order, but not their labels.
        ours.save(tmp_path / f"lda-{seed}")
        loaded = lowland.load(tmp_path / f"lda-{seed}")
        np.testing.assert_array_equal(loaded.predict_proba(x), ours.predict_proba(x))
        with pytest.raises(AttributeError, match="predict_proba has the classes"):
            loaded.predict(x)


def test_independent_components_are_those_of_scikit_learn():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        sources = np.column_stack([rng.uniform(-1, 1, 3000), rng.laplace(size=3000), rng.choice([-1, 1], 3000)])
        x = sources @ rng.normal(size=(3, 3))
        ours = lowland.FastICA(random_state=seed).fit_transform(x)
        theirs = decomposition.FastICA(whiten="unit-variance", random_state=seed, tol=1e-8, max_iter=1000).fit_transform(x)
        match = np.abs(ours.T @ theirs) / len(x)
        np.testing.assert_allclose(match.max(axis=1), 1, atol=1e-3)


def test_missing_values_labels_samples_and_sparse_rows():
    rng = np.random.default_rng(0)
    x, k = problem(1)
    holes = np.where(rng.uniform(size=x.shape) < 0.1, np.nan, x)
    for cls in (lowland.PPCA, lowland.FactorAnalysis):
        model = cls(n_components=k).fit(holes)
        full = model.impute(holes)
        seen = ~np.isnan(holes)
        assert (full[seen] == holes[seen]).all() and np.isfinite(full).all()
        assert np.isfinite(model.score_samples(holes)).all()
        drawn = model.sample(500, random_state=3)
        assert drawn.shape == (500, x.shape[1])
    planted = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 8)) + 0.1 * rng.normal(size=(400, 8))
    planted[rng.uniform(size=planted.shape) < 0.1] = np.nan
    assert lowland.PPCA().fit(planted).components_.shape == (2, 8), "without a count the evidence chooses it"
    with pytest.raises(lowland.InputError, match="row 2"):
        lowland.PPCA(n_components=1).fit(np.vstack([x[:2], np.full(x.shape[1], np.nan)]))
    with pytest.raises(lowland.InputError, match="requires y"):
        lowland.LDA().fit(x)
    with pytest.raises(lowland.InputError, match="labels for"):
        lowland.LDA().fit(x, [1, 2, 3])
    import scipy.sparse

    sparse = scipy.sparse.random_array((300, 2000), density=0.01, rng=rng).tocsr()
    ours = lowland.RandomProjection(n_components=200, random_state=1).fit(sparse)
    np.testing.assert_allclose(ours.transform(sparse), ours.transform(sparse.toarray()), atol=1e-12)
    assert random_projection.GaussianRandomProjection(200).fit(sparse).components_.shape == ours.components_.shape


def test_shrinkage_is_estimated_as_by_ledoit_and_wolf():
    from sklearn.covariance import ledoit_wolf_shrinkage

    for seed in range(5):
        rng = np.random.default_rng(seed)
        labels = np.arange(30 + 20 * seed) % 3
        x = rng.normal(size=(len(labels), 12)) * np.geomspace(1, 5, 12) + 4 * labels[:, None]
        own = np.concatenate([x[labels == g] - x[labels == g].mean(axis=0) for g in range(3)])
        auto = lowland.LDA(shrinkage="auto").fit(x, labels)
        expected = ledoit_wolf_shrinkage(own, assume_centered=True)
        assert 0 < expected < 1 and auto.report_["resolved"]["shrinkage"] == pytest.approx(expected, rel=1e-9)
        given = lowland.LDA(shrinkage=expected).fit(x, labels)
        np.testing.assert_allclose(auto.transform(x), given.transform(x), atol=1e-8)
    # None is none, as in scikit-learn.
    none, zero = (lowland.LDA(shrinkage=value).fit(x, labels).transform(x) for value in (None, 0.0))
    np.testing.assert_array_equal(none, zero)


def test_truncated_svd_says_the_share_of_the_variance_and_random_projection_goes_back():
    from scipy.sparse import csr_matrix

    for seed in range(5):
        x, _ = problem(seed)
        for rows in (x, csr_matrix(np.where(x > 0, x, 0.0))):
            ours = lowland.TruncatedSVD(3).fit(rows)
            theirs = decomposition.TruncatedSVD(3, algorithm="arpack").fit(rows)
            np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-9)
            np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-7)
        for kind in ("gaussian", "sparse", "hadamard"):
            model = lowland.RandomProjection(3, kind=kind, random_state=seed).fit(x)
            y = model.transform(x)
            back = model.inverse_transform(y)
            np.testing.assert_allclose(model.transform(back), y, atol=1e-8 * np.abs(y).max())
            assert (np.linalg.norm(back, axis=1) <= np.linalg.norm(x, axis=1) * (1 + 1e-12)).all()
    with pytest.raises(lowland.InputError, match="4 columns in the embedding, but 3 are expected"):
        model.inverse_transform(np.zeros((2, 4)))
