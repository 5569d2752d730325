//! Comparisons: what is tried, what is kept, what is said.

use lowland::compare::{Comparison, ComparisonOptions, Outcome};
use lowland::parameters::Value;
use lowland::stability::Experiment;
use lowland::{Cancel, Error, Run, data, registry};
use ndarray::Array2;
use rand::RngExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn roll(n: usize) -> Array2<f64> {
    data::find("swiss-roll").unwrap().sample(n, 0.0, 3).unwrap().points
}

fn few<'a>(methods: &[&str]) -> ComparisonOptions<'a> {
    ComparisonOptions {
        methods: methods.iter().map(|name| (*name).to_owned()).collect(),
        // PCA has no neighbors.
        grid: if methods == ["pca"] { vec![] } else { vec!["n_neighbors=7,10".parse().unwrap()] },
        dimensions: Some(2),
        stability_of: 0,
        ..ComparisonOptions::default()
    }
}

fn judged(found: &Comparison) -> usize {
    found.cells.iter().filter(|tried| tried.outcome.judged().is_some()).count()
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lowland-compare-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn isomap_unrolls_what_pca_cannot_and_the_advice_says_so() {
    let found = few(&["pca", "isomap", "lda", "Isomap"]).compare((&roll(1200)).into(), &Run::new()).unwrap();
    assert_eq!((found.n, found.features, found.dimensions, found.k), (1200, 3, 2, 12));
    assert_eq!(found.cells.len(), 4, "one of pca, two of isomap, one line for lda");
    assert_eq!(judged(&found), 3);
    let order: Vec<&str> = found.ranking.iter().map(|ranked| ranked.cell.method.as_str()).collect();
    assert_eq!(order, ["isomap", "pca"]);
    let (isomap, pca) = (&found.ranking[0], &found.ranking[1]);
    assert!(isomap.score.value > 0.99 && isomap.as_good && isomap.judged == 2, "{isomap:?}");
    assert!(!pca.as_good && pca.behind.low > 0.01, "{pca:?}");
    assert_eq!(found.advice.method.as_deref(), Some("isomap"));
    assert!(found.advice.recommendation.starts_with("Use isomap with n_neighbors = "), "{:?}", found.advice);
    assert!(found.advice.reasons.iter().any(|reason| reason.contains("PCA is behind")), "{:?}", found.advice);
    let lda = found.cells.iter().find(|tried| tried.cell.method == "lda").unwrap();
    assert!(matches!(&lda.outcome, Outcome::Skipped { reason, .. } if reason.contains("labels")));
}

#[test]
fn where_pca_is_as_good_it_is_recommended() {
    let mut rng = Run::new().rng("flat");
    let plane = Array2::from_shape_fn((300, 2), |_| rng.random::<f64>());
    let turn = Array2::from_shape_fn((2, 6), |_| rng.random::<f64>() - 0.5);
    let x = plane.dot(&turn) + Array2::from_shape_fn((300, 6), |_| 1e-4 * rng.random::<f64>());
    let found = few(&["isomap", "ltsa", "pca"]).compare((&x).into(), &Run::new()).unwrap();
    assert_eq!(found.advice.method.as_deref(), Some("pca"), "{:?}", found.advice);
    assert!(found.estimated_dimension.is_some_and(|d| (d.value - 2.0).abs() < 0.3));
    let free = ComparisonOptions { dimensions: None, ..few(&["pca"]) };
    assert_eq!(free.compare((&x).into(), &Run::new()).unwrap().dimensions, 2);
}

#[test]
fn doubts_name_a_disconnected_graph_and_better_methods_for_the_classes() {
    let mut rng = Run::new().rng("apart");
    // Three clusters far apart; what tells two classes apart is a narrow column.
    let labels: Vec<i64> = (0..240).map(|i| i64::from(i % 2 == 0)).collect();
    let x = Array2::from_shape_fn((240, 5), |(i, j)| match j {
        0 => 40.0 * (i % 3) as f64 + rng.random::<f64>(),
        4 => 0.05 * (labels[i] as f64) + 0.02 * rng.random::<f64>(),
        _ => 3.0 * rng.random::<f64>(),
    });
    let comparing = ComparisonOptions { labels: Some(&labels), ..few(&["isomap", "lda"]) };
    let comparing = ComparisonOptions { dimensions: Some(1), ..comparing };
    let found = comparing.compare((&x).into(), &Run::new()).unwrap();
    let doubts = found.advice.doubts.join("\n");
    assert!(doubts.contains("k-neighbor graph is disconnected at n_neighbors = 7, 10"), "{doubts}");
    let excluded = found.advice.excluded.join("\n");
    assert!(
        excluded.contains("lda: it learned from the labels") && excluded.contains("had not seen"),
        "{excluded}"
    );
    assert!(doubts.contains("cannot hold all of them"), "{doubts}");
    let by_class = ComparisonOptions { rank_by: Some("one_nn_error".into()), ..comparing };
    let found = by_class.compare((&x).into(), &Run::new()).unwrap();
    let order: Vec<&str> = found.ranking.iter().map(|ranked| ranked.cell.method.as_str()).collect();
    assert_eq!(order, ["isomap", "lda"], "what saw the labels is not the best by them");
    assert_eq!(found.advice.method.as_deref(), Some("isomap"));
    let wrong = ComparisonOptions { rank_by: Some("beauty".into()), ..by_class };
    let refused = wrong.compare((&x).into(), &Run::new()).unwrap_err().to_string();
    assert!(refused.contains("beauty") && refused.contains("one_nn_error"), "{refused}");
}

#[test]
fn finished_cells_are_not_redone_and_other_data_or_settings_are() {
    let folder = Folder::new("resume");
    let x = roll(150);
    let experiment = Experiment { splits: 2, ..Experiment::default() };
    let comparing = ComparisonOptions {
        work: Some(folder.0.clone()),
        stability_of: 1,
        experiment,
        ..few(&["isomap", "pca"])
    };
    let first = comparing.compare((&x).into(), &Run::new()).unwrap();
    assert_eq!(first.resumed, 0);
    let again = comparing.compare((&x).into(), &Run::new()).unwrap();
    assert_eq!(again.resumed, 3);
    // Seconds are measured: equal ones were read and not measured again.
    assert_eq!(first.cells, again.cells);
    assert_eq!(first.advice, again.advice);
    assert!(first.cells.iter().any(|tried| tried.stability.is_some()));
    let more = ComparisonOptions { grid: vec!["n_neighbors=7,10,12".parse().unwrap()], ..comparing.clone() };
    assert_eq!(more.compare((&x).into(), &Run::new()).unwrap().resumed, 3);
    assert_eq!(comparing.compare((&x).into(), &Run::new().with_seed(1)).unwrap().resumed, 0);
    let other = x.mapv(|v| v + 1.0);
    assert_eq!(comparing.compare((&other).into(), &Run::new()).unwrap().resumed, 0);
    // A torn or foreign file is as good as none.
    for entry in std::fs::read_dir(&folder.0).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }
    assert_eq!(comparing.compare((&x).into(), &Run::new()).unwrap().resumed, 0);
}

