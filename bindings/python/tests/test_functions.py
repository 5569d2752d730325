"""Functions beside the estimators, examples in docstrings, AnnData, the cost of an import."""

import doctest
import importlib
import subprocess
import sys
import types

import numpy as np
import pytest
import scipy.linalg

import lowland

X = np.random.default_rng(1).normal(size=(80, 4))


def test_neighbors_are_those_of_the_naive_loop():
    from scipy.sparse import csr_matrix

    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1, kind="stable")[:, :5]
    for rows in (X, csr_matrix(X)):
        found = lowland.neighbors(rows, 5)
        np.testing.assert_array_equal(found.indices, order)
        np.testing.assert_allclose(found.distances, np.take_along_axis(distances, order, axis=1), rtol=1e-12)
    asked = lowland.neighbors(X, 1, queries=X[:7])
    np.testing.assert_array_equal(asked.indices.ravel(), np.arange(7))
    assert (lowland.neighbors(X.astype(np.float32), 3).indices.shape) == (80, 3)
    for wrong in (0, 80, -1, 2.5):
        with pytest.raises(lowland.ParameterError, match="n_neighbors"):
            lowland.neighbors(X, wrong)
    holed = X.copy()
    holed[3, 2] = np.nan
    for wrong in (holed, csr_matrix(holed)):
        with pytest.raises(lowland.InputError, match="row 3, column 2"):
            lowland.neighbors(wrong, 2)
    with pytest.raises(lowland.LowlandError):
        lowland.neighbors(X, 2, queries=X[:, :2])


def test_methods_and_estimators_by_name():
    listed = lowland.methods()
    assert listed.keys() == lowland._estimators.CLASSES.keys()
    for name in listed:
        cls = lowland._estimators.CLASSES[name]
        assert type(lowland.estimator(name)) is type(lowland.estimator(cls.__name__)) is cls
    assert type(lowland.estimator("T_SNE")) is lowland.TSNE
    with pytest.raises(lowland.ParameterError, match="did you mean 't-sne'"):
        lowland.estimator("t-nse")


def test_built_in_data():
    for name, entry in lowland.data().items():
        sample = lowland.data(name, 50, random_state=3)
        assert sample.X.shape == (50, entry["features"]) and sample.labels.shape == (50,)
        assert sample.truth.shape == (50, len(entry["truth"]))
        np.testing.assert_array_equal(sample.X, lowland.data(name, 50, random_state=3).X)
    with pytest.raises(lowland.ParameterError):
        lowland.data("no such")


def test_pictures(tmp_path):
    sample = lowland.data("swiss-roll", 60)
    model = lowland.PCA(2).fit(sample.X)
    picture = lowland.plot(model, sample.labels)
    assert picture._repr_svg_().startswith("<svg") or "<svg" in picture._repr_svg_()
    assert "PCA" in picture.svg() and picture.png()[:4] == b"\x89PNG"
    picture.save(tmp_path / "a.svg")
    lowland.plot(sample.X, sample.truth[:, 0], color_title="angle", dark=True).save(tmp_path / "b.png")
    assert "angle" in lowland.plot(sample.X[:, :1], sample.truth[:, 0], color_title="angle").svg()
    assert (tmp_path / "b.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(lowland.FileError):
        picture.save(tmp_path / "no such folder" / "a.svg")
    for wrong in (lambda: picture.save(tmp_path / "a.pdf"), lambda: lowland.plot(sample.X, [1, 2]),
                  lambda: lowland.plot(sample.X * np.nan)):
        with pytest.raises(lowland.LowlandError):
            wrong()


def test_few_whole_numbers_are_classes_everywhere():
    from lowland._compare import _understood

    for labels, classes in [
        (np.arange(100) % 50, True),
        (np.arange(100.0) % 50, True),
        (np.arange(100) % 51, False),
        (np.arange(100) / 2, False),
        ([True, False] * 50, True),
    ]:
        drawn = lowland.plot(np.zeros((100, 2)), labels)._drawing
        assert (drawn["names"] is not None) == (_understood(labels)[1] is not None) == classes


def test_pictures_on_an_axis():
    drawn = []

    class Axis:
        figure = types.SimpleNamespace(colorbar=lambda points, ax, label: drawn.append(label))

        def scatter(self, x, y, **more):
            drawn.append((len(x), len(y)))

        def legend(self, **more):
            drawn.append("legend")

        def set_title(self, title):
            drawn.append(title)

    axis = Axis()
    assert lowland.plot(X[:, :2], ["a"] * 30 + ["b"] * 50, ax=axis, title="here") is axis
    assert drawn == [(30, 30), (50, 50), "legend", "here"]
    lowland.plot(X[:, :2], X[:, 0], ax=axis, color_title="depth")
    assert drawn[-1] == "depth"


MODULES = ["lowland", "lowland._functions", "lowland._plot", "lowland._quality", "lowland._compare"]
MODULES += [f"lowland.sklearn.{name}" for name in
            ("decomposition", "_ica", "_isomap", "_local", "_scaling", "_spectral", "_tsne", "_umap", "_classical",
             "discriminant_analysis", "neighbors", "random_projection")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*MODULES, "lowland._estimators"])
