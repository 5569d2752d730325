"""The pages: every method has one, and the code of `docs`, README.md and GUIDE.md runs."""

import gzip
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import lowland

ROOT = pathlib.Path(__file__).parents[3]
PROGRAM = os.environ.get("LOWLAND_PROGRAM")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
NO_PROGRAM = "LOWLAND_PROGRAM names no program: `cargo xtask python` builds and names it"
HEADINGS = ["The equation", "When to use it", "When it fails", "Cost", "What to look at"]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)


def blocks(page):
    """The language and the code of every block."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def of_program(code):
    """The lines of a block of shell that call the program: those that build or install are somebody else's to test."""
    lines = code.replace("\\\n", " ").splitlines()
    return [line for line in lines if re.match(r"lowland |.*\| lowland ", line)]


@pytest.fixture
def shell(tmp_path):
    """Runs lines of shell in a folder of their own, with the program on the path."""
    if not PROGRAM:
        return lambda lines: pytest.skip(NO_PROGRAM)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/lowland").symlink_to(pathlib.Path(PROGRAM).resolve())

    def run(lines):
        path = os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]])
        script = "\n".join(["set -e -o pipefail", *lines])
        done = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{script}\n{done.stderr}"

    return run


@pytest.mark.parametrize("name", lowland.methods())
def test_every_method_has_a_page(name):
    page = ROOT / "docs/methods" / f"{name}.md"
    assert page.exists(), f"write {page.relative_to(ROOT)}, as the pages of the other methods are"
    text = page.read_text(encoding="utf-8")
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == HEADINGS
    assert "$$" in text and "Reference: " in text


def test_every_page_has_a_method():
    pages = {page.stem for page in (ROOT / "docs/methods").glob("*.md")}
    assert pages == set(lowland.methods())


def code_of(page):
    return [(language, code) for language, code in blocks(page) if language in ("python", "sh")]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if code_of(page)], ids=lambda page: page.relative_to(ROOT).as_posix()
)
@pytest.mark.filterwarnings("ignore::lowland.FitWarning")
def test_pages_run(page, shell, tmp_path, monkeypatch):
    """The blocks of a page in their order, all in one folder."""
    steps = [(language, of_program(code) if language == "sh" else code) for language, code in code_of(page)]
    if not PROGRAM and any(language == "sh" and lines for language, lines in steps):
        pytest.skip(NO_PROGRAM)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for language, code in steps:
        if language == "sh":
            shell(code)
        else:
            exec(compile(code, str(page), "exec"), names)


CUSTOMERS = "customer,joined,plan,active,age,income,visits,segment"


def customer(i):
    age = "NA" if i % 9 == 1 else 30 + i % 40
    plan, active, segment = ("free", "basic", "full")[i % 3], ("no", "yes")[i % 2], ("south", "north")[i // 2 % 2]
    return f"C{i:03},2021-01-{1 + i % 28:02},{plan},{active},{age},{30000 + 731 * i % 9000},{i * i % 17},{segment}"


def stand_ins(folder, block):
    """Small files under the names that the guide uses."""
    from sklearn.datasets import load_digits

    digits, labels = (values[:80] for values in load_digits(return_X_y=True))
    x, new = digits[:60] / 16, digits[60:] / 16
    big = np.random.default_rng(0).normal(size=(1100, 4))
    gaps = ((x[:, None] - x[None]) ** 2).sum(-1) ** 0.5
    arrays = {"x": x, "digits": x, "new": new, "labels": labels[:60], "distances": gaps, "gram": x @ x.T}
    for name, values in {**arrays, "rows": new @ x.T, "big": big}.items():
        np.save(folder / f"{name}.npy", values)
    tables = {"x": x, "digits": x, "new": new, "table": x[:40, 20:26]}
    for name, values in {**tables, "holes": np.where(x[:, 18:24] == 1, np.nan, x[:, 18:24])}.items():
        np.savetxt(folder / f"{name}.csv", values, delimiter=",")
    for name in ("l", "labels"):
        np.savetxt(folder / f"{name}.csv", labels[:60], fmt="%d")
    with gzip.open(folder / "big.csv.gz", "wt") as file:
        np.savetxt(file, big, delimiter=",")
    if "customers.csv" in block:
        for name, rows in (("customers", range(80)), ("new", range(80, 90))):
            lines = [CUSTOMERS, *map(customer, rows)]
            (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")


def recipes():
    """The blocks of the two pages that name files of the reader."""
    for page in ("README.md", "GUIDE.md"):
        for number, (language, code) in enumerate(blocks(ROOT / page)):
            if language == "python" or (language == "sh" and of_program(code)):
                yield pytest.param(language, code, id=f"{page} {number}")


@pytest.mark.parametrize(("language", "code"), list(recipes()))
@pytest.mark.filterwarnings("ignore::lowland.FitWarning")
def test_recipes_run(language, code, shell, tmp_path, monkeypatch):
    """Each block for itself, in a folder in which the files are that it names."""
    stand_ins(tmp_path, code)
    if language == "sh":
        # Lines of a block are recipes side by side, and may write to the same names.
        shell([line if "|" in line else line.replace("lowland ", "lowland --force ", 1) for line in of_program(code)])
        return
    monkeypatch.chdir(tmp_path)
    names = {"lowland": lowland, "x": np.load("x.npy"), "labels": np.load("labels.npy")}
    exec(compile(code, "block", "exec"), names)


def test_blocks_are_of_a_kind_that_is_run():
    """`rust` by the doc tests, `python` and `sh` here; what is no code is `text`."""
    for page in [*PAGES, ROOT / "README.md", ROOT / "GUIDE.md"]:
        kinds = {language for language, _ in blocks(page)}
        assert kinds <= {"rust", "python", "sh", "text"}, page
