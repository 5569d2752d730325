//! What the three methods share, from the input to the model.

use super::descents::{Finished, go};
use super::disparity::{Scale, Transformation};
use super::gather::{AGAIN, Gathered, WeightRule, draw, gather};
use super::majorize::Patience;
use super::measure::{Measured, spread};
use super::model::{Found, Reach, StressModel};
use super::objects::{Copies, Geometry, Objects, Opened, open};
use super::pairs::pair_count;
use super::start::StressInit;
use crate::layout::chance::Chance;
use crate::layout::check_shape;
use crate::layout::points::with_components;
use crate::matrix::sorted_rows;
use crate::method::{Entry, Forecast, Recipe, Training};
use crate::model::{Archive, Quantity, Report};
use crate::parameters::{Field, Value};
use crate::spectral::Source;
use crate::{AnyInput, InputKind, Shape, choices};
use lowland_base::{Result, Run};
use ndarray::{Array2, Axis};

choices! {
    /// Over which pairs the stress is minimized.
    pub enum Solver {
        /// All pairs of up to 5,000 rows, sampled ones of more.
        Auto = "auto",
        /// All pairs, by majorization.
        Majorization = "majorization",
        /// Some pairs of each row, drawn once, by majorization: memory grows with the rows and not with their square.
        Sampled = "sampled",
    }
}

/// What the first of the reported objectives is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    Sammon,
    Raw,
    Kruskal,
}

/// A layout by stress: the settings.
pub(crate) struct StressRecipe {
    pub components: usize,
    pub geometry: Geometry,
    pub scale: Scale,
    /// Pairs weigh `d^-power`.
    pub power: f64,
    pub sammon: bool,
    pub init: StressInit,
    pub starts: usize,
    pub patience: Patience,
    pub solver: Solver,
    /// The pairs drawn for each row.
    pub pairs: Option<usize>,
}

/// The weight of a pair of rows.
pub(crate) type Weight<'w> = &'w (dyn Fn(usize, usize) -> f64 + Sync);

/// Up to so many rows all pairs are used, unless said otherwise.
const ALL_PAIRS: usize = 5000;
/// Iterations that are usually enough.
const USUAL: usize = 200;
/// The pairs drawn for each row, unless said otherwise.
const DRAWN: usize = 50;
/// The most rows that new ones are compared with, where not all pairs were used.
const ANCHORS: usize = 2000;
/// Pairs drawn again to judge a layout by others than it was made from.
const JUDGED: usize = 1_000_000;
const ANCHOR: u64 = 0x414e_4348_4f52;

impl StressRecipe {
    pub fn loss(&self) -> Loss {
        match (self.sammon, self.scale.is_absolute()) {
            (true, _) => Loss::Sammon,
            (false, true) => Loss::Raw,
            (false, false) => Loss::Kruskal,
        }
    }

    /// How many pairs are drawn for each of so many rows; none: all pairs are used.
    fn drawn(&self, rows: usize) -> Option<usize> {
        let sampled = match self.solver {
            Solver::Auto => rows > ALL_PAIRS,
            Solver::Majorization => false,
            Solver::Sampled => true,
        };
        let count = self.pairs.unwrap_or(DRAWN);
        // So many would be all of them.
        (sampled && 2 * count + 1 < rows).then_some(count)
    }

    fn along_graph(&self, shape: &Shape) -> bool {
        self.geometry.neighbors.is_some() || shape.kind == InputKind::Graph
    }

