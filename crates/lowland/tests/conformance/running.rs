//! Progress, cancellation, and the model file.

use super::*;
use lowland::{Checkpoint, Verdict, Warning};

const HALF_A_SECOND: Duration = Duration::from_millis(500);

#[derive(Default)]
struct Watcher(Mutex<Vec<String>>, Mutex<Vec<f64>>);

impl Progress for Watcher {
    fn begin(&self, stage: &str, _: Option<u64>) {
        self.0.lock().unwrap().push(stage.to_owned());
    }
    fn advance(&self, _: &str, _: u64) {}
    fn loss(&self, _: &str, _: u64, loss: f64) {
        self.1.lock().unwrap().push(loss);
    }
    fn end(&self, _: &str, _: f64) {}
}

#[test]
fn losses_are_finite_and_seen_while_they_fall() {
    each(|entry| {
        let watcher = Arc::new(Watcher::default());
        let run = Run::new().with_progress(watcher.clone());
        let losses = fit(entry, sheet(200, 6, 11).view(), &run).report().losses.clone();
        assert!(losses.iter().all(|loss| loss.1.is_finite()), "{}: {losses:?}", entry.name);
        assert!(losses.is_sorted_by(|a, b| a.0 < b.0), "{}: {losses:?}", entry.name);
        if entry.capabilities.local_optimum {
            assert!(losses.len() > 2, "{}: {losses:?}", entry.name);
            assert!(!watcher.1.lock().unwrap().is_empty(), "{}", entry.name);
        }
        assert!(watcher.1.lock().unwrap().iter().all(|loss| loss.is_finite()), "{}", entry.name);
    });
    let mut seen = Vec::new();
    for name in ["nca", "autoencoder", "t-sne"] {
        let entry = registry::find(name).unwrap();
        let watcher = Arc::new(Watcher::default());
        let model = fit(entry, sheet(200, 6, 11).view(), &Run::new().with_progress(watcher.clone()));
        let losses = &model.report().losses;
        assert!(losses[losses.len() - 1].1 < losses[0].1, "{name}: {losses:?}");
        seen.extend(watcher.1.lock().unwrap().iter().copied());
    }
    assert!(seen.len() > 6);
}

/// Wants to see layouts from the third step on, and no more after the first that it is shown.
#[derive(Default)]
struct Viewer(Mutex<Option<Checkpoint>>);

impl Progress for Viewer {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: &str, _: u64) {}
    fn end(&self, _: &str, _: f64) {}
    fn wants_layout(&self, _: &str, done: u64) -> bool {
        done >= 3
    }
    fn layout(&self, _: &str, checkpoint: &Checkpoint) -> Verdict {
        *self.0.lock().unwrap() = Some(checkpoint.clone());
        Verdict::Stop
    }
}

#[test]
fn layouts_that_can_be_given_are_shown_while_they_are_made_and_can_be_stopped() {
    each(|entry| {
        if !entry.capabilities.start {
            return;
        }
        let viewer = Arc::new(Viewer::default());
        let run = Run::new().with_progress(viewer.clone());
        let x = sheet(60, 6, 11);
        let method = two_components(entry);
        let model = method.fit((&x).into(), &run).unwrap();
        let shown = viewer.0.lock().unwrap().take().unwrap_or_else(|| panic!("{}", entry.name));
        assert_eq!(shown.layout.shape(), (60, 2), "{}", entry.name);
        let stopped = |warning: &Warning| matches!(warning, Warning::Stopped { .. });
        assert!(model.report().warnings.iter().any(stopped), "{}", entry.name);
        // It is in the units of the result: distances between rows are those of the embedding.
        let y = f64s(model.embedding().unwrap());
        let apart = |at: &dyn Fn(usize, usize) -> f64, i: usize, j: usize| {
            (0..2).map(|c| (at(i, c) - at(j, c)).powi(2)).sum::<f64>().sqrt()
        };
        let size = y.iter().fold(0.0f64, |most, y| most.max(y.abs()));
        for (i, j) in [(0, 1), (5, 40), (17, 59)] {
            let (ours, theirs) = (apart(&|i, c| y[(i, c)], i, j), apart(&|i, c| shown.layout[(i, c)], i, j));
            let free_scale = entry.name == "nonmetric-mds";
            assert!(free_scale || (ours - theirs).abs() < 1e-6 * size, "{}: {ours} {theirs}", entry.name);
        }
    });
}

