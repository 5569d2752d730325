//! The autoencoder and the Boltzmann machine as methods: checkpoints that every front end can keep, energies, samples.

use crate::layout::checkpoint::{from_bytes, to_bytes};
use crate::methods::{Autoencoder, Rbm, Tsne};
use crate::neural::{Pretraining, Units};
use crate::{AnyMatrix, Checkpoint, Error, Fit, Method, Model, Progress, Run, Verdict, Warning};
use ndarray::{Array2, Axis};
use rand::RngExt;
use std::sync::{Arc, Mutex};

/// Rows of 8 columns near a bent line, between 0 and 1.
fn rows(count: usize, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("rows");
    let mut x = Array2::zeros((count, 8));
    for mut row in x.rows_mut() {
        let t: f64 = rng.random();
        row.iter_mut().enumerate().for_each(|(j, cell)| {
            *cell = 0.5 + 0.4 * ((1 + j) as f64 * t).sin() + 0.1 * (rng.random::<f64>() - 0.5);
        });
    }
    x
}

/// Keeps the checkpoint after so many steps of a stage, and ends the fit there or not.
struct KeepAt(&'static str, u64, Verdict, Mutex<Option<Checkpoint>>);

impl Progress for KeepAt {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: &str, _: u64) {}
    fn end(&self, _: &str, _: f64) {}
    fn wants_layout(&self, stage: &str, done: u64) -> bool {
        (stage, done) == (self.0, self.1)
    }
    fn layout(&self, _: &str, checkpoint: &Checkpoint) -> Verdict {
        *self.3.lock().unwrap() = Some(checkpoint.clone());
        self.2
    }
}

