//! Boltzmann machines small enough to be enumerated.

use super::{Rbm, RbmSettings, Units};
use lowland_base::{Error, Run};
use rand::RngExt;

/// All states of `v` binary units, row after row.
fn states(v: usize) -> Vec<f64> {
    (0..1usize << v).flat_map(|state| (0..v).map(move |i| ((state >> i) & 1) as f64)).collect()
}

/// The exact mean log-likelihood of rows of binary units.
fn log_likelihood(rbm: &Rbm<f64>, rows: &[f64]) -> f64 {
    let run = Run::new();
    let partition: f64 =
        rbm.free_energy(&states(rbm.widths().0), &run).unwrap().iter().map(|f| (-f).exp()).sum();
    let energies = rbm.free_energy(rows, &run).unwrap();
    -energies.iter().sum::<f64>() / energies.len() as f64 - partition.ln()
}

/// Bars: rows whose two halves are each on or off, now and then flipped.
fn bars(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = Run::new().with_seed(seed).rng("bars");
    (0..count)
        .flat_map(|_| {
            let halves = [rng.random::<f64>() < 0.5, rng.random::<f64>() < 0.3];
            let flips: Vec<bool> = (0..6).map(|_| rng.random::<f64>() < 0.05).collect();
            (0..6).map(move |i| f64::from(u8::from(halves[i / 3] != flips[i])))
        })
        .collect()
}

#[test]
fn contrastive_divergence_raises_the_exact_likelihood() {
    let rows = bars(400, 1);
    for (mean_field, gibbs_steps) in [(false, 1), (false, 3), (true, 1)] {
        let run = Run::new().with_seed(2);
        let mut rbm = Rbm::start(&rows, (6, 4), Units::Binary, Units::Binary, &mut run.rng("start"));
        let mut last = log_likelihood(&rbm, &rows);
        let first = last;
        let how = RbmSettings {
            epochs: 10,
            learning_rate: 0.02,
            mean_field,
            gibbs_steps,
            batch_size: 50,
            ..RbmSettings::default()
        };
        for round in 0..3 {
            rbm.train(&rows, &how, &format!("round {round}"), &run, |_, _| ()).unwrap();
            let now = log_likelihood(&rbm, &rows);
            assert!(now > last - 0.02, "round {round}: {now} after {last}");
            last = now;
        }
        assert!(last > first + 0.7, "{first} to {last}, mean-field {mean_field}");
    }
}

#[test]
fn the_free_energy_sums_out_the_hidden_units() {
    let run = Run::new();
    let weights: Vec<f64> = (0..6).map(|i| f64::from(i) * 0.4 - 1.0).collect();
    let (b, a) = ([0.3, -0.2], [0.1, -0.5, 0.7]);
    for visible in [Units::Binary, Units::Gaussian] {
        let rbm = Rbm::from_parts(visible, Units::Binary, weights.clone(), &b, &a).unwrap();
        for row in states(3).chunks_exact(3) {
            let sum: f64 = states(2)
                .chunks_exact(2)
                .map(|h| {
                    let own: f64 = row
                        .iter()
                        .zip(&a)
                        .map(|(v, a)| match visible {
                            Units::Binary => v * a,
                            Units::Gaussian => -0.5 * (v - a) * (v - a),
                        })
                        .sum();
                    let joint: f64 = (0..6).map(|at| row[at / 2] * weights[at] * h[at % 2]).sum();
                    (own + joint + h[0] * b[0] + h[1] * b[1]).exp()
                })
                .sum();
            let free = rbm.free_energy(row, &run).unwrap()[0];
            assert!((free + sum.ln()).abs() < 1e-12, "{free} {}", -sum.ln());
        }
    }
}

