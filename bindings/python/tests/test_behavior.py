"""Errors, files, kinds of input, life without scikit-learn, the generated classes."""

import importlib.util
import pickle
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

import lowland

X = np.random.default_rng(0).normal(size=(40, 5))


def refusal(call):
    with pytest.raises(lowland.LowlandError) as caught:
        call()
    return caught.value


def test_errors_are_typed_and_carry_their_facts():
    x = X.copy()
    x[7, 3] = np.nan
    error = refusal(lambda: lowland.PCA().fit(x))
    assert isinstance(error, lowland.InputError) and isinstance(error, ValueError)
    assert (error.row, error.column, error.count) == (7, 3, 1)
    assert "row 7, column 3" in str(error)
    error = refusal(lambda: lowland.PCA(n_components=9).fit(X))
    assert isinstance(error, lowland.ParameterError)
    assert (error.name, error.value) == ("n_components", "9") and "at most 5" in error.bound
    assert "svd_solver = no such" in str(refusal(lambda: lowland.PCA(svd_solver="no such").fit(X)))
    error = refusal(lambda: lowland.PCA(memory=10).fit(X))
    assert isinstance(error, lowland.MemoryBudgetError) and isinstance(error, MemoryError)
    assert error.budget == 10 < error.needed and error.remedy
    assert str(error).endswith(error.remedy)


def test_more_memory_than_there_is_is_an_error_and_not_the_end_of_the_interpreter():
    for call in (
        lambda: lowland.Isomap().fit(np.zeros((3_000_000, 3), dtype=np.float32)),
        lambda: lowland.PCA().fit(X).sample(10**14),
    ):
        error = refusal(call)
        assert isinstance(error, MemoryError) and error.budget < error.needed


def test_samples_of_another_seed_keep_the_budget_of_the_estimator():
    pca = lowland.PCA(n_components=2).fit(X)
    pca.memory = 1000
    for random_state in (None, 3):
        error = refusal(lambda: pca.sample(10_000, random_state=random_state))
        assert isinstance(error, lowland.MemoryBudgetError) and error.budget == 1000


def test_two_threads_that_save_one_path_leave_whole_files(tmp_path):
    models = [lowland.PCA(n_components=k).fit(X) for k in (1, 4)]
    path, stop, torn = tmp_path / "m.lowland", threading.Event(), []
    models[0].save(path)

    def save(model):
        while not stop.is_set():
            model.save(path)

    writers = [threading.Thread(target=save, args=(model,)) for model in models]
    for writer in writers:
        writer.start()
    for _ in range(100):
        try:
            assert lowland.load(path).n_components_ in (1, 4)
        except lowland.LowlandError as error:
            torn.append(error)
    stop.set()
    for writer in writers:
        writer.join()
    assert not torn and [entry.name for entry in tmp_path.iterdir()] == ["m.lowland"]
    pca = lowland.PCA(n_components=2).fit(X)
    error = refusal(lambda: pca.inverse_transform(np.zeros((2, 3))))
    assert (error.expected, error.found) == (2, 3)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and again.found == 3
    for settings in [{"n_jobs": 0}, {"memory": "much"}, {"random_state": -1}, {"random_state": "x"}]:
        assert refusal(lambda: lowland.PCA(**settings).fit(X)).name in settings
    with pytest.raises(lowland.ParameterError, match=r"n_components = \[1\] is out of range"):
        lowland.PCA(n_components=[1]).fit(X)
    with pytest.raises(TypeError):
        lowland.PCA(2, "minor")


def test_a_refused_fit_leaves_the_fitted_model():
    pca = lowland.PCA(n_components=2).fit(X)
    before = pca.components_.copy()
    with pytest.raises(lowland.LowlandError):
        pca.fit(np.full((4, 7), np.inf))
    assert (pca.components_ == before).all()
    assert pca.transform(X).shape == (40, 2)
    chunks = lowland.PCA(n_components=2).partial_fit(X)
    with pytest.raises(lowland.LowlandError):
        chunks.partial_fit(np.full((4, 5), np.nan))
    assert chunks.partial_fit(X).n_samples_ == 80


def test_memory_is_given_in_bytes_or_words():
    from lowland._arguments import _bytes

    assert [_bytes(word) for word in ["8GiB", "8 gib", "8g", "1.5 kB", "12", "3b"]] == [8 << 30] * 3 + [1500, 12, 3]


