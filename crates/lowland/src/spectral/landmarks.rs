//! Landmarks: the few points that represent all.

use super::connected_components::Whole;
use super::kernel::Function;
use super::model::{extend, share_out};
use super::{FunctionAnchors, Source};
use crate::kmeans::{Effort, assign, kmeans};
use crate::{Input, InputKind, choices};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatRef};
use lowland_base::{Error, Result, Run, parallel};
use lowland_linalg::{Request, Solver, Which, eigen};
use lowland_neighbors::Metric;
use ndarray::{Array2, ArrayView2, Axis, s};
use rand::RngExt;
use rand::seq::index::sample;

choices! {
    /// How landmarks are chosen.
    pub enum Choice {
        /// At random, all alike.
        Uniform = "uniform" | "random",
        /// Each next one as far as can be from those before: covers the data, and finds outliers.
        Farthest = "farthest" | "maxmin",
        /// The points nearest to the centers of k-means.
        KMeans = "k-means" | "kmeans",
        /// At random, by how much a point adds to what the others span (leverage scores of a first approximation).
        Leverage = "leverage",
    }
}

/// `count` of `n` objects at random, ascending.
pub(crate) fn uniform(n: usize, count: usize, run: &Run) -> Result<Vec<usize>> {
    check(n, count)?;
    if count == n {
        return Ok((0..n).collect());
    }
    let _stage = run.stage("landmarks", None);
    let mut chosen = sample(&mut run.rng("landmarks"), n, count).into_vec();
    chosen.sort_unstable();
    Ok(chosen)
}

fn check(n: usize, count: usize) -> Result<()> {
    if (1..=n).contains(&count) {
        return Ok(());
    }
    let bound = format!("1 to {n}, the number of points");
    Err(Error::parameter("landmarks", count, bound, "ask for fewer landmarks"))
}

/// `count` different objects, ascending.
pub(crate) fn choose(
    objects: Input<'_, f64>,
    kernel: &Function,
    count: usize,
    choice: Choice,
    run: &Run,
) -> Result<Vec<usize>> {
    let shape = objects.shape();
    let n = shape.rows;
    if choice == Choice::Uniform || count == n {
        return uniform(n, count, run);
    }
    check(n, count)?;
    let _stage = run.stage("landmarks", None);
    let mut chosen = match (choice, objects) {
        (Choice::Farthest, Input::Points(x)) => {
            let row = |i: usize| x.row(i);
            farthest(n, count, run, |i, j| {
                let (a, b) = (row(i), row(j));
                Metric::Euclidean.between(a.to_slice().unwrap_or_default(), b.to_slice().unwrap_or_default())
            })?
        }
        (Choice::Farthest, Input::Distances(x)) => farthest(n, count, run, |i, j| x[(i, j)])?,
        (Choice::Farthest, Input::Kernel(x)) => {
            farthest(n, count, run, |i, j| x[(i, i)] + x[(j, j)] - 2.0 * x[(i, j)])?
        }
        (Choice::KMeans, Input::Points(x)) => centers(x, count, run)?,
        (Choice::Leverage, Input::Points(x)) => leverage(x, kernel, count, run)?,
        (choice, _) => {
            let value = crate::parameters::Field::to_value(&choice);
            let (needed, remedy) = match shape.kind {
                InputKind::Graph => ("points or distances", "choose uniform"),
                _ => ("points", "choose uniform or farthest"),
            };
            let problem = format!("landmark_choice = {value} needs {needed}");
            return Err(Error::conflict("landmark_choice", problem, remedy));
        }
    };
    chosen.sort_unstable();
    Ok(chosen)
}

/// From a random first, each next as far as can be from all before; ties by number.
fn farthest(
    n: usize,
    count: usize,
    run: &Run,
    distance: impl Fn(usize, usize) -> f64 + Sync,
) -> Result<Vec<usize>> {
    let mut chosen = vec![run.rng("landmarks").random_range(0..n)];
    let mut nearest = vec![f64::INFINITY; n];
    while chosen.len() < count {
        let last = chosen[chosen.len() - 1];
        parallel::fill_rows(run, &mut nearest, 1, 4096, |rows, nearest| {
            for (i, nearest) in rows.zip(nearest) {
                *nearest = nearest.min(distance(last, i));
            }
        })?;
        // Chosen ones are out, also where all that is left are their duplicates.
        nearest[last] = f64::NEG_INFINITY;
        let next = (0..n).fold(0, |best, i| if nearest[i] > nearest[best] { i } else { best });
        chosen.push(next);
    }
    Ok(chosen)
}

/// Points in the sample of k-means, for each landmark.
const PER_CENTER: usize = 20;

