"""`sklearn.manifold` by Lowland."""

from __future__ import annotations

from typing import Any

import sklearn.manifold as theirs

from ._isomap import Isomap
from ._local import LocallyLinearEmbedding, locally_linear_embedding
from ._scaling import MDS, smacof
from ._shared import of_scikit_learn
from ._spectral import SpectralEmbedding, spectral_embedding
from ._tsne import TSNE, trustworthiness

__all__ = [
    "MDS",
    "TSNE",
    "Isomap",
    "LocallyLinearEmbedding",
    "SpectralEmbedding",
    "locally_linear_embedding",
    "smacof",
    "spectral_embedding",
    "trustworthiness",
]

if hasattr(theirs, "ClassicalMDS"):
    from ._classical import ClassicalMDS

    __all__ += ["ClassicalMDS"]


def __getattr__(name: str) -> Any:
    return of_scikit_learn(theirs, name)