#[test]
fn the_partition_counted_over_hidden_states_is_that_over_visible_ones() {
    let run = Run::new();
    for seed in 0..5 {
        let mut rng = Run::new().with_seed(seed).rng("weights");
        let mut numbers =
            |count: usize| (0..count).map(|_| 4.0 * rng.random::<f64>() - 2.0).collect::<Vec<f64>>();
        let (weights, b, a) = (numbers(7 * 5), numbers(5), numbers(7));
        let rbm = Rbm::from_parts(Units::Binary, Units::Binary, weights.clone(), &b, &a).unwrap();
        let over_visible: f64 = rbm.free_energy(&states(7), &run).unwrap().iter().map(|f| (-f).exp()).sum();
        let counted = rbm.log_partition(&run).unwrap().unwrap();
        assert!((counted - over_visible.ln()).abs() < 1e-10, "{counted} {}", over_visible.ln());
        // Gaussian visible units, one of them: the integral on a fine grid.
        let one = Rbm::from_parts(Units::Gaussian, Units::Binary, b.clone(), &b, &a[..1]).unwrap();
        let grid: Vec<f64> = (-40_000..40_000).map(|i| f64::from(i) * 1e-3).collect();
        let integral: f64 = one.free_energy(&grid, &run).unwrap().iter().map(|f| 1e-3 * (-f).exp()).sum();
        let counted = one.log_partition(&run).unwrap().unwrap();
        assert!((counted - integral.ln()).abs() < 1e-8, "{counted} {}", integral.ln());
    }
    let many = Rbm::from_parts(Units::Binary, Units::Binary, vec![0.0; 40], &[0.0; 40], &[0.0]).unwrap();
    assert_eq!(many.log_partition(&run), Ok(None));
}

#[test]
fn samples_follow_the_distribution_and_features_are_means() {
    let run = Run::new().with_seed(5);
    let weights = vec![2.0, -1.5, -2.0, 1.0, 0.5, 1.0];
    let rbm =
        Rbm::from_parts(Units::Binary, Units::Binary, weights, &[0.2, -0.4], &[-0.3, 0.6, 0.1]).unwrap();
    let rows = rbm.sample(20_000, 30, &run).unwrap();
    let mut counts = [0.0; 8];
    for row in rows.chunks_exact(3) {
        counts[row[0] as usize + 2 * row[1] as usize + 4 * row[2] as usize] += 1.0 / 20_000.0;
    }
    let energies = rbm.free_energy(&states(3), &run).unwrap();
    let total: f64 = energies.iter().map(|f| (-f).exp()).sum();
    for (count, energy) in counts.iter().zip(&energies) {
        // Four standard deviations of a share of 20,000.
        let truth = (-energy).exp() / total;
        assert!((count - truth).abs() < 4.0 * (truth / 20_000.0).sqrt(), "{count} {truth}");
    }
    let features = rbm.features(&[1.0, 0.0, 1.0], &run).unwrap();
    assert!((features[0] - 1.0 / (1.0 + (-2.7f64).exp())).abs() < 1e-12, "{features:?}");
}

#[test]
fn gaussian_units_learn_real_data_and_binary_ones_refuse_them() {
    let run = Run::new().with_seed(3);
    let rows: Vec<f32> = bars(500, 2).iter().map(|&v| 4.0 * v as f32 - 2.0).collect();
    let mut rbm = Rbm::start(&rows, (6, 8), Units::Gaussian, Units::Binary, &mut run.rng("start"));
    let (mut first, mut last) = (None, 0.0);
    let how = RbmSettings { epochs: 40, learning_rate: 0.02, ..RbmSettings::default() };
    let observer = |_, error| {
        first.get_or_insert(error);
        last = error;
    };
    rbm.train(&rows, &how, "steps", &run, observer).unwrap();
    assert!(last < 0.5 * first.unwrap(), "{first:?} {last}");
    let mut binary = Rbm::start(&rows, (6, 8), Units::Binary, Units::Binary, &mut run.rng("start"));
    assert!(matches!(binary.train(&rows, &how, "steps", &run, |_, _| ()), Err(Error::Conflict { .. })));
    let mut narrow = Rbm::start(&rows, (7, 8), Units::Gaussian, Units::Binary, &mut run.rng("start"));
    assert!(matches!(narrow.train(&rows, &how, "steps", &run, |_, _| ()), Err(Error::Width { .. })));
}
