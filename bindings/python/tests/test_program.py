"""One model file for both doors: what Python writes, the program uses, and the other way round; the same bits."""

import os
import subprocess
import warnings

import numpy as np
import pandas
import pytest

import lowland

PROGRAM = os.environ.get("LOWLAND_PROGRAM")
pytestmark = pytest.mark.skipif(
    not PROGRAM, reason="LOWLAND_PROGRAM names no program: `cargo xtask python` builds and names it"
)
METHODS = sorted(lowland._estimators.CLASSES)


def program(folder, *words):
    done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def learns_from_labels(method):
    return issubclass(lowland._estimators.CLASSES[method], lowland._abilities.WithLabels)


def fitted(method, x):
    labels = np.arange(len(x)) % 3 if learns_from_labels(method) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lowland.FitWarning)
        return lowland._estimators.CLASSES[method](n_components=2).fit(x, labels)


@pytest.fixture(params=["float64", "float32"])
def x(request, tmp_path):
    values = np.random.default_rng(0).normal(size=(60, 5)) @ np.diag([5, 4, 3, 2, 1])
    values = values.astype(request.param)
    np.save(tmp_path / "x.npy", values)
    np.save(tmp_path / "labels.npy", np.arange(60) % 3)
    np.save(tmp_path / "new.npy", values[:7] * values.dtype.type(0.75))
    return values


@pytest.mark.parametrize("method", METHODS)
def test_the_program_uses_what_python_wrote(method, x, tmp_path):
    estimator = fitted(method, x)
    estimator.save(tmp_path / "model")
    program(tmp_path, "transform", "model", "new.npy", "-o", "y.npy")
    new, found = np.load(tmp_path / "new.npy"), np.load(tmp_path / "y.npy")
    assert found.dtype == x.dtype
    assert found.tobytes() == estimator.transform(new).tobytes()
    if hasattr(estimator, "inverse_transform"):
        program(tmp_path, "inverse", "model", "y.npy", "-o", "back.npy")
        assert np.load(tmp_path / "back.npy").tobytes() == estimator.inverse_transform(found).tobytes()


@pytest.mark.parametrize("method", METHODS)
def test_python_uses_what_the_program_wrote(method, x, tmp_path):
    labels = ["--labels", "labels.npy"] if learns_from_labels(method) else []
    program(tmp_path, "embed", "x.npy", "-m", method, "-d", "2", "-o", "y.npy", "--model", "model", *labels)
    program(tmp_path, "transform", "model", "new.npy", "-o", "z.npy")
    estimator = lowland.load(tmp_path / "model")
    assert estimator._method == method and estimator.n_components == 2
    assert estimator.transform(np.load(tmp_path / "new.npy")).tobytes() == np.load(tmp_path / "z.npy").tobytes()
    # The same fit at either door is the same file.
    fitted(method, x).save(tmp_path / "twin")
    assert (tmp_path / "twin").read_bytes() == (tmp_path / "model").read_bytes()


def test_names_of_columns_do_not_trouble_the_program(x, tmp_path):
    frame = pandas.DataFrame(x, columns=list("abcde"))
    estimator = fitted("pca", frame)
    estimator.save(tmp_path / "model")
    program(tmp_path, "transform", "model", "new.npy", "-o", "y.npy")
    new = pandas.DataFrame(np.load(tmp_path / "new.npy"), columns=list("abcde"))
    assert np.load(tmp_path / "y.npy").tobytes() == estimator.transform(new).tobytes()
