"""The pictures of the gallery: every method on the same six data sets, drawn by the program.

A picture is kept under the hash of the program and of the words it was called with: a second build draws nothing.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROWS = 1000
SETS = ["swiss-roll", "swiss-hole", "helix", "twin-peaks", "severed-sphere", "clusters-3d"]
SIZE = "400x400"


@dataclass
class Drawing:
    """One picture, or why there is none."""

    method: str
    data: str
    command: str
    picture: Path | None
    message: str
    warnings: list[str]


def words(method: dict, data: str, labels: Path | None) -> list[str]:
    """What the program is called with, but for the picture."""
    given = ["embed", f"data:{data}?n={ROWS}", "-m", method["name"], "-d", "2"]
    return given if labels is None else [*given, "--labels", str(labels)]


def cut(program: str, data: str, folder: Path) -> Path:
    """Labels for the methods that need them: the first true parameter, cut into five classes of one size."""
    truth, labels = folder / f"{data}.truth.csv", folder / f"{data}.labels.csv"
    points = folder / f"{data}.csv"
    make = [program, "data", data, "-n", str(ROWS), "-o", str(points), "--truth", str(truth), "--labels", str(labels), "--force", "-q"]
    subprocess.run(make, check=True)
    values = [float(line.split(",")[0]) for line in truth.read_text().splitlines()[1:]]
    order = sorted(range(len(values)), key=values.__getitem__)
    classes = [0] * len(values)
    for place, row in enumerate(order):
        classes[row] = place * 5 // len(values)
    labels.write_text("".join(f"{c}\n" for c in classes))
    return labels


def draw(program: str, methods: list[dict], cache: Path) -> list[Drawing]:
    """All pictures, two at a time."""
    cache.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(Path(program).read_bytes()).hexdigest()
    # The clusters have labels of their own.
    labels = {data: cut(program, data, cache) for data in SETS if data != "clusters-3d"}

    def one(work: tuple[dict, str]) -> Drawing:
        method, data = work
        given = words(method, data, labels.get(data) if method["capabilities"]["labels"] else None)
        shown = shlex.join(["lowland", *(Path(w).name if w.endswith(".csv") else w for w in given)])
        key = hashlib.sha256("\0".join([digest, SIZE, shown]).encode()).hexdigest()[:24]
        picture, said = cache / f"{key}.png", cache / f"{key}.txt"
        if not said.exists():
            look = ["--plot", str(picture), "--size", SIZE, "--title", method["title"], "--threads", "1", "--force"]
            done = subprocess.run([program, *given, *look], capture_output=True, text=True, errors="replace")
            # Renamed last, so that what was interrupted is drawn again.
            part = said.with_suffix(".part")
            part.write_text(done.stderr, encoding="utf-8")
            os.replace(part, said)
        lines = said.read_text(encoding="utf-8").splitlines()
        warnings = [line.removeprefix("warning: ") for line in lines if line.startswith("warning: ")]
        if picture.exists():
            return Drawing(method["name"], data, shown, picture, "", warnings)
        errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        return Drawing(method["name"], data, shown, None, " ".join(errors) or "The program failed.", warnings)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, [(method, data) for method in methods for data in SETS]))
