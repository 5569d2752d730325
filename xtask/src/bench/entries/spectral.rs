//! Isomap, kernels, scaling, local geometry, new rows.

use super::{Benchmark, Demand, Rival, grouped, peer};

pub(super) fn isomap(kind: &str, data: String, n: usize, k: usize) -> Benchmark {
    // Geodesics of images lie on no roll that could be recovered.
    let roll = Demand::AtLeast { figure: "recovered", bound: 0.99 };
    Benchmark {
        name: format!("isomap-{kind}-{n}"),
        work: format!("Isomap to 2, {kind}, n = {}, {k} neighbors", grouped(n)),
        data,
        reference: None,
        arguments: vec![("n_components", 2), ("n_neighbors", k)],
        ours: "isomap",
        rivals: vec![peer("scikit-learn", "manifold.py", "isomap", Some(5.0))],
        demands: if kind == "roll" { vec![roll] } else { vec![] },
    }
}

/// The larger size takes tapkee too long to be asked.
pub(super) fn landmark_isomap(n: usize, landmarks: usize, with_peer: bool) -> Benchmark {
    let rival = peer("tapkee", "manifold.py", "landmark-isomap", Some(2.0));
    Benchmark {
        name: format!("landmark-isomap-{n}"),
        work: format!("landmark Isomap to 2, swiss roll, n = {}, {landmarks} landmarks", grouped(n)),
        data: format!("swiss_roll-{n}-f64"),
        reference: None,
        arguments: vec![("n_components", 2), ("n_neighbors", 12), ("landmarks", landmarks)],
        ours: "landmark-isomap",
        rivals: if with_peer { vec![rival] } else { vec![] },
        demands: vec![Demand::AtLeast { figure: "recovered", bound: 0.99 }],
    }
}

pub(super) fn kernel_pca(n: usize) -> Benchmark {
    Benchmark {
        name: "kernel-pca".into(),
        work: format!("kernel PCA, gaussian, {} x 50 to 10", grouped(n)),
        data: format!("decay-{n}x50-f64"),
        reference: None,
        arguments: vec![("n_components", 10), ("gamma_thousandths", 20)],
        ours: "kernel-pca",
        rivals: vec![peer("scikit-learn arpack", "manifold.py", "kernel-pca", Some(2.0))],
        demands: vec![Demand::NoWorse { figure: "residual", floor: 1e-14 }],
    }
}

pub(super) fn classical_mds(n: usize) -> Benchmark {
    Benchmark {
        name: "classical-mds".into(),
        work: format!("classical scaling to 2, {} x 50", grouped(n)),
        data: format!("decay-{n}x50-f64"),
        reference: None,
        arguments: vec![("n_components", 2)],
        ours: "classical-mds",
        rivals: vec![
            peer("scikit-learn ClassicalMDS", "manifold.py", "classical-mds", Some(10.0)),
            peer("SciPy cdist, eigsh", "manifold.py", "scaling-eigsh", Some(1.0)),
        ],
        demands: vec![],
    }
}

/// LLE and its relatives: the smallest eigenpairs of a sparse matrix.
pub(super) fn local_geometry(quick: bool) -> Vec<Benchmark> {
    let size = |full: usize, small: usize| if quick { small } else { full };
    let one = |method: &'static str, kind: &str, n: usize, rivals: Vec<Rival>| Benchmark {
        name: format!("{method}-{kind}-{n}"),
        work: format!("{method} to 2, {kind}, n = {}, 12 neighbors", grouped(n)),
        data: if kind == "roll" { format!("swiss_roll-{n}-f64") } else { format!("{kind}-{n}-f64") },
        reference: None,
        arguments: vec![("n_components", 2), ("n_neighbors", 12)],
        ours: method,
        rivals,
        demands: vec![Demand::AtMost { figure: "residual", bound: 1e-13 }],
    };
    let arpack = |work, target| peer("scikit-learn arpack", "manifold.py", work, Some(target));
    let tapkee = |work| peer("tapkee", "manifold.py", work, Some(20.0));
    let n = size(20_000, 2_000);
    vec![
        one("lle", "roll", n, vec![arpack("lle", 4.0)]),
        // scikit-learn's method of this name keeps too many directions; the work is the same.
        one("hessian-lle", "roll", n, vec![arpack("hessian-lle", 20.0), tapkee("tapkee-hlle")]),
        one("ltsa", "roll", n, vec![arpack("ltsa", 20.0), tapkee("tapkee-ltsa")]),
        one("modified-lle", "roll", n, vec![arpack("modified-lle", 20.0)]),
        one("lle", "mnist", n, vec![arpack("lle", 3.0)]),
        one("lle", "roll", size(1_000_000, 10_000), vec![]),
    ]
}

/// Ours alone, at three sizes: the cost of landmarks is to grow as the number of points.
pub(super) fn growth(method: &'static str, n: usize) -> Benchmark {
    Benchmark {
        name: format!("growth-{method}-{n}"),
        work: format!("{method} to 2, swiss roll, n = {}, 100 landmarks", grouped(n)),
        data: format!("swiss_roll-{n}-f64"),
        reference: None,
        arguments: vec![("n_components", 2), ("n_neighbors", 12), ("landmarks", 100)],
        ours: method,
        rivals: vec![],
        demands: vec![],
    }
}

/// New rows to their coordinates, by models that search neighbors among their training rows.
pub(super) fn new_rows(quick: bool) -> Vec<Benchmark> {
    let size = |full: usize, small: usize| if quick { small } else { full };
    let n = size(100_000, 5_000);
    let one = |method: &str, ours: &'static str, training: usize, rivals: Vec<Rival>| Benchmark {
        name: format!("transform-{method}-{n}"),
        work: format!(
            "{method}: {} new rows of a swiss roll, {} training rows, 12 neighbors",
            grouped(n),
            grouped(training)
        ),
        data: format!("swiss_roll-{n}-f64"),
        reference: None,
        arguments: vec![("n_components", 2), ("n_neighbors", 12), ("training", training)],
        ours,
        rivals,
        demands: vec![],
    };
    let peer = |work| vec![peer("scikit-learn", "manifold.py", work, Some(2.0))];
    // Without landmarks every new point starts a search of the graph.
    let mut landmarks = one("landmark-isomap", "transform-landmark-isomap", size(20_000, 1_000), vec![]);
    landmarks.arguments.push(("landmarks", size(100, 50)));
    vec![
        landmarks,
        one("isomap", "transform-isomap", size(1_000, 500), peer("transform-isomap")),
        one("lle", "transform-lle", size(20_000, 1_000), peer("transform-lle")),
        one("laplacian-eigenmaps", "transform-eigenmaps", size(20_000, 1_000), vec![]),
    ]
}
