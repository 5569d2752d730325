//! The smallest eigenpairs by products alone: block Lanczos on a Chebyshev polynomial of the matrix.
//!
//! Plain Lanczos would need thousands of vectors for eigenvalues of 1e-6 of the norm. The polynomial of odd
//! degree `d` that oscillates between -1 and 1 on `[cut, top]` and grows like `cosh(d acosh t)` below `cut`
//! makes every Lanczos step worth `d` products, with `cut` and `d` taken from the Ritz values found so far.

use super::block;
use super::krylov::{self, Cycle, Transform};
use super::symmetric::{Found, Goal, Symmetric};
use faer::Mat;
use lowland_base::{Result, Run, Slowed};
use std::time::Instant;

/// `d acosh t` at the last wanted eigenvalue: each Lanczos step amplifies it tenfold over the unwanted.
const GAIN: f64 = 3.0;
/// The same at the smallest eigenvalue, at most: more would drown the other wanted ones in its rounding.
const LARGEST_GAIN: f64 = 16.0;
/// The degree at which one block step already takes seconds on a large matrix.
const LARGEST_DEGREE: f64 = 4001.0;
/// A degree beyond this says that the cut lies in a cluster with the wanted eigenvalues.
const CLUSTERED: usize = 601;
/// Lanczos blocks of a cycle.
const BLOCKS: usize = 6;
/// Cycles without progress before the subspace is widened.
const PATIENCE: usize = 4;
/// Widenings without progress before giving up.
const WIDENINGS: usize = 3;

/// The odd Chebyshev polynomial `T_d((middle - A) / half)`.
///
/// Odd, because then an eigenvalue above a `top` that was estimated too low is amplified downwards, away
/// from the wanted end: the estimate can cost time, but never give a wrong answer.
pub(super) struct Chebyshev<'a> {
    matrix: &'a dyn Symmetric,
    middle: f64,
    half: f64,
    degree: usize,
    products: usize,
}

impl<'a> Chebyshev<'a> {
    fn new(matrix: &'a dyn Symmetric, cut: f64, top: f64, degree: usize) -> Self {
        Self { matrix, middle: 0.5 * (top + cut), half: 0.5 * (top - cut), degree, products: 0 }
    }

    /// `top - A`: the polynomial of degree one, up to a factor and a shift.
    pub fn reflection(matrix: &'a dyn Symmetric, top: f64) -> Self {
        Self { matrix, middle: top, half: 1.0, degree: 1, products: 0 }
    }
}

impl Transform for Chebyshev<'_> {
    /// `T_0 = x`, `T_1 = t x`, `T_k = 2 t T_(k-1) - T_(k-2)`.
    fn apply(&mut self, x: &[f64], width: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let mut before = x.to_vec();
        let mut product = vec![0.0; x.len()];
        self.matrix.multiply(x, width, out, run)?;
        for (out, x) in out.iter_mut().zip(x) {
            *out = (self.middle * x - *out) / self.half;
        }
        let twice = 2.0 / self.half;
        for _ in 1..self.degree {
            self.matrix.multiply(out, width, &mut product, run)?;
            for ((before, now), product) in before.iter_mut().zip(out.iter_mut()).zip(&product) {
                let next = twice * (self.middle * *now - product) - *before;
                (*before, *now) = (*now, next);
            }
        }
        self.products += self.degree * width;
        Ok(())
    }
}

/// The way that a memory budget excludes.
#[derive(Clone, Copy)]
pub(super) struct Excluded {
    pub seconds: f64,
    pub bytes: u64,
}

/// What the budget makes slower.
const SLOWER: &str = "the eigenpairs";
/// A delay below these seconds is not worth a word, nor one by less than this factor.
const WORTH_A_WORD: (f64, f64) = (1.0, 3.0);
/// As many cycles of the polynomial now known are usual.
const USUAL_CYCLES: f64 = 3.0;

