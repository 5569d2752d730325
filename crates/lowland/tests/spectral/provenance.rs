//! A fit can be described and repeated: what automatic parameters became, what it was made from, how to cite it.

use crate::cloud;
use lowland::methods::{
    DiffusionMaps, Isomap, KernelPca, LandmarkMvu, LaplacianEigenmaps, Lle, Lpp, Npe, Onpp, OrientedPca, Pca,
    Ppca, PpcaAlgorithm, RandomProjection, SimplePca, SpectralClustering, TruncatedSvd, Tsne,
};
use lowland::parameters::Value;
use lowland::{Csr, Input, Method, Model, Run};
use ndarray::Array2;

fn real(model: &dyn Model, name: &str) -> f64 {
    match model.report().resolved.get(name) {
        Some(Value::Real(value)) => *value,
        other => panic!("{name}: {other:?}"),
    }
}

fn fit(method: &dyn Method, x: &Array2<f64>, seed: u64) -> Box<dyn Model> {
    method.fit(x.into(), &Run::new().with_seed(seed)).unwrap()
}

#[test]
fn what_was_left_open_is_reported_and_gives_the_same_fit() {
    let x = cloud(90, 4, 50);
    let same = |a: &dyn Model, b: &dyn Model| assert_eq!(crate::embedding(a), crate::embedding(b));
    let auto = fit(&KernelPca::default(), &x, 0);
    let gamma = real(&*auto, "gamma");
    same(&*auto, &*fit(&KernelPca { gamma: Some(gamma), ..KernelPca::default() }, &x, 0));
    let auto = fit(&LaplacianEigenmaps::default(), &x, 0);
    let width = real(&*auto, "width");
    let given = fit(&LaplacianEigenmaps { width: Some(width), ..LaplacianEigenmaps::default() }, &x, 0);
    same(&*auto, &*given);
    assert!(given.report().resolved.is_empty(), "{:?}", given.report().resolved);
    let auto = fit(&DiffusionMaps::default(), &x, 0);
    let width = real(&*auto, "width");
    same(&*auto, &*fit(&DiffusionMaps { width: Some(width), ..DiffusionMaps::default() }, &x, 0));
    let auto = fit(&Lpp::default(), &x, 0);
    let width = real(&*auto, "width");
    same(&*auto, &*fit(&Lpp { width: Some(width), ..Lpp::default() }, &x, 0));
    let auto = fit(&RandomProjection { eps: 0.49, ..RandomProjection::default() }, &x, 0);
    assert_eq!(auto.report().resolved.get("n_components"), Some(&Value::Integer(auto.components() as i64)));
}

/// What may be missing in the report though it is left open: what `auto` does without, or does not need for these data.
const NOT_CHOSEN: &[(&str, &str)] = &[
    ("landmarks", "all rows, but for the methods of landmarks"),
    ("radius", "neighbors are counted"),
    ("tear", "no edge is removed"),
    ("origin", "the mean"),
    ("weights", "all rows weigh the same"),
    ("slack", "none, or another in each of two steps"),
    ("second_perplexity", "one perplexity"),
    ("target_weight", "nothing is learned from labels"),
    ("degrees_of_freedom", "estimated, and only for densities that have them"),
    ("first_versions", "all versions for all layers"),
    ("regularization", "of DDA, where layers differ in it; a warning has it"),
    ("alpha", "of the way back of kernel PCA, found when that is first asked for"),
    ("pretraining_epochs", "nothing is pretrained"),
    ("n_pairs", "all pairs"),
    ("iterated_power", "for the randomized solver"),
    ("density", "for sparse random projections"),
    ("width", "for Gaussian affinities"),
];

