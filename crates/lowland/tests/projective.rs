//! What the papers promise of the linear methods, each on many random problems.

use lowland::methods::*;
use lowland::parameters::Components;
use lowland::{Error, LinearModel, Method, Model, Run, Warning};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rand::RngExt;
use rand_distr::StandardNormal;

type Rng = rand_chacha::ChaCha8Rng;

fn rng(seed: u64) -> Rng {
    Run::new().with_seed(seed).rng("projective tests")
}

fn normal(n: usize, d: usize, rng: &mut Rng) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |_| rng.sample::<f64, _>(StandardNormal))
}

/// Orthonormal columns.
fn orthonormal(d: usize, k: usize, rng: &mut Rng) -> Array2<f64> {
    let mut q = normal(d, k, rng);
    for j in 0..k {
        for _ in 0..2 {
            for i in 0..j {
                let along = q.column(i).dot(&q.column(j));
                let before = q.column(i).to_owned();
                q.column_mut(j).scaled_add(-along, &before);
            }
        }
        let length = q.column(j).dot(&q.column(j)).sqrt();
        q.column_mut(j).mapv_inplace(|x| x / length);
    }
    q
}

/// Rows of a model with `k` strong factors, an offset and noise.
fn planted(n: usize, d: usize, k: usize, noise: f64, rng: &mut Rng) -> (Array2<f64>, Array2<f64>) {
    let basis = orthonormal(d, k, rng);
    let spread = Array1::from_shape_fn(k, |j| 3.0 / (1.0 + 0.4 * j as f64));
    let z = normal(n, k, rng) * &spread;
    let offset = Array1::from_shape_fn(d, |_| 5.0 * rng.sample::<f64, _>(StandardNormal));
    (z.dot(&basis.t()) + normal(n, d, rng) * noise + offset, basis)
}