def test_examples_of_the_docstrings_run(name):
    try:
        module = importlib.import_module(name)
    except AttributeError:
        pytest.skip("not in this scikit-learn")
    result = doctest.testmod(module)
    assert result.failed == 0
    if name == "lowland._estimators":
        assert result.attempted >= 3 * len(lowland._estimators.__all__)


class Adata:
    """The part of an AnnData that is used."""

    def __init__(self, rows):
        self.X, self.obsm, self.uns, self.layers = rows, {}, {}, {}
        self.obs, self.var_names = {}, [f"g{i}" for i in range(rows.shape[1])]

    def copy(self):
        return Adata(self.X)


def test_an_anndata_is_embedded_and_told_where_to_go():
    adata = Adata(X)
    model = lowland.anndata.embed(adata, "pca", n_components=2)
    np.testing.assert_array_equal(adata.obsm["X_pca"], lowland.PCA(2).fit_transform(X))
    assert adata.uns["X_pca"]["method"] == "pca" and adata.uns["X_pca"]["params"]["n_components"] == 2
    assert isinstance(model, lowland.PCA) and "objective" in adata.uns["X_pca"]["report"]
    lowland.anndata.embed(adata, "isomap", use_rep="X_pca", key_added="flat", n_neighbors=20)

    def writable(value):
        """What h5ad files hold."""
        if isinstance(value, dict):
            return all(isinstance(name, str) and "/" not in name and writable(inner) for name, inner in value.items())
        return isinstance(value, (bool, int, float, str)) or (isinstance(value, np.ndarray) and value.dtype.kind in "biufU")

    assert writable(adata.uns)
    assert adata.obsm["flat"].shape == (80, 2)
    assert "X_pca" not in lowland.anndata.embed(adata, "lpp", copy=True).obsm
    with pytest.raises(lowland.InputError, match="use_rep = 'no'.*X_pca"):
        lowland.anndata.embed(adata, use_rep="no")
    with pytest.raises(lowland.InputError, match="lowland.anndata.embed"):
        lowland.PCA(2).fit(adata)
    with pytest.raises(lowland.InputError, match="not an AnnData"):
        lowland.anndata.embed(X)


def test_importing_does_not_import_what_is_not_needed():
    script = "import sys, lowland; lowland.PCA(2).fit_transform([[1.0, 2], [3, 4], [5, 7]]); print([m for m in sys.modules if m in ('sklearn', 'scipy', 'pandas', 'matplotlib', 'polars')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_convergence_warnings_are_those_of_scikit_learn():
    from sklearn.exceptions import ConvergenceWarning

    labels = np.arange(80) % 3
    with pytest.warns(ConvergenceWarning) as caught:
        lowland.NCA(2, max_iter=1).fit(X, labels)
    assert issubclass(caught[0].category, lowland.ConvergenceWarning)


