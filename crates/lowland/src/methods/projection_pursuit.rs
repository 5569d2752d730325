//! Projection pursuit (Friedman and Tukey 1974, Huber 1985; Burges 1): the projections that depart most from a
//! Gaussian, one after the other, and a yardstick that tells when nothing but noise is left.
//!
//! points -> whiten -> climb an index from several starts -> deflate -> compare with Gaussian noise

use super::fast_ica::orthogonal;
use super::{at_least, at_most, covariance_bytes};
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Quantity, Report, Warning};
use crate::parameters::{Described, Kind};
use crate::projective::lbfgs::{self, Stop};
use crate::projective::whitened::{Whitened, with_zero_rows};
use crate::projective::{Form, LinearModel, Map, Part};
use crate::{AnyInput, Shape, choices, parameters};
use lowland_base::{Result, Run};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Projection pursuit in the registry.
pub static PROJECTION_PURSUIT: Entry = Entry {
    name: "projection-pursuit",
    aliases: &["exploratory-projection-pursuit", "pursuit"],
    title: "Projection pursuit",
    summary: "The linear views of the data that look least like a Gaussian cloud (clusters, holes, outliers), \
              whatever their variance, and a test of whether there is anything to see at all.",
    citation: "J. H. Friedman, J. W. Tukey, A projection pursuit algorithm for exploratory data analysis, 1974; P. J. \
               Huber, Projection pursuit, 1985",
    capabilities: Capabilities { inverse: true, random: true, ..Capabilities::PLAIN },
    ..Entry::of::<ProjectionPursuit>()
};

const PARTS: &[Part] = &[
    ("components", "The directions, one a row: each maps centered rows to variance 1.", Form::Matrix),
    ("index", "The index of each projection.", Form::Vector),
    (
        "noise_level",
        "The index that the best projection of Gaussian noise of this shape stays below.",
        Form::Number,
    ),
    (
        "n_significant",
        "How many of the projections depart from a Gaussian more than noise would.",
        Form::Count,
    ),
    ("mean", "The mean of each column of the data.", Form::Vector),
    ("n_iter", "The steps of the longest search.", Form::Count),
];

choices! {
    /// What makes a projection interesting.
    pub enum ProjectionIndex {
        /// An approximation of the negentropy that outliers do not rule: for all purposes.
        Negentropy = "negentropy",
        /// How far the kurtosis is from a Gaussian's, by its logarithm: outliers, and clusters of equal size.
        Kurtosis = "kurtosis",
        /// The integral of the squared density (Friedman and Tukey): clots and clusters.
        FriedmanTukey = "friedman-tukey" | "friedman_tukey",
        /// Few points in the middle (Cook, Buja and Cabrera).
        Holes = "holes",
    }
}

parameters! {
    /// Projection pursuit: the parameters.
    pub struct ProjectionPursuit {
        /// How many projections: at most the smaller of rows and columns; `auto` is 2, or 1 of a single column.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// What makes a projection interesting.
        index: ProjectionIndex = ProjectionIndex::Negentropy;
        /// From how many random directions each search starts: the best end counts.
        n_starts: usize = 8, in Kind::Integer { min: 1, max: 10_000 };
        /// How many times the search is repeated on Gaussian noise to know what noise shows; 0 leaves that out, and
        /// every projection counts as significant.
        n_noise: usize = 10, in Kind::Integer { min: 0, max: 10_000 };
        /// The most steps of a search.
        max_iter: usize = 200, in Kind::Integer { min: 1, max: 100_000 };
    }
}

impl ProjectionIndex {
    /// The index of projections with mean 0 and variance 1, and its derivative with respect to each.
    fn of(self, y: &[f64]) -> (f64, Vec<f64>) {
        let n = y.len() as f64;
        match self {
            Self::Kurtosis => {
                // By the logarithm, as kurtosis ends at 1 on one side and nowhere on the other: the excess of a few
                // outliers of noise would hide clusters.
                let kurtosis = (y.iter().map(|y| y.powi(4)).sum::<f64>() / n).max(f64::MIN_POSITIVE);
                let apart = (kurtosis / 3.0).ln();
                let slope = |y: &f64| 8.0 * apart / kurtosis * y.powi(3) / n;
                (apart * apart, y.iter().map(slope).collect())
            }
            Self::Negentropy => {
                // Hyvärinen 1998: an odd and an even part.
                let root3 = 3f64.sqrt();
                let (odd_weight, even_weight) = (36.0 / (8.0 * root3 - 9.0), 24.0 / (16.0 * root3 - 27.0));
                let bump: Vec<f64> = y.iter().map(|y| (-0.5 * y * y).exp()).collect();
                let odd = y.iter().zip(&bump).map(|(y, e)| y * e).sum::<f64>() / n;
                let even = bump.iter().sum::<f64>() / n - std::f64::consts::FRAC_1_SQRT_2;
                let slope = |(y, e): (&f64, &f64)| {
                    2.0 * (odd_weight * odd * (1.0 - y * y) - even_weight * even * y) * e / n
                };
                (odd_weight * odd * odd + even_weight * even * even, y.iter().zip(&bump).map(slope).collect())
            }
            Self::Holes => {
                let unit = 1.0 - (-0.5f64).exp();
                let bump: Vec<f64> = y.iter().map(|y| (-0.5 * y * y).exp()).collect();
                let value = (1.0 - bump.iter().sum::<f64>() / n) / unit;
                (value, y.iter().zip(&bump).map(|(y, e)| y * e / n / unit).collect())
            }
            Self::FriedmanTukey => squared_density(y),
        }
    }
}

