//! UMAP (McInnes, Healy and Melville 2018).
//!
//! points -> neighbors -> fuzzy graph -> spectral start -> attraction along its edges, repulsion from negative samples;
//! new points take their own steps on the frozen map

use crate::layout::affinity::{Fuzzy, supervised};
use crate::layout::check_shape;
use crate::layout::model::{self, Chosen, LayoutModel, Rule, TransformRule, merge};
use crate::layout::outcome::Layout;
use crate::layout::start::{self, LayoutInit};
use crate::layout::training::{INPUTS, LARGE, TrainingRows, workspace};
use crate::layout::umap::{self, Curve, LocalRadii, Sampling};
use crate::method::{Capabilities, Entry, Fit, Forecast, Names, Training};
use crate::model::Archive;
use crate::parameters::{Described, Field, Kind, Value};
use crate::{Shape, parameters};
use lowland_base::{Csr, Result, Run};
use lowland_neighbors::{Metric, Table};

/// UMAP in the registry.
pub static UMAP: Entry = Entry {
    name: "umap",
    aliases: &["uniform-manifold-approximation-and-projection", "umap-learn"],
    title: "UMAP",
    summary: "Neighbors attract each other and negative samples repel: clusters are tighter and farther apart than in \
              t-SNE, and large data are quick. Distances between clusters, and their sizes, mean little.",
    citation: "L. McInnes, J. Healy, J. Melville, UMAP: uniform manifold approximation and projection, 2018",
    capabilities: Capabilities {
        inputs: INPUTS,
        inverse: true,
        random: true,
        local_optimum: true,
        optional_labels: true,
        start: true,
        resume: true,
        directed: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<Umap>()
};

parameters! {
    /// UMAP: the parameters.
    pub struct Umap {
        /// How many components: fewer than there are rows. Two are usual.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 32 };
        /// How many neighbors each point has an edge to, itself counted: few show detail, many the large shape. `auto` is 15, or
        /// all where there are fewer points.
        n_neighbors: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 2, max: 1_000_000 }] };
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// How close points may come in the layout; at most the spread.
        min_dist: f64 = 0.1, in Kind::Real { min: 0.0, max: 1e6, open: false };
        /// Over which length similarity falls off in the layout.
        spread: f64 = 1.0, in Kind::Real { min: 0.0, max: 1e6, open: true };
        /// The epochs: edges of the largest weight attract in each; `auto` is 500 up to 10,000 points and 200 beyond.
        n_epochs: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 1_000_000 }] };
        /// The length of a step at first; it falls to zero.
        learning_rate: f64 = 1.0, in Kind::Real { min: 0.0, max: 1e3, open: true };
        /// Where the layout starts.
        init: LayoutInit = LayoutInit::Auto;
        /// 1 is the union of both directions of an edge, 0 their intersection, in between a mixture.
        set_op_mix_ratio: f64 = 1.0, in Kind::Real { min: 0.0, max: 1.0, open: false };
        /// To how many nearest neighbors each point has an edge of full weight.
        local_connectivity: f64 = 1.0, in Kind::Real { min: 0.0, max: 1e6, open: false };
        /// The weight of the repulsion from negative samples.
        repulsion_strength: f64 = 1.0, in Kind::Real { min: 0.0, max: 1e6, open: false };
        /// How many negative samples there are for each edge that attracts.
        negative_sample_rate: usize = 5, in Kind::Integer { min: 1, max: 1000 };
        /// How much the labels count, from 0 (not at all) to 1 (they alone): rows of one label attract each other. A label of
        /// -1 is not known. `auto` learns nothing from labels.
        target_weight: Option<f64> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Real { min: 0.0, max: 1.0, open: false }] };
        /// densMAP: how much the local density of the data counts, so that sparse regions look sparse. 0 is UMAP, 2 is usual.
        dens_lambda: f64 = 0.0, in Kind::Real { min: 0.0, max: 1e6, open: false };
        /// In which share of the epochs, the last, density counts.
        dens_frac: f64 = 0.3, in Kind::Real { min: 0.0, max: 1.0, open: false };
    }
}

/// The neighbors unless given, the point itself counted.
const NEIGHBORS: usize = 15;

