"""What goes in and comes out: layouts, precisions, tables, sparse rows, files, pickles."""

import copy
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import lowland


@pytest.fixture
def x():
    rng = np.random.default_rng(5)
    return rng.normal(size=(60, 6)) @ rng.normal(size=(6, 6)) + 3


def bits(estimator):
    return estimator._model.to_bytes()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_layout_gives_the_same_bits(x, dtype):
    x = x.astype(dtype)
    reference = lowland.PCA(n_components=3).fit(x)
    wide = np.zeros((120, 18), dtype)
    wide[::2, ::3] = x
    flipped = np.ascontiguousarray(x[::-1, ::-1])
    readonly = x.copy()
    readonly.flags.writeable = False
    record = np.zeros((60, 6), [("pad", "i1"), ("value", dtype)])
    record["value"] = x
    swapped = x.astype(x.dtype.newbyteorder())
    layouts = [np.asfortranarray(x), wide[::2, ::3], flipped[::-1, ::-1], readonly, record["value"]]
    if dtype == np.float64:
        layouts.append(swapped)
    for layout in layouts:
        assert bits(lowland.PCA(n_components=3).fit(layout)) == bits(reference)
        y = reference.transform(layout)
        assert y.dtype == dtype and y.tobytes() == reference.transform(x).tobytes()


