//! The linear relatives of the local methods (Maaten, appendix A): the affine maps of the data whose images cost least
//! by the penalty of a graph.
//!
//! With `X = U S V'` of the centered data, every image is `U g`: the problem is solved in the coordinates `g`, where
//! neither dependent columns nor their units matter.

use super::inverse::pseudo_inverse;
use super::{LinearModel, Map};
use crate::method::{Entry, Forecast, Recipe, Training};
use crate::model::{Archive, Form, Part, Quantity, Report, Warning};
use crate::parameters::Value;
use crate::spectral::FURTHER_EIGENVALUES;
use crate::spectral::local::{self, Geometry};
use crate::spectral::{Connected, Disconnected, NeighborGraph, Neighborhood, Source, connected_components};
use crate::{AnyInput, Shape};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef};
use lowland_base::{Csr, Error, Result, Run, parallel};
use lowland_linalg::eigen::{self, generalized};
use lowland_linalg::operator::Dense;
use lowland_linalg::rows::power_of_two_below;
use lowland_linalg::{Eigenpairs, Operator, Request, Which, svd, symmetric};
use lowland_neighbors::Graph;
use ndarray::{Array1, Array2, ArrayView2};

/// The penalty that is minimized.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Penalty {
    /// That of LLE or LTSA.
    Local(Geometry),
    /// Differences along the edges of the neighbor graph, weighted by `exp(-d^2 / (2 s^2))`.
    Heat {
        /// The width `s`; `None` is the root mean square length of the edges.
        width: Option<f64>,
    },
}

/// What keeps the image from shrinking to a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Constraint {
    /// Unit variance, each point counted by its degree where the penalty has degrees.
    Variance,
    /// Orthonormal directions.
    Directions,
}

/// What is found.
pub(crate) const PARTS: &[Part] = &[
    ("components", "The directions, one a row, by ascending penalty.", Form::Matrix),
    ("eigenvalues", "The penalty of the image along each direction.", Form::Vector),
];

/// One of the methods with its parameters.
pub(crate) struct Relative {
    pub n_components: usize,
    pub n_neighbors: usize,
    pub disconnected: Disconnected,
    pub penalty: Penalty,
    pub parts: &'static [Part],
    pub constraint: Constraint,
}

impl Relative {
    fn neighborhood(&self) -> Neighborhood {
        local::euclidean(self.n_neighbors, self.disconnected)
    }

    fn map(&self, input: AnyInput<'_>, run: &Run) -> Result<Map> {
        let (source, neighborhood) = (Source::of(input)?, self.neighborhood());
        let fewest = match self.penalty {
            Penalty::Local(geometry) => geometry.least(self.n_components).0,
            Penalty::Heat { .. } => 1,
        };
        let NeighborGraph { source, table, graph, .. } =
            NeighborGraph::of_distinct(&neighborhood, &source, (self.n_components, fewest), run)?;
        let (Source::Points(points), Some(table)) = (&*source, table) else {
            return Err(crate::spectral::unsupported("a linear relative", source.kind(), "points"));
        };
        let connected = neighborhood.connected(graph, &source, run)?;
        let joined = connected.joined();
        let Connected { mut connected_components, sizes, .. } = connected;
        // One: all points, or the largest connected component. The others are new points to its map.
        let part = connected_components.swap_remove(0);
        let (points, lists) = local::of_component(points, &table, &part, joined);
        let mut resolved = None;
        let (penalty, degrees): (Box<dyn Operator<f64>>, _) = match self.penalty {
            Penalty::Local(geometry) => {
                (geometry.penalty(points.view(), &lists, self.n_components, run)?, None)
            }
            Penalty::Heat { width } => {
                let width = width.unwrap_or_else(|| usual_width(part.graph.distances()));
                resolved = Some(("width".to_owned(), Value::Real(width)));
                let (laplacian, degrees) = heat_laplacian(part.graph, width)?;
                (Box::new(laplacian), Some(degrees))
            }
        };
        drop(lists);
        let space = Space::of(points.view(), degrees.as_deref(), run)?;
        let mut map = self.solve(&space, &*penalty, degrees.as_deref(), run)?;
        connected_components::report_components(&mut map.report, sizes, &neighborhood);
        map.report.resolved.extend(resolved);
        Ok(map)
    }

