"""Eigenpairs by SciPy's ARPACK."""

import numpy as np
from contestant import main, residual
from scipy.sparse import csc_array
from scipy.sparse.linalg import eigsh


def start(n):
    """scikit-learn's starting vector."""
    return np.random.RandomState(0).uniform(-1, 1, n)


def judge(matrix):
    return lambda pairs: {"residual": residual(matrix, *pairs), "eigenvalue_sum": pairs[0].sum()}


def smallest(arguments):
    """As scikit-learn's null_space does it, but to full accuracy."""
    indptr = arguments.load(".indptr")
    arrays = (arguments.load(".values"), arguments.load(".indices"), indptr)
    n = len(indptr) - 1
    # Columns of a symmetric matrix are its rows; the factorization wants columns.
    matrix = csc_array(arrays, shape=(n, n))
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    pairs = arguments.number("pairs")
    return lambda: eigsh(matrix, pairs, sigma=0.0, tol=0, v0=start(n)), judge(matrix)


def largest(arguments):
    matrix = arguments.load()
    pairs = arguments.number("pairs")
    return lambda: eigsh(matrix, pairs, which="LA", tol=0, v0=start(len(matrix))), judge(matrix)


main({"smallest": smallest, "largest": largest})