def test_too_few_directions_are_a_warning():
    line = np.outer(np.arange(10.0), [1.0, 2.0, 3.0])
    with pytest.warns(lowland.FitWarning, match="1 of 2 components is zero: the data vary in 1 direction;"):
        pca = lowland.PCA(n_components=2).fit(line)
    assert pca.report_["warnings"] and pca.explained_variance_[1] == 0


def test_warnings_point_at_the_callers_line():
    line = np.outer(np.arange(10.0), [1.0, 2.0, 3.0])
    for call in [lowland.PCA(n_components=2).fit, lowland.PCA(n_components=2).fit_transform]:
        with pytest.warns(lowland.FitWarning) as caught:
            call(line)
        assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name]


def test_chunks_and_known_covariances_say_their_warnings_too():
    line = np.outer(np.arange(10.0), [1.0, 2.0, 3.0])
    chunks = lowland.PCA(n_components=2).partial_fit(line[:5]).partial_fit(line[5:])
    with pytest.warns(lowland.FitWarning, match="1 of 2 components is zero") as caught:
        assert chunks.components_.shape == (2, 3)
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name]
    with pytest.warns(lowland.FitWarning, match="noise") as caught:
        lowland.oriented_pca(np.diag([3.0, 2.0]), np.diag([6.0, 0.0]), n_components=1)
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name]


def test_a_neighborhood_is_said_once():
    for given in ({"n_neighbors": 5, "radius": 2.0}, {"graph": "spanning-tree", "radius": 2.0}):
        assert "which chooses the neighbors by itself" in str(refusal(lambda: lowland.Isomap(**given).fit(X)))


def test_what_is_none_is_called_none():
    error = refusal(lambda: lowland.Isomap(n_components=None).fit(X))
    assert error.value == "None" and "n_components = None" in str(error)


def test_threads_have_a_bound():
    for n_jobs in [2000, 10**9, 10**30]:
        error = refusal(lambda: lowland.PCA(n_jobs=n_jobs).fit(X))
        assert error.name == "n_jobs" and "1 to " in str(error)


def test_chunks_after_a_fit_go_on_and_parameters_stay():
    pca = lowland.PCA().fit(X[:25]).partial_fit(X[25:])
    whole = lowland.PCA().fit(X)
    assert pca.n_samples_ == 40
    np.testing.assert_allclose(pca.components_, whole.components_, atol=1e-9)
    np.testing.assert_allclose(pca.mean_, whole.mean_, atol=1e-12)
    chunks = lowland.PCA(n_components=2).partial_fit(X)
    chunks.set_params(n_components=3)
    error = refusal(lambda: chunks.partial_fit(X))
    assert error.name == "n_components" and "it was 2 before" in str(error)
    assert chunks.set_params(n_components=2).partial_fit(X).n_samples_ == 80
    assert refusal(lambda: lowland.PCA(n_components=2).fit(X).set_params(whiten=True).partial_fit(X)).name == "whiten"
    simple = lowland.SimplePCA(n_components=2, algorithm="simple")
    apart = simple.partial_fit(X[:20]).partial_fit(X[20:]).components_
    np.testing.assert_array_equal(apart, lowland.SimplePCA(n_components=2, algorithm="simple").fit(X).components_)


def test_kinds_of_input_that_a_method_does_not_take_are_refused():
    from lowland import _native

    square = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    for kind in ["distances", "kernel"]:
        with pytest.raises(lowland.UnsupportedError, match="give it points or sparse"):
            _native.fit("pca", {}, square, kind, _native.Settings())
    with pytest.raises(lowland.ParameterError):
        _native.fit("pca", {}, square, "graph", _native.Settings())
    with pytest.raises(lowland.ParameterError, match="did you mean 'pca'"):
        _native.fit("pka", {}, square, "points", _native.Settings())
    with pytest.raises(lowland.ParameterError, match="did you mean 'n_components'"):
        _native.fit("pca", {"n_component": 2}, square, "points", _native.Settings())
    with pytest.raises(lowland.ParameterError, match="it takes: n_components"):
        _native.fit("pca", {"width": 2}, square, "points", _native.Settings())


