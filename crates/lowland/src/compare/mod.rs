//! Which method should be trusted on these data? Every fitting method is run over its grid of settings, every embedding
//! is judged, and the ranking is put into words.
//!
//! ```
//! use lowland::{Run, compare::ComparisonOptions, data};
//!
//! let sample = data::find("swiss-roll")?.sample(1000, 0.0, 1)?;
//! let comparing = ComparisonOptions {
//!     methods: vec!["pca".into(), "isomap".into()],
//!     grid: vec!["n_neighbors=7,8".parse()?],
//!     dimensions: Some(2),
//!     stability_of: 0,
//!     ..ComparisonOptions::default()
//! };
//! let found = comparing.compare((&sample.points).into(), &Run::new())?;
//! assert_eq!(found.cells.len(), 3);
//! assert_eq!(found.ranking[0].cell.method, "isomap");
//! println!("{}", found.advice.recommendation);
//! for best in &found.advice.best_for {
//!     println!("{}: {}", best.purpose.words(), best.cell);
//! }
//! # Ok::<(), lowland::Error>(())
//! ```
//!
//! A cell is one setting of one method. Cells run side by side, each on a thread of its own; a cell's result does not
//! depend on that. With a folder to work in, every finished cell is written to it at once, and the same comparison goes
//! on where it was stopped.

mod advice;
mod best_for;
mod cell;
mod check;
mod doubts;
mod engine;
mod grid;
pub(crate) mod number;
mod picture;
mod ranking;
mod store;
mod words;

pub use advice::Advice;
pub use best_for::{BestFor, Purpose};
pub use cell::{Better, Budget, Cell, Figure, Figures, Judged, Outcome};
pub use grid::{BY_NAME_ONLY, GRIDS, Grid, NEIGHBORS, NEIGHBORS_SOURCE, Override, Setting};
pub use lowland_base::units::count as counted;
pub use number::Significant;
pub use picture::{Picture, PictureQuality};
pub use ranking::Ranked;
pub use words::{command, quoted};

use crate::dimension::{Estimator, Scales};
use crate::input::{AnyInput, Input};
use crate::matrix::AnyMatrix;
use crate::method::Entry;
use crate::quality::{Estimate, Evaluator, SampleSizes, check_k, dense_only, intrinsic_dimension};
use crate::registry;
use crate::stability::{Experiment, Stability};
use lowland_base::{Error, Result, Run};
use ndarray::Axis;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use store::{Common, Store};

/// What is compared, and how.
#[derive(Debug, Clone)]
pub struct ComparisonOptions<'a> {
    /// The methods, by any of their names; none means all that fit.
    pub methods: Vec<String>,
    /// Values that replace those of the methods' grids.
    pub grid: Vec<Override>,
    /// The components of the embeddings; `None` is the estimate of maximum likelihood, rounded, and fewer than columns
    /// where there are more than two.
    pub dimensions: Option<usize>,
    /// A class for each row.
    pub labels: Option<&'a [i64]>,
    /// The size of the neighborhoods that judge; `None` is 12, and fewer of fewer than 720 points, down to 5.
    pub k: Option<usize>,
    /// The measure that ranks; `None` is the mean of trustworthiness and continuity.
    pub rank_by: Option<String>,
    /// How long it may take; what has not ended then is left out.
    pub budget: Option<Duration>,
    /// How long one setting may take; it is then stopped, and left out.
    pub patience: Option<Duration>,
    /// Of how many of the best methods the stability is measured.
    pub stability_of: usize,
    /// The experiment that measures it.
    pub experiment: Experiment,
    /// How much a judgment looks at; what there is more of is sampled.
    pub sample_sizes: SampleSizes,
    /// What a cell is judged by.
    pub figures: Figures,
    /// How many points a picture shows.
    pub most_shown: usize,
    /// The folder for finished cells.
    pub work: Option<PathBuf>,
}

impl Default for ComparisonOptions<'_> {
    fn default() -> Self {
        Self {
            methods: Vec::new(),
            grid: Vec::new(),
            dimensions: None,
            labels: None,
            k: None,
            rank_by: None,
            budget: None,
            patience: None,
            stability_of: 5,
            experiment: Experiment { splits: 5, ..Experiment::default() },
            sample_sizes: SampleSizes { rows: 5_000, ranked_rows: 1_000, pairs: 1 << 18 },
            figures: Figures::All,
            most_shown: 2_000,
            work: None,
        }
    }
}

