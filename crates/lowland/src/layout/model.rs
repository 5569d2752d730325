//! The model of every neighbor embedding: the map, the training rows that new ones are compared with, and how new ones
//! are found.

use super::affinity::{Affinity, Fuzzy};
use super::kernel::Kernel;
use super::outcome::Layout;
use super::pacmap;
use super::training::{NewRows, TrainingRows};
use super::transform::transform;
use super::umap::{self, Sampling};
use crate::extension::{LocalLinear, Weights};
use crate::matrix::{AnyMatrix, faer_view, to_array};
use crate::method::Entry;
use crate::model::{Archive, Attribute, Model, Quantity, Report, Warning, unable};
use crate::parameters::Value;
use crate::spectral::query;
use crate::{Admitted, AnyInput, InputKind};
use lowland_base::{Error, Result, Run};
use lowland_neighbors::{Metric, Table};
use ndarray::{Array2, ArrayView2, Axis};
use std::sync::OnceLock;

/// What moves new points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rule {
    /// The least divergence from their affinities.
    Divergence { kernel: Kernel, affinity: Affinity, exaggeration: f64 },
    /// Pulls along fuzzy edges, and sampled pushes.
    Sampled { fuzzy: Fuzzy, sampling: Sampling },
    /// The pulls of near points.
    Pairs,
}

/// How new points get their coordinates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TransformRule {
    pub rule: Rule,
    pub metric: Metric,
    pub neighbors: usize,
}

/// What a fit has found.
pub(crate) struct Found {
    /// One point a row, in the order of the input.
    pub embedding: Array2<f64>,
    /// What new rows are compared with, in the order of the input.
    pub rows: TrainingRows,
    /// Whether the input was in single precision.
    pub single: bool,
    pub report: Report,
}

/// A fitted neighbor embedding.
pub struct LayoutModel {
    entry: &'static Entry,
    parameters: Vec<(&'static str, Value)>,
    transform_rule: TransformRule,
    found: Found,
    shown: AnyMatrix,
    /// From the layout to the points, made when it is first asked for.
    back: OnceLock<LocalLinear>,
}

impl std::fmt::Debug for LayoutModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LayoutModel")
            .field("entry", &self.entry)
            .field("transform_rule", &self.transform_rule)
            .finish()
    }
}

impl LayoutModel {
    pub(crate) fn new(
        entry: &'static Entry,
        parameters: Vec<(&'static str, Value)>,
        transform_rule: TransformRule,
        found: Found,
    ) -> Self {
        let shown = AnyMatrix::rounded(found.embedding.clone(), found.single);
        Self { entry, parameters, transform_rule, found, shown, back: OnceLock::new() }
    }

    /// The loss of the returned layout.
    pub fn loss(&self) -> f64 {
        self.found.report.objective.first().map_or(f64::NAN, |quantity| quantity.value)
    }

    /// From a file; `transform_rule` gives it from the number of training rows.
    pub(crate) fn load(
        entry: &'static Entry,
        parameters: Vec<(&'static str, Value)>,
        transform_rule: impl Fn(usize) -> Result<TransformRule>,
        archive: &Archive,
    ) -> Result<Self> {
        let embedding = archive.any_matrix("layout.embedding")?;
        let (n, components) = embedding.dim();
        let broken = |problem: String| Error::ModelFile { problem };
        if n < 2 || components == 0 {
            return Err(broken(format!(
                "a layout of {} in {}",
                lowland_base::units::count(n, "point"),
                lowland_base::units::count(components, "dimension")
            )));
        }
        super::points::check_components(components).map_err(|e| broken(e.to_string()))?;
        let single = archive.count("single")? == 1;
        let report = archive.report().clone();
        let transform_rule = transform_rule(n).map_err(|e| broken(e.to_string()))?;
        let rows = TrainingRows::load(archive, n, transform_rule.metric)?;
        let found = Found { embedding, rows, single, report };
        Ok(Self::new(entry, parameters, transform_rule, found))
    }
}

impl Model for LayoutModel {
    fn entry(&self) -> &'static Entry {
        self.entry
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.parameters.clone()
    }

    fn features(&self) -> usize {
        self.found.rows.features()
    }

    fn components(&self) -> usize {
        self.found.embedding.ncols()
    }

    fn row_kinds(&self) -> &'static [InputKind] {
        self.found.rows.kinds()
    }

    fn embedding(&self) -> Option<&AnyMatrix> {
        Some(&self.shown)
    }

    fn report(&self) -> &Report {
        &self.found.report
    }

    fn report_mut(&mut self) -> &mut Report {
        &mut self.found.report
    }

    fn archive(&self) -> Archive {
        let mut archive = Archive::new(self.parameters(), &self.found.report);
        archive.put("layout.embedding", self.found.embedding.clone());
        self.found.rows.save(&mut archive);
        archive.put_fact("single", usize::from(self.found.single));
        archive
    }

