//! The model of every neighbor embedding: the map, the training rows that new ones are compared with, and how new ones
//! are placed.

use super::affinity::{Affinity, Fuzzy};
use super::kernel::Kernel;
use super::outcome::Layout;
use super::pacmap;
use super::place::place;
use super::umap::{self, Sampling};
use crate::matrix::{AnyMatrix, Element, faer_view, to_array};
use crate::method::Entry;
use crate::model::{Archive, Attribute, Model, Quantity, Report, Warning};
use crate::parameters::Value;
use crate::spectral::{Source, query};
use crate::{AnyInput, InputKind};
use lowland_base::{Error, Result, Run};
use lowland_neighbors::{Metric, Table, index};
use ndarray::{Array2, ArrayView2};

/// What moves new points to their places.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rule {
    /// The least divergence from their affinities.
    Divergence { kernel: Kernel, affinity: Affinity, exaggeration: f64 },
    /// Pulls along fuzzy edges, and sampled pushes.
    Sampled { fuzzy: Fuzzy, sampling: Sampling },
    /// The pulls of near points.
    Pairs,
}

/// How new points find their places.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placing {
    pub rule: Rule,
    pub metric: Metric,
    pub neighbors: usize,
}

/// What a fit has found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// One point a row, in the order of the input.
    pub embedding: Array2<f64>,
    /// The training points; `None` where distances were given.
    pub points: Option<Array2<f64>>,
    /// Whether the input was in single precision.
    pub single: bool,
    pub report: Report,
}

/// A fitted neighbor embedding.
#[derive(Clone)]
pub struct LayoutModel {
    entry: &'static Entry,
    parameters: Vec<(&'static str, Value)>,
    placing: Placing,
    found: Found,
    shown: AnyMatrix,
}

impl std::fmt::Debug for LayoutModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LayoutModel").field("entry", &self.entry).field("placing", &self.placing).finish()
    }
}

