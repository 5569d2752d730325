//! One setting of one method, and what became of it.

use super::number;
use super::picture::{self, Picture, PictureQuality};
use crate::method::{Entry, Method};
use crate::model::{Model, Quantity};
use crate::parameters::Value;
use crate::quality::{
    Estimate, Evaluator, kernel_error, kernel_error_by_refit, knn_error_held_out, reconstruction_error,
};
use crate::{AnyInput, registry};
use lowland_base::{Error, Result, Run};
use rand::seq::index;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

/// One setting of one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The method's canonical name.
    pub method: String,
    /// What is set, beside the number of components.
    pub settings: BTreeMap<String, Value>,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.method)?;
        for (name, value) in &self.settings {
            write!(f, " {name}={value}")?;
        }
        Ok(())
    }
}

impl Cell {
    /// The method's line of the registry.
    pub fn entry(&self) -> Result<&'static Entry> {
        registry::find(&self.method)
    }

    /// The method with its settings.
    pub fn method(&self, components: usize) -> Result<Box<dyn Method>> {
        let mut method = (self.entry()?.create)();
        method.set("n_components", &Value::Integer(i64::try_from(components).unwrap_or(i64::MAX)))?;
        for (name, value) in &self.settings {
            method.set(name, value)?;
        }
        Ok(method)
    }

    /// The settings in words: `n_neighbors = 7`.
    pub fn words(&self) -> String {
        let settings: Vec<String> =
            self.settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if settings.is_empty() { "defaults".into() } else { settings.join(", ") }
    }
}

/// What became of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It was fitted and judged.
    Judged(Box<Judged>),
    /// The fit ended with an error.
    Failed {
        /// The error.
        reason: String,
    },
    /// It was not tried.
    Skipped {
        /// Why.
        reason: String,
        /// The budget that was not enough, where that is why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<Budget>,
    },
}

/// What a comparison may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// Its time.
    Time,
    /// The memory of a fit.
    Memory,
}

impl Outcome {
    /// The judgment, if there is one.
    pub fn judged(&self) -> Option<&Judged> {
        if let Self::Judged(judged) = self { Some(judged) } else { None }
    }
}

/// One figure of a judgment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its value.
    #[serde(flatten, with = "number::estimate")]
    pub estimate: Estimate,
    /// `more` or `less`.
    pub better: Better,
}

/// Which way a figure is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// More is better.
    More,
    /// Less is better.
    Less,
}

/// What a cell is judged by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Figures {
    /// Everything that can be said, the errors of the model and its picture included.
    #[default]
    All,
    /// The neighborhoods of the embedding in all its components: trustworthiness, continuity and the error of the
    /// nearest neighbor. The picture is not judged by itself, and nothing is fitted a second time.
    Neighborhoods,
}

/// A fitted and judged cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The components of the embedding.
    pub components: usize,
    /// How long the fit took.
    pub seconds: f64,
    /// How long the judgment took.
    pub judging_seconds: f64,
    /// The threads that it had.
    pub threads: usize,
    /// The bytes that the fit was forecast to need beyond its input.
    pub memory_bytes: u64,
    /// Every figure.
    pub measures: BTreeMap<String, Figure>,
    /// The eigenvalues, where there are any; at most fifty.
    pub eigenvalues: Vec<f64>,
    /// The sizes of the graph's connected components, where there is a graph; at most fifty.
    pub connected_component_sizes: Vec<usize>,
    /// What the method optimized.
    pub objective: Vec<Quantity>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// How far its picture can be trusted.
    pub picture_quality: PictureQuality,
    /// For the pictures.
    pub picture: Picture,
}

impl Judged {
    /// A figure's value.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.measures.get(name).map(|figure| figure.estimate.value)
    }

    /// The mean of trustworthiness and continuity of each point that is drawn, in all components.
    pub fn kept(&self) -> Vec<f64> {
        if self.picture.kept_all_components.is_empty() {
            self.drawn()
        } else {
            self.picture.kept_all_components.clone()
        }
    }

    /// The same in the picture.
    pub fn drawn(&self) -> Vec<f64> {
        let pairs = self.picture.trustworthiness.iter().zip(&self.picture.continuity);
        pairs.map(|(t, c)| t / 2.0 + c / 2.0).collect()
    }
}

