//! Classical scaling (Torgerson 1952, Gower 1966; Burges 2.2-2.3, Mohri 15.3.1).
//!
//! distances -> -d^2 / 2 -> center -> largest eigenpairs -> sqrt(l) v; new points by Nyström, which with landmarks is
//! landmark scaling (Burges eqs. 1.30-1.31; Platt 2005)

use crate::method::{self, ByRecipe, Capabilities, Entry, Given, Recipe};
use crate::parameters::{Described, Field, Kind};
use crate::spectral::landmarks::Choice;
use crate::spectral::scaling::ScalingRecipe;
use crate::spectral::{Negative, SpectralModel};
use crate::{InputKind, Shape, parameters};
use lowland_base::{Error, Result, Run, units};
use lowland_neighbors::Metric;

/// Of classical scaling and its preset.
pub(super) const CAPABILITIES: Capabilities =
    Capabilities { inputs: &[InputKind::Points, InputKind::Distances], random: true, ..Capabilities::PLAIN };

/// Classical scaling in the registry.
pub static CLASSICAL_MDS: Entry = Entry {
    name: "classical-mds",
    aliases: &["cmds", "classical-scaling", "torgerson", "pcoa"],
    title: "Classical multidimensional scaling",
    summary: "Points whose distances are as close as can be to given ones, by one eigenproblem. Of Euclidean \
              distances it is principal component analysis.",
    citation: "W. Torgerson, Multidimensional scaling: I. Theory and method, 1952; J. Gower, Some distance properties \
               of latent root and vector methods used in multivariate analysis, 1966",
    capabilities: CAPABILITIES,
    ..Entry::of::<ClassicalMds>()
};

parameters! {
    /// Classical scaling: the parameters.
    pub struct ClassicalMds {
        /// How many components to keep: at most the number of rows, or of landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// The distance between points. Distances given as input are used instead.
        metric: Metric = Metric::Euclidean;
        /// What is done with negative eigenvalues, which distances that are not Euclidean have.
        negative: Negative = Negative::Drop;
        /// Whether the smallest constant is added to all distances that makes them Euclidean (Cailliez 1983).
        additive_constant: bool = false;
        /// The row that becomes the origin; `auto` is the mean of all.
        origin: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 0, max: 100_000_000 }] };
        /// The origin is the mean by these weights, one a row, of any sum but 0 (Burges 2.2.1); `auto` weighs all rows alike. Not
        /// with `origin` or `landmarks`.
        weights: Option<Vec<f64>> = None,
            in Kind::AnyOf {
                kinds: vec![
                    Kind::Auto,
                    Kind::List {
                        of: Box::new(Kind::Real { min: -1e300, max: 1e300, open: false }),
                        min_len: 1,
                        max_len: 1_000_000,
                    },
                ],
            };
        /// How many points stand for all: then no matrix of all pairs is built. `auto` is all of them.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
    }
}

impl ByRecipe for ClassicalMds {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &CLASSICAL_MDS;

    fn recipe(&self, _rows: usize) -> Box<dyn Recipe<Model = SpectralModel>> {
        Box::new(self.scaling())
    }
}

impl ClassicalMds {
    fn scaling(&self) -> ScalingRecipe {
        ScalingRecipe {
            count: self.n_components,
            metric: self.metric,
            negative: self.negative,
            additive_constant: self.additive_constant,
            origin: self.origin,
            weights: self.weights.clone(),
            landmarks: self.landmarks,
            choice: self.landmark_choice,
        }
    }

    /// Fits to `n` objects known by a symmetric distance function. With landmarks only the distances to them are
    /// asked for, and a new object is a row of its distances to the landmarks; else to all.
    pub fn fit_objects(
        &self,
        n: usize,
        distance: impl Fn(usize, usize) -> f64 + Sync,
        run: &Run,
    ) -> Result<SpectralModel> {
        let count = self.landmarks.unwrap_or(n);
        let shape = Shape {
            rows: n,
            columns: n,
            stored: n.saturating_mul(count),
            scalar_bytes: 8,
            kind: InputKind::Distances,
            factor: None,
        };
        let fit = || self.scaling().fit_objects(n, &distance, &CLASSICAL_MDS, self.settings(), run);
        method::fit_given(self, Given::Other(shape), |_| self.admit_objects(n), fit, run)
    }

    /// Refuses no objects, and what only rows can have.
    fn admit_objects(&self, n: usize) -> Result<()> {
        if n == 0 {
            return Err(Error::Empty { what: "distances", axis: "rows" });
        }
        let unused = |name, value: String| {
            let problem = format!("{name} = {value} is not used where distances come from a function");
            Err(Error::conflict(
                name,
                problem,
                format!("leave {name} out, or give the distances as a matrix"),
            ))
        };
        if let Some(weights) = &self.weights {
            return unused("weights", units::count(weights.len(), "number"));
        }
        if self.landmark_choice != Choice::Uniform {
            return unused("landmark_choice", self.landmark_choice.to_value().to_string());
        }
        Ok(())
    }
}
