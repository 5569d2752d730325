//! The objective of neighborhood components analysis: the expected number of rows that pick a neighbor of their own
//! class, with probabilities that fall with the squared distance (Goldberger et al. 2004).

use super::Affine;
use super::signs::fix_columns;
use crate::Input;
use crate::functions::exp;
use crate::matrix::{Element, to_array};
use crate::methods::Pca;
use crate::parameters::Components;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::{fold_in_order, map_chunks};
use lowland_base::simd::vectorized;
use lowland_base::{Error, Result, Run};
use ndarray::{Array2, ArrayView2, s};

/// Rows compared with all others at a time.
const CHUNK: usize = 64;

/// The order of the rows by their values, and of equal ones by their labels.
pub(crate) fn order<T: Element>(x: ArrayView2<'_, T>, labels: &[i64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.nrows()).collect();
    order.sort_by(|&a, &b| {
        let mut orders = x.row(a).into_iter().zip(x.row(b)).map(|(a, b)| a.wide().total_cmp(&b.wide()));
        orders.find(|order| order.is_ne()).unwrap_or_else(|| labels[a].cmp(&labels[b]))
    });
    order
}

/// The same map, rotated so that its components are uncorrelated, the one of largest variance first: distances stay as
/// they are. Components along which no row differs are zero; the number of the others.
pub(crate) fn principal_components(
    forward: Array2<f64>,
    points: &Points,
    scale: f64,
    run: &Run,
) -> Result<(Array2<f64>, usize)> {
    let k = forward.ncols();
    let rows =
        ArrayView2::from_shape((points.n, points.d), &points.rows).map_err(|e| Error::shape("table", &e))?;
    let map = Affine { center: None, matrix: forward.view(), offset: None };
    let y = map.apply(Input::Points(rows), run)? / scale;
    let pca = Pca { n_components: Components::Count(k.min(points.n)), ..Pca::default() };
    let spectrum = pca.spectrum(y.view(), run)?;
    if spectrum.directions.ncols() < k {
        return Ok((forward, k));
    }
    let used = spectrum.variances.iter().take_while(|&&v| v > spectrum.resolution && v > 0.0).count();
    let mut rotated = forward.dot(&to_array::<f64, f64>(spectrum.directions.as_ref()));
    rotated.slice_mut(s![.., used..]).fill(0.0);
    fix_columns(&mut rotated);
    Ok((rotated, used))
}

/// The rows, about their mean and in units of their size, and their classes.
pub(crate) struct Points {
    pub n: usize,
    pub d: usize,
    pub rows: Vec<f64>,
    /// The class of each row.
    pub of_row: Vec<usize>,
}