    fn transform_admitted(&self, input: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        let input = input.input();
        let count = self.transform_rule.neighbors;
        let NewRows { neighbors, known } = self.found.rows.neighbors(input, count, run)?;
        let _stage = run.stage("new points", None);
        let map = faer_view(self.found.embedding.view());
        let placed = match &self.transform_rule.rule {
            Rule::Divergence { kernel, affinity, exaggeration } => {
                transform(map, *kernel, affinity, *exaggeration, &neighbors, run)?
            }
            Rule::Sampled { fuzzy, sampling } => {
                umap::transform::transform(map, fuzzy, sampling, &neighbors, run)?
            }
            Rule::Pairs => pacmap::transform::transform(map, &neighbors, run)?,
        };
        let mut placed: Array2<f64> = to_array(placed.as_ref());
        for (row, same) in known {
            if let Some(mean) = self.found.embedding.select(Axis(0), &same).mean_axis(Axis(0)) {
                placed.row_mut(row).assign(&mean);
            }
        }
        Ok(AnyMatrix::rounded(placed, matches!(input, AnyInput::F32(_))))
    }

    fn inverse_admitted(&self, embedding: Admitted<'_>, run: &Run) -> Result<AnyMatrix> {
        if !self.entry.capabilities.inverse {
            return Err(unable::to_invert(self.entry));
        }
        let Some(points) = self.found.rows.points() else {
            return Err(Error::Unsupported {
                method: self.entry.name.into(),
                what: "go back from the embedding to rows that were no dense points".into(),
                remedy: "fit it to dense points".into(),
            });
        };
        let embedding = embedding.input();
        let queries = query(embedding, 0..embedding.shape().rows);
        let rule = self.back.get_or_init(|| {
            let weights = Weights::Reconstruction { reg: 1e-3 };
            LocalLinear::new(self.found.embedding.clone(), self.transform_rule.neighbors, weights)
        });
        let found = rule.extend(queries.view(), points, run)?;
        Ok(AnyMatrix::rounded(found, matches!(embedding, AnyInput::F32(_))))
    }

    fn attributes(&self) -> Vec<Attribute> {
        let report = &self.found.report;
        let iterations = report.losses.last().map_or(0, |last| last.0);
        vec![
            Attribute::new("loss", "What was minimized, for the returned layout.", self.loss()),
            Attribute::new("loss_history", "Iterations and the loss after them.", report.loss_history()),
            Attribute::new("n_iter", "The iterations made.", iterations),
        ]
    }
}

/// What automatic values became.
pub(crate) type Chosen = Vec<(&'static str, Value)>;

/// The model of a layout, which is made of the rows in their canonical order.
pub(crate) fn fit(
    entry: &'static Entry,
    parameters: Vec<(&'static str, Value)>,
    transform_rule: TransformRule,
    loss: &str,
    input: AnyInput<'_>,
    lay_out: impl FnOnce(&TrainingRows, &[usize]) -> Result<(Layout, Chosen)>,
    run: &Run,
) -> Result<LayoutModel> {
    let (rows, order) = TrainingRows::canonical(input, transform_rule.metric, run)?;
    let (layout, chosen) = lay_out(&rows, &order)?;
    let resolved = chosen.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    drop(rows);
    let given = |rows: ArrayView2<'_, f64>| {
        let mut out = Array2::zeros(rows.dim());
        for (row, &i) in rows.rows().into_iter().zip(&order) {
            out.row_mut(i).assign(&row);
        }
        out
    };
    let found: Array2<f64> = to_array(layout.embedding.as_ref());
    let objective = vec![Quantity { name: loss.into(), value: layout.loss }];
    let first = found.row(0);
    let one_point = found.rows().into_iter().all(|row| row == first);
    let rank_deficient =
        || Warning::RankDeficient { asked: found.ncols(), rank: 0, remedy: "give rows that differ".into() };
    let stopped = layout.stopped.then_some(Warning::Stopped { iterations: layout.iterations });
    let warnings = one_point.then(rank_deficient).into_iter().chain(stopped).collect();
    let found = Found {
        embedding: given(found.view()),
        rows: TrainingRows::of(input, transform_rule.metric, run)?,
        single: matches!(input, AnyInput::F32(_)),
        report: Report { objective, losses: layout.history, warnings, resolved, ..Report::default() },
    };
    Ok(LayoutModel::new(entry, parameters, transform_rule, found))
}

/// Puts points at distance zero from each other at one position, that of the first: a new point at that position has one image.
/// Says whether there were any.
pub(crate) fn merge(table: &Table<f64>, embedding: &mut faer::Mat<f64>) -> bool {
    let mut merged = false;
    for i in 0..table.len() {
        let (near, distances) = table.row(i);
        let same = near.iter().zip(distances).filter(|entry| *entry.1 == 0.0).map(|entry| *entry.0 as usize);
        if let Some(first) = same.min().filter(|&first| first < i) {
            merged = true;
            for c in 0..embedding.ncols() {
                embedding[(i, c)] = embedding[(first, c)];
            }
        }
    }
    merged
}
