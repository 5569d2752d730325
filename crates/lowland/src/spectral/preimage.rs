//! From an embedding back to points: a pre-image in feature space hardly ever exists, so the nearest one is sought.

use super::component::{ComponentModel, Formula};
use super::kernel::{Function, median_distance};
use super::{FunctionAnchors, Normalizer};
use crate::matrix::to_array;
use crate::projective::Affine;
use crate::{Input, choices};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Auto, Mat, Spec};
use lowland_base::{Error, Result, Run, parallel};
use lowland_linalg::{Request, Solver, Which, eigen};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

choices! {
    /// How points are found that belong to given coordinates.
    pub enum Preimage {
        /// The fixed point where the kernel is Gaussian, the regression for all others.
        Auto = "auto",
        /// Kernel ridge regression from the embedding of the training points to themselves.
        Regression = "regression" | "ridge",
        /// The fixed point of Mika et al. (1999) for Gaussian kernels, from the regression as a start.
        FixedPoint = "fixed-point" | "mika",
    }
}

impl Preimage {
    /// What `auto` is for a kernel.
    pub(crate) fn of(self, function: &Function) -> Self {
        match (self, function) {
            (Self::Auto, Function::Gaussian { .. }) => Self::FixedPoint,
            (Self::Auto, _) => Self::Regression,
            (given, _) => given,
        }
    }
}

/// The settings of the inverse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inverse {
    pub way: Preimage,
    pub alpha: Option<f64>,
}

/// A regression from coordinates to points, fitted on the anchors.
pub(crate) struct Regression {
    anchors: FunctionAnchors,
    /// `(K + alpha I)^-1 (X - mean)`
    dual: Array2<f64>,
    mean: Vec<f64>,
}

impl Regression {
    /// Gaussian kernel ridge regression; the width is the median distance of the coordinates.
    pub fn fit(
        coordinates: ArrayView2<'_, f64>,
        points: ArrayView2<'_, f64>,
        alpha: Option<f64>,
        run: &Run,
    ) -> Result<Self> {
        let (n, d) = points.dim();
        run.reserve("the inverse", (16 * n * n) as u64, "choose landmarks, fewer than there are points")?;
        let width = median_distance(coordinates, run)?;
        let function = Function::Gaussian { gamma: 0.5 / (width * width) };
        let alpha = match alpha {
            Some(alpha) => alpha,
            None => best_ridge(&function, coordinates, points, run)?,
        };
        let anchors = FunctionAnchors::new(function, coordinates.to_owned(), run)?;
        let kernel = anchors.matrix(run)?;
        let mean: Vec<f64> = points.columns().into_iter().map(|c| c.sum() / n as f64).collect();
        let mut right = Mat::from_fn(n, d, |i, j| points[(i, j)] - mean[j]);
        // The kernel is semidefinite, so that a ridge above rounding makes it definite.
        let ridge = alpha.max(10.0 * n as f64 * f64::EPSILON);
        let mut factor = Mat::from_fn(n, n, |i, j| kernel.get(i, j) + if i == j { ridge } else { 0.0 });
        drop(kernel);
        let solved = run.interruptible(move || {
            let params = Spec::<LltParams, f64>::from(<LltParams as Auto<f64>>::auto());
            let need = cholesky_in_place_scratch::<f64>(n, parallel::FAER, params);
            let mut buffer = MemBuffer::try_new(need).ok()?;
            let stack = MemStack::new(&mut buffer);
            cholesky_in_place(factor.as_mut(), Default::default(), parallel::FAER, stack, params).ok()?;
            solve_lower_triangular_in_place(factor.as_ref(), right.as_mut(), parallel::FAER);
            solve_upper_triangular_in_place(factor.as_ref().transpose(), right.as_mut(), parallel::FAER);
            Some(right)
        })?;
        let dual = solved.ok_or_else(|| {
            let problem = format!("alpha = {alpha} is too small: the kernel is not positive definite");
            Error::conflict("alpha", problem, "raise alpha")
        })?;
        Ok(Self { anchors, dual: Array2::from_shape_fn((n, d), |(i, j)| dual[(i, j)]), mean })
    }

    /// The points of some coordinates. A row's bits do not depend on the others.
    pub fn points(&self, coordinates: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let rows = self.anchors.block(coordinates, run)?;
        let affine = Affine { center: None, matrix: self.dual.view(), offset: Some(&self.mean) };
        affine.apply(Input::Points(rows.view()), run)
    }
}

/// Rows that the ridge is chosen by.
const CHOSEN_BY: usize = 500;

