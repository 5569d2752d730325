//! FastMap (Faloutsos and Lin 1995; Platt 2005; Burges 2.2): one axis after another through two far objects each.
//!
//! distances to two pivots -> the coordinate on the line through them -> what is left of the distances -> the next axis; new
//! points alike

use super::classical_mds::CAPABILITIES;
use crate::method::{ByRecipe, Capabilities, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::spectral::SpectralModel;
use crate::spectral::fastmap::FastMapRecipe;
use lowland_neighbors::Metric;

/// FastMap in the registry.
pub static FASTMAP: Entry = Entry {
    name: "fastmap",
    aliases: &[],
    title: "FastMap",
    summary: "Each axis goes through two objects that are far apart, and only the distances to these are asked for: the \
              cheapest way from distances to coordinates. Landmark scaling costs a little more and is closer to the best.",
    citation: "C. Faloutsos, K.-I. Lin, FastMap: a fast algorithm for indexing, data-mining and visualization of \
               traditional and multimedia datasets, 1995; J. Platt, FastMap, MetricMap, and Landmark MDS are all Nyström \
               algorithms, 2005",
    capabilities: Capabilities { random: false, ..CAPABILITIES },
    ..Entry::of::<FastMap>()
};

parameters! {
    /// FastMap: the parameters.
    pub struct FastMap {
        /// How many components to keep: fewer than there are rows.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The distance between points. Distances given as input are used instead.
        metric: Metric = Metric::Euclidean;
        /// How often the far end of an axis is looked for from its other end.
        n_iter: usize = 5, in Kind::Integer { min: 1, max: 1000 };
    }
}

impl ByRecipe for FastMap {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &FASTMAP;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        Box::new(FastMapRecipe { count: self.n_components, metric: self.metric, rounds: self.n_iter })
    }
}