fn kept(
    method: &Autoencoder,
    x: &Array2<f64>,
    at: (&'static str, u64),
    verdict: Verdict,
) -> (Checkpoint, Box<dyn Model>) {
    let keep = Arc::new(KeepAt(at.0, at.1, verdict, Mutex::default()));
    let run = Run::new().with_seed(3).with_progress(keep.clone());
    let model = Method::fit(method, x.into(), &run).unwrap();
    let checkpoint = keep.3.lock().unwrap().take().unwrap();
    (checkpoint, model)
}

fn network() -> Autoencoder {
    Autoencoder {
        hidden_layer_sizes: Some(vec![10, 6]),
        pretraining: Some(Pretraining::Rbm),
        pretraining_epochs: Some(4),
        max_iter: Some(8),
        lbfgs_steps: Some(120),
        ..Autoencoder::default()
    }
}

#[test]
fn a_network_goes_on_from_the_file_of_a_checkpoint_with_the_same_bits() {
    let x = rows(120, 1);
    let method = network();
    let whole = Method::fit(&method, (&x).into(), &Run::new().with_seed(3)).unwrap();
    let stages =
        [("pretraining", 2), ("pretraining", 7), ("fine-tuning", 1), ("fine-tuning", 8), ("L-BFGS", 1)];
    for at in stages {
        let (checkpoint, seen) = kept(&method, &x, at, Verdict::Continue);
        assert_eq!(seen.to_bytes(), whole.to_bytes(), "{at:?}: an observer changes nothing");
        let bytes = to_bytes(&method, &checkpoint).unwrap();
        let read = from_bytes(&method, &bytes).unwrap();
        assert_eq!(read, checkpoint, "{at:?}");
        // The seed is the training's own.
        let other = method.resume((&x).into(), None, &read, &Run::new().with_seed(99)).unwrap();
        assert_eq!(other.embedding(), whole.embedding(), "{at:?}");
        let resumed = method.resume((&x).into(), None, &read, &Run::new().with_seed(3)).unwrap();
        assert!(resumed.to_bytes() == whole.to_bytes(), "{at:?}");
    }
}

#[test]
fn a_stopped_network_is_the_one_that_was_shown() {
    let x = rows(120, 2);
    for at in [("fine-tuning", 3), ("L-BFGS", 1)] {
        let (checkpoint, stopped) = kept(&network(), &x, at, Verdict::Stop);
        let shown = Array2::from_shape_fn((120, 2), |(i, c)| checkpoint.layout[(i, c)]);
        assert_eq!(stopped.embedding(), Some(&AnyMatrix::F64(shown)), "{at:?}");
        let warned = |warning: &Warning| matches!(warning, Warning::Stopped { .. });
        assert!(stopped.report().warnings.iter().any(warned));
    }
}

#[test]
fn a_checkpoint_of_other_rows_layers_or_methods_is_refused() {
    let x = rows(120, 3);
    let (checkpoint, _) = kept(&network(), &x, ("fine-tuning", 2), Verdict::Stop);
    let refusal = |method: &Autoencoder, x: &Array2<f64>, checkpoint: &Checkpoint| {
        method.resume(x.into(), None, checkpoint, &Run::new()).err().unwrap().to_string()
    };
    assert!(refusal(&network(), &rows(120, 4), &checkpoint).contains("other rows"));
    assert!(refusal(&network(), &rows(90, 3), &checkpoint).contains("of 120 rows, and the data have 90"));
    let other = Autoencoder { hidden_layer_sizes: Some(vec![9, 6]), ..network() };
    assert!(refusal(&other, &x, &checkpoint).contains("hidden_layer_sizes = [10, 6]"));
    // It may end at another time.
    let longer = Autoencoder { n_iter_no_change: 9, ..network() };
    assert!(longer.resume((&x).into(), None, &checkpoint, &Run::new()).is_ok());
    // The steps follow a schedule over all epochs: with more of them they would have been others.
    let more = Autoencoder { max_iter: Some(9), ..network() };
    assert!(refusal(&more, &x, &checkpoint).contains("max_iter"));
    let (late, _) = kept(&network(), &x, ("L-BFGS", 1), Verdict::Continue);
    let earlier = Autoencoder { lbfgs_steps: Some(0), ..network() };
    let refused = refusal(&earlier, &x, &late);
    assert!(refused.contains("0 steps of L-BFGS are asked for"), "{refused}");
    // Whatever is cut off or does not fit is refused, and nothing panics.
    for at in 0..checkpoint.memory.len() {
        let mut cut = checkpoint.clone();
        cut.memory.truncate(at);
        assert!(refusal(&network(), &x, &cut).contains("checkpoint"), "{at}");
        let mut narrow = checkpoint.clone();
        narrow.memory[at] = faer::Mat::zeros(1, 3);
        refusal(&network(), &x, &narrow);
    }
    let rbm = Method::resume(&Rbm::default(), (&x).into(), None, &checkpoint, &Run::new());
    assert!(matches!(rbm.err(), Some(Error::Unsupported { .. })));
    let bytes = to_bytes(&network(), &checkpoint).unwrap();
    assert!(from_bytes(&Tsne::default(), &bytes).unwrap_err().to_string().contains("autoencoder"));
}

#[test]
fn boltzmann_machines_rank_rows_and_draw_such_as_they_saw() {
    // Two patterns of bits, now and then flipped.
    let mut rng = Run::new().with_seed(5).rng("patterns");
    let patterns = [[1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 0, 1]];
    let x = Array2::from_shape_fn((600, 6), |(i, j)| {
        f64::from(u8::from((patterns[i % 2][j] == 1) != (rng.random::<f64>() < 0.03)))
    });
    let run = Run::new().with_seed(1);
    let method = Rbm { n_components: 3, learning_rate: 0.02, sampling_steps: 50, ..Rbm::default() };
    let model = method.fit_model(&x, &run).unwrap();
    assert_eq!(model.machine().visible, Units::Binary);
    let energy = |rows: &Array2<f64>| model.free_energy(rows.into(), &run).unwrap();
    let seen = energy(&Array2::from_shape_fn((2, 6), |(i, j)| f64::from(patterns[i][j])));
    let unseen = energy(&ndarray::arr2(&[[0.0, 1.0, 0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]));
    assert!(seen.iter().all(|seen| unseen.iter().all(|unseen| seen + 2.0 < *unseen)), "{seen} {unseen}");
    // Most of what it draws is one of the two, or one flip from it.
    let drawn = model.sample(500, &run).unwrap();
    let near = |row: ndarray::ArrayView1<'_, f64>| {
        patterns.iter().any(|p| row.iter().zip(p).filter(|(a, b)| **a != f64::from(**b)).count() <= 1)
    };
    let share = drawn.axis_iter(Axis(0)).filter(|row| near(*row)).count() as f64 / 500.0;
    assert!(share > 0.75, "{share}: of all states 14 in 64 are so near");
    // The likelihood in the report is exact: above that of independent units, and below the entropy's bound.
    let report = model.report();
    let of = |name: &str| report.objective.iter().find(|q| q.name.contains(name)).map(|q| q.value).unwrap();
    let independent: f64 = x
        .columns()
        .into_iter()
        .map(|column| column.mean().unwrap())
        .map(|p| p * p.ln() + (1.0 - p) * (1.0 - p).ln())
        .sum();
    let truth = -(2f64.ln()) + 6.0 * (0.03 * 0.03f64.ln() + 0.97 * 0.97f64.ln());
    let found = of("log-likelihood");
    assert!(found > independent + 0.5 && found < truth + 0.2, "{independent} < {found} < {truth}");
}

#[test]
fn boltzmann_machines_take_real_values_by_gaussian_units_and_refuse_by_name() {
    let run = Run::new();
    let mut x = rows(200, 6).mapv(|value| 50.0 * value - 7.0);
    x.column_mut(3).fill(2.5);
    let method = Rbm { n_components: 12, ..Rbm::default() };
    let model = method.fit_model(&x, &run).unwrap();
    assert_eq!(model.machine().visible, Units::Gaussian);
    let back = model.inverse(model.transform((&x).into(), &run).unwrap().to_f64().view().into(), &run);
    let back = back.unwrap().to_f64();
    let center = x.mean_axis(Axis(0)).unwrap();
    let (left, all) = ((&back - &x).mapv(|e| e * e).sum(), (&x - &center).mapv(|e| e * e).sum());
    assert!(left < 0.5 * all, "{left} of {all}");
    assert!(back.column(3).iter().all(|value| (value - 2.5).abs() < 0.3), "{}", back.column(3));
    let refused = |method: Rbm, what: &str| match method.fit_model(&x, &run) {
        Err(Error::Parameter { name, .. } | Error::Conflict { name, .. }) => assert_eq!(name, what),
        other => panic!("{what}: {:?}", other.map(|_| ())),
    };
    refused(Rbm { visible_units: Some(Units::Binary), ..Rbm::default() }, "visible_units");
    refused(Rbm { hidden_units: Units::Gaussian, ..Rbm::default() }, "hidden_units");
    refused(Rbm { n_components: 201, ..Rbm::default() }, "n_components");
    refused(Rbm { batch_size: 0, ..Rbm::default() }, "batch_size");
    // Fewer rows than a batch.
    let few = x.slice(ndarray::s![..5, ..]).to_owned();
    Rbm::default().fit_model(&few, &run).unwrap();
    x.fill(7.0);
    assert!(matches!(method.fit_model(&x, &run), Err(Error::Constant { .. })));
    assert!(Fit::forecast(&method, &crate::AnyInput::from(&few).shape()).bytes > 0);
}

#[test]
fn a_refused_value_is_named_by_its_row_in_the_table() {
    let mut x = rows(60, 7);
    x[[41, 3]] = -0.25;
    let place = "the value -0.25 at row 41, column 3";
    let network = Autoencoder { loss: crate::neural::Loss::CrossEntropy, ..network() };
    let machine = Rbm { visible_units: Some(Units::Binary), ..Rbm::default() };
    let refusals = [network.fit_model(&x, &Run::new()).err(), machine.fit_model(&x, &Run::new()).err()];
    for refusal in refusals {
        let words = refusal.unwrap().to_string();
        assert!(words.contains(place) && words.contains("[0, 1]"), "{words}");
    }
    let both = Autoencoder { pca_components: Some(3), ..network };
    let words = both.fit_model(&x, &Run::new()).err().unwrap().to_string();
    assert!(words.starts_with("pca_components = 3") && words.contains("cross-entropy"), "{words}");
}
