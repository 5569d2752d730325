//! The kernels that are functions of a matrix of all training points (Ham 4 and 5, Bengio 2.6), against naive algebra.

use crate::{cloud, distances, embedding, largest};
use lowland::methods::{
    CommuteTime, HeatKernel, HessianLle, Isomap, KernelPca, LaplacianEigenmaps, Lle, Ltsa, ModifiedLle,
};
use lowland::quality::{Evaluator, SampleSizes, kernel_error};
use lowland::spectral::{Gram, GramKernel, Laplacian};
use lowland::{AnyInput, Error, Input, Method, Model, Run, data, registry};
use ndarray::{Array1, Array2, Axis};

/// `exp(a)` by its series, of a 1024th of it, squared ten times.
fn exponential(a: &Array2<f64>) -> Array2<f64> {
    let small = a / 1024.0;
    let mut sum = Array2::eye(a.nrows());
    let mut term = Array2::eye(a.nrows());
    for k in 1..30 {
        term = term.dot(&small) / k as f64;
        sum += &term;
    }
    (0..10).fold(sum, |sum, _| sum.dot(&sum))
}

fn close(a: &Array2<f64>, b: &Array2<f64>, tolerance: f64) -> bool {
    largest(&(a - b)) <= tolerance * largest(b).max(1e-300)
}

fn gram(model: &dyn Model, kernel: GramKernel, t: Option<f64>, c: Option<f64>) -> Array2<f64> {
    model.spectral().unwrap().gram(Gram { kernel, time: t, shift: c }, &Run::new()).unwrap()
}

/// LLE's `(I - W)'(I - W)` by the book: neighbors by sorting, weights by elimination.
fn naive_lle(x: &Array2<f64>, k: usize, reg: f64) -> Array2<f64> {
    let (n, far) = (x.nrows(), distances(x.view()));
    let mut rest = Array2::<f64>::eye(n);
    for i in 0..n {
        let mut order: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        order.sort_by(|&a, &b| far[(i, a)].total_cmp(&far[(i, b)]));
        let near = &order[..k];
        let z = Array2::from_shape_fn((k, x.ncols()), |(a, c)| x[(near[a], c)] - x[(i, c)]);
        let mut g = z.dot(&z.t());
        let ridge = reg * g.diag().sum();
        (0..k).for_each(|a| g[(a, a)] += ridge);
        let mut w = Array1::<f64>::ones(k);
        for p in 0..k {
            for r in p + 1..k {
                let factor = g[(r, p)] / g[(p, p)];
                for q in p..k {
                    g[(r, q)] -= factor * g[(p, q)];
                }
                w[r] -= factor * w[p];
            }
        }
        for p in (0..k).rev() {
            for q in p + 1..k {
                w[p] -= g[(p, q)] * w[q];
            }
            w[p] /= g[(p, p)];
        }
        let total = w.sum();
        near.iter().zip(&w).for_each(|(&j, w)| rest[(i, j)] -= w / total);
    }
    rest.t().dot(&rest)
}

#[test]
fn the_kernels_of_lle_are_functions_of_its_matrix() {
    for seed in 0..5 {
        let x = cloud(60, 3, 40 + seed);
        let lle = Lle { n_neighbors: 7, ..Lle::default() };
        let model = lle.fit_model(&x, &Run::new()).unwrap();
        let m = naive_lle(&x, 7, lle.reg);
        // Bengio 2.6: c I - M.
        let c = 2.5;
        let shifted = Array2::eye(60) * c - &m;
        assert!(close(&gram(&model, GramKernel::Shifted, None, Some(c)), &shifted, 1e-10));
        // Ham 5: with the largest eigenvalue it is the smallest c without a negative eigenvalue, and the method's own.
        let own = gram(&model, GramKernel::Auto, None, None);
        let most = own[(0, 0)] + m[(0, 0)];
        assert!(close(&own, &(Array2::eye(60) * most - &m), 1e-10));
        let power = (0..2000).fold(Array1::from_shape_fn(60, |i| (i as f64).sin()), |v: Array1<f64>, _| {
            let next = m.dot(&v);
            &next / next.dot(&next).sqrt()
        });
        assert!((power.dot(&m.dot(&power)) - most).abs() < 1e-6 * most, "{most}");
        // exp(-t M).
        let heat = gram(&model, GramKernel::Exponential, Some(3.0), None);
        assert!(close(&heat, &exponential(&(&m * -3.0)), 1e-9));
        // M^+, whose conditions are those of Penrose.
        let inverse = gram(&model, GramKernel::Inverse, None, None);
        let back = m.dot(&inverse).dot(&m);
        assert!(close(&back, &m, 1e-6), "{}", largest(&(&back - &m)));
        assert!(inverse.sum_axis(Axis(0)).iter().all(|s| s.abs() < 1e-5 * largest(&inverse)));
    }
}