impl Points {
    /// The expected number of rows that pick a neighbor of their own class, and minus its gradient (`d x k`).
    pub fn objective(&self, map: &[f64], k: usize, gradient: &mut [f64], run: &Run) -> Result<f64> {
        let (n, d) = (self.n, self.d);
        let map = MatRef::from_row_major_slice(map, d, k);
        let parts = map_chunks(run, n, 256, |rows| {
            let mut y = vec![0.0; rows.len() * k];
            matmul(
                MatMut::from_row_major_slice_mut(&mut y, rows.len(), k),
                Accum::Replace,
                MatRef::from_row_major_slice(&self.rows[rows.start * d..rows.end * d], rows.len(), d),
                map,
                1.0,
                Par::Seq,
            );
            y
        })?;
        let y = parts.concat();
        let squares: Vec<f64> = y.chunks_exact(k).map(|y| y.iter().map(|y| y * y).sum()).collect();
        // With p the pick probabilities, P_i their sum over the own class and w_ij = p_ij ([own] - P_i), the gradient
        // is 2 sum_ij w_ij (x_i - x_j)(y_i - y_j)' with its sign turned: a Laplacian of w + w' between x and y.
        let (mut total, mut pull) = (0.0, vec![0.0; n * k]);
        let scratch = || (vec![0.0; CHUNK * n], vec![0.0; n * k], 0.0f64);
        let work = |index: usize, (weights, pull, value): &mut (Vec<f64>, Vec<f64>, f64)| {
            let rows = index * CHUNK..((index + 1) * CHUNK).min(n);
            let height = rows.len();
            let own = MatRef::from_row_major_slice(&y[rows.start * k..rows.end * k], height, k);
            let all = MatRef::from_row_major_slice(&y, n, k);
            let weights = &mut weights[..height * n];
            matmul(
                MatMut::from_row_major_slice_mut(weights, height, n),
                Accum::Replace,
                own,
                all.transpose(),
                -2.0,
                Par::Seq,
            );
            *value = 0.0;
            for (row, weights) in rows.clone().zip(weights.chunks_exact_mut(n)) {
                *value += self.weigh(row, weights, &squares);
            }
            // pull_j of this chunk: sum_i w_ij (y_j - y_i) for all j, and for the own rows sum_j w_ij (y_i - y_j).
            let weights = MatRef::from_row_major_slice(&*weights, height, n);
            let mut of_all = MatMut::from_row_major_slice_mut(pull, n, k);
            matmul(of_all.as_mut(), Accum::Replace, weights.transpose(), own, -1.0, Par::Seq);
            let mut of_own = vec![0.0; height * k];
            matmul(
                MatMut::from_row_major_slice_mut(&mut of_own, height, k),
                Accum::Replace,
                weights,
                all,
                -1.0,
                Par::Seq,
            );
            for j in 0..n {
                let sum: f64 = weights.col(j).iter().sum();
                pull[j * k..(j + 1) * k].iter_mut().zip(&y[j * k..]).for_each(|(pull, y)| *pull += sum * y);
            }
            for (at, row) in rows.clone().enumerate() {
                // The weights of a row sum to zero but for rounding.
                let sum: f64 = weights.row(at).iter().sum();
                for a in 0..k {
                    pull[row * k + a] += of_own[at * k + a] + sum * y[row * k + a];
                }
            }
        };
        let fold = |_, (), scratch: &mut (Vec<f64>, Vec<f64>, f64)| {
            total += scratch.2;
            pull.iter_mut().zip(&scratch.1).for_each(|(sum, part)| *sum += part);
        };
        fold_in_order(run, n.div_ceil(CHUNK), scratch, work, fold)?;
        gradient.fill(0.0);
        let parts = map_chunks(run, n, 1024, |rows| {
            let mut part = vec![0.0; d * k];
            matmul(
                MatMut::from_row_major_slice_mut(&mut part, d, k),
                Accum::Replace,
                MatRef::from_column_major_slice(&self.rows[rows.start * d..rows.end * d], d, rows.len()),
                MatRef::from_row_major_slice(&pull[rows.start * k..rows.end * k], rows.len(), k),
                2.0,
                Par::Seq,
            );
            part
        })?;
        for part in parts {
            gradient.iter_mut().zip(part).for_each(|(gradient, part)| *gradient += part);
        }
        Ok(total)
    }

    /// Turns `-2 y_i'y_j` of one row into `w_ij`; the probability that the row picks its own class.
    fn weigh(&self, row: usize, weights: &mut [f64], squares: &[f64]) -> f64 {
        weights.iter_mut().zip(squares).for_each(|(w, square)| *w += square);
        weights[row] = f64::INFINITY;
        let nearest = weights.iter().fold(f64::INFINITY, |least, &w| if w < least { w } else { least });
        vectorized(
            #[inline(always)]
            || weights.iter_mut().for_each(|w| *w = exp(nearest - *w)),
        );
        weights[row] = 0.0;
        let all: f64 = weights.iter().sum();
        let class = self.of_row[row];
        let own: f64 =
            weights.iter().zip(&self.of_row).filter(|&(_, &other)| other == class).map(|(w, _)| w).sum();
        let (share, unit) = (own / all, 1.0 / all);
        for (w, &other) in weights.iter_mut().zip(&self.of_row) {
            *w *= unit * (f64::from(other == class) - share);
        }
        share
    }
}
