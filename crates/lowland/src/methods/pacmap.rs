//! PaCMAP (Wang, Huang, Rudin and Shaposhnik 2021).
//!
//! points -> neighbors -> near, mid-near and further pairs -> small start -> three phases of Adam; new points by
//! the attraction of their near points

use crate::layout::model::{self, Chosen, LayoutModel, Rule, TransformRule, merge};
use crate::layout::outcome::Layout;
use crate::layout::pacmap::{self, Counts, EXTRA, Pairs, Phases};
use crate::layout::start::{self, LayoutInit};
use crate::layout::training::{TrainingRows, workspace};
use crate::layout::{Affinity, check_shape};
use crate::matrix::faer_view;
use crate::method::{Capabilities, Entry, Fit, Forecast, Names, Training};
use crate::model::Archive;
use crate::parameters::{Described, Field, Kind};
use crate::{InputKind, Shape, parameters};
use lowland_base::{Result, Run};
use lowland_neighbors::Metric;

/// PaCMAP in the registry.
pub static PACMAP: Entry = Entry {
    name: "pacmap",
    aliases: &["pairwise-controlled-manifold-approximation"],
    title: "PaCMAP",
    summary: "Neighbors attract each other, at first also mid-near points, so that both clusters and their arrangement show. \
              Needs little tuning.",
    citation: "Y. Wang, H. Huang, C. Rudin, Y. Shaposhnik, Understanding how dimension reduction tools work, 2021",
    capabilities: Capabilities {
        inputs: INPUTS,
        random: true,
        local_optimum: true,
        start: true,
        resume: true,
        ..Capabilities::PLAIN
    },
    ..Entry::of::<Pacmap>()
};

/// The usual number of neighbors.
const USUAL: usize = 10;
/// Of more columns than this the principal components are taken, so many.
const WIDE: usize = 100;
/// Rows squared times columns up to which neighbors are exact: later than for other layouts. The candidates of near pairs reach
/// far beyond the nearest, and maps of approximate ones were worse (70,000 digits: 4.4 % instead of 4.1 % of 1-NN error).
const LARGE: f64 = 1e12;
/// The start is as wide as the principal components of values between 0 and 1, times this.
const SPREAD: f64 = 0.01;

/// Pairs are drawn by distances between any two rows, which a graph does not have.
const INPUTS: &[InputKind] = &[InputKind::Points, InputKind::Sparse, InputKind::Distances];

parameters! {
    /// PaCMAP: the parameters.
    pub struct Pacmap {
        /// How many components: fewer than there are rows. Two are usual.
        n_components: usize = 2, in Kind::Integer { min: 1, max: 32 };
        /// How many near points attract each point; `auto` is 10, and more beyond 10,000 points, for more of the large shape.
        n_neighbors: Option<usize> = Some(USUAL),
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: 1_000_000 }] };
        /// How many mid-near pairs there are for each near one.
        mn_ratio: f64 = 0.5, in Kind::Real { min: 0.0, max: 1e3, open: false };
        /// How many further pairs there are for each near one.
        fp_ratio: f64 = 2.0, in Kind::Real { min: 0.0, max: 1e3, open: false };
        /// The distance between points. Distances given as input take its place.
        metric: Metric = Metric::Euclidean;
        /// Whether points of more than 100 columns are first reduced to their first 100 principal components, in which pairs are
        /// then looked for, where the metric is euclidean.
        apply_pca: bool = true;
        /// The length of a step of the descent.
        lr: f64 = 1.0, in Kind::Real { min: 0.0, max: 1e3, open: true };
        /// The iterations in which the weight of mid-near pairs falls.
        first_iter: usize = 100, in Kind::Integer { min: 0, max: 1_000_000 };
        /// The iterations in which it is constant.
        second_iter: usize = 100, in Kind::Integer { min: 0, max: 1_000_000 };
        /// The iterations in which it is 0.
        third_iter: usize = 250, in Kind::Integer { min: 1, max: 1_000_000 };
        /// Where the layout starts.
        init: LayoutInit = LayoutInit::Auto;
    }
}

impl Pacmap {
    fn counts(&self, rows: usize) -> Counts {
        let usual =
            if rows <= 10_000 { USUAL as f64 } else { (10.0 + 15.0 * ((rows as f64).log10() - 4.0)).round() };
        let mut near = self.n_neighbors.unwrap_or(usual as usize);
        let of = |near: usize, ratio: f64| (near as f64 * ratio).round() as usize;
        // Where there are too few points for all pairs, fewer of each.
        if near + of(near, self.mn_ratio) + of(near, self.fp_ratio) >= rows {
            near = ((rows as f64 / (1.0 + self.mn_ratio + self.fp_ratio)) as usize).max(1);
        }
        Counts { near, middle: of(near, self.mn_ratio), far: of(near, self.fp_ratio) }
    }