#[test]
fn progress_is_reported_by_named_stage_with_its_time() {
    each(|entry| {
        let watcher = Arc::new(Watcher::default());
        let run = Run::new().with_progress(watcher.clone());
        fit(entry, sheet(200, 6, 11).view(), &run);
        let seen = watcher.0.lock().unwrap().clone();
        assert!(seen.len() >= 2, "{}: {seen:?}", entry.name);
        let booked = run.stages();
        assert!(booked.iter().all(|(name, seconds)| seen.contains(name) && *seconds >= 0.0));
    });
}

/// The method with many components, or as many as its other parameters allow.
fn with_most_components(entry: &Entry, x: ArrayView2<'_, f64>) -> Box<dyn Method> {
    let shape = AnyInput::from(x).shape();
    let of = |count: i64| {
        let mut method = (entry.create)();
        method.set("n_components", &Value::Integer(count)).ok().map(|()| method)
    };
    let fitting = [400, 6].into_iter().filter_map(of).find(|method| method.check(&shape).is_ok());
    fitting.or_else(|| of(2)).unwrap()
}

/// How long after the switch a run ended that was canceled after a delay; zero where it had finished before.
fn lateness(entry: &Entry, x: ArrayView2<'_, f64>, delay: Duration) -> Duration {
    let run = Run::new();
    let switch = run.cancel_switch();
    let timer = std::thread::spawn(move || {
        std::thread::sleep(delay);
        switch.cancel();
        Instant::now()
    });
    let result = try_fit(&*with_most_components(entry, x), x, &run);
    let ended = Instant::now();
    let canceled = timer.join().unwrap();
    match result {
        Ok(_) => assert!(ended <= canceled, "{} ignored the switch after {delay:?}", entry.name),
        Err(e) => assert_eq!(e, Error::Canceled),
    }
    ended.saturating_duration_since(canceled)
}

#[test]
fn a_canceled_run_stops_within_half_a_second() {
    each(|entry| {
        let x = sheet(3000, 1500, 12);
        for delay in [0, 30, 150, 400, 900].map(Duration::from_millis) {
            // A busy machine may be late once; a method that does not look at the switch is late every time.
            let mut late = vec![lateness(entry, x.view(), delay)];
            while late.len() < 4 && late.iter().all(|&late| late >= HALF_A_SECOND) {
                late.push(lateness(entry, x.view(), delay));
            }
            assert!(
                late.iter().any(|&late| late < HALF_A_SECOND),
                "{} after {delay:?}: {late:?}",
                entry.name
            );
        }
    });
}

#[test]
fn save_and_load_give_the_same_bits() {
    each(|entry| {
        let x = sheet(100, 5, 13);
        let model = fit(entry, x.view(), &Run::new());
        let folder = std::env::temp_dir().join(format!("lowland-{}-{}", entry.name, std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("model");
        model.save(&path).unwrap();
        let loaded = load(&path).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "a temporary file was left behind");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(loaded.entry().name, entry.name);
        assert_eq!(loaded.parameters(), model.parameters());
        assert_eq!(loaded.report(), model.report());
        let new = sheet(40, 5, 14);
        let run = Run::new();
        assert_eq!(loaded.transform(new.view().into(), &run), model.transform(new.view().into(), &run));
        assert_eq!(loaded.to_bytes().unwrap(), model.to_bytes().unwrap());
    });
}

#[test]
fn every_truncation_and_every_changed_byte_of_a_model_file_is_refused() {
    each(|entry| {
        let bytes = fit(entry, sheet(30, 3, 15).view(), &Run::new()).to_bytes().unwrap();
        assert!(load_bytes(&bytes).is_ok());
        for length in 0..bytes.len() {
            assert!(matches!(load_bytes(&bytes[..length]), Err(Error::ModelFile { .. })), "{length}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(load_bytes(&longer).is_err());
        for position in 0..bytes.len() {
            for change in [0x01, 0x20, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[position] ^= change;
                assert!(load_bytes(&changed).is_err(), "{}: byte {position} ^ {change:#x}", entry.name);
            }
        }
    });
}
