"""The types of the package, and of the Python code in the pages and examples, by mypy and by pyright."""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parents[1]
ROOT = HERE.parents[1]
BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```$", re.M | re.S)
# What the tests of the pages give every block.
GIVEN = "import lowland\nimport numpy as np\n\nx: np.ndarray = np.zeros((9, 4))\nlabels: np.ndarray = np.zeros(9)\n"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The code of the pages as files: a block of README.md and GUIDE.md each for itself, the others page by page."""
    folder = tmp_path_factory.mktemp("snippets")
    files = []

    def write(name, code):
        files.append(folder / f"{name.replace('-', '_')}.py")
        files[-1].write_text(f"{GIVEN}\n{code}", encoding="utf-8")

    for page in ("README.md", "GUIDE.md", "bindings/python/README.md"):
        for number, code in enumerate(BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))):
            write(f"{page[:-3].replace('/', '_')}_{number}", code)
    for page in (ROOT / "docs").rglob("*.md"):
        blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
        if blocks:
            write(f"{page.parent.name}_{page.stem}", "\n".join(blocks))
    assert len(files) > 10
    return [*map(str, files), *map(str, (ROOT / "examples").rglob("*.py"))]


def check(command):
    done = subprocess.run([sys.executable, "-I", "-m", *command], cwd=HERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("what", ["package", "snippets"])
@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_finds_no_error(what, written, tmp_path):
    cache = ["mypy", "--cache-dir", str(tmp_path)]
    check(cache if what == "package" else [*cache, *written])


@pytest.mark.parametrize("what", ["package", "snippets"])
@pytest.mark.skipif(importlib.util.find_spec("basedpyright") is None, reason="basedpyright is not installed")
def test_pyright_finds_no_error(what, written, tmp_path):
    # Pyright's own rules: the fork, which brings what it runs on with it, has more of them.
    config = tmp_path / "pyrightconfig.json"
    files = [str(HERE / "lowland")] if what == "package" else written
    settings = {
        "typeCheckingMode": "standard",
        "include": files,
        "extraPaths": [str(HERE)],
        # The native module is only there once it is installed.
        "reportMissingModuleSource": False,
    }
    config.write_text(json.dumps(settings), encoding="utf-8")
    check(["basedpyright", "--project", str(config), "--pythonpath", sys.executable])
