"""Arguments that all estimators and functions share, as the native side takes them."""

from __future__ import annotations

import os
import sys
import warnings
from numbers import Number
from operator import index
from typing import Any

import numpy as np

from . import _native
from ._errors import InputError, ParameterError

_PRECISIONS = [np.float64, np.float32]
# Where a warning is not to point.
_INSIDE = {__name__.split(".")[0], "sklearn"}


def _labels(y: Any, name: str, *, unknown: bool = False) -> list[int]:
    """Whole numbers as they are; other labels as numbers from 0 on, in their order. With `unknown`, labels that are missing
    or -1 are -1."""
    y = _one_a_row(y, name)
    missing = np.zeros(len(y), dtype=bool)
    if y.dtype.kind == "f":
        missing = np.isnan(y)
    elif y.dtype.kind in "mM":
        missing = np.isnat(y)
    elif y.dtype.kind == "O":
        missing = np.array([_is_missing(value) or (unknown and _is_unknown(value)) for value in y], dtype=bool)
    known = y[~missing]
    if y.dtype.kind == "O":
        known = _of_one_kind(known.tolist())
    is_infinite = known.dtype.kind == "f" and not np.isfinite(known).all()
    if is_infinite or (missing.any() and not unknown):
        raise InputError("the labels y contain NaN or infinity")
    numbers = np.full(len(y), -1, dtype=np.int64)
    # Beyond, not every whole number is a double.
    whole = known.dtype.kind in "biu" or (known.dtype.kind == "f" and (known == np.round(known)).all())
    if whole and (len(known) == 0 or np.abs(known.astype(float)).max() <= 2.0**53):
        numbers[~missing] = known
        return numbers.tolist()
    ranked = np.ones(len(known), dtype=bool)
    if unknown and known.dtype.kind == "f":
        ranked = known != -1
    missing[~missing] = ~ranked
    numbers[~missing] = np.unique(known[ranked], return_inverse=True)[1]
    return numbers.tolist()


def _one_a_row(y: Any, name: str) -> np.ndarray:
    """The labels as a vector. Those of a list stay as they are: as an array, 1 and '1' would be the same."""
    if y is None:
        raise InputError(f"{name} requires y to be passed, but the target y is None")
    y = np.asarray(y, dtype=object if isinstance(y, (list, tuple)) else None)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {y.shape} instead")
    return y


def _of_one_kind(labels: list[Any]) -> np.ndarray:
    """The labels as an array that can be put in order."""
    kinds = sorted({_kind_of(label) for label in labels})
    if len(kinds) > 1:
        raise InputError(f"the labels y are {' and '.join(kinds)}; give labels of one kind")
    try:
        known = np.asarray(labels)
        if known.ndim == 1:
            np.unique(known)
            return known
    except (TypeError, ValueError):
        pass
    raise InputError(f"the labels y are {kinds[0]}, which have no order; give numbers or words")


def _kind_of(label: Any) -> str:
    if isinstance(label, str):
        return "words"
    if isinstance(label, (Number, np.bool_)):
        return "numbers"
    return f"of the type {type(label).__name__}"


def _is_unknown(value: Any) -> bool:
    return isinstance(value, Number) and value == -1


def _is_missing(value: Any) -> bool:
    """Whether it is None, NaN, or what pandas has in their place."""
    nan = isinstance(value, (float, np.floating)) and value != value
    return nan or value is None or type(value).__name__ in ("NAType", "NaTType")


def _native_data(X: Any) -> Any:
    """Arrays as they lie; sparse rows as (rows, columns, offsets, indices, values)."""
    if hasattr(X, "indptr"):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return (*X.shape, X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data)
    X = np.asarray(X)
    if not X.flags.aligned or any(stride % X.itemsize for stride in X.strides):
        X = X.copy()
    return X


def _whole(value: Any) -> int | None:
    """A whole number of any kind, numpy's among them; None for everything else."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return index(value)
    except TypeError:
        return None


def _seed(random_state: Any) -> int:
    """None is 0: results repeat. Generators are drawn from."""
    if random_state is None:
        return 0
    whole = _whole(random_state)
    if whole is not None:
        if 0 <= whole < 2**64:
            return whole
    elif hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    elif hasattr(random_state, "randint"):
        return int(random_state.randint(2**31))
    raise ParameterError(
        f"random_state = {random_state!r} is no seed; give None, a whole number of at least 0, or a generator of numpy",
        name="random_state",
        value=random_state,
    )


def _count(name: str, value: Any) -> int:
    """A whole number that is not negative; what is too small or too large besides is reported by the method."""
    whole = _whole(value)
    if whole is not None and 0 <= whole < 2**63:
        return whole
    raise ParameterError(
        f"{name} = {value!r} is out of range: 0 to 2^63 - 1; give a whole number in it", name=name, value=value
    )


def _threads(n_jobs: Any) -> int:
    """None and -1 are all processors, -2 all but one, and so on."""
    if n_jobs is None or n_jobs == -1:
        return 0
    most = _native.most_threads()
    whole = _whole(n_jobs)
    if whole is not None and whole != 0 and whole <= most:
        return whole if whole > 0 else max(1, (os.cpu_count() or 1) + 1 + whole)
    raise ParameterError(
        f"n_jobs = {n_jobs!r} is out of range: 1 to {most}, or below 0; give a number in it, or -1 or None for "
        "as many as there are processors",
        name="n_jobs",
        value=n_jobs,
    )


def _bytes(memory: Any) -> int | None:
    """A budget: bytes, or words such as '8GiB' (powers of 1024, as '8g') and '500MB' (powers of 1000)."""
    if memory is None:
        return None
    whole = _whole(memory)
    if whole is not None and 0 <= whole < 2**64:
        return whole
    return _native.parse_bytes("memory", str(memory))


def _seconds(budget: Any) -> float | None:
    """A duration: seconds, or words such as '10min'."""
    return None if budget is None else _native.parse_duration("budget", str(budget))


def _warn(words: str, category: type[Warning]) -> None:
    """Warns at the line of whoever called the package, also where scikit-learn is in between."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(words, category, stacklevel=level)
