//! Disparities that are a sum of increasing functions of the dissimilarity with factors that are not negative: a ratio has
//! one, an interval a constant and a line, a spline a constant and monotone splines (Ramsay 1988). Least squares over such a
//! cone is a small problem whose matrix is known from the start.

use super::pairs::Pairs;
use lowland_base::{Result, Run};

/// The most functions.
pub const MOST: usize = 8;
/// The degree of splines, and the knots inside their range.
const DEGREE: usize = 2;
const INNER: usize = 3;

/// Increasing functions of a dissimilarity.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// `d`.
    Ratio,
    /// `1` and `d - least`.
    Interval {
        /// The least dissimilarity.
        least: f64,
    },
    /// `1` and monotone splines on these knots, the first and last of which are repeated.
    Spline {
        /// The knots.
        knots: Vec<f64>,
    },
}

impl Basis {
    /// Splines with knots at the quartiles of sorted dissimilarities.
    pub fn spline(sorted: &[f64]) -> Self {
        let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else { return Self::Ratio };
        if high <= low {
            return Self::Interval { least: low };
        }
        let mut knots = vec![low; DEGREE + 1];
        for k in 1..=INNER {
            let knot = sorted[k * (sorted.len() - 1) / (INNER + 1)];
            // Equal knots would make a spline jump.
            if knot > knots[knots.len() - 1] && knot < high {
                knots.push(knot);
            }
        }
        knots.extend([high; DEGREE + 1]);
        Self::Spline { knots }
    }

    /// How many functions.
    pub fn count(&self) -> usize {
        match self {
            Self::Ratio => 1,
            Self::Interval { .. } => 2,
            Self::Spline { knots } => knots.len() - DEGREE - 1,
        }
    }

    /// The functions at a dissimilarity; beyond the ends of splines, as at the ends.
    pub fn at(&self, d: f64) -> [f64; MOST] {
        let mut values = [0.0; MOST];
        match self {
            Self::Ratio => values[0] = d,
            Self::Interval { least } => (values[0], values[1]) = (1.0, d - least),
            Self::Spline { knots } => {
                let count = self.count();
                let d = d.clamp(knots[0], knots[knots.len() - 1]);
                // The interval that holds it: the last one holds its right end.
                let mut span = DEGREE;
                while span + 1 < count && d >= knots[span + 1] {
                    span += 1;
                }
                // The splines that are not zero there (de Boor), then their sums from the right, which increase.
                let mut local = [0.0; DEGREE + 1];
                local[0] = 1.0;
                for degree in 1..=DEGREE {
                    let mut saved = 0.0;
                    for r in 0..degree {
                        let (right, left) = (knots[span + r + 1], knots[span + 1 + r - degree]);
                        let share = local[r] / (right - left);
                        local[r] = saved + (right - d) * share;
                        saved = (d - left) * share;
                    }
                    local[degree] = saved;
                }
                let mut sum = 0.0;
                for k in (0..count).rev() {
                    if k + DEGREE >= span && k <= span {
                        sum += local[k + DEGREE - span];
                    }
                    values[k] = if k + DEGREE < span { 1.0 } else { sum };
                }
            }
        }
        values
    }

    /// Their sum with these factors.
    pub fn value(&self, d: f64, factors: &[f64; MOST]) -> f64 {
        self.at(d).iter().zip(factors).map(|(value, factor)| value * factor).sum()
    }
}

/// Least squares over a cone.
pub struct Cone {
    pub basis: Basis,
    /// The inner products of the functions, over all pairs.
    gram: [[f64; MOST]; MOST],
}

impl Cone {
    pub(crate) fn new(basis: Basis, pairs: &Pairs, run: &Run) -> Result<Self> {
        let flat: [f64; MOST * MOST] = pairs.sums(run, |index, _, _, weight| {
            let values = basis.at(pairs.given[index]);
            std::array::from_fn(|k| weight * values[k / MOST] * values[k % MOST])
        })?;
        let gram = std::array::from_fn(|a| std::array::from_fn(|b| flat[a * MOST + b]));
        Ok(Self { basis, gram })
    }

    /// The factors of the combination nearest to the distances.
    pub(crate) fn factors(&self, pairs: &Pairs, distances: &[f64], run: &Run) -> Result<[f64; MOST]> {
        let right: [f64; MOST] = pairs.sums(run, |index, _, _, weight| {
            self.basis.at(pairs.given[index]).map(|value| weight * value * distances[index])
        })?;
        Ok(nonnegative(&self.gram, &right, self.basis.count()))
    }
}

