//! Locally linear coordination (Teh and Roweis 2003; Maaten 4.3): the analyzers of a mixture are placed so that every point
//! is the same weighted sum of its neighbors as in the data.
//!
//! points -> mixture -> U = r [1 z] -> LLE's weights W -> smallest pairs of U'(I-W)'(I-W)U v = l U'U v (Maaten eq. 21 with the
//! constant) -> y = U v; new points by the same formula

use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::mixture::recipe::{self, ALIGNED};
use crate::mixture::settings::Noise;
use crate::mixture::{MixtureModel, align, inner};
use crate::model::{Archive, Quantity, Warning};
use crate::parameters::{Described, Kind};
use crate::spectral::local::{of_component, weights};
use crate::spectral::{Disconnected, Edge, Neighborhood, Rule, Source};
use crate::{Shape, parameters};
use lowland_base::parallel::fill_rows;
use lowland_base::{Csr, Error, Result, Run};
use lowland_neighbors::Metric;
use ndarray::Array2;

/// Locally linear coordination in the registry.
pub static LLC: Entry = Entry {
    name: "llc",
    aliases: &["locally-linear-coordination"],
    title: "Locally linear coordination",
    summary: "A mixture of local planes, placed by the weights of LLE: unrolls a sheet with few parameters, embeds new points by \
              a formula, and is a density, too. It says where its planes disagree.",
    citation: "Y. W. Teh, S. Roweis, Automatic alignment of local representations, 2003",
    capabilities: Capabilities {
        inverse: true,
        density: true,
        mixture: true,
        random: true,
        local_optimum: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<Llc>()
};

parameters! {
    /// Locally linear coordination: the parameters.
    pub struct Llc {
        /// The noise of the analyzers: the same in all columns, or one variance a column.
        noise: Noise = Noise::Isotropic;
        /// The ridge of the weights, relative to the trace of the local Gram matrix.
        reg: f64 = 1e-3, in Kind::Real { min: 0.0, max: 1e6, open: false };
    }
    with mixture from Graph
}

impl Llc {
    /// `U - W U` with the weights of LLE, over the neighbor graph joined where it is in several connected components.
    fn residuals(&self, x: &Array2<f64>, u: &Array2<f64>, run: &Run) -> Result<(Array2<f64>, Vec<usize>)> {
        let k = self.n_neighbors.min(x.nrows() - 1);
        let (rule, metric, policy) = (Rule::Nearest(k), Metric::Euclidean, Disconnected::Join);
        let neighborhood = Neighborhood { rule, metric, policy, edge: Edge::Either };
        let source = Source::Points(x.clone());
        let (table, graph) = neighborhood.lists(&source, run)?;
        let connected = neighborhood.connected(graph, &source, run)?;
        let lost = || Error::bug("neighbor graph", "the neighbor graph has no points");
        let (table, part) =
            (table.ok_or_else(lost)?, connected.connected_components.first().ok_or_else(lost)?);
        let (points, lists) = of_component(x, &table, part, connected.joined());
        let weights: Csr<f64> = weights::matrix(points.view(), &lists, self.reg, run)?;
        let mut left = u.clone();
        let width = u.ncols();
        if let Some(left) = left.as_slice_mut() {
            fill_rows(run, left, width, 256, |rows, out| {
                for (row, out) in rows.zip(out.chunks_exact_mut(width)) {
                    let (columns, values) = weights.row(row);
                    for (&j, weight) in columns.iter().zip(values) {
                        let other = u.row(j as usize);
                        out.iter_mut().zip(other).for_each(|(out, u)| *out -= weight * u);
                    }
                }
            })?;
        }
        Ok((left, connected.sizes))
    }
}

impl Fit for Llc {
    type Model = MixtureModel;

    const ENTRY: &'static Entry = &LLC;

    fn check(&self, shape: &Shape) -> Result<()> {
        self.mixture(self.noise).check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.mixture(self.noise).forecast(shape)
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<MixtureModel> {
        let mut begun = recipe::begin(data.input, &self.mixture(self.noise), run)?;
        let local = begun.local(run)?;
        let u = local.weighted();
        let (left, sizes) = self.residuals(&begun.sorted, &u, run)?;
        let a = inner(left.view(), left.view(), run)? / u.nrows() as f64;
        let k = begun.chosen.fitted.mixture.factors();
        let aligned = align::smallest(&a, &u, k, k, run)?;
        if sizes.len() > 1 {
            begun.report.warnings.push(Warning::joined(&sizes));
        }
        begun.report.connected_component_sizes = sizes;
        let value = aligned.eigenvalues.iter().sum();
        let cost = Quantity { name: "reconstruction error of lle".into(), value };
        begun.aligned(Self::ENTRY, self.settings(), aligned, &local, cost, data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<MixtureModel> {
        MixtureModel::load(Self::ENTRY, ALIGNED, self.settings(), archive)
    }
}
