"""The pages: every method has one, and the code of `docs`, README.md and GUIDE.md runs."""

import os
import pathlib
import re
import subprocess

import pytest

import lowland

ROOT = pathlib.Path(__file__).parents[3]
PROGRAM = os.environ.get("LOWLAND_PROGRAM")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
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
    if PROGRAM:
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
        pytest.skip("LOWLAND_PROGRAM names no program: `cargo xtask python` builds and names it")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for language, code in steps:
        if language == "sh":
            shell(code)
        else:
            exec(compile(code, str(page), "exec"), names)
