"""Trustworthiness by scikit-learn."""

import numpy as np
from contestant import main
from sklearn.manifold import trustworthiness


def preservation(arguments):
    data, k = arguments.load(), arguments.number("k")
    places = np.arange(data.shape[1])
    embedding = data @ np.column_stack([np.cos(places), np.sin(places)])
    return lambda: trustworthiness(data, embedding, n_neighbors=k), lambda trust: {"distrust": 1.0 - trust}


main({"preservation": preservation})
