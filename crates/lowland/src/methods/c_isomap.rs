//! C-Isomap (de Silva and Tenenbaum 2003): Isomap with edges divided by the root of the product of the mean distances
//! M(i), M(j) of their ends to their neighbors.
//!
//! points -> neighbors -> graph, lengths / sqrt(M(i) M(j)) -> geodesics -> as Isomap

use super::isomap::{CAPABILITIES, Isomap};
use crate::method::{ByRecipe, Entry, Recipe};
use crate::parameters;
use crate::parameters::Kind;
use crate::spectral::SpectralModel;
use crate::spectral::landmarks::Choice;
use crate::spectral::{Disconnected, Negative};
use lowland_neighbors::Metric;

/// C-Isomap in the registry.
pub static C_ISOMAP: Entry = Entry {
    name: "c-isomap",
    aliases: &["conformal-isomap"],
    title: "Conformal Isomap",
    summary: "Isomap whose edges are divided by the root of the product of the mean distances of their ends to their \
              neighbors: unrolls sheets that were stretched differently from point to point, if they are sampled evenly.",
    citation: "V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction, 2003",
    capabilities: CAPABILITIES,
    ..Entry::of::<CIsomap>()
};

parameters! {
    /// C-Isomap: the parameters.
    pub struct CIsomap {
        /// How many components to keep: at most the number of rows, or of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point is joined to: their mean distance is the local scale.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The distance between points. Distances given as input are used instead.
        metric: Metric = Metric::Euclidean;
        /// What to do with a disconnected neighbor graph.
        disconnected: Disconnected = Disconnected::Join;
        /// What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.
        negative: Negative = Negative::Drop;
        /// From how many points geodesics are computed: then no matrix of all pairs is built. `auto` is all of them.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
    }
}

impl ByRecipe for CIsomap {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &C_ISOMAP;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        Isomap {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            metric: self.metric,
            disconnected: self.disconnected,
            negative: self.negative,
            landmarks: self.landmarks,
            landmark_choice: self.landmark_choice,
            conformal: true,
            ..Isomap::default()
        }
        .recipe(_rows)
    }
}