impl Umap {
    fn fuzzy(&self) -> Fuzzy {
        Fuzzy { local_connectivity: self.local_connectivity, set_op_mix_ratio: self.set_op_mix_ratio }
    }

    /// The neighbors of a point without itself.
    fn neighbors(&self, rows: usize) -> usize {
        self.n_neighbors.unwrap_or(NEIGHBORS.min(rows)).saturating_sub(1).max(1)
    }

    fn epochs(&self, rows: usize) -> usize {
        self.n_epochs.unwrap_or(if rows <= 10_000 { 500 } else { 200 })
    }

    fn sampling(&self, rows: usize) -> Result<Sampling> {
        Ok(Sampling {
            curve: Curve::fitted(self.spread, self.min_dist)?,
            epochs: self.epochs(rows),
            learning_rate: self.learning_rate,
            negative_sample_rate: self.negative_sample_rate,
            repulsion_strength: self.repulsion_strength,
        })
    }

    fn transform_rule(&self, rows: usize) -> Result<TransformRule> {
        let rule = Rule::Sampled { fuzzy: self.fuzzy(), sampling: self.sampling(rows)? };
        Ok(TransformRule { rule, metric: self.metric, neighbors: self.neighbors(rows) })
    }

    fn graph(&self, table: &Table<f64>, labels: &[i64], order: &[usize], run: &Run) -> Result<Csr<f64>> {
        let _stage = run.stage("affinities", None);
        let graph = self.fuzzy().graph(table, run)?;
        match self.target_weight {
            None => Ok(graph),
            Some(weight) => {
                let labels: Vec<i64> = order.iter().map(|&row| labels[row]).collect();
                supervised::with_labels(&graph, &labels, weight, run)
            }
        }
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
        let graph = self.graph(&table, data.labels, order, run)?;
        let mut chosen = vec![("n_neighbors", (table.k + 1).to_value())];
        let start = match data.start {
            Some(start) => start::given(start, order, None, run),
            None => {
                let usual = LayoutInit::Spectral;
                let (start, init) = start::chosen(self.init, usual, rows, &graph, self.n_components, run)?;
                chosen.push(("init", init.to_value()));
                start::stretched(start, 10.0)
            }
        };
        let sampling = self.sampling(n)?;
        let has_radii = self.dens_lambda > 0.0;
        let radii = has_radii.then(|| LocalRadii::new(&graph, &table, self.dens_lambda, self.dens_frac));
        let mut layout =
            umap::descend(&graph, data.initial(start.as_ref(), order), &sampling, radii.as_ref(), run)?;
        if merge(&table, &mut layout.embedding) {
            layout.set_loss(umap::value(&graph, layout.embedding.as_ref(), &sampling, run)?);
        }
        Ok((layout, chosen))
    }
}

impl Fit for Umap {
    type Model = LayoutModel;

    const ENTRY: &'static Entry = &UMAP;
    const MAY_CHANGE: Names = &["init"];

    fn needs_labels(&self) -> bool {
        self.target_weight.is_some()
    }

    fn check(&self, shape: &Shape) -> Result<()> {
        check_shape(shape.rows, self.n_components, self.n_neighbors, shape.rows)?;
        self.sampling(shape.rows).map(drop)
    }

    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        vec![("n_epochs", Value::Integer(self.epochs(shape.rows) as i64))]
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.neighbors(shape.rows) as f64;
        let epochs = self.epochs(shape.rows) as f64;
        let bytes = 16.0 * n * d + n * k * 110.0 + 800.0 * n + workspace(n);
        let flops =
            n * n.min(20_000.0) * d + epochs * n * k * (20.0 + 30.0 * self.negative_sample_rate as f64);
        let remedy = "fit to a sample and transform the rest".into();
        Forecast { bytes: bytes as u64, flops, remedy }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LayoutModel> {
        let rule = self.transform_rule(data.input.shape().rows)?;
        let lay_out = |rows: &TrainingRows, order: &[usize]| self.layout(rows, order, &data, run);
        let loss = "fuzzy cross entropy a point, its repulsive part estimated";
        model::fit(&UMAP, self.settings(), rule, loss, data.input, lay_out, run)
    }

    fn load(&self, archive: &Archive) -> Result<LayoutModel> {
        LayoutModel::load(&UMAP, self.settings(), |rows| self.transform_rule(rows), archive)
    }
}