#[test]
fn results_do_not_depend_on_the_threads() {
    let x = roll(200);
    let of = |threads: usize| {
        let run = Run::new().with_threads(threads).unwrap();
        let mut found = few(&["isomap", "lle", "kernel-pca"]).compare((&x).into(), &run).unwrap();
        for tried in &mut found.cells {
            if let Outcome::Judged(judged) = &mut tried.outcome {
                (judged.seconds, judged.judging_seconds, judged.threads) = (0.0, 0.0, 0);
            }
        }
        (found.cells, found.ranking, found.advice)
    };
    assert_eq!(of(1), of(3));
}

#[test]
fn budgets_skip_and_say_why() {
    let x = roll(300);
    let spent = ComparisonOptions { budget: Some(Duration::ZERO), ..few(&["isomap", "pca"]) };
    let found = spent.compare((&x).into(), &Run::new()).unwrap();
    assert_eq!(judged(&found), 0);
    assert!(found.advice.method.is_none() && !found.advice.recommendation.is_empty());
    assert_eq!(found.advice.doubts, ["3 of 3 settings were not tried: the time budget was spent."]);
    for tried in &found.cells {
        assert!(matches!(&tried.outcome, Outcome::Skipped { reason, .. } if reason.contains("time budget")));
    }
    let small = Run::new().with_memory(200_000);
    let found = few(&["isomap", "pca"]).compare((&x).into(), &small).unwrap();
    let isomap = found.cells.iter().find(|tried| tried.cell.method == "isomap").unwrap();
    assert!(matches!(&isomap.outcome, Outcome::Skipped { reason, .. } if reason.contains("memory")));
    assert_eq!(found.ranking[0].cell.method, "pca");
    let doubts = found.advice.doubts.join("\n");
    assert!(doubts.contains("2 of 3 settings were not tried: more memory is needed"), "{doubts}");
    let reasons = found.advice.reasons.join("\n");
    assert!(reasons.contains("of 1 method in 1 setting:"), "{reasons}");
}

