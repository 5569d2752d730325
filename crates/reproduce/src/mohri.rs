//! Mohri, Rostamizadeh and Talwalkar, chapter 15: exercises 15.6 (neighbors after projections) and 15.4 (the Nyström method).

use crate::draw::{self, Series};
use crate::findings::{Claim, Compared, Figure, Reading, Section, Unit};
use crate::sets::Folder;
use crate::statistics::{frobenius, method};
use crate::{Context, Experiment};
use lowland::linalg::operator::Dense;
use lowland::linalg::{Request, Which, eigen};
use lowland::neighbors::Metric;
use lowland::neighbors::index::{self, Choice};
use lowland::parameters::Value;
use lowland::{AnyInput, Mat, MatRef, Result, Run, data};
use ndarray::{Array2, ArrayView2, s};

const PAPER: &str =
    "M. Mohri, A. Rostamizadeh, A. Talwalkar, Foundations of machine learning, 2nd edition, 2018, chapter 15";

/// Dimensions of exercise 15.6 (e).
const SIZES: &[usize] = &[1, 10, 50, 100, 250, 500];
const QUICK_SIZES: &[usize] = &[1, 10, 50];

/// Exercise 15.6.
pub fn neighbors(context: &Context<'_>) -> Result<Experiment> {
    let title = "Random projection, PCA and nearest neighbors (exercise 15.6)".to_owned();
    let Some(images) = Folder(context.data.clone()).matrix("t10k-images-idx3-ubyte.gz")? else {
        let missing = vec!["the test set of MNIST (t10k-images-idx3-ubyte.gz)".into()];
        return Ok(Experiment { title, paper: PAPER, summary: Vec::new(), missing, sections: Vec::new() });
    };
    let asked: usize = if context.quick { 500 } else { 2_000 };
    let m = asked.min(images.dim().0);
    let x = images.to_f64().slice(s![..m, ..]).to_owned();
    let sizes = if context.quick { QUICK_SIZES } else { SIZES };
    let run = context.run;
    let truth = nearest(x.view(), 50, run)?;
    let mut section = Section {
        title: format!("Neighbors of the first {m} test digits"),
        text: vec![format!(
            "score10 is how many of the ten nearest in k dimensions are among the ten nearest of 784, score50 how many are among \
             the fifty nearest; means over the digits, and of random projections over {} matrices. The book prints no \
             numbers.",
            context.seeds
        )],
        ..Section::default()
    };
    let stage = run.stage("projections", Some(2 * sizes.len() as u64));
    let mut scores: Vec<(&str, Vec<[f64; 2]>)> = Vec::new();
    for (name, registered, seeds) in
        [("random projection", "random-projection", context.seeds), ("PCA", "pca", 1)]
    {
        let mut of_sizes = Vec::new();
        for &k in sizes {
            let mut each = Vec::new();
            for seed in 0..seeds {
                let own = run.clone().with_seed(run.seed() + seed as u64);
                let key = format!("mohri 15.6: {name}, {k} dimensions, {m} digits");
                each.push(context.work.remember(&key, &own, || {
                    let map = method(registered, &[("n_components", Value::Integer(k as i64))])?;
                    let model = map.fit(AnyInput::from(&x), &own)?;
                    let y = model.transform(AnyInput::from(&x), &own)?.into_f64();
                    let near = nearest(y.view(), 10, &own)?;
                    Ok([10, 50].map(|among| score(&truth, &near, among)))
                })?);
            }
            let mean = |c: usize| each.iter().map(|e| e[c]).sum::<f64>() / each.len() as f64;
            for (c, among) in [10, 50].into_iter().enumerate() {
                let values = || each.iter().map(move |e| e[c]);
                let reading = Reading {
                    name: format!("score{among}"),
                    value: mean(c),
                    low: values().fold(f64::INFINITY, f64::min),
                    high: values().fold(f64::NEG_INFINITY, f64::max),
                    seeds,
                    setting: format!("{k} dimensions"),
                };
                let (row, column) = (format!("{name}, score{among}"), format!("k = {k}"));
                let cell = (row.as_str(), column.as_str(), "neighbors of ten");
                section.cells.push(Compared::new(cell, Unit::Number, None, 0.0, vec![reading], false));
            }
            of_sizes.push([mean(0), mean(1)]);
            stage.advance(1)?;
        }
        scores.push((name, of_sizes));
    }
    drop(stage);
    for (c, among) in [10, 50].into_iter().enumerate() {
        let series: Vec<Series> = scores
            .iter()
            .map(|(name, of)| Series {
                name: (*name).to_owned(),
                points: sizes.iter().zip(of).map(|(&k, score)| [k as f64, score[c]]).collect(),
                ..Series::default()
            })
            .collect();
        let title = format!("score{among}");
        let subtitle =
            format!("of ten neighbors in k dimensions, how many are among the {among} nearest of 784");
        let axes = ("k", title.as_str());
        let file =
            draw::curves(context, &format!("score{among}.svg"), (&title, &subtitle), axes, &series, None)?;
        section
            .figures
            .push(Figure { file, caption: format!("score{among} over the number of dimensions.") });
    }
    let better = sizes
        .iter()
        .zip(&scores[0].1)
        .zip(&scores[1].1)
        .filter(|((_, random), pca)| pca[0] >= random[0])
        .map(|((k, _), _)| k.to_string())
        .collect::<Vec<_>>();
    section.claims = vec![Claim::new(
        "15.6 (e)",
        "scores grow with k, as the Johnson-Lindenstrauss lemma says",
        format!(
            "score10 of random projections grows from {:.2} to {:.2}",
            scores[0].1[0][0],
            scores[0].1[sizes.len() - 1][0]
        ),
        Some(scores[0].1.windows(2).all(|two| two[1][0] >= two[0][0])),
    )];
    section.text.push(format!(
        "15.6 (f): the neighbors by PCA are better than by random projection at k = {}: PCA takes the directions in which these \
         digits vary most, a random matrix knows nothing of the data, and its guarantee holds for any points.",
        better.join(", ")
    ));
    let summary = vec![format!(
        "PCA keeps more of the ten nearest neighbors than random projections at {} of {} dimensions.",
        better.len(),
        sizes.len()
    )];
    Ok(Experiment { title, paper: PAPER, summary, missing: Vec::new(), sections: vec![section] })
}