def test_matrices_and_functions_in_place_of_a_metric():
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    for method in (lowland.Isomap, lowland.ClassicalMDS, lowland.MDS):
        given = method(2, metric="precomputed").fit_transform(distances)
        np.testing.assert_allclose(np.abs(given), np.abs(method(2).fit_transform(X)), atol=1e-4)
    taxi = lowland.ClassicalMDS(2, metric=lambda a, b: np.abs(a - b).sum()).fit(X)
    named = lowland.ClassicalMDS(2, metric="manhattan").fit(X)
    np.testing.assert_allclose(np.abs(taxi.embedding_), np.abs(named.embedding_), atol=1e-8)
    np.testing.assert_allclose(np.abs(taxi.transform(X[:5])), np.abs(named.transform(X[:5])), atol=1e-8)
    assert taxi.n_features_in_ == 4
    with pytest.raises(lowland.LowlandError, match="pickle"):
        taxi.save("never.lowland")
    kernel = lowland.KernelPCA(2, kernel="precomputed").fit(X @ X.T)
    np.testing.assert_allclose(np.abs(kernel.embedding_), np.abs(lowland.PCA(2).fit_transform(X)), atol=1e-8)
    assert lowland.KernelPCA(2, kernel=lambda a, b: a @ b).fit(X).eigenvalues_ == pytest.approx(kernel.eigenvalues_)
    radius = lowland.Isomap(n_neighbors=None, radius=10.0).fit(X)
    assert radius.embedding_.shape == (80, 2)


def test_covariances_are_those_of_the_model():
    from sklearn.decomposition import PCA

    for count in (1, 2, 4):
        peer, mine = PCA(count).fit(X), lowland.PCA(count).fit(X)
        np.testing.assert_allclose(mine.get_covariance(), peer.get_covariance(), atol=1e-10)
        np.testing.assert_allclose(mine.get_precision(), peer.get_precision(), atol=1e-8)
    for model in (lowland.PPCA(2).fit(X), lowland.FactorAnalysis(1).fit(X)):
        covariance = model.get_covariance()
        np.testing.assert_allclose(covariance @ model.get_precision(), np.eye(4), atol=1e-8)
        # The density that the model reports is the Gaussian with this covariance.
        centered = X - model.mean_
        expected = -0.5 * (np.einsum("ij,jk,ik->i", centered, model.get_precision(), centered)
                           + np.linalg.slogdet(2 * np.pi * covariance)[1])
        np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-8)


def test_a_kernel_is_completed_as_by_numpy():
    K = X @ X.T
    partial = np.full_like(K, np.nan)
    partial[[2, 5, 9]] = K[[2, 5, 9]]
    known, others = [2, 5, 9], np.setdiff1d(np.arange(80), [2, 5, 9])
    B = K[np.ix_(known, others)]
    expected = B.T @ np.linalg.inv(K[np.ix_(known, known)]) @ B
    full = lowland.complete_kernel(partial)
    assert np.allclose(full[np.ix_(others, others)], expected)
    assert np.array_equal(full[known], K[known]) and np.array_equal(full, full.T)
    with pytest.raises(lowland.LowlandError, match="0 rows of the kernel are complete"):
        lowland.complete_kernel(np.full((4, 4), np.nan))


def test_oriented_pca_of_covariances_is_that_of_the_rows():
    rng = np.random.default_rng(4)
    signal, noise = (a @ a.T for a in rng.normal(size=(2, 5, 5)))
    found = lowland.oriented_pca(signal, noise, n_components=3, mean=np.arange(5.0))
    values, vectors = scipy.linalg.eigh(signal, noise)
    assert np.allclose(found.signal_to_noise_, values[::-1][:3])
    y = found.transform(np.arange(5.0) + np.eye(5))
    for j in range(3):
        one, other = y[:, j], vectors[:, ::-1][:, j]
        assert abs(one @ other) > (1 - 1e-9) * np.linalg.norm(one) * np.linalg.norm(other)
    with pytest.raises(lowland.InputError, match="symmetric"):
        lowland.oriented_pca(signal, noise + np.triu(noise, 1))
    with pytest.raises(lowland.ParameterError, match="criterion"):
        lowland.oriented_pca(signal, noise, criterion="best")