    fn solve(
        &self,
        space: &Space,
        penalty: &dyn Operator<f64>,
        degrees: Option<&[f64]>,
        run: &Run,
    ) -> Result<Map> {
        let (n, r, d) = (space.left.nrows(), space.values.len(), self.n_components);
        let count = d.min(r);
        let stage = run.stage("directions", None);
        let mut image = Mat::zeros(n, r);
        penalty.apply(space.left.as_ref(), image.as_mut(), run)?;
        let mut cost = symmetric::mean(inner(space.left.as_ref(), image.as_ref(), run)?.as_ref());
        let request = Request::new(count, Which::Smallest);
        let more = FURTHER_EIGENVALUES.min(r - count);
        // `g`: the image of the training points is U g.
        let (pairs, further, g) = match (self.constraint, degrees) {
            (Constraint::Directions, _) => {
                // In the units of the data, in which the directions have length 1.
                let s: Vec<f64> = space.values.iter().map(|value| value / space.scale).collect();
                cost = Mat::from_fn(r, r, |i, j| s[i] * cost[(i, j)] * s[j]);
                let (pairs, further) =
                    eigen::solve_with_further(&Dense::new(cost.as_ref())?, &request, more, run)?;
                let g = Mat::from_fn(r, count, |i, j| s[i] * pairs.vectors[(i, j)]);
                (pairs, further, g)
            }
            (Constraint::Variance, None) => {
                let (pairs, further) =
                    eigen::solve_with_further(&Dense::new(cost.as_ref())?, &request, more, run)?;
                let root = (n as f64).sqrt();
                let g = Mat::from_fn(r, count, |i, j| root * pairs.vectors[(i, j)]);
                (pairs, further, g)
            }
            (Constraint::Variance, Some(degrees)) => {
                let weighted = Mat::from_fn(n, r, |i, j| degrees[i] * space.left[(i, j)]);
                let mass = symmetric::mean(inner(space.left.as_ref(), weighted.as_ref(), run)?.as_ref());
                let request = Request { count: count + more, ..request };
                let mut pairs = generalized::solve_dense(cost.as_ref(), mass.as_ref(), &request, run)?;
                let further = pairs.values.split_off(count);
                let root = degrees.iter().sum::<f64>().sqrt();
                let g = Mat::from_fn(r, count, |i, j| root * pairs.vectors[(i, j)]);
                (pairs, further, g)
            }
        };
        drop(stage);
        let mut map = self.finish(space, &pairs, g.as_ref(), cost.as_ref(), run)?;
        map.report.further_eigenvalues = further;
        Ok(map)
    }

    /// From the coordinates `g` to the map and its least-squares inverse: with `Y = U g`, the matrix `B` of least
    /// `|X - Y B|` is `g^+ S V'`.
    fn finish(
        &self,
        space: &Space,
        pairs: &Eigenpairs<f64>,
        g: MatRef<'_, f64>,
        cost: MatRef<'_, f64>,
        run: &Run,
    ) -> Result<Map> {
        let (d, r, count) = (self.n_components, space.values.len(), g.ncols());
        let columns = space.right.nrows();
        let back = pseudo_inverse(g, run)?;
        let there = Mat::from_fn(r, count, |c, j| g[(c, j)] / space.values[c] * space.scale);
        let there = product(space.right.as_ref(), there.as_ref(), run)?;
        let back = Mat::from_fn(r, count, |c, j| back[(c, j)] * space.values[c] / space.scale);
        let back = product(space.right.as_ref(), back.as_ref(), run)?;
        let entry =
            |from: &Mat<f64>, column: usize, j: usize| if j < count { from[(column, j)] } else { 0.0 };
        let mut forward = Array2::from_shape_fn((columns, d), |(column, j)| entry(&there, column, j));
        let mut backward = Array2::from_shape_fn((d, columns), |(j, column)| entry(&back, column, j));
        // The entry of largest magnitude of each direction is positive.
        for j in 0..count {
            if lowland_linalg::signs::leading_is_negative(forward.column(j).iter().copied()) {
                forward.column_mut(j).mapv_inplace(|x| -x);
                backward.row_mut(j).mapv_inplace(|x| -x);
            }
        }
        let padded =
            |values: &[f64]| -> Vec<f64> { (0..d).map(|j| values.get(j).copied().unwrap_or(0.0)).collect() };
        let eigenvalues = padded(&pairs.values);
        let mut warnings = Vec::new();
        if count < d {
            warnings.push(Warning::RankDeficient { asked: d, rank: count, remedy: String::new() });
        }
        let report = Report {
            objective: vec![Quantity { name: "penalty".into(), value: eigenvalues.iter().sum() }],
            residuals: padded(&pairs.residuals),
            norm: (0..r).map(|c| cost[(c, c)]).fold(0.0, f64::max),
            warnings,
            eigenvalues: eigenvalues.clone(),
            ..Report::default()
        };
        let found = vec![forward.t().to_owned().into(), Array1::from(eigenvalues).into()];
        let center = space.center.clone();
        Ok(Map { center, forward, backward: Some(backward), density: None, found, report })
    }
}

