//! Laplacian eigenmaps (Belkin and Niyogi 2003; Burges 2.5, Bengio 2.4, Maaten 3.2.2, Mohri 15.3.2).
//!
//! points -> neighbours -> graph -> affinities -> divide by degrees -> smallest eigenpairs -> sqrt(n) v; new points by
//! Bengio's eq. 12 and Nyström

use crate::method::{Capabilities, Entry, Forecast, Method};
use crate::model::{Archive, Model};
use crate::parameters::{Described, Kind};
use crate::spectral::graph::{self, GraphRecipe};
use crate::spectral::landmarks::Choice;
use crate::spectral::{Affinity, Disconnected, Laplacian, SpectralModel};
use crate::{AnyInput, Shape, described, parameters};
use lowland_base::{Result, Run};
use lowland_neighbors::Metric;

/// Laplacian eigenmaps in the registry.
pub static LAPLACIAN_EIGENMAPS: Entry = Entry {
    name: "laplacian-eigenmaps",
    aliases: &["spectral-embedding", "laplacian-eigenmap", "le", "lem"],
    title: "Laplacian eigenmaps",
    summary: "Neighbours stay neighbours: the smoothest functions on the neighbour graph. Quick at any size, and shows \
              clusters; distances in the picture mean little.",
    citation: "M. Belkin, P. Niyogi, Laplacian eigenmaps for dimensionality reduction and data representation, 2003",
    capabilities: Capabilities {
        inputs: &["points", "distances", "kernel", "graph"],
        inverse: false,
        random: true,
        chunks: false,
        density: false,
        labels: false,
        missing: false,
    },
    parameters: LaplacianEigenmaps::parameters,
    create: || Box::new(LaplacianEigenmaps::default()),
    load,
};

parameters! {
    /// Laplacian eigenmaps: the parameters.
    pub struct LaplacianEigenmaps {
        /// How many components to keep: fewer than there are rows, or landmarks.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 1_000_000 };
        /// How many neighbours each point is bound to. Too few leave the graph in pieces, too many fold sheets
        /// together.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// All within this distance are neighbours, instead of the nearest few.
        radius: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// How strong the bond between neighbours is. Similarities given as a kernel, and weights of a graph, take its
        /// place.
        affinity: Affinity = Affinity::Gaussian;
        /// The width s of the gaussian `exp(-d^2 / (2 s^2))`; `auto` is the median distance of neighbours.
        width: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// Whether the entries of a graph are weights, and not lengths.
        weighted: bool = false;
        /// Which Laplacian of the graph.
        laplacian: Laplacian = Laplacian::RandomWalk;
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// What to do with a neighbour graph in several pieces.
        disconnected: Disconnected = Disconnected::Join;
        /// How many points stand for all: the others are placed as new ones. `auto` is all of them.
        landmarks: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 2, max: 100_000_000 }] };
        /// How landmarks are chosen.
        landmark_choice: Choice = Choice::Uniform;
    }
}

impl LaplacianEigenmaps {
    /// Fits and keeps the type: [`Method::fit`] gives the same model behind the trait.
    pub fn fit_model<'a>(&self, input: impl Into<AnyInput<'a>>, run: &Run) -> Result<SpectralModel> {
        let input = input.into();
        self.admit(input, run)?;
        self.recipe().fit(input, &LAPLACIAN_EIGENMAPS, self.settings(), run)
    }

    fn recipe(&self) -> GraphRecipe {
        let hood = graph::hood(self.n_neighbors, self.radius, self.metric, self.disconnected);
        GraphRecipe {
            affinity: self.affinity,
            width: self.width,
            given: self.weighted,
            laplacian: self.laplacian,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
            ..GraphRecipe::new(hood, self.n_components)
        }
    }
}

impl Method for LaplacianEigenmaps {
    described!(LAPLACIAN_EIGENMAPS);

    fn check(&self, shape: &Shape) -> Result<()> {
        self.check_ranges()?;
        self.recipe().check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        self.recipe().forecast(shape)
    }

    fn fit_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.recipe().fit(input, &LAPLACIAN_EIGENMAPS, self.settings(), run)?))
    }
}

fn load(archive: &Archive) -> Result<Box<dyn Model>> {
    let method: LaplacianEigenmaps = archive.method(LAPLACIAN_EIGENMAPS.name)?;
    let hood = method.recipe().hood;
    let anchors = |prefix: &str, features: usize, archive: &Archive| {
        graph::load_anchors(hood, prefix, features, archive)
    };
    let settings = method.settings();
    let model = SpectralModel::load(&LAPLACIAN_EIGENMAPS, settings, archive, graph::ATTRIBUTES, anchors)?;
    Ok(Box::new(model))
}
