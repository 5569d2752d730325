//! Whether the advice is right: data whose answer is known.

use lowland::compare::{BestFor, Comparison, ComparisonOptions, Purpose};
use lowland::quality::Evaluator;
use lowland::{AnyInput, Run, data};
use ndarray::{Array2, Axis, concatenate};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// Methods of every kind, some of which give the same.
const METHODS: [&str; 13] = [
    "pca",
    "ppca",
    "truncated-svd",
    "classical-mds",
    "isomap",
    "lle",
    "ltsa",
    "hessian-lle",
    "laplacian-eigenmaps",
    "kernel-pca",
    "t-sne",
    "umap",
    "lda",
];

fn compared(x: &Array2<f64>, labels: Option<&[i64]>, dimensions: usize) -> Comparison {
    let comparing = ComparisonOptions {
        methods: METHODS.iter().map(|name| (*name).to_owned()).collect(),
        grid: ["n_neighbors=5,7,10", "t-sne.perplexity=30", "umap.n_neighbors=15"]
            .map(|text| text.parse().unwrap())
            .to_vec(),
        dimensions: Some(dimensions),
        labels,
        stability_of: 0,
        ..ComparisonOptions::default()
    };
    let found = comparing.compare(x.into(), &Run::new()).unwrap();
    sound(&found, labels.is_some());
    found
}

/// What holds whatever the data.
fn sound(found: &Comparison, labeled: bool) {
    let advice = &found.advice;
    let purposes: Vec<Purpose> = advice.best_for.iter().map(|best| best.purpose).collect();
    let all = [Purpose::Picture, Purpose::Neighbors, Purpose::Classifier];
    assert_eq!(purposes, &all[..if labeled { 3 } else { 2 }]);
    for best in &advice.best_for {
        let tried = found.cells.iter().find(|tried| tried.cell == best.cell).unwrap();
        let judged = tried.outcome.judged().unwrap();
        assert!(!judged.picture_quality.collapsed, "{}: {:?}", best.cell, judged.picture_quality);
        assert_ne!(best.cell.method, "lda");
    }
    let groups: Vec<&str> = found.ranking.iter().map(|ranked| ranked.cell.method.as_str()).collect();
    assert!(groups.contains(&"pca"), "PCA stands for those that give the same: {groups:?}");
    for ranked in &found.ranking {
        assert!(
            ranked.same_embedding.is_empty()
                || ranked.cell.method == "pca"
                || !ranked.same_embedding.contains(&"pca".into())
        );
    }
}

fn method(found: &Comparison) -> &str {
    found.advice.method.as_deref().unwrap()
}

/// The trustworthiness of the recommended picture as a picture of the true parameters.
fn believed(found: &Comparison, truth: &Array2<f64>) -> f64 {
    believed_of(found, &found.advice.best_for[0], truth)
}

fn believed_of(found: &Comparison, best: &BestFor, truth: &Array2<f64>) -> f64 {
    let tried = found.cells.iter().find(|tried| tried.cell == best.cell).unwrap();
    let positions = &tried.outcome.judged().unwrap().picture.positions;
    let picture = Array2::from_shape_fn((positions.len(), 2), |(i, j)| positions[i][j]);
    let run = Run::new();
    let judged = Evaluator::default().evaluate(truth.into(), AnyInput::from(&picture), &run).unwrap();
    judged.get("trustworthiness").unwrap().value
}

/// Points and true parameters; those of rolls as lengths along them.
fn sample(name: &str, n: usize, seed: u64) -> (Array2<f64>, Array2<f64>, Vec<i64>) {
    let found = data::find(name).unwrap().sample(n, 0.0, seed).unwrap();
    (found.points, found.truth, found.labels)
}

fn normal(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("advising");
    Array2::from_shape_fn((n, d), |_| StandardNormal.sample(&mut rng))
}

#[test]
fn curved_sheets_are_unrolled() {
    for (name, n, seed, least) in
        [("swiss-roll", 1000, 3, 0.99), ("broken-swiss-roll", 600, 1, 0.95), ("s-curve", 500, 1, 0.99)]
    {
        let (x, truth, _) = sample(name, n, seed);
        let found = compared(&x, None, 2);
        assert_ne!(method(&found), "pca", "{name} {n} {seed}: {:?}", found.advice);
        let trust = believed(&found, &truth);
        assert!(trust > least, "{name} {n} {seed}: {trust} by {}", found.advice.recommendation);
    }
}

/// So few points leave gaps as wide as the way to the next sheet: most graphs have short circuits, and neighborhoods of 12 points
/// reach over. Advised is what unrolls them all the same.
#[test]
fn rolls_of_300_points_are_unrolled() {
    for seed in [1, 2, 12, 13, 14, 15, 16, 17] {
        let (x, truth, _) = sample("swiss-roll", 300, seed);
        let methods = ["pca", "isomap", "lle", "laplacian-eigenmaps", "t-sne", "umap"];
        let comparing = ComparisonOptions {
            methods: methods.iter().map(|name| (*name).to_owned()).collect(),
            dimensions: Some(2),
            stability_of: 0,
            ..ComparisonOptions::default()
        };
        let found = comparing.compare((&x).into(), &Run::new()).unwrap();
        sound(&found, false);
        let plain = found.cells.iter().find(|tried| tried.cell.method == "pca").unwrap();
        let best = BestFor { cell: plain.cell.clone(), ..found.advice.best_for[0].clone() };
        let folded = believed_of(&found, &best, &truth);
        let (name, trust) = (method(&found), believed(&found, &truth));
        assert!(name != "pca" && trust > folded + 0.07, "{seed}: {trust} by {name}, {folded} by pca");
        // Of one of these rolls t-SNE makes pieces, some of which lie the wrong way round.
        assert!(trust > if seed == 17 { 0.9 } else { 0.95 }, "{seed}: {trust} by {}", best.cell);
    }
}

