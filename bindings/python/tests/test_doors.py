"""One door for every fit: Python refuses with the words of the terminal, which are those of Rust. The cases are those of
`crates/cli/tests/doors.rs`."""

import json
import os
import re
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import lowland
from lowland import _native

PROGRAM = os.environ.get("LOWLAND_PROGRAM")
with_program = pytest.mark.skipif(
    not PROGRAM, reason="LOWLAND_PROGRAM names no program: `cargo xtask python` builds and names it"
)
CLASSES = lowland._estimators.CLASSES
METHODS = lowland.methods()
DOORS = json.loads((Path(__file__).parents[3] / "crates/cli/tests/doors.json").read_text())
ROWS = np.array(DOORS["rows"])
# Cases in which an estimator speaks scikit-learn's words.
OTHER_WORDS = {
    "no rows": "scikit-learn counts the rows first",
    "one row": "a fit needs two rows in scikit-learn",
    "no columns": "scikit-learn counts the columns first",
    "no labels": "scikit-learn asks for y",
}


def with_cells(rows, case):
    rows = rows.copy()
    for i, j, value in case.get("cells", []):
        rows[i, j] = float(value)
    return rows


def pairs(rows, f):
    found = np.zeros((len(rows), len(rows)))
    for k in range(rows.shape[1]):
        found += f(rows[:, None, k], rows[None, :, k])
    return found


def made(case):
    """The data of a case."""
    rows = ROWS[: case.get("rows"), : case.get("columns")]
    match case.get("matrix"):
        case "distances":
            rows = pairs(rows, lambda a, b: np.abs(a - b))
        case "products":
            rows = pairs(rows, np.multiply)
        case _ if case.get("equal"):
            rows = np.tile(rows[0], (len(rows), 1))
    return with_cells(rows, case)


def labels_of(method, case, rows):
    given = case.get("labels", {})
    if given is None or ("labels" not in case and not METHODS[method]["capabilities"]["labels"]):
        return None
    rules = {
        "one": lambda i: 0,
        "different": lambda i: i,
        "unknown": lambda i: -1 if i % 4 == 2 else i % 3,
    }
    rule = rules.get(given.get("rule"), lambda i: i % 3)
    return [rule(i) for i in range(given.get("count", rows))]


def cases(method):
    """Every case of a method: its name, and what the doors are given."""
    for case in DOORS["cases"]:
        if "where" in case and not METHODS[method]["capabilities"][case["where"]]:
            continue
        data, start = made(case), case.get("start")
        yield (
            case["name"],
            {
                "data": data,
                "kind": case.get("kind", "points"),
                "set": {"n_components": 2, **case.get("set", {})},
                "labels": labels_of(method, case, len(data)),
                "start": start and with_cells(ROWS[: start["rows"], : start["columns"]], start),
                "memory": case.get("memory"),
            },
        )


def native(method, case):
    settings = _native.Settings(memory=case["memory"])
    data = case["data"]
    if case["kind"] in ("sparse", "graph"):
        data = lowland._arguments._native_data(csr_matrix(data))
    _native.fit(method, case["set"], data, case["kind"], settings, case["labels"], case["start"])


def estimator(method, case):
    made = CLASSES[method](**case["set"], memory=case["memory"])
    if case["kind"] not in ("points", "sparse"):
        made.set_params(input=case["kind"])
    if case["start"] is not None:
        made.set_params(init=case["start"])
    data = case["data"]
    made.fit(csr_matrix(data) if case["kind"] in ("sparse", "graph") else data, case["labels"])


def has_other_words(method, name, case):
    """Whether an estimator of this method cannot be asked this, or does what scikit-learn's do."""
    known, cls = CLASSES[method]().get_params(), CLASSES[method]
    can = METHODS[method]["capabilities"]
    return (
        name in OTHER_WORDS
        # An unknown keyword is Python's own error, as is an input or a start that the class has no parameter for.
        or any(key not in known for key in case["set"])
        or (case["kind"] not in ("points", "sparse") and "input" not in known)
        or (case["start"] is not None and not can["start"])
        # y is ignored where nothing is learned from it.
        or (case["labels"] is not None and cls(**case["set"])._learned(case["labels"]) is None)
        # Sparse rows are spread out where scikit-learn takes them, and edges of one way go both ways.
        or (case["kind"] == "sparse" and cls()._spreads())
        or name == "graph of one way"
    )


def words(fit, method, case):
    """What a refusal says, in one line; None where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fit(method, case)
        except lowland.LowlandError as error:
            return " ".join(str(error).split())
    return None


def terminal(method, case, folder, *more):
    np.save(folder / "x.npy", case["data"])
    line = [PROGRAM, "embed", "x.npy", "-q", "-m", method, "--as", case["kind"], *more]
    for name, value in case["set"].items():
        value = json.dumps(value) if isinstance(value, list) else value
        line += ["-d", str(value)] if name == "n_components" else ["--set", f"{name}={value}"]
    if case["labels"] is not None:
        np.save(folder / "labels.npy", np.array(case["labels"], dtype=float))
        line += ["--labels", "labels.npy"]
    if case["start"] is not None:
        np.save(folder / "start.npy", case["start"])
        line += ["--start", "start.npy"]
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
            # The terminal adds flags to a remedy.
            said = re.sub(r" \(--[a-z-]+\)", "", done.stderr)
            assert done.returncode in (1, 2) and refusal in said, (name, refusal, done.stderr)


@pytest.mark.parametrize("method", sorted(CLASSES))
def test_the_classes_refuse_with_the_words_of_the_library(method):
    for name, case in cases(method):
        if not has_other_words(method, name, case):
            assert words(estimator, method, case) == words(native, method, case), name


@with_program
def test_labels_that_are_not_known_give_one_map(tmp_path):
    import pandas

    case = dict(cases("umap"))["target of unknown labels"]
    done = terminal("umap", case, tmp_path, "-o", "y.npy")
    assert done.returncode == 0, done.stderr
    expected = np.load(tmp_path / "y.npy")
    y = np.array(case["labels"])
    words = np.array(["a", "b", "c"])[y]
    for labels in (
        y,
        y.astype(float),
        np.where(y < 0, np.nan, y),
        pandas.Series(y).astype("Int64").mask(y < 0),
        pandas.Series(words).mask(y < 0),
        pandas.Categorical(pandas.Series(words).mask(y < 0)),
    ):
        np.testing.assert_array_equal(lowland.UMAP(**case["set"]).fit_transform(case["data"], labels), expected)
    with pytest.raises(lowland.InputError, match="labels y contain NaN"):
        lowland.LDA().fit(case["data"], pandas.Series(words).mask(y < 0))


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
