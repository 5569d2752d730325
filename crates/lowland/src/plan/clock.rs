//! The time of each stage without the stages inside it.

use lowland_base::Progress;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// An observer that keeps time.
#[derive(Default)]
pub(super) struct Clock(Mutex<Times>);

#[derive(Default)]
struct Times {
    /// The stages under way, the innermost last: name, begin, seconds of the stages inside.
    open: Vec<(String, Instant, f64)>,
    own: Vec<(String, f64)>,
}

impl Clock {
    /// The own seconds of each stage in the order of their ends, and what is left of the whole.
    pub fn stages(&self, whole: f64) -> Vec<(String, f64)> {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stages = times.own.clone();
        let rest = whole - stages.iter().map(|stage| stage.1).sum::<f64>();
        stages.push(("the rest".into(), rest.max(0.0)));
        stages
    }
}

impl Progress for Clock {
    fn begin(&self, stage: &str, _total: Option<u64>) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.open.push((stage.to_owned(), Instant::now(), 0.0));
    }

    fn advance(&self, _stage: &str, _done: u64) {}

    fn end(&self, stage: &str, _seconds: f64) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = times.open.iter().rposition(|open| open.0 == stage) else { return };
        let (name, begun, inside) = times.open.remove(at);
        let seconds = begun.elapsed().as_secs_f64();
        if let Some(outer) = times.open.last_mut() {
            outer.2 += seconds;
        }
        let own = (seconds - inside).max(0.0);
        match times.own.iter_mut().find(|stage| stage.0 == name) {
            Some(stage) => stage.1 += own,
            None => times.own.push((name, own)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_stage_does_not_count_what_is_inside_it() {
        let clock = Clock::default();
        clock.begin("outer", None);
        clock.begin("inner", None);
        std::thread::sleep(Duration::from_millis(30));
        clock.end("inner", 0.0);
        clock.end("outer", 0.0);
        let stages = clock.stages(0.05);
        let of = |name: &str| stages.iter().find(|stage| stage.0 == name).unwrap().1;
        assert!(of("inner") >= 0.03 && of("outer") < 0.02, "{stages:?}");
        assert!(
            (stages.iter().map(|stage| stage.1).sum::<f64>() - 0.05f64.max(of("inner") + of("outer"))).abs()
                < 1e-9
        );
    }
}
