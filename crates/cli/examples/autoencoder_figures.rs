//! The autoencoder beside the figures of Maaten (tables 4, 6 and 7): every line says what was found, what is demanded and
//! whether that holds.
//!
//! `cargo run --release -p lowland-cli --example autoencoder_figures -- [roll|pretraining|mnist|orl|coil20|hiva ...] [--seeds N]`
//!
//! The images are looked for in the folder of the data sets (CONTRIBUTING.md, "Chores").

#[path = "../../../xtask/src/data_folder.rs"]
mod data_folder;

use lowland::methods::{Autoencoder, Pca};
use lowland::neural::Pretraining;
use lowland::parameters::Value;
use lowland::quality::Evaluator;
use lowland::{AnyInput, Error, Method, Model, Result, Run};
use lowland_io::{Labels, ReadOptions, read, read_labels};
use ndarray::{Array2, ArrayView2, Axis};
use std::process::ExitCode;
use std::time::Instant;

/// The size of MNIST's sample in the review.
const DIGITS: usize = 5_000;
/// The encoder of the review's toolbox for 784 columns: 1.2 D + 5, D / 4 + 3, D / 10.
const REVIEW: [usize; 3] = [946, 199, 79];
/// Passes of fine-tuning, the same with and without pretraining.
const PASSES: usize = 40;

struct Table {
    seeds: u64,
    all_hold: bool,
}

impl Table {
    fn line(&mut self, what: &str, found: f64, demand: &str, holds: bool, begun: Instant) {
        self.all_hold &= holds;
        let verdict = if holds { "holds" } else { "DOES NOT HOLD" };
        println!(
            "{what:<52} {found:>9.4}  {demand:<28} {verdict:<14} {:>7.1} s",
            begun.elapsed().as_secs_f64()
        );
    }

    /// The 1-NN error and the trustworthiness of an embedding in the reach of the review's own rounding.
    fn judge(
        &mut self,
        what: &str,
        (x, y, labels): (AnyInput<'_>, AnyInput<'_>, &[i64]),
        (most_error, least_trust): (f64, f64),
        begun: Instant,
    ) -> Result<()> {
        let evaluator = Evaluator { labels: Some(labels), k: Some(12), ..Evaluator::default() };
        let found = evaluator.evaluate(x, y, &Run::new())?;
        let get = |name: &str| found.get(name).map_or(f64::NAN, |estimate| estimate.value);
        let (error, trust) = (get("one_nn_error"), get("trustworthiness"));
        let demand = format!("at most {most_error}");
        self.line(&format!("{what}: 1-NN error"), error, &demand, error <= most_error, begun);
        let demand = format!("at least {least_trust} (rounded)");
        let rounded = (trust * 100.0).round() / 100.0;
        self.line(&format!("{what}: T(12)"), trust, &demand, rounded >= least_trust, begun);
        Ok(())
    }

    /// Swiss rolls of Maaten's size, and smaller ones. In the review: 0.46.
    fn roll(&mut self) -> Result<()> {
        let seeds = self.seeds;
        for (rows, seed) in [1_000, 2_000, 5_000].into_iter().flat_map(|n| (0..seeds).map(move |s| (n, s))) {
            let begun = Instant::now();
            let x = lowland::data::find("swiss-roll")?.sample(rows, 0.05, seed)?.points;
            let model = Autoencoder::default().fit_model(&x, &Run::new().with_seed(seed))?;
            let y = embedding(&model)?;
            let evaluator = Evaluator { k: Some(12), ..Evaluator::default() };
            let found = evaluator.evaluate((&x).into(), (&y).into(), &Run::new())?;
            let trust = found.get("trustworthiness").map_or(f64::NAN, |estimate| estimate.value);
            let what = format!("swiss roll of {rows}, seed {seed}: T(12)");
            self.line(&what, trust, "above 0.95", trust > 0.95, begun);
        }
        Ok(())
    }

    /// Boltzmann machines before the descent against random weights, on the images of the fit and on others.
    fn pretraining(&mut self) -> Result<()> {
        for seed in 0..self.seeds {
            let (x, _) = digits(2 * DIGITS, seed)?;
            let (x, others) = x.view().split_at(Axis(0), DIGITS);
            let run = Run::new().with_seed(seed);
            let mut errors = Vec::new();
            let begun = Instant::now();
            for pretraining in [Pretraining::None, Pretraining::Rbm] {
                let method = Autoencoder {
                    n_components: 20,
                    hidden_layer_sizes: Some(REVIEW.to_vec()),
                    pretraining: Some(pretraining),
                    max_iter: Some(PASSES),
                    alpha: Some(0.0),
                    ..Autoencoder::default()
                };
                let model = method.fit_model(x, &run)?;
                errors.push([error(&model, x, &run)?, error(&model, others, &run)?]);
            }
            for (at, images) in ["of the fit", "unseen"].into_iter().enumerate() {
                let (random, pretrained) = (errors[0][at], errors[1][at]);
                let what = format!("pretrained, seed {seed}: error of images {images}");
                let demand = format!("below {random:.4} (random)");
                self.line(&what, pretrained, &demand, pretrained < random, begun);
            }
        }
        Ok(())
    }

