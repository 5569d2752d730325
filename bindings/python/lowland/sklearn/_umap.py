"""UMAP under umap-learn's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arguments import _warn
from .._estimators import UMAP as Ours

__all__ = ["UMAP"]


class UMAP(Ours):
    """UMAP with the names, the order and the defaults of umap-learn's parameters.

    `low_memory`, `verbose`, `n_jobs` and `transform_seed` mean what they do there; results repeat with every seed, and
    the threads change nothing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lowland.sklearn import UMAP
    >>> X, _ = load_iris(return_X_y=True)
    >>> UMAP(10, n_epochs=50).fit_transform(X).shape
    (150, 2)
    """

    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        metric: Any = "euclidean",
        n_epochs: int | None = None,
        learning_rate: float = 1.0,
        init: Any = "spectral",
        min_dist: float = 0.1,
        spread: float = 1.0,
        low_memory: bool = True,
        n_jobs: int | None = -1,
        set_op_mix_ratio: float = 1.0,
        local_connectivity: float = 1.0,
        repulsion_strength: float = 1.0,
        negative_sample_rate: int = 5,
        random_state: Any = None,
        target_weight: float = 0.5,
        transform_seed: int = 42,
        verbose: bool = False,
        densmap: bool = False,
        dens_lambda: float = 2.0,
        dens_frac: float = 0.3,
        input: Any = "points",
        callback: Any = None,
        callback_every: int = 50,
        memory: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.metric = metric
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.init = init
        self.min_dist = min_dist
        self.spread = spread
        self.low_memory = low_memory
        self.n_jobs = n_jobs
        self.set_op_mix_ratio = set_op_mix_ratio
        self.local_connectivity = local_connectivity
        self.repulsion_strength = repulsion_strength
        self.negative_sample_rate = negative_sample_rate
        self.random_state = random_state
        self.target_weight = target_weight
        self.transform_seed = transform_seed
        self.verbose = verbose
        self.densmap = densmap
        self.dens_lambda = dens_lambda
        self.dens_frac = dens_frac
        self.input = input
        self.callback = callback
        self.callback_every = callback_every
        self.memory = memory

    def fit(self, X: Any, y: Any = None) -> UMAP:
        """Fits the method to the rows of `X`, and to the labels `y` where they are given; -1 is not known."""
        self._labeled = y is not None
        self._most = (X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))) - 1
        if isinstance(self.n_neighbors, int) and 1 <= self._most < self.n_neighbors:
            _warn(f"n_neighbors is larger than the dataset size; truncating to {self._most}", UserWarning)
        return super().fit(X, y)

    def _parameters(self) -> dict[str, Any]:
        parameters = super()._parameters()
        most = self.__dict__.get("_most", 0)
        if most >= 1 and isinstance(self.n_neighbors, int):
            parameters["n_neighbors"] = min(self.n_neighbors, most)
        if not self.__dict__.get("_labeled", False):
            parameters["target_weight"] = None
        for name in ("low_memory", "transform_seed", "densmap"):
            parameters.pop(name, None)
        if not self.densmap:
            parameters["dens_lambda"] = 0.0
        return parameters
