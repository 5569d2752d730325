"""Sammon mapping, metric and non-metric scaling."""

import numpy as np
import pytest

import lowland


def distances(x):
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))


@pytest.fixture
def x():
    return np.random.default_rng(3).normal(size=(60, 5)) * [3, 2, 1, 0.5, 0.5]


def test_the_stress_is_that_of_the_embedding(x):
    model = lowland.MDS(n_components=2).fit(x)
    above = np.triu_indices(len(x), 1)
    given, found = distances(x)[above], distances(model.embedding_)[above]
    assert model.stress_ == pytest.approx(np.sum((given - found) ** 2), rel=1e-9)
    assert model.stress_per_point_.shape == (60,)
    assert model.shepard_.shape == (len(given), 3)
    sammon = lowland.SammonMapping(n_components=2).fit(x)
    found = distances(sammon.embedding_)[above]
    assert sammon.stress_ == pytest.approx(np.sum((given - found) ** 2 / given) / np.sum(given), rel=1e-9)


def test_order_alone_counts_and_starts_are_reported(x):
    d = distances(x)
    first = lowland.NonmetricMDS(n_components=2, input="distances", n_init=3).fit(d)
    other = lowland.NonmetricMDS(n_components=2, input="distances", n_init=3).fit(d**3)
    np.testing.assert_array_equal(first.embedding_, other.embedding_)
    assert first.stress_of_starts_.shape == (3,)
    assert first.stress_ == pytest.approx(first.stress_of_starts_.min(), rel=1e-9)


def test_pairs_may_be_missing_and_a_layout_may_be_given():
    x = np.random.default_rng(5).normal(size=(40, 2))
    d = distances(x)
    d[3, 7] = d[7, 3] = np.nan
    model = lowland.MDS(n_components=2, input="distances", init=x + 0.1, tol=0.0).fit(d)
    assert distances(model.embedding_)[3, 7] == pytest.approx(distances(x)[3, 7], abs=1e-4)
    again = model.transform(d)
    np.testing.assert_array_equal(again, model.embedding_)


def test_scikit_learn_does_not_find_less(x):
    manifold = pytest.importorskip("sklearn.manifold")
    start = x[:, :2]
    theirs = manifold.smacof(distances(x), init=start, n_init=1, max_iter=3000, eps=1e-9, normalized_stress=False)[1]
    ours = lowland.MDS(n_components=2, init=start, tol=1e-9, max_iter=3000).fit(x).stress_
    assert ours <= theirs * 1.0001


@pytest.mark.parametrize("method", [lowland.SammonMapping, lowland.MDS, lowland.NonmetricMDS])
def test_a_callback_sees_the_layout_and_can_end_it(method, x):
    seen = []

    def enough(iteration, loss, layout):
        seen.append((iteration, loss, layout.copy()))
        return len(seen) == 2

    with pytest.warns(lowland.FitWarning, match="asked to stop"):
        model = method(n_components=2, tol=0.0, callback=enough, callback_every=2).fit(x)
    assert [iteration for iteration, _, _ in seen] == [2, 4] and seen[1][1] <= seen[0][1]
    assert model.embedding_.shape == seen[-1][2].shape