WITHOUT_SKLEARN = """
import sys
for name in ("sklearn", "pandas", "scipy"):
    sys.modules[name] = None
import pickle
import numpy as np, lowland
x = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
pca = lowland.PCA(n_components=2, whiten=True)
assert repr(pca) == "PCA(n_components=2, whiten=True)", repr(pca)
y = pca.fit_transform(x)
assert y.dtype == np.float32 and y.shape == (30, 2)
assert list(pca.get_feature_names_out()) == ["pca0", "pca1"]
assert (type(pca)(**pca.get_params()).fit_transform(x) == y).all()
assert (pickle.loads(pickle.dumps(pca)).transform(x) == y).all()
assert pca.set_params(n_components=1).fit(x).components_.shape == (1, 4)
for wrong in (lambda: pca.set_params(n=1), lambda: pca.transform(x[:, :2]), lambda: pca.fit(x[0]),
              lambda: pca.fit(x[:1]), lambda: pca.fit(x * 1j), lambda: lowland.PCA().transform(x)):
    try:
        wrong()
    except ValueError:
        continue
    raise AssertionError("not refused")
print("fine")
"""


def test_scikit_learn_is_optional():
    done = subprocess.run([sys.executable, "-c", WITHOUT_SKLEARN], capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr


def test_the_classes_are_what_the_registry_gives():
    path = Path(__file__).parents[1] / "make_classes.py"
    spec = importlib.util.spec_from_file_location("make_classes", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    committed = module.FILE.read_text(encoding="utf-8")
    assert committed == module.text(), "run `python bindings/python/make_classes.py`"
    installed = Path(lowland._estimators.__file__).read_text(encoding="utf-8")
    assert committed == installed, "the package that is tested is not the one in this folder"


@pytest.mark.filterwarnings("ignore::lowland.FitWarning")
def test_every_class_is_documented_and_takes_keywords():
    import inspect
    import json

    from lowland import _native

    for entry in json.loads(_native.methods()):
        cls = lowland._estimators.CLASSES[entry["name"]]
        assert getattr(lowland, cls.__name__) is cls
        signature = inspect.signature(cls)
        for name, parameter in signature.parameters.items():
            # How many components may be said without a name, as everybody writes it.
            assert parameter.kind is (parameter.POSITIONAL_OR_KEYWORD if name == "n_components" and name == next(iter(signature.parameters)) else parameter.KEYWORD_ONLY)
        assert "random_state" in signature.parameters
        for parameter in entry["parameters"]:
            assert parameter["name"] in signature.parameters
            assert f"    {parameter['name']} : " in cls.__doc__
        fitted = cls().fit(X, np.arange(len(X)) // 4)
        for name in fitted._model.attributes():
            assert f"    {name}_ : " in cls.__doc__ and f"{name}_" in dir(fitted)


def in_a_fresh_interpreter(code):
    """What a program without scikit-learn prints and how it ends."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)


def test_names_of_columns_are_compared_without_scikit_learn():
    done = in_a_fresh_interpreter(
        """
        import sys
        import numpy as np
        import lowland

        class Table:
            def __init__(self, columns):
                self.columns = columns
            def __array__(self, dtype=None, copy=None):
                return np.random.default_rng(0).normal(size=(20, len(self.columns)))

        model = lowland.PCA(2).fit(Table(["a", "b", "c"]))
        model.transform(Table(["a", "b", "c"]))
        for columns in (["b", "a", "c"], ["a", "b", "other"]):
            try:
                model.transform(Table(columns))
            except ValueError as error:
                print(error)
        assert "sklearn" not in sys.modules
        """
    )
    assert done.returncode == 0, done.stderr
    assert "3 columns of the fit are there in another order" in done.stdout
    assert "1 of 3 columns of the fit is missing: 'c'" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_memory_that_runs_out_is_an_error_and_not_the_end_of_the_interpreter():
    done = in_a_fresh_interpreter(
        """
        import resource
        import numpy as np
        import lowland

        X = np.random.default_rng(0).normal(size=(2500, 10))
        lowland.PCA(2).fit(X)
        used = int(next(l for l in open("/proc/self/status") if l.startswith("VmSize")).split()[1]) * 1024
        for more in (40, 80, 160, 320):
            resource.setrlimit(resource.RLIMIT_AS, (used + more * 2**20, resource.RLIM_INFINITY))
            for method in (lowland.LLE, lowland.Isomap, lowland.KernelPCA):
                try:
                    method(2, n_jobs=1).fit(X)
                except MemoryError:
                    pass
        print("alive")
        """
    )
    assert done.returncode == 0 and "alive" in done.stdout, (done.returncode, done.stderr[-500:])
