"""Laplacian eigenmaps and spectral clustering by scikit-learn, diffusion maps in NumPy and SciPy."""

import numpy as np
from contestant import main
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import SpectralClustering
from sklearn.manifold import SpectralEmbedding


def judge_embedding(graph, embedding):
    """The residual of the Rayleigh quotients of the returned vectors, and the sum of the walk's eigenvalues."""
    matrix, roots = laplacian(graph, normed=True, return_diag=True)
    vectors = embedding * roots[:, None]
    vectors = vectors / np.linalg.norm(vectors, axis=0)
    image = matrix @ vectors
    values = (vectors * image).sum(axis=0)
    residual = np.linalg.norm(image - vectors * values, axis=0).max()
    return {"residual": residual, "eigenvalue_sum": (1 - values).sum()}


def eigenmaps(arguments):
    data, k, count = arguments.load(), arguments.number("k"), arguments.number("components")

    def timed():
        # Its neighborhoods count the point itself.
        model = SpectralEmbedding(count, affinity="nearest_neighbors", n_neighbors=k + 1, eigen_solver="arpack", random_state=0)
        return model.fit(data)

    return timed, lambda model: judge_embedding(model.affinity_matrix_, model.embedding_.astype(np.float64))


def clusters(arguments):
    data, k, count = arguments.load(), arguments.number("k"), arguments.number("components")

    def timed():
        model = SpectralClustering(
            count, affinity="nearest_neighbors", n_neighbors=k + 1, eigen_solver="arpack", random_state=0
        )
        return model.fit(data)

    return timed, lambda model: {"clusters": len(np.unique(model.labels_))}


def diffusion(arguments):
    """As pydiffmap and others do it: all distances, alpha = 1, the symmetric matrix, ARPACK."""
    data, count, width = arguments.load(), arguments.number("components"), arguments.number("width")

    def timed():
        weights = np.exp(squareform(pdist(data, "sqeuclidean")) / (-2 * width**2))
        densities = weights.sum(axis=1)
        weights /= np.outer(densities, densities)
        roots = np.sqrt(weights.sum(axis=1))
        weights /= np.outer(roots, roots)
        values, vectors = eigsh(weights, count + 1, which="LA", v0=np.ones(len(data)))
        return weights, values[-2::-1], vectors[:, -2::-1]

    def judge(result):
        matrix, values, vectors = result
        return {
            "residual": np.linalg.norm(matrix @ vectors - vectors * values, axis=0).max(),
            "eigenvalue_sum": values.sum(),
        }

    return timed, judge


main({"eigenmaps": eigenmaps, "clusters": clusters, "diffusion": diffusion})
