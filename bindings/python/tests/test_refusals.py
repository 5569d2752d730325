"""Data, labels and starts that are refused, in the same words with scikit-learn and without it, and those that are taken."""

import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import lowland

pytestmark = pytest.mark.filterwarnings("ignore::lowland.FitWarning")

X = np.random.default_rng(0).normal(size=(40, 4))
Y = np.random.default_rng(1).integers(0, 3, size=40)
PRELUDE = """
import datetime
import numpy as np, pandas as pd, polars as pl, scipy.sparse as sp, lowland
X = np.random.default_rng(0).normal(size=(40, 4))
Y = np.random.default_rng(1).integers(0, 3, size=40)
def refused(call):
    try:
        call()
    except lowland.InputError as error:
        return str(error)
    raise AssertionError("not refused")
"""


@pytest.fixture(params=["", "import sklearn"], ids=["alone", "with scikit-learn"])
def run(request):
    """Runs code in an interpreter of its own, once with scikit-learn and once without it."""

    def run(code):
        text = request.param + PRELUDE + textwrap.dedent(code)
        done = subprocess.run([sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    return run


def test_decisions_refuse_what_transform_refuses(run):
    run(
        """
        lda = lowland.LDA().fit(X, Y)
        for bad in (np.nan, np.inf, 1e306):
            rows = X[:3].copy()
            rows[1, 1] = bad
            words = refused(lambda: lda.transform(rows))
            assert words.startswith("1 value of the data is") and "row 1, column 1" in words, words
            for method in (lda.decision_function, lda.predict_log_proba, lda.predict_proba, lda.predict):
                assert refused(lambda: method(rows)) == words
            assert refused(lambda: lda.score(rows, Y[:3])) == words
        """
    )


def test_an_array_is_checked_for_nan_where_it_is_asked_for(run):
    run(
        """
        from lowland._compat import check_array
        rows = X.copy()
        rows[1, 1] = np.nan
        for given in (rows, sp.csr_matrix(rows)):
            check_array(given, accept_sparse="csr")
            try:
                check_array(given, accept_sparse="csr", ensure_all_finite=True)
            except ValueError as error:
                assert "NaN" in str(error)
            else:
                raise AssertionError("not refused")
        """
    )


def test_decisions_are_those_of_the_coefficients():
    lda = lowland.LDA().fit(X, Y)
    np.testing.assert_allclose(lda.decision_function(X), X @ lda.coef_.T + lda.intercept_, atol=1e-12)
    np.testing.assert_allclose(lda.decision_function(X.astype(np.float32)), lda.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("name", ["LDA", "NCA", "OrientedPCA", "DistortionDiscriminantAnalysis", "UMAP"])
@pytest.mark.parametrize("labels", [np.array(["a", 1] * 20, dtype=object), ["1", 1] * 20], ids=["array", "list"])
def test_labels_of_two_kinds_are_refused_before_the_fit(name, labels):
    settings = {"UMAP": {"target_weight": 0.5, "n_epochs": 5}, "NCA": {"max_iter": 5}}.get(name, {})
    estimator = getattr(lowland, name)(**settings).fit(X, Y)
    before = (estimator.n_features_in_, estimator.transform(X[:2]).tobytes())
    with pytest.raises(lowland.InputError, match="the labels y are numbers and words; give labels of one kind"):
        estimator.fit(X[:, :3], labels)
    assert before == (estimator.n_features_in_, estimator.transform(X[:2]).tobytes())
    if name != "UMAP":
        assert list(estimator.classes_) == [0, 1, 2]


def test_labels_without_an_order_are_refused():
    for labels in ([{}, {1: 2}] * 20, [[1], [1, 2]] * 20):
        with pytest.raises(lowland.InputError, match="which have no order; give numbers or words"):
            lowland.LDA().fit(X, labels)
    with pytest.raises(lowland.InputError, match="NaN"):
        lowland.LDA().fit(X, np.array(["2020-01-01", "NaT"] * 20, dtype="datetime64[D]"))


def test_labels_of_one_kind_are_classes():
    words = [["a", "b", "c"][y] for y in Y]
    for labels in (words, np.array(words, dtype=object), pd.Series(words), pd.Categorical(words)):
        assert list(lowland.LDA().fit(X, labels).classes_) == ["a", "b", "c"]
    assert list(lowland.LDA().fit(X, [[int(y)] for y in Y]).classes_) == [0, 1, 2]
    # A label that is not known may be -1 among words, too.
    lowland.UMAP(target_weight=0.5, n_epochs=5).fit(X, ["a", -1, None, "b"] * 10)


def test_a_score_takes_one_label_a_row(run):
    run(
        """
        lda = lowland.LDA().fit(X, Y)
        assert lda.score(X, Y[:, None]) == lda.score(X, Y) == lda.score(X, Y.tolist()) > 0.4
        assert refused(lambda: lda.score(X, Y[:1])) == "1 label for 40 rows; give one label a row"
        assert refused(lambda: lda.score(X, Y[:39])) == "39 labels for 40 rows; give one label a row"
        assert "1d array" in refused(lambda: lda.score(X, 1))
        """
    )


def test_dates_are_refused_by_name(run):
    run(
        """
        days = np.array([["2021-01-01", "2021-01-02"], ["2021-03-01", "NaT"], ["2021-01-07", "2021-01-09"]], "M8[D]")
        words = "2 of 2 columns are not numeric: 0 (dates), 1 (dates); drop them, or encode them as numbers"
        assert refused(lambda: lowland.PCA(1).fit(days)) == words
        assert "0 (durations)" in refused(lambda: lowland.PCA(1).fit(days - days[0, 0]))
        words = "1 of 2 columns is not numeric: 'day' (dates); drop it, or encode it as numbers"
        stamps = pd.to_datetime(["2021-01-01", None, "2021-05-05"])
        plain = [datetime.date(2021, 1, 1), datetime.date(2021, 1, 2), datetime.date(2021, 1, 3)]
        for day in (stamps, stamps.tz_localize("UTC"), plain):
            frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "day": day})
            assert refused(lambda: lowland.PCA(1).fit(frame)) == words
            assert refused(lambda: lowland.neighbors(frame, 1)) == words
        assert refused(lambda: lowland.PCA(1).fit(pl.DataFrame({"x": [1.0, 2.0, 3.0], "day": plain}))) == words
        assert "'day' (dates)" in refused(lambda: lowland.PCA(1).fit(pl.DataFrame({"day": plain})))
        """
    )


def test_the_drop_in_does_not_take_dates_for_numbers():
    import lowland.sklearn as ours

    days = np.array([["2021-01-01", "NaT"], ["2021-03-01", "2021-01-02"], ["2021-01-07", "2021-01-09"]], "M8[D]")
    for estimator in (ours.PCA(1), ours.TSNE(perplexity=1), ours.Isomap(n_neighbors=1)):
        with pytest.raises(lowland.InputError, match="0 \\(dates\\)"):
            estimator.fit(days)


def test_columns_of_words_are_named(run):
    run(
        """
        frame = pd.DataFrame({"id": [1, 2, 3], "cat": list("abc"), "kind": pd.Categorical(list("aba")), "x": [1.0, 2.0, 4.0]})
        words = "2 of 4 columns are not numeric: 'cat' (words), 'kind' (words); drop them, or encode them as numbers"
        assert refused(lambda: lowland.PCA(1).fit(frame)) == words
        pca = lowland.PCA(1).fit(np.eye(4))
        rows = np.array([["a", 1, 2, 3]], dtype=object)
        words = "1 of 4 columns is not numeric: 0 (words); drop it, or encode it as numbers"
        assert refused(lambda: pca.transform(rows)) == words
        assert refused(lambda: pca.transform(rows.tolist())) == words
        many = pd.DataFrame({f"c{j}": list("abc") for j in range(9)})
        assert "9 of 9" in refused(lambda: lowland.PCA(1).fit(many)) and "'c5'" not in refused(lambda: lowland.PCA(1).fit(many))
        for vector in (pd.Series([1.0, 2.0]), pd.Series([1, None], dtype="Int64"), np.array(["2020", "2021"], "M8[D]")):
            try:
                lowland.PCA(1).fit(vector)
            except ValueError as error:
                assert "2D" in str(error) or "2-dimensional" in str(error), error
        # What reads as numbers is taken.
        lowland.PCA(1).fit(pd.DataFrame({"a": ["1", "2", "4"], "b": pd.Categorical([1, 2, 2])}))
        """
    )


def test_missing_values_of_tables_are_nan(run):
    run(
        """
        for kind in ("Int64", "Float64", "boolean"):
            frame = pd.DataFrame({"a": pd.array([1, None, 0, 1, 0], dtype=kind), "b": [1.0, 2.0, 3.0, 5.0, 1.0]})
            plain = frame.astype(float)
            assert np.isnan(plain["a"][1])
            ppca = lowland.PPCA(1).fit(frame)
            np.testing.assert_array_equal(ppca.embedding_, lowland.PPCA(1).fit(plain).embedding_)
            assert list(ppca.feature_names_in_) == ["a", "b"]
            assert refused(lambda: lowland.PCA(1).fit(frame)).startswith("1 value of the data is not finite, the first at row 1")
        """
    )


def test_sparse_rows_are_refused_as_dense_ones(run):
    run(
        """
        for form in (sp.csr_matrix, sp.coo_matrix, np.asarray):
            for rows, words in ((X + 1j, "Complex data not supported"), (X[:1], "1 sample")):
                try:
                    lowland.TruncatedSVD(1).fit(form(rows))
                except ValueError as error:
                    assert words in str(error), error
                else:
                    raise AssertionError("not refused")
        """
    )


@pytest.mark.parametrize("name", ["TSNE", "MDS"])
def test_a_start_may_be_any_matrix(name):
    start = X[:, :2] * 1e-2
    settings = {"max_iter": 10}
    expected = getattr(lowland, name)(init=start, **settings).fit(X).embedding_
    for init in (start.tolist(), pd.DataFrame(start), pl.DataFrame(start), np.asfortranarray(start)):
        np.testing.assert_array_equal(getattr(lowland, name)(init=init, **settings).fit(X).embedding_, expected)
    for init in ([["a", "b"]] * 40, [[1, 2], [3]], np.arange(40.0), pd.DataFrame({"a": list("ab") * 20})):
        with pytest.raises(lowland.ParameterError, match="init is no matrix of numbers; give a word, or") as refused:
            getattr(lowland, name)(init=init, **settings).fit(X)
        assert len(str(refused.value)) < 120


def test_tiny_distances_and_lengths_are_refused_as_tiny_points_are():
    between = np.linalg.norm(X[:, None] - X, axis=2)
    graph = sp.csr_matrix(between)
    for estimator in (lowland.Isomap, lowland.MDS):
        words = "^the distances are at most .*e-200, whose square vanishes .*; multiply all by the same power of ten$"
        with pytest.raises(lowland.InputError, match=words):
            estimator(input="distances").fit(between * 1e-200)
        with pytest.raises(lowland.InputError, match="^the lengths of the graph are at most .*e-200"):
            estimator(input="graph").fit(graph * 1e-200)
    with pytest.raises(lowland.InputError, match="^the data vary by .*e-200"):
        lowland.Isomap().fit(X * 1e-200)


def test_what_is_wrong_with_distances_and_graphs_is_said_of_them():
    between = np.linalg.norm(X[:, None] - X, axis=2)
    with pytest.raises(lowland.InputError, match="values of the distance matrix are too large .*; divide all by the same power"):
        lowland.MDS(input="distances").fit(between * 1e200)
    with pytest.raises(lowland.InputError, match="values of the graph are too large .*; divide all by the same power"):
        lowland.MDS(input="graph").fit(sp.csr_matrix(between) * 1e200)
    with pytest.raises(lowland.InputError, match="column 1 is -.*, but must be at least 0, being an edge of the graph"):
        lowland.Isomap(input="graph").fit(sp.csr_matrix(-between))