#[test]
fn embeddings_are_eigenvectors_of_the_own_kernel() {
    let run = Run::new();
    for seed in 0..3 {
        let x = data::find("swiss-roll").unwrap().sample(120, 0.0, seed).unwrap().points;
        let methods: [Box<dyn Method>; 4] = [
            Box::new(Lle { n_neighbors: 9, ..Lle::default() }),
            Box::new(ModifiedLle { n_neighbors: 9, ..ModifiedLle::default() }),
            Box::new(HessianLle { n_neighbors: 9, ..HessianLle::default() }),
            Box::new(Ltsa { n_neighbors: 9, ..Ltsa::default() }),
        ];
        for method in methods {
            let name = method.entry().name;
            let model = method.fit((&x).into(), &run).unwrap();
            let bytes = model.to_bytes().unwrap();
            let loaded = lowland::load_bytes(&bytes).unwrap();
            let own = gram(&*model, GramKernel::Auto, None, None);
            assert_eq!(own, gram(&*loaded, GramKernel::Auto, None, None), "{name}");
            assert!(close(&own, &own.t().to_owned(), 1e-14), "{name}");
            // K 1 = l_max 1, since M 1 = 0; K y = (l_max - m) y.
            let most = own.sum() / 120.0;
            let y = embedding(&*model);
            for (c, &m) in model.report().eigenvalues.iter().enumerate() {
                let y = y.column(c).to_owned();
                let left = own.dot(&y) - &y * (most - m);
                assert!(left.iter().all(|e| e.abs() < 1e-8 * most), "{name} {c}");
            }
        }
    }
}

#[test]
fn the_kernels_of_a_laplacian_are_its_pseudo_inverse_and_its_exponential() {
    let run = Run::new();
    for seed in 0..4 {
        let n = 40;
        let w = super::graphs::random_graph(n, 60 + seed);
        let mut l = Array2::<f64>::zeros((n, n));
        for i in 0..n {
            let (to, values) = w.row(i);
            for (&j, &value) in to.iter().zip(values) {
                l[(i, j as usize)] -= value;
                l[(i, i)] += value;
            }
        }
        let t = 0.7;
        let commute = CommuteTime { weighted: true, ..CommuteTime::default() };
        let heat = HeatKernel { t, weighted: true, ..HeatKernel::default() };
        let plain = LaplacianEigenmaps {
            laplacian: Laplacian::Unnormalized,
            weighted: true,
            ..LaplacianEigenmaps::default()
        };
        let commute = commute.fit_model(Input::Graph(&w), &run).unwrap();
        let heat = heat.fit_model(Input::Graph(&w), &run).unwrap();
        let plain = plain.fit_model(Input::Graph(&w), &run).unwrap();
        for model in [&commute, &plain] {
            let inverse = gram(model, GramKernel::Auto, None, None);
            assert!(close(&l.dot(&inverse).dot(&l), &l, 1e-10));
            assert!(close(&inverse.dot(&l).dot(&inverse), &inverse, 1e-10));
        }
        let spread = gram(&heat, GramKernel::Auto, None, None);
        assert!(close(&spread, &exponential(&(&l * -t)), 1e-10));
        assert!(close(&gram(&commute, GramKernel::Exponential, Some(t), None), &spread, 1e-10));
        // Kernel PCA of the exported matrix is the method, up to the square root of the volume.
        let volume: f64 = w.values().iter().sum();
        let inverse = gram(&commute, GramKernel::Auto, None, None) * volume;
        let by_kernel = KernelPca::default().fit_model(Input::Kernel(inverse.view()), &run).unwrap();
        assert!(crate::apart(&embedding(&commute), &embedding(&by_kernel)) < 1e-8);
    }
}

