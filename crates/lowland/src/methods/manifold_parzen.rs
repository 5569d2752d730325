//! Manifold Parzen windows (Vincent and Bengio 2003; Bengio 2.7): a Gaussian on every training point, flat along the
//! directions of its neighbors. The non-parametric relative of a mixture of analyzers, without any iteration.
//!
//! points -> neighbors -> leading directions of their differences from each point -> mixture -> the rows as the windows
//! rebuild them, on the principal axes of the data; new points by the same formula

use super::at_least;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::mixture::fit::Rows;
use crate::mixture::{Gaussian, MixtureModel, align, eigen_of_small, recipe, start};
use crate::model::{Archive, Form, Part, Quantity, Report};
use crate::parameters::{Described, Kind, Value};
use crate::spectral::{Disconnected, Edge, Neighborhood, Rule, Source};
use crate::{Shape, parameters};
use lowland_base::parallel::map_chunks;
use lowland_base::{Error, Result, Run};
use lowland_neighbors::{Metric, Table};
use ndarray::{Array2, ArrayView2};

/// Manifold Parzen windows in the registry.
pub static MANIFOLD_PARZEN_WINDOWS: Entry = Entry {
    name: "manifold-parzen-windows",
    aliases: &["manifold-parzen", "parzen"],
    title: "Manifold Parzen windows",
    summary: "A density with a flat window on every point, along its neighbors: nothing is iterated, and every row is kept. Its \
              embedding is the denoised rows on the principal axes of the data. For at most some thousands of rows.",
    citation: "P. Vincent, Y. Bengio, Manifold Parzen windows, 2003",
    capabilities: Capabilities { density: true, mixture: true, ..Capabilities::PLAIN },
    ..Entry::of::<ManifoldParzenWindows>()
};

const PARTS: &[Part] = &[(
    "window_noise",
    "The variance that every window has in all directions, beside those of its neighbors.",
    Form::Number,
)];

parameters! {
    /// Manifold Parzen windows: the parameters.
    pub struct ManifoldParzenWindows {
        /// How many directions a window has: fewer than columns, and at most as many as neighbors. `auto` is 2, or 1 where
        /// there are two columns or one neighbor.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 1_000_000 }] };
        /// The neighbors whose differences make a window; all other rows, where there are fewer.
        n_neighbors: usize = 10, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The variance in all directions; `auto` takes the one with the largest likelihood of every row in the windows
        /// of its neighbors.
        noise_variance: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
    }
}

/// Steps of the search for the noise: powers of two.
const STEPS: std::ops::RangeInclusive<i32> = -12..=6;

impl ManifoldParzenWindows {
    fn components(&self, d: usize) -> usize {
        self.n_components.unwrap_or_else(|| d.saturating_sub(1).min(self.n_neighbors).clamp(1, 2))
    }

