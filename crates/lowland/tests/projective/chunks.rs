//! Data that come in chunks, also after a fit.

use super::*;
use lowland::Chunks;

fn pushed(chunks: &mut dyn Chunks, rows: &Array2<f64>) {
    chunks.push(rows.into(), &Run::new()).unwrap();
}

fn part(model: &dyn Model, name: &str) -> Vec<f64> {
    model.attributes().iter().find(|part| part.name == name).unwrap().value.numbers()
}

#[test]
fn chunks_after_a_fit_go_on_from_it() {
    let run = Run::new();
    for seed in 0..6 {
        let rng = &mut rng(4000 + seed);
        let (x, _) = planted(120, 8, 2, 0.3, rng);
        let (first, rest) = (x.slice(s![..70, ..]).to_owned(), x.slice(s![70.., ..]).to_owned());
        // All components kept: nothing of the first rows is lost.
        let pca = Pca::default();
        let mut chunks = Method::chunks(&pca).unwrap();
        chunks.resume(&*pca.fit((&first).into(), &run).unwrap()).unwrap();
        pushed(&mut *chunks, &rest);
        let (ours, whole) = (chunks.finish(&run).unwrap(), pca.fit_model(&x, &run).unwrap());
        assert_eq!(part(&*ours, "n_samples"), [120.0]);
        for name in ["components", "explained_variance", "mean"] {
            let (ours, whole) = (part(&*ours, name), part(&whole, name));
            let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * b.abs().max(1.0);
            assert!(ours.iter().zip(&whole).all(near), "{name}: {ours:?} {whole:?}");
        }
        // Two of eight kept: their directions are those of all rows, up to what was left out.
        for method in ["pca", "simple-pca"] {
            let mut method = (lowland::registry::find(method).unwrap().create)();
            method.set("n_components", &lowland::parameters::Value::Integer(2)).unwrap();
            let mut chunks = method.chunks().unwrap();
            chunks.resume(&*method.fit((&first).into(), &run).unwrap()).unwrap();
            pushed(&mut *chunks, &rest);
            let (ours, whole) = (chunks.finish(&run).unwrap(), method.fit((&x).into(), &run).unwrap());
            let basis = |model: &dyn Model| {
                Array2::from_shape_vec((2, 8), part(model, "components")).unwrap().reversed_axes()
            };
            assert_eq!(chunks.rows(), 120);
            let apart = angle(basis(&*ours).view(), basis(&*whole).view());
            assert!(apart < 0.05, "{seed}: {apart}");
        }
    }
}

#[test]
fn simple_pca_by_sums_takes_chunks() {
    let (x, _) = planted(90, 6, 2, 0.3, &mut rng(17));
    let method =
        SimplePca { algorithm: SimplePcaAlgorithm::Simple, n_components: Some(2), ..SimplePca::default() };
    let mut chunks = Method::chunks(&method).unwrap();
    for rows in [0..40, 40..90] {
        pushed(&mut *chunks, &x.slice(s![rows, ..]).to_owned());
    }
    let (ours, whole) = (chunks.finish(&Run::new()).unwrap(), method.fit_model(&x, &Run::new()).unwrap());
    for name in ["components", "explained_variance", "mean", "n_samples_seen"] {
        assert_eq!(part(&*ours, name), part(&whole, name), "{name}");
    }
    let refused = chunks.resume(&*ours).unwrap_err().to_string();
    assert!(refused.contains("90 rows came before it"), "{refused}");
    let refused = Method::chunks(&method).unwrap().resume(&*ours).unwrap_err().to_string();
    assert!(refused.contains("needs all rows"), "{refused}");
}

#[test]
fn parameters_out_of_range_are_refused_before_the_first_chunk() {
    let no_rows = SimplePca { batch_size: 0, ..SimplePca::default() };
    let refused = [no_rows.stream().err(), Method::chunks(&no_rows).err()];
    for refused in refused {
        assert!(
            matches!(refused, Some(Error::Parameter { ref name, .. }) if name == "batch_size"),
            "{refused:?}"
        );
    }
    let refused = FastIca::default().stream().err().unwrap().to_string();
    assert!(refused.contains("chunks") && refused.ends_with("or choose pca or simple-pca"), "{refused}");
}

#[test]
fn a_chunk_that_is_canceled_midway_leaves_the_rows_before_it() {
    let (x, _) = planted(40_000, 60, 2, 0.3, &mut rng(18));
    let (first, rest) = (x.slice(s![..200, ..]).to_owned(), x.slice(s![200.., ..]).to_owned());
    let method = SimplePca { n_components: Some(2), batch_size: 50, ..SimplePca::default() };
    let mut whole = Method::chunks(&method).unwrap();
    pushed(&mut *whole, &first);
    let begun = std::time::Instant::now();
    pushed(&mut *whole, &rest);
    let took = begun.elapsed();
    let whole = whole.finish(&Run::new()).unwrap();
    let mut chunks = Method::chunks(&method).unwrap();
    pushed(&mut *chunks, &first);
    let mut canceled = 0;
    for tenth in 1..10 {
        let run = Run::new();
        let switch = run.cancel_switch();
        let timer = std::thread::spawn(move || {
            std::thread::sleep(took * tenth / 20);
            switch.cancel();
        });
        let mut trial = Method::chunks(&method).unwrap();
        pushed(&mut *trial, &first);
        match trial.push((&rest).into(), &run) {
            Ok(()) => assert_eq!(trial.rows(), 40_000),
            Err(error) => {
                assert_eq!((error, trial.rows()), (Error::Canceled, 200));
                canceled += 1;
                chunks = trial;
            }
        }
        timer.join().unwrap();
    }
    assert!(canceled > 0, "no push was canceled, though one takes {took:?}");
    pushed(&mut *chunks, &rest);
    assert_eq!(part(&*chunks.finish(&Run::new()).unwrap(), "components"), part(&*whole, "components"));
}
