"""How a fit reports what it is doing: to a function, as lines of print, or in a notebook as one text that changes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

# A stage, how many of its steps are done, and its seconds once it has ended.
Listener = Callable[[str, int, "float | None"], object]


def listener(verbose: Any) -> Listener | None:
    """Who hears of the stages: `verbose` itself where it is a function, nobody where it is false."""
    if callable(verbose):
        return verbose
    if not verbose:
        return None
    return Notebook() if _in_notebook() else _print_stage


def _print_stage(stage: str, _done: int, seconds: float | None) -> None:
    if seconds is not None:
        print(f"{stage}: {seconds:.3f} s", flush=True)


def _in_notebook() -> bool:
    """Whether the output can be changed afterward. IPython is not imported for this: a notebook has done so."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


class Notebook:
    """One output with a line a stage, changed at most ten times a second."""

    def __init__(self) -> None:
        from IPython import display  # type: ignore[import-not-found, unused-ignore]  # pyright: ignore[reportMissingImports]

        self._handle: Any = display.display(display.Pretty(""), display_id=True)
        self._make: Any = display.Pretty
        self._lines: dict[str, str] = {}
        self._shown = 0.0

    def __call__(self, stage: str, done: int, seconds: float | None) -> None:
        self._lines[stage] = f"{stage}: {seconds:.3f} s" if seconds is not None else f"{stage}: {done} steps ..."
        now = time.monotonic()
        if seconds is not None or now - self._shown > 0.1:
            self._shown = now
            self._handle.update(self._make("\n".join(self._lines.values())))
