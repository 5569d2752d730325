//! Global coordinates from local ones: `y = sum_j r_j [1 z_j] L_j` with the responsibilities and the posterior means of a
//! fitted mixture. The constant is needed (with it every analyzer can be moved), and `U = [r_j, r_j z_j]` holds the rows.

use super::{Local, Mixture, eigen_of_small, inner};
use crate::matrix::{faer_view, to_array};
use crate::projective::signs::fix_columns;
use crate::spectral::FURTHER_EIGENVALUES;
use lowland_base::{Result, Run};
use lowland_linalg::operator::Dense;
use lowland_linalg::{Request, Which, eigen, symmetric};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

/// Directions of `U'U` below this share of the largest carry no coordinates.
const RESOLUTION: f64 = 1e-10;

/// How the analyzers are aligned in the embedding.
pub(crate) struct Alignment {
    /// (analyzers x (1 + factors)) x components: the matrix `L`.
    pub maps: Array2<f64>,
    /// Those of `A v = l B v`.
    pub eigenvalues: Vec<f64>,
    /// Those that follow.
    pub further: Vec<f64>,
    pub residuals: Vec<f64>,
    /// A lower bound of the norm of their matrix.
    pub norm: f64,
}

impl Local {
    /// Rows x (analyzers x (1 + factors)): `r_ij [1 z_ij]`.
    pub fn weighted(&self) -> Array2<f64> {
        let (n, m) = self.responsibilities.dim();
        let k = self.z.ncols() / m;
        Array2::from_shape_fn((n, m * (k + 1)), |(i, column)| {
            let (j, a) = (column / (k + 1), column % (k + 1));
            self.responsibilities[(i, j)] * if a == 0 { 1.0 } else { self.z[(i, j * k + a - 1)] }
        })
    }
}

/// The `count` smallest pairs of `A v = l B v` where `B = U'U / n` about the mean: the constant, which costs nothing,
/// is not among them. Coordinates have mean 0, variance 1 and no correlation. Where `U` has fewer directions, the
/// last coordinates are zero.
pub(crate) fn smallest(
    a: &Array2<f64>,
    u: &Array2<f64>,
    factors: usize,
    count: usize,
    run: &Run,
) -> Result<Alignment> {
    let _stage = run.stage("alignment", None);
    let n = u.nrows() as f64;
    let mean: Array1<f64> = u.sum_axis(Axis(0)) / n;
    let centered = u - &mean;
    let b = inner(centered.view(), centered.view(), run)? / n;
    let (values, vectors) = eigen_of_small(&b, run)?;
    let largest = values.first().copied().unwrap_or(0.0);
    let rank = values.iter().filter(|&&value| value > RESOLUTION * largest && value > 0.0).count();
    let mut maps = Array2::zeros((u.ncols(), count));
    if rank == 0 {
        let (eigenvalues, further, residuals) = Default::default();
        return Ok(Alignment { maps, eigenvalues, further, residuals, norm: 0.0 });
    }
    let whiten = Array2::from_shape_fn((u.ncols(), rank), |(i, j)| vectors[(i, j)] / values[j].sqrt());
    let inside = whiten.t().dot(&a.dot(&whiten));
    let symmetric = symmetric::mean(faer_view(inside.view()));
    let norm = (0..rank).fold(0.0, |most: f64, i| most.max(symmetric[(i, i)].abs()));
    let found = count.min(rank);
    let request = Request::new(found, Which::Smallest);
    let (pairs, further) = eigen::solve_with_further(
        &Dense::new(symmetric.as_ref())?,
        &request,
        FURTHER_EIGENVALUES.min(rank - found),
        run,
    )?;
    let turned = whiten.dot(&to_array::<f64, f64>(pairs.vectors.as_ref()));
    maps.slice_mut(s![.., ..found]).assign(&turned);
    fix_columns(&mut maps);
    // Responsibilities sum to 1: a step of all coordinates is one of every analyzer's constant.
    let step = mean.dot(&maps);
    maps.axis_iter_mut(Axis(0)).step_by(factors + 1).for_each(|mut constant| constant -= &step);
    Ok(Alignment { maps, eigenvalues: pairs.values, further, residuals: pairs.residuals, norm })
}