def test_arrays_are_read_where_they_lie():
    """A fit on 128 MB must not need 128 MB more. The peak is that of a process of its own."""
    script = """
import resource
import numpy as np, lowland
base = np.random.default_rng(0).random(size=(160_000, 200), dtype=np.float32)
pca = lowland.PCA(n_components=2, svd_solver="covariance").fit(base[:2000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for x in [base, base.reshape(200, 160_000).T, base[:, ::-1], base[:, ::2]]:
    pca.fit(x).transform(x)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    grown = [int(line) * (1 if sys.platform == "darwin" else 1024) for line in out.stdout.split()]
    assert len(grown) == 4 and max(grown) < 50e6, grown


def test_whole_numbers_become_double_and_single_stays(x):
    integers = np.round(x * 100).astype(int)
    assert lowland.PCA().fit_transform(integers).dtype == np.float64
    assert lowland.PCA().fit_transform(integers.astype(np.float16)).dtype == np.float64
    pca = lowland.PCA(n_components=2).fit(x)
    assert pca.transform(x.astype(np.float32)).dtype == np.float32
    assert pca.inverse_transform(np.zeros((1, 2), np.float32)).dtype == np.float32
    assert lowland.PCA().fit(x.astype(np.float32)).embedding_.dtype == np.float32


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_rows_agree_with_dense(form, dtype):
    matrix = sp.random_array((90, 25), density=0.2, rng=np.random.default_rng(2), dtype=np.float64).astype(dtype)
    dense = lowland.PCA(n_components=3).fit(matrix.toarray())
    pca = lowland.PCA(n_components=3).fit(matrix.asformat(form))
    tolerance = 1e-9 if dtype == np.float64 else 1e-4
    np.testing.assert_allclose(pca.components_, dense.components_, atol=tolerance)
    y = pca.transform(matrix.asformat(form))
    assert y.dtype == dtype
    np.testing.assert_allclose(y, dense.transform(matrix.toarray()), atol=tolerance)


def test_sparse_rows_in_disorder_are_put_in_order_and_left_alone():
    rows = sp.csr_matrix((np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 0, 0, 1]), np.array([0, 2, 4])), (2, 3))
    rows = sp.vstack([rows, sp.csr_matrix(([5.0, 1.0], [1, 1], [0, 2]), (1, 3))]).tocsr()
    before = (rows.indices.copy(), rows.data.copy())
    pca = lowland.PCA(n_components=2).fit(rows)
    np.testing.assert_allclose(pca.mean_, rows.toarray().mean(axis=0))
    assert (rows.indices == before[0]).all() and (rows.data == before[1]).all()


def test_sparse_rows_are_never_made_dense():
    """Dense, this would be 80 GB."""
    matrix = sp.random_array((100_000, 100_000), density=2e-7, rng=np.random.default_rng(1), format="csr")
    pca = lowland.PCA(n_components=1, memory="1 GiB")
    assert pca.fit_transform(matrix).shape == (100_000, 1)


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_tables_in_and_out(x, table):
    names = [f"column {i}" for i in range(6)]
    frame = pd.DataFrame(x, columns=names) if table is pd.DataFrame else pl.DataFrame(x, schema=names)
    pca = lowland.PCA(n_components=2).set_output(transform="pandas" if table is pd.DataFrame else "polars")
    y = pca.fit_transform(frame)
    assert isinstance(y, table) and list(y.columns) == ["pca0", "pca1"]
    assert list(pca.feature_names_in_) == names
    plain = lowland.PCA(n_components=2).fit_transform(x)
    np.testing.assert_allclose(y.to_numpy(), plain, rtol=1e-12, atol=1e-12)
    assert isinstance(pca.transform(frame), table)
    reordered = frame[names[::-1]]
    with pytest.raises(ValueError, match="feature names"):
        pca.transform(reordered)


def test_single_precision_tables_stay_single(x):
    frame = pd.DataFrame(x.astype(np.float32))
    assert lowland.PCA(n_components=2).fit_transform(frame).dtype == np.float32


@pytest.mark.parametrize("settings", [{}, {"n_components": 2, "whiten": True}, {"n_components": 0.9}])
def test_pickles_and_copies_keep_everything(x, settings, tmp_path):
    pca = lowland.PCA(n_jobs=1, **settings).fit(pd.DataFrame(x, columns=list("abcdef")))
    pca.components_
    joblib.dump(pca, tmp_path / "pca")
    for twin in [pickle.loads(pickle.dumps(pca)), copy.deepcopy(pca), joblib.load(tmp_path / "pca")]:
        assert bits(twin) == bits(pca)
        assert twin.get_params() == pca.get_params()
        assert list(twin.feature_names_in_) == list("abcdef")
        assert twin.components_.tobytes() == pca.components_.tobytes()
        assert twin.report_ == pca.report_
    assert copy.deepcopy(pca).embedding_.shape[0] == 60
    with pytest.raises(AttributeError, match="transform the rows"):
        pickle.loads(pickle.dumps(pca)).embedding_


def test_a_pickle_between_chunks_keeps_the_model_and_goes_on(x):
    pca = lowland.PCA(n_components=2).partial_fit(x[:30]).partial_fit(x[30:])
    twin = pickle.loads(pickle.dumps(pca))
    assert twin.components_.tobytes() == pca.components_.tobytes()
    assert twin.partial_fit(x).n_samples_ == len(x) + 60
    assert twin.fit(x).partial_fit(x).n_samples_ == 120


@pytest.mark.parametrize("settings", [{}, {"n_components": 2, "svd_solver": "gram", "iterated_power": 3}, {"n_components": "mle"}])
def test_files_keep_everything(x, settings, tmp_path):
    pca = lowland.PCA(**settings).fit(x)
    pca.save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == bits(pca) == pickle.loads(pickle.dumps(pca))._model.to_bytes()
    loaded = lowland.load(tmp_path / "model")
    assert isinstance(loaded, lowland.PCA)
    assert loaded.get_params() == pca.get_params()
    assert loaded.transform(x).tobytes() == pca.transform(x).tobytes()
    damaged = bytearray(bits(pca))
    damaged[-1] ^= 1
    (tmp_path / "model").write_bytes(damaged)
    with pytest.raises(lowland.ModelFileError, match="checksum"):
        lowland.load(tmp_path / "model")
    with pytest.raises(OSError, match="missing"):
        lowland.load(tmp_path / "missing")


def test_files_keep_the_names_of_the_columns(x, tmp_path):
    frame = pd.DataFrame(x, columns=[f"column {j}" for j in range(x.shape[1])])
    lowland.PCA(n_components=2).fit(frame).save(tmp_path / "model")
    loaded = lowland.load(tmp_path / "model")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        loaded.transform(frame[frame.columns[::-1]])
    lowland.PCA(n_components=2).fit(x).save(tmp_path / "model")
    assert not hasattr(lowland.load(tmp_path / "model"), "feature_names_in_")


def test_the_number_of_threads_changes_no_bit():
    x = np.random.default_rng(0).normal(size=(3000, 60))
    one = lowland.PCA(n_components=5, n_jobs=1).fit(x)
    for jobs in [2, 3, None, -1]:
        many = lowland.PCA(n_components=5, n_jobs=jobs).fit(x)
        assert bits(many) == bits(one)
        assert many.embedding_.tobytes() == one.embedding_.tobytes()


def test_seeds_of_every_kind():
    x = np.random.default_rng(0).normal(size=(200, 50))

    def fit(seed):
        return bits(lowland.PCA(n_components=2, svd_solver="randomized", iterated_power=0, random_state=seed).fit(x))

    assert fit(None) == fit(0) == fit(np.int64(0)) != fit(1)
    assert fit(np.random.default_rng(3)) == fit(np.random.default_rng(3)) != fit(np.random.default_rng(4))
    assert fit(np.random.RandomState(3)) == fit(np.random.RandomState(3))
