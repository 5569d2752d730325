//! t-SNE (van der Maaten and Hinton 2008; Maaten 7.3).
//!
//! points -> neighbors -> affinities of one perplexity -> small start -> exaggerated, then plain descent of the
//! divergence; new points descend by themselves on the frozen map

use crate::layout::affinity::{PERPLEXITY, TsneAffinities};
use crate::layout::model::{self, Chosen, LayoutModel, Rule, TransformRule, merge};
use crate::layout::outcome::Layout;
use crate::layout::repulsion::NegativeGradient;
use crate::layout::start::{self, LayoutInit};
use crate::layout::training::{INPUTS, LARGE, TrainingRows, workspace};
use crate::layout::tsne::{self, Schedule};
use crate::layout::{Affinity, Kernel, check_shape};
use crate::method::{Capabilities, Entry, Fit, Forecast, Names, Training};
use crate::model::Archive;
use crate::parameters::{Described, Field, Kind, Value};
use crate::{InputKind, Shape, parameters};
use lowland_base::{Result, Run};
use lowland_neighbors::Metric;

/// t-SNE in the registry.
pub static TSNE: Entry = Entry {
    name: "t-sne",
    aliases: &["t-distributed-stochastic-neighbor-embedding", "opentsne", "fit-sne"],
    title: "t-SNE",
    summary: "Points that are neighbors stay neighbors, all others repel each other: shows clusters and what is in them. \
              Distances between clusters, and their sizes, mean little.",
    citation: "L. van der Maaten, G. Hinton, Visualizing data using t-SNE, 2008",
    capabilities: Capabilities {
        inputs: INPUTS,
        random: true,
        local_optimum: true,
        start: true,
        resume: true,
        directed: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<Tsne>()
};

parameters! {
    /// t-SNE: the parameters.
    pub struct Tsne {
        /// How many components: fewer than there are rows. Two are usual.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 32 };
        /// The effective number of neighbors of each point: 5 to 50 is usual, and below the number of neighbors. `auto` is
        /// 30, or a third of the other points where these are fewer than 90.
        perplexity: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 1.0, max: 1e6, open: false }] };
        /// A second perplexity: the affinities are the mean of both, and so show near and far structure at once.
        second_perplexity: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 1.0, max: 1e6, open: false }] };
        /// How affinities are made.
        affinities: TsneAffinities = TsneAffinities::Perplexity;
        /// How many neighbors each point has an affinity to; `auto` is three times the perplexity.
        n_neighbors: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 1_000_000 }] };
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// Where the layout starts.
        init: LayoutInit = LayoutInit::Auto;
        /// The factor of the attraction at first, which gathers clusters.
        early_exaggeration: f64 = 12.0, in Kind::Real { min: 0.0, max: 1e6, open: true };
        /// For how many iterations.
        early_exaggeration_iter: usize = 250, in Kind::Integer { min: 0, max: 1_000_000_000 };
        /// The factor of the attraction afterward: 1 is t-SNE, about 4 looks like UMAP, more goes toward Laplacian
        /// eigenmaps.
        exaggeration: f64 = 1.0, in Kind::Real { min: 0.0, max: 1e6, open: true };
        /// The most iterations, the early ones included.
        max_iter: usize = 1000, in Kind::Integer { min: 1, max: 1_000_000_000 };
        /// How far a point moves along the gradient, or two such numbers: in the early iterations, and afterward. `auto` is
        /// the number of points divided by the exaggeration of each.
        learning_rate: Option<Vec<f64>> = None, in tsne::rates();
        /// How much of the last step is repeated, in the early iterations.
        initial_momentum: f64 = 0.5, in Kind::Real { min: 0.0, max: 0.999, open: false };
        /// How much of the last step is repeated, afterward.
        final_momentum: f64 = 0.8, in Kind::Real { min: 0.0, max: 0.999, open: false };
        /// Stop after so many iterations without a lower divergence.
        n_iter_without_progress: usize = 300, in Kind::Integer { min: 1, max: 1_000_000_000 };
        /// Stop when the norm of the gradient is not above this.
        min_grad_norm: f64 = 1e-7, in Kind::Real { min: 0.0, max: 1e300, open: false };
        /// The degrees of freedom of the similarity in the layout: 1 is t-SNE, smaller shows finer clusters.
        dof: f64 = 1.0, in Kind::Real { min: 0.05, max: 1e6, open: false };
        /// How the repulsion between all points is computed.
        negative_gradient_method: NegativeGradient = NegativeGradient::Auto;
        /// For bh: a cell of the tree counts as one point where its width is below so many times its distance.
        theta: f64 = 0.5, in Kind::Real { min: 0.0, max: 1.0, open: false };
    }
}

impl Tsne {
    fn affinity(&self, rows: usize) -> Affinity {
        self.affinities.of(self.perplexity, self.second_perplexity, rows)
    }