/// A comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The number of rows.
    pub n: usize,
    /// The number of columns.
    pub features: usize,
    /// The components of the embeddings.
    pub dimensions: usize,
    /// The dimension that the data seem to have, where it could be estimated.
    #[serde(with = "number::maybe")]
    pub estimated_dimension: Option<Estimate>,
    /// The size of the neighborhoods that judged.
    pub k: usize,
    /// The measure that ranked.
    pub ranked_by: String,
    /// The rows that the pictures show.
    pub rows: Vec<usize>,
    /// Every cell, in the order of the registry.
    pub cells: Vec<CellResult>,
    /// The best cell of every method that has one, the best method first, those with the same embedding in one entry;
    /// then those that cannot be the best, with the reason.
    pub ranking: Vec<Ranked>,
    /// What to do.
    pub advice: Advice,
    /// How many cells were taken from the work folder.
    pub resumed: usize,
    /// How long it took.
    pub seconds: f64,
}

/// A cell and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// The cell.
    pub cell: Cell,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Its stability, where it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stability: Option<Stability>,
}

/// Cells of one's own choice, run.
#[derive(Debug, Clone, PartialEq)]
pub struct CellResults {
    /// What became of each, in the order in which they were given.
    pub cells: Vec<CellResult>,
    /// The rows that the pictures show.
    pub rows: Vec<usize>,
    /// How many were taken from the work folder.
    pub resumed: usize,
}

/// The usual size of the neighborhoods that judge: 12. Among few points of a folded sheet 12 neighbors reach over to the next
/// sheet, and would speak for pictures that leave it folded.
fn usual_size(n: usize) -> usize {
    (n / 60).clamp(5, 12).min(n.saturating_sub(1)).max(1)
}

