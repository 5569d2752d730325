//! Bengio's experiment of section 5.3 for any method: is the error of embedding a point out of sample larger than what
//! exchanging a few of the training points does to an embedding anyway?
//!
//! Each split draws three sets from the rows: `R1` and `R2`, a share of the rows each, and `F`, all others. The method is
//! fitted to `F` with `R1`, and to `F` with `R2`: how far the images of `F` move is the variation by substitution. It is also
//! fitted to `F` with `R1` but without a few points of `F`, which are then embedded as new ones: how far they land from
//! where they were is the error out of sample. Embeddings may turn and stretch between fits, as Bengio says; before they
//! are compared, one is brought to the other by linear regression on the points that both were fitted to. Distances are
//! shares of the root-mean-square distance of the points from their mean, so that 0 is perfect and an embedding that has
//! nothing to do with the other is about 1 away.
//!
//! Every fit has a seed of its own: what depends on the seed is not stable. The intervals are Student's over the splits,
//! for the points of one split move together.

use crate::compare::number;
use crate::input::{AnyInput, Input};
use crate::matrix::{AnyMatrix, Element};
use crate::method::Method;
use crate::model::Model;
use crate::quality::{Estimate, dense_only};
use faer::Mat;
use lowland_base::{Error, Result, Run};
use lowland_linalg::svd;
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// The experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Experiment {
    /// The share of the rows that is exchanged, above 0 and at most 0.4.
    pub share: f64,
    /// How often the rows are split, at least 2.
    pub splits: usize,
    /// How many points are left out at once and embedded as new ones, at most as many as are exchanged. 1 is Bengio's
    /// own experiment.
    pub held_out: usize,
}

impl Default for Experiment {
    fn default() -> Self {
        Self { share: 0.02, splits: 10, held_out: 5 }
    }
}

/// What the experiment found. Distances are relative to the spread of the embedding.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// How far points move when the share of the training set is exchanged.
    #[serde(with = "number::estimate")]
    pub substitution: Estimate,
    /// How far from its position a point lands that was embedded out of sample.
    #[serde(with = "number::estimate")]
    pub out_of_sample: Estimate,
    /// Bengio's delta: the first less the second, over the points that were left out. Not below 0: a new point can be
    /// trusted as much as one of the fit.
    #[serde(with = "number::estimate")]
    pub difference: Estimate,
    /// How many rows were exchanged.
    pub exchanged: usize,
    /// How many rows were left out at once.
    pub held_out: usize,
    /// How many splits there were.
    pub splits: usize,
}

/// The two-sided 95 % points of Student's distribution, by degrees of freedom from 1.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

impl Experiment {
    /// Measures a method on dense points; `labels` as in [`Method::fit_labeled`].
    pub fn measure(
        &self,
        method: &dyn Method,
        data: AnyInput<'_>,
        labels: Option<&[i64]>,
        run: &Run,
    ) -> Result<Stability> {
        match data {
            AnyInput::F32(Input::Points(x)) => self.of(method, x, labels, run),
            AnyInput::F64(Input::Points(x)) => self.of(method, x, labels, run),
            other => Err(dense_only(&other)),
        }
    }

    /// The experiment for several shares, one after the other: Bengio's delta as it depends on how many points are exchanged.
    pub fn curve(
        &self,
        shares: &[f64],
        method: &dyn Method,
        data: AnyInput<'_>,
        labels: Option<&[i64]>,
        run: &Run,
    ) -> Result<Vec<Stability>> {
        let rows = data.shape().rows;
        for &share in shares {
            Self { share, ..*self }.sizes(rows)?;
        }
        shares.iter().map(|&share| Self { share, ..*self }.measure(method, data, labels, run)).collect()
    }

    fn of<T: Element>(
        &self,
        method: &dyn Method,
        x: ArrayView2<'_, T>,
        labels: Option<&[i64]>,
        run: &Run,
    ) -> Result<Stability> {
        let n = x.nrows();
        let (exchanged, held_out) = self.sizes(n)?;
        if let Some(labels) = labels.filter(|labels| labels.len() != n) {
            return Err(Error::LabelCount { labels: labels.len(), rows: n });
        }
        // Of all rows at once: an error of a shuffled part would name another row.
        AnyInput::from(x).check_as("data", method.entry().capabilities.missing, run)?;
        let stage = run.stage("stability", Some(3 * self.splits as u64));
        let mut means = [const { Vec::new() }; 3];
        for split in 0..self.splits {
            let mut order: Vec<usize> = (0..n).collect();
            order.shuffle(&mut run.rng(&format!("stability {split}")));
            let (first, rest) = order.split_at(exchanged);
            let (second, kept) = rest.split_at(exchanged);
            let fitted = |rows: Vec<usize>, fit: usize| {
                let seed = run.seed().wrapping_add((3 * split + fit + 1) as u64);
                let fitted = Fitted::new(method, x, rows, labels, &run.clone().with_seed(seed))?;
                stage.advance(1)?;
                Ok::<_, Error>(fitted)
            };
            // F comes first in every fit, and what is left out comes first in F.
            let one = fitted([kept, first].concat(), 0)?;
            let two = fitted([kept, second].concat(), 1)?;
            let without = fitted([&kept[held_out..], first].concat(), 2)?;
            let scale = one.spread(kept.len());
            let share = |distance: f64| if distance == 0.0 { 0.0 } else { distance / scale };
            let moved = Alignment::new(&two.image, 0, &one.image, 0, kept.len(), run)?;
            let moved: Vec<f64> =
                (0..kept.len()).map(|i| share(moved.distance(&two.image, i, &one.image, i))).collect();
            let guess =
                without.model.transform(AnyInput::from(&rows_of(x, &kept[..held_out])), run)?.to_f64();
            let same = without.image.nrows();
            let missed = Alignment::new(&without.image, 0, &one.image, held_out, same, run)?;
            let missed: Vec<f64> =
                (0..held_out).map(|i| share(missed.distance(&guess, i, &one.image, i))).collect();
            means[0].push(mean(&moved));
            means[1].push(mean(&missed));
            means[2].push(mean(&moved[..held_out]) - mean(&missed));
        }
        drop(stage);
        let [substitution, out_of_sample, difference] = means.map(|means| over_splits(&means));
        let positive = |e: Estimate| Estimate { low: e.low.max(0.0), ..e };
        Ok(Stability {
            substitution: positive(substitution),
            out_of_sample: positive(out_of_sample),
            difference,
            exchanged,
            held_out,
            splits: self.splits,
        })
    }

