//! Spectral clustering (Shi and Malik 2000; Ng, Jordan and Weiss 2002; Burges 2.5.2, Bengio 2.3).
//!
//! points -> neighbors -> graph -> affinities -> divide by degrees -> smallest eigenpairs -> clusters of the rows; new
//! points by Nyström, then the same rule. The affinity of a point with itself is left out, as Bengio remarks; a kernel
//! given as input, or a graph of weights, keeps its diagonal.

use crate::method::{Capabilities, Entry, Fit, Forecast, Recipe, Training};
use crate::model::{Archive, Attribute, Quantity, Warning};
use crate::parameters::{Described, Kind, Value};
use crate::spectral::cluster::{GAP, eigengap};
use crate::spectral::clustering::{cluster, eigenvalues};
use crate::spectral::graph::{self, GraphRecipe};
use crate::spectral::{Affinity, Assignment, Disconnected, Edge, SpectralModel};
use crate::{InputKind, Shape, parameters};
use lowland_base::{Error, Result, Run, units};
use lowland_neighbors::Metric;
use ndarray::Array1;

/// Spectral clustering in the registry.
pub static SPECTRAL_CLUSTERING: Entry = Entry {
    name: "spectral-clustering",
    aliases: &["normalized-cuts", "normalised-cuts", "njw"],
    title: "Spectral clustering",
    summary: "Cuts the neighbor graph where it is thinnest: finds clusters of any shape. The embedding is that of \
              Laplacian eigenmaps, the labels are its clusters.",
    citation: "A. Ng, M. Jordan, Y. Weiss, On spectral clustering: analysis and an algorithm, 2002",
    capabilities: Capabilities {
        inputs: &[InputKind::Points, InputKind::Distances, InputKind::Kernel, InputKind::Graph],
        random: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<SpectralClustering>()
};

parameters! {
    /// Spectral clustering: the parameters.
    pub struct SpectralClustering {
        /// How many clusters; `auto` finds the gap among the first eigenvalues: two to ten.
        n_clusters: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 1_000_000 }] };
        /// How many eigenvectors to look at, the constant one among them; `auto` is as many as there are clusters.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 1_000_000 }] };
        /// How points of the embedding become clusters.
        assign_labels: Assignment = Assignment::KMeans;
        /// How many starts are tried, of which the best counts.
        n_init: usize = 10, in Kind::Integer { min: 1, max: 10_000 };
        /// How many neighbors each point has an edge to.
        n_neighbors: usize = 8, in Kind::Integer { min: 1, max: 1_000_000 };
        /// All within this distance are neighbors, instead of the nearest few.
        radius: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// How the weight of an edge follows from its length. Similarities given as a kernel, and weights of a graph, are used
        /// instead.
        affinity: Affinity = Affinity::Local;
        /// For `gaussian`: the width s of `exp(-d^2 / (2 s^2))`; `auto` is the median distance of neighbors.
        width: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1e300, open: true }] };
        /// Whether the entries of a graph are weights, and not lengths.
        weighted: bool = false;
        /// The distance between points. Distances given as input are used instead.
        metric: Metric = Metric::Euclidean;
        /// What to do with a disconnected neighbor graph; `separate` is refused. Connected components of a given graph are
        /// clusters without being joined; `largest` is refused for it.
        disconnected: Disconnected = Disconnected::Join;
    }
    with landmarks at least 2
}

/// The most clusters that are looked for where their number is not given.
const MOST: usize = 10;

/// What the attributes mean.
const ATTRIBUTES: &[(&str, &str)] = &[
    graph::ATTRIBUTES[0],
    ("labels", "The cluster of each training row, numbered from 0 in order of appearance."),
];

impl SpectralClustering {
    /// The number of clusters where it is known before the fit.
    fn clusters(&self) -> Option<usize> {
        let two = self.assign_labels == Assignment::NormalizedCut;
        self.n_clusters.or(two.then_some(2))
    }

    fn recipe(&self, rows: usize) -> GraphRecipe {
        let neighborhood =
            graph::neighborhood(self.n_neighbors, self.radius, self.metric, self.disconnected, Edge::Either);
        // One more than the most clusters shows the last gap.
        let considered = self.clusters().map_or(MOST + 1, |clusters| clusters.max(2));
        let vertices = self.landmarks.unwrap_or(rows);
        GraphRecipe {
            affinity: self.affinity,
            width: self.width,
            given: self.weighted,
            trivial: true,
            landmarks: self.landmarks,
            choice: self.landmark_choice,
            ..GraphRecipe::new(neighborhood, considered.min(vertices).max(self.n_components.unwrap_or(0)))
        }
    }