/// The sine of the largest angle between the spans of two sets of columns, both made orthonormal.
fn angle(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> f64 {
    let (a, b) = (basis_of(a), basis_of(b));
    let rest = &b - &a.dot(&a.t().dot(&b));
    // Between the largest column and the Frobenius norm: an upper bound that vanishes with the angle.
    rest.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn basis_of(a: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut q = a.to_owned();
    for j in 0..q.ncols() {
        for _ in 0..2 {
            for i in 0..j {
                let along = q.column(i).dot(&q.column(j));
                let before = q.column(i).to_owned();
                q.column_mut(j).scaled_add(-along, &before);
            }
            let length = q.column(j).dot(&q.column(j)).sqrt();
            q.column_mut(j).mapv_inplace(|x| x / length);
        }
    }
    q
}

fn covariance(x: &Array2<f64>) -> Array2<f64> {
    let centred = x - &x.mean_axis(Axis(0)).unwrap();
    centred.t().dot(&centred) / x.nrows() as f64
}

fn loadings(model: &LinearModel) -> Array2<f64> {
    model.matrix("loadings").unwrap().to_owned()
}

fn never_falls(history: ndarray::ArrayView1<'_, f64>) {
    for pair in history.windows(2) {
        assert!(pair[1] >= pair[0] - 1e-11 * pair[0].abs().max(1.0), "{} after {}", pair[1], pair[0]);
    }
}

// Burges 1.1.1 to 1.1.5.

#[test]
fn pca_decorrelates_minimises_the_error_and_maximises_the_variance() {
    for seed in 0..20 {
        let rng = &mut rng(seed);
        let (n, d) = (60 + rng.random_range(0..60), 5 + rng.random_range(0..8));
        let x = normal(n, d, rng).dot(&normal(d, d, rng));
        let k = 1 + seed as usize % 3;
        let run = Run::new();
        let pca = Pca { n_components: Components::Count(k), ..Pca::default() }.fit_model(&x, &run).unwrap();
        let y = pca.embedding().unwrap().to_f64();
        let c = covariance(&y);
        for (place, value) in c.indexed_iter() {
            assert!(place.0 == place.1 || value.abs() < 1e-10 * c[(0, 0)]);
        }
        let error = |v: &Array2<f64>| {
            let centred = &x - &x.mean_axis(Axis(0)).unwrap();
            (&centred - &centred.dot(v).dot(&v.t())).mapv(|e| e * e).sum()
        };
        let own = pca.directions().t().to_owned();
        for _ in 0..30 {
            // Any other subspace, near or far, loses more and varies less.
            let near = &own + &(normal(d, k, rng) * 0.1);
            let near = if rng.random() { near } else { orthonormal(d, k, rng) };
            let other = basis_of(near.view());
            assert!(error(&other) >= error(&own) * (1.0 - 1e-12));
            let variance = |v: &Array2<f64>| v.t().dot(&covariance(&x)).dot(v).diag().sum();
            assert!(variance(&other) <= variance(&own) * (1.0 + 1e-12));
        }
    }
}

#[test]
fn minor_and_extreme_components_are_the_other_end_and_both_ends() {
    for seed in 0..10 {
        let rng = &mut rng(seed);
        let q = orthonormal(8, 8, rng);
        let spread = Array1::from(vec![9.0, 6.0, 1.04, 1.02, 1.0, 0.98, 0.1, 0.05]);
        let x = (normal(2000, 8, rng) * &spread).dot(&q.t()) + 4.0;
        let fit = |select, count| {
            let pca = Pca { n_components: Components::Count(count), select, ..Pca::default() };
            pca.fit_model(&x, &Run::new()).unwrap()
        };
        let all = fit(Selection::Leading, 8);
        let minor = fit(Selection::Minor, 2);
        assert!(angle(minor.directions().t(), all.directions().slice(s![6.., ..]).t()) < 1e-9);
        let extreme = fit(Selection::Extreme, 4);
        let ends = q.select(Axis(1), &[0, 1, 6, 7]);
        assert!(angle(extreme.directions().t(), ends.view()) < 0.2, "seed {seed}");
        assert!((extreme.noise_variance() - 1.0).abs() < 0.1);
        // An exact linear relation is a minor component of variance zero.
        let mut flat = x.clone();
        let sum = &x.column(0) * 2.0 - x.column(1);
        flat.column_mut(2).assign(&sum);
        let pca = Pca { n_components: Components::Count(1), select: Selection::Minor, ..Pca::default() };
        let found = pca.fit_model(&flat, &Run::new()).unwrap();
        let relation =
            Array2::from_shape_vec((8, 1), vec![2.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        assert!(angle(found.directions().t(), relation.view()) < 1e-6);
    }
}

// Probabilistic PCA.

#[test]
fn the_closed_form_is_the_limit_of_expectation_maximisation_and_equals_pca() {
    for seed in 0..12 {
        let rng = &mut rng(seed);
        let (d, k) = (6 + seed as usize % 5, 1 + seed as usize % 3);
        let (x, _) = planted(150, d, k, 0.7, rng);
        let run = Run::new();
        let ppca = Ppca { n_components: Dimension::Count(k), ..Ppca::default() };
        let closed = ppca.fit_model(&x, &run).unwrap();
        let em = Ppca { algorithm: PpcaAlgorithm::Em, tol: 1e-15, ..ppca }.fit_model(&x, &run).unwrap();
        never_falls(em.vector("log_likelihoods").unwrap());
        let (a, b) = (closed.number("noise_variance").unwrap(), em.number("noise_variance").unwrap());
        assert!((a - b).abs() < 1e-6 * a, "{a} {b}");
        let size = loadings(&closed).mapv(f64::abs).fold(0.0, |m: f64, &v| m.max(v));
        assert!((loadings(&closed) - loadings(&em)).iter().all(|e| e.abs() < 1e-5 * size));
        let likelihood = |model: &LinearModel| *model.vector("log_likelihoods").unwrap().last().unwrap();
        assert!((likelihood(&closed) - likelihood(&em)).abs() < 1e-9 * likelihood(&closed).abs());
        let mean = closed.log_density((&x).into(), &run).unwrap().mean().unwrap();
        assert!((mean - likelihood(&closed)).abs() < 1e-9 * mean.abs());
        let pca = Pca { n_components: Components::Count(k), ..Pca::default() }.fit_model(&x, &run).unwrap();
        assert!(angle(closed.matrix("components").unwrap().t(), pca.directions().t()) < 1e-9);
        // There and back is PCA's projection.
        let back = |model: &dyn Model| {
            let y = model.transform((&x).into(), &run).unwrap();
            model.inverse((&y).into(), &run).unwrap().to_f64()
        };
        let (ours, theirs) = (back(&closed), back(&pca));
        assert!((ours - theirs).iter().all(|e| e.abs() < 1e-8));
    }
}

#[test]
fn missing_values_cost_less_than_imputing_means_on_every_problem() {
    for seed in 0..20 {
        let rng = &mut rng(100 + seed);
        let (n, d, k) = (200, 12, 3);
        let (x, basis) = planted(n, d, k, 0.5, rng);
        let mut holes = x.clone();
        holes.iter_mut().filter(|_| rng.random::<f64>() < 0.2).for_each(|x| *x = f64::NAN);
        let run = Run::new();
        let ppca = Ppca { n_components: Dimension::Count(k), ..Ppca::default() };
        let model = ppca.fit_model(&holes, &run).unwrap();
        never_falls(model.vector("log_likelihoods").unwrap());
        let mut filled = holes.clone();
        for mut column in filled.columns_mut() {
            let seen: Vec<f64> = column.iter().copied().filter(|x| !x.is_nan()).collect();
            let mean = seen.iter().sum::<f64>() / seen.len() as f64;
            column.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = mean);
        }
        let plain = ppca.fit_model(&filled, &run).unwrap();
        let ours = angle(model.matrix("components").unwrap().t(), basis.view());
        let theirs = angle(plain.matrix("components").unwrap().t(), basis.view());
        assert!(ours < theirs, "seed {seed}: {ours} {theirs}");
        // What is filled in is nearer the truth, and so is what comes back.
        let error = |filled: &Array2<f64>| (filled - &x).mapv(|e| e * e).sum();
        let imputed = model.impute((&holes).into(), &run).unwrap().to_f64();
        assert!(error(&imputed) < 0.5 * error(&filled), "seed {seed}");
        let y = model.transform((&holes).into(), &run).unwrap();
        let back = model.inverse((&y).into(), &run).unwrap().to_f64();
        let worst = |a: &Array2<f64>| {
            let missing = a.iter().zip(&x).zip(&holes).filter(|(_, hole)| hole.is_nan());
            missing.map(|((a, x), _)| (a - x).powi(2)).sum::<f64>()
        };
        assert!(worst(&back) < worst(&filled), "seed {seed}");
    }
}

#[test]
fn sampling_and_fitting_again_recovers_the_model() {
    for seed in 0..8 {
        let rng = &mut rng(200 + seed);
        let (x, _) = planted(300, 8, 2, 0.6, rng);
        let run = Run::new().with_seed(seed);
        let ppca = Ppca { n_components: Dimension::Count(2), ..Ppca::default() };
        let fa = FactorAnalysis { n_components: Some(2), ..FactorAnalysis::default() };
        let first = ppca.fit_model(&x, &run).unwrap();
        let drawn = first.sample(40_000, &run).unwrap();
        let again = ppca.fit_model(&drawn, &run).unwrap();
        let (a, b) = (first.number("noise_variance").unwrap(), again.number("noise_variance").unwrap());
        assert!((a - b).abs() < 0.03 * a, "{a} {b}");
        let size = loadings(&first).mapv(|w| w * w).sum().sqrt();
        let product = |m: &LinearModel| loadings(m).dot(&loadings(m).t());
        assert!((product(&first) - product(&again)).mapv(|e| e * e).sum().sqrt() < 0.03 * size * size);
        let first = fa.fit_model(&x, &run).unwrap();
        let again = fa.fit_model(&first.sample(40_000, &run).unwrap(), &run).unwrap();
        let noise = |m: &LinearModel| m.vector("noise_variance").unwrap().to_owned();
        assert!((noise(&first) - noise(&again)).iter().all(|e| e.abs() < 0.08), "seed {seed}");
    }
}

#[test]
fn the_evidence_finds_the_planted_dimension() {
    for seed in 0..12 {
        let rng = &mut rng(300 + seed);
        let k = 1 + seed as usize % 4;
        let (x, _) = planted(1500, 12, k, 0.4, rng);
        for n_components in [Dimension::Minka, Dimension::Relevance] {
            let model = Ppca { n_components, ..Ppca::default() }.fit_model(&x, &Run::new()).unwrap();
            assert_eq!(model.components(), k, "seed {seed}: {n_components:?}");
        }
    }
}

#[test]
fn the_evidence_finds_the_planted_dimension_where_values_are_missing() {
    for seed in 0..4 {
        let rng = &mut rng(340 + seed);
        let k = 1 + seed as usize;
        let (x, _) = planted(400, 10, k, 0.4, rng);
        let mut holes = x.clone();
        holes.iter_mut().filter(|_| rng.random::<f64>() < 0.2).for_each(|x| *x = f64::NAN);
        for (x, n_components, algorithm) in [
            (&holes, Dimension::Auto, PpcaAlgorithm::Auto),
            (&holes, Dimension::Minka, PpcaAlgorithm::Auto),
            // By rounds on complete rows too.
            (&x, Dimension::Relevance, PpcaAlgorithm::Em),
        ] {
            let method = Ppca { n_components, algorithm, ..Ppca::default() };
            let model = method.fit_model(x, &Run::new()).unwrap();
            assert_eq!(model.components(), k, "seed {seed}: {n_components:?}");
        }
    }
}

// Factor analysis.

#[test]
fn all_ways_of_factor_analysis_reach_the_same_likelihood_and_never_fall() {
    for seed in 0..10 {
        let rng = &mut rng(400 + seed);
        let (d, k) = (8 + seed as usize % 4, 1 + seed as usize % 3);
        let (mut x, _) = planted(250, d, k, 0.5, rng);
        // Noise and units of its own in every column.
        for mut column in x.columns_mut() {
            let unit = 10f64.powf(4.0 * rng.random::<f64>() - 2.0);
            let noise = rng.random::<f64>();
            column.mapv_inplace(|x| (x + noise * rng.sample::<f64, _>(StandardNormal)) * unit);
        }
        let fa = FactorAnalysis {
            n_components: Some(k),
            tol: 1e-13,
            max_iter: 50_000,
            ..FactorAnalysis::default()
        };
        let value = |algorithm| {
            let model = FactorAnalysis { algorithm, ..fa.clone() }.fit_model(&x, &Run::new()).unwrap();
            let history = model.vector("loglike").unwrap().to_owned();
            never_falls(history.view());
            let mean = model.log_density((&x).into(), &Run::new()).unwrap().mean().unwrap();
            let last = *history.last().unwrap();
            assert!((mean - last).abs() < 1e-8 * mean.abs().max(1.0), "{mean} {last}");
            last
        };
        let newton = value(FactorAlgorithm::Newton);
        for algorithm in [FactorAlgorithm::Svd, FactorAlgorithm::Em] {
            let other = value(algorithm);
            assert!((newton - other).abs() < 1e-6 * newton.abs().max(1.0), "seed {seed}: {newton} {other}");
        }
    }
}

#[test]
fn rotations_keep_the_likelihood_and_raise_their_criteria() {
    for seed in 0..10 {
        let rng = &mut rng(500 + seed);
        let (x, _) = planted(200, 9, 3, 0.5, rng);
        let fit = |rotation| {
            let fa = FactorAnalysis { n_components: Some(3), rotation, ..FactorAnalysis::default() };
            fa.fit_model(&x, &Run::new()).unwrap()
        };
        let (none, varimax, quartimax) =
            (fit(Rotation::None), fit(Rotation::Varimax), fit(Rotation::Quartimax));
        let w = |model: &LinearModel| model.matrix("components").unwrap().t().to_owned();
        for model in [&varimax, &quartimax] {
            assert!(
                (w(model).dot(&w(model).t()) - w(&none).dot(&w(&none).t())).iter().all(|e| e.abs() < 1e-9)
            );
        }
        let fourth = |w: &Array2<f64>| w.mapv(|w| w.powi(4)).sum();
        let simple = |w: &Array2<f64>| {
            let squares = w.mapv(|w| w * w);
            fourth(w) - squares.sum_axis(Axis(0)).mapv(|s| s * s).sum() / w.nrows() as f64
        };
        // No small turn in any plane raises the criterion further.
        for (criterion, best) in
            [(&simple as &dyn Fn(&Array2<f64>) -> f64, w(&varimax)), (&fourth, w(&quartimax))]
        {
            assert!(criterion(&best) >= criterion(&w(&none)) * (1.0 - 1e-12));
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                for turn in [-0.01f64, 0.01] {
                    let mut turned = best.clone();
                    for mut row in turned.rows_mut() {
                        let (x, y) = (row[a], row[b]);
                        (row[a], row[b]) = (turn.cos() * x - turn.sin() * y, turn.sin() * x + turn.cos() * y);
                    }
                    assert!(criterion(&turned) <= criterion(&best) * (1.0 + 1e-9), "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn factor_analysis_fills_in_missing_values_better_than_means() {
    for seed in 0..10 {
        let rng = &mut rng(600 + seed);
        let (x, _) = planted(200, 10, 2, 0.5, rng);
        let mut holes = x.clone();
        holes.iter_mut().filter(|_| rng.random::<f64>() < 0.25).for_each(|x| *x = f64::NAN);
        let fa = FactorAnalysis { n_components: Some(2), ..FactorAnalysis::default() };
        let model = fa.fit_model(&holes, &Run::new()).unwrap();
        never_falls(model.vector("loglike").unwrap());
        let imputed = model.impute((&holes).into(), &Run::new()).unwrap().to_f64();
        let mean = model.vector("mean").unwrap();
        let (mut ours, mut means) = (0.0, 0.0);
        for ((i, j), hole) in holes.indexed_iter().filter(|(_, hole)| hole.is_nan()) {
            assert!(hole.is_nan());
            ours += (imputed[(i, j)] - x[(i, j)]).powi(2);
            means += (mean[j] - x[(i, j)]).powi(2);
        }
        assert!(ours < 0.5 * means, "seed {seed}: {ours} {means}");
    }
}

// Oriented PCA, distortion discriminant analysis, LDA, NCA.

/// Signals, each followed by versions in pairs that differ from it by plus and minus the same noise.
fn with_versions(m: usize, pairs: usize, d: usize, rng: &mut Rng) -> (Array2<f64>, Vec<i64>) {
    let signals = normal(m, d, rng).dot(&normal(d, d, rng));
    let shape = normal(d, d, rng) * 0.3;
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for (label, signal) in signals.rows().into_iter().enumerate() {
        rows.push(signal.to_owned());
        for _ in 0..pairs {
            let noise = normal(1, d, rng).dot(&shape).row(0).to_owned();
            rows.push(&signal + &noise);
            rows.push(&signal - &noise);
        }
        labels.extend(vec![label as i64; 2 * pairs + 1]);
    }
    let views: Vec<_> = rows.iter().map(|row| row.view()).collect();
    (ndarray::stack(Axis(0), &views).unwrap(), labels)
}

#[test]
fn oriented_directions_are_conjugate_scale_free_and_those_of_lda() {
    for seed in 0..15 {
        let rng = &mut rng(700 + seed);
        let d = 3 + seed as usize % 4;
        let (x, labels) = with_versions(30, 3, d, rng);
        let opca = OrientedPca::default();
        let model = opca.fit_model(&x, &labels, &Run::new()).unwrap();
        let n = model.map().to_owned();
        let signals = x.slice(s![..;7, ..]).to_owned();
        // Rounding counts as much as the noise is far from round.
        let quotients = model.vector("quotients").unwrap();
        let rounding = 1e-13 * (quotients[0] / quotients[d - 1]).max(1e4);
        let mut r = Array2::<f64>::zeros((d, d));
        for (i, row) in x.rows().into_iter().enumerate() {
            let z = &row - &signals.row(i / 7);
            for (a, b) in (0..d).flat_map(|a| (0..d).map(move |b| (a, b))) {
                r[(a, b)] += z[a] * z[b] / (30.0 * 6.0);
            }
        }
        for matrix in [covariance(&signals), r.clone()] {
            let inner = n.t().dot(&matrix).dot(&n);
            for ((a, b), value) in inner.indexed_iter() {
                let size = (inner[(a, a)] * inner[(b, b)]).sqrt();
                assert!(a == b || value.abs() < rounding * size, "seed {seed}: {value} {size}");
            }
        }
        for j in 0..d {
            let v = n.column(j);
            let q = v.dot(&covariance(&signals).dot(&v)) / v.dot(&r.dot(&v));
            assert!((q - quotients[j]).abs() < rounding * q);
        }
        // Louder signals, stronger noise: the same directions.
        for (signal, noise) in [(100.0, 1.0), (1.0, 1e-3), (1e5, 1e4)] {
            let mut scaled = x.clone();
            for (i, mut row) in scaled.rows_mut().into_iter().enumerate() {
                let own = signals.row(i / 7).to_owned();
                let z = &x.row(i) - &own;
                row.assign(&(own * signal + z * noise));
            }
            let again = opca.fit_model(&scaled, &labels, &Run::new()).unwrap();
            assert!((again.map().to_owned() - &n).iter().all(|e| e.abs() < 1e-6), "seed {seed}");
        }
        // With each signal a class of its own, these are the discriminants.
        let lda = Lda::default().fit_model(&x, &labels, &Run::new()).unwrap();
        for j in 0..d {
            let (a, b) = (n.column(j), lda.map().column(j).to_owned());
            let cosine = a.dot(&b) / b.dot(&b).sqrt();
            assert!((cosine.abs() - 1.0).abs() < 1e-9, "seed {seed}, direction {j}: {cosine}");
        }
    }
}

#[test]
fn the_mean_of_the_noise_counts() {
    // Noise with a mean and hardly a variance along the first axis: a covariance would not see it.
    let rng = &mut rng(1);
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for label in 0..60 {
        let signal = normal(1, 3, rng) * &Array1::from(vec![3.0, 2.0, 1.0]);
        rows.push(signal.clone());
        for _ in 0..3 {
            let noise =
                normal(1, 3, rng) * &Array1::from(vec![0.01, 0.5, 0.5]) + &Array1::from(vec![4.0, 0.0, 0.0]);
            rows.push(&signal + &noise);
        }
        labels.extend([label; 4]);
    }
    let views: Vec<_> = rows.iter().map(|row| row.view()).collect();
    let x = ndarray::concatenate(Axis(0), &views).unwrap();
    let opca = OrientedPca { n_components: Some(1), ..OrientedPca::default() };
    let model = opca.fit_model(&x, &labels, &Run::new()).unwrap();
    assert!(model.map()[(0, 0)].abs() < 0.2 && model.map()[(1, 0)].abs() > 0.9, "{:?}", model.map());
}

#[test]
fn bad_versions_are_named_and_singular_noise_is_regularised_with_a_warning() {
    let rng = &mut rng(2);
    let (x, labels) = with_versions(20, 1, 4, rng);
    let run = Run::new();
    let opca = OrientedPca::default();
    let distinct: Vec<i64> = (0..x.nrows() as i64).collect();
    for (labels, word) in [(distinct, "distorted versions"), (vec![7; x.nrows()], "one signal")] {
        let refused = opca.fit_model(&x, &labels, &run).unwrap_err();
        assert!(matches!(&refused, Error::Malformed { problem, .. } if problem.contains(word)), "{refused}");
    }
    let mut same = x.clone();
    for i in 0..x.nrows() {
        same.row_mut(i).assign(&x.row(i - i % 3));
    }
    assert!(opca.fit_model(&same, &labels, &run).unwrap_err().to_string().contains("no distortion"));
    // Noise in a plane only.
    let mut flat = x.clone();
    for i in 0..x.nrows() {
        let signal = x.slice(s![i - i % 3, 2..]).to_owned();
        flat.slice_mut(s![i, 2..]).assign(&signal);
    }
    let model = opca.fit_model(&flat, &labels, &run).unwrap();
    assert!(matches!(&model.report().warnings[..], [Warning::Regularised { .. }]));
    assert!(model.map().iter().all(|v| v.is_finite()));
    // The noise-free directions come first.
    assert!(angle(model.map().slice(s![.., ..2]), Array2::eye(4).slice(s![.., 2..])) < 1e-3);
    let too_many = FactorAnalysis { n_components: Some(5), ..FactorAnalysis::default() }.fit_model(&x, &run);
    assert!(matches!(too_many, Err(Error::Parameter { name, .. }) if name == "n_components"));
    let one_class = Lda::default().fit_model(&x, &vec![1; x.nrows()], &run);
    assert!(matches!(one_class, Err(Error::Malformed { .. })));
}

/// A tune: a few tones with random pitch, strength and phase.
fn tune(length: usize, shift: f64, tones: &[(f64, f64, f64)]) -> Array1<f64> {
    Array1::from_shape_fn(length, |t| {
        tones
            .iter()
            .map(|&(pitch, strength, phase)| strength * (pitch * (t as f64 + shift) + phase).sin())
            .sum()
    })
}

/// Tunes, each with shifted and slightly noisy versions.
fn tunes(count: usize, shifts: &[f64], rng: &mut Rng) -> (Array2<f64>, Vec<i64>) {
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for label in 0..count {
        let tones: Vec<(f64, f64, f64)> = (0..6)
            .map(|i| {
                // Low notes hardly notice a shift; high and loud ones do.
                let pitch =
                    if i < 3 { 0.05 + 0.15 * rng.random::<f64>() } else { 1.0 + 1.5 * rng.random::<f64>() };
                let strength = if i < 3 { 0.4 } else { 1.2 } * (0.5 + rng.random::<f64>());
                (pitch, strength, std::f64::consts::TAU * rng.random::<f64>())
            })
            .collect();
        for &shift in std::iter::once(&0.0).chain(shifts) {
            rows.push(tune(64, shift, &tones) + normal(1, 64, rng).row(0).to_owned() * 0.02);
            labels.push(label as i64);
        }
    }
    let views: Vec<_> = rows.iter().map(|row| row.view()).collect();
    (ndarray::stack(Axis(0), &views).unwrap(), labels)
}

/// The share of shifted tunes whose nearest tune is their own.
fn recognised(model: &dyn Model, rng: &mut Rng) -> f64 {
    let (x, _) = tunes(80, &[0.9], rng);
    let y = model.transform((&x).into(), &Run::new()).unwrap().to_f64();
    let (clean, shifted) = (y.slice(s![..;2, ..]), y.slice(s![1..;2, ..]));
    let right = (0..80).filter(|&i| {
        let distance = |j: usize| (&clean.row(j) - &shifted.row(i)).mapv(|e| e * e).sum();
        (0..80).min_by(|&a, &b| distance(a).total_cmp(&distance(b))) == Some(i)
    });
    right.count() as f64 / 80.0
}

#[test]
fn distortion_discriminants_recognise_shifted_tunes_where_pca_fails() {
    for seed in 0..5 {
        let rng = &mut rng(800 + seed);
        let (x, labels) = tunes(300, &[-1.0, -0.5, 0.5, 1.0], rng);
        let run = Run::new();
        let dda = DistortionDiscriminantAnalysis {
            n_components: Some(6),
            window: Some(32),
            stride: Some(8),
            n_hidden: Some(8),
            ..DistortionDiscriminantAnalysis::default()
        };
        let ours = dda.fit_model(&x, &labels, &run).unwrap();
        let pca = Pca { n_components: Components::Count(6), ..Pca::default() }.fit_model(&x, &run).unwrap();
        let (ours, theirs) = (recognised(&ours, rng), recognised(&pca, rng));
        assert!(ours > 0.9 && theirs < 0.6, "seed {seed}: {ours} {theirs}");
        // Other distortions for other layers, and more layers: still features of unit noise.
        let split = DistortionDiscriminantAnalysis { first_versions: Some(2), n_layers: 3, ..dda };
        let split = split.fit_model(&x, &labels, &run).unwrap();
        assert!(recognised(&split, rng) > 0.8, "seed {seed}");
    }
}

#[test]
fn one_layer_over_the_whole_row_is_oriented_pca() {
    for seed in 0..5 {
        let (x, labels) = with_versions(25, 3, 5, &mut rng(900 + seed));
        let dda = DistortionDiscriminantAnalysis { n_layers: 1, n_components: Some(3), ..Default::default() };
        let ours = dda.fit_model(&x, &labels, &Run::new()).unwrap();
        let opca = OrientedPca { n_components: Some(3), ..OrientedPca::default() };
        let theirs = opca.fit_model(&x, &labels, &Run::new()).unwrap();
        for j in 0..3 {
            let (a, b) = (ours.map().column(j).to_owned(), theirs.map().column(j).to_owned());
            assert!((a.dot(&b).abs() / a.dot(&a).sqrt() - 1.0).abs() < 1e-9);
        }
    }
}

/// Labelled clouds that differ along two directions only, among louder ones that say nothing.
fn clouds(classes: usize, each: usize, d: usize, rng: &mut Rng) -> (Array2<f64>, Vec<i64>, Array2<f64>) {
    let turn = orthonormal(d, d, rng);
    let means = normal(classes, 2, rng) * 4.0;
    let labels: Vec<i64> = (0..classes * each).map(|i| (i % classes) as i64).collect();
    let x = Array2::from_shape_fn((classes * each, d), |(i, j)| {
        let noise: f64 = rng.sample(StandardNormal);
        if j < 2 { 0.5 * noise + means[(i % classes, j)] } else { 15.0 * noise }
    });
    (x.dot(&turn.t()), labels, turn)
}

#[test]
fn lda_and_nca_find_what_tells_classes_apart() {
    for seed in 0..8 {
        let rng = &mut rng(1000 + seed);
        let (x, labels, turn) = clouds(5, 40, 6, rng);
        let run = Run::new();
        let lda = Lda { n_components: Some(2), ..Lda::default() }.fit_model(&x, &labels, &run).unwrap();
        // The spread within classes is a sphere of size 1.
        let y = lda.embedding().unwrap().to_f64();
        let mut within = Array2::<f64>::zeros((2, 2));
        for class in 0..5 {
            let rows: Vec<usize> = (0..200).filter(|i| i % 5 == class).collect();
            within = within + covariance(&y.select(Axis(0), &rows)) * 40.0;
        }
        within /= 200.0;
        assert!((within - Array2::<f64>::eye(2)).iter().all(|e| e.abs() < 1e-9));
        assert!(angle(lda.map(), turn.slice(s![.., ..2])) < 0.05, "seed {seed}");
        // From principal components, which see only the loud directions.
        let nca = Nca { n_components: Some(2), init: NcaStart::Pca, max_iter: 200, ..Nca::default() };
        let found = nca.fit_model(&x, &labels, &run).unwrap();
        let first = Nca { max_iter: 1, ..nca.clone() }.fit_model(&x, &labels, &run).unwrap();
        let accuracy = |model: &LinearModel| model.number("expected_accuracy").unwrap();
        let default = Nca { n_components: Some(2), ..Nca::default() }.fit_model(&x, &labels, &run).unwrap();
        assert!(default.number("expected_accuracy").unwrap() > 0.8, "seed {seed}");
        assert!(accuracy(&found) > accuracy(&first), "seed {seed}");
    }
}

#[test]
fn the_gradient_of_nca_is_that_of_its_value() {
    // A step against the gradient from the identity must gain what it says: the first step of the search does.
    for seed in 0..5 {
        let (x, labels, _) = clouds(3, 20, 4, &mut rng(1100 + seed));
        let fit = |max_iter| {
            let nca = Nca { init: NcaStart::Identity, max_iter, tol: 1e-12, ..Nca::default() };
            nca.fit_model(&x, &labels, &Run::new()).unwrap().number("expected_accuracy").unwrap()
        };
        let values: Vec<f64> = [1, 2, 5, 20, 100].map(fit).to_vec();
        assert!(values.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12), "{values:?}");
        assert!(values[4] > values[0] + 0.01, "{values:?}");
    }
}

// Random projection.

#[test]
fn the_share_of_pairs_kept_is_what_the_lemma_promises() {
    let rng = &mut rng(3);
    let (n, d, k, eps) = (40, 300, 120, 0.3);
    let x = normal(n, d, rng) * &Array1::from_shape_fn(d, |j| 1.0 / (1.0 + j as f64));
    // Mohri, lemma 15.3.
    let promised = 1.0 - 2.0 * (-(eps * eps - eps * eps * eps) * k as f64 / 4.0).exp();
    for kind in [Projection::Gaussian, Projection::Sparse, Projection::Hadamard] {
        let (mut within, mut all, mut sum) = (0, 0, 0.0);
        for seed in 0..100 {
            // Li's density suits data whose weight is spread; Achlioptas' suits all.
            let density = Some(1.0 / 3.0);
            let method =
                RandomProjection { n_components: Some(k), kind, density, ..RandomProjection::default() };
            let model = method.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
            let y = model.embedding().unwrap().to_f64();
            for i in 0..n {
                for j in 0..i {
                    let square = |m: &Array2<f64>| (&m.row(i) - &m.row(j)).mapv(|e| e * e).sum();
                    let ratio = square(&y) / square(&x);
                    sum += ratio;
                    all += 1;
                    within += usize::from((ratio - 1.0).abs() <= eps);
                }
            }
        }
        let share = within as f64 / all as f64;
        assert!(share >= promised, "{kind:?}: {share} {promised}");
        assert!((sum / all as f64 - 1.0).abs() < 0.02, "{kind:?}: {sum}");
    }
}

#[test]
fn the_dimension_of_the_lemma_and_the_distortion_on_the_data_are_reported() {
    assert_eq!(johnson_lindenstrauss(1000, 0.3).unwrap(), (20.0 * 1000f64.ln() / 0.09).ceil() as usize);
    for eps in [0.0, 0.5, -1.0, f64::NAN] {
        assert!(johnson_lindenstrauss(10, eps).is_err());
    }
    let x = normal(50, 2000, &mut rng(4));
    let method = RandomProjection { eps: 0.45, ..RandomProjection::default() };
    let model = method.fit_model(&x, &Run::new()).unwrap();
    assert_eq!(model.components(), johnson_lindenstrauss(50, 0.45).unwrap());
    let ratios = model.vector("distortion").unwrap();
    assert!(ratios.len() == 500 && ratios.iter().all(|r| (r - 1.0).abs() <= 0.45));
    assert_eq!(model.report().objective[0].value, 1.0);
    let narrow = RandomProjection::default().fit_model(x.slice(s![.., ..20]), &Run::new()).unwrap();
    assert!(matches!(narrow.report().warnings[..], [Warning::NoReduction { columns: 20, .. }]));
}

#[test]
fn sparse_rows_are_embedded_as_dense_ones() {
    let rng = &mut rng(5);
    let dense = normal(60, 40, rng).mapv(|x| if x.abs() > 1.2 { x } else { 0.0 });
    let entries: Vec<(usize, usize, f64)> =
        dense.indexed_iter().filter(|(_, v)| **v != 0.0).map(|((i, j), &v)| (i, j, v)).collect();
    let sparse = lowland::Csr::from_entries(60, 40, &entries).unwrap();
    let run = Run::new();
    let hadamard = Projection::Hadamard;
    let methods: [Box<dyn Method>; 3] = [
        Box::new(RandomProjection { n_components: Some(7), ..RandomProjection::default() }),
        Box::new(RandomProjection { n_components: Some(7), kind: hadamard, ..RandomProjection::default() }),
        Box::new(TruncatedSvd { n_components: Some(7) }),
    ];
    for method in methods {
        let a = method.fit((&dense).into(), &run).unwrap().embedding().unwrap().to_f64();
        let b = method.fit((&sparse).into(), &run).unwrap().embedding().unwrap().to_f64();
        assert!((a - b).iter().all(|e| e.abs() < 1e-9));
    }
    // Truncated SVD is the best approximation: the squared error is the sum of the other squares.
    let model = TruncatedSvd { n_components: Some(7) }.fit_model(&sparse, &run).unwrap();
    let y = model.embedding().unwrap();
    let back = model.inverse(y.into(), &run).unwrap().to_f64();
    let error = (&back - &dense).mapv(|e| e * e).sum();
    let all = TruncatedSvd { n_components: Some(40) }.fit_model(&dense, &run).unwrap();
    let rest: f64 = all.vector("singular_values").unwrap().iter().skip(7).map(|s| s * s).sum();
    assert!((error - rest).abs() < 1e-9 * rest, "{error} {rest}");
}

#[test]
fn the_fast_transform_is_the_linear_map_and_survives_the_file() {
    let run = Run::new();
    for d in [1, 5, 64, 300] {
        let x = normal(30, d, &mut rng(6));
        let method = RandomProjection {
            n_components: Some(d.min(40)),
            kind: Projection::Hadamard,
            ..RandomProjection::default()
        };
        let model = method.fit_model(&x, &run).unwrap();
        let y = model.embedding().unwrap().to_f64();
        assert!((&y - &x.dot(&model.map())).iter().all(|e| e.abs() < 1e-12));
        assert_eq!(model.matrix("components").unwrap(), model.map().t());
        let loaded = lowland::load_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.transform((&x).into(), &run), model.transform((&x).into(), &run));
        let single = x.mapv(|v| v as f32);
        let single = model.transform((&single).into(), &run).unwrap();
        assert!(single.as_typed::<f32>().is_some());
        assert!((single.to_f64() - &y).iter().all(|e| e.abs() < 1e-4));
    }
}

// Independent components, projection pursuit.

/// Sources that are not Gaussian, with variance 1.
fn sources(n: usize, k: usize, rng: &mut Rng) -> Array2<f64> {
    Array2::from_shape_fn((n, k), |(i, j)| match j % 4 {
        0 => (rng.random::<f64>() - 0.5) * 12f64.sqrt(),
        1 => {
            let (u, sign) = (rng.random::<f64>(), if rng.random() { 1.0 } else { -1.0 });
            -(1.0 - u).ln() * sign / 2f64.sqrt()
        }
        2 => 2f64.sqrt() * (i as f64 * (0.31 + 0.05 * j as f64)).sin(),
        _ => {
            if rng.random() {
                1.0
            } else {
                -1.0
            }
        }
    })
}

/// Amari's error of an unmixing times a mixing: 0 for a permutation with scales, at most 1.
fn amari(p: &Array2<f64>) -> f64 {
    let k = p.nrows();
    let p = p.mapv(f64::abs);
    let over = |lines: ndarray::iter::Lanes<'_, f64, ndarray::Ix1>| -> f64 {
        lines.into_iter().map(|line| line.sum() / line.fold(0.0, |m: f64, &v| m.max(v)) - 1.0).sum()
    };
    (over(p.rows()) + over(p.columns())) / (2 * k * (k - 1)) as f64
}

#[test]
fn independent_components_separate_mixtures_by_every_way() {
    for seed in 0..6 {
        let rng = &mut rng(1200 + seed);
        let k = 3 + seed as usize % 3;
        let mixing = normal(k, k, rng);
        let x = sources(4000, k, rng).dot(&mixing.t()) + 2.0;
        for algorithm in [IcaAlgorithm::Parallel, IcaAlgorithm::Deflation] {
            for fun in [Contrast::Logcosh, Contrast::Exp, Contrast::Cube] {
                let ica = FastIca { algorithm, fun, ..FastIca::default() };
                let model = ica.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
                let error = amari(&model.matrix("components").unwrap().dot(&mixing));
                assert!(error < 0.05, "seed {seed}, {algorithm:?}, {fun:?}: {error}");
                assert!(model.report().warnings.is_empty(), "seed {seed}, {algorithm:?}, {fun:?}");
                let y = model.embedding().unwrap();
                assert!((covariance(&y.to_f64()) - Array2::<f64>::eye(k)).iter().all(|e| e.abs() < 1e-9));
                let back = model.inverse(y.into(), &Run::new()).unwrap().to_f64();
                assert!((back - &x).iter().all(|e| e.abs() < 1e-9));
            }
        }
    }
}

#[test]
fn pursuit_finds_the_planted_direction_where_pca_does_not() {
    use ProjectionIndex::*;
    for seed in 0..6 {
        let rng = &mut rng(1300 + seed);
        let d = 6;
        let turn = orthonormal(d, d, rng);
        let mut x = normal(1500, d, rng);
        // Two clusters along the last axis, which varies least.
        x.column_mut(d - 1).mapv_inplace(|z| 0.3 * z + if z.to_bits() % 2 == 0 { 1.0 } else { -1.0 });
        let spread = Array1::from_shape_fn(d, |j| if j == d - 1 { 0.5 } else { 5.0 - j as f64 * 0.5 });
        let x = (x * &spread).dot(&turn.t());
        let run = Run::new().with_seed(seed);
        let target = turn.column(d - 1).to_owned();
        let cosine = |direction: ndarray::ArrayView1<'_, f64>| {
            (direction.dot(&target) / direction.dot(&direction).sqrt()).abs()
        };
        let pca = Pca { n_components: Components::Count(1), ..Pca::default() }.fit_model(&x, &run).unwrap();
        assert!(cosine(pca.directions().row(0)) < 0.2);
        for index in [Negentropy, Kurtosis, FriedmanTukey, Holes] {
            let method = ProjectionPursuit { n_components: Some(2), index, ..ProjectionPursuit::default() };
            let model = method.fit_model(&x, &run).unwrap();
            let found = cosine(model.map().column(0));
            assert!(found > 0.98, "seed {seed}, {index:?}: {found}");
            assert_eq!(model.number("n_significant"), Some(1.0), "seed {seed}, {index:?}");
        }
    }
}

/// Two clusters of equal size have a small kurtosis, which is told from that of noise where rows are many.
#[test]
fn kurtosis_sees_clusters_of_equal_size() {
    for seed in 0..4 {
        let mut x = normal(1000, 5, &mut rng(1350 + seed));
        for i in 0..1000 {
            x[(i, 2)] += if i % 2 == 0 { 3.0 } else { -3.0 };
        }
        let pursuit = ProjectionPursuit { index: ProjectionIndex::Kurtosis, ..ProjectionPursuit::default() };
        let model = pursuit.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
        assert_eq!(model.number("n_significant"), Some(1.0), "seed {seed}");
    }
}

#[test]
fn pursuit_says_nothing_of_a_gaussian() {
    use ProjectionIndex::*;
    for seed in 0..8 {
        let rng = &mut rng(1400 + seed);
        let x = normal(500, 5, rng).dot(&normal(5, 5, rng));
        for index in [Negentropy, Kurtosis, FriedmanTukey, Holes] {
            let method = ProjectionPursuit { index, ..ProjectionPursuit::default() };
            let model = method.fit_model(&x, &Run::new().with_seed(seed)).unwrap();
            assert_eq!(model.number("n_significant"), Some(0.0), "seed {seed}, {index:?}");
            assert!(matches!(model.report().warnings[..], [Warning::OnlyNoise { asked: 2, found: 0 }]));
        }
    }
}

// Simple PCA.

#[test]
fn simple_rules_come_near_pca_in_every_order() {
    for seed in 0..6 {
        let rng = &mut rng(1500 + seed);
        let (x, _) = planted(3000, 60, 3, 0.3, rng);
        let run = Run::new();
        let pca = Pca { n_components: Components::Count(3), ..Pca::default() }.fit_model(&x, &run).unwrap();
        for (algorithm, bound) in [
            (SimplePcaAlgorithm::Merge, 1e-3),
            (SimplePcaAlgorithm::Oja, 1e-2),
            (SimplePcaAlgorithm::Simple, 0.2),
        ] {
            let method = SimplePca { n_components: Some(3), algorithm, ..SimplePca::default() };
            let model = method.fit_model(&x, &run).unwrap();
            let apart = angle(model.map(), pca.directions().t());
            assert!(apart < bound, "seed {seed}, {algorithm:?}: {apart}");
            if let Some(mut chunks) = method.chunks() {
                for chunk in x.axis_chunks_iter(Axis(0), 700) {
                    chunks.push(chunk.into(), &run).unwrap();
                }
                let model = chunks.finish(&run).unwrap();
                let back = model.inverse(Array2::<f64>::eye(3).view().into(), &run).unwrap().to_f64();
                let zero = model.inverse(Array2::<f64>::zeros((1, 3)).view().into(), &run).unwrap().to_f64();
                let apart = angle((back - &zero).t(), pca.directions().t());
                assert!(apart < if algorithm == SimplePcaAlgorithm::Oja { 0.1 } else { bound }, "{apart}");
            }
        }
    }
}
