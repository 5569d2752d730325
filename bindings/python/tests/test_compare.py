"""Comparing methods, and stability."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_swiss_roll

import lowland


@pytest.fixture(scope="module")
def roll():
    return make_swiss_roll(1000, random_state=0)


def test_a_comparison_ranks_judges_and_writes_a_report(roll, tmp_path):
    x, t = roll
    options = dict(
        methods=["pca", lowland.LTSA, "lda"],
        grid={"n_neighbors": [8, 12]},
        n_components=2,
        stability_of=1,
        work=tmp_path / "cells",
    )
    found = lowland.compare(x, t, report=tmp_path / "r.html", name="a <roll>", **options)
    assert [ranked["cell"]["method"] for ranked in found["ranking"]] == ["ltsa", "pca"]
    assert found["advice"]["method"] == "ltsa" and found["advice"]["reasons"]
    outcomes = {cell["cell"]["method"]: cell["outcome"] for cell in found["cells"]}
    assert outcomes == {"pca": "judged", "ltsa": "judged", "lda": "skipped"}
    best = next(cell for cell in found["cells"] if cell["cell"] == found["ranking"][0]["cell"])
    y = lowland.LTSA(n_components=2, **best["cell"]["settings"]).fit_transform(x)
    assert abs(best["measures"]["trustworthiness"]["value"] - lowland.trustworthiness(x, y, n_neighbors=12)) < 1e-12
    assert best["picture"]["positions"].shape == (1000, 2) and found["rows"].tolist() == list(range(1000))
    assert best["stability"]["substitution"]["value"] < 0.2
    page = (tmp_path / "r.html").read_text()
    assert "a &lt;roll&gt;" in page and "http" not in page
    again = lowland.compare(x, t, **options)
    assert again["resumed"] == 3
    for cell in (*found["cells"], *again["cells"]):
        cell.pop("picture", None)
    assert again["cells"] == found["cells"]


def test_labels_are_classes_or_values(roll):
    x, _ = roll
    options = dict(methods=["pca"], n_components=2, stability_of=0)
    for labels in (np.arange(1000) % 3, np.array(["a", "b"] * 500), [0.0, 1.0] * 500):
        found = lowland.compare(x, labels, **options)
        assert "one_nn_error" in found["cells"][0]["measures"]
    for values in (x[:, 0], np.arange(1000)):
        assert "one_nn_error" not in lowland.compare(x, values, **options)["cells"][0]["measures"]


def test_what_cannot_be_compared_is_refused(roll):
    x, _ = roll
    for wrong in (dict(methods=["isomop"]), dict(n_components=9), dict(grid={"": [1]}), dict(budget=-1.0)):
        with pytest.raises(lowland.LowlandError):
            lowland.compare(x, **wrong)
    with pytest.raises(lowland.LowlandError):
        lowland.compare(x, [1, 2])


def test_the_stability_of_estimators(roll):
    x, t = roll
    flat = x * [1.0, 1.0, 0.05]
    steady = lowland.stability(lowland.PCA(n_components=2), flat, splits=4)
    shaky = lowland.stability(lowland.RandomProjection(n_components=1), x, splits=4)
    for found in (steady, shaky):
        for name in ("substitution", "out_of_sample", "difference"):
            assert found[name]["low"] <= found[name]["value"] <= found[name]["high"]
    assert steady["substitution"]["high"] < 0.01 < 0.3 < shaky["substitution"]["low"]
    assert (steady["exchanged"], steady["held_out"], steady["splits"]) == (20, 5, 4)
    classes = np.digitize(t, [8, 11])
    assert lowland.stability(lowland.LDA(n_components=1), x, classes, splits=2)["substitution"]["value"] < 0.1
    learns = lowland.UMAP(target_weight=0.5, n_epochs=20)
    assert lowland.stability(learns, x[:120], classes[:120], splits=2)["splits"] == 2
    with pytest.raises(lowland.LowlandError):
        lowland.stability(lowland.LDA(n_components=1), x)
    with pytest.raises(lowland.LowlandError):
        lowland.stability(lowland.PCA(n_components=2), x, share=0.9)
    assert json.dumps(steady)