/// Most of what is listed of long lists.
const LISTED: usize = 50;

/// Fits a cell and judges it. `most` points are shown.
pub(super) fn work(
    method: &dyn Method,
    data: AnyInput<'_>,
    evaluator: &Evaluator<'_>,
    (figures, most): (Figures, usize),
    run: &Run,
) -> Result<Judged> {
    let begun = Instant::now();
    let memory_bytes = method.forecast(&data.shape()).bytes;
    let model = match evaluator.labels {
        Some(labels) => method.fit_labeled(data, labels, run)?,
        None => method.fit(data, run)?,
    };
    let embedding = match model.embedding() {
        Some(embedding) => Cow::Borrowed(embedding),
        None => Cow::Owned(model.transform(data, run)?),
    };
    let seconds = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let (mut found, errors) = match figures {
        Figures::All => (
            evaluator.evaluate(data, AnyInput::from(&*embedding), run)?,
            of_model(method, &*model, (data, (&*embedding).into()), evaluator, run),
        ),
        Figures::Neighborhoods => {
            (evaluator.evaluate_neighborhoods(data, AnyInput::from(&*embedding), run)?, Vec::new())
        }
    };
    let mut doubts = Vec::new();
    for (name, error) in errors {
        match error {
            Ok(error) => found.add_error(name, error),
            Err(Error::Canceled) => return Err(Error::Canceled),
            // The embedding stands without it.
            Err(error) => doubts.push(format!("no {}: {error}", name.replace('_', " "))),
        }
    }
    let (picture, picture_quality) =
        picture::judge(data, &embedding.to_f64(), &found, evaluator, (figures, most), run)?;
    let judging_seconds = begun.elapsed().as_secs_f64();
    let report = model.report();
    let measures = found.measures.iter().map(|measure| {
        let better = if measure.more_is_better { Better::More } else { Better::Less };
        (measure.name.to_owned(), Figure { estimate: measure.estimate, better })
    });
    Ok(Judged {
        components: model.components(),
        seconds,
        judging_seconds,
        threads: run.threads(),
        memory_bytes,
        measures: measures.collect(),
        eigenvalues: report.eigenvalues.iter().copied().take(LISTED).filter(|v| v.is_finite()).collect(),
        connected_component_sizes: report.connected_component_sizes.iter().copied().take(LISTED).collect(),
        objective: report.objective.iter().filter(|q| q.value.is_finite()).cloned().collect(),
        warnings: report.warnings.iter().map(ToString::to_string).chain(doubts).collect(),
        picture_quality,
        picture,
    })
}

/// The errors that only a model has.
fn of_model(
    method: &dyn Method,
    model: &dyn Model,
    (data, embedding): (AnyInput<'_>, AnyInput<'_>),
    evaluator: &Evaluator<'_>,
    run: &Run,
) -> Vec<(&'static str, Result<Option<Estimate>>)> {
    let sample_sizes = evaluator.sample_sizes;
    let mut errors =
        vec![("reconstruction_error", reconstruction_error(model, data, embedding, sample_sizes, run))];
    if method.entry().capabilities.labels {
        errors.push(("knn_error_held_out", knn_error_held_out(method, data, evaluator, run)));
    }
    if model.spectral().is_some_and(|spectral| !spectral.kernel_is_of_training_points()) {
        errors.push(("kernel_error", kernel_error(model, data, sample_sizes, run)));
        let new = kernel_error_by_refit(method, data, evaluator.labels, sample_sizes, run);
        errors.push(("kernel_error_held_out", new));
    }
    errors
}

/// The rows of the data that pictures show: positions among those that the judgment looked at.
pub(super) fn shown(sampled_rows: usize, most: usize, run: &Run) -> Vec<usize> {
    if sampled_rows <= most {
        return (0..sampled_rows).collect();
    }
    let mut drawn = index::sample(&mut run.rng("pictures"), sampled_rows, most).into_vec();
    drawn.sort_unstable();
    drawn
}
