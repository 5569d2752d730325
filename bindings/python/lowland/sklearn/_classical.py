"""Classical scaling by Lowland."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.manifold as theirs
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import check_symmetric

from ._shared import Ours, layout_of, signs_of_rows

__all__ = ["ClassicalMDS"]


class ClassicalMDS(Ours, theirs.ClassicalMDS):
    """Classical scaling of points or of given dissimilarities.

    Examples
    --------
    >>> import numpy as np
    >>> from lowland.sklearn import ClassicalMDS
    >>> ClassicalMDS(2).fit_transform(np.eye(6)).shape
    (6, 2)
    """

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fits the model and returns the embedding of the rows of `X`."""
        X = self._checked(X, reset=True)
        if self.metric == "precomputed":
            self.dissimilarity_matrix_ = check_symmetric(X, raise_exception=True)
        else:
            self.dissimilarity_matrix_ = pairwise_distances(X, metric=self.metric, **(self.metric_params or {}))
        distances = self.dissimilarity_matrix_.astype(np.float64)
        count = min(self.n_components, len(X) - 1)
        model = self._native_fit("classical-mds", {"n_components": count}, distances, "distances")
        embedding = layout_of(model)
        self.embedding_ = embedding * signs_of_rows(embedding.T)
        self.eigenvalues_ = model.attributes()["eigenvalues"][:count]
        return self.embedding_
