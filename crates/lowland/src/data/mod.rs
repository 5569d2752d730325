//! Built-in data: the artificial manifolds and clusters of the papers, each with its labels and the true
//! parameters behind every point. One table of generators, as the registry is of methods.

mod shapes;
mod table;

use lowland_base::{Error, Result, Run, units};
use ndarray::{Array2, ArrayView2};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// More rows than this are a slip of the finger, not a toy data set.
const MOST_ROWS: usize = 100_000_000;

/// One line of the table.
pub struct Generator {
    /// The name: lower case, with hyphens.
    pub name: &'static str,
    /// What it looks like, and where it comes from.
    pub summary: &'static str,
    /// The number of columns.
    pub features: usize,
    /// The names of the true parameters.
    pub truth: &'static [&'static str],
    /// Whether the labels are the structure to look for (clusters); else it is the first true parameter.
    pub classes: bool,
    /// Whether the density along a parameter can change: not where all are classes or offsets within a cluster.
    pub density: bool,
    pub(crate) draw: fn(Draw, &mut ChaCha8Rng, &mut [f64]),
    pub(crate) point: fn(&[f64], &mut [f64]),
    pub(crate) labels: Labels,
    /// A factor for the noise of each column but the last, and for the last.
    pub(crate) noise_scale: (f64, f64),
    /// From the parameters that were drawn to the true ones, where lengths along the manifold are others.
    pub(crate) unrolled: Option<fn(&mut [f64])>,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generator").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Which of how many points is drawn, and how uneven they are.
#[derive(Clone, Copy)]
pub(crate) struct Draw {
    pub index: usize,
    pub n: usize,
    pub density: f64,
}

impl Draw {
    /// A number from 0 to 1, moved toward 0 where the density is above 1 and toward 1 where it is below.
    pub fn uneven(self, u: f64) -> f64 {
        if self.density == 1.0 { u } else { u.powf(self.density) }
    }
}

/// How a label follows.
#[derive(Clone, Copy)]
pub(crate) enum Labels {
    /// From the true parameters of the point.
    Each(fn(&[f64]) -> i64),
    /// From all points.
    Whole(fn(ArrayView2<'_, f64>) -> Vec<i64>),
}

/// What a generator gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// One point a row.
    pub points: Array2<f64>,
    /// The class of each point.
    pub labels: Vec<i64>,
    /// The true parameters of each point, whatever the noise: of a roll the arc length and the height, so that they are
    /// what an isometric method finds.
    pub truth: Array2<f64>,
}

impl Generator {
    /// `n` points with Gaussian noise of this standard deviation on every coordinate. The same seed draws the
    /// same true parameters whatever the noise.
    pub fn sample(&self, n: usize, noise: f64, seed: u64) -> Result<Sample> {
        self.sample_uneven(n, noise, 1.0, seed)
    }

    /// As [`Generator::sample`], with points that are denser at one end: the first true parameter that is not a class
    /// follows `u^density` and not `u`, which is uniform between 0 and 1. A density of 1 is [`Generator::sample`], bit for
    /// bit; the larger, the more points crowd where `u` is 0.
    pub fn sample_uneven(&self, n: usize, noise: f64, density: f64, seed: u64) -> Result<Sample> {
        check_size(n, noise)?;
        if !(density.is_finite() && density > 0.0) {
            let remedy = "choose such a number: 1 is uniform, 2 crowds the points at one end";
            return Err(Error::parameter("density", density, "a number above 0", remedy));
        }
        if density != 1.0 && !self.density {
            let able: Vec<&str> = all().iter().filter(|g| g.density).map(|g| g.name).collect();
            let problem = format!("{} has no parameter along which its density could vary", self.name);
            let remedy = format!("leave density out, or choose one of {}", able.join(", "));
            return Err(Error::conflict("density", problem, remedy));
        }
        let mut rng = Run::new().with_seed(seed).rng("data");
        self.sampled(n, noise, seed, |index, truth| {
            (self.draw)(Draw { index, n, density }, &mut rng, truth);
        })
    }