#[test]
fn a_measure_without_meaning_is_refused_and_the_others_stay() {
    let run = Run::new();
    let x = cloud(80, 3, 3);
    let refusing = ["lle", "modified-lle", "hessian-lle", "ltsa", "commute-time", "heat-kernel"];
    for name in refusing {
        let model = (registry::find(name).unwrap().create)().fit((&x).into(), &run).unwrap();
        let spectral = model.spectral().unwrap();
        assert!(matches!(spectral.kernel((&x).into(), &run), Err(Error::Unsupported { .. })), "{name}");
        assert!(matches!(spectral.kernel_error((&x).into(), &run), Err(Error::Unsupported { .. })), "{name}");
        let input = AnyInput::from(&x);
        assert!(kernel_error(&*model, input, SampleSizes::default(), &run).unwrap().is_none(), "{name}");
        let y = model.embedding().unwrap();
        let judged = Evaluator::default().evaluate_model(&*model, (input, y.into()), None, &run).unwrap();
        assert!(judged.get("kernel_error").is_none(), "{name}");
        let refused = Evaluator::default().evaluate_model(&*model, (input, y.into()), Some(input), &run);
        assert!(matches!(refused, Err(Error::Unsupported { .. })), "{name}");
    }
    let isomap = Isomap::default().fit_model(&x, &run).unwrap();
    assert!(kernel_error(&isomap, (&x).into(), SampleSizes::default(), &run).unwrap().is_some());
    let own = gram(&isomap, GramKernel::Auto, None, None);
    assert!(close(&own, &isomap.kernel((&x).into(), &run).unwrap(), 1e-10));
    let spectral = isomap.spectral().unwrap();
    let refused = spectral.gram(Gram { kernel: GramKernel::Inverse, ..Gram::default() }, &run);
    assert!(matches!(refused, Err(Error::Conflict { .. })));
}

#[test]
fn equal_rows_and_several_components_have_a_block_each() {
    let run = Run::new();
    let mut x = cloud(50, 2, 9);
    let first = x.row(0).to_owned();
    x.row_mut(1).assign(&first);
    let far = &cloud(50, 2, 10) + 1e3;
    let both = ndarray::concatenate![Axis(0), x.view(), far.view()];
    let lle = Lle { disconnected: lowland::spectral::Disconnected::Separate, ..Lle::default() };
    let own = gram(&lle.fit_model(&both, &run).unwrap(), GramKernel::Auto, None, None);
    assert_eq!(own.dim(), (99, 99));
    assert!(own.slice(ndarray::s![..49, 49..]).iter().all(|&k| k == 0.0));
    let joined = gram(&Lle::default().fit_model(&both, &run).unwrap(), GramKernel::Shifted, None, Some(0.0));
    let alone = gram(
        &Lle::default().fit_model(&cloud(50, 2, 10), &run).unwrap(),
        GramKernel::Shifted,
        None,
        Some(0.0),
    );
    let blocks = joined.slice(ndarray::s![49.., 49..]).to_owned();
    let differ = blocks.iter().zip(&alone).filter(|(a, b)| (*a - *b).abs() > 1e-6).count();
    assert!(differ > 0 && differ < 600, "only the neighborhoods of the added edge differ: {differ}");
}
