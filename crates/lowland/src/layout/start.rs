//! Where a layout begins: the first principal components, eigenvectors of the graph, given coordinates, or random ones. Small, so that points can
//! still pass each other (Kobak and Berens 2019).

use super::training::TrainingRows;
use crate::methods::Pca;
use crate::parameters::Components;
use crate::{Input, Method, Model, choices};
use faer::{Mat, MatRef};
use lowland_base::{Csr, Error, Result, Run, Scalar};
use lowland_linalg::operator::{Dense, Normalized};
use lowland_linalg::rows::{Center, centering};
use lowland_linalg::svd::Randomized;
use lowland_linalg::{Matrix, Request, Rows, Which, eigen, gram, svd};
use lowland_neighbors::Graph;
use lowland_neighbors::graph::Symmetrize;
use ndarray::ArrayView2;
use rand::Rng;

choices! {
    /// Where a layout starts.
    pub enum LayoutInit {
        /// What suits the method: principal components for t-SNE and PaCMAP, eigenvectors for UMAP; where there are none, the
        /// other, and random positions where there is neither.
        Auto = "auto",
        /// The first principal components of points, which keep the large shape of the data.
        Pca = "pca",
        /// The first eigenvectors of the normalized affinities; of each connected component by itself, where there are several.
        Spectral = "spectral",
        /// Random positions.
        Random = "random",
    }
}

/// The start that was chosen, small, and which it is; `graph` are the affinities. Where it cannot be had, the next best.
pub(crate) fn chosen(
    init: LayoutInit,
    usual: LayoutInit,
    rows: &TrainingRows,
    graph: &Csr<f64>,
    components: usize,
    run: &Run,
) -> Result<(Mat<f64>, LayoutInit)> {
    let order = match if init == LayoutInit::Auto { usual } else { init } {
        LayoutInit::Random => &[][..],
        LayoutInit::Spectral => &[LayoutInit::Spectral, LayoutInit::Pca],
        LayoutInit::Auto | LayoutInit::Pca => &[LayoutInit::Pca, LayoutInit::Spectral],
    };
    let principal = || rows.principal(components, run);
    for &start in order {
        let found = match start {
            LayoutInit::Spectral => spectral(graph, principal, components, run)?,
            _ => principal()?,
        };
        if let Some(found) = found {
            return Ok((found, start));
        }
    }
    Ok((random(rows.len(), components, run), LayoutInit::Random))
}

/// Given coordinates, centered, and so small that points can still pass each other: the first component gets the usual
/// standard deviation.
pub fn given(start: ArrayView2<'_, f64>, order: &[usize], spread: Option<f64>, run: &Run) -> Mat<f64> {
    let start = Mat::from_fn(start.nrows(), start.ncols(), |i, c| start[(order[i], c)]);
    match spread {
        Some(spread) => scaled(start, spread, run),
        None => start,
    }
}

/// The standard deviation of a start's first component.
pub const SPREAD: f64 = 1e-4;
/// Up to so many edges one thread finds the eigenvectors of a graph.
const FEW_EDGES: usize = 1 << 19;
/// Up to so many columns the covariance is formed.
const NARROW: usize = 1024;

/// The first principal components of points, scaled; noise of a hundredth parts those that fall together.
pub fn principal<T: Scalar>(points: MatRef<'_, T>, components: usize, run: &Run) -> Result<Mat<f64>> {
    Ok(jittered(scaled(scores(points, components, run)?, SPREAD, run), run))
}

/// The same of sparse points.
pub fn principal_sparse(points: &Csr<f64>, components: usize, run: &Run) -> Result<Mat<f64>> {
    let (n, width) = (points.nrows(), points.ncols());
    let count = components.min(width).min(n);
    let pca = Pca { n_components: Components::Count(count), ..Pca::default() };
    let model = pca.fit_model(Input::Sparse(points), run)?;
    let found = match model.embedding() {
        Some(found) => found.to_f64(),
        None => model.transform(Input::Sparse(points).into(), run)?.to_f64(),
    };
    let scores = Mat::from_fn(n, components, |i, c| if c < count { found[(i, c)] } else { 0.0 });
    Ok(jittered(scaled(scores, SPREAD, run), run))
}

/// The first principal components of points in units of the range of all their values, times `factor`.
pub fn ranged<T: Scalar>(
    points: MatRef<'_, T>,
    components: usize,
    factor: f64,
    run: &Run,
) -> Result<Mat<f64>> {
    Ok(match ranged_scores(points, components, run)? {
        Some(scores) => leading(scores.as_ref(), components, factor, run),
        None => random(points.nrows(), components, run),
    })
}