/// What a picture of two dimensions cannot hold in one piece: the picture that can be believed most.
#[test]
fn where_no_picture_is_perfect_the_best_is_taken() {
    for name in ["twin-peaks", "hd", "severed-sphere", "helix"] {
        let (x, _, labels) = sample(name, 400, 1);
        let found = compared(&x, Some(&labels), 2);
        let kept = |name: &str| {
            let cells = found.cells.iter().filter(|tried| tried.cell.method == name);
            let seen = cells.filter_map(|tried| Some(tried.outcome.judged()?.picture_quality.kept()));
            seen.fold(0.0, f64::max)
        };
        let own = kept(method(&found));
        for other in METHODS.iter().filter(|name| **name != "lda") {
            let cells = found.cells.iter().filter(|tried| tried.cell.method == **other);
            let usable =
                cells.filter_map(|tried| tried.outcome.judged()).filter(|j| !j.picture_quality.collapsed);
            let best = usable.map(|judged| judged.picture_quality.kept()).fold(0.0, f64::max);
            assert!(own >= best - 0.015, "{name}: {} {own}, {other} {best}", method(&found));
        }
    }
}

#[test]
fn where_the_data_are_flat_pca_is_enough_and_stands_for_its_like() {
    let mut rng = Run::new().rng("plane");
    let flat = Array2::from_shape_fn((400, 2), |(_, j)| (4 - j) as f64 * rng.random::<f64>());
    let plane = flat.dot(&normal(2, 20, 5)) + 0.01 * normal(400, 20, 6);
    let (rings, ..) = sample("rings", 300, 1);
    for (name, x) in [("plane", plane), ("rings", rings)] {
        let found = compared(&x, None, 2);
        assert_eq!(method(&found), "pca", "{name}: {:?}", found.advice);
        let pca = found.ranking.iter().find(|ranked| ranked.cell.method == "pca").unwrap();
        assert!(
            pca.same_embedding.iter().any(|also| also == "classical-mds"),
            "{name}: {:?}",
            pca.same_embedding
        );
        assert!(!found.ranking.iter().any(|ranked| ranked.cell.method == "classical-mds"));
    }
}

#[test]
fn clusters_stay_apart_and_what_saw_the_labels_is_listed_apart() {
    let (blobs, _, of_blobs) = sample("blobs", 300, 1);
    let classes: Vec<i64> = (0..500).map(|i| i % 10).collect();
    let middles = 3.0 * normal(10, 20, 7);
    let mut digits = normal(500, 20, 8);
    for (mut row, class) in digits.rows_mut().into_iter().zip(&classes) {
        row += &middles.row(*class as usize);
    }
    for (name, x, labels) in [("blobs", &blobs, &of_blobs), ("digits", &digits, &classes)] {
        let found = compared(x, Some(labels), 2);
        let best = &found.advice.best_for[2];
        let tried = found.cells.iter().find(|tried| tried.cell == best.cell).unwrap();
        let error = tried.outcome.judged().unwrap().value("knn_error").unwrap();
        assert!(error < 0.06, "{name}: {error} by {}", best.cell);
        let lda = found.ranking.iter().find(|ranked| ranked.cell.method == "lda").unwrap();
        assert!(lda.excluded.as_ref().is_some_and(|why| why.contains("labels")) && !lda.as_good);
        let excluded = found.advice.excluded.join("\n");
        assert!(excluded.contains("lda") && excluded.contains("had not seen"), "{excluded}");
    }
}

/// Far points draw all others of a local method into one spot: whatever its figures, that is nothing to look at.
#[test]
fn a_collapsed_picture_is_never_the_best() {
    let x = concatenate![Axis(0), normal(300, 6, 3), 1e3 * normal(2, 6, 4)];
    let found = compared(&x, None, 2);
    let collapsed = found.cells.iter().filter_map(|tried| tried.outcome.judged());
    assert!(collapsed.filter(|judged| judged.picture_quality.collapsed).count() > 0, "nothing to avoid");
    assert!(found.advice.excluded.iter().any(|line| line.contains("collapsed")), "{:?}", found.advice);
}

#[test]
fn a_picture_of_five_dimensions_is_judged_as_it_is_drawn() {
    let (x, ..) = sample("hd", 300, 2);
    let found = compared(&x, None, 5);
    let (best, run) = (&found.advice.best_for[0], Run::new());
    for tried in &found.cells {
        let Some(judged) = tried.outcome.judged() else { continue };
        let positions = &judged.picture.positions;
        let picture = Array2::from_shape_fn((positions.len(), 2), |(i, j)| positions[i][j]);
        let evaluator = Evaluator { k: Some(found.k), ..Evaluator::default() };
        let direct = evaluator.evaluate((&x).into(), (&picture).into(), &run).unwrap();
        let trust = direct.get("trustworthiness").unwrap().value;
        assert!((trust - judged.picture_quality.trustworthiness).abs() < 1e-3, "{}: {trust}", tried.cell);
        let mean = judged.picture.trustworthiness.iter().sum::<f64>() / positions.len() as f64;
        assert!((mean - trust).abs() < 1e-2, "{}: {mean} {trust}", tried.cell);
    }
    let pca = found.cells.iter().find(|tried| tried.cell.method == "pca").unwrap().outcome.judged().unwrap();
    assert!(
        pca.picture_quality.trustworthiness < pca.value("trustworthiness").unwrap() - 0.01,
        "{:?}",
        pca.picture_quality
    );
    assert!(best.figures.contains("in the picture"), "{best:?}");
}