    /// The fit, with weights of its own where there are some: they are multiplied with the method's.
    pub fn fit_weighted(
        &self,
        data: Training<'_, '_>,
        weight: Option<Weight<'_>>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<StressModel> {
        let input = data.input;
        let source = Source::of(input)?;
        let rows = source.len();
        let drawn = self.drawn(rows);
        // Points in an order of their own, so that the result does not depend on the one that they came in.
        let (source, order, sorted) = match source {
            Source::Points(points) => {
                let order = sorted_rows(points.view());
                let points = points.select(Axis(0), &order);
                let copies = drawn.is_some().then(|| Copies::adjacent(&points));
                (Source::Points(points), order, copies)
            }
            other => (other, (0..rows).collect(), None),
        };
        let Opened { objects, graph, mut warnings, connected_component_sizes } =
            open(source, self.geometry, drawn, run)?;
        let in_order = weight.map(|weight| {
            let order = &order;
            move |i: usize, j: usize| weight(order[i], order[j])
        });
        let weight_rule =
            WeightRule { power: self.power, given: in_order.as_ref().map(|weight| weight as Weight<'_>) };
        // All that one object stands for might be drawn: then there is nothing to draw from.
        let drawn = drawn.filter(|count| sorted.as_ref().is_none_or(|c| c.first.len() > 2 * count + 1));
        let mut gathered = gather(&objects, sorted.as_ref(), drawn, self.scale, &weight_rule, run)?;
        warnings.append(&mut gathered.warnings);
        let given = data.start.map(|start| {
            Array2::from_shape_fn((gathered.copies.first.len(), self.components), |(k, c)| {
                start[(order[gathered.copies.first[k]], c)]
            })
        });
        let given = given.as_ref().map(|given| given.view());
        let finished = with_components!(self.components, go(self, &objects, gathered, &order, given, run))?;
        let Finished { measured, gathered, starts, history, iterations, mut own_warnings } = finished;
        warnings.append(&mut own_warnings);
        let mut objective = self.objective(&measured);
        if drawn.is_some() && !matches!(objects, Objects::Pivots { .. }) {
            let value = judge(&objects, &gathered, &measured, run)?;
            objective.push(Quantity { name: "stress-1 of other pairs".into(), value });
        }
        let per_point: Vec<f64> =
            gathered.copies.object.iter().map(|&object| measured.per_point[object]).collect();
        let positions = spread(&gathered.copies, &measured.positions);
        let mut embedding = Array2::zeros(positions.dim());
        let mut in_input_order = vec![0.0; rows];
        for (k, &row) in order.iter().enumerate() {
            embedding.row_mut(row).assign(&positions.row(k));
            in_input_order[row] = per_point[k];
        }
        let (reach, anchors) = self.reach(input, graph, &objects, &order, drawn.is_some(), run)?;
        let vertices = if matches!(objects, Objects::Pivots { .. }) { order } else { Vec::new() };
        let report =
            Report { objective, losses: history, warnings, connected_component_sizes, ..Report::default() };
        let found = Found {
            embedding,
            reach,
            anchors,
            vertices,
            curve: measured.curve,
            power: self.power,
            per_point: in_input_order,
            shepard: measured.shepard,
            starts,
            iterations,
            single: matches!(input, AnyInput::F32(_)),
            report,
        };
        Ok(StressModel::new(entry, settings, found))
    }

    pub fn objective(&self, measured: &Measured) -> Vec<Quantity> {
        let all = match self.loss() {
            Loss::Sammon => vec![
                ("Sammon stress", measured.sammon),
                ("stress-1", measured.plain_stress_1),
                ("raw stress", measured.plain_raw),
            ],
            Loss::Raw => vec![("raw stress", measured.raw), ("stress-1", measured.stress_1)],
            Loss::Kruskal => vec![("stress-1", measured.stress_1), ("raw stress", measured.raw)],
        };
        all.into_iter().map(|(name, value)| Quantity { name: name.into(), value }).collect()
    }

    /// What new rows are compared with, and the rows of the embedding that this leads to.
    fn reach(
        &self,
        input: AnyInput<'_>,
        graph: Option<crate::spectral::geodesic::GeodesicAnchors>,
        objects: &Objects,
        order: &[usize],
        sampled: bool,
        run: &Run,
    ) -> Result<(Reach, Vec<usize>)> {
        let shape = input.shape();
        if let Some(graph) = graph {
            let anchors = match objects {
                Objects::Pivots { pivots, .. } => pivots.iter().map(|&pivot| order[pivot]).collect(),
                _ => order.to_vec(),
            };
            return Ok((Reach::Graph(Box::new(graph), shape.columns), anchors));
        }
        if shape.kind != InputKind::Points {
            return Ok((Reach::Columns(shape.columns), (0..shape.rows).collect()));
        }
        let points = crate::spectral::query(input, 0..shape.rows);
        let anchors = if sampled && shape.rows > ANCHORS {
            // Of the rows in their own order, so that the order of the input does not matter.
            let chance = Chance::new(run.seed(), ANCHOR, 0, 0);
            let step = shape.rows as f64 / ANCHORS as f64;
            let pick = |k: usize| {
                let width = (((k + 1) as f64 * step) as usize - (k as f64 * step) as usize).max(1);
                order[(k as f64 * step) as usize + chance.below(k as u64, width)]
            };
            (0..ANCHORS).map(pick).collect()
        } else {
            (0..shape.rows).collect()
        };
        Ok((Reach::Points { points, metric: self.geometry.metric }, anchors))
    }
}

impl Recipe for StressRecipe {
    type Model = StressModel;

    fn check(&self, shape: &Shape) -> Result<()> {
        check_shape(shape.rows, self.components, None, shape.rows)?;
        if self.geometry.neighbors.is_some() && shape.kind != InputKind::Graph {
            self.geometry.neighborhood().check(shape.rows)?;
        }
        Ok(())
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let (all, drawn) = (pair_count(shape.rows) as f64, self.drawn(shape.rows));
        let pairs = drawn.map_or(all, |count| n * count as f64);
        let rows = if shape.kind == InputKind::Points { 32.0 * n * d } else { 8.0 * shape.stored as f64 };
        let graph = if self.along_graph(shape) {
            16.0 * drawn.map_or(n * n / 2.0, |count| 2.0 * n * count as f64) + 1000.0 * n
        } else {
            0.0
        };
        let transformed = if self.scale.is_absolute() { 0.0 } else { 72.0 };
        let weighted = if self.power > 0.0 { 24.0 } else { 0.0 };
        let listed = if drawn.is_some() { 40.0 } else { 32.0 };
        let work = n * self.components as f64 * 8.0 * 60.0 + 5000.0 * n.min(5000.0);
        let bytes = rows + graph + pairs * (listed + transformed + weighted) + work;
        let step = pairs * (8.0 + 6.0 * self.components as f64) * if self.power > 0.0 { 5.0 } else { 1.0 };
        let flops =
            pairs * d.min(1e5) * 3.0 + self.starts as f64 * self.patience.max_iter.min(USUAL) as f64 * step;
        let remedy = "fit to a sample and transform the rest";
        Forecast { bytes: bytes as u64, flops, remedy: remedy.into() }
    }

    /// What the solver and its pairs become where they are left open.
    fn resolved_for(&self, shape: &Shape) -> Vec<(&'static str, Value)> {
        match self.drawn(shape.rows) {
            Some(count) => vec![("solver", Solver::Sampled.to_value()), ("n_pairs", count.to_value())],
            None => vec![("solver", Solver::Majorization.to_value())],
        }
    }

    fn fit(
        &self,
        data: Training<'_, '_>,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        run: &Run,
    ) -> Result<StressModel> {
        self.fit_weighted(data, None, entry, settings, run)
    }

    fn load(
        &self,
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
    ) -> Result<StressModel> {
        StressModel::load(entry, settings, self.geometry, self.power, archive)
    }
}

/// Stress-1 over pairs drawn anew: what the layout is like for pairs that it was not made from.
fn judge(objects: &Objects, gathered: &Gathered, measured: &Measured, run: &Run) -> Result<f64> {
    let n = gathered.copies.first.len();
    let (ends, distances) = draw(objects, &gathered.copies, (JUDGED / n).clamp(1, 20), AGAIN, run)?;
    let (mut residual, mut size) = (0.0, 0.0);
    for ([i, j], d) in ends.into_iter().zip(distances).filter(|pair| !pair.1.is_nan()) {
        let (a, b) = (measured.positions.row(i as usize), measured.positions.row(j as usize));
        let squared: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        let target = measured.curve.at(d);
        residual += (target - squared.sqrt()).powi(2);
        size += squared;
    }
    Ok(if size > 0.0 { (residual / size).sqrt() } else { 0.0 })
}

/// The transformation of a method that has none.
pub(crate) const ABSOLUTE: Scale = Scale::Metric(Transformation::Absolute);