/// The first columns, times `factor`.
pub fn leading(scores: MatRef<'_, f64>, components: usize, factor: f64, run: &Run) -> Mat<f64> {
    let value = |i: usize, c: usize| if c < scores.ncols() { factor * scores[(i, c)] } else { 0.0 };
    jittered(Mat::from_fn(scores.nrows(), components, value), run)
}

/// The first principal components of points in units of the range of all their values; `None` where nothing varies.
pub fn ranged_scores<T: Scalar>(points: MatRef<'_, T>, count: usize, run: &Run) -> Result<Option<Mat<f64>>> {
    let values = || (0..points.ncols()).flat_map(|j| points.col(j).iter()).map(|x| x.wide());
    let range = values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
    if !(range > 0.0 && range.is_finite()) {
        return Ok(None);
    }
    let scores = scores(points, count, run)?;
    let scale = centering(points, run)?.scale;
    Ok(Some(Mat::from_fn(scores.nrows(), count, |i, c| scores[(i, c)] / scale / range)))
}

/// The first principal components, times a power of two.
fn scores<T: Scalar>(points: MatRef<'_, T>, components: usize, run: &Run) -> Result<Mat<f64>> {
    let (n, width) = points.shape();
    let about = centering(points, run)?;
    let rows = Rows { x: points, center: Center::Columns(&about.mean), scale: about.scale };
    let count = components.min(width).min(n);
    let mut scores = Mat::<f64>::zeros(n, components);
    if width <= NARROW {
        let covariance = gram(rows, run)?;
        let pairs =
            eigen::solve(&Dense::new(covariance.as_ref())?, &Request::new(count, Which::Largest), run)?;
        let axes = Mat::from_fn(width, count, |i, c| T::of(pairs.vectors[(i, c)]));
        let mut found = Mat::<T>::zeros(n, count);
        rows.apply(axes.as_ref(), found.as_mut(), run)?;
        (0..count).for_each(|c| (0..n).for_each(|i| scores[(i, c)] = found[(i, c)].wide()));
    } else {
        let found = svd::randomized(&rows, &Randomized { count, oversampling: 10, iterations: 4 }, run)?;
        for c in 0..count {
            (0..n).for_each(|i| scores[(i, c)] = (found.left[(i, c)] * found.values[c]).wide());
        }
    }
    Ok(scores)
}

/// The first eigenvectors of a symmetric graph's normalized Laplacian but for the constant one; `None` where they cannot be
/// found in reasonable time, or where the graph is disconnected and `base` has no coordinates to arrange its connected
/// components by.
pub fn spectral(
    graph: &Csr<f64>,
    base: impl FnOnce() -> Result<Option<Mat<f64>>>,
    components: usize,
    run: &Run,
) -> Result<Option<Mat<f64>>> {
    let n = graph.nrows();
    let lengths = Csr::new(n, n, graph.offsets().to_vec(), graph.indices().to_vec(), vec![1.0; graph.nnz()])?;
    let connected = Graph::from_csr(lengths, Symmetrize::Either)?.connected_components();
    let found = if connected.count() == 1 {
        eigenvectors(graph, components, run)?
    } else {
        base()?
            .map(|base| by_component(graph, &connected.labels, connected.count(), base, run))
            .transpose()?
    };
    Ok(found.map(|vectors| jittered(scaled(vectors, SPREAD, run), run)))
}