impl LayoutModel {
    pub(crate) fn new(
        entry: &'static Entry,
        parameters: Vec<(&'static str, Value)>,
        placing: Placing,
        found: Found,
    ) -> Self {
        let shown = if found.single {
            f32::erase(found.embedding.mapv(|y| y as f32))
        } else {
            f64::erase(found.embedding.clone())
        };
        Self { entry, parameters, placing, found, shown }
    }

    /// The loss of the returned layout.
    pub fn loss(&self) -> f64 {
        self.found.report.objective.first().map_or(f64::NAN, |quantity| quantity.value)
    }

    /// From a file; `placing` tells how from the number of training rows.
    pub(crate) fn load(
        entry: &'static Entry,
        parameters: Vec<(&'static str, Value)>,
        placing: impl Fn(usize) -> Result<Placing>,
        archive: &Archive,
    ) -> Result<Self> {
        let embedding = archive.any_matrix("layout.embedding")?;
        let (n, components) = embedding.dim();
        let broken = |problem: String| Error::ModelFile { problem };
        if n < 2 || components == 0 {
            return Err(broken(format!("a layout of {n} points in {components} dimensions")));
        }
        super::points::check_components(components).map_err(|e| broken(e.to_string()))?;
        let points =
            archive.has_array("layout.points").then(|| archive.any_matrix("layout.points")).transpose()?;
        if let Some(points) = &points
            && (points.nrows() != n || points.ncols() == 0)
        {
            return Err(broken(format!("{} training rows for a layout of {n} points", points.nrows())));
        }
        let single = archive.count("single")? == 1;
        let report = archive.report().clone();
        let placing = placing(n).map_err(|e| broken(e.to_string()))?;
        let found = Found { embedding, points, single, report };
        Ok(Self::new(entry, parameters, placing, found))
    }

    /// The neighbors of checked rows among the training rows.
    fn neighbors(&self, rows: &Array2<f64>, run: &Run) -> Result<Table<f64>> {
        let k = self.placing.neighbors.min(self.found.embedding.nrows());
        if let Some(points) = &self.found.points {
            let index =
                index::build(faer_view(points.view()), self.placing.metric, index::Choice::Auto, run)?;
            return index.k_nearest(faer_view(rows.view()), k, run);
        }
        let mut table = Table { k, indices: Vec::new(), distances: Vec::new() };
        for (i, row) in rows.rows().into_iter().enumerate() {
            run.check()?;
            let mut list: Vec<(f64, u32)> = row.iter().enumerate().map(|(j, &d)| (d, j as u32)).collect();
            if let Some(&(value, column)) = list.iter().find(|entry| entry.0 < 0.0) {
                return Err(Error::NotADistance {
                    row: i,
                    column: column as usize,
                    value,
                    bound: "0 or more",
                });
            }
            list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            table.indices.extend(list[..k].iter().map(|entry| entry.1));
            table.distances.extend(list[..k].iter().map(|entry| entry.0));
        }
        Ok(table)
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
        self.found.points.as_ref().map_or(self.found.embedding.nrows(), Array2::ncols)
    }

    fn components(&self) -> usize {
        self.found.embedding.ncols()
    }

    fn embedding(&self) -> Option<&AnyMatrix> {
        Some(&self.shown)
    }

    fn report(&self) -> &Report {
        &self.found.report
    }

    fn archive(&self) -> Archive {
        let mut archive = Archive::new(self.parameters(), &self.found.report);
        archive.put("layout.embedding", self.found.embedding.clone());
        if let Some(points) = &self.found.points {
            archive.put("layout.points", points.clone());
        }
        archive.put_fact("single", usize::from(self.found.single));
        archive
    }

    fn transform_admitted(&self, input: AnyInput<'_>, run: &Run) -> Result<AnyMatrix> {
        let shape = input.shape();
        let rows = query(input, 0..shape.rows);
        let table = self.neighbors(&rows, run)?;
        let _stage = run.stage("place", None);
        let map = faer_view(self.found.embedding.view());
        let placed = match &self.placing.rule {
            Rule::Divergence { kernel, affinity, exaggeration } => {
                place(map, *kernel, affinity, *exaggeration, &table, run)?
            }
            Rule::Sampled { fuzzy, sampling } => umap::place::place(map, fuzzy, sampling, &table, run)?,
            Rule::Pairs => pacmap::place::place(map, &table, run)?,
        };
        Ok(match input {
            AnyInput::F32(_) => f32::erase(to_array(placed.as_ref())),
            AnyInput::F64(_) => f64::erase(to_array(placed.as_ref())),
        })
    }

    fn attributes(&self) -> Vec<Attribute> {
        let losses = &self.found.report.losses;
        let history = Array2::from_shape_fn((losses.len(), 2), |(i, j)| match j {
            0 => losses[i].0 as f64,
            _ => losses[i].1,
        });
        let iterations = losses.last().map_or(0, |last| last.0);
        vec![
            Attribute::new("loss", "What was minimized, for the returned layout.", self.loss()),
            Attribute::new("loss_history", "Iterations and the loss after them.", history),
            Attribute::new("n_iter", "The iterations made.", iterations),
        ]
    }
}

/// The training data in an order of their own, and that order: points sorted by their coordinates, so that the result does
/// not depend on the order in which they were given. A descent that many layouts compete for amplifies the last digits of
/// its sums.
pub(crate) fn canonical(input: AnyInput<'_>) -> Result<(Source, Vec<usize>)> {
    let source = Source::of(input)?;
    let mut order: Vec<usize> = (0..source.len()).collect();
    if let Source::Points(x) = &source {
        order.sort_by(|&a, &b| {
            let pairs = x.row(a).into_iter().zip(x.row(b));
            pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(a.cmp(&b))
        });
        return Ok((source.select(&order)?, order));
    }
    Ok((source, order))
}

/// The model of a layout of canonical data.
pub(crate) fn finish(
    entry: &'static Entry,
    parameters: Vec<(&'static str, Value)>,
    placing: Placing,
    input: AnyInput<'_>,
    (source, order): (Source, Vec<usize>),
    layout: Layout,
    loss: &str,
) -> LayoutModel {
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
    let warnings = one_point.then(rank_deficient).into_iter().collect();
    let found = Found {
        embedding: given(found.view()),
        points: if let Source::Points(x) = &source { Some(given(x.view())) } else { None },
        single: matches!(input, AnyInput::F32(_)),
        report: Report { objective, losses: layout.history, warnings, ..Report::default() },
    };
    LayoutModel::new(entry, parameters, placing, found)
}

/// Puts points at distance zero from each other in one place, that of the first: a new point at that place has one image.
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

/// The neighbors of all training rows.
pub(crate) fn neighbors_of_all(source: &Source, metric: Metric, k: usize, run: &Run) -> Result<Table<f64>> {
    let _stage = run.stage("neighbors", None);
    match source {
        Source::Points(x) => {
            index::build(faer_view(x.view()), metric, index::Choice::Auto, run)?.k_nearest_of_all(k, run)
        }
        Source::Distances(x) => {
            use lowland_neighbors::Index;
            index::precomputed(faer_view(x.view()))?.k_nearest_of_all(k, run)
        }
        Source::Kernel(_) | Source::Graph(_) => Err(Error::Unsupported {
            method: "a neighbor embedding".into(),
            what: format!("take a {}", source.kind()),
            remedy: "give points or distances".into(),
        }),
    }
}

/// The kinds of input that neighbor embeddings take.
pub(crate) const INPUTS: &[InputKind] = &[InputKind::Points, InputKind::Distances];
