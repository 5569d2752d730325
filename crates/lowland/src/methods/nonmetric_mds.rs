//! Non-metric multidimensional scaling (Shepard 1962, Kruskal 1964; Burges 2.2.2 on ordinal scaling).
//!
//! order of the distances -> classical scaling of their ranks -> [ monotone regression -> Guttman transform ] until the stress
//! stands still; new points go where their own stress is least on the frozen map

use crate::layout::stress::model::StressModel;
use crate::layout::stress::objects::Geometry;
use crate::layout::stress::recipe::StressRecipe;
use crate::layout::stress::{Patience, Scale, Solver, StressStart, Ties};
use crate::method::{Entry, Fit, Forecast, Training};
use crate::model::Archive;
use crate::parameters::{Described, Kind, Value};
use crate::{Shape, parameters};
use lowland_base::{Result, Run};
use lowland_neighbors::Metric;

/// Non-metric scaling in the registry.
pub static NONMETRIC_MDS: Entry = Entry {
    name: "nonmetric-mds",
    aliases: &["non-metric", "ordinal-mds", "kruskal", "nmds"],
    title: "Non-metric MDS",
    summary: "Distances in the layout have the order of those of the data, as far as they can: for dissimilarities of which only \
              the order means something, such as judgments.",
    citation: "J. Kruskal, Nonmetric multidimensional scaling: a numerical method, 1964",
    capabilities: super::mds::CAPABILITIES,
    ..Entry::of::<NonmetricMds>()
};

parameters! {
    /// Non-metric MDS: the parameters.
    pub struct NonmetricMds {
        /// How many components: fewer than there are rows. Two are usual.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 32 };
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// Whether distances are measured along the neighbor graph, as by Isomap. Those of a graph given as input always are.
        geodesic: bool = false;
        /// How many neighbors each point is joined to in that graph.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// What is done with pairs of equal distance.
        ties: Ties = Ties::Primary;
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

impl NonmetricMds {
    fn geometry(&self) -> Geometry {
        Geometry { metric: self.metric, neighbors: self.geodesic.then_some(self.n_neighbors) }
    }

    fn recipe(&self) -> StressRecipe {
        StressRecipe {
            components: self.n_components,
            geometry: self.geometry(),
            scale: Scale::Order(self.ties),
            power: 0.0,
            sammon: false,
            init: self.init,
            starts: self.n_init,
            patience: Patience { max_iter: self.max_iter, tol: self.tol },
            solver: self.solver,
            pairs: self.n_pairs,
        }
    }
}

impl Fit for NonmetricMds {
    type Model = StressModel;

    const ENTRY: &'static Entry = &NONMETRIC_MDS;

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
        self.recipe().fit(data, None, &NONMETRIC_MDS, self.settings(), run)
    }

    fn load(&self, archive: &Archive) -> Result<StressModel> {
        StressModel::load(&NONMETRIC_MDS, self.settings(), self.geometry(), 0.0, archive)
    }
}