    /// The points of given parameters, one a row, as they are drawn (of a roll the angle and the height), with noise as in
    /// [`Generator::sample`].
    pub fn sample_at(&self, parameters: ArrayView2<'_, f64>, noise: f64, seed: u64) -> Result<Sample> {
        let (n, width) = parameters.dim();
        if width != self.truth.len() {
            let problem = format!(
                "{} for the {} of {}",
                units::count(width, "column"),
                units::count(self.truth.len(), "parameter"),
                self.name
            );
            return Err(Error::malformed("parameters", problem, "give one column for each parameter"));
        }
        check_size(n, noise)?;
        self.sampled(n, noise, seed, |index, truth| {
            truth.iter_mut().zip(parameters.row(index)).for_each(|(to, &from)| *to = from);
        })
    }

    /// `n` points, the parameters of each by a rule.
    fn sampled(
        &self,
        n: usize,
        noise: f64,
        seed: u64,
        mut parameters: impl FnMut(usize, &mut [f64]),
    ) -> Result<Sample> {
        let run = Run::new().with_seed(seed);
        let bytes = (n as u64).saturating_mul(8 * (self.features + self.truth.len() + 1) as u64);
        run.reserve(&format!("{n} rows of {}", self.name), bytes, "choose fewer rows")?;
        let mut noise_rng = run.rng("noise of the data");
        let mut truth = vec![0.0; n * self.truth.len()];
        let mut points = vec![0.0; n * self.features];
        let mut labels = Vec::with_capacity(n);
        let rows = truth.chunks_exact_mut(self.truth.len()).zip(points.chunks_exact_mut(self.features));
        for (index, (truth, point)) in rows.enumerate() {
            parameters(index, truth);
            (self.point)(truth, point);
            if noise > 0.0 {
                let last = self.features - 1;
                for (j, value) in point.iter_mut().enumerate() {
                    let scale = if j == last { self.noise_scale.1 } else { self.noise_scale.0 };
                    let normal: f64 = StandardNormal.sample(&mut noise_rng);
                    *value += scale * noise * normal;
                }
            }
            if let Labels::Each(label) = self.labels {
                labels.push(label(truth));
            }
            if let Some(unrolled) = self.unrolled {
                unrolled(truth);
            }
        }
        let matrix = |width: usize, values: Vec<f64>| {
            Array2::from_shape_vec((n, width), values).map_err(|e| Error::shape("data", &e))
        };
        let points = matrix(self.features, points)?;
        if let Labels::Whole(rule) = self.labels {
            labels = rule(points.view());
        }
        Ok(Sample { points, labels, truth: matrix(self.truth.len(), truth)? })
    }
}

fn check_size(n: usize, noise: f64) -> Result<()> {
    if n == 0 || n > MOST_ROWS {
        let bound = format!("a whole number from 1 to {MOST_ROWS}");
        return Err(Error::parameter("n", n, bound, "choose a number in that range"));
    }
    if !(noise.is_finite() && noise >= 0.0) {
        return Err(Error::parameter("noise", noise, "a number of at least 0", "choose such a number"));
    }
    Ok(())
}

/// All generators, in the order in which they are shown.
pub fn all() -> &'static [Generator] {
    &table::GENERATORS
}

/// The generator of this name. Case, underscores and spaces do not matter.
pub fn find(name: &str) -> Result<&'static Generator> {
    let wanted = lowland_base::names::simplified(name);
    all().iter().find(|g| lowland_base::names::simplified(g.name) == wanted).ok_or_else(|| {
        let names = all().iter().map(|g| g.name).collect::<Vec<_>>().join(", ");
        let near = lowland_base::names::nearest(&wanted, all().iter().map(|g| g.name));
        Error::parameter(
            "data",
            name,
            format!("it must be one of {names}"),
            format!("the nearest name is '{near}'"),
        )
    })
}

#[cfg(test)]
mod tests;
