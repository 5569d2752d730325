"""What bounds the rest, by NumPy: the matrix products of a PCA, and the bandwidth of memory."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from contestant import main


def products(arguments):
    """X'X, of which BLAS computes one half, and X V."""
    data = arguments.load()
    axes = arguments.load(f".components-{arguments.number('components')}").T.astype(data.dtype, order="C")

    def judge(result):
        # ||X V||_F^2 is the trace of V' (X'X) V.
        gram, projected = (array.astype(np.float64) for array in result)
        wide = axes.astype(np.float64)
        trace = np.sum(wide * (gram @ wide))
        return {"mismatch": abs(np.sum(projected**2) - trace) / trace}

    return lambda: (data.T @ data, data @ axes), judge


def copy(arguments):
    data, threads = arguments.load().ravel(), arguments.number("threads")
    target = np.ones_like(data)  # not zeros: the pages are there before the first copy
    cuts = np.linspace(0, data.size, threads + 1).astype(int)
    parts = [slice(a, b) for a, b in zip(cuts, cuts[1:])]
    pool = ThreadPoolExecutor(threads)

    def timed():
        list(pool.map(lambda part: np.copyto(target[part], data[part]), parts))
        return target

    return timed, lambda copied: {"wrong": np.count_nonzero(copied != data)}


main({"products": products, "copy": copy})
