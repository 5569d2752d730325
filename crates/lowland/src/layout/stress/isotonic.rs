//! Monotone regression: the nearest sequence that does not decrease, by pooling adjacent violators (Kruskal 1964,
//! Barlow et al. 1972). Pairs of equal dissimilarity are ties: in the primary treatment they may differ, in the order
//! of their distances; in the secondary they get one value.

use std::ops::Range;

/// Replaces the values by the nearest that do not decrease, in the sense of least squares with these weights.
pub fn pool(values: &mut [f64], weights: impl Fn(usize) -> f64) {
    // Blocks of equal value: the sum of weights, the weighted sum, and where the block ends.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (k, &value) in values.iter().enumerate() {
        let weight = weights(k);
        let (mut mass, mut sum) = (weight, weight * value);
        let mut level = value;
        // Of blocks without weight, the value counts nothing: they join the one before.
        while let Some(&(before, total, _)) = blocks.last() {
            let higher = if before > 0.0 { total / before } else { f64::NEG_INFINITY };
            if mass > 0.0 && higher <= level && before > 0.0 {
                break;
            }
            blocks.pop();
            mass += before;
            sum += total;
            level = if mass > 0.0 { sum / mass } else { level };
        }
        blocks.push((mass, sum, k + 1));
    }
    let mut start = 0;
    for (mass, sum, end) in blocks {
        let level = if mass > 0.0 { sum / mass } else { 0.0 };
        values[start..end].fill(level);
        start = end;
    }
}

/// The runs of more than one equal value in a sorted sequence.
pub fn ties(sorted: &[f64]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = 0;
    for k in 1..=sorted.len() {
        if k == sorted.len() || sorted[k] != sorted[start] {
            if k - start > 1 {
                runs.push(start..k);
            }
            start = k;
        }
    }
    runs
}

/// The regression of `distances` on the order of their dissimilarities, in which they come; ties may differ.
pub fn primary(distances: &[f64], ties: &[Range<usize>], weights: impl Fn(usize) -> f64, out: &mut [f64]) {
    if ties.is_empty() {
        out.copy_from_slice(distances);
        return pool(out, weights);
    }
    let mut order: Vec<u32> = (0..distances.len() as u32).collect();
    for run in ties {
        order[run.clone()].sort_unstable_by(|&a, &b| {
            distances[a as usize].total_cmp(&distances[b as usize]).then(a.cmp(&b))
        });
    }
    let mut values: Vec<f64> = order.iter().map(|&k| distances[k as usize]).collect();
    pool(&mut values, |k| weights(order[k] as usize));
    order.iter().zip(values).for_each(|(&k, value)| out[k as usize] = value);
}

