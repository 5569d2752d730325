"""Laplacian eigenmaps and spectral clustering against scikit-learn."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_digits, make_blobs, make_circles, make_moons, make_s_curve, make_swiss_roll
from sklearn.manifold import SpectralEmbedding
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

import lowland

SETS = {
    "swiss roll": make_swiss_roll(600, random_state=0)[0],
    "s curve": make_s_curve(600, random_state=0)[0],
    "digits": load_digits().data[:700],
    "moons": make_moons(400, noise=0.15, random_state=0)[0],
    "blobs": make_blobs(400, centers=3, cluster_std=3.0, random_state=1)[0],
}


def affinities(x, k=12):
    graph = kneighbors_graph(x, k)
    return csr_matrix(0.5 * (graph + graph.T))


@pytest.mark.parametrize("name", SETS)
def test_eigenmaps_span_the_subspace_of_scikit_learn(name):
    w = affinities(SETS[name])
    theirs = SpectralEmbedding(3, affinity="precomputed", eigen_solver="arpack", eigen_tol=1e-14, random_state=0)
    theirs = theirs.fit_transform(w)
    ours = lowland.LaplacianEigenmaps(n_components=3, input="graph", weighted=True).fit(w).embedding_
    a, b = np.linalg.qr(theirs)[0], np.linalg.qr(ours)[0]
    assert np.linalg.norm(a - b @ (b.T @ a)) < 1e-5


def same_partition(a, b):
    return len(set(zip(a, b))) == len(set(a)) == len(set(b))


@pytest.mark.filterwarnings("ignore:Graph is not fully", "ignore::lowland.FitWarning")  # rings and blobs are not connected
@pytest.mark.parametrize("name", ["moons", "rings", "blobs"])
def test_clusters_are_those_of_scikit_learn(name):
    x, count = {
        "moons": (make_moons(400, noise=0.05, random_state=0)[0], 2),
        "rings": (make_circles(400, factor=0.5, noise=0.03, random_state=0)[0], 2),
        "blobs": (make_blobs(400, centers=4, cluster_std=0.6, random_state=3)[0], 4),
    }[name]
    theirs = SpectralClustering(count, affinity="nearest_neighbors", n_neighbors=11, random_state=0).fit(x).labels_
    estimator = lowland.SpectralClustering(n_clusters=count, n_neighbors=10, affinity="binary")
    ours = estimator.fit_predict(x)
    assert ours.dtype == np.int64 and same_partition(ours, theirs)
    assert (estimator.predict(x) == ours).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_number_of_clusters_is_found(seed):
    sets = {
        "moons": (*make_moons(400, noise=0.06, random_state=seed), 2),
        "rings": (*make_circles(400, factor=0.5, noise=0.04, random_state=seed), 2),
    }
    for count in range(2, 7):
        angles = 2 * np.pi * np.arange(count) / count
        centers = 4 / np.sin(np.pi / count) * np.column_stack([np.cos(angles), np.sin(angles)])
        sets[f"{count} blobs"] = (*make_blobs(70 * count, centers=centers, cluster_std=0.9, random_state=seed), count)
    for name, (x, truth, count) in sets.items():
        with warnings.catch_warnings():
            # Clusters may well be connected components of the graph.
            warnings.simplefilter("ignore", lowland.FitWarning)
            found = lowland.SpectralClustering().fit_predict(x)
        # A stray point of a blob may lie with another.
        assert len(np.unique(found)) == count and adjusted_rand_score(truth, found) > 0.95, (name, len(np.unique(found)))


def test_no_clusters_and_too_many_neighbors_are_reported():
    with pytest.warns(lowland.FitWarning, match="there is no clear eigengap"):
        lowland.SpectralClustering().fit(np.random.default_rng(0).normal(size=(300, 2)))
    roll = make_swiss_roll(600, random_state=3)[0]
    with pytest.warns(lowland.FitWarning, match="n_neighbors = "):
        lowland.LaplacianEigenmaps(n_neighbors=200).fit(roll)


def test_new_rows_of_a_graph_are_sparse_or_dense():
    w = affinities(np.random.default_rng(3).normal(size=(60, 3)), 6)
    for method in (lowland.LaplacianEigenmaps, lowland.CommuteTime, lowland.HeatKernel):
        model = method(input="graph", weighted=True).fit(w)
        for rows in (w, w.toarray()):
            np.testing.assert_allclose(model.transform(rows), model.embedding_, atol=1e-8)
            if method is lowland.LaplacianEigenmaps:
                assert model.kernel_matrix(rows).shape == w.shape
    clusters = lowland.SpectralClustering(n_clusters=3, input="graph", weighted=True).fit(w)
    assert (clusters.predict(w) == clusters.labels_).all()
    assert (clusters.predict(w.toarray()) == clusters.labels_).all()


@pytest.mark.filterwarnings("ignore::lowland.FitWarning")
def test_neighbor_lists_are_graphs():
    from sklearn.neighbors import KNeighborsTransformer

    for seed in range(3):
        x = lowland.data("swiss-roll", 250, random_state=seed).X
        # Copies are neighbors at no distance.
        x[7] = x[8]
        lists = KNeighborsTransformer(n_neighbors=9, mode="distance").fit_transform(x)
        assert (lists.toarray() != lists.toarray().T).any()
        whole = csr_matrix(np.maximum(lists.toarray(), lists.toarray().T))
        zero = [(7, 8), (8, 7)]
        whole = whole.tocoo()
        whole = csr_matrix(
            (np.r_[whole.data, 0.0, 0.0], (np.r_[whole.row, [i for i, _ in zero]], np.r_[whole.col, [j for _, j in zero]])),
            shape=lists.shape,
        )
        for method in (lowland.Isomap, lowland.LaplacianEigenmaps, lowland.DiffusionMaps):
            ours, theirs = (method(2, input="graph").fit(graph).embedding_ for graph in (lists, whole))
            np.testing.assert_array_equal(ours, theirs)
            # The lists of the fit are its vertices, all of them and some.
            model = method(2, input="graph").fit(lists)
            size = np.abs(model.embedding_).max()
            np.testing.assert_allclose(model.transform(lists), model.embedding_, atol=1e-8 * size)
            np.testing.assert_allclose(model.transform(lists[20:25]), model.embedding_[20:25], atol=1e-8 * size)
            assert model.transform(lists[20:25].astype(np.float32)).dtype == np.float32
            with pytest.raises(lowland.InputError, match="row 0 has no edge"):
                model.transform(csr_matrix((1, 250)))
    # An edge of two lengths is still refused.
    wrong = whole.tolil()
    wrong[0, 1], wrong[1, 0] = 1.0, 2.0
    with pytest.raises(lowland.InputError, match="both ways|symmetr|differ"):
        lowland.Isomap(2, input="graph").fit(wrong.tocsr())


@pytest.mark.filterwarnings("ignore::lowland.FitWarning")
def test_sparse_rows_give_what_dense_rows_give():
    x = load_digits().data[:150]
    for method in (lowland.KernelPCA, lowland.Isomap, lowland.LandmarkIsomap, lowland.LaplacianEigenmaps):
        sparse, dense = method(2).fit(csr_matrix(x)), method(2).fit(x)
        np.testing.assert_array_equal(sparse.embedding_, dense.embedding_)
        np.testing.assert_array_equal(sparse.transform(csr_matrix(x[:9])), dense.transform(x[:9]))


@pytest.mark.filterwarnings("ignore::lowland.FitWarning")
def test_isomap_places_new_vertices_by_the_lengths_of_their_edges():
    import pickle

    from sklearn.neighbors import KNeighborsTransformer
    from sklearn.pipeline import make_pipeline

    for seed in range(3):
        x = lowland.data("swiss-roll", 300, random_state=seed).X
        old, new = x[:280], x[280:]
        lists = KNeighborsTransformer(n_neighbors=8, mode="distance")
        both = make_pipeline(lists, lowland.Isomap(2, input="graph")).fit(old)
        points = lowland.Isomap(2, n_neighbors=8).fit(old)
        # The transformer takes one neighbor more: here new rows have as many as those of points.
        near = lowland.neighbors(old, 8, queries=new)
        rows = csr_matrix((near.distances.ravel(), near.indices.ravel(), np.arange(0, 161, 8)), shape=(20, 280))
        graph = lowland.Isomap(2, input="graph").fit(kneighbors_graph(old, 8, mode="distance"))
        placed, scale = graph.transform(rows), np.ptp(points.embedding_)
        np.testing.assert_allclose(graph.embedding_, points.embedding_, atol=1e-8 * scale)
        np.testing.assert_allclose(placed, points.transform(new), atol=1e-6 * scale)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(graph)).transform(rows), placed)
        assert both.transform(new).shape == (20, 2)
        np.testing.assert_allclose(both.transform(old), both[-1].embedding_, atol=1e-8 * scale)
    with pytest.raises(lowland.InputError, match="row 1 has no edge"):
        both[-1].transform(csr_matrix(([1.0], ([0], [0])), shape=(2, 280)))
