//! Manifold charting (Brand 2003; Maaten 4.4): the analyzers of a mixture are charts, placed so that those that share a row
//! agree on where it is.
//!
//! points -> mixture -> U = r [1 z], D = sum_i r [1 z]'[1 z] in blocks -> smallest pairs of (D - U'U) v = l U'U v (Maaten eq. 27)
//! -> y = U v, stretched so that the charts keep lengths; new points by the same formula
//!
//! Responsibilities are sharp where columns are many, and charts would share hardly a row. So on the left-hand side each row has
//! the mean responsibilities of its neighbors: charts must agree on whole neighborhoods, as Brand wants it.

use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::mixture::recipe::{self, ALIGNED};
use crate::mixture::settings::Noise;
use crate::mixture::{Local, MixtureModel, align, inner};
use crate::model::{Archive, Quantity, Warning};
use crate::parameters::Described;
use crate::spectral::{Disconnected, Edge, Neighborhood, Rule, Source};
use crate::{Shape, parameters};
use lowland_base::{Result, Run};
use lowland_neighbors::Metric;
use ndarray::{Array2, s};

/// Manifold charting in the registry.
pub static CHARTING: Entry = Entry {
    name: "charting",
    aliases: &["manifold-charting"],
    title: "Manifold charting",
    summary: "A mixture of local planes that must agree where they overlap: unrolls a sheet with few parameters and keeps \
              lengths, embeds new points and goes back by formulas, and says for each row how far its charts disagree.",
    citation: "M. Brand, Charting a manifold, 2003",
    capabilities: Capabilities {
        inverse: true,
        density: true,
        mixture: true,
        random: true,
        local_optimum: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<Charting>()
};

parameters! {
    /// Manifold charting: the parameters.
    pub struct Charting {
        /// The noise of the analyzers: the same in all columns, or one variance a column.
        noise: Noise = Noise::Isotropic;
    }
    with mixture from Graph
}

/// Two charts overlap if the products of their responsibilities sum to this: a hundredth of a row that they share.
const OVERLAP: f64 = 2.5e-3;

/// The same rows with the mean responsibilities of themselves and their neighbors.
fn smoothed(local: &Local, x: &Array2<f64>, neighbors: usize, run: &Run) -> Result<Local> {
    let (rule, metric, policy) = (Rule::Nearest(neighbors), Metric::Euclidean, Disconnected::Join);
    let (table, _) =
        Neighborhood { rule, metric, policy, edge: Edge::Either }.lists(&Source::Points(x.clone()), run)?;
    let mut shares = local.responsibilities.clone();
    if let Some(table) = table {
        for (row, mut share) in shares.rows_mut().into_iter().enumerate() {
            let near = table.row(row).0;
            near.iter().for_each(|&j| share += &local.responsibilities.row(j as usize));
            share /= (near.len() + 1) as f64;
        }
    }
    Ok(Local { responsibilities: shares, z: local.z.clone() })
}

/// `(D - U'U) / n` with `D` block by block (Maaten eqs. 24 to 26, with the constant).
fn disagreement(local: &Local, u: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let (n, m) = local.responsibilities.dim();
    let width = u.ncols() / m;
    let mut a = -inner(u.view(), u.view(), run)?;
    for j in 0..m {
        let own = s![.., j * width..(j + 1) * width];
        let plain = Array2::from_shape_fn((n, width), |(i, b)| {
            if b == 0 { 1.0 } else { local.z[(i, j * (width - 1) + b - 1)] }
        });
        let block = inner(u.slice(own), plain.view(), run)?;
        let mut place = a.slice_mut(s![j * width..(j + 1) * width, j * width..(j + 1) * width]);
        place += &block;
    }
    Ok(a / n as f64)
}

/// The number of groups of charts that are connected by rows they share.
fn groups(local: &Local, run: &Run) -> Result<usize> {
    let shared = inner(local.responsibilities.view(), local.responsibilities.view(), run)?;
    let m = shared.nrows();
    let mut group: Vec<usize> = (0..m).collect();
    for a in 0..m {
        for b in 0..a {
            if shared[(a, b)] > OVERLAP && group[a] != group[b] {
                let (from, to) = (group[a], group[b]);
                group.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
            }
        }
    }
    group.sort_unstable();
    group.dedup();
    Ok(group.len())
}

impl Fit for Charting {
    type Model = MixtureModel;

    const ENTRY: &'static Entry = &CHARTING;

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
        let neighbors = self.n_neighbors.min(u.nrows() - 1);
        let around = smoothed(&local, &begun.sorted, neighbors, run)?;
        let a = disagreement(&around, &around.weighted(), run)?;
        let mixture = &begun.chosen.fitted.mixture;
        let k = mixture.factors();
        let mut aligned = align::smallest(&a, &u, k, k, run)?;
        if let Some(turn) = align::isometry(mixture, &aligned.maps, run)? {
            aligned.maps = aligned.maps.dot(&turn);
        }
        let groups = groups(&around, run)?;
        if groups > 1 {
            begun.report.warnings.push(Warning::ChartsDisconnected { groups });
        }
        // Maaten eq. 22 for a row, in the returned coordinates and with the responsibilities that were used.
        let (apart, _) = align::disagreement(&around, &aligned.maps);
        let value = apart.iter().map(|apart| apart * apart).sum::<f64>() / u.nrows() as f64;
        let cost = Quantity { name: "squared disagreement of the charts in neighborhoods".into(), value };
        begun.aligned(Self::ENTRY, self.settings(), aligned, &local, cost, data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<MixtureModel> {
        MixtureModel::load(Self::ENTRY, ALIGNED, self.settings(), archive)
    }
}
