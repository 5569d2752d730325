//! Principal components by simple rules, for very many columns and for streams (Oja 1982; Partridge and Calvo 1998;
//! Maaten 3.1.1): no covariance matrix, memory for a few rows.
//!
//! blocks of rows -> running mean -> merge into a few directions | Oja's rule | simple PCA -> project

mod stream;

use super::{at_least, at_most, smaller};
use crate::chunks::Accumulate;
use crate::input::on_points;
use crate::matrix::Element;
use crate::method::{Capabilities, Entry, Fit, Forecast, Training};
use crate::model::{Archive, Form, Part, Quantity, Report, Warning};
use crate::parameters::{Described, Kind};
pub use crate::projective::stream::SimplePcaAlgorithm;
use crate::projective::stream::{Directions, simple, wide};
use crate::projective::{LinearModel, Map};
use crate::{Shape, parameters};
use lowland_base::{Result, Run};
use ndarray::{Array1, ArrayView2, Axis};
use stream::SimplePcaStream;

/// Simple principal component analysis in the registry.
pub static SIMPLE_PCA: Entry = Entry {
    name: "simple-pca",
    aliases: &["oja", "incremental-pca", "iterative-pca"],
    title: "Simple principal component analysis",
    summary: "Principal components from one look at each row, in memory for a few rows: for very many columns and for \
              streams. Exact as long as the data have no more directions than are carried along, otherwise approximate.",
    citation: "E. Oja, A simplified neuron model as a principal component analyzer, 1982; M. Partridge, R. Calvo, Fast \
               dimensionality reduction and simple PCA, 1998; D. Ross et al., Incremental learning for robust visual \
               tracking, 2008",
    capabilities: Capabilities { inverse: true, random: true, chunks: true, ..Capabilities::PLAIN },
    ..Entry::of::<SimplePca>()
};

const PARTS: &[Part] = &[
    ("components", "The directions, one a row, by descending variance.", Form::Matrix),
    (
        "explained_variance",
        "The variance (divisor n - 1) along each direction, as far as it was followed.",
        Form::Vector,
    ),
    ("mean", "The mean of each column of the data.", Form::Vector),
    ("n_samples_seen", "The number of rows seen.", Form::Count),
    ("n_iter", "How often the rows were looked at, or the most steps of a direction.", Form::Count),
];

parameters! {
    /// Simple principal component analysis: the parameters.
    pub struct SimplePca {
        /// How many components: at most the smaller of rows and columns; `auto` is 2, or fewer where there are not as many.
        n_components: Option<usize> = None,
            in Kind::AnyOf { kinds: vec![Kind::Auto, Kind::Integer { min: 1, max: i64::MAX }] };
        /// By which rule the directions follow the rows. In chunks, `simple` keeps all rows.
        algorithm: SimplePcaAlgorithm = SimplePcaAlgorithm::Merge;
        /// How many directions more than asked for are carried along.
        n_oversamples: usize = 20, in Kind::Integer { min: 0, max: 10_000 };
        /// How many rows are taken at a time.
        batch_size: usize = 256, in Kind::Integer { min: 1, max: 1_000_000 };
        /// For `oja`, how often all rows are looked at, where they are given at once; for `simple`, the most steps of a
        /// direction.
        max_iter: usize = 20, in Kind::Integer { min: 1, max: 100_000 };
    }
}

impl SimplePca {
    fn count(&self, n: usize, d: usize) -> usize {
        self.n_components.unwrap_or(2.min(n).min(d))
    }

    fn model<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<LinearModel> {
        let passes = match self.algorithm {
            SimplePcaAlgorithm::Merge => 1,
            SimplePcaAlgorithm::Oja => self.max_iter,
            SimplePcaAlgorithm::Simple => return self.by_sums(x, run),
        };
        let stage = run.stage("directions", Some((passes * x.nrows()) as u64));
        let mut stream = SimplePcaStream::new(self);
        for pass in 0..passes {
            for block in x.axis_chunks_iter(Axis(0), self.batch_size) {
                stream.take(wide(block), pass, run)?;
                stage.advance(block.nrows() as u64)?;
            }
        }
        drop(stage);
        stream.finished(run)
    }

    /// By simple PCA, which needs all rows.
    fn by_sums<T: Element>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<LinearModel> {
        let stage = run.stage("directions", None);
        let count = self.count(x.nrows(), x.ncols());
        let (found, steps) = simple::directions(x, count, self.max_iter, run)?;
        drop(stage);
        Ok(self.finished(found, x.nrows(), steps))
    }

    /// The model of these directions, sorted by descending variance.
    fn finished(&self, found: Directions, rows: usize, steps: usize) -> LinearModel {
        let Directions { components, variances, mean } = found.sorted();
        let asked = components.nrows();
        let rank = variances.iter().filter(|&&v| v > 0.0).count();
        let deficient = Warning::RankDeficient { asked, rank, remedy: String::new() };
        let warnings = if rank < asked { vec![deficient] } else { Vec::new() };
        let objective = vec![Quantity { name: "explained variance".into(), value: variances.sum() }];
        let forward = components.t().as_standard_layout().into_owned();
        let found = vec![
            components.clone().into(),
            variances.into(),
            Array1::from(mean.clone()).into(),
            rows.into(),
            steps.into(),
        ];
        let (backward, report) = (Some(components), Report { objective, warnings, ..Report::default() });
        let map = Map { center: mean, forward, backward, density: None, found, report };
        LinearModel::new(&SIMPLE_PCA, PARTS, self.settings(), map)
    }
}

impl Fit for SimplePca {
    type Model = LinearModel;

    const ENTRY: &'static Entry = &SIMPLE_PCA;

    fn check(&self, shape: &Shape) -> Result<()> {
        let (n, d) = (shape.rows, shape.columns);
        at_least(n, 2, "the variance that simple-pca looks for")?;
        at_most(self.n_components, n.min(d), &smaller(n, d))
    }

    fn forecast(&self, shape: &Shape) -> Forecast {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.count(shape.rows, shape.columns) as f64;
        let kept = k + (self.n_oversamples + self.batch_size) as f64 + 1.0;
        let copy = if self.algorithm == SimplePcaAlgorithm::Simple { n * d } else { 0.0 };
        let blocks = (n / self.batch_size as f64).ceil();
        Forecast {
            bytes: (8.0 * (8.0 * kept * d + 6.0 * kept * kept.min(d) + copy)
                + shape.scalar_bytes as f64 * n * k) as u64,
            flops: blocks * 14.0 * kept * kept.min(d) * d.max(kept) + 2.0 * n * d * k,
            remedy: String::new(),
        }
    }

    fn chunks(&self) -> Option<Box<dyn Accumulate<Model = LinearModel>>> {
        Some(Box::new(SimplePcaStream::new(self)))
    }

    fn fit(&self, data: Training<'_, '_>, run: &Run) -> Result<LinearModel> {
        on_points!(data.input, x => self.model(x, run))?.embedded(data.input, run)
    }

    fn load(&self, archive: &Archive) -> Result<LinearModel> {
        LinearModel::load(&SIMPLE_PCA, PARTS, self.settings(), archive)
    }
}
