"""scikit-learn's own checks, and agreement with its estimator."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as Peer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import lowland

SETTINGS = [
    {},
    {"n_components": 1},
    {"n_components": 0.5},
    {"n_components": 1, "whiten": True},
    {"svd_solver": "covariance"},
    {"n_components": 1, "svd_solver": "krylov"},
    {"n_components": 1, "svd_solver": "randomized", "random_state": 3},
    {"n_jobs": 1, "memory": "1 GiB"},
]


OTHERS = [name for name in lowland._estimators.__all__ if name != "PCA"]
ESTIMATORS = [("PCA", settings) for settings in SETTINGS] + [(name, {}) for name in OTHERS]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name,settings", ESTIMATORS, ids=str)
def test_all_checks_of_scikit_learn_pass(name, settings):
    results = check_estimator(getattr(lowland, name)(**settings), on_skip=None, on_fail=None)
    assert len(results) > 40
    bad = {r["check_name"]: f"{r['status']}: {r['exception']}" for r in results if r["status"] not in ("passed", "skipped")}
    assert not bad
    assert not any(r["expected_to_fail"] for r in results)
    # What is skipped is skipped for every estimator of this kind: there is nothing to try.
    skipped = {r["check_name"] for r in results if r["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}, skipped


def problem(seed):
    """Random data with a decaying spectrum, an offset, and a scale of its own."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 70)), int(rng.integers(2, 30))
    spectrum = rng.permutation(np.geomspace(1, 0.05, d))
    rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return ((rng.normal(size=(n, d)) * spectrum) @ rotation + rng.normal(size=d) * 3) * 10.0 ** rng.integers(-3, 4)


def same_up_to_signs(ours, theirs, tolerance):
    """Rows or columns that agree but for their signs."""
    signs = np.sign(np.sum(ours * theirs, axis=1, keepdims=True))
    np.testing.assert_allclose(ours, signs * theirs, rtol=0, atol=tolerance * np.abs(theirs).max())
    return signs[:, 0]


SOLVERS = {
    "auto": "auto",
    "full": "full",
    "covariance": "covariance_eigh",
    "gram": "full",
    "krylov": "arpack",
    "randomized": "full",
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_agrees_with_scikit_learn(solver, dtype):
    tolerance = 1e-9 if dtype == np.float64 else 2e-3
    for seed in range(25):
        x = problem(seed).astype(dtype)
        n, d = x.shape
        k = 1 + seed % max(1, min(min(n - 1, d) - 1, 6))
        if solver == "krylov" and k >= min(n, d):
            continue
        # Enough power iterations for the sketch to be exact at this size.
        more = {"iterated_power": 60, "random_state": seed} if solver == "randomized" else {}
        whiten = seed % 3 == 0
        ours = lowland.PCA(n_components=k, svd_solver=solver, whiten=whiten, **more).fit(x)
        theirs = Peer(n_components=k, svd_solver=SOLVERS[solver], whiten=whiten).fit(x.astype(float))
        signs = same_up_to_signs(ours.components_, theirs.components_, tolerance)
        np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=tolerance)
        np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=tolerance)
        np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=tolerance)
        np.testing.assert_allclose(ours.mean_, theirs.mean_, rtol=1e-5, atol=tolerance * np.abs(x).max())
        y = theirs.transform(x.astype(float))
        for mine in (ours.transform(x), ours.fit_transform(x)):
            assert mine.dtype == dtype
            np.testing.assert_allclose(mine * signs, y, rtol=0, atol=tolerance * np.abs(y).max())
        back = ours.inverse_transform(ours.transform(x))
        assert back.dtype == dtype
        np.testing.assert_allclose(back, theirs.inverse_transform(y), rtol=0, atol=tolerance * np.abs(x).max())
        assert (ours.n_components_, ours.n_features_in_, ours.n_samples_) == (k, d, n)
        # With fewer rows than columns scikit-learn counts the directions left out in another way.
        if n > d and k < d and solver != "krylov":
            np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=10 * tolerance)
            # The density is the same whether the coordinates are whitened or not; scikit-learn's is not.
            plain = Peer(n_components=k, svd_solver=SOLVERS[solver]).fit(x.astype(float))
            ours_score, score = ours.score_samples(x), plain.score_samples(x.astype(float))
            np.testing.assert_allclose(ours_score, score, rtol=0, atol=10 * tolerance * np.abs(score).max())
            assert ours.score(x) == pytest.approx(score.mean(), rel=10 * tolerance)


@pytest.mark.parametrize("rule", [None, 0.3, 0.8, 0.99, "mle"])
def test_rules_for_the_number_of_components_agree(rule):
    for seed in range(40):
        x = problem(seed)
        if rule == "mle" and x.shape[0] <= x.shape[1]:
            continue
        assert lowland.PCA(n_components=rule).fit(x).n_components_ == Peer(n_components=rule).fit(x).n_components_


def test_chunks_give_the_model_of_all_rows():
    for seed in range(15):
        x = problem(seed)
        k = min(2, x.shape[0] - 1, x.shape[1])
        whole, chunks = lowland.PCA(n_components=k).fit(x), lowland.PCA(n_components=k)
        # The first chunk has fewer rows than components: only the whole has to have enough.
        for part in np.split(x, [1, 3]):
            chunks.partial_fit(part)
        same_up_to_signs(chunks.components_, whole.components_, 1e-8)
        np.testing.assert_allclose(chunks.explained_variance_, whole.explained_variance_, rtol=1e-8)
        assert chunks.n_samples_ == len(x)
        assert chunks.fit(x).components_.tobytes() == whole.components_.tobytes()


def test_works_in_a_pipeline_and_is_not_fitted_before_fit():
    from sklearn.exceptions import NotFittedError

    x = problem(3)
    pipeline = make_pipeline(StandardScaler(), lowland.PCA(n_components=2))
    peer = make_pipeline(StandardScaler(), Peer(n_components=2))
    y, z = pipeline.fit_transform(x), peer.fit_transform(x)
    np.testing.assert_allclose(np.abs(y), np.abs(z), atol=1e-9 * np.abs(z).max())
    assert list(pipeline.get_feature_names_out()) == ["pca0", "pca1"]
    for call in (lambda p: p.transform(x), lambda p: p.score(x), lambda p: p.n_components_, lambda p: p.save("x")):
        with pytest.raises(NotFittedError):
            call(lowland.PCA())
    assert not hasattr(lowland.PCA(), "components_")