/// `min x'Gx / 2 - r'x` over `x >= 0`, by the active sets of Lawson and Hanson 1974.
fn nonnegative(gram: &[[f64; MOST]; MOST], right: &[f64; MOST], count: usize) -> [f64; MOST] {
    let mut x = [0.0; MOST];
    let mut free = [false; MOST];
    let scale = (0..count).map(|k| right[k].abs()).fold(0.0, f64::max);
    for _ in 0..6 * MOST {
        let slope = |x: &[f64; MOST], k: usize| right[k] - (0..count).map(|j| gram[k][j] * x[j]).sum::<f64>();
        let steepest = (0..count)
            .filter(|&k| !free[k] && gram[k][k] > 0.0)
            .max_by(|&a, &b| slope(&x, a).total_cmp(&slope(&x, b)));
        let Some(enter) = steepest.filter(|&k| slope(&x, k) > 1e-13 * scale) else { break };
        free[enter] = true;
        loop {
            let wanted = solve(gram, right, &free, count);
            let blocked = (0..count).filter(|&k| free[k] && wanted[k] <= 0.0);
            let step = blocked.map(|k| x[k] / (x[k] - wanted[k])).fold(1.0, f64::min);
            let all = (0..count).all(|k| !free[k] || wanted[k] > 0.0);
            for k in (0..count).filter(|&k| free[k]) {
                x[k] += if all { wanted[k] - x[k] } else { step * (wanted[k] - x[k]) };
            }
            if all {
                break;
            }
            let mut left = false;
            for k in 0..count {
                if free[k] && x[k] <= 1e-15 * x.iter().fold(0.0, |m: f64, v| m.max(*v)) {
                    (free[k], x[k], left) = (false, 0.0, true);
                }
            }
            if !left {
                break;
            }
        }
    }
    x
}

/// `G x = r` in the free variables, by elimination with pivots; dependent ones get 0.
fn solve(gram: &[[f64; MOST]; MOST], right: &[f64; MOST], free: &[bool; MOST], count: usize) -> [f64; MOST] {
    let mut left: Vec<usize> = (0..count).filter(|&k| free[k]).collect();
    let (mut g, mut r) = (*gram, *right);
    let mut order = Vec::new();
    while let Some(at) = (0..left.len()).max_by(|&a, &b| g[left[a]][left[a]].total_cmp(&g[left[b]][left[b]]))
    {
        let pivot = left.swap_remove(at);
        if g[pivot][pivot] <= 1e-14 * gram[pivot][pivot] {
            continue;
        }
        for &k in &left {
            let factor = g[k][pivot] / g[pivot][pivot];
            for j in 0..count {
                g[k][j] -= factor * g[pivot][j];
            }
            r[k] -= factor * r[pivot];
        }
        order.push(pivot);
    }
    let mut x = [0.0; MOST];
    for (at, &pivot) in order.iter().enumerate().rev() {
        let known: f64 = order[at + 1..].iter().map(|&k| g[pivot][k] * x[k]).sum();
        x[pivot] = (r[pivot] - known) / g[pivot][pivot];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splines_increase_from_nothing_to_one() {
        let sorted: Vec<f64> = (0..=100).map(|k| (f64::from(k) / 100.0).powi(2)).collect();
        let basis = Basis::spline(&sorted);
        assert_eq!(basis.count(), DEGREE + 1 + INNER);
        let mut before = basis.at(0.0);
        assert!((before[0] - 1.0).abs() < 1e-15 && before[1..].iter().all(|v| v.abs() < 1e-15));
        for k in 1..=1000 {
            let now = basis.at(f64::from(k) / 1000.0);
            for c in 0..basis.count() {
                assert!(now[c] >= before[c] - 1e-12 && (now[c] - before[c]).abs() < 0.05, "{k} {c}");
            }
            before = now;
        }
        assert!(before[..basis.count()].iter().all(|v| (v - 1.0).abs() < 1e-12), "{before:?}");
        assert_eq!(Basis::spline(&[2.0, 2.0]), Basis::Interval { least: 2.0 });
    }

    #[test]
    fn factors_are_the_best_that_are_not_negative() {
        use lowland_base::Run;
        use rand::RngExt;
        let mut rng = Run::new().rng("nonnegative");
        for case in 0..300 {
            let count = 1 + case % 4;
            let mut gram = [[0.0; MOST]; MOST];
            let mut right = [0.0; MOST];
            let rows: Vec<Vec<f64>> =
                (0..count + 2).map(|_| (0..count).map(|_| rng.random::<f64>() - 0.3).collect()).collect();
            for row in &rows {
                let wanted = rng.random::<f64>() - 0.4;
                for a in 0..count {
                    right[a] += row[a] * wanted;
                    (0..count).for_each(|b| gram[a][b] += row[a] * row[b]);
                }
            }
            let value = |x: &[f64; MOST]| {
                let quadratic: f64 =
                    (0..count).map(|a| (0..count).map(|b| x[a] * gram[a][b] * x[b]).sum::<f64>()).sum();
                0.5 * quadratic - (0..count).map(|a| right[a] * x[a]).sum::<f64>()
            };
            // The best over all sets of free variables.
            let mut least = 0.0_f64;
            for set in 1..1_usize << count {
                let free = std::array::from_fn(|k| set >> k & 1 == 1);
                let x = solve(&gram, &right, &free, count);
                if x.iter().all(|&v| v >= 0.0) {
                    least = least.min(value(&x));
                }
            }
            let ours = nonnegative(&gram, &right, count);
            assert!(ours.iter().all(|&v| v >= 0.0) && value(&ours) <= least + 1e-12, "{case}: {ours:?}");
        }
    }
}