    fn neighbors(&self, rows: usize) -> usize {
        let wanted = self.affinity(rows).neighbors_wanted(rows);
        self.n_neighbors.or(wanted).unwrap_or(PERPLEXITY as usize).clamp(1, rows.saturating_sub(1).max(1))
    }

    fn schedule(&self) -> Result<Schedule> {
        let early = self.early_exaggeration_iter.min(self.max_iter);
        Ok(Schedule {
            kernel: Kernel::new(self.dof)?,
            approach: self.negative_gradient_method.approach(self.theta),
            early_exaggeration: self.early_exaggeration,
            early_iterations: early,
            exaggeration: self.exaggeration,
            iterations: self.max_iter - early,
            learning_rate: self.learning_rate.as_deref().and_then(tsne::of_phases),
            momentum: (self.initial_momentum, self.final_momentum),
            without_progress: self.n_iter_without_progress,
            min_gradient_norm: self.min_grad_norm,
        })
    }

    fn transform_rule(&self, rows: usize) -> Result<TransformRule> {
        let (kernel, affinity) = (Kernel::new(self.dof)?, self.affinity(rows));
        let rule = Rule::Divergence { kernel, affinity, exaggeration: self.exaggeration };
        Ok(TransformRule { rule, metric: self.metric, neighbors: self.neighbors(rows) })
    }

    fn layout(
        &self,
        rows: &TrainingRows,
        order: &[usize],
        data: &Training<'_, '_>,
        run: &Run,
    ) -> Result<(Layout, Chosen)> {
        let n = rows.len();
        let table = rows.neighbors_of_all(self.metric, self.neighbors(n), LARGE, run)?;
        let stage = run.stage("affinities", None);
        // Given lists may be shorter than what is usual.
        let most = if self.perplexity.is_none() { table.k } else { n };
        let affinity = self.affinity(n).at_most(most);
        let joint = affinity.joint(&table, run)?;
        drop(stage);
        let stage = run.stage("start", None);
        // Given coordinates become small, unless there is no early phase: then the layout goes on from them as they are.
        let spread = (self.early_exaggeration_iter > 0 && data.checkpoint.is_none()).then_some(start::SPREAD);
        let (start, init) = match data.start {
            Some(start) => (start::given(start, order, spread, run), self.init),
            None => start::chosen(self.init, LayoutInit::Pca, rows, &joint, self.n_components, run)?,
        };
        drop(stage);
        let schedule = self.schedule()?;
        let mut chosen = vec![
            ("n_neighbors", table.k.to_value()),
            ("init", init.to_value()),
            ("learning_rate", schedule.rates(n).to_vec().to_value()),
        ];
        chosen.extend(affinity.perplexity().map(|perplexity| ("perplexity", perplexity.to_value())));
        let mut layout = tsne::descend(&joint, data.initial(start.as_ref(), order), &schedule, run)?;
        if merge(&table, &mut layout.embedding) {
            layout.set_loss(tsne::value(&joint, layout.embedding.as_ref(), &schedule, run)?);
        }
        Ok((layout, chosen))
    }
}

impl Fit for Tsne {
    type Model = LayoutModel;

    const ENTRY: &'static Entry = &TSNE;
    const MAY_CHANGE: Names = &["init", "max_iter", "min_grad_norm", "n_iter_without_progress"];

    fn check(&self, shape: &Shape) -> Result<()> {
        let (neighbors, others) = (self.neighbors(shape.rows), shape.rows.saturating_sub(1));
        check_shape(shape.rows, self.n_components, self.n_neighbors, others)?;
        // Lists may be no longer than what is taken of them.
        let most = if shape.kind == InputKind::Graph { neighbors } else { others };
        self.affinity(shape.rows).check_of(neighbors, most)?;
        self.negative_gradient_method.approach(self.theta).resolve(shape.rows, self.n_components).map(drop)
    }

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        let approach = self.negative_gradient_method.resolved_for(shape.rows, self.n_components);
        vec![("negative_gradient_method", approach.to_value())]
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.neighbors(shape.rows) as f64;
        // The rows twice, the table, the affinities of both directions and their merging, a grid.
        let bytes = 16.0 * n * d + n * k * 110.0 + 400.0 * n + workspace(n);
        let pairs = if self.negative_gradient_method == NegativeGradient::Exact { n * n } else { 200.0 * n };
        let flops = n * n.min(20_000.0) * d + self.max_iter as f64 * (20.0 * n * k + 10.0 * pairs + 1e7);
        Forecast { bytes: bytes as u64, flops, remedy: "fit to a sample and transform the rest".into() }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LayoutModel> {
        let rule = self.transform_rule(data.input.shape().rows)?;
        let lay_out = |rows: &TrainingRows, order: &[usize]| self.layout(rows, order, &data, run);
        model::fit(&TSNE, self.settings(), rule, "Kullback-Leibler divergence", data.input, lay_out, run)
    }

    fn load(&self, archive: &Archive) -> Result<LayoutModel> {
        LayoutModel::load(&TSNE, self.settings(), |rows| self.transform_rule(rows), archive)
    }
}