/// The same; ties get one value.
pub fn secondary(distances: &[f64], ties: &[Range<usize>], weights: impl Fn(usize) -> f64, out: &mut [f64]) {
    if ties.is_empty() {
        out.copy_from_slice(distances);
        return pool(out, weights);
    }
    let (mut levels, mut masses, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let mut start = 0;
    let mut next = ties.iter().peekable();
    while start < distances.len() {
        let end = next.next_if(|run| run.start == start).map_or(start + 1, |run| run.end);
        let mass: f64 = (start..end).map(&weights).sum();
        let sum: f64 = (start..end).map(|k| weights(k) * distances[k]).sum();
        levels.push(if mass > 0.0 { sum / mass } else { 0.0 });
        masses.push(mass);
        ends.push(end);
        start = end;
    }
    pool(&mut levels, |block| masses[block]);
    let mut start = 0;
    for (level, end) in levels.into_iter().zip(ends) {
        out[start..end].fill(level);
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lowland_base::Run;
    use rand::RngExt;

    /// The least sum of squares over all ways to cut a sequence into blocks of equal value that do not decrease.
    fn brute_force(values: &[f64], weights: &[f64]) -> (f64, Vec<f64>) {
        let n = values.len();
        let mut best = (f64::INFINITY, Vec::new());
        for cuts in 0..1_u32 << (n - 1) {
            let (mut found, mut start) = (Vec::new(), 0);
            for k in 0..n {
                if k + 1 == n || cuts >> k & 1 == 1 {
                    let mass: f64 = weights[start..=k].iter().sum();
                    let mean = (start..=k).map(|i| weights[i] * values[i]).sum::<f64>()
                        / mass.max(f64::MIN_POSITIVE);
                    found.extend(vec![mean; k + 1 - start]);
                    start = k + 1;
                }
            }
            if found.is_sorted() {
                let loss: f64 = (0..n).map(|i| weights[i] * (values[i] - found[i]).powi(2)).sum();
                if loss < best.0 {
                    best = (loss, found);
                }
            }
        }
        best
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn pooling_is_the_best_of_all_monotone_sequences() {
        let mut rng = Run::new().rng("isotonic");
        for case in 0..400 {
            let n = 1 + case % 9;
            let values: Vec<f64> = (0..n).map(|_| (rng.random::<f64>() * 6.0).floor()).collect();
            let weights: Vec<f64> = (0..n).map(|_| 1.0 + (rng.random::<f64>() * 3.0).floor()).collect();
            let mut ours = values.clone();
            pool(&mut ours, |k| weights[k]);
            let (_, best) = brute_force(&values, &weights);
            assert!(close(&ours, &best), "{values:?} {weights:?}: {ours:?} {best:?}");
        }
    }

    #[test]
    fn ties_of_both_kinds_are_the_best_of_all_that_are_allowed() {
        let mut rng = Run::new().rng("ties");
        for case in 0..200 {
            let n = 2 + case % 6;
            let mut given: Vec<f64> = (0..n).map(|_| (rng.random::<f64>() * 3.0).floor()).collect();
            given.sort_by(f64::total_cmp);
            let distances: Vec<f64> = (0..n).map(|_| rng.random::<f64>()).collect();
            let weights: Vec<f64> = (0..n).map(|_| 1.0 + (rng.random::<f64>() * 3.0).floor()).collect();
            let runs = ties(&given);
            let loss =
                |fit: &[f64]| (0..n).map(|k| weights[k] * (fit[k] - distances[k]).powi(2)).sum::<f64>();
            let (mut first, mut second) = (vec![0.0; n], vec![0.0; n]);
            primary(&distances, &runs, |k| weights[k], &mut first);
            secondary(&distances, &runs, |k| weights[k], &mut second);
            // Every order of the pairs that the dissimilarities allow, each with its best sequence.
            let mut least = f64::INFINITY;
            permutations(n, &mut |order| {
                if order.windows(2).all(|pair| given[pair[0]] <= given[pair[1]]) {
                    let values: Vec<f64> = order.iter().map(|&k| distances[k]).collect();
                    let masses: Vec<f64> = order.iter().map(|&k| weights[k]).collect();
                    least = least.min(brute_force(&values, &masses).0);
                }
            });
            assert!((loss(&first) - least).abs() < 1e-12, "{given:?} {distances:?}");
            for i in 0..n {
                for j in 0..n {
                    assert!(given[i] >= given[j] || first[i] <= first[j] + 1e-15);
                    assert!(given[i] > given[j] || second[i] <= second[j] + 1e-15, "equal where tied");
                }
            }
            // One value a tie: the best sequence of blocks, each with its mean.
            let mut levels: Vec<(f64, f64)> = Vec::new();
            for k in 0..n {
                if k == 0 || given[k] != given[k - 1] {
                    levels.push((0.0, 0.0));
                }
                let last = levels.len() - 1;
                levels[last].0 += weights[k] * distances[k];
                levels[last].1 += weights[k];
            }
            let means: Vec<f64> = levels.iter().map(|level| level.0 / level.1).collect();
            let masses: Vec<f64> = levels.iter().map(|level| level.1).collect();
            let within: f64 = {
                let mut level = 0;
                let mut sum = 0.0;
                for k in 0..n {
                    level += usize::from(k > 0 && given[k] != given[k - 1]);
                    sum += weights[k] * (distances[k] - means[level]).powi(2);
                }
                sum
            };
            let expected = within + brute_force(&means, &masses).0;
            assert!((loss(&second) - expected).abs() < 1e-12, "{given:?} {distances:?}");
        }
    }

    fn permutations(n: usize, visit: &mut impl FnMut(&[usize])) {
        fn go(order: &mut Vec<usize>, rest: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
            if rest.is_empty() {
                return visit(order);
            }
            for k in 0..rest.len() {
                let next = rest.remove(k);
                order.push(next);
                go(order, rest, visit);
                order.pop();
                rest.insert(k, next);
            }
        }
        go(&mut Vec::new(), &mut (0..n).collect(), visit);
    }
}