    fn phases(&self) -> Phases {
        Phases { iterations: [self.first_iter, self.second_iter, self.third_iter], learning_rate: self.lr }
    }

    fn transform_rule(&self, rows: usize) -> TransformRule {
        TransformRule { rule: Rule::Pairs, metric: self.metric, neighbors: self.counts(rows).near }
    }

    /// Whether pairs are looked for among the principal components.
    fn is_reduced(&self, columns: usize) -> bool {
        self.apply_pca && columns > WIDE && self.metric == Metric::Euclidean
    }

    fn layout(
        &self,
        rows: &TrainingRows,
        order: &[usize],
        data: &Training<'_, '_>,
        run: &Run,
    ) -> Result<(Layout, Chosen)> {
        let n = rows.len();
        let k = (self.counts(n).near + EXTRA).min(n - 1);
        let is_wide = self.is_reduced(rows.features());
        let reduced = if is_wide { rows.reduced(WIDE, self.metric, run)? } else { None };
        let among = reduced.as_ref().unwrap_or(rows);
        let table = among.neighbors_of_all(self.metric, k, LARGE, run)?;
        let pairs = Pairs::among(among, self.metric, &table, self.counts(n), run)?;
        let stage = run.stage("start", None);
        let (start, init) = match (data.start, among) {
            (Some(start), _) => (start::given(start, order, None, run), self.init),
            (None, TrainingRows::Points(x)) if matches!(self.init, LayoutInit::Auto | LayoutInit::Pca) => {
                let x = faer_view(x.view());
                let start = if reduced.is_some() {
                    start::leading(x, self.n_components, SPREAD, run)
                } else {
                    start::ranged(x, self.n_components, SPREAD, run)?
                };
                (start, LayoutInit::Pca)
            }
            (None, _) => {
                let graph = Affinity::Uniform.joint(&table, run)?;
                start::chosen(self.init, LayoutInit::Pca, rows, &graph, self.n_components, run)?
            }
        };
        drop(stage);
        let phases = self.phases();
        let mut layout = pacmap::descend(&pairs, data.initial(start.as_ref(), order), &phases, run)?;
        if merge(&table, &mut layout.embedding) {
            layout.set_loss(pacmap::value(&pairs, layout.embedding.as_ref(), &phases, run)?);
        }
        let near = self.counts(n).near;
        Ok((layout, vec![("n_neighbors", near.to_value()), ("init", init.to_value())]))
    }
}

impl Fit for Pacmap {
    type Model = LayoutModel;

    const ENTRY: &'static Entry = &PACMAP;
    const MAY_CHANGE: Names = &["init", "third_iter"];

    fn check(&self, shape: &Shape) -> Result<()> {
        // The usual number shrinks where there are fewer rows; a larger one was meant.
        let asked = self.n_neighbors.filter(|&near| near > USUAL);
        check_shape(shape.rows, self.n_components, asked, shape.rows.saturating_sub(1))
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let Counts { near, middle, far } = self.counts(shape.rows);
        let pairs = (near + middle + far) as f64;
        let (mut searched, mut scores, mut gram) = (d, 0.0, 0.0);
        if self.is_reduced(shape.columns) && shape.kind == InputKind::Points {
            searched = WIDE as f64;
            (scores, gram) = (32.0 * n * searched + 24.0 * d * d.min(1024.0), n * d * d.min(1024.0));
        }
        let bytes =
            16.0 * n * d + scores + n * ((near + EXTRA) as f64 * 12.0 + pairs * 20.0 + 300.0) + workspace(n);
        let pool = if n * n * searched < LARGE { n } else { n.min(20_000.0) };
        let flops = n * pool * searched + gram + self.phases().total() as f64 * n * pairs * 30.0;
        let remedy = "fit to a sample and transform the rest".into();
        Forecast { bytes: bytes as u64, flops, remedy }
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LayoutModel> {
        let rule = self.transform_rule(data.input.shape().rows);
        let lay_out = |rows: &TrainingRows, order: &[usize]| self.layout(rows, order, &data, run);
        let loss = "loss a point";
        model::fit(&PACMAP, self.settings(), rule, loss, data.input, lay_out, run)
    }

    fn load(&self, archive: &Archive) -> Result<LayoutModel> {
        LayoutModel::load(&PACMAP, self.settings(), |rows| Ok(self.transform_rule(rows)), archive)
    }
}
