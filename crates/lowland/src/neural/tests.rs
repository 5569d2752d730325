//! Gradients against finite differences, and theorems of linear networks.

use super::autoencoder::resume;
use super::checkpoint::Checkpoint;
use super::gradient::{Gradient, Samples};
use super::plan::mirrored;
use super::train::Observer;
use super::*;
use crate::Element;
use crate::method::admit;
use lowland_base::{Error, Result, Run, Verdict};
use lowland_linalg::svd;
use ndarray::{Array2, ArrayView2, Axis, s};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

fn silent(_: &TrainingState<'_>) -> Result<Verdict> {
    Ok(Verdict::Continue)
}

/// What the method does, for rows in the order of their values.
fn fit<T: Element>(
    x: ArrayView2<'_, T>,
    settings: &Settings,
    run: &Run,
    observer: Observer<'_>,
) -> Result<Autoencoder> {
    admit(settings, x.into(), None, run)?;
    admit_values(x, settings.loss)?;
    train(x, settings, None, run, observer)
}

/// Points near a bent sheet of two dimensions.
fn sheet(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut rng = Run::new().with_seed(seed).rng("sheet");
    let mix = Array2::from_shape_fn((4, columns), |_| StandardNormal.sample(&mut rng));
    let latent = Array2::from_shape_fn((rows, 4), |_| 0.0f64);
    let mut latent = latent;
    for mut row in latent.rows_mut() {
        let (a, b): (f64, f64) = (2.0 * rng.random::<f64>() - 1.0, 2.0 * rng.random::<f64>() - 1.0);
        row.assign(&ndarray::arr1(&[2.0 * a, b, a * a, a * b]));
    }
    let noise = Array2::from_shape_fn((rows, columns), |_| {
        let e: f64 = StandardNormal.sample(&mut rng);
        0.05 * e
    });
    latent.dot(&mix) + noise + 3.0
}