impl ComparisonOptions<'_> {
    /// Runs every cell, ranks them and gives advice. Dense points only.
    pub fn compare(&self, data: AnyInput<'_>, run: &Run) -> Result<Comparison> {
        let begun = Instant::now();
        let (n, features) = self.admit(data, run)?;
        let entries = self.entries()?;
        check::grid(&self.grid, &entries)?;
        check::rank_by(self.rank_by.as_deref(), self.labels.is_some())?;
        let estimated_dimension = self.estimate(data, run)?;
        let dimensions = self.dimensions(estimated_dimension, n, features)?;
        let engine = self.engine(data, dimensions, begun, run)?;
        let k = engine.evaluator.size(n);
        let (mut cells, resumed) = engine.cells(&entries)?;
        let ranked_by = self.rank_by.clone().unwrap_or_else(|| ranking::PRESERVATION.to_owned());
        let ranking = ranking::rank(&cells, &ranked_by)?;
        let unmeasured = engine.stabilities(&mut cells, &ranking)?;
        let mut comparison = Comparison {
            n,
            features,
            dimensions,
            estimated_dimension,
            k,
            ranked_by,
            rows: self.rows(n, run),
            cells,
            ranking,
            advice: Advice::default(),
            resumed,
            seconds: 0.0,
        };
        comparison.advice = advice::of(&comparison, self, unmeasured);
        comparison.seconds = begun.elapsed().as_secs_f64();
        Ok(comparison)
    }

    /// Runs cells of one's own choice, without ranking and advice. `methods` and `grid` say nothing here.
    pub fn run_cells(&self, data: AnyInput<'_>, cells: Vec<Cell>, run: &Run) -> Result<CellResults> {
        let begun = Instant::now();
        let (n, features) = self.admit(data, run)?;
        let dimensions = self.dimensions(None, n, features)?;
        let (cells, resumed) = self.engine(data, dimensions, begun, run)?.listed(cells)?;
        Ok(CellResults { cells, rows: self.rows(n, run), resumed })
    }

    /// The rows of the data that pictures show.
    fn rows(&self, n: usize, run: &Run) -> Vec<usize> {
        let sampled_rows = crate::quality::sampled_rows(n, self.sample_sizes, run);
        let rows = cell::shown(sampled_rows.len(), self.most_shown, run);
        rows.into_iter().map(|at| sampled_rows[at] as usize).collect()
    }

    /// The rows and columns of data that can be compared.
    fn admit(&self, data: AnyInput<'_>, run: &Run) -> Result<(usize, usize)> {
        let shape = data.check(run)?;
        if !matches!(data, AnyInput::F32(Input::Points(_)) | AnyInput::F64(Input::Points(_))) {
            return Err(dense_only(&data));
        }
        let (n, features) = (shape.rows, shape.columns);
        if n < 5 {
            return Err(Error::TooFewRows { rows: n, needed: 5, what: "a comparison".into() });
        }
        if let Some(labels) = self.labels.filter(|labels| labels.len() != n) {
            return Err(Error::LabelCount { labels: labels.len(), rows: n });
        }
        if let Some(k) = self.k {
            check_k(k, n)?;
        }
        Ok((n, features))
    }

    fn engine<'b, 'd>(
        &'b self,
        data: AnyInput<'d>,
        dimensions: usize,
        begun: Instant,
        run: &'b Run,
    ) -> Result<engine::Engine<'b, 'd>> {
        let k = Some(self.k.unwrap_or_else(|| usual_size(data.shape().rows)));
        let common = Common {
            data,
            labels: self.labels,
            seed: run.seed(),
            k,
            dimensions,
            sample_sizes: self.sample_sizes,
            most_shown: self.most_shown,
            figures: self.figures,
        };
        Ok(engine::Engine {
            comparing: self,
            data,
            evaluator: Evaluator {
                labels: self.labels,
                k,
                sample_sizes: self.sample_sizes,
                ..Evaluator::default()
            },
            dimensions,
            deadline: self.budget.map(|budget| begun + budget),
            store: Store::open(self.work.as_deref(), &common)?,
            run,
        })
    }

    fn entries(&self) -> Result<Vec<&'static Entry>> {
        if self.methods.is_empty() {
            return Ok(registry::all().to_vec());
        }
        let mut entries: Vec<&'static Entry> = Vec::new();
        for name in &self.methods {
            let entry = registry::find(name)?;
            if !entries.iter().any(|known| known.name == entry.name) {
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    /// The dimension of the data, or of a sample of many rows; too few different points have none.
    fn estimate(&self, data: AnyInput<'_>, run: &Run) -> Result<Option<Estimate>> {
        let sample = cell::shown(data.shape().rows, MOST_MEASURED, run);
        let (estimator, scales) = (Estimator::MaximumLikelihood, Scales::default());
        let found = match select(&data, &sample) {
            Some(some) => intrinsic_dimension(AnyInput::from(&some), estimator, scales, run),
            None => intrinsic_dimension(data, estimator, scales, run),
        };
        match found {
            Ok(found) => Ok(Some(found.global)),
            Err(Error::Canceled) => Err(Error::Canceled),
            Err(_) => Ok(None),
        }
    }

    fn dimensions(&self, estimate: Option<Estimate>, n: usize, features: usize) -> Result<usize> {
        let most = features.min(n - 1);
        match self.dimensions {
            Some(asked) if (1..=most).contains(&asked) => Ok(asked),
            Some(asked) => Err(Error::parameter(
                "dims",
                asked,
                format!("1 to {most}, the number of columns, and fewer than rows"),
                "choose a number in that range",
            )),
            None => {
                let rounded = estimate.map_or(2.0, |found| found.value.round());
                // As many as there are columns would reduce nothing, and every rotation would be perfect.
                let fewer = if features > 2 { features - 1 } else { features };
                Ok((rounded.max(1.0) as usize).min(fewer).min(most))
            }
        }
    }
}

/// Of more rows than these, the dimension is estimated from a sample.
const MOST_MEASURED: usize = 10_000;

/// Some rows of dense points; none where that is all of them.
fn select(data: &AnyInput<'_>, rows: &[usize]) -> Option<AnyMatrix> {
    match data {
        AnyInput::F32(Input::Points(x)) if rows.len() < x.nrows() => Some(x.select(Axis(0), rows).into()),
        AnyInput::F64(Input::Points(x)) if rows.len() < x.nrows() => Some(x.select(Axis(0), rows).into()),
        _ => None,
    }
}

impl Comparison {
    /// All of it as JSON; without `whole`, pictures are left out.
    pub fn to_json(&self, whole: bool) -> serde_json::Value {
        let mut json = serde_json::to_value(self).unwrap_or_default();
        if let (false, Some(cells)) = (whole, json["cells"].as_array_mut()) {
            cells.iter_mut().filter_map(serde_json::Value::as_object_mut).for_each(|cell| {
                cell.remove("picture");
            });
            if let Some(comparison) = json.as_object_mut() {
                comparison.remove("rows");
            }
        }
        json
    }

    /// The cell of an entry of the ranking, with its judgment.
    pub fn at(&self, ranked: &Ranked) -> Option<(&CellResult, &Judged)> {
        let tried = self.cells.iter().find(|tried| tried.cell == ranked.cell)?;
        Some((tried, tried.outcome.judged()?))
    }
}