impl Recipe for Relative {
    type Model = LinearModel;

    /// The bounds, each with its reason.
    fn check(&self, shape: &Shape) -> Result<()> {
        if self.disconnected == Disconnected::Separate {
            let problem = "disconnected = separate is not for a linear map, which cannot put connected components side \
                           by side";
            return Err(Error::conflict("disconnected", problem, "choose join, largest or error"));
        }
        let (d, most) = (self.n_components, shape.columns.min(shape.rows.saturating_sub(1)));
        if d > most {
            let bound = format!("at most {most}, the number of directions that centered data can have");
            return Err(Error::too_many_components(d, most, bound, "rows"));
        }
        self.neighborhood().check(shape.rows)?;
        match self.penalty {
            Penalty::Local(geometry) => local::check_count(self.n_neighbors, shape.rows, geometry.least(d)),
            Penalty::Heat { .. } => Ok(()),
        }
    }

    /// The penalty, and the decomposition of the data.
    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, columns) = (shape.rows as f64, shape.columns as f64);
        let (k, d) = (self.n_neighbors as f64, self.n_components as f64);
        // There is no factor: the matrix is multiplied with the data.
        let penalty = local::forecast((n, n), columns, k, d, Some(0));
        let side = n.min(columns);
        // Penalties of tangent spaces are summed up in a sparse matrix.
        let summed = match self.penalty {
            Penalty::Local(Geometry::Weights { .. }) | Penalty::Heat { .. } => 0.0,
            Penalty::Local(_) => 1.5 * n * (0.5 * k * k + 4.0 * k).min(n),
        };
        let dense = 8.0 * (5.0 * n * columns + 8.0 * side * side + summed);
        Forecast {
            bytes: penalty.bytes + dense as u64,
            flops: penalty.flops + 8.0 * n * columns * side,
            remedy: "reduce the columns by pca first".into(),
        }
    }

    /// The map, and the images of the rows under it.
    fn fit(
        &self,
        Training { input, .. }: Training<'_, '_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<LinearModel> {
        LinearModel::new(entry, self.parts, settings, self.map(input, run)?).embedded(input, run)
    }

    fn load(
        &self,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<LinearModel> {
        LinearModel::load(entry, self.parts, settings, archive)
    }
}

/// The centered data as `U S V' / scale`, without the directions in which they do not vary.
struct Space {
    center: Vec<f64>,
    scale: f64,
    left: Mat<f64>,
    values: Vec<f64>,
    right: Mat<f64>,
}

impl Space {
    fn of(points: ArrayView2<'_, f64>, weights: Option<&[f64]>, run: &Run) -> Result<Self> {
        let _stage = run.stage("decompose", None);
        let (n, columns) = points.dim();
        // Scaled first, so that no sum overflows; from the first row, so that an offset costs no digits.
        let largest = points.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let guard = power_of_two_below(largest);
        let total = weights.map_or(n as f64, |w| w.iter().sum());
        let center: Vec<f64> = (0..columns)
            .map(|j| {
                let first = points[(0, j)] * guard;
                let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
                let sum: f64 = (0..n).map(|i| weight(i) * (points[(i, j)] * guard - first)).sum();
                (first + sum / total) / guard
            })
            .collect();
        let spread = points.indexed_iter().fold(0.0f64, |most, ((_, j), x)| most.max((x - center[j]).abs()));
        let scale = power_of_two_below(spread);
        let centered = Mat::from_fn(n, columns, |i, j| (points[(i, j)] - center[j]) * scale);
        let parts = svd::thin(centered.as_ref(), run)?;
        // What rounding of the center leaves of columns that do not vary counts as nothing, too.
        let rounding = f64::EPSILON * (n + columns) as f64;
        let floor =
            rounding * parts.values.first().copied().unwrap_or(0.0).max(largest * scale * (n as f64).sqrt());
        let rank = parts.values.iter().take_while(|&&value| value > floor).count();
        Ok(Self {
            center,
            scale,
            left: parts.left.subcols(0, rank).to_owned(),
            values: parts.values[..rank].to_vec(),
            right: parts.right.subcols(0, rank).to_owned(),
        })
    }
}

/// No weight is below this: a point that is far from all others keeps its neighbors.
const LEAST_WEIGHT: f64 = 1e-9;

/// The root of the mean squared length of an edge.
pub(crate) fn usual_width(lengths: &Csr<f64>) -> f64 {
    let longest = lengths.values().iter().fold(0.0f64, |most, d| most.max(*d));
    if longest == 0.0 {
        return 1.0;
    }
    let squares: f64 = lengths.values().iter().map(|d| (d / longest).powi(2)).sum();
    longest * (squares / lengths.nnz().max(1) as f64).sqrt()
}

/// `L = D - W` with `w = exp(-d^2 / (2 s^2))` on the edges, and the degrees.
pub(crate) fn heat_laplacian(graph: Graph<f64>, width: f64) -> Result<(Csr<f64>, Vec<f64>)> {
    let lengths = graph.into_distances();
    let n = lengths.nrows();
    let weight = |d: f64| (-0.5 * (d / width).powi(2)).exp().max(LEAST_WEIGHT);
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut degrees = Vec::with_capacity(n);
    for i in 0..n {
        let (columns, distances) = lengths.row(i);
        let degree: f64 = distances.iter().map(|&d| weight(d)).sum();
        let before = columns.partition_point(|&j| (j as usize) < i);
        for (at, (&j, &d)) in columns.iter().zip(distances).enumerate() {
            if at == before {
                indices.push(i as u32);
                values.push(degree);
            }
            indices.push(j);
            values.push(-weight(d));
        }
        if before == columns.len() {
            indices.push(i as u32);
            values.push(degree);
        }
        offsets.push(indices.len());
        degrees.push(degree);
    }
    Ok((Csr::new(n, n, offsets, indices, values)?, degrees))
}

/// Rows multiplied between two looks at the switch.
const ROWS: usize = 256;

/// `a b`.
pub(super) fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>, run: &Run) -> Result<Mat<f64>> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    for rows in parallel::chunks(a.nrows(), ROWS) {
        run.check()?;
        let (part, here) =
            (a.subrows(rows.start, rows.len()), out.as_mut().subrows_mut(rows.start, rows.len()));
        run.install(|| matmul(here, Accum::Replace, part, b, 1.0, parallel::FAER));
    }
    Ok(out)
}

/// `a' b`.
fn inner(a: MatRef<'_, f64>, b: MatRef<'_, f64>, run: &Run) -> Result<Mat<f64>> {
    let mut out = Mat::zeros(a.ncols(), b.ncols());
    for rows in parallel::chunks(a.nrows(), ROWS) {
        run.check()?;
        let (left, right) = (a.subrows(rows.start, rows.len()), b.subrows(rows.start, rows.len()));
        run.install(|| matmul(out.as_mut(), Accum::Add, left.transpose(), right, 1.0, parallel::FAER));
    }
    Ok(out)
}