/// Of a connected graph.
fn eigenvectors(graph: &Csr<f64>, components: usize, run: &Run) -> Result<Option<Mat<f64>>> {
    let n = graph.nrows();
    if components + 1 >= n {
        return Ok(None);
    }
    let degrees: Vec<f64> = (0..n).map(|i| graph.row(i).1.iter().sum()).collect();
    let walk = Normalized::new(graph, &degrees)?;
    let request = Request { tolerance: Some(1e-4), ..Request::new(components + 1, Which::Largest) };
    // Hundreds of short loops: threads would wait for each other longer than they work.
    let alone = if graph.nnz() <= FEW_EDGES { Some(run.clone().with_threads(1)?) } else { None };
    let run = alone.as_ref().unwrap_or(run);
    match run.whole(|| eigen::solve(&walk, &request, run)) {
        Ok(pairs) => Ok(Some(Mat::from_fn(n, components, |i, c| pairs.vectors[(i, c + 1)]))),
        Err(Error::NotConverged { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Each connected component by its own eigenvectors, about its mean in `base`, and half as wide as it is to the next one.
fn by_component(graph: &Csr<f64>, of: &[u32], count: usize, base: Mat<f64>, run: &Run) -> Result<Mat<f64>> {
    let mut start = stretched(base, 10.0);
    let width = start.ncols();
    let mut members = vec![Vec::new(); count];
    of.iter().enumerate().for_each(|(i, &part)| members[part as usize].push(i));
    let mean = |rows: &[usize]| -> Vec<f64> {
        (0..width).map(|c| rows.iter().map(|&i| start[(i, c)]).sum::<f64>() / rows.len() as f64).collect()
    };
    let means: Vec<Vec<f64>> = members.iter().map(|rows| mean(rows)).collect();
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    for (part, rows) in members.iter().enumerate() {
        let others = means.iter().enumerate().filter(|(other, _)| *other != part);
        let nearest = others.map(|(_, mean)| apart(mean, &means[part])).fold(f64::INFINITY, f64::min);
        let local = submatrix(graph, rows)?;
        let Some(mut vectors) = eigenvectors(&local, width, run)? else { continue };
        let largest = (0..width)
            .flat_map(|c| vectors.col(c).iter().copied().collect::<Vec<_>>())
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest > 0.0 {
            for (k, &i) in rows.iter().enumerate() {
                for c in 0..width {
                    vectors[(k, c)] *= 0.5 * nearest / largest;
                    start[(i, c)] = means[part][c] + vectors[(k, c)];
                }
            }
        }
    }
    Ok(start)
}

/// Some rows and the same columns.
fn submatrix(graph: &Csr<f64>, rows: &[usize]) -> Result<Csr<f64>> {
    let mut number = vec![u32::MAX; graph.nrows()];
    rows.iter().enumerate().for_each(|(k, &i)| number[i] = k as u32);
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for &i in rows {
        let (columns, weights) = graph.row(i);
        for (&column, &weight) in columns.iter().zip(weights) {
            if number[column as usize] != u32::MAX {
                indices.push(number[column as usize]);
                values.push(weight);
            }
        }
        offsets.push(indices.len());
    }
    Csr::new(rows.len(), rows.len(), offsets, indices, values)
}

/// Every component stretched to lie between 0 and `width`.
pub fn stretched(mut start: Mat<f64>, width: f64) -> Mat<f64> {
    for c in 0..start.ncols() {
        let low = start.col(c).iter().copied().fold(f64::INFINITY, f64::min);
        let high = start.col(c).iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let span = if high > low { high - low } else { 1.0 };
        start.col_mut(c).iter_mut().for_each(|x| *x = width * (*x - low) / span);
    }
    start
}

/// Normal noise of the usual spread.
pub fn random(n: usize, components: usize, run: &Run) -> Mat<f64> {
    let mut rng = run.rng("layout start");
    Mat::from_fn(n, components, |_, _| SPREAD * normal(&mut rng))
}

/// Centered, and scaled so that the first component has this standard deviation. Where nothing varies, random.
pub fn scaled(mut start: Mat<f64>, spread: f64, run: &Run) -> Mat<f64> {
    let n = start.nrows().max(1) as f64;
    for c in 0..start.ncols() {
        let mean = start.col(c).iter().sum::<f64>() / n;
        start.col_mut(c).iter_mut().for_each(|x| *x -= mean);
    }
    let deviation = |c: usize| (start.col(c).iter().map(|x| x * x).sum::<f64>() / n).sqrt();
    let first = (0..start.ncols()).map(deviation).fold(0.0, f64::max);
    if !(first > 0.0 && first.is_finite()) {
        return random(start.nrows(), start.ncols(), run);
    }
    Mat::from_fn(start.nrows(), start.ncols(), |i, c| start[(i, c)] / first * spread)
}

fn jittered(mut start: Mat<f64>, run: &Run) -> Mat<f64> {
    let mut rng = run.rng("layout jitter");
    for i in 0..start.nrows() {
        for c in 0..start.ncols() {
            start[(i, c)] += 0.01 * SPREAD * normal(&mut rng);
        }
    }
    start
}

/// A standard normal number, by Box and Muller's formula.
pub(crate) fn normal(rng: &mut impl Rng) -> f64 {
    let uniform = |bits: u64| ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let (a, b) = (uniform(rng.next_u64()), uniform(rng.next_u64()));
    (-2.0 * a.ln()).sqrt() * (2.0 * std::f64::consts::PI * b).cos()
}