fn centers(x: ArrayView2<'_, f64>, count: usize, run: &Run) -> Result<Vec<usize>> {
    let n = x.nrows();
    let sampled = (PER_CENTER * count).min(n);
    let mut rows = sample(&mut run.rng("k-means landmarks"), n, sampled).into_vec();
    rows.sort_unstable();
    let part = x.select(Axis(0), &rows);
    let clusters = kmeans(part.view(), count, Effort { restarts: 1, iterations: 25 }, run)?;
    // The nearest point of each cluster to its center: different clusters, different points.
    let near = assign(part.view(), clusters.centers.view(), run)?;
    let mut best: Vec<Option<(f64, usize)>> = vec![None; count];
    for (&row, (label, squared)) in rows.iter().zip(near) {
        let best = &mut best[label as usize];
        if best.is_none_or(|(least, _)| squared < least) {
            *best = Some((squared, row));
        }
    }
    let mut chosen: Vec<usize> = best.into_iter().flatten().map(|(_, row)| row).collect();
    // Duplicates leave clusters empty: other points take their part.
    let mut taken = vec![false; n];
    chosen.iter().for_each(|&row| taken[row] = true);
    chosen.extend((0..n).filter(|&row| !taken[row]).take(count - chosen.len()));
    Ok(chosen)
}

/// Ridge leverage scores from a uniform pilot of as many points, then a draw without replacement in proportion
/// to them.
fn leverage(x: ArrayView2<'_, f64>, kernel: &Function, count: usize, run: &Run) -> Result<Vec<usize>> {
    let n = x.nrows();
    let mut pilot = sample(&mut run.rng("leverage pilot"), n, count).into_vec();
    pilot.sort_unstable();
    let anchors = FunctionAnchors::new(kernel.clone(), x.select(Axis(0), &pilot), run)?;
    let inner = anchors.matrix(run)?;
    let m = pilot.len();
    let pairs = eigen::solve(&inner, &Request::new(m, Which::Largest).by(Solver::Dense), run)?;
    let ridge = pairs.values.iter().map(|value| value.max(0.0)).sum::<f64>() / m as f64;
    // phi (phi'phi n/m + ridge)^-1 phi with phi = k V L^-1/2: diagonal in the pilot's eigenvectors.
    let weight = |value: f64| {
        let floor = 1e-12 * pairs.values[0].max(f64::MIN_POSITIVE);
        if value > floor { 1.0 / (value * (value * n as f64 / m as f64 + ridge).max(floor)) } else { 0.0 }
    };
    let mut scores = Vec::with_capacity(n);
    for chunk in parallel::chunks(n, 1024) {
        run.check()?;
        let rows = anchors.block(x.slice(s![chunk.clone(), ..]), run)?;
        let rows = MatRef::from_row_major_slice(rows.as_slice().unwrap_or_default(), chunk.len(), m);
        let mut products = faer::Mat::zeros(chunk.len(), m);
        run.install(|| {
            matmul(products.as_mut(), Accum::Replace, rows, pairs.vectors.as_ref(), 1.0, parallel::FAER);
        });
        scores.extend((0..chunk.len()).map(|i| {
            (0..m).map(|j| weight(pairs.values[j]) * products[(i, j)] * products[(i, j)]).sum::<f64>()
        }));
    }
    // Efraimidis and Spirakis: the largest log(u) / w are a draw without replacement by weights w.
    let mut rng = run.rng("leverage draw");
    let mut keys: Vec<(f64, usize)> = scores
        .into_iter()
        .enumerate()
        .map(|(i, score)| (rng.random::<f64>().max(f64::MIN_POSITIVE).ln() / score.max(1e-300), i))
        .collect();
    keys.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Ok(keys.into_iter().take(count).map(|key| key.1).collect())
}

/// Fits to landmarks alone, and embeds all other objects as new ones: for every method that takes points or distances and
/// has no cheaper way. Without a number, or with all objects, it is the plain fit.
pub(crate) fn fit_to(
    source: Source,
    (count, choice): (Option<usize>, Choice),
    run: &Run,
    fit: impl FnOnce(&Source) -> Result<Whole>,
) -> Result<Whole> {
    let points = match &source {
        Source::Points(rows) | Source::Distances(rows) if count.is_some_and(|count| count < rows.nrows()) => {
            rows
        }
        _ => return fit(&source),
    };
    let chosen = choose(source.view(), &Function::Linear, count.unwrap_or(0), choice, run)?;
    let mut whole = fit(&source.select(&chosen)?)?;
    for part in &mut whole.connected_components {
        part.members.iter_mut().for_each(|member| *member = chosen[*member]);
        part.renumber(|column| chosen[column]);
    }
    let _stage = run.stage("extend", None);
    let mut is_landmark = vec![false; points.nrows()];
    chosen.iter().for_each(|&landmark| is_landmark[landmark] = true);
    let others: Vec<usize> = (0..points.nrows()).filter(|&row| !is_landmark[row]).collect();
    let mut extended = Array2::zeros((others.len(), whole.embedding.ncols()));
    let shares = share_out(&whole.connected_components, rows(points.view(), &others), run)?;
    extend(shares, whole.embedding.view(), &mut extended, run)?;
    let mut embedding = Array2::zeros((points.nrows(), whole.embedding.ncols()));
    for (rows, values) in [(&chosen, &whole.embedding), (&others, &extended)] {
        for (&row, values) in rows.iter().zip(values.rows()) {
            embedding.row_mut(row).assign(&values);
        }
    }
    whole.report.landmarks = chosen;
    Ok(Whole { embedding, ..whole })
}

/// The rows of the landmarks.
pub(crate) fn rows(points: ArrayView2<'_, f64>, landmarks: &[usize]) -> Array2<f64> {
    points.select(Axis(0), landmarks)
}
