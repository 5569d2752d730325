"""Dimensionality reduction: every classic method behind one contract.

Estimators with scikit-learn's interface, one a method (`lowland.methods()` lists them); functions that judge embeddings,
estimate dimensions, find neighbors, draw pictures and compare methods; `lowland.sklearn`, with scikit-learn's own names;
`lowland.anndata`.
"""

import importlib
from typing import Any

from . import _estimators
from ._base import ConvergenceWarning, Estimator, FitWarning, load
from ._compare import compare, stability
from ._errors import (
    FileError,
    InputError,
    LowlandError,
    MemoryBudgetError,
    ModelFileError,
    NotConvergedError,
    ParameterError,
    UnsupportedError,
)
from ._estimators import *
from ._functions import Neighbors, Sample, complete_kernel, data, estimator, kernel, methods, neighbors, oriented_pca
from ._native import __version__
from ._plot import Picture, plot
from ._quality import IntrinsicDimension, Outliers, continuity, evaluate, intrinsic_dimension, outliers, trustworthiness

dimension = intrinsic_dimension

__all__ = [
    "ConvergenceWarning",
    "Estimator",
    "FileError",
    "FitWarning",
    "InputError",
    "IntrinsicDimension",
    "LowlandError",
    "MemoryBudgetError",
    "ModelFileError",
    "Neighbors",
    "NotConvergedError",
    "Outliers",
    "ParameterError",
    "Picture",
    "Sample",
    "UnsupportedError",
    "__version__",
    "compare",
    "complete_kernel",
    "continuity",
    "data",
    "dimension",
    "estimator",
    "evaluate",
    "intrinsic_dimension",
    "kernel",
    "load",
    "methods",
    "neighbors",
    "oriented_pca",
    "outliers",
    "plot",
    "stability",
    "trustworthiness",
]
# In a form that type checkers read.
__all__ += _estimators.__all__


def __getattr__(name: str) -> Any:
    # They import what not everybody has, or waits for.
    if name in ("anndata", "sklearn"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