/// Whatever a method chooses by itself is in the report, and choosing it again gives the same fit.
#[test]
fn the_choices_of_every_method_repeat_its_fit() {
    let x = cloud(96, 6, 55);
    let labels: Vec<i64> = (0..96).map(|row| row / 4).collect();
    for entry in lowland::registry::all() {
        let mut method = (entry.create)();
        for field in (entry.parameters)() {
            // Some are given where they could be left open.
            let _ = method.set(field.name, &Value::Auto);
        }
        let fitted = |method: &dyn Method| {
            let run = Run::new().with_seed(3);
            if entry.capabilities.labels {
                method.fit_labeled((&x).into(), &labels, &run).unwrap()
            } else {
                method.fit((&x).into(), &run).unwrap()
            }
        };
        let auto = fitted(&*method);
        let resolved = auto.report().resolved.clone();
        for (name, value) in auto.parameters() {
            let is_said = resolved.contains_key(name) || NOT_CHOSEN.iter().any(|known| known.0 == name);
            assert!(!value.is_open() || is_said, "{}: {name} is not among {resolved:?}", entry.name);
        }
        for (parameter, value) in &resolved {
            method.set(parameter, value).unwrap();
        }
        let again = fitted(&*method);
        // Spectral clustering looks at more eigenvectors where it counts clusters by them: the last digits differ.
        let (first, second) = (crate::embedding(&*auto), crate::embedding(&*again));
        let most = first.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let apart = (&first - &second).iter().fold(0.0f64, |most, value| most.max(value.abs()));
        assert!(apart <= 1e-10 * most, "{}: {apart:e}, {resolved:?}", entry.name);
        assert!(again.report().resolved.is_empty(), "{}: {:?}", entry.name, again.report().resolved);
    }
}

/// What is chosen only for some data or settings is reported there.
#[test]
fn what_few_fits_choose_is_reported_there() {
    let x = cloud(120, 6, 55);
    let holes = Array2::from_shape_fn((120, 6), |(i, j)| if i == 7 && j == 2 { f64::NAN } else { x[(i, j)] });
    for (name, settings, data, chosen) in [
        ("landmark-mds", "", &x, "landmarks = 50"),
        ("landmark-isomap", "", &x, "landmarks = 50"),
        ("landmark-mvu", "", &x, "landmarks = 60"),
        ("mds", "solver = sampled", &x, "n_pairs = 50"),
        ("sammon", "", &x, "solver = majorization"),
        ("pca", "svd_solver = randomized", &x, "iterated_power = 7"),
        ("random-projection", "kind = sparse", &x, "density = 0.4082482904638631"),
        ("spectral-clustering", "affinity = gaussian", &x, "width"),
        ("autoencoder", "pretraining = rbm", &x, "pretraining_epochs = 100"),
        ("ppca", "", &holes, "algorithm = em"),
        ("ppca", "", &x, "algorithm = closed"),
        ("factor-analysis", "", &holes, "algorithm = em"),
        ("t-sne", "early_exaggeration = 4", &x, "learning_rate = 30.0,120.0"),
        ("oriented-pca", "", &x, "regularization = 0.0"),
        ("distortion-discriminant-analysis", "n_layers = 1", &x, "regularization = 0.0"),
    ] {
        let mut method = (lowland::registry::find(name).unwrap().create)();
        if let Some((parameter, value)) = settings.split_once(" = ") {
            method.set(parameter, &Value::parse(value)).unwrap();
        }
        if matches!(name, "pca" | "random-projection") {
            method.set("n_components", &Value::Integer(3)).unwrap();
        }
        let labels: Vec<i64> = (0..120).map(|row| row / 4).collect();
        let model = method.fit_labeled(data.into(), &labels, &Run::new()).unwrap();
        let resolved = &model.report().resolved;
        let (parameter, value) = chosen.split_once(" = ").unwrap_or((chosen, ""));
        let found = resolved.get(parameter).unwrap_or_else(|| panic!("{name}: {resolved:?}"));
        assert!(value.is_empty() || *found == Value::parse(value), "{name}: {resolved:?}");
    }
}

