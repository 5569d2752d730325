"""The examples for Python users run."""

import pathlib
import runpy

import pytest

FOLDER = pathlib.Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize("example", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_examples_run(example: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out


def test_there_are_examples() -> None:
    assert list(FOLDER.glob("*.py"))