/// The integral of the squared density of the points, each spread by a Gaussian of Silverman's width. The points are
/// shared out over a fine grid, so that the cost grows with their number and not with its square.
fn squared_density(y: &[f64]) -> (f64, Vec<f64>) {
    const REACH: f64 = 8.0;
    let n = y.len() as f64;
    let width = 1.06 * n.powf(-0.2);
    let step = width / 4.0;
    let size = (2.0 * REACH / step).ceil() as usize + 3;
    // The nearest cell, and how far beyond its middle: a point is shared by three cells, smoothly as it moves.
    let place = |y: f64| {
        let at = ((y + REACH) / step + 1.0).clamp(1.0, (size - 2) as f64);
        (at.round() as usize, at - at.round())
    };
    let mut mass = vec![0.0; size];
    for &y in y {
        let (cell, f) = place(y);
        mass[cell - 1] += 0.5 * (0.5 - f).powi(2) / n;
        mass[cell] += (0.75 - f * f) / n;
        mass[cell + 1] += 0.5 * (0.5 + f).powi(2) / n;
    }
    // Two Gaussians of this width differ by one of sqrt 2 times the width.
    let spread = std::f64::consts::SQRT_2 * width;
    let reach = (5.0 * spread / step).ceil() as usize;
    let kernel: Vec<f64> = (0..=reach)
        .map(|at| {
            let z = at as f64 * step / spread;
            (-0.5 * z * z).exp() / spread / (2.0 * std::f64::consts::PI).sqrt()
        })
        .collect();
    let smooth: Vec<f64> = (0..size)
        .map(|cell| {
            let near = cell.saturating_sub(reach)..(cell + reach + 1).min(size);
            near.map(|other| mass[other] * kernel[cell.abs_diff(other)]).sum()
        })
        .collect();
    let value = mass.iter().zip(&smooth).map(|(mass, smooth)| mass * smooth).sum();
    let slope = |&y: &f64| {
        let (cell, f) = place(y);
        let rise = (0.5 + f) * smooth[cell + 1] - 2.0 * f * smooth[cell] - (0.5 - f) * smooth[cell - 1];
        if y.abs() < REACH { 2.0 * rise / step / n } else { 0.0 }
    };
    (value, y.iter().map(slope).collect())
}

impl ProjectionPursuit {
    fn solve(&self, input: AnyInput<'_>, run: &Run) -> Result<LinearModel> {
        let map = on_points!(input, x => self.map(x, run))?;
        LinearModel::new(&PROJECTION_PURSUIT, PARTS, self.settings(), map).embedded(input, run)
    }

    fn count(&self, n: usize, d: usize) -> usize {
        self.n_components.unwrap_or(n.min(d).min(2))
    }

    fn map<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Map> {
        let asked = self.count(x.nrows(), x.ncols());
        let z = Whitened::new(x, None, run)?;
        let count = asked.min(z.rank);
        let mut rng = run.rng("projection-pursuit");
        let stage = run.stage("pursuit", Some(count as u64));
        let mut found: Array2<f64> = Array2::zeros((0, z.rank));
        let (mut index, mut steps) = (Vec::new(), 1);
        for _ in 0..count {
            let (direction, value, taken) = self.climb(&z, &found, &mut rng, run)?;
            steps = steps.max(taken);
            found.append(Axis(0), direction.insert_axis(Axis(0)).view()).map_err(|e| {
                lowland_base::Error::Malformed { what: "set of directions", problem: e.to_string() }
            })?;
            index.push(value);
            stage.advance(1)?;
        }
        drop(stage);
        let level = self.noise_level(&z, run)?;
        let significant = index.iter().filter(|&&value| value > level).count();
        let mut warnings = Vec::new();
        if z.rank < asked {
            warnings.push(Warning::RankDeficient { asked, rank: z.rank, remedy: String::new() });
        }
        if significant < count {
            warnings.push(Warning::OnlyNoise { asked: count, found: significant });
        }
        let mut components = found.dot(&z.forward.t());
        for (mut row, mut own) in components.rows_mut().into_iter().zip(found.rows_mut()) {
            let leading = row.iter().fold(0.0f64, |most, &x| if x.abs() > most.abs() { x } else { most });
            if leading < 0.0 {
                row.mapv_inplace(|x| -x);
                own.mapv_inplace(|x| -x);
            }
        }
        let backward = with_zero_rows(found.dot(&z.backward), asked);
        let components = with_zero_rows(components, asked);
        let objective = vec![
            Quantity { name: "largest index".into(), value: index.first().copied().unwrap_or(0.0) },
            Quantity { name: "index of noise".into(), value: level },
            Quantity { name: "significant projections".into(), value: significant as f64 },
        ];
        let found = vec![
            components.clone().into(),
            Array1::from(index).into(),
            level.into(),
            significant.into(),
            Array1::from(z.center.clone()).into(),
            steps.into(),
        ];
        Ok(Map {
            center: z.center,
            forward: components.reversed_axes().as_standard_layout().into_owned(),
            backward: Some(backward),
            density: None,
            found,
            report: Report { objective, warnings, ..Report::default() },
        })
    }

