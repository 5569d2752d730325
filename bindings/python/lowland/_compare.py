"""Which method to trust on some data, and how stable it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from . import _native
from ._arguments import (
    _PRECISIONS,
    _bytes,
    _count,
    _labels,
    _native_data,
    _seconds,
    _seed,
    _threads,
)
from ._base import Estimator
from ._compat import check_array
from ._progress import listener


def compare(
    X: Any,
    labels: Any = None,
    *,
    methods: Iterable[str] = (),
    grid: Mapping[str, Iterable[Any]] | None = None,
    n_components: int | None = None,
    k: int | None = None,
    rank_by: str | None = None,
    budget: float | str | None = None,
    stability_of: int = 5,
    work: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    name: str = "these data",
    random_state: Any = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    verbose: Any = False,
) -> dict[str, Any]:
    """Runs `methods` (all that fit, unless some are named) over their grids, judges every embedding of the rows of `X`,
    and says which method to trust.

    `labels` are classes (words, or at most fifty whole numbers), which are judged too, or values, which only color
    the pictures. `grid` replaces the values that are tried: `{"n_neighbors": [8, 12]}` for every method that has the
    parameter, `{"isomap.n_neighbors": [8]}` for one. `n_components` is estimated unless given. `rank_by` is a measure,
    or the mean of trustworthiness and continuity. After `budget` (seconds, or words such as '10min'), what has not ended is left out.
    `stability_of` is of how many of the best methods the stability is measured. Finished settings are kept in the
    folder `work`, and a call that was interrupted goes on from there. `report` is where a page of HTML goes, in which
    the data are called `name`.

    Returns a dictionary: `advice` with its `recommendation`, `reasons` and `doubts`; the `ranking`, best first; all
    `cells` with their `measures`, costs and warnings, or why they were skipped or failed; and the `rows` that the
    pictures show."""
    X = check_array(X, dtype=_PRECISIONS, ensure_all_finite=False)
    numbers, names, values = _understood(labels)
    if isinstance(methods, str):
        methods = [methods]
    options = {
        "methods": [getattr(method, "_method", method) for method in methods],
        "grid": [f"{key}={','.join(map(_word, tried))}" for key, tried in (grid or {}).items()],
        "dimensions": None if n_components is None else _count("n_components", n_components),
        "k": None if k is None else _count("k", k),
        "rank_by": rank_by,
        "budget": _seconds(budget),
        "stability_of": _count("stability_of", stability_of),
        "work": None if work is None else fspath(work),
        "labels": numbers,
        "names": names,
        "values": values,
        "report": None if report is None else name,
    }
    settings = _native.Settings(
        seed=_seed(random_state),
        threads=_threads(n_jobs),
        memory=_bytes(memory),
        progress=listener(verbose),
    )
    comparison, page = _native.compare(_native_data(X), options, settings)
    if report is not None and page is not None:
        _native.write(report, page.encode())
    found = json.loads(comparison)
    found["rows"] = np.asarray(found["rows"], dtype=np.int64)
    for cell in found["cells"]:
        if "picture" in cell:
            cell["picture"] = {key: np.asarray(values) for key, values in cell["picture"].items()}
    return found


def stability(
    estimator: Estimator,
    X: Any,
    y: Any = None,
    *,
    share: float | Sequence[float] = 0.02,
    splits: int = 10,
    held_out: int = 5,
    random_state: Any = None,
) -> dict[str, Any] | list[dict[str, Any]]:
    """Bengio's experiment on a method with its parameters: how far points move when a `share` of the rows of `X` is
    exchanged (`substitution`), how far a new point lands from its position when `held_out` rows at a time are left out of
    the fit (`out_of_sample`), and the `difference` of the two. Each is a share of the spread of the embedding, after
    alignment, with a 95 % interval over the `splits`. The estimator is not changed. Several shares give a list, one result
    each."""
    data = _native_data(check_array(X, dtype=_PRECISIONS, ensure_all_finite=False))
    numbers = estimator._learned(y)
    settings = _native.Settings(
        seed=_seed(random_state), threads=_threads(estimator.n_jobs), memory=_bytes(estimator.memory)
    )
    method = (estimator._method, estimator._parameters())

    def measured(one: float) -> dict[str, Any]:
        experiment = (one, _count("splits", splits), _count("held_out", held_out))
        return json.loads(_native.stability(method, data, numbers, experiment, settings))

    return [measured(one) for one in share] if isinstance(share, Sequence) else measured(share)


def _word(value: Any) -> str:
    """A value of a grid as the command line writes it: a list is in brackets."""
    return f"[{','.join(map(_word, value))}]" if isinstance(value, (list, tuple)) else str(value)


def _understood(labels: Any) -> tuple[list[int] | None, list[str] | None, list[float] | None]:
    """Labels as classes with their names, or as values."""
    if labels is None:
        return None, None, None
    numbers = _labels(labels, "compare")
    labels = np.asarray(labels).ravel()
    if labels.dtype.kind in "iuf":
        values = labels.astype(float)
        if not _native.are_classes(values):
            return None, None, values.tolist()
        return numbers, [f"{value:.0f}" for value in values], None
    return numbers, [str(label) for label in labels], None