#[test]
fn gradients_of_all_layers_activations_and_losses_are_finite_differences() {
    let run = Run::new().with_seed(5);
    for hidden in Activation::ALL {
        for loss in Loss::ALL {
            let outputs = match loss {
                Loss::Squared => &Activation::ALL[..],
                Loss::CrossEntropy => &[Activation::Sigmoid],
            };
            for &output in outputs {
                for tied in [false, true] {
                    let network = mirrored(&[5, 4, 3, 2], tied, hidden, output);
                    let mut rng = run.rng("gradients");
                    let mut parameters: Vec<f64> = network.start(&mut rng);
                    // No rectifier may sit at its corner.
                    parameters.iter_mut().for_each(|p| *p += 0.2 * rng.random::<f64>() + 0.05);
                    let data: Vec<f64> = (0..60 * 5).map(|_| rng.random()).collect();
                    let samples = Samples { data: &data, noise: None };
                    let rows: Vec<u32> = (0..60).collect();
                    let mut sums = Gradient::new(&network, 60);
                    let mut at = |p: &[f64]| {
                        let mut gradient = vec![0.0; p.len()];
                        let value = sums.of(&network, p, &samples, &rows, loss, &mut gradient);
                        (value + network.decay(p, 0.1, &mut gradient), gradient)
                    };
                    let (_, gradient) = at(&parameters);
                    let largest = gradient.iter().fold(0.0f64, |most, g| most.max(g.abs()));
                    for i in 0..parameters.len() {
                        let (step, kept) = (1e-6, parameters[i]);
                        parameters[i] = kept + step;
                        let above = at(&parameters).0;
                        parameters[i] = kept - step;
                        let below = at(&parameters).0;
                        parameters[i] = kept;
                        let difference = (above - below) / (2.0 * step);
                        let error = (difference - gradient[i]).abs();
                        assert!(
                            error <= 1e-5 * largest,
                            "{hidden:?} {output:?} {loss:?} tied {tied}, {i}: {error:e}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_centered_form_is_the_same_function() {
    let run = Run::new().with_seed(1);
    for tied in [false, true] {
        for output in [Activation::Linear, Activation::Sigmoid] {
            let network = mirrored(&[6, 5, 4, 3], tied, Activation::Sigmoid, output);
            let parameters: Vec<f64> = network.start(&mut run.rng("start"));
            let x: Vec<f64> = (0..12).map(|i| f64::from(i) / 6.0 - 1.0).collect();
            let value = |network: &Network, p: &[f64]| {
                network.forward(p, &x, 2, &mut network::Work::new(network, 2)).to_vec()
            };
            let centered = network.to_centered(&parameters);
            let same = value(&network, &parameters).into_iter().zip(value(&network.centered(), &centered));
            same.for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} {b}"));
            let back = network.uncentered(&centered);
            back.iter().zip(&parameters).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
        }
    }
}

#[test]
fn a_linear_tied_autoencoder_is_pca() {
    let x = sheet(300, 12, 2);
    let run = Run::new().with_seed(3);
    let d = 3;
    let settings = Settings {
        n_components: d,
        hidden_layer_sizes: Some(Vec::new()),
        activation: Activation::Linear,
        validation_fraction: 0.0,
        max_iter: Some(60),
        lbfgs_steps: Some(400),
        ..Settings::default()
    };
    let model = fit(x.view(), &settings, &run, &mut silent).unwrap();
    let back = model.decode(model.encode(x.view(), &run).unwrap().view(), &run).unwrap();
    let error = (&back - &x).mapv(|e| e * e).sum();
    let centered = &x - &x.mean_axis(Axis(0)).unwrap();
    let flat: Vec<f64> = centered.iter().copied().collect();
    let truth = svd::thin(faer::MatRef::from_row_major_slice(&flat, 300, 12), &run).unwrap();
    let best: f64 = truth.values[d..].iter().map(|s| s * s).sum();
    assert!(error <= 1.001 * best && error >= 0.999 * best, "{error} {best}");
    // The directions span PCA's: what they leave of its vectors is nothing.
    let weights = &model.parameters()[..12 * d];
    let weights: Vec<f64> = weights.iter().map(|&w| w.into()).collect();
    let ours = svd::thin(faer::MatRef::from_row_major_slice(&weights, 12, d), &run).unwrap().left;
    let cosines = svd::thin((ours.transpose() * truth.right.as_ref().subcols(0, d)).as_ref(), &run).unwrap();
    assert!(cosines.values[d - 1] > 0.9999, "{:?}", cosines.values);
    // The code is turned to its principal axes: uncorrelated, the widest first.
    let code = model.encode(x.view(), &run).unwrap();
    let spread = code.t().dot(&code);
    assert!(spread[[0, 1]].abs() < 1e-4 * spread[[0, 0]] && spread[[0, 0]] > spread[[1, 1]]);
}

fn quick() -> Settings {
    Settings {
        hidden_layer_sizes: Some(vec![16, 8]),
        max_iter: Some(12),
        lbfgs_steps: Some(60),
        ..Settings::default()
    }
}

#[test]
fn a_resumed_training_and_any_number_of_threads_give_the_same_bits() {
    let x = sheet(230, 7, 4).mapv(|v| v as f32);
    for pretraining in [Pretraining::None, Pretraining::Rbm, Pretraining::Denoising] {
        let (pretraining, pretraining_epochs) = (Some(pretraining), Some(3));
        let settings = Settings { pretraining, pretraining_epochs, noise: Some(0.1), ..quick() };
        let mut kept = Vec::new();
        let one = Run::new().with_seed(7).with_threads(1).unwrap();
        let whole = fit(x.view(), &settings, &one, &mut |moment| {
            kept.push(serde_json::to_string(moment.checkpoint).unwrap());
            Ok(Verdict::Continue)
        })
        .unwrap();
        let many = Run::new().with_seed(7).with_threads(3).unwrap();
        assert_eq!(fit(x.view(), &settings, &many, &mut silent).unwrap(), whole);
        for state in kept.iter().step_by(3).chain(kept.last()) {
            let state: Checkpoint = serde_json::from_str(state).unwrap();
            // Another seed of the run does not matter: the training has its own.
            let resumed = resume(x.view(), state, &Run::new().with_seed(99), &mut silent).unwrap();
            assert_eq!(resumed, whole, "{pretraining:?}");
        }
    }
}

#[test]
fn rows_do_not_depend_on_their_batch_and_layouts_do_not_matter() {
    let x = sheet(150, 7, 4);
    let run = Run::new();
    let model = fit(x.view(), &quick(), &run, &mut silent).unwrap();
    let code = model.encode(x.view(), &run).unwrap();
    let alone = model.encode(x.slice(s![77..78, ..]), &run).unwrap();
    assert_eq!(alone.row(0), code.row(77));
    let back = model.decode(code.view(), &run).unwrap();
    assert_eq!(model.decode(code.slice(s![77..78, ..]), &run).unwrap().row(0), back.row(77));
    let columns = x.t().as_standard_layout().into_owned();
    assert_eq!(fit(columns.t(), &quick(), &run, &mut silent).unwrap(), model);
    let saved = serde_json::to_string(&model).unwrap();
    assert_eq!(serde_json::from_str::<Autoencoder>(&saved).unwrap(), model);
}

#[test]
fn the_loss_falls_and_nonlinear_units_beat_pca_on_a_bent_sheet() {
    let x = sheet(400, 8, 6);
    let run = Run::new().with_seed(1);
    let centered = &x - &x.mean_axis(Axis(0)).unwrap();
    let flat: Vec<f64> = centered.iter().copied().collect();
    let truth = svd::thin(faer::MatRef::from_row_major_slice(&flat, 400, 8), &run).unwrap();
    let pca: f64 = truth.values[2..].iter().map(|s| s * s).sum();
    for tied in [true, false] {
        for activation in [Activation::Sigmoid, Activation::Tanh, Activation::Relu, Activation::Softplus] {
            let settings = Settings { tied_weights: tied, activation, max_iter: Some(100), ..quick() };
            let model = fit(x.view(), &settings, &run, &mut silent).unwrap();
            let back = model.decode(model.encode(x.view(), &run).unwrap().view(), &run).unwrap();
            let error = (&back - &x).mapv(|e| e * e).sum();
            assert!(error < 0.5 * pca, "{activation:?} tied {tied}: {error} {pca}");
        }
    }
}

#[test]
fn many_columns_go_through_their_principal_components() {
    let x = sheet(60, 2100, 8);
    let run = Run::new();
    let settings = Settings { max_iter: Some(60), ..Settings::default() };
    let model = fit(x.view(), &settings, &run, &mut silent).unwrap();
    assert_eq!(model.widths()[0], 59);
    let back = model.decode(model.encode(x.view(), &run).unwrap().view(), &run).unwrap();
    let center = x.mean_axis(Axis(0)).unwrap();
    let left = (&back - &x).mapv(|e| e * e).sum() / (&x - &center).mapv(|e| e * e).sum();
    assert!(left < 0.1, "{left}");
}

#[test]
fn bad_input_is_refused_by_name_and_odd_input_is_handled() {
    let x = sheet(40, 5, 1);
    let run = Run::new();
    let refused =
        |settings: Settings, x: &Array2<f64>, what: &str| match fit(x.view(), &settings, &run, &mut silent) {
            Err(Error::Parameter { name, .. } | Error::Conflict { name, .. }) => assert_eq!(name, what),
            other => panic!("{what}: {:?}", other.map(|_| ())),
        };
    refused(Settings { hidden_layer_sizes: Some(vec![4, 8]), ..quick() }, &x, "hidden_layer_sizes");
    refused(Settings { hidden_layer_sizes: Some(vec![8, 1]), ..quick() }, &x, "hidden_layer_sizes");
    refused(Settings { n_components: 6, ..quick() }, &x, "n_components");
    refused(Settings { n_components: 0, ..quick() }, &x, "n_components");
    refused(Settings { loss: Loss::CrossEntropy, ..quick() }, &x, "loss");
    refused(Settings { batch_size: 0, ..quick() }, &x, "batch_size");
    refused(Settings { noise: Some(1.0), ..quick() }, &x, "noise");
    refused(Settings { learning_rate_init: f64::NAN, ..quick() }, &x, "learning_rate_init");
    let pretraining = Some(Pretraining::Rbm);
    refused(Settings { pretraining, activation: Activation::Tanh, ..quick() }, &x, "pretraining");
    // Fewer rows than a batch, and a constant column, are handled.
    let mut odd = x.slice(s![..7, ..]).to_owned();
    odd.column_mut(2).fill(0.3);
    for scaling in [Scaling::Global, Scaling::Columns, Scaling::None] {
        let model = fit(odd.view(), &Settings { scaling, ..quick() }, &run, &mut silent).unwrap();
        let back = model.decode(model.encode(odd.view(), &run).unwrap().view(), &run).unwrap();
        assert!(back.iter().all(|value| value.is_finite()));
    }
    odd.fill(1.5);
    assert!(matches!(fit(odd.view(), &quick(), &run, &mut silent), Err(Error::Constant { .. })));
    let unit = x.mapv(|v| 1.0 / (1.0 + (-v).exp()));
    let settings = Settings { loss: Loss::CrossEntropy, pretraining, pretraining_epochs: Some(3), ..quick() };
    fit(unit.view(), &settings, &run, &mut silent).unwrap();
    run.cancel_switch().cancel();
    assert_eq!(fit(x.view(), &quick(), &run, &mut silent), Err(Error::Canceled));
}
