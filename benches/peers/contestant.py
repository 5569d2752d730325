"""The peers' side of the protocol of `cargo xtask bench`, and the figures of quality they share.

CONTRIBUTING.md describes the protocol; `benches/src/protocol.rs` is the same in Rust.
"""

import gc
import json
import math
import os
import signal
import sys
import time

import numpy as np

signal.signal(signal.SIGINT, signal.SIG_DFL)  # an interrupt needs no traceback
# Whatever a library prints must not come between the answers.
_answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


class Arguments(dict):
    """The words `key=value` of the command line."""

    def number(self, key):
        return int(self[key])

    def load(self, part=""):
        """One of the arrays of the data set, by what follows the set's name in its name."""
        return np.load(f"{self['data']}{part}.npy")


def _memory(key):
    """A line of Linux's account of this process, in bytes; None on other systems."""
    try:
        with open("/proc/self/status") as status:
            line = next(line for line in status if line.startswith(key))
    except (OSError, StopIteration):
        return None
    return int(line.split()[1]) * 1024


def _forget_peak():
    """Lets the peak of the resident set begin again, where Linux allows it."""
    try:
        with open("/proc/self/clear_refs", "w") as switch:
            switch.write("5")
    except OSError:
        pass


def _answer(**fields):
    print(json.dumps(fields), file=_answers, flush=True)


def main(works):
    """Does one of the works, each a function from the arguments to what is timed and what judges it."""
    if len(sys.argv) < 2 or sys.argv[1] not in works:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join(works)} key=value...")
    timed, judge = works[sys.argv[1]](Arguments(word.split("=", 1) for word in sys.argv[2:]))
    gc.collect()
    _forget_peak()
    resident = _memory("VmRSS:")
    _answer(ready=True)
    result = None
    for line in sys.stdin:
        if line.strip() == "run":
            result = None  # not two results at once
            gc.collect()
            begun = time.perf_counter()
            result = timed()
            _answer(seconds=time.perf_counter() - begun)
        elif line.strip() == "report":
            peak = _memory("VmHWM:")
            quality = {name: float(value) for name, value in judge(result).items()}
            finite = {name: value if math.isfinite(value) else None for name, value in quality.items()}
            _answer(resident_bytes=resident, peak_bytes=peak, quality=finite)
            return
        else:
            sys.exit(f"neither `run` nor `report`: {line!r}")


def residual(matrix, values, vectors):
    """max ||A v - l v|| / (||A||_1 ||v||): how far the worst pair is from being an eigenpair of A."""
    wrong = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    return (wrong / np.linalg.norm(vectors, axis=0)).max() / abs(matrix).sum(axis=0).max()


def recall(arguments, data, found):
    """The fraction of the true neighbors that were found, over the rows of the reference. Found is what is
    no farther than the farthest true one: of equally far points any will do."""
    k = arguments.number("k")
    rows = arguments.load(f".neighbors-{k}.rows")
    truth = arguments.load(f".neighbors-{k}")
    hits = 0
    for row, distances in zip(rows, truth):
        near = np.unique([j for j in found[row] if j != row and j >= 0])
        apart = np.linalg.norm(data[near].astype(np.float64) - data[row].astype(np.float64), axis=1)
        hits += min(k, np.count_nonzero(apart <= distances[-1] * (1 + 1e-6)))
    return hits / truth.size


def subspace_error(arguments, axes):
    """||C - C V'V||_F / ||C||_F: how much of the found axes (rows of C) lies outside the true ones (of V)."""
    truth = arguments.load(f".components-{arguments.number('components')}")
    axes = axes.astype(np.float64)
    return np.linalg.norm(axes - (axes @ truth.T) @ truth) / np.linalg.norm(axes)
