//! Metric multidimensional scaling by majorization, SMACOF (Kruskal 1964, de Leeuw 1977; Borg and Groenen 2005).
//!
//! distances -> classical start -> [ disparities by the transformation -> Guttman transform ] until the stress stands still;
//! new points go where their own stress is least on the frozen map

use crate::fingerprint::Fingerprint;
use crate::layout::stress::model::StressModel;
use crate::layout::stress::objects::Geometry;
use crate::layout::stress::recipe::{StressRecipe, Weight};
use crate::layout::stress::{Patience, Scale, Solver, StressStart, Transformation};
use crate::method::{self, Capabilities, Entry, Fit, Forecast, Given, Training};
use crate::model::Archive;
use crate::parameters::{Described, Kind, Value};
use crate::{AnyInput, InputKind, Shape, parameters};
use lowland_base::{Error, Result, Run};
use lowland_neighbors::Metric;
use ndarray::ArrayView2;

/// Of the three layouts by stress.
pub(super) const CAPABILITIES: Capabilities = Capabilities {
    inputs: &[InputKind::Points, InputKind::Distances, InputKind::Graph],
    random: true,
    local_optimum: true,
    start: true,
    missing_pairs: true,
    ..Capabilities::PLAIN
};

/// Metric scaling in the registry.
pub static MDS: Entry = Entry {
    name: "mds",
    aliases: &["metric-mds", "smacof", "multidimensional-scaling"],
    title: "Metric MDS",
    summary: "Distances in the layout are as near to those of the data as they can be, by least squares: shows the large \
              shape, of points or of any dissimilarities, also with pairs that are missing.",
    citation: "J. de Leeuw, Applications of convex analysis to multidimensional scaling, 1977",
    capabilities: CAPABILITIES,
    ..Entry::of::<Mds>()
};

parameters! {
    /// Metric MDS: the parameters.
    pub struct Mds {
        /// How many components: fewer than there are rows. Two are usual.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 32 };
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// Whether distances are measured along the neighbor graph, as by Isomap. Those of a graph given as input always are.
        geodesic: bool = false;
        /// How many neighbors each point is joined to in that graph.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How the distances of the layout are to follow those of the data.
        transformation: Transformation = Transformation::Absolute;
        /// Pairs weigh their distance to the power of minus this: 0 is least squares, 1 is Sammon's weighting, 2 counts
        /// relative errors.
        weight_power: f64 = 0.0, in Kind::Real { min: 0.0, max: 10.0, open: false };
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

impl Mds {
    fn geometry(&self) -> Geometry {
        Geometry { metric: self.metric, neighbors: self.geodesic.then_some(self.n_neighbors) }
    }

    fn recipe(&self) -> StressRecipe {
        StressRecipe {
            components: self.n_components,
            geometry: self.geometry(),
            scale: Scale::Metric(self.transformation),
            power: self.weight_power,
            sammon: false,
            init: self.init,
            starts: self.n_init,
            patience: Patience { max_iter: self.max_iter, tol: self.tol },
            solver: self.solver,
            pairs: self.n_pairs,
        }
    }

    /// Fits with a weight for every pair of rows: symmetric, not negative; a pair of weight 0 counts as missing.
    pub fn fit_weighted<'a>(
        &self,
        input: impl Into<AnyInput<'a>>,
        weights: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<StressModel> {
        let input = input.into();
        let weight = |i: usize, j: usize| weights[(i, j)];
        let weight: Weight<'_> = &weight;
        let data = Training { input, labels: &[], start: None, checkpoint: None };
        let fit = || self.recipe().fit(data, Some(weight), &MDS, self.settings(), run);
        let check = |_: &mut Fingerprint| admit_weights(weights, input.shape().rows);
        method::fit_given(self, Given::Rows(input), check, fit, run)
    }
}

/// Refuses weights that are not one for every pair of rows.
fn admit_weights(weights: ArrayView2<'_, f64>, rows: usize) -> Result<()> {
    if weights.dim() != (rows, rows) {
        let problem = format!("{} x {} weights for {rows} rows", weights.nrows(), weights.ncols());
        return Err(Error::malformed("weights", problem, "give one for every pair of rows"));
    }
    crate::check::finite("weights", weights)?;
    for ((row, column), &value) in weights.indexed_iter() {
        if value < 0.0 {
            return Err(Error::parameter("weights", value, "at least 0", "use 0 to leave a pair out"));
        }
        let mirror = weights[(column, row)];
        if (value - mirror).abs() > 1e-8 * value.max(mirror) {
            return Err(Error::NotSymmetric { what: "weight", row, column, value, mirror });
        }
    }
    Ok(())
}

impl Fit for Mds {
    type Model = StressModel;

    const ENTRY: &'static Entry = &MDS;

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
        self.recipe().fit(data, None, &MDS, self.settings(), run)
    }

    fn load(&self, archive: &Archive) -> Result<StressModel> {
        StressModel::load(&MDS, self.settings(), self.geometry(), self.weight_power, archive)
    }
}
