"""PCA by scikit-learn."""

from contestant import main, subspace_error
from sklearn.decomposition import PCA


def pca(arguments):
    data, components = arguments.load(), arguments.number("components")

    def timed():
        model = PCA(components, svd_solver="covariance_eigh")
        return model, model.fit_transform(data)

    return timed, lambda result: {"subspace_error": subspace_error(arguments, result[0].components_)}


main({"pca": pca})
