//! Landmark scaling (de Silva and Tenenbaum 2003; Burges eqs. 1.30-1.31): classical scaling of a few points.
//!
//! distances to landmarks -> -d^2 / 2 -> center -> largest eigenpairs -> sqrt(l) v; all others by Nyström (Platt 2005)

use super::classical_mds::{CAPABILITIES, ClassicalMds};
use crate::method::{ByRecipe, Entry, Recipe};
use crate::parameters::{Field, Kind, Value};
use crate::spectral::SpectralModel;
use crate::spectral::landmarks::Choice;
use crate::spectral::{self, Negative};
use crate::{Shape, parameters};
use lowland_neighbors::Metric;

/// Landmark scaling in the registry.
pub static LANDMARK_MDS: Entry = Entry {
    name: "landmark-mds",
    aliases: &["lmds", "landmark-multidimensional-scaling", "metricmap"],
    title: "Landmark multidimensional scaling",
    summary: "Classical scaling of a few landmarks; all other points follow from their distances to these. The cost \
              grows as the number of points.",
    citation: "V. de Silva, J. Tenenbaum, Global versus local methods in nonlinear dimensionality reduction, 2003; \
               J. Platt, FastMap, MetricMap, and Landmark MDS are all Nyström algorithms, 2005",
    capabilities: CAPABILITIES,
    ..Entry::of::<LandmarkMds>()
};

parameters! {
    /// Landmark scaling: the parameters.
    pub struct LandmarkMds {
        /// How many components to keep: at most the number of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many points stand for all; `auto` is the square root of their number, at least 50 and ten to a
        /// component, and never more than there are.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
        /// The distance between points. Distances given as input are used instead.
        metric: Metric = Metric::Euclidean;
        /// What is done with negative eigenvalues, which distances that are not Euclidean have.
        negative: Negative = Negative::Drop;
    }
}

impl LandmarkMds {
    fn count(&self, rows: usize) -> usize {
        self.landmarks.unwrap_or_else(|| spectral::usual_landmarks(rows, self.n_components))
    }
}

impl ByRecipe for LandmarkMds {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &LANDMARK_MDS;

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        vec![("landmarks", self.count(shape.rows).to_value())]
    }

    fn recipe(&self, rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        ClassicalMds {
            n_components: self.n_components,
            metric: self.metric,
            negative: self.negative,
            landmarks: Some(self.count(rows)),
            landmark_choice: self.landmark_choice,
            ..ClassicalMds::default()
        }
        .recipe(rows)
    }
}
