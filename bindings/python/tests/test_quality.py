"""Judging embeddings, against scikit-learn and SciPy."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist
from scipy.stats import pearsonr, spearmanr
from sklearn.datasets import load_digits, make_swiss_roll
from sklearn.manifold import trustworthiness
from sklearn.metrics import silhouette_score
from sklearn.neighbors import LocalOutlierFactor

import lowland


def cloud(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(12, 200)), int(rng.integers(1, 30))
    x = rng.normal(size=(n, d)) * rng.uniform(0.1, 3.0, size=d) + rng.normal(size=d)
    return x, x[:, :2] + 0.1 * rng.normal(size=(n, min(2, d)))


def test_trustworthiness_is_that_of_scikit_learn():
    for seed in range(60):
        x, y = cloud(seed)
        for k in {1, 5, (len(x) - 1) // 2} - {0}:
            if k >= len(x) / 2:
                continue
            for metric in ("euclidean", "manhattan", "cosine"):
                if metric == "cosine" and x.shape[1] < 3:
                    continue  # angles in the plane tie
                ours = lowland.trustworthiness(x, y, n_neighbors=k, metric=metric)
                assert abs(ours - trustworthiness(x, y, n_neighbors=k, metric=metric)) < 1e-12
            assert abs(lowland.continuity(x, y, n_neighbors=k) - trustworthiness(y, x, n_neighbors=k)) < 1e-12


def test_layouts_and_precisions():
    x, y = cloud(3)
    expected = lowland.trustworthiness(x, y)
    assert lowland.trustworthiness(np.asfortranarray(x), y[::1], n_jobs=1) == expected
    single = lowland.trustworthiness(x.astype(np.float32), y)
    assert abs(single - trustworthiness(x.astype(np.float32).astype(float), y)) < 1e-12


def test_distances_take_the_place_of_points():
    x, y = cloud(5)
    distances = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    assert lowland.trustworthiness(distances, y, metric="precomputed") == trustworthiness(
        distances, y, metric="precomputed"
    )
    points, given = lowland.evaluate(x, y), lowland.evaluate(distances, y, metric="precomputed")
    for name, measure in points["measures"].items():
        assert abs(given["measures"][name]["value"] - measure["value"]) < 1e-9 * max(1, abs(measure["value"]))
    with pytest.raises(lowland.LowlandError):
        lowland.evaluate(x[:, :2], y, metric="precomputed")


def test_the_entropy_is_that_of_a_gaussian():
    x, _ = cloud(5)
    y = lowland.PCA(n_components=2).fit_transform(x)
    found = lowland.evaluate(x, y, entropy=True)["measures"]["entropy"]["value"]
    covariance = np.cov(y.T, bias=True)
    assert abs(found - 0.5 * np.log2(np.linalg.det(2 * np.pi * np.e * covariance))) < 1e-9
    flat = lowland.evaluate(x, y[:, [0, 0]], entropy=True)
    assert flat["measures"]["entropy"]["value"] == -np.inf
    assert "entropy" not in lowland.evaluate(x, y)["measures"]


def test_an_evaluation_agrees_with_the_peers():
    x, labels = load_digits(return_X_y=True)
    x, labels = x[:600] + np.random.default_rng(0).normal(size=(600, 64)), labels[:600]
    y = lowland.PCA(n_components=2).fit_transform(x)
    found = lowland.evaluate(x, y, labels=labels, truth=x[:, :3], k=7)
    value = {name: measure["value"] for name, measure in found["measures"].items()}
    assert abs(value["trustworthiness"] - trustworthiness(x, y, n_neighbors=7)) < 1e-12
    assert abs(value["silhouette"] - silhouette_score(y, labels)) < 1e-10
    a, b = pdist(x), pdist(y)
    assert abs(value["pearson"] - pearsonr(a, b)[0]) < 1e-10
    assert abs(value["spearman"] - spearmanr(a, b)[0]) < 1e-10
    assert abs(value["raw_stress"] / ((a - b) ** 2).sum() - 1) < 1e-10
    padded = np.column_stack([y, np.zeros(len(y))])
    assert abs(value["procrustes"] - procrustes(x[:, :3], padded)[2]) < 1e-10
    assert found["per_point"]["rows"].tolist() == list(range(600))
    assert abs(found["per_point"]["trustworthiness"].mean() - value["trustworthiness"]) < 1e-12
    assert found["curves"]["q_nx"].shape == (599,)
    assert found["measures"]["trustworthiness"]["better"] == "more"


def test_what_a_model_loses():
    x = np.random.default_rng(3).normal(size=(500, 6))
    pca = lowland.PCA(n_components=2).fit(x)
    value = lowland.evaluate(x, pca.embedding_, model=pca)["measures"]
    assert abs(value["reconstruction_error"]["value"] - (1 - pca.explained_variance_ratio_.sum())) < 1e-12
    assert "kernel_error" not in value
    kernel = lowland.KernelPCA(n_components=2, kernel="gaussian", gamma=0.1).fit(x[:400])
    value = lowland.evaluate(x[:400], kernel.embedding_, model=kernel, held_out=x[400:])["measures"]
    assert abs(value["kernel_error"]["value"] - kernel.kernel_error(x[:400])) < 1e-12
    assert abs(value["kernel_error_held_out"]["value"] - kernel.kernel_error(x[400:])) < 1e-12
    with pytest.raises(lowland.LowlandError, match="columns"):
        lowland.evaluate(x[:, 1:], pca.embedding_, model=pca)


def test_the_dimension_of_a_swiss_roll():
    x = make_swiss_roll(1500, random_state=0)[0]
    for method in ("mle", "two_nn", "correlation", "packing", "spanning_tree", "local_pca", "nearest_neighbor"):
        found = lowland.intrinsic_dimension(x, method)
        assert abs(found.value - 2) < 0.35, (method, found.value)
        assert found.low <= found.value <= found.high
        if found.local is not None:
            assert found.local.shape == (1500,)


def test_outliers_are_those_of_scikit_learn():
    for seed in range(20):
        x = np.vstack([cloud(seed)[0], cloud(seed)[0][:2] + 25.0])
        k = min(20, len(x) - 1)
        factors = -LocalOutlierFactor(n_neighbors=k).fit(x).negative_outlier_factor_
        found = lowland.outliers(x, n_neighbors=k)
        assert np.abs(found.factors - factors).max() < 1e-6
        assert (found.mask == (factors > 1.5)).all()


def test_what_is_wrong_is_refused():
    x, y = cloud(1)
    for wrong in (0, len(x), -1, 2.5, True, 2**70):
        with pytest.raises(lowland.ParameterError, match="n_neighbors"):
            lowland.trustworthiness(x, y, n_neighbors=wrong)
    with pytest.raises(lowland.LowlandError, match="rows"):
        lowland.trustworthiness(x, y[:-1])
    with pytest.raises(lowland.InputError, match="finite"):
        lowland.evaluate(np.where(x == x[3, 0], np.nan, x), y)
    with pytest.raises(lowland.InputError, match="labels"):
        lowland.evaluate(x, y, labels=[1, 2])
    with pytest.raises(lowland.ParameterError, match="two_nn"):
        lowland.intrinsic_dimension(x, "fractal")
    with pytest.raises(lowland.ParameterError, match="threshold"):
        lowland.outliers(x, n_neighbors=3, threshold=0.5)
    with pytest.raises(lowland.ParameterError, match="n_neighbors"):
        lowland.outliers(x, n_neighbors=len(x))
    with pytest.raises(lowland.ParameterError, match="metric"):
        lowland.trustworthiness(x, y, metric="fractal")
    for wrong in (-3, 1.5):
        with pytest.raises(lowland.ParameterError, match="k = "):
            lowland.evaluate(x, y, k=wrong)
        with pytest.raises(lowland.ParameterError, match="k2 = "):
            lowland.intrinsic_dimension(x, k2=wrong)
