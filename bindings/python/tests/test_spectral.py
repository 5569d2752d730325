"""The spectral methods against scikit-learn, on many random problems."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_s_curve, make_swiss_roll
from sklearn.decomposition import KernelPCA as PeerKernelPCA
from sklearn.manifold import Isomap as PeerIsomap
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

import lowland


def cloud(seed, n=None):
    rng = np.random.default_rng(seed)
    n, d = n or int(rng.integers(20, 120)), int(rng.integers(2, 12))
    return rng.normal(size=(n, d)) * rng.uniform(0.3, 1.5, size=d) + rng.normal(size=d)


def same_up_to_signs(ours, theirs, tolerance):
    signs = np.sign(np.sum(ours * theirs, axis=0))
    np.testing.assert_allclose(ours * signs, theirs, rtol=0, atol=tolerance * np.abs(theirs).max())
    return signs


KERNELS = [
    ({"kernel": "linear"}, {"kernel": "linear"}),
    ({"kernel": "gaussian", "gamma": 0.1}, {"kernel": "rbf", "gamma": 0.1}),
    ({"kernel": "polynomial", "gamma": 0.2, "degree": 3}, {"kernel": "poly", "gamma": 0.2, "degree": 3, "coef0": 1}),
    ({"kernel": "sigmoid", "gamma": 0.05}, {"kernel": "sigmoid", "gamma": 0.05, "coef0": 1}),
    ({"kernel": "cosine"}, {"kernel": "cosine"}),
    ({"kernel": "laplacian", "gamma": 0.1}, {"kernel": "laplacian", "gamma": 0.1}),
]


@pytest.mark.parametrize("settings", KERNELS, ids=lambda pair: pair[0]["kernel"])
def test_kernel_pca_agrees_with_scikit_learn_for_every_kernel(settings):
    from sklearn.metrics.pairwise import laplacian_kernel

    for seed in range(12):
        x = cloud(seed)
        new = cloud(seed)[:7] * 0.9
        ours, theirs = settings
        with warnings.catch_warnings():
            # The sigmoid is indefinite, and that is reported.
            warnings.simplefilter("ignore", lowland.FitWarning)
            mine = lowland.KernelPCA(n_components=2, **ours).fit(x)
        theirs = dict(theirs)
        if theirs["kernel"] == "laplacian":
            peer = PeerKernelPCA(2, kernel="precomputed", eigen_solver="dense")
            fitted = peer.fit_transform(laplacian_kernel(x, gamma=theirs["gamma"]))
            placed = peer.transform(laplacian_kernel(new, x, gamma=theirs["gamma"]))
        else:
            peer = PeerKernelPCA(2, eigen_solver="dense", **theirs)
            fitted, placed = peer.fit_transform(x), peer.transform(new)
        signs = same_up_to_signs(mine.embedding_, fitted, 1e-6)
        np.testing.assert_allclose(mine.transform(new) * signs, placed, atol=1e-6 * np.abs(fitted).max())
        np.testing.assert_allclose(mine.eigenvalues_, peer.eigenvalues_, rtol=1e-6)


def test_kernel_pca_of_a_given_kernel():
    x = cloud(3, 60)
    gram = rbf_kernel(x, gamma=0.2)
    given = lowland.KernelPCA(n_components=3, input="kernel").fit(gram)
    points = lowland.KernelPCA(n_components=3, gamma=0.2).fit(x)
    same_up_to_signs(given.embedding_, points.embedding_, 1e-9)
    np.testing.assert_allclose(given.transform(gram), given.embedding_, atol=1e-9)


MANIFOLDS = {
    "swiss roll": lambda: make_swiss_roll(400, random_state=1)[0],
    "s curve": lambda: make_s_curve(350, random_state=2)[0],
    "gaussian": lambda: cloud(11, 300),
    "sheet": lambda: np.random.default_rng(4).random((300, 2)),
    "noisy roll": lambda: make_swiss_roll(300, noise=0.2, random_state=5)[0],
}


@pytest.mark.parametrize("name", MANIFOLDS)
@pytest.mark.parametrize("k", [8, 12])
def test_isomap_agrees_with_scikit_learn_on_the_same_graph(name, k):
    x = MANIFOLDS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = lowland.Isomap(n_components=2, n_neighbors=k).fit(x)
        peer = PeerIsomap(n_components=2, n_neighbors=k, eigen_solver="dense")
        theirs = peer.fit_transform(x)
    if len(ours.report_["connected_component_sizes"]) > 1:
        pytest.skip("the two join the connected components of a graph in different ways")
    signs = same_up_to_signs(ours.embedding_, theirs, 1e-6)
    # scikit-learn centers new points as kernel PCA does, as we do.
    new = x[::9] + 1e-3
    np.testing.assert_allclose(ours.transform(new) * signs, peer.transform(new), atol=1e-6 * np.abs(theirs).max())


def test_isomap_by_radius_and_of_distances():
    x = make_swiss_roll(300, random_state=7)[0]
    peer = PeerIsomap(n_components=2, n_neighbors=None, radius=6.0, eigen_solver="dense")
    ours = lowland.Isomap(n_components=2, radius=6.0).fit(x)
    same_up_to_signs(ours.embedding_, peer.fit_transform(x), 1e-6)
    given = lowland.Isomap(n_components=2, radius=6.0, input="distances").fit(euclidean_distances(x))
    same_up_to_signs(given.embedding_, ours.embedding_, 1e-6)


def test_classical_scaling_agrees_with_scikit_learn():
    manifold = pytest.importorskip("sklearn.manifold")
    if not hasattr(manifold, "ClassicalMDS"):
        pytest.skip("this scikit-learn has no ClassicalMDS")
    for seed in range(10):
        x = cloud(seed)
        theirs = manifold.ClassicalMDS(n_components=2).fit_transform(x)
        same_up_to_signs(lowland.ClassicalMDS(n_components=2).fit_transform(x), theirs, 1e-6)


def test_pre_images_are_near_the_points():
    x = make_s_curve(300, random_state=3)[0]
    model = lowland.KernelPCA(n_components=20, gamma=0.5).fit(x)
    back = model.inverse_transform(model.transform(x))
    assert np.sqrt(((back - x) ** 2).sum(axis=1)).mean() < 0.1 * np.sqrt((x**2).sum(axis=1)).mean()


def test_new_rows_of_distances_and_kernels_need_not_be_square():
    x = cloud(5, 80)
    far = euclidean_distances(x)
    for model in (lowland.ClassicalMDS(input="distances"), lowland.Isomap(input="distances")):
        y = model.fit_transform(far)
        np.testing.assert_allclose(model.transform(far[:7]), y[:7], atol=1e-8)
    gram = rbf_kernel(x)
    model = lowland.KernelPCA(input="kernel")
    np.testing.assert_allclose(model.fit_transform(gram)[:7], model.transform(gram[:7]), atol=1e-8)


def test_the_kernel_and_its_error():
    x = cloud(6, 70)
    model = lowland.KernelPCA(n_components=3, gamma=0.1).fit(x)
    gram = model.kernel_matrix(x)
    values = np.linalg.eigvalsh(gram)[::-1]
    np.testing.assert_allclose(values[:3], model.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(model.kernel_error(x), (values[3:] ** 2).sum() / (values**2).sum(), rtol=1e-8)
    assert model.kernel_error(cloud(6, 70) + 0.01) > 0
    np.testing.assert_allclose(model.kernel_matrix(), gram, atol=1e-10)
    with pytest.raises(lowland.LowlandError):
        lowland.PCA(n_components=2).fit(x).kernel_matrix(x)


def test_kernels_that_are_functions_of_a_matrix_of_all_points():
    x = cloud(7, 60)
    model = lowland.LLE(n_components=2, n_neighbors=7).fit(x)
    shifted = model.kernel_matrix(kernel="shifted", shift=0.0)
    np.testing.assert_allclose(shifted @ model.embedding_, -model.embedding_ * model.eigenvalues_, atol=1e-8)
    values, vectors = np.linalg.eigh(-shifted)
    np.testing.assert_allclose(
        model.kernel_matrix(kernel="exponential", time=2.0), (vectors * np.exp(-2 * values)) @ vectors.T, atol=1e-9
    )
    np.testing.assert_allclose(model.kernel_matrix(), values[-1] * np.eye(60) + shifted, atol=1e-9)
    for refused in (lambda: model.kernel_matrix(x), lambda: model.kernel_error(x)):
        with pytest.raises(lowland.LowlandError):
            refused()
    with pytest.raises(lowland.ParameterError):
        model.kernel_matrix(kernel="cubic")
    with pytest.raises(lowland.ParameterError, match="leave out X"):
        model.kernel_matrix(x, kernel="shifted")
    report = lowland.KernelPCA().fit(x).report_
    assert report["resolved"]["gamma"] > 0 and len(report["provenance"]["input_hash"]) == 32
