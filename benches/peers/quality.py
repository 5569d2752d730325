"""Trustworthiness by scikit-learn."""

import numpy as np
from contestant import main
from sklearn.manifold import trustworthiness
from sklearn.metrics.pairwise import euclidean_distances


def preservation(arguments):
    data, k = arguments.load(), arguments.number("k")
    places = np.arange(data.shape[1])
    embedding = data @ np.column_stack([np.cos(places), np.sin(places)])
    # The product of a matrix of this size with its own transpose ends in a segmentation fault in some builds of
    # OpenBLAS: of two copies it does not.
    other = data.copy()

    def timed():
        distances = euclidean_distances(data, other)
        return trustworthiness(distances, embedding, n_neighbors=k, metric="precomputed")

    return timed, lambda trust: {"distrust": 1.0 - trust}


main({"preservation": preservation})