#[test]
fn a_setting_that_takes_too_long_is_stopped_and_the_others_are_not() {
    let x = roll(2_000);
    let folder = Folder::new("patience");
    // t-SNE takes several seconds, PCA next to nothing.
    let methods = ["pca", "t-sne"].map(str::to_owned).to_vec();
    let patient = ComparisonOptions {
        methods,
        grid: vec![],
        work: Some(folder.0.clone()),
        patience: None,
        ..few(&["pca"])
    };
    let hasty = ComparisonOptions { patience: Some(Duration::from_millis(1_500)), ..patient.clone() };
    for resumed in [0, 2] {
        let found = hasty.compare((&x).into(), &Run::new()).unwrap();
        let stopped: Vec<&str> = found
            .cells
            .iter()
            .filter_map(|tried| match &tried.outcome {
                Outcome::Skipped { reason, .. } => Some(reason.as_str()),
                _ => None,
            })
            .collect();
        let tsne = found.cells.iter().filter(|tried| tried.cell.method == "t-sne").count();
        assert_eq!((judged(&found), stopped.len()), (1, tsne));
        assert!(stopped.iter().all(|reason| reason.contains("stopped after 1")), "{stopped:?}");
        assert_eq!(found.resumed, if resumed == 0 { 0 } else { 1 + tsne });
    }
    // With more patience it is tried again.
    let less = ComparisonOptions { patience: Some(Duration::from_millis(1_501)), ..patient };
    assert_eq!(less.compare((&x).into(), &Run::new()).unwrap().resumed, 1);
}

#[test]
fn a_stability_that_the_time_does_not_suffice_for_is_a_doubt() {
    let x = roll(300);
    let folder = Folder::new("late");
    let first = ComparisonOptions { work: Some(folder.0.clone()), ..few(&["isomap", "pca"]) };
    first.compare((&x).into(), &Run::new()).unwrap();
    // The cells are finished, and nothing is left for their stability.
    let late = ComparisonOptions { stability_of: 2, budget: Some(Duration::ZERO), ..first };
    let found = late.compare((&x).into(), &Run::new()).unwrap();
    assert_eq!((judged(&found), found.resumed), (3, 3));
    let doubts = found.advice.doubts.join("\n");
    assert!(doubts.contains("The stability of 2 of 2 methods was not measured"), "{doubts}");
    assert!(!doubts.contains("not tried"), "{doubts}");
}

#[test]
fn wrong_options_are_refused_before_anything_is_fitted() {
    let x = roll(60);
    let folder = Folder::new("options");
    let labels: Vec<i64> = (0..60).map(|i| i % 2).collect();
    let refused = |comparing: ComparisonOptions<'_>, words: &str| {
        let comparing = ComparisonOptions { work: Some(folder.0.clone()), ..comparing };
        let error = comparing.compare((&x).into(), &Run::new()).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error:?}");
        assert!(error.to_string().contains(words), "{error} lacks '{words}'");
        assert!(!folder.0.exists(), "nothing was fitted: {error}");
    };
    let with =
        |text: &str| ComparisonOptions { grid: vec![text.parse().unwrap()], ..few(&["pca", "isomap"]) };
    refused(with("n_neighbours=7"), "'n_neighbors'");
    refused(with("isomap.n_neighbor=7"), "isomap has no parameter n_neighbor;");
    refused(with("lle.n_neighbors=7"), "compare lle too");
    refused(with("n_neighbors=5..9"), "5..9");
    let by = |measure: &str| ComparisonOptions { rank_by: Some(measure.into()), ..few(&["pca", "isomap"]) };
    refused(by("trustworthines"), "'trustworthiness'");
    refused(by("knn_error"), "give labels");
    for k in [0, 60, 99] {
        refused(ComparisonOptions { k: Some(k), ..few(&["pca"]) }, "n_neighbors = ");
    }
    assert!(by("raw_stress").compare((&x).into(), &Run::new()).is_ok());
    let labeled = ComparisonOptions { labels: Some(&labels), ..by("knn_error") };
    assert!(labeled.compare((&x).into(), &Run::new()).is_ok());
}

