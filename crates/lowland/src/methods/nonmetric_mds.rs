//! Non-metric multidimensional scaling (Shepard 1962, Kruskal 1964; Burges 2.2.2 on ordinal scaling).
//!
//! order of the distances -> classical scaling of their ranks -> [ monotone regression -> Guttman transform ] until the stress
//! stands still; new points go where their own stress is least on the frozen map

use crate::layout::stress::{Scale, StressModel, Ties};
use crate::method::{ByRecipe, Entry, Recipe};
use crate::parameters;

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
        /// What is done with pairs of equal distance.
        ties: Ties = Ties::Primary;
    }
    with stress
}

impl ByRecipe for NonmetricMds {
    type Model = StressModel;

    const ENTRY: &'static Entry = &NONMETRIC_MDS;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = StressModel>> {
        Box::new(self.stress(Scale::Order(self.ties), 0.0, false))
    }
}
