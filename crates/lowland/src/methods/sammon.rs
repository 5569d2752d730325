//! Sammon mapping (Sammon 1969; Maaten 4.1).
//!
//! distances -> classical start -> majorization of `sum (d_ij - |y_i - y_j|)^2 / d_ij`; new points go where their own stress
//! is least on the frozen map

use crate::layout::stress::model::StressModel;
use crate::layout::stress::objects::Geometry;
use crate::layout::stress::recipe::{ABSOLUTE, StressRecipe};
use crate::layout::stress::{Patience, Solver, StressStart};
use crate::method::{Entry, Fit, Forecast, Training};
use crate::model::Archive;
use crate::parameters::{Described, Kind, Value};
use crate::{Shape, parameters};
use lowland_base::{Result, Run};
use lowland_neighbors::Metric;

/// Sammon mapping in the registry.
pub static SAMMON: Entry = Entry {
    name: "sammon",
    aliases: &["sammon-mapping", "sammons-mapping", "nonlinear-mapping"],
    title: "Sammon mapping",
    summary: "Distances in the layout follow those of the data, errors counted by the share of the distance: near points keep \
              their distances better than by metric scaling.",
    citation: "J. Sammon, A nonlinear mapping for data structure analysis, 1969",
    capabilities: super::mds::CAPABILITIES,
    ..Entry::of::<Sammon>()
};

parameters! {
    /// Sammon mapping: the parameters.
    pub struct Sammon {
        /// How many components: fewer than there are rows. Two are usual.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 32 };
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// Whether distances are measured along the neighbor graph, as by Isomap. Those of a graph given as input always are.
        geodesic: bool = false;
        /// How many neighbors each point is joined to in that graph.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// Where the layout starts, unless coordinates are given.
        init: StressStart = StressStart::Classical;
        /// How many starts: those after the first are random, and the best end is kept.
        n_init: usize = 1, in Kind::Integer { min: 1, max: 10_000 };
        /// The most iterations from each start.
        max_iter: usize = 1000, in Kind::Integer { min: 1, max: 1_000_000_000 };
        /// Stop when three iterations in a row lower the stress by less than this share.
        tol: f64 = 1e-6, in Kind::Real { min: 0.0, max: 1.0, open: false };
        /// Over which pairs the stress is minimized.
        solver: Solver = Solver::Auto;
        /// For sampled: how many pairs are drawn for each row; `auto` is 50.
        n_pairs: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 5, max: 1_000_000 }] };
    }
}

impl Sammon {
    fn geometry(&self) -> Geometry {
        Geometry { metric: self.metric, neighbors: self.geodesic.then_some(self.n_neighbors) }
    }

    fn recipe(&self) -> StressRecipe {
        StressRecipe {
            components: self.n_components,
            geometry: self.geometry(),
            scale: ABSOLUTE,
            power: 1.0,
            sammon: true,
            init: self.init,
            starts: self.n_init,
            patience: Patience { max_iter: self.max_iter, tol: self.tol },
            solver: self.solver,
            pairs: self.n_pairs,
        }
    }
}

impl Fit for Sammon {
    type Model = StressModel;

    const ENTRY: &'static Entry = &SAMMON;

    fn check(&self, shape: &Shape) -> Result<()> {
        self.recipe().check(shape)
    }

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        self.recipe().resolved_for(shape.rows)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.recipe().forecast(shape)
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<StressModel> {
        self.recipe().fit(data, None, &SAMMON, self.settings(), run)
    }

    fn load(&self, archive: &Archive) -> Result<StressModel> {
        StressModel::load(&SAMMON, self.settings(), self.geometry(), 1.0, archive)
    }
}
