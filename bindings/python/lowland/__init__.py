"""Dimensionality reduction: every classic method behind one contract."""

from . import _estimators
from ._base import Estimator, FitWarning, load
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
from ._native import __version__
from ._quality import IntrinsicDimension, continuity, evaluate, intrinsic_dimension, trustworthiness

__all__ = [
    *_estimators.__all__,
    "Estimator",
    "FileError",
    "FitWarning",
    "InputError",
    "IntrinsicDimension",
    "LowlandError",
    "MemoryBudgetError",
    "ModelFileError",
    "NotConvergedError",
    "ParameterError",
    "UnsupportedError",
    "__version__",
    "compare",
    "continuity",
    "evaluate",
    "intrinsic_dimension",
    "load",
    "stability",
    "trustworthiness",
]