/// The nearest rows of each row.
fn nearest(x: ArrayView2<'_, f64>, k: usize, run: &Run) -> Result<Vec<Vec<u32>>> {
    let owned = x.as_standard_layout();
    let view = MatRef::from_row_major_slice(owned.as_slice().unwrap_or_default(), x.nrows(), x.ncols());
    let table = index::build(view, Metric::Euclidean, Choice::Auto, run)?.k_nearest_of_all(k, run)?;
    Ok((0..x.nrows()).map(|i| table.row(i).0.to_vec()).collect())
}

fn score(truth: &[Vec<u32>], found: &[Vec<u32>], among: usize) -> f64 {
    let both = truth.iter().zip(found);
    let hits: usize =
        both.map(|(truth, found)| found.iter().filter(|j| truth[..among].contains(j)).count()).sum();
    hits as f64 / truth.len().max(1) as f64
}

/// Exercise 15.4.
pub fn nystrom(context: &Context<'_>) -> Result<Experiment> {
    let run = context.run;
    let n = if context.quick { 120 } else { 500 };
    let sample = data::find("swiss-roll")?.sample(n, 0.05, run.seed())?;
    let x = &sample.points;
    let linear = x.dot(&x.t());
    let gaussian = Array2::from_shape_fn((n, n), |(i, j)| {
        let d: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum();
        (-d / (2.0 * 4.0 * 4.0)).exp()
    });
    let mut section = Section {
        title: format!("K, and its approximation from its first l columns, for {n} points of the Swiss roll"),
        text: vec![
            "The linear kernel has rank 3; the Gaussian kernel has a width of 4. Relative errors are in the Frobenius norm."
                .into(),
        ],
        ..Section::default()
    };
    let columns: Vec<usize> = [3, 10, 20, 50, 100, 200].into_iter().filter(|&l| l < n).collect();
    let mut series = Vec::new();
    let (mut identity, mut smallest): (f64, f64) = (0.0, f64::INFINITY);
    for (name, kernel) in [("linear", &linear), ("gaussian", &gaussian)] {
        let mut points = Vec::new();
        for &l in &columns {
            let tilde = approximation(kernel, l, run)?;
            let difference = kernel - &tilde;
            let whole = frobenius(&difference);
            let part = frobenius(&difference.slice(s![l.., l..]).to_owned());
            let size = frobenius(kernel);
            identity = identity.max((whole - part).abs() / size);
            smallest = smallest.min(eigenvalues(&tilde, run)?.last().copied().unwrap_or(0.0) / size);
            let value = whole / size;
            points.push([l as f64, value.max(1e-16).log10()]);
            let reading = Reading {
                name: "error".into(),
                value,
                low: value,
                high: value,
                seeds: 1,
                setting: String::new(),
            };
            let column = format!("l = {l}");
            let cell = (name, column.as_str(), "relative error");
            section.cells.push(Compared::new(cell, Unit::Number, None, 0.0, vec![reading], true));
        }
        series.push(Series { name: name.into(), points, ..Series::default() });
    }
    let file = draw::curves(
        context,
        "nystrom.svg",
        ("The Nyström approximation", "relative error in the Frobenius norm"),
        ("columns", "log10 of the error"),
        &series,
        None,
    )?;
    section.figures.push(Figure { file, caption: "The error over the number of columns.".into() });
    let first_three = approximation(&linear, 3, run)?;
    let exact = frobenius(&(&linear - &first_three)) / frobenius(&linear);
    // The projection onto the span of the first l points, l below the number of columns of X.
    let projected = projection(x, 2, run)?;
    let two = approximation(&linear, 2, run)?;
    let same = frobenius(&(&projected - &two)) / frobenius(&linear);
    let (m, l) = (20e6_f64, 10e3_f64);
    section.claims = vec![
        Claim::new(
            "15.4 (a)",
            "the error of K is the error of its block K22 - K21 W+ K21'",
            format!("the two norms differ by at most {identity:.1e} of the norm of K"),
            Some(identity < 1e-9),
        ),
        Claim::new(
            "15.4 (b)",
            "of a linear kernel, the approximation is X' P X with P the projection onto the span of the first l points",
            format!("for l = 2 they differ by {same:.1e} of the norm of K"),
            Some(same < 1e-9),
        ),
        Claim::new(
            "15.4 (c)",
            "the approximation is symmetric and positive semidefinite",
            format!("its smallest eigenvalue is {smallest:.1e} of the norm of K"),
            Some(smallest > -1e-9),
        ),
        Claim::new(
            "15.4 (d)",
            "where W has the rank of K, the approximation is exact",
            format!("with 3 columns of the linear kernel, of rank 3, the error is {exact:.1e}"),
            Some(exact < 1e-9),
        ),
    ];
    section.text.push(format!(
        "15.4 (e): for 20 million points and 10 thousand columns, K takes 8 m^2 = {:.1} petabytes, and its columns 8 m l = {:.1} \
         terabytes, of which W is {:.1} gigabytes.",
        8.0 * m * m / 1e15,
        8.0 * m * l / 1e12,
        8.0 * l * l / 1e9
    ));
    let held = section.claims.iter().filter(|claim| claim.confirmed == Some(true)).count();
    Ok(Experiment {
        title: "The Nyström method (exercise 15.4)".into(),
        paper: PAPER,
        summary: vec![format!("{held} of 4 statements hold to rounding.")],
        missing: Vec::new(),
        sections: vec![section],
    })
}

