//! A finished layout: turned to its principal axes, and measured last, so that every figure belongs to the coordinates that
//! are returned.

use super::disparity::{Curve, Regression, Scale, Transformation};
use super::gather::Gathered;
use super::majorize::{Fitted, Problem};
use super::objects::Copies;
use faer::Mat;
use lowland_base::{Result, Run};
use lowland_linalg::operator::Dense;
use lowland_linalg::{Request, Which, eigen, signs};
use ndarray::Array2;

/// The most pairs of a Shepard diagram.
pub(crate) const SHEPARD: usize = 10_000;

/// Everything about a finished layout.
pub(crate) struct Measured {
    /// One position for each different object.
    pub positions: Array2<f64>,
    /// The weighted sum of squared residuals, in the units of the data.
    pub raw: f64,
    pub stress_1: f64,
    /// The same without the weights.
    pub plain_raw: f64,
    pub plain_stress_1: f64,
    pub sammon: f64,
    /// The mean of the weighted squared residuals of each different object's pairs.
    pub per_point: Vec<f64>,
    /// Distance, disparity and distance in the layout.
    pub shepard: Array2<f64>,
    pub curve: Curve,
}

/// Centers the layout at the mean of all rows, turns it to its principal axes and fixes their signs.
pub(crate) fn orient<const D: usize>(
    y: &mut [[f64; D]],
    mass: Option<&[f64]>,
    components: usize,
    run: &Run,
) -> Result<()> {
    let weight = |i: usize| mass.map_or(1.0, |mass| mass[i]);
    let total: f64 = (0..y.len()).map(weight).sum();
    for c in 0..components {
        let mean = (0..y.len()).map(|i| weight(i) * y[i][c]).sum::<f64>() / total.max(1.0);
        y.iter_mut().for_each(|y| y[c] -= mean);
    }
    let covariance = Mat::from_fn(components, components, |a, b| {
        (0..y.len()).map(|i| weight(i) * y[i][a] * y[i][b]).sum::<f64>()
    });
    let varies = (0..components).any(|c| covariance[(c, c)] > 0.0);
    if components > 1 && varies {
        let pairs =
            eigen::solve(&Dense::new(covariance.as_ref())?, &Request::new(components, Which::Largest), run)?;
        for position in y.iter_mut() {
            let old = *position;
            for c in 0..components {
                position[c] = (0..components).map(|k| old[k] * pairs.vectors[(k, c)]).sum();
            }
        }
    }
    for c in 0..components {
        // The largest entry could be another one of the same size after rounding; that would only mirror the layout.
        if signs::leading_is_negative(y.iter().map(|y| y[c])) {
            y.iter_mut().for_each(|y| y[c] = -y[c]);
        }
    }
    Ok(())
}

/// What the layout of a transformed scale is multiplied by, so that its disparities are as large as the dissimilarities; of
/// an order, that their mean square is 1.
fn rescaled(problem: &Problem, gathered: &Gathered, scale: Scale, fitted: &Fitted, run: &Run) -> Result<f64> {
    let pairs = &problem.pairs;
    if fitted.sums.fitted <= 0.0 {
        return Ok(1.0 / gathered.unit);
    }
    let [wanted, total] =
        pairs.sums(run, |index, _, _, weight| [weight * pairs.given[index] * pairs.given[index], weight])?;
    Ok(match scale {
        Scale::Metric(Transformation::Absolute) => 1.0 / gathered.unit,
        Scale::Metric(_) => (wanted / fitted.sums.fitted).sqrt() / gathered.unit,
        Scale::Order(_) => (total / fitted.sums.fitted).sqrt(),
    })
}

/// Measures a layout of the different objects.
pub(crate) fn measure<const D: usize>(
    problem: &Problem,
    gathered: &Gathered,
    scale: Scale,
    mut y: Vec<[f64; D]>,
    components: usize,
    run: &Run,
) -> Result<Measured> {
    let _stage = run.stage("measure", None);
    let pairs = &problem.pairs;
    orient(&mut y, pairs.mass.as_deref(), components, run)?;
    let fitted = problem.regress(&y, run)?;
    let factor = rescaled(problem, gathered, scale, &fitted, run)?;
    // Fixed disparities are in the units of the pairs, others in those of the layout.
    let given = |index: usize| match &gathered.raw {
        Some(raw) => raw[index] / gathered.unit,
        None => pairs.given[index] / gathered.unit,
    };
    let fixed = matches!(problem.regression, Regression::Fixed);
    let to_units = if fixed { 1.0 / gathered.unit } else { factor };
    let Fitted { distances, disparities, .. } = &fitted;
    let [raw, lost, far, plain, size] = pairs.sums(run, |index, i, j, weight| {
        let residual = disparities[index] - distances[index];
        // Sammon's stress is of the plain residuals: its weights are those of the fit.
        let plain = pairs.mass.as_ref().map_or(1.0, |mass| mass[i] * mass[j]);
        let d = pairs.given[index];
        let share = if d > 0.0 { plain * residual * residual / d } else { 0.0 };
        let distance = distances[index];
        [
            weight * residual * residual,
            share,
            plain * d,
            plain * residual * residual,
            plain * distance * distance,
        ]
    })?;
    let mut per_point = vec![0.0; pairs.n];
    let mut masses = vec![0.0; pairs.n];
    pairs.each(0..pairs.len(), |index, i, j| {
        let residual = (disparities[index] - distances[index]) * to_units;
        let loss = gathered.weight_unit * pairs.weight(index) * residual * residual;
        for (end, other) in [(i, j), (j, i)] {
            let mass = pairs.mass.as_ref().map_or(1.0, |mass| mass[other]);
            per_point[end] += mass * loss;
            masses[end] += mass;
        }
    });
    per_point.iter_mut().zip(masses).for_each(|(sum, mass)| *sum /= mass.max(1.0));
    let stride = pairs.len().div_ceil(SHEPARD).max(1);
    let shown: Vec<usize> = (0..pairs.len()).step_by(stride).collect();
    let shepard = Array2::from_shape_fn((shown.len(), 3), |(k, column)| match column {
        0 => given(shown[k]),
        1 => disparities[shown[k]] * to_units,
        _ => distances[shown[k]] * to_units,
    });
    let curve = if fixed {
        Curve::default()
    } else {
        let all: Vec<f64> = (0..pairs.len()).map(given).collect();
        let values: Vec<f64> = disparities.iter().map(|t| t * to_units).collect();
        Curve::new(&problem.regression, &all, &values)
    };
    Ok(Measured {
        positions: Array2::from_shape_fn((pairs.n, components), |(i, c)| y[i][c] * to_units),
        raw: raw * gathered.weight_unit * to_units * to_units / gathered.share,
        stress_1: fitted.sums.stress().sqrt(),
        plain_raw: plain * to_units * to_units / gathered.share,
        plain_stress_1: if size > 0.0 { (plain / size).sqrt() } else { fitted.sums.stress().sqrt() },
        sammon: if far > 0.0 { lost / far } else { 0.0 },
        per_point,
        shepard,
        curve,
    })
}

/// From the different objects to all.
pub(crate) fn spread(copies: &Copies, positions: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((copies.object.len(), positions.ncols()), |(i, c)| positions[(copies.object[i], c)])
}
