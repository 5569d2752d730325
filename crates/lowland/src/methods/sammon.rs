//! Sammon mapping (Sammon 1969; Maaten 4.1).
//!
//! distances -> classical start -> majorization of `sum (d_ij - |y_i - y_j|)^2 / d_ij`; new points go where their own stress
//! is least on the frozen map

use crate::layout::stress::StressModel;
use crate::layout::stress::recipe::ABSOLUTE;
use crate::method::{ByRecipe, Entry, Recipe};
use crate::parameters;

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
    pub struct Sammon {}
    with stress
}

impl ByRecipe for Sammon {
    type Model = StressModel;

    const ENTRY: &'static Entry = &SAMMON;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = StressModel>> {
        Box::new(self.stress(ABSOLUTE, 1.0, true))
    }
}