/// What a fit chose is what it used: the neighbors of a given graph, and as many clusters as it found.
#[test]
fn choices_are_those_of_the_data() {
    // A ring in which each point has six neighbors.
    let edges: Vec<(usize, usize, f64)> =
        (0..60).flat_map(|i| [1, 2, 3].map(|far| (i, (i + far) % 60, far as f64))).collect();
    let both: Vec<(usize, usize, f64)> = edges.iter().flat_map(|&(i, j, d)| [(i, j, d), (j, i, d)]).collect();
    let graph = Csr::from_entries(60, 60, &both).unwrap();
    let model = Tsne::default().fit(Input::Graph(&graph).into(), &Run::new()).unwrap();
    let (perplexity, neighbors) =
        (real(&*model, "perplexity"), model.report().resolved["n_neighbors"].clone());
    let mut again = Tsne { perplexity: Some(perplexity), ..Tsne::default() };
    again.set("n_neighbors", &neighbors).unwrap();
    let again = again.fit(Input::Graph(&graph).into(), &Run::new()).unwrap();
    assert_eq!(crate::embedding(&*model), crate::embedding(&*again));
    // What was given stays as it is, also where a plan asks what a method would choose.
    let given: Box<dyn Method> = Box::new(Ppca { algorithm: PpcaAlgorithm::Em, ..Ppca::default() });
    let resolved = given.resolved_for(&Input::Points(cloud(60, 3, 56).view()).shape()).unwrap();
    assert_eq!(resolved.get("algorithm"), given.get("algorithm"));
    let clusters = fit(&SpectralClustering::default(), &cloud(60, 3, 56), 0);
    assert!(clusters.report().resolved.contains_key("n_clusters"));
}

#[test]
fn landmarks_seed_input_and_paper_are_in_the_report_and_in_the_file() {
    let x = cloud(120, 3, 51);
    let landmarks = Some(30);
    let methods: [Box<dyn Method>; 5] = [
        Box::new(LandmarkMvu { landmarks, ..LandmarkMvu::default() }),
        Box::new(Lle { landmarks, ..Lle::default() }),
        Box::new(LaplacianEigenmaps { landmarks, ..LaplacianEigenmaps::default() }),
        Box::new(Isomap { landmarks, ..Isomap::default() }),
        Box::new(KernelPca { landmarks, ..KernelPca::default() }),
    ];
    for method in methods {
        let (model, other) = (fit(&*method, &x, 7), fit(&*method, &x, 8));
        let report = model.report();
        let name = method.entry().name;
        let mut rows = report.landmarks.clone();
        rows.sort_unstable();
        rows.dedup();
        assert!(rows.len() == 30 && rows.iter().all(|&row| row < 120), "{name}: {rows:?}");
        assert_ne!(report.landmarks, other.report().landmarks, "{name}");
        let from = report.provenance.as_ref().unwrap();
        assert_eq!((from.seed, from.rows, from.columns), (7, 120, 3));
        assert_eq!(from.version, env!("CARGO_PKG_VERSION"));
        assert!(from.bibtex.starts_with("@misc{") && from.citation == method.entry().citation);
        assert_eq!(from.input_hash, other.report().provenance.as_ref().unwrap().input_hash);
        let mut moved = x.clone();
        moved[(5, 1)] += 1e-12;
        let moved = fit(&*method, &moved, 7);
        assert_ne!(from.input_hash, moved.report().provenance.as_ref().unwrap().input_hash);
        let loaded = lowland::load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.report(), report, "{name}");
    }
    // Known covariances take the place of rows.
    let oriented = |noise: f64| {
        let (signal, noise) = (Array2::eye(3) * 2.0, Array2::eye(3) * noise);
        let fit = OrientedPca::default().fit_covariances(signal.view(), noise.view(), &[0.0; 3], &Run::new());
        let report = fit.unwrap().report().clone();
        assert_eq!(report.resolved.get("regularization"), Some(&Value::Real(0.0)));
        report.provenance.unwrap().input_hash
    };
    assert!(oriented(1.0) == oriented(1.0) && oriented(1.0) != oriented(3.0));
    // A fit in chunks is of the same rows.
    let mut chunks = Method::chunks(&Pca::default()).unwrap();
    for rows in [0..50, 50..120] {
        chunks.push(x.slice(ndarray::s![rows, ..]).into(), &Run::new()).unwrap();
    }
    let hash = |model: &dyn Model| model.report().provenance.as_ref().unwrap().input_hash.clone();
    let in_chunks = chunks.finish(&Run::new()).unwrap();
    assert_eq!(hash(&*in_chunks), hash(&*fit(&Pca::default(), &x, 0)));
    let mut chunks = Method::chunks(&SimplePca::default()).unwrap();
    chunks.push((&x).into(), &Run::new()).unwrap();
    let in_chunks = chunks.finish(&Run::new()).unwrap();
    assert_eq!(in_chunks.report().resolved, fit(&SimplePca::default(), &x, 0).report().resolved);
    assert_eq!(in_chunks.report().resolved["n_components"], Value::Integer(2));
}