impl Excluded {
    /// Says what the budget costs, once the cost of a product and the degree are known, and again where it becomes more
    /// than twice of what was said: the seconds said last.
    fn report(self, ahead: usize, (products, begun): (usize, Instant), reported: f64, run: &Run) -> f64 {
        let spent = begun.elapsed().as_secs_f64();
        let seconds = spent + spent / products.max(1) as f64 * USUAL_CYCLES * ahead as f64;
        let worth =
            seconds > WORTH_A_WORD.0 && seconds > WORTH_A_WORD.1 * self.seconds && seconds > 2.0 * reported;
        let Some(budget) = run.memory().filter(|_| worth) else { return reported };
        let (what, without, needed) = (SLOWER.to_owned(), self.seconds, self.bytes);
        run.note_slowed(Slowed { what, seconds, without, budget, needed });
        seconds
    }
}

/// The pairs. Gives up when wider subspaces bring no progress either, and before a cycle that would exceed
/// `limit` products with a single vector.
pub(super) fn solve(
    matrix: &dyn Symmetric,
    goal: Goal,
    limit: usize,
    excluded: Option<Excluded>,
    run: &Run,
) -> Result<Found> {
    let (n, count) = (matrix.order(), goal.count);
    let stage = run.stage("filtered iteration", None);
    let begun = Instant::now();
    let inside = &run.with_silent_loops();
    let mut rng = run.rng("filter start");
    let top = upper_end(matrix, inside)?;
    let mut kept = kept_width(count).min(n);
    let mut start = block::random(n, kept, &mut rng);
    let mut filter = Chebyshev::reflection(matrix, top);
    let (mut products, mut steps, mut patience, mut widenings) = (0, 0, 0, 0);
    let (mut best, mut first, mut share, mut reported) = (f64::INFINITY, 0.0f64, 0.0f64, 0.0);
    loop {
        let request = Cycle {
            wanted: count,
            kept,
            dimension: BLOCKS * kept,
            goal: (0.1 * goal.wanted / top.abs()).max(1e-14),
            goal_per_value: f64::INFINITY,
            rough: 0,
            reports_progress: false,
        };
        let leading = request.expand(&mut filter, start, &mut rng, inside)?;
        steps += leading.steps;
        products += filter.products;
        stage.advance(filter.products as u64)?;
        let all = leading.len();
        let ritz = matrix.rayleigh_ritz(leading.vectors(all, inside)?, steps, inside)?;
        let worst = ritz.worst(count);
        let next = next_filter(matrix, &ritz.values, count, top);
        let progress = worst < 0.5 * best;
        let converged = worst <= goal.wanted || (worst <= goal.allowed && !progress);
        let over = products + next.degree * BLOCKS * kept > limit || ritz.vectors.ncols() >= n;
        if converged || over {
            run.finalize_slowed(SLOWER, begun.elapsed().as_secs_f64());
            return Ok(ritz);
        }
        // From the first residual to the wanted one, on a logarithmic scale.
        first = first.max(worst);
        share = share.max((first / worst).ln() / (first / goal.wanted).ln());
        run.share(share);
        if let Some(excluded) = excluded {
            reported = excluded.report(next.degree * BLOCKS * kept, (products, begun), reported, run);
        }
        if progress {
            (patience, widenings, best) = (0, 0, worst);
        } else {
            patience += 1;
        }
        filter = next;
        start = ritz.vectors.clone();
        let clustered = filter.degree > CLUSTERED && kept < 10 * count + 40;
        if patience >= PATIENCE || clustered {
            // A cluster that does not separate from the guard vectors needs more of them.
            let fresh = kept.min(n - kept);
            let bytes = krylov::memory(n, BLOCKS * (kept + fresh), kept + fresh);
            let fits = run.memory().is_none_or(|budget| bytes <= budget);
            if patience >= PATIENCE && (widenings == WIDENINGS || !fits) {
                return Ok(ritz);
            }
            if fits {
                widenings += usize::from(patience >= PATIENCE);
                patience = 0;
                kept += fresh;
                start = block::beside(start.as_ref(), block::random(n, fresh, &mut rng).as_ref());
                filter.degree = filter.degree.min(CLUSTERED);
            }
        }
    }
}

