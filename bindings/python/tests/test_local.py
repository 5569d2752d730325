"""LLE and its relatives against scikit-learn's arpack and, for Hessian LLE, tapkee."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_s_curve, make_swiss_roll
from sklearn.manifold import LocallyLinearEmbedding

import lowland


def severed_sphere(n, seed):
    rng = np.random.default_rng(seed)
    p, t = rng.random(n) * (2 * np.pi - 0.55), np.arccos(rng.uniform(-0.9, 0.9, n))
    return np.column_stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)])


def saddle(n, seed):
    a, b = np.random.default_rng(seed).uniform(-1, 1, (2, n))
    return np.column_stack([a, b, 0.7 * (a**2 - b**2), 0.3 * a * b])


SETS = {
    "swiss roll": lambda: make_swiss_roll(800, random_state=1)[0],
    "s curve": lambda: make_s_curve(700, random_state=2)[0],
    "noisy roll": lambda: make_swiss_roll(600, noise=0.2, random_state=5)[0],
    "sphere": lambda: severed_sphere(600, 3),
    "saddle": lambda: saddle(500, 4),
}


def apart(a, b):
    """The sine of the largest angle between what two embeddings span."""
    a, b = (np.linalg.qr(y - y.mean(axis=0))[0] for y in (a, b))
    return np.linalg.norm(a - b @ (b.T @ a), 2)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "ours,method", [("LLE", "standard"), ("ModifiedLLE", "modified"), ("LTSA", "ltsa")], ids=lambda word: str(word)
)
def test_the_subspace_is_that_of_scikit_learn(name, ours, method):
    x = SETS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = getattr(lowland, ours)(n_components=2, n_neighbors=12).fit(x)
        peer = LocallyLinearEmbedding(
            n_components=2, n_neighbors=12, method=method, eigen_solver="arpack", tol=0, random_state=0, max_iter=1000
        ).fit(x)
    assert mine.report_["connected_component_sizes"] == [len(x)]
    assert apart(mine.embedding_, peer.embedding_) < 1e-5
    # Ours have unit variance, scikit-learn's unit length.
    np.testing.assert_allclose((mine.embedding_**2).mean(axis=0), 1.0, rtol=1e-9)
    error = sum(mine.report_["eigenvalues"])
    np.testing.assert_allclose(error, peer.reconstruction_error_, rtol=1e-4, atol=1e-12)


@pytest.mark.parametrize("reg", [1e-4, 1e-2])
def test_new_points_of_lle_go_where_scikit_learn_puts_them(reg):
    x = SETS["swiss roll"]()
    mine = lowland.LLE(n_components=2, n_neighbors=10, reg=reg).fit(x)
    peer = LocallyLinearEmbedding(n_components=2, n_neighbors=10, reg=reg, eigen_solver="arpack", tol=0, random_state=0).fit(x)
    new = x[::7] + 0.01
    ours, theirs = mine.transform(new), peer.transform(new) * np.sqrt(len(x))
    signs = np.sign((mine.embedding_ * peer.embedding_).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, atol=1e-5 * np.abs(theirs).max())


@pytest.mark.parametrize("name", SETS)
def test_the_subspace_of_hessian_lle_is_that_of_tapkee(name):
    tapkee = pytest.importorskip("tapkee")
    x = SETS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = lowland.HessianLLE(n_components=2, n_neighbors=12).fit(x)
    theirs = tapkee.embed(np.asfortranarray(x.T), method="hlle", num_neighbors=12, target_dimension=2)
    assert apart(mine.embedding_, theirs) < 1e-5


@pytest.mark.parametrize("name", ["ModifiedLLE", "HessianLLE", "LTSA"])
def test_distances_have_no_local_geometry(name):
    from lowland import _native

    square = np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    method = {"ModifiedLLE": "modified-lle", "HessianLLE": "hessian-lle", "LTSA": "ltsa"}[name]
    for kind in ["distances", "kernel"]:
        with pytest.raises(lowland.UnsupportedError, match="give it points"):
            _native.fit(method, {}, square, kind, _native.Settings())
    assert "input" not in getattr(lowland, name)().get_params()
