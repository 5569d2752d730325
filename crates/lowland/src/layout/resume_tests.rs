//! Fits that go on from a checkpoint: to the same bits, and only those that it is of.

use super::checkpoint::{from_bytes, to_bytes};
use super::method_tests::{clusters, embedding, pacmap, tsne, umap};
use crate::model::Warning;
use crate::parameters::Value;
use crate::{Checkpoint, Method, Progress, Run, Verdict};
use ndarray::{Array2, Axis, s};
use std::sync::Arc;

/// Keeps the checkpoint after so many iterations.
struct KeepAt(u64, std::sync::Mutex<Option<Checkpoint>>);

impl Progress for KeepAt {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: &str, _: u64) {}
    fn end(&self, _: &str, _: f64) {}
    fn wants_layout(&self, stage: &str, done: u64) -> bool {
        stage == "layout" && done == self.0
    }
    fn layout(&self, _: &str, checkpoint: &Checkpoint) -> Verdict {
        *self.1.lock().unwrap() = Some(checkpoint.clone());
        Verdict::Stop
    }
}

#[test]
fn a_fit_that_was_interrupted_ends_where_it_would_have_ended() {
    // In an order that is not the canonical one, which the checkpoint must not show.
    let x = clusters(90, 5).select(Axis(0), &(0..90).map(|i| (i * 37) % 90).collect::<Vec<_>>());
    for method in [&tsne() as &dyn Method, &umap(), &pacmap()] {
        let name = method.entry().name;
        let whole = method.fit((&x).into(), &Run::new()).unwrap();
        for at in [1, 60, 100] {
            let keep = Arc::new(KeepAt(at, std::sync::Mutex::new(None)));
            let run = Run::new().with_progress(keep.clone());
            let stopped = method.fit((&x).into(), &run).unwrap();
            let checkpoint = keep.1.lock().unwrap().take().unwrap();
            let shown = Array2::from_shape_fn((90, 2), |(i, c)| checkpoint.layout[(i, c)]);
            assert_eq!(embedding(&*stopped), shown, "{name}");
            assert!(
                stopped.report().warnings.iter().any(|warning| matches!(warning, Warning::Stopped { .. })),
                "{name}"
            );
            let bytes = to_bytes(method, &checkpoint).unwrap();
            assert!(crate::model::load_bytes(&bytes).err().unwrap().to_string().contains("checkpoint"));
            let kept = from_bytes(method, &bytes).unwrap();
            assert_eq!(kept, checkpoint, "{name}");
            // The seed is that of the checkpoint.
            let on = method.resume((&x).into(), None, &kept, &Run::new().with_seed(9)).unwrap();
            assert_eq!(embedding(&*on), embedding(&*whole), "{name} from {at}");
            assert_eq!(on.report().losses, whole.report().losses, "{name} from {at}");
            assert_eq!(on.report().provenance, whole.report().provenance, "{name} from {at}");
        }
    }
    // Of another method, of other data.
    let keep = Arc::new(KeepAt(50, std::sync::Mutex::new(None)));
    let run = Run::new().with_progress(keep.clone());
    umap().fit_model(&x, &run).unwrap();
    let checkpoint = keep.1.lock().unwrap().take().unwrap();
    let refused = tsne().resume((&x).into(), None, &checkpoint, &Run::new()).err().unwrap().to_string();
    assert!(refused.contains("another method"), "{refused}");
    let bytes = to_bytes(&umap(), &checkpoint).unwrap();
    let refused = from_bytes(&tsne(), &bytes).unwrap_err().to_string();
    assert!(refused.contains("the checkpoint is of umap"), "{refused}");
    let fewer = x.slice(s![..80, ..]).to_owned();
    let refused = umap().resume((&fewer).into(), None, &checkpoint, &Run::new()).err().unwrap().to_string();
    let expected = "the checkpoint is of 90 rows, and the data have 80; give those, or start without it";
    assert_eq!(refused, expected);
    // Of another number of components.
    let wider = crate::methods::Umap { n_components: 3, ..umap() };
    let refused = wider.resume((&x).into(), None, &checkpoint, &Run::new()).err().unwrap().to_string();
    let expected = "the checkpoint has 2 components, and n_components = 3 is asked for; set n_components = 2, or start \
                    without it";
    assert_eq!(refused, expected);
}

#[test]
fn a_checkpoint_beyond_the_last_iteration_is_refused() {
    let x = clusters(90, 5);
    for (method, name, fewer) in
        [(&tsne() as &dyn Method, "max_iter", 120), (&umap(), "n_epochs", 90), (&pacmap(), "third_iter", 20)]
    {
        let keep = Arc::new(KeepAt(130, std::sync::Mutex::new(None)));
        method.fit((&x).into(), &Run::new().with_progress(keep.clone())).unwrap();
        let checkpoint = keep.1.lock().unwrap().take().unwrap();
        let mut shorter = (method.entry().create)();
        for parameter in (method.entry().parameters)() {
            shorter.set(parameter.name, &method.get(parameter.name).unwrap()).unwrap();
        }
        shorter.set(name, &Value::Integer(fewer)).unwrap();
        let refused = shorter.resume((&x).into(), None, &checkpoint, &Run::new()).err().unwrap().to_string();
        if name == "n_epochs" {
            // The steps of all epochs depend on their number.
            assert!(refused.contains("a fit with n_epochs = 150, and this one has 90"), "{refused}");
        } else {
            assert!(refused.starts_with("130 iterations are behind the checkpoint"), "{refused}");
            assert!(refused.contains(&format!("raise {name}")), "{refused}");
        }
        let cut = &to_bytes(method, &checkpoint).unwrap()[..70];
        let refused = from_bytes(method, cut).unwrap_err().to_string();
        assert!(refused.starts_with("the checkpoint cannot be read"), "{refused}");
    }
}

#[test]
fn only_the_fit_that_a_checkpoint_is_of_goes_on_from_it() {
    let x = clusters(90, 5);
    let refusal = |method: &dyn Method, x: &Array2<f64>, checkpoint: &Checkpoint| {
        method.resume(x.into(), None, checkpoint, &Run::new()).err().unwrap().to_string()
    };
    let mut other = x.clone();
    other[(3, 0)] += 1e-9;
    for method in [&tsne() as &dyn Method, &umap(), &pacmap()] {
        let keep = Arc::new(KeepAt(50, std::sync::Mutex::new(None)));
        method.fit((&x).into(), &Run::new().with_progress(keep.clone())).unwrap();
        let checkpoint = keep.1.lock().unwrap().take().unwrap();
        assert!(refusal(method, &other, &checkpoint).contains("other rows"));
        let mut wider = method.resolved_for(&crate::AnyInput::from(&x).shape()).unwrap();
        wider.set("n_neighbors", &Value::Integer(9)).unwrap();
        assert!(refusal(&*wider, &x, &checkpoint).contains("n_neighbors"), "{}", method.entry().name);
        // Of a fit that nobody admitted.
        let unnamed = Checkpoint { of: Default::default(), ..checkpoint };
        assert!(refusal(method, &x, &unnamed).contains("checkpoint"));
    }
    let keep = Arc::new(KeepAt(60, std::sync::Mutex::new(None)));
    tsne().fit_model(&x, &Run::new().with_progress(keep.clone())).unwrap();
    let mut checkpoint = keep.1.lock().unwrap().take().unwrap();
    checkpoint.memory[2][(4, 0)] = checkpoint.memory[2][(5, 0)];
    let refused = refusal(&tsne(), &x, &checkpoint);
    assert!(refused.contains("order of the points"), "{refused}");
}