/// The wanted vectors and some guards, so that the cut lies clear of the wanted ones.
pub(super) fn kept_width(count: usize) -> usize {
    match count {
        0..=2 => 6,
        3..=5 => 8,
        6..=8 => 12,
        _ => count + count.div_ceil(2),
    }
}

/// The next polynomial: it cuts at the last Ritz value, which lies above its eigenvalue and sinks to it.
fn next_filter<'a>(matrix: &'a dyn Symmetric, values: &[f64], count: usize, top: f64) -> Chebyshev<'a> {
    let (first, last) = (values[0], values[count - 1]);
    let floor = 4.0 * f64::EPSILON * top.abs();
    let cut = values[values.len() - 1].max(last + floor).min(0.5 * (first + top)).max(first + floor);
    // acosh(1 + x) by a formula that is exact for small x.
    let growth = |value: f64| {
        let x = 2.0 * (cut - value) / (top - cut);
        (x + (x * (2.0 + x)).sqrt()).ln_1p()
    };
    let by_last = GAIN / growth(last.min(cut - floor));
    let by_first = LARGEST_GAIN / growth(first);
    let degree = by_last.min(by_first).clamp(3.0, LARGEST_DEGREE) as usize | 1;
    Chebyshev::new(matrix, cut, top, degree)
}

/// Just above the largest eigenvalue: Lanczos's estimate and its residual, within the known bound.
fn upper_end(matrix: &dyn Symmetric, run: &Run) -> Result<f64> {
    struct Product<'a>(&'a dyn Symmetric);
    impl Transform for Product<'_> {
        fn apply(&mut self, x: &[f64], width: usize, out: &mut [f64], run: &Run) -> Result<()> {
            self.0.multiply(x, width, out, run)
        }
    }
    let mut rng = run.rng("largest eigenvalue");
    let start: Mat<f64> = block::random(matrix.order(), 1, &mut rng);
    let request = Cycle {
        wanted: 1,
        kept: 1,
        dimension: 24,
        goal: 1e-3,
        goal_per_value: f64::INFINITY,
        rough: 0,
        reports_progress: false,
    };
    let leading = request.expand(&mut Product(matrix), start, &mut rng, run)?;
    let (all, steps) = (leading.len(), leading.steps);
    let ritz = matrix.rayleigh_ritz(leading.vectors(all, run)?, steps, run)?;
    let estimate = ritz.values.first().copied().unwrap_or(0.0) + ritz.residuals.first().unwrap_or(&0.0);
    Ok((1.01 * estimate.abs()).max(f64::MIN_POSITIVE).min(matrix.bound()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_a_budget_costs_is_said_once_and_settled_in_the_end() {
        let run = Run::new().with_memory(1 << 20);
        let excluded = Excluded { seconds: 0.3, bytes: 1 << 24 };
        let Some(begun) = Instant::now().checked_sub(Duration::from_secs(1)) else { return };
        // A tenth of a second a product, and a thousand of them in each cycle to come.
        let reported = excluded.report(1000, (10, begun), 0.0, &run);
        assert!((300.0..330.0).contains(&reported), "{reported}");
        assert_eq!(excluded.report(1100, (10, begun), reported, &run), reported);
        run.finalize_slowed(SLOWER, 36.0);
        let notes = run.take_slowed();
        assert_eq!((notes.len(), notes[0].seconds, notes[0].needed), (1, 36.0, 1 << 24));
        // Nobody minds what takes as long anyway.
        assert_eq!(Excluded { seconds: 500.0, ..excluded }.report(1000, (10, begun), 0.0, &run), 0.0);
        assert!(run.take_slowed().is_empty());
    }
}
