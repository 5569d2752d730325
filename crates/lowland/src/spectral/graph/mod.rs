//! The straight way through the pipeline for a graph: affinities, degrees, the smallest eigenpairs of a Laplacian,
//! coordinates (Burges 2.5, Bengio 2.3-2.4, Maaten 3.1.5 and 3.2.2, Ham 4). What the methods of graphs have in
//! common: they differ in the Laplacian and in how an eigenvalue scales its vector.

mod coordinates;
mod dense;
mod given;
mod known;
mod recipe;
mod sparse;
mod weights;

pub(crate) use weights::plain_laplacian;

use super::landmarks::Choice;
use super::{
    Affinity, AffinityAnchors, Anchors, ComponentModel, Degrees, Disconnected, Edge, Gram, GramKernel,
    Neighborhood, Normalizer, Origin, OriginMatrix, Rule, SpectralModel,
};
use crate::choices;
use crate::method::Entry;
use crate::model::{Archive, Report};
use crate::parameters::Value;
use known::without;
use lowland_base::{Result, Run};
use lowland_neighbors::Metric;
use ndarray::Array2;
use weights::Weights;

/// The model of one connected component, the embedding of its points, the report, and the eigenvalues of the Laplacian.
type FittedPart = ((ComponentModel, Array2<f64>, Report), Vec<f64>);

choices! {
    /// Which Laplacian of the graph.
    pub enum Laplacian {
        /// `L v = m D v`, that is `I - D^-1 W`: the generalized problem of Belkin and Niyogi.
        RandomWalk = "random-walk" | "generalised" | "generalized",
        /// `I - D^-1/2 W D^-1/2` (Bengio eq. 12).
        Symmetric = "symmetric" | "normalised" | "normalized",
        /// `D - W`.
        Unnormalized = "unnormalized" | "unnormalised",
    }
}

/// How an eigenvector of the Laplacian becomes a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Output {
    /// Unit variance: `sqrt(n) v` (Bengio 2.3-2.4).
    Unit,
    /// `l^t` times the right eigenvectors of the walk: all of them together keep the diffusion distance.
    Diffusion(f64),
    /// `sqrt(vol / m) v`: all of them together keep the square root of the commute time (Ham 4.2).
    Commute,
    /// `exp(-t m / 2) v`: kernel PCA of the heat kernel `exp(-t L)` (Ham 4.1).
    Heat(f64),
}

/// The settings of a method of graphs.
#[derive(Debug, Clone)]
pub(crate) struct GraphRecipe {
    pub neighborhood: Neighborhood,
    pub count: usize,
    pub affinity: Affinity,
    pub width: Option<f64>,
    /// Whether the numbers of a graph are affinities, and not lengths.
    pub given: bool,
    /// Whether all pairs of points have an edge, and not to their neighbors only.
    pub dense: bool,
    /// Whether a point has an edge to itself.
    pub loops: bool,
    pub alpha: f64,
    pub laplacian: Laplacian,
    pub output: Output,
    /// Whether the trivial vector, which is the same for every graph, is kept.
    pub trivial: bool,
    pub landmarks: Option<usize>,
    pub choice: Choice,
}

/// What the attributes mean.
pub(crate) const ATTRIBUTES: &[(&str, &str)] =
    &[("laplacian_eigenvalues", "The eigenvalues of the Laplacian, one a component, ascending.")];

impl GraphRecipe {
    pub fn new(neighborhood: Neighborhood, count: usize) -> Self {
        Self {
            neighborhood,
            count,
            affinity: Affinity::Gaussian,
            width: None,
            given: false,
            dense: false,
            loops: false,
            alpha: 0.0,
            laplacian: Laplacian::RandomWalk,
            output: Output::Unit,
            trivial: false,
            landmarks: None,
            choice: Choice::Uniform,
        }
    }

    /// From a model file, of a method with these attributes.
    pub fn load_with(
        &self,
        attributes: &'static [(&'static str, &'static str)],
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<SpectralModel> {
        let anchors = |prefix: &str, features: usize, archive: &Archive| -> Result<Box<dyn Anchors>> {
            if archive.has_array(&format!("{prefix}graph_offsets")) {
                return Ok(Box::new(AffinityAnchors::load(self.neighborhood, prefix, features, archive)?));
            }
            super::load_anchors(prefix, features, archive)
        };
        Ok(SpectralModel::load(entry, settings, archive, attributes, anchors)?.with_origin(self.origin()))
    }

    /// The kernel of the plain Laplacian is `exp(-t L)` or `L^+` (Ham 4); the others are kernels of two rows.
    fn origin(&self) -> Option<Origin> {
        let own = match self.output {
            Output::Heat(t) => Gram { kernel: GramKernel::Exponential, time: Some(t), shift: None },
            _ => Gram { kernel: GramKernel::Inverse, ..Gram::default() },
        };
        (self.laplacian == Laplacian::Unnormalized).then_some(Origin { matrix: OriginMatrix::Laplacian, own })
    }

    /// One connected graph: normalize, solve, scale.
    fn fit_component(
        &self,
        anchors: Box<dyn Anchors>,
        weights: Weights,
        count: usize,
        run: &Run,
    ) -> Result<FittedPart> {
        let ones = vec![1.0; anchors.len()];
        let densities = weights.sums(&ones, run)?;
        // The densities to the power -alpha, on either side (Coifman and Lafon 2006).
        let factor = |&q: &f64| if q > 0.0 { q.powf(-self.alpha) } else { 0.0 };
        let (factors, degrees) = if self.alpha > 0.0 {
            let factors: Vec<f64> = densities.iter().map(factor).collect();
            let degrees = weights.sums(&factors, run)?;
            (factors, degrees)
        } else {
            (ones, densities.clone())
        };
        let plain = self.laplacian == Laplacian::Unnormalized;
        let (found, further) = {
            let _stage = run.stage("eigenpairs", None);
            let asked = if self.trivial { count } else { count + 1 };
            let found = weights.smallest(&factors, &degrees, plain, asked, run)?;
            let further = found.further.clone();
            let pairs = if self.trivial {
                found.pairs
            } else {
                let first: Vec<f64> = degrees.iter().map(|d| if plain { 1.0 } else { d.sqrt() }).collect();
                without(found, &first, run)?
            };
            (pairs, further)
        };
        let by = match self.laplacian {
            Laplacian::Symmetric => Degrees::Roots,
            Laplacian::RandomWalk => Degrees::Products,
            Laplacian::Unnormalized => Degrees::OfRow,
        };
        let spectrum = self.spectrum(&found, &degrees)?;
        let mut report = self.report(&found, &spectrum, &degrees);
        report.further_eigenvalues = further.into_iter().map(|m| self.of_kernel(m)).collect();
        let normalizer = Normalizer::Divide { densities, alpha: self.alpha, degrees, by };
        let model = ComponentModel::whole(anchors, normalizer, &spectrum);
        Ok(((model, spectrum.coordinates, report), found.values))
    }
}

/// A neighborhood of the nearest, or of all within a radius.
pub(crate) fn neighborhood(
    n_neighbors: usize,
    radius: Option<f64>,
    metric: Metric,
    policy: Disconnected,
    edge: Edge,
) -> Neighborhood {
    let rule = radius.map_or(Rule::Nearest(n_neighbors), Rule::Within);
    Neighborhood { rule, metric, policy, edge }
}