#[test]
fn the_further_eigenvalues_are_those_of_a_wider_fit() {
    let x = cloud(150, 20, 52);
    let wide = |mut method: Box<dyn Method>| {
        let few = fit(&*method, &x, 0);
        method.set("n_components", &Value::Integer(12)).unwrap();
        (few, fit(&*method, &x, 0))
    };
    let methods: [Box<dyn Method>; 9] = [
        Box::new(Lpp::default()),
        Box::new(Npe::default()),
        Box::new(Onpp::default()),
        Box::new(TruncatedSvd::default()),
        Box::new(Lle::default()),
        Box::new(Isomap::default()),
        Box::new(KernelPca::default()),
        Box::new(LaplacianEigenmaps::default()),
        Box::new(DiffusionMaps::default()),
    ];
    for mut method in methods {
        method.set("n_components", &Value::Integer(2)).unwrap();
        let name = method.entry().name;
        let (few, many) = wide(method);
        let further = &few.report().further_eigenvalues;
        assert_eq!(further.len(), 10, "{name}");
        let most = many.report().eigenvalues.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        for (found, value) in further.iter().zip(&many.report().eigenvalues[2..]) {
            assert!(
                (found - value).abs() < 2e-3 * most,
                "{name}: {further:?} {:?}",
                many.report().eigenvalues
            );
        }
    }
    let mut pca: Box<dyn Method> = Box::new(Pca::default());
    pca.set("n_components", &Value::Integer(2)).unwrap();
    let (few, many) = wide(pca);
    assert_eq!(few.report().further_eigenvalues.len(), 10);
    for (found, value) in few.report().further_eigenvalues.iter().zip(&many.report().eigenvalues[2..]) {
        assert!((found - value).abs() < 1e-10 * many.report().eigenvalues[0]);
    }
}

/// What follows the kept eigenvalues is shown where the coordinates are those of another eigenproblem, too.
#[test]
fn unfolding_alignment_and_orientation_have_further_eigenvalues() {
    let x = cloud(120, 8, 53);
    for name in ["mvu", "llc", "charting", "lltsa"] {
        let mut method = (lowland::registry::find(name).unwrap().create)();
        method.set("n_components", &Value::Integer(2)).unwrap();
        let model = fit(&*method, &x, 0);
        let report = model.report();
        assert!(!report.further_eigenvalues.is_empty(), "{name}");
        let last = report.eigenvalues.last().unwrap();
        let ascending = name != "mvu";
        let further = report.further_eigenvalues.iter();
        assert!(further.clone().all(|v| (v >= last) == ascending || v == last), "{name}: {report:?}");
    }
    let labels: Vec<i64> = (0..120).map(|i| i / 4).collect();
    for name in ["oriented-pca", "distortion-discriminant-analysis"] {
        let mut method = (lowland::registry::find(name).unwrap().create)();
        method.set("n_components", &Value::Integer(2)).unwrap();
        let few = method.fit_labeled((&x).into(), &labels, &Run::new()).unwrap();
        let further = &few.report().further_eigenvalues;
        assert!(!further.is_empty(), "{name}");
        if name == "oriented-pca" {
            assert_eq!(further.len(), 6);
            method.set("n_components", &Value::Integer(8)).unwrap();
            let all = method.fit_labeled((&x).into(), &labels, &Run::new()).unwrap();
            for (found, value) in further.iter().zip(&all.report().eigenvalues[2..]) {
                assert!((found - value).abs() < 1e-8 * all.report().eigenvalues[0], "{name}");
            }
        }
    }
}
