//! Landmark Isomap (de Silva and Tenenbaum 2003; Burges 2.3): Isomap with some of its parameters fixed.
//!
//! points -> neighbors -> graph -> geodesics to landmarks -> -g^2 / 2 -> center -> largest eigenpairs -> sqrt(l) v; all others
//! by Nyström

use super::isomap::{CAPABILITIES, Isomap};
use crate::method::{ByRecipe, Entry, Recipe};
use crate::parameters::{Field, Kind, Value};
use crate::spectral::SpectralModel;
use crate::spectral::landmarks::Choice;
use crate::spectral::{self, Disconnected, Negative};
use crate::{Shape, parameters};
use lowland_neighbors::Metric;

/// Landmark Isomap in the registry.
pub static LANDMARK_ISOMAP: Entry = Entry {
    name: "landmark-isomap",
    aliases: &["l-isomap"],
    title: "Landmark Isomap",
    summary: "Isomap with geodesics from a few landmarks only: the cost grows as the number of points.",
    citation: "V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction, 2003",
    capabilities: CAPABILITIES,
    ..Entry::of::<LandmarkIsomap>()
};

parameters! {
    /// Landmark Isomap: the parameters.
    pub struct LandmarkIsomap {
        /// How many components to keep: at most the number of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbors each point is joined to.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// From how many points geodesics are computed; `auto` is the square root of their number, at least 50 and
        /// ten to a component, and never more than there are.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
        /// The distance between points. Distances given as input are used instead.
        metric: Metric = Metric::Euclidean;
        /// What to do with a disconnected neighbor graph.
        disconnected: Disconnected = Disconnected::Join;
        /// What is done with negative eigenvalues: geodesics are hardly ever exactly Euclidean.
        negative: Negative = Negative::Drop;
    }
}

impl LandmarkIsomap {
    fn count(&self, rows: usize) -> usize {
        self.landmarks.unwrap_or_else(|| spectral::usual_landmarks(rows, self.n_components))
    }
}

impl ByRecipe for LandmarkIsomap {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &LANDMARK_ISOMAP;

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        vec![("landmarks", self.count(shape.rows).to_value())]
    }

    fn recipe(&self, rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        Isomap {
            n_components: self.n_components,
            n_neighbors: self.n_neighbors,
            metric: self.metric,
            disconnected: self.disconnected,
            negative: self.negative,
            landmarks: Some(self.count(rows)),
            landmark_choice: self.landmark_choice,
            ..Isomap::default()
        }
        .recipe(rows)
    }
}