    /// How many are exchanged, and how many left out.
    fn sizes(&self, n: usize) -> Result<(usize, usize)> {
        if !(self.share > 0.0 && self.share <= 0.4) {
            let bound = "above 0 and at most 0.4";
            return Err(Error::parameter("share", self.share, bound, "0.02 is a good choice"));
        }
        if self.splits < 2 || self.held_out == 0 {
            let given = format!("{}, {}", self.splits, self.held_out);
            let bound = "at least two splits, and one point left out";
            return Err(Error::parameter("splits, held_out", given, bound, "take 10 and 5"));
        }
        if n < 10 {
            return Err(Error::TooFewRows { rows: n, needed: 10, what: "an experiment on stability".into() });
        }
        let exchanged = ((self.share * n as f64).round() as usize).max(1);
        Ok((exchanged, self.held_out.min(exchanged)))
    }
}

/// A model and the images of its training rows.
struct Fitted {
    model: Box<dyn Model>,
    image: Array2<f64>,
}

impl Fitted {
    fn new<T: Element>(
        method: &dyn Method,
        x: ArrayView2<'_, T>,
        rows: Vec<usize>,
        labels: Option<&[i64]>,
        run: &Run,
    ) -> Result<Self> {
        let part = rows_of(x, &rows);
        let model = match labels {
            Some(labels) => {
                let labels: Vec<i64> = rows.iter().map(|&row| labels[row]).collect();
                method.fit_labeled(AnyInput::from(&part), &labels, run)?
            }
            None => method.fit(AnyInput::from(&part), run)?,
        };
        let image = match model.embedding() {
            Some(image) => image.to_f64(),
            None => model.transform(AnyInput::from(&part), run)?.to_f64(),
        };
        Ok(Self { model, image })
    }

    /// The root-mean-square distance of the first rows from their mean.
    fn spread(&self, rows: usize) -> f64 {
        let mean = means(&self.image, 0, rows);
        let square = |i: usize| (0..mean.len()).map(|j| (self.image[(i, j)] - mean[j]).powi(2)).sum::<f64>();
        ((0..rows).map(square).sum::<f64>() / rows as f64).sqrt()
    }
}

/// The affine map that brings one embedding nearest to another, by linear regression.
struct Alignment {
    from: Vec<f64>,
    onto: Vec<f64>,
    map: Array2<f64>,
}

impl Alignment {
    /// From `count` rows of `a`, beginning at a row, to as many of `b`.
    fn new(
        a: &Array2<f64>,
        first_a: usize,
        b: &Array2<f64>,
        first_b: usize,
        count: usize,
        run: &Run,
    ) -> Result<Self> {
        let (from, onto) = (means(a, first_a, count), means(b, first_b, count));
        let (p, q) = (from.len(), onto.len());
        let centered = Mat::from_fn(count, p, |i, j| a[(first_a + i, j)] - from[j]);
        let found = svd::thin(centered.as_ref(), run)?;
        let largest = found.values.first().copied().unwrap_or(0.0);
        let cut = largest * 1e-12;
        let rank = found.values.iter().take_while(|&&s| s > cut).count();
        let turned = Array2::from_shape_fn((rank, q), |(s, j)| {
            (0..count).map(|i| found.left[(i, s)] * (b[(first_b + i, j)] - onto[j])).sum::<f64>()
                / found.values[s]
        });
        let map = Array2::from_shape_fn((p, q), |(i, j)| {
            (0..rank).map(|s| found.right[(i, s)] * turned[(s, j)]).sum()
        });
        Ok(Self { from, onto, map })
    }

    /// How far row `i` of `a`, brought over, is from row `j` of `b`.
    fn distance(&self, a: &Array2<f64>, i: usize, b: &Array2<f64>, j: usize) -> f64 {
        let (p, q) = self.map.dim();
        let image = |c: usize| {
            self.onto[c] + (0..p).map(|r| (a[(i, r)] - self.from[r]) * self.map[(r, c)]).sum::<f64>()
        };
        (0..q).map(|c| (image(c) - b[(j, c)]).powi(2)).sum::<f64>().sqrt()
    }
}

fn rows_of<T: Element>(x: ArrayView2<'_, T>, rows: &[usize]) -> AnyMatrix {
    T::erase(x.select(Axis(0), rows))
}

/// The mean of `count` rows.
fn means(x: &Array2<f64>, first: usize, count: usize) -> Vec<f64> {
    (0..x.ncols())
        .map(|j| (first..first + count).map(|i| x[(i, j)]).sum::<f64>() / count.max(1) as f64)
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The mean of the splits with Student's interval.
fn over_splits(means: &[f64]) -> Estimate {
    let (m, value) = (means.len() as f64, mean(means));
    let spread = means.iter().map(|x| (x - value).powi(2)).sum::<f64>() / (m - 1.0);
    let sure = STUDENT.get(means.len() - 2).copied().unwrap_or(1.96);
    let half = sure * (spread / m).sqrt();
    Estimate { value, low: value - half, high: value + half }
}