    fn solve(&self, data: Training<'_, '_>, run: &Run) -> Result<SpectralModel> {
        let rows = data.input.shape().rows;
        let model = self.recipe(rows).fit(data, &SPECTRAL_CLUSTERING, self.settings(), run)?;
        let _stage = run.stage("clusters", None);
        let values = eigenvalues(&model);
        let mut unclear = None;
        let clusters = self.clusters().unwrap_or_else(|| {
            let (clusters, ratio) = eigengap(&values);
            unclear = (ratio < GAP).then_some(Warning::NoEigengap { clusters, ratio });
            clusters
        });
        let clusters = clusters.min(rows);
        let cut = self.assign_labels == Assignment::NormalizedCut;
        let width = self.n_components.unwrap_or(if cut { 2 } else { clusters }).min(values.len());
        let mut model = model.truncated(width);
        let found = cluster(&model, self.assign_labels, clusters, self.n_init, run)?;
        let fitted = model.fitted_mut();
        let quantity = |name: &str, value: f64| Quantity { name: name.into(), value };
        fitted.report.objective.push(quantity("normalized cut", found.cut));
        fitted.report.objective.extend(found.inertia.map(|value| quantity("k-means inertia", value)));
        fitted.report.warnings.extend(unclear);
        fitted.report.resolved.insert("n_clusters".into(), Value::Integer(clusters as i64));
        let labels = Array1::from_iter(found.labels.iter().map(|&label| f64::from(label)));
        fitted.attributes.push(Attribute::new(ATTRIBUTES[1].0, ATTRIBUTES[1].1, labels));
        Ok(model.with_assigner(found.assigner))
    }
}

impl Fit for SpectralClustering {
    type Model = SpectralModel;

    const ENTRY: &'static Entry = &SPECTRAL_CLUSTERING;

    fn check(&self, shape: &Shape) -> Result<()> {
        let vertices = self.landmarks.unwrap_or(shape.rows);
        if let Some(clusters) = self.clusters().filter(|&clusters| clusters > vertices) {
            let bound = format!("at most {vertices}, the number of vertices");
            return Err(Error::parameter("n_clusters", clusters, bound, "ask for fewer clusters"));
        }
        let (cut, rotate) = (Assignment::NormalizedCut, Assignment::Discretize);
        if self.assign_labels == cut && self.n_clusters.is_some_and(|clusters| clusters != 2) {
            let clusters = self.n_clusters.unwrap_or(0);
            let problem = format!("a normalized cut makes 2 clusters, and n_clusters is {clusters}");
            return Err(Error::conflict(
                "n_clusters",
                problem,
                "choose assign_labels = k-means or discretize",
            ));
        }
        let (least, most) = match self.assign_labels {
            Assignment::NormalizedCut => (2, vertices),
            Assignment::Discretize => (self.n_clusters.unwrap_or(1), self.n_clusters.unwrap_or(vertices)),
            Assignment::KMeans => (1, vertices),
        };
        if let Some(count) = self.n_components.filter(|count| !(least..=most).contains(count)) {
            let bound =
                format!("{least} to {most}, for {} and this assign_labels", units::count(vertices, "point"));
            return Err(Error::parameter("n_components", count, bound, "leave it at auto"));
        }
        if self.assign_labels == rotate && self.n_components.is_some() && self.n_clusters.is_none() {
            let problem = "assign_labels = discretize cannot have n_components without n_clusters";
            return Err(Error::conflict(
                "n_components",
                problem,
                "give n_clusters, or leave out n_components",
            ));
        }
        if self.disconnected == Disconnected::Separate {
            let problem = "disconnected = separate does not make clusters";
            let given = matches!(shape.kind, InputKind::Graph | InputKind::Kernel);
            let remedy = if given { "choose join or error" } else { "choose join, largest or error" };
            return Err(Error::conflict("disconnected", problem, remedy));
        }
        self.recipe(shape.rows).check(shape)
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let mut forecast = self.recipe(shape.rows).forecast(shape);
        forecast.flops += 300.0 * (shape.rows * self.n_init) as f64 * 30.0;
        forecast
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<SpectralModel> {
        self.solve(data, run)
    }

    fn load(&self, archive: &Archive) -> Result<SpectralModel> {
        self.recipe(usize::MAX).load_with(ATTRIBUTES, &SPECTRAL_CLUSTERING, self.settings(), archive)
    }
}