    /// In the review: 7.18 %, and 1.00; PCA 6.74 %.
    fn mnist(&mut self) -> Result<()> {
        for seed in 0..self.seeds {
            let (x, labels) = digits(DIGITS, seed)?;
            let run = Run::new().with_seed(seed);
            let begun = Instant::now();
            let mut pca = Pca::default();
            Method::set(&mut pca, "n_components", &Value::Integer(20))?;
            let y = embedding(&pca.fit_model(&x, &run)?)?;
            self.judge(
                &format!("mnist, seed {seed}: pca"),
                ((&x).into(), (&y).into(), &labels),
                (1.0, 0.0),
                begun,
            )?;
            let begun = Instant::now();
            let model = Autoencoder { n_components: 20, ..Autoencoder::default() }.fit_model(&x, &run)?;
            let y = embedding(&model)?;
            self.judge(
                &format!("mnist, seed {seed}"),
                ((&x).into(), (&y).into(), &labels),
                (0.06, 1.0),
                begun,
            )?;
        }
        Ok(())
    }

    /// A set of the folder whole; the bounds are the review's error and trustworthiness.
    fn whole(&mut self, set: &str, n_components: usize, bounds: (f64, f64)) -> Result<()> {
        let x = read(&folder(&format!("{set}.npy")), &ReadOptions::default())?.matrix.to_f64();
        let labels = numbers(read_labels(&folder(&format!("{set}.labels.npy")), None)?)?;
        for seed in 0..self.seeds {
            let begun = Instant::now();
            let method = Autoencoder { n_components, ..Autoencoder::default() };
            let model = method.fit_model(&x, &Run::new().with_seed(seed))?;
            let y = embedding(&model)?;
            let what = format!("{set}, seed {seed}");
            self.judge(&what, ((&x).into(), (&y).into(), &labels), bounds, begun)?;
        }
        Ok(())
    }
}

/// The mean squared error of a cell.
fn error(model: &dyn Model, x: ArrayView2<'_, f32>, run: &Run) -> Result<f64> {
    let y = model.transform(x.into(), run)?.to_f64();
    let back = model.inverse(y.view().into(), run)?.to_f64();
    let squares = back.iter().zip(x).map(|(back, &x)| (back - f64::from(x)).powi(2));
    Ok(squares.sum::<f64>() / x.len() as f64)
}

fn embedding(model: &dyn Model) -> Result<Array2<f64>> {
    let embedding = model.embedding().map(lowland::AnyMatrix::to_f64);
    embedding.ok_or_else(|| Error::malformed("model", "the model holds no embedding", "fit it again"))
}

fn folder(file: &str) -> String {
    data_folder::data_folder().join(file).display().to_string()
}

fn numbers(labels: Labels) -> Result<Vec<i64>> {
    match labels {
        Labels::Numbers(labels) => Ok(labels.into_iter().map(|label| label as i64).collect()),
        Labels::Words(_) => Err(Error::malformed("labels", "the labels are words", "give whole numbers")),
    }
}

/// Digits of MNIST's training set that the seed draws, 0 to 1, and which they are.
fn digits(count: usize, seed: u64) -> Result<(Array2<f32>, Vec<i64>)> {
    let options = ReadOptions::default();
    let images = read(&folder("train-images-idx3-ubyte.gz"), &options)?.matrix.to_f64();
    let labels = numbers(read_labels(&folder("train-labels-idx1-ubyte.gz"), None)?)?;
    let mut rows: Vec<usize> = (0..images.nrows()).collect();
    // Fisher and Yates, with the multiplier of Knuth's MMIX: which digits they are is all that matters.
    let mut state = seed.wrapping_add(1);
    for i in 0..count.min(rows.len()) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let j = i + ((state >> 33) as usize) % (rows.len() - i);
        rows.swap(i, j);
    }
    rows.truncate(count);
    let chosen = images.select(Axis(0), &rows).mapv(|value| (value / 255.0) as f32);
    Ok((chosen, rows.iter().map(|&row| labels[row]).collect()))
}

fn main() -> Result<ExitCode> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut table = Table { seeds: 3, all_hold: true };
    if let Some(at) = words.iter().position(|word| word == "--seeds") {
        let count = words.get(at + 1).and_then(|word| word.parse().ok());
        table.seeds = count.ok_or(Error::parameter("--seeds", "missing", "a number", "give one"))?;
        words.drain(at..at + 2);
    }
    let asked = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    if asked("roll") {
        table.roll()?;
    }
    let sets = [("orl", 8, (0.0625, 0.99)), ("coil20", 5, (0.5111, 0.88)), ("hiva", 15, (0.0512, 0.98))];
    for (set, n_components, bounds) in sets.into_iter().filter(|(set, ..)| asked(set)) {
        table.whole(set, n_components, bounds)?;
    }
    if asked("mnist") {
        table.mnist()?;
    }
    if asked("pretraining") {
        table.pretraining()?;
    }
    Ok(if table.all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
