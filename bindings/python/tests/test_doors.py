"""One door for every fit: Python refuses with the words of the terminal, which are those of Rust (see
`crates/cli/tests/doors.rs`, whose cases these are)."""

import os
import subprocess
import warnings

import numpy as np
import pytest

import lowland
from lowland import _native

PROGRAM = os.environ.get("LOWLAND_PROGRAM")
with_program = pytest.mark.skipif(
    not PROGRAM, reason="LOWLAND_PROGRAM names no program: `cargo xtask python` builds and names it"
)
CLASSES = lowland._estimators.CLASSES
ROWS = 30
# Where scikit-learn demands its own words of an estimator, or Python refuses first.
OTHER_WORDS = {"no rows", "no columns", "no labels", "bogus=1"}


def learns_from_labels(method):
    return issubclass(CLASSES[method], lowland._abilities.WithLabels)


def good(method):
    i, j = np.ogrid[:ROWS, :5]
    return {
        "data": (5 - j) * np.sin((7 * i * (j + 1) + 3 * j).astype(float)),
        "kind": "points",
        "set": {"n_components": 2},
        "labels": ROWS if learns_from_labels(method) else None,
        "memory": None,
    }


def cases(method):
    case = good(method)
    yield "good", case
    for name, value in {"nan": np.nan, "infinite": np.inf, "too large": 1e300}.items():
        data = case["data"].copy()
        data[3, 2] = value
        yield name, {**case, "data": data}
    yield "no rows", {**case, "data": np.zeros((0, 5)), "labels": None if case["labels"] is None else 0}
    yield "no columns", {**case, "data": np.zeros((ROWS, 0))}
    for count in [0, 1000, "many"]:
        yield f"{count} components", {**case, "set": {"n_components": count}}
    for name, value in [("bogus", 1), ("metric", "minkowski"), ("metric", "minkowski(0.5)"), ("n_neighbors", -1)]:
        yield f"{name}={value}", {**case, "set": {"n_components": 2, name: value}}
    for kind in ["distances", "kernel"]:
        yield f"as {kind}", {**case, "kind": kind}
    yield "too few labels", {**case, "labels": ROWS - 1}
    yield "no labels", {**case, "labels": None}
    yield "little memory", {**case, "memory": 1 << 10}


def numbered(count):
    return None if count is None else [i % 3 for i in range(count)]


def native(method, case):
    settings = _native.Settings(memory=case["memory"])
    _native.fit(method, case["set"], case["data"], case["kind"], settings, numbered(case["labels"]))


def estimator(method, case):
    made = CLASSES[method](**case["set"], memory=case["memory"])
    if case["kind"] != "points":
        made.set_params(input=case["kind"])
    made.fit(case["data"], numbered(case["labels"]))


def words(fit, method, case):
    """What a refusal says, in one line; None where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fit(method, case)
        except lowland.LowlandError as error:
            return " ".join(str(error).split())
    return None


def terminal(method, case, folder):
    np.save(folder / "x.npy", case["data"])
    line = [PROGRAM, "embed", "x.npy", "-q", "-m", method, "--as", case["kind"]]
    for name, value in case["set"].items():
        line += ["-d", str(value)] if name == "n_components" else ["--set", f"{name}={value}"]
    if case["labels"] is not None:
        np.save(folder / "labels.npy", np.array(numbered(case["labels"]), dtype=float))
        line += ["--labels", "labels.npy"]
    if case["memory"] is not None:
        line += ["--memory", str(case["memory"])]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True)


@with_program
@pytest.mark.parametrize("method", sorted(CLASSES))
def test_python_and_the_terminal_refuse_with_the_same_words(method, tmp_path):
    for name, case in cases(method):
        done = terminal(method, case, tmp_path)
        refusal = words(native, method, case)
        if refusal is None:
            assert done.returncode == 0, (name, done.stderr)
        else:
            assert done.returncode in (1, 2) and refusal in done.stderr, (name, refusal, done.stderr)


@pytest.mark.parametrize("method", sorted(CLASSES))
def test_the_classes_refuse_with_the_words_of_the_library(method):
    assert words(estimator, method, good(method)) is None
    known = CLASSES[method]().get_params()
    for name, case in cases(method):
        takes = case["kind"] == "points" or "input" in known
        if name in OTHER_WORDS or not takes or any(key not in known for key in case["set"]):
            continue
        if name == "too few labels" and not learns_from_labels(method):
            continue  # The class ignores y, as scikit-learn's do.
        assert words(estimator, method, case) == words(native, method, case), name


@pytest.mark.filterwarnings("ignore::lowland.FitWarning")
def test_values_with_content_reach_the_method():
    x = np.random.default_rng(0).normal(size=(40, 3))
    for given, kept in {"minkowski(3)": "minkowski(3)", "minkowski(1)": "manhattan", "l2": "euclidean"}.items():
        model = lowland.Isomap(n_neighbors=12, metric=given).fit(x)
        assert model._fitted().parameters()["metric"] == kept
    with pytest.raises(lowland.ParameterError, match=r"minkowski needs its order; write minkowski\(3\)"):
        lowland.Isomap(metric="minkowski").fit(x)
    for several in [[3, 4], (3, 4), np.array([3, 4])]:
        with pytest.raises(lowland.ParameterError, match=r"metric = \[3, 4\] is out of range"):
            lowland.Isomap(metric=several).fit(x)


def test_sizes_and_durations_mean_the_same_at_every_door():
    from lowland._arguments import _bytes, _seconds

    sizes = {"8g": 8 << 30, "8Gi": 8 << 30, "8 GiB": 8 << 30, "8GB": 8 * 10**9, "1.5k": 1536, 12: 12}
    assert {text: _bytes(text) for text in sizes} == sizes
    assert [_seconds(text) for text in ["90s", "1.5min", "2 h", 7, 0.5]] == [90, 90, 7200, 7, 0.5]
    for wrong in ["8XB", -1, "", True, [1]]:
        with pytest.raises(lowland.ParameterError, match="memory = "):
            _bytes(wrong)
    for wrong in ["5 days", -1]:
        with pytest.raises(lowland.ParameterError, match="budget = "):
            _seconds(wrong)