    /// The window of every row, with unit noise.
    fn windows(&self, x: ArrayView2<'_, f64>, table: &Table<f64>, run: &Run) -> Result<Vec<Gaussian>> {
        let (d, k) = (x.ncols(), self.components(x.ncols()));
        let parts = map_chunks(run, x.nrows(), 16, |rows| {
            let window = |row: usize| -> Result<Gaussian> {
                let near = table.row(row).0;
                let root = (near.len() as f64).sqrt();
                let steps = Array2::from_shape_fn((near.len(), d), |(a, c)| {
                    (x[(near[a] as usize, c)] - x[(row, c)]) / root
                });
                // The covariance's directions times the roots of its eigenvalues, from the small Gram matrix.
                let (_, vectors) = eigen_of_small(&steps.dot(&steps.t()), run)?;
                let loadings = steps.t().dot(&vectors.slice(ndarray::s![.., ..k]));
                Ok(Gaussian { mean: x.row(row).to_vec(), loadings, noise: vec![1.0; d] })
            };
            rows.map(window).collect::<Result<Vec<_>>>()
        })?;
        Ok(parts.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

/// The mean log-likelihood of every row in the windows of its neighbors, all of which have this noise.
fn left_out(
    windows: &[Gaussian],
    noise: f64,
    x: ArrayView2<'_, f64>,
    table: &Table<f64>,
    run: &Run,
) -> Result<f64> {
    let n = windows.len();
    let noise = vec![noise; x.ncols()];
    let parts = map_chunks(run, n, 16, |rows| {
        let one = |row: usize| {
            let near = table.row(row).0.iter();
            let logs: Vec<f64> =
                near.map(|&j| windows[j as usize].posterior(x.row(row), &noise).log_density).collect();
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln() - ((n - 1) as f64).ln()
        };
        rows.map(one).sum::<f64>()
    })?;
    Ok(parts.into_iter().sum::<f64>() / n as f64)
}

impl Fit for ManifoldParzenWindows {
    type Model = MixtureModel;

    const ENTRY: &'static Entry = &MANIFOLD_PARZEN_WINDOWS;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d, k) = (shape.rows, shape.columns, self.components(shape.columns));
        if k >= d || k > self.n_neighbors {
            let bound = format!(
                "below the number of columns (n_features = {d}), and at most {}, the number of neighbors",
                self.n_neighbors
            );
            return Err(Error::too_many_components(k, self.n_neighbors.min(d - 1), bound, "columns"));
        }
        at_least(n, k + 1, "a window")
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d, k) = (shape.rows as f64, shape.columns as f64, self.components(shape.columns) as f64);
        let threads = Run::new().threads() as f64 + 1.0;
        // Each window is some vectors of its own, as it is and made ready.
        let windows = n * (3.0 * d * (k + 2.0) + 2.0 * k * k + 120.0);
        let work =
            threads * 64.0 * (2.0 * d + n * (k + 2.0)) + 3.0 * n * d + 12.0 * n * self.n_neighbors as f64;
        Forecast {
            bytes: (8.0 * (windows + work)) as u64,
            flops: 4.0 * n * n * d * (k + 1.0),
            remedy: "fit it to fewer rows, or take mixture-ppca".into(),
        }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<MixtureModel> {
        let (sorted, _) = recipe::sorted(data.input)?;
        let rows = Rows::new(sorted.view(), run)?;
        let x = rows.view();
        let (rule, metric, policy) =
            (Rule::Nearest(self.n_neighbors.min(x.nrows() - 1)), Metric::Euclidean, Disconnected::Join);
        let (table, _) = Neighborhood { rule, metric, policy, edge: Edge::Either }
            .lists(&Source::Points(x.to_owned()), run)?;
        let lost = || Error::bug("neighbor table", "the neighbor table has no rows");
        let table = table.ok_or_else(lost)?;
        let stage = run.stage("windows", None);
        let mut windows = self.windows(x, &table, run)?;
        let (n, d) = x.dim();
        let mut mixture = rows.mixture(vec![1.0 / n as f64; n], Vec::new(), Vec::new());
        let squares = windows.iter().flat_map(|window| window.loadings.iter()).map(|w| w * w).sum::<f64>();
        let size = squares / (n * d) as f64;
        let (mut noise, mut likelihood) = match self.noise_variance {
            Some(noise) => (noise * mixture.scale * mixture.scale, f64::NEG_INFINITY),
            None => (if size > 0.0 { size } else { 1e-6 }, f64::NEG_INFINITY),
        };
        let first = noise;
        for step in STEPS.filter(|&step| step == 0 || (self.noise_variance.is_none() && size > 0.0)) {
            let tried = first * 2f64.powi(step);
            let found = left_out(&windows, tried, x, &table, run)?;
            if found > likelihood {
                (noise, likelihood) = (tried, found);
            }
        }
        drop(stage);
        windows.iter_mut().for_each(|window| window.noise.fill(noise));
        mixture.analyzers = windows;
        let spectrum = start::leading(x, self.components(d), run)?;
        let axes = crate::matrix::to_array(spectrum.directions.as_ref());
        let maps = align::projection(&mixture, axes.view());
        let name = "mean log-likelihood of a row in the windows of its neighbors".into();
        let objective = vec![Quantity { name, value: likelihood + mixture.units() }];
        let mut report = Report { objective, ..Report::default() };
        let variance = noise / mixture.scale / mixture.scale;
        report.resolved.insert("noise_variance".into(), Value::Real(variance));
        let (entry, parts, parameters) = (Self::ENTRY, PARTS, self.settings());
        let found = vec![variance.into()];
        let (back, embedding) = (None, None);
        let model = MixtureModel { entry, parts, parameters, mixture, maps, back, found, report, embedding };
        model.embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<MixtureModel> {
        MixtureModel::load(Self::ENTRY, PARTS, self.settings(), archive)
    }
}
