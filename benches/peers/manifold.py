"""Manifold learning by scikit-learn, SciPy and tapkee."""

import numpy as np
from contestant import main


def recovered(points, embedding):
    """The lesser of the correlations of a Swiss roll's arc length and height with their best linear fits."""
    t = np.hypot(points[:, 0], points[:, 2])
    truth = np.column_stack([0.5 * (t * np.hypot(t, 1) + np.arcsinh(t)), points[:, 1]])
    truth = truth - truth.mean(axis=0)
    y = embedding - embedding.mean(axis=0)
    fitted = y @ np.linalg.lstsq(y, truth, rcond=None)[0]
    return min(np.corrcoef(fitted[:, j], truth[:, j])[0, 1] for j in range(2))


def judged(points):
    def judge(embedding):
        figures = {"first": (embedding[:, 0] ** 2).sum()}
        if points.shape[1] == 3 and embedding.shape[1] == 2:
            figures["recovered"] = recovered(points, embedding)
        return figures

    return judge


def isomap(arguments):
    from sklearn.manifold import Isomap

    points = arguments.load()
    model = Isomap(n_components=arguments.number("n_components"), n_neighbors=arguments.number("n_neighbors"))
    return lambda: model.fit_transform(points), judged(points)


def landmark_isomap(arguments):
    import tapkee

    points = arguments.load()
    columns = np.asfortranarray(points.T)
    ratio = arguments.number("landmarks") / len(points)

    def timed():
        return tapkee.embed(
            columns,
            method="l-isomap",
            num_neighbors=arguments.number("n_neighbors"),
            target_dimension=arguments.number("n_components"),
            landmark_ratio=ratio,
        )

    return timed, judged(points)


def kernel_pca(arguments):
    from sklearn.decomposition import KernelPCA
    from sklearn.metrics.pairwise import rbf_kernel

    points, count = arguments.load(), arguments.number("n_components")
    gamma = arguments.number("gamma_thousandths") / 1000
    model = KernelPCA(count, kernel="rbf", gamma=gamma, eigen_solver="arpack", random_state=0)

    def judge(embedding):
        kernel = rbf_kernel(points, gamma=gamma)
        kernel -= kernel.mean(axis=0)
        kernel -= kernel.mean(axis=1)[:, None]
        vectors = embedding / np.linalg.norm(embedding, axis=0)
        wrong = np.linalg.norm(kernel @ vectors - vectors * model.eigenvalues_, axis=0).max()
        return {"residual": wrong / model.eigenvalues_[0], "first": (embedding[:, 0] ** 2).sum()}

    return lambda: model.fit_transform(points), judge


def locally_linear(method):
    def work(arguments):
        from sklearn.manifold import LocallyLinearEmbedding

        points = arguments.load()
        model = LocallyLinearEmbedding(
            n_components=arguments.number("n_components"),
            n_neighbors=arguments.number("n_neighbors"),
            method=method,
            eigen_solver="arpack",
            random_state=0,
            n_jobs=arguments.number("threads"),
        )
        return lambda: model.fit_transform(points), judged(points)

    return work


def transform(make):
    """New rows by a model that is fitted, outside the time taken, to the first of them."""

    def work(arguments):
        points = arguments.load()
        model = make(
            n_components=arguments.number("n_components"),
            n_neighbors=arguments.number("n_neighbors"),
            n_jobs=arguments.number("threads"),
        ).fit(points[: arguments.number("training")])
        return lambda: model.transform(points), lambda embedding: {"recovered": recovered(points, embedding)}

    return work


def new_rows_of_isomap(**settings):
    from sklearn.manifold import Isomap

    return Isomap(**settings)


def new_rows_of_lle(**settings):
    from sklearn.manifold import LocallyLinearEmbedding

    return LocallyLinearEmbedding(eigen_solver="arpack", random_state=0, **settings)


def by_tapkee(method):
    def work(arguments):
        import tapkee

        points = arguments.load()
        columns = np.asfortranarray(points.T)

        def timed():
            return tapkee.embed(
                columns,
                method=method,
                num_neighbors=arguments.number("n_neighbors"),
                target_dimension=arguments.number("n_components"),
            )

        return timed, judged(points)

    return work


def classical_mds(arguments):
    from sklearn.manifold import ClassicalMDS

    points = arguments.load()
    model = ClassicalMDS(n_components=arguments.number("n_components"))
    return lambda: model.fit_transform(points), judged(points)


def scaling_eigsh(arguments):
    from scipy.sparse.linalg import eigsh
    from scipy.spatial.distance import cdist

    points, count = arguments.load(), arguments.number("n_components")

    def timed():
        kernel = -0.5 * cdist(points, points, "sqeuclidean")
        kernel -= kernel.mean(axis=0)
        kernel -= kernel.mean(axis=1)[:, None]
        values, vectors = eigsh(kernel, count, which="LA")
        order = np.argsort(-values)
        return vectors[:, order] * np.sqrt(values[order])

    return timed, judged(points)


if __name__ == "__main__":
    main(
        {
            "isomap": isomap,
            "transform-isomap": transform(new_rows_of_isomap),
            "transform-lle": transform(new_rows_of_lle),
            "landmark-isomap": landmark_isomap,
            "kernel-pca": kernel_pca,
            "lle": locally_linear("standard"),
            "modified-lle": locally_linear("modified"),
            "hessian-lle": locally_linear("hessian"),
            "ltsa": locally_linear("ltsa"),
            "tapkee-hlle": by_tapkee("hlle"),
            "tapkee-ltsa": by_tapkee("ltsa"),
            "classical-mds": classical_mds,
            "scaling-eigsh": scaling_eigsh,
        }
    )