fn to_mat(x: ArrayView2<'_, f64>) -> Mat<f64> {
    Mat::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)])
}

/// The eigenvalues of a symmetric matrix, the largest first.
fn eigenvalues(matrix: &Array2<f64>, run: &Run) -> Result<Vec<f64>> {
    Ok(eigenpairs(matrix, run)?.0)
}

fn eigenpairs(matrix: &Array2<f64>, run: &Run) -> Result<(Vec<f64>, Array2<f64>)> {
    let n = matrix.nrows();
    let dense = to_mat(matrix.view());
    let request = Request::new(n, Which::Largest).by(lowland::linalg::Solver::Dense);
    let pairs = eigen::solve(&Dense::new(dense.as_ref())?, &request, run)?;
    let vectors = Array2::from_shape_fn((n, n), |(i, j)| pairs.vectors[(i, j)]);
    Ok((pairs.values.clone(), vectors))
}

/// `C W+ C'` with the first `l` columns.
fn approximation(kernel: &Array2<f64>, l: usize, run: &Run) -> Result<Array2<f64>> {
    let w = kernel.slice(s![..l, ..l]).to_owned();
    let (values, vectors) = eigenpairs(&w, run)?;
    let largest = values.first().copied().unwrap_or(0.0);
    let mut half = kernel.slice(s![.., ..l]).dot(&vectors);
    for (mut column, value) in half.columns_mut().into_iter().zip(&values) {
        // Below rounding it is a null direction of W.
        let scale = if *value > 1e-13 * largest { value.sqrt().recip() } else { 0.0 };
        column.mapv_inplace(|v| v * scale);
    }
    let tilde = half.dot(&half.t());
    Ok(0.5 * (&tilde + &tilde.t()))
}

/// `X P X'` of rows: `P` projects onto the span of the first `l` of them.
fn projection(x: &Array2<f64>, l: usize, run: &Run) -> Result<Array2<f64>> {
    let first = x.slice(s![..l, ..]).to_owned();
    let (values, vectors) = eigenpairs(&first.t().dot(&first), run)?;
    let kept = values.iter().filter(|v| **v > 1e-12 * values[0]).count();
    let span = vectors.slice(s![.., ..kept]).to_owned();
    let coordinates = x.dot(&span);
    Ok(coordinates.dot(&coordinates.t()))
}