/// The ridge with the least error of predicting a row from the others, of evenly spaced rows: with `G = (K + r I)^-1` that
/// error is `(G y)_i / G_ii`, for every ridge `r` from one decomposition of `K`.
fn best_ridge(
    function: &Function,
    coordinates: ArrayView2<'_, f64>,
    points: ArrayView2<'_, f64>,
    run: &Run,
) -> Result<f64> {
    let n = points.nrows();
    let rows: Vec<usize> = (0..n).step_by(n.div_ceil(CHOSEN_BY).max(1)).collect();
    let (m, points) = (rows.len(), points.select(Axis(0), &rows));
    let kernel =
        FunctionAnchors::new(function.clone(), coordinates.select(Axis(0), &rows), run)?.matrix(run)?;
    let pairs = eigen::solve(&kernel, &Request::new(m, Which::Largest).by(Solver::Dense), run)?;
    let mean = points.mean_axis(Axis(0)).unwrap_or_default();
    let right = &points - &mean;
    let vectors: Array2<f64> = to_array(pairs.vectors.as_ref());
    let turned = vectors.t().dot(&right);
    let mut best = (f64::INFINITY, 1.0);
    for exponent in 0..=10 {
        run.check()?;
        let ridge = 10f64.powi(-exponent);
        let inverse: Vec<f64> = pairs.values.iter().map(|value| 1.0 / (value.max(0.0) + ridge)).collect();
        let scaled = Array2::from_shape_fn(turned.dim(), |(k, j)| turned[(k, j)] * inverse[k]);
        let solved = vectors.dot(&scaled);
        let error: f64 = (0..m)
            .map(|i| {
                let diagonal: f64 =
                    vectors.row(i).iter().zip(&inverse).map(|(v, inverse)| v * v * inverse).sum();
                solved.row(i).iter().map(|value| (value / diagonal).powi(2)).sum::<f64>()
            })
            .sum();
        if error < best.0 {
            best = (error, ridge);
        }
    }
    Ok(best.1)
}

/// Improves starts toward the points whose features are nearest to the coordinates': each step is a mean of the
/// training points, weighted by the kernel and by what they contribute to the feature (Mika et al. eq. 10). A step
/// that leads away, or nowhere, is not taken.
pub(crate) fn fixed_point(
    part: &ComponentModel,
    points: ArrayView2<'_, f64>,
    gamma: f64,
    coordinates: ArrayView2<'_, f64>,
    mut starts: Array2<f64>,
    run: &Run,
) -> Result<Array2<f64>> {
    const STEPS: usize = 200;
    let shares = contributions(part, coordinates, run)?;
    for (row, shares) in shares.rows().into_iter().enumerate() {
        if row % 16 == 0 {
            run.check()?;
        }
        let mut z = starts.row(row).to_vec();
        // |P phi - phi(z)|^2 is a constant less twice this.
        let (mut best, mut next) = step(points, shares, gamma, &z);
        for _ in 0..STEPS {
            let Some(candidate) = next else { break };
            let (value, after) = step(points, shares, gamma, &candidate);
            if value <= best {
                break;
            }
            let gain = value - best;
            (z, best, next) = (candidate, value, after);
            if gain <= 1e-15 * best.abs() {
                break;
            }
        }
        starts.row_mut(row).iter_mut().zip(z).for_each(|(out, z)| *out = z);
    }
    Ok(starts)
}

/// `sum_i share_i k(z, x_i)`, and where the fixed-point iteration goes next.
fn step(
    points: ArrayView2<'_, f64>,
    shares: ArrayView1<'_, f64>,
    gamma: f64,
    z: &[f64],
) -> (f64, Option<Vec<f64>>) {
    let mut sum = 0.0;
    let mut mean = vec![0.0; z.len()];
    for (x, share) in points.rows().into_iter().zip(shares) {
        let squared: f64 = x.iter().zip(z).map(|(a, b)| (a - b) * (a - b)).sum();
        let weight = share * (-gamma * squared).exp();
        sum += weight;
        mean.iter_mut().zip(x).for_each(|(mean, x)| *mean += weight * x);
    }
    if sum > 1e-12 {
        mean.iter_mut().for_each(|mean| *mean /= sum);
        (sum, Some(mean))
    } else {
        (sum, None)
    }
}

/// What each anchor contributes to the feature of some coordinates: `P phi = sum_i share_i phi(x_i)`.
fn contributions(part: &ComponentModel, coordinates: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
    // Centered features bring the mean along; a map of raw rows does not.
    let (map, normalizer, raw) = match &part.formula {
        Formula::Kernel { map, normalizer, .. } => (map, normalizer, false),
        Formula::Landmarks { map, normalizer, .. } => (map, normalizer, true),
        Formula::Laplacian { .. } | Formula::LocalLinear(_) => (&part.coordinates, &Normalizer::None, true),
    };
    let matrix = map.t().as_standard_layout().into_owned();
    let mut shares = Affine { center: None, matrix: matrix.view(), offset: None }
        .apply(Input::Points(coordinates), run)?;
    if let Normalizer::Center { weights, columns, .. } = normalizer {
        let even = 1.0 / columns.len().max(1) as f64;
        for mut row in shares.rows_mut() {
            let rest = if raw { 1.0 } else { 1.0 - row.sum() };
            for (i, share) in row.iter_mut().enumerate() {
                *share += rest * weights.as_ref().map_or(even, |weights| weights[i]);
            }
        }
    }
    Ok(shares)
}