    /// The best direction beside those found, from all starts, its index, and the steps of the longest search.
    fn climb(
        &self,
        z: &Whitened,
        found: &Array2<f64>,
        rng: &mut impl rand::Rng,
        run: &Run,
    ) -> Result<(Array1<f64>, f64, usize)> {
        let mut steps = 1;
        let stop = Stop { gradient: 1e-8, gain: 1e-13, steps: self.max_iter };
        let mut best: Option<(Array1<f64>, f64)> = None;
        for attempt in 0..self.n_starts {
            let start = Array1::from_shape_fn(z.rank, |_| rng.sample::<f64, _>(StandardNormal));
            let mut start = orthogonal(start, found).to_vec();
            // Far from their summits these two are flat but for the noise: every other search lets a smoother index
            // lead it near.
            let rough = matches!(self.index, ProjectionIndex::FriedmanTukey | ProjectionIndex::Holes);
            if rough && attempt % 2 == 1 {
                let slope =
                    |w: &[f64], g: &mut [f64]| slope(ProjectionIndex::Negentropy, z, found, w, g, run);
                start = lbfgs::minimize(start, stop, slope)?.point;
            }
            let end = lbfgs::minimize(start, stop, |w, g| slope(self.index, z, found, w, g, run))?;
            steps = steps.max(end.history.len() - 1);
            let direction = orthogonal(Array1::from(end.point), found);
            if best.as_ref().is_none_or(|best| -end.value > best.1) {
                best = Some((direction, -end.value));
            }
        }
        let (direction, value) = best.unwrap_or((Array1::zeros(z.rank), 0.0));
        Ok((direction, value, steps))
    }

    /// What the index of Gaussian noise of this shape stays below: the mean of the best projections of a few draws,
    /// and five standard deviations more. (The largest of many is about Gumbel's: one in a thousand lies beyond.)
    fn noise_level(&self, z: &Whitened, run: &Run) -> Result<f64> {
        if self.n_noise == 0 {
            return Ok(0.0);
        }
        let stage = run.stage("noise", Some(self.n_noise as u64));
        let mut rng = run.rng("projection-pursuit noise");
        let none = Array2::zeros((0, z.rank));
        let mut values = Vec::new();
        for _ in 0..self.n_noise {
            let noise = z.noise(&mut rng, run)?;
            let none = if noise.rank == z.rank { none.clone() } else { Array2::zeros((0, noise.rank)) };
            values.push(self.climb(&noise, &none, &mut rng, run)?.1);
            stage.advance(1)?;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let spread = if values.len() > 1 { (square / (count - 1.0)).sqrt() } else { 0.3 * mean };
        Ok(mean + 5.0 * spread)
    }
}

/// Minus an index in a direction, and the gradient of that beside the directions found. The index does not depend on the
/// length of the direction.
fn slope(
    index: ProjectionIndex,
    z: &Whitened,
    found: &Array2<f64>,
    w: &[f64],
    gradient: &mut [f64],
    run: &Run,
) -> Result<f64> {
    run.check()?;
    let length = w.iter().map(|w| w * w).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    let unit: Vec<f64> = w.iter().map(|w| w / length).collect();
    let (value, slope) = index.of(&z.project(&unit, run)?);
    let mut pull = Array1::from(z.combine(&slope, run)?);
    let unit = Array1::from(unit);
    let along = pull.dot(&unit);
    pull.scaled_add(-along, &unit);
    for row in found.rows() {
        let along = row.dot(&pull);
        pull.scaled_add(-along, &row);
    }
    gradient.iter_mut().zip(&pull).for_each(|(gradient, pull)| *gradient = -pull / length);
    Ok(-value)
}

impl Fit for ProjectionPursuit {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &PROJECTION_PURSUIT;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        at_least(n, 2, "the variance that whitening needs")?;
        at_most(self.n_components, n.min(d), &format!("the smaller of {n} rows and {d} columns"))
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.count(shape.rows, shape.columns) as f64;
        let searches = (k + self.n_noise as f64) * self.n_starts as f64;
        Forecast {
            bytes: (covariance_bytes(shape).max(8.0 * (7.0 * n * d + 6.0 * n.min(d).powi(2)))
                + 8.0 * (4.0 * n * n.min(d) + n * k)) as u64,
            flops: n * d * d + 30.0 * searches * n * (4.0 * n.min(d) + 30.0),
            remedy: "reduce the columns with pca first".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        self.solve(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&PROJECTION_PURSUIT, PARTS, self.settings(), archive)
    }
}
