"""`sklearn.cluster` by Lowland: what of it needs the spectrum of a graph."""

from __future__ import annotations

from typing import Any

import sklearn.cluster as theirs

from ._shared import of_scikit_learn
from ._spectral import SpectralClustering, spectral_clustering

__all__ = ["SpectralClustering", "spectral_clustering"]


def __getattr__(name: str) -> Any:
    return of_scikit_learn(theirs, name)
