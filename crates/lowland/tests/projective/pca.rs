//! Principal components and their simple rules (Burges 1.1.1 to 1.1.5).

use super::*;

#[test]
fn pca_decorrelates_minimizes_the_error_and_maximizes_the_variance() {
    for seed in 0..20 {
        let rng = &mut rng(seed);
        let (n, d) = (60 + rng.random_range(0..60), 5 + rng.random_range(0..8));
        let x = normal(n, d, rng).dot(&normal(d, d, rng));
        let k = 1 + seed as usize % 3;
        let run = Run::new();
        let pca = Pca { n_components: Components::Count(k), ..Pca::default() }.fit_model(&x, &run).unwrap();
        let y = pca.embedding().unwrap().to_f64();
        let c = covariance(&y);
        for ((i, j), value) in c.indexed_iter() {
            assert!(i == j || value.abs() < 1e-10 * c[(0, 0)]);
        }
        let error = |v: &Array2<f64>| {
            let centered = &x - &x.mean_axis(Axis(0)).unwrap();
            (&centered - &centered.dot(v).dot(&v.t())).mapv(|e| e * e).sum()
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
            if let Ok(mut chunks) = method.chunks() {
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
