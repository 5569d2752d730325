//! From the times of samples to that of all rows.

/// The stages of a fit to a sample.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    pub rows: usize,
    pub stages: Vec<(String, f64)>,
}

impl Measured {
    pub fn seconds(&self) -> f64 {
        self.stages.iter().map(|stage| stage.1).sum()
    }

    fn of(&self, stage: &str) -> f64 {
        self.stages.iter().find(|(name, _)| name == stage).map_or(0.0, |(_, seconds)| *seconds)
    }
}

/// Below these seconds a time says nothing about growth.
const UNSURE: f64 = 5e-4;
/// As many samples, the largest, show how a stage grows.
const LAST: usize = 3;

/// Between which powers of the number of rows the time of a stage grows: what its algorithm does. A small sample can show
/// less, where starting takes as long as working, or more, where the caches overflow.
fn powers(stage: &str) -> (f64, f64) {
    match stage {
        "affinities" | "pairs" | "start" | "fine-tuning" | "pretraining" => (0.9, 1.15),
        "check" | "project" | "extend" | "local geometry" | "embedding" | "covariance" | "scatter" => {
            (0.9, 1.1)
        }
        "expectation maximization" | "ordering" => (0.9, 1.25),
        // A tree, or all pairs.
        "neighbors" | "index: search" => (1.0, 2.0),
        "geodesics" | "center" | "kernel" | "distances" | "short circuits" => (1.0, 2.2),
        // The separators of a plane, or of a space of many dimensions.
        "factorization" => (1.2, 3.0),
        "inverse iteration" => (1.0, 2.0),
        "singular values" | "gram matrix" | "directions" => (0.0, 3.0),
        _ => (0.5, 2.3),
    }
}

/// The part of looking at all pairs that the approximate index takes where it begins, and the power with which it grows.
const APPROXIMATE: (f64, f64) = (0.12, 1.1);

/// The seconds of each stage for `n` rows; `approximate` is the number of rows from which on the neighbors are those of
/// the approximate index.
pub(super) fn extrapolated(
    measured: &[Measured],
    n: usize,
    approximate: Option<usize>,
) -> Vec<(String, f64)> {
    let Some(last) = measured.last() else { return Vec::new() };
    let rows = last.rows as f64;
    let forecast = |(name, seconds): &(String, f64)| {
        if n <= last.rows {
            return (name.clone(), *seconds);
        }
        let (least, most) = powers(name);
        let power = power(measured, name).unwrap_or(0.5 * (least + most)).clamp(least, most);
        let at = |n: f64| seconds * (n / rows).powf(power);
        let switch = approximate.filter(|&from| name == "neighbors" && from > last.rows && n >= from);
        if name == LAYOUT {
            return (name.clone(), layout(measured, n));
        }
        let seconds = match switch.map(|from| from as f64) {
            Some(from) => APPROXIMATE.0 * at(from) * (n as f64 / from).powf(APPROXIMATE.1),
            None => at(n as f64),
        };
        (name.clone(), seconds)
    };
    last.stages.iter().map(forecast).collect()
}

/// Steps that are counted, each along the edges and over a grid: the edges grow with the rows, the grid hardly.
const LAYOUT: &str = "layout";
/// Between which shares of the time of the largest sample grow with the rows.
const GROWING: (f64, f64) = (0.4, 1.0);

fn layout(measured: &[Measured], n: usize) -> f64 {
    let Some(last) = measured.last() else { return 0.0 };
    let (rows, seconds) = (last.rows as f64, last.of(LAYOUT));
    let slope = measured.iter().rev().nth(1).map(|before| {
        (seconds - before.of(LAYOUT)) / (rows - before.rows as f64).max(1.0) * rows / seconds.max(UNSURE)
    });
    let growing = slope.unwrap_or(0.7).clamp(GROWING.0, GROWING.1);
    seconds * (1.0 + growing * (n as f64 / rows - 1.0))
}

/// The slope of the logarithms of the times, by least squares over the last samples, the larger counting more.
fn power(measured: &[Measured], stage: &str) -> Option<f64> {
    let from = measured.len().saturating_sub(LAST);
    let points: Vec<(f64, f64, f64)> = measured[from..]
        .iter()
        .filter(|sample| sample.of(stage) > UNSURE)
        .enumerate()
        .map(|(i, sample)| ((i + 1) as f64, (sample.rows as f64).ln(), sample.of(stage).ln()))
        .collect();
    if points.len() < 2 {
        return None;
    }
    let mass: f64 = points.iter().map(|p| p.0).sum();
    let mean = |of: &dyn Fn(&(f64, f64, f64)) -> f64| points.iter().map(|p| p.0 * of(p)).sum::<f64>() / mass;
    let (x, y) = (mean(&|p| p.1), mean(&|p| p.2));
    let spread = mean(&|p| (p.1 - x).powi(2));
    (spread > 0.0).then(|| mean(&|p| (p.1 - x) * (p.2 - y)) / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_found_and_kept_within_what_the_stage_can_do() {
        let sample = |rows: usize| {
            let n = rows as f64;
            let stages =
                [("neighbors", 1e-7 * n * n), ("factorization", 1e-11 * n.powi(4)), ("layout", 1e-3 * n)];
            Measured { rows, stages: stages.map(|(name, seconds)| (name.to_owned(), seconds)).to_vec() }
        };
        let found = extrapolated(&[sample(500), sample(1000), sample(2000)], 20_000, None);
        let near = |at: usize, seconds: f64| (found[at].1 / seconds - 1.0).abs() < 1e-9;
        assert!(near(0, 40.0), "{found:?}");
        // Nothing grows faster than the cube in a factorization.
        assert!(near(1, 1e-11 * 2000f64.powi(4) * 1000.0), "{found:?}");
        assert!(near(2, 20.0), "{found:?}");
        // Beyond the switch, neighbors do not cost the square any more.
        let switched = extrapolated(&[sample(500), sample(1000)], 20_000, Some(10_000));
        assert!(switched[0].1 < 0.3 * 10.0 && (switched[2].1 - 20.0).abs() < 1e-6, "{switched:?}");
        assert_eq!(extrapolated(&[sample(500)], 500, None), sample(500).stages);
    }
}