/// How far apart charts are about each row, and about the rows of each chart: the root of the mean squared distance of
/// `y_ij` from `y_i`, weighted by responsibilities.
pub(crate) fn disagreement(local: &Local, maps: &Array2<f64>) -> (Array1<f64>, Array1<f64>) {
    let (n, m) = local.responsibilities.dim();
    let (k, d) = (local.z.ncols() / m, maps.ncols());
    let (mut of_row, mut of_chart) = (Array1::<f64>::zeros(n), Array1::<f64>::zeros(m));
    let mut mass = vec![0.0f64; m];
    let mut images = Array2::<f64>::zeros((m, d));
    for i in 0..n {
        let mut mean = Array1::<f64>::zeros(d);
        for j in 0..m {
            let r = local.responsibilities[(i, j)];
            for c in 0..d {
                let z = |a: usize| local.z[(i, j * k + a)] * maps[(j * (k + 1) + 1 + a, c)];
                images[(j, c)] = maps[(j * (k + 1), c)] + (0..k).map(z).sum::<f64>();
                mean[c] += r * images[(j, c)];
            }
        }
        for j in 0..m {
            let r = local.responsibilities[(i, j)];
            let square: f64 = images.row(j).iter().zip(&mean).map(|(y, mean)| (y - mean).powi(2)).sum();
            of_row[i] += r * square;
            of_chart[j] += r * square;
            mass[j] += r;
        }
    }
    of_row.mapv_inplace(f64::sqrt);
    of_chart
        .iter_mut()
        .zip(&mass)
        .for_each(|(sum, &mass)| *sum = if mass > 0.0 { (*sum / mass).sqrt() } else { 0.0 });
    (of_row, of_chart)
}

/// The map that makes coordinates of unit variance as isometric as charts of this mixture can be: with it, steps of the
/// data along a chart have their own length on average, in every direction. Its first axis is that of the largest
/// variance. `None` where some direction has no step at all.
pub(crate) fn isometry(mixture: &Mixture, maps: &Array2<f64>, run: &Run) -> Result<Option<Array2<f64>>> {
    let (k, d) = (mixture.factors(), maps.ncols());
    // dy/dx of a chart is L' F with F = (1 + W'N^-1 W)^-1 W'N^-1: the mean of its square.
    let mut square = Array2::<f64>::zeros((d, d));
    for (j, (analyzer, weight)) in mixture.analyzers.iter().zip(&mixture.weights).enumerate() {
        let (forward, _) = analyzer.maps(run)?;
        let own = maps.slice(s![j * (k + 1) + 1..(j + 1) * (k + 1), ..]);
        let steps = forward.dot(&own);
        square.scaled_add(*weight, &steps.t().dot(&steps));
    }
    let (values, vectors) = eigen_of_small(&square, run)?;
    let largest = values.first().copied().unwrap_or(0.0);
    if values.last().is_none_or(|&least| least.is_nan() || least <= 1e-12 * largest) {
        return Ok(None);
    }
    // The least stretch of unit variance is the largest variance at unit stretch; in the units of the data.
    let turn = Array2::from_shape_fn((d, d), |(i, j)| {
        let column = d - 1 - j;
        vectors[(i, column)] / values[column].sqrt() / mixture.scale
    });
    Ok(Some(turn))
}

/// Where the analyzers lie in a projection of the data on some axes (columns): the embedding of a mixture that is not
/// aligned.
pub(crate) fn projection(mixture: &Mixture, axes: ArrayView2<'_, f64>) -> Array2<f64> {
    let (m, k, count) = (mixture.weights.len(), mixture.factors(), axes.ncols());
    let mut maps = Array2::<f64>::zeros((m * (k + 1), count));
    for (j, analyzer) in mixture.analyzers.iter().enumerate() {
        let mean = ArrayView1::from(&analyzer.mean[..]).dot(&axes);
        maps.row_mut(j * (k + 1)).assign(&mean);
        let own = analyzer.loadings.t().dot(&axes);
        maps.slice_mut(s![j * (k + 1) + 1..(j + 1) * (k + 1), ..]).assign(&own);
    }
    maps / mixture.scale
}