#[test]
fn with_units_as_good_is_a_share_of_the_best() {
    let x = roll(200).mapv(|v| 1e-6 * v);
    let ranked = |x: &Array2<f64>| {
        let by = ComparisonOptions { rank_by: Some("raw_stress".into()), ..few(&["pca", "isomap"]) };
        by.compare(x.into(), &Run::new()).unwrap()
    };
    let (small, large) = (ranked(&x), ranked(&x.mapv(|v| 1e6 * v)));
    let good = |found: &Comparison| {
        let of = |ranked: &lowland::compare::Ranked| (ranked.cell.method.clone(), ranked.as_good);
        found.ranking.iter().map(of).collect::<Vec<_>>()
    };
    // Both errors are tiny in these units, and isomap's is by far the larger one.
    assert_eq!(good(&small), [("pca".to_owned(), true), ("isomap".to_owned(), false)], "{:?}", small.ranking);
    assert_eq!(good(&small), good(&large));
}

#[test]
fn a_switch_stops_it_in_time() {
    let x = roll(2500);
    let switch = Cancel::default();
    let run = Run::new().with_cancel(switch.clone());
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        switch.cancel();
    });
    let begun = Instant::now();
    let found =
        ComparisonOptions { dimensions: Some(2), ..ComparisonOptions::default() }.compare((&x).into(), &run);
    assert!(matches!(found, Err(Error::Canceled)));
    assert!(begun.elapsed() < Duration::from_millis(1600), "{:?}", begun.elapsed());
}

#[test]
fn all_methods_run_on_a_small_set_and_the_json_comes_back() {
    let sample = data::find("blobs").unwrap().sample(90, 0.0, 1).unwrap();
    let labels: Vec<i64> = sample.labels.to_vec();
    let comparing = ComparisonOptions {
        labels: Some(&labels),
        grid: vec!["n_neighbors=8".parse().unwrap(), "diffusion-maps.t=10".parse().unwrap()],
        stability_of: 2,
        experiment: Experiment { splits: 2, ..Experiment::default() },
        ..ComparisonOptions::default()
    };
    let found = comparing.compare((&sample.points).into(), &Run::new()).unwrap();
    let named: std::collections::BTreeSet<&str> =
        found.cells.iter().map(|tried| tried.cell.method.as_str()).collect();
    assert_eq!(named.len(), registry::all().len());
    for tried in &found.cells {
        if let Outcome::Failed { reason } = &tried.outcome {
            assert!(!reason.contains("fault"), "{}: {reason}", tried.cell);
        }
        if let Some(judged) = tried.outcome.judged() {
            assert_eq!(judged.picture.positions.len(), 90);
            assert!(judged.measures.contains_key("one_nn_error"));
        }
    }
    assert!(judged(&found) > 15, "{}", judged(&found));
    let reported = found.to_json(true);
    assert_eq!(serde_json::from_value::<Comparison>(reported).unwrap(), found);
    assert!(found.to_json(false)["cells"][0].get("picture").is_none());
    assert_eq!(found.to_json(false)["ranking"][0]["cell"]["method"], found.ranking[0].cell.method);
    assert!(matches!(found.ranking[0].cell.settings.get("n_neighbors"), None | Some(Value::Integer(8))));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let x = roll(60);
    let run = Run::new();
    let refused = |comparing: ComparisonOptions<'_>| comparing.compare((&x).into(), &run).unwrap_err();
    assert!(matches!(refused(few(&["isomop"])), Error::UnknownMethod { .. }));
    assert!(matches!(
        refused(ComparisonOptions { dimensions: Some(4), ..few(&["pca"]) }),
        Error::Parameter { .. }
    ));
    assert!(matches!(
        refused(ComparisonOptions { labels: Some(&[1]), ..few(&["pca"]) }),
        Error::LabelCount { .. }
    ));
    let nan = Array2::from_elem((20, 2), f64::NAN);
    assert!(matches!(few(&[]).compare((&nan).into(), &run), Err(Error::NotFinite { .. })));
    assert!(few(&[]).compare((&Array2::<f64>::zeros((0, 3))).into(), &run).is_err());
    // All in one position: nothing to see, and nothing to fall over.
    let same =
        few(&["pca", "isomap", "lle"]).compare((&Array2::from_elem((30, 3), 1.0)).into(), &run).unwrap();
    assert_eq!(same.n, 30);
}
