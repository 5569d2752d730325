//! From objects to the pairs of a stress: all of them, or some drawn for each object; without those that are missing, with
//! weights, in the order that the transformation wants.

use super::disparity::Scale;
use super::objects::{Copies, Objects};
use super::pairs::{Ends, Pairs, each_pair, pair_count};
use crate::layout::chance::Chance;
use crate::model::Warning;
use lowland_base::parallel::map_chunks;
use lowland_base::{Error, Result, Run};
use lowland_linalg::rows::power_of_two_below;
use rayon::prelude::*;

/// What the pairs of a stress weigh: `d^-power`, times what is given.
pub(crate) struct WeightRule<'w> {
    pub power: f64,
    /// The weight of a pair of objects, before their copies are put together.
    pub given: Option<&'w (dyn Fn(usize, usize) -> f64 + Sync)>,
}

/// The pairs of a stress.
pub(crate) struct Gathered {
    pub pairs: Pairs,
    /// The dissimilarities, where those of the pairs are their ranks.
    pub raw: Option<Vec<f64>>,
    pub copies: Copies,
    /// What dissimilarities were multiplied by: a power of two.
    pub unit: f64,
    /// What weights are multiplied by to be those of the dissimilarities in their own unit.
    pub weight_unit: f64,
    /// The share of all pairs of different objects that they are.
    pub share: f64,
    /// Whether they were drawn.
    pub drawn: bool,
    pub warnings: Vec<Warning>,
}

/// Purposes of random numbers.
const DRAW: u64 = 0x5354_5245_5353;
pub(crate) const AGAIN: u64 = 0x5354_5245_5354;

/// Gathers the pairs; `drawn` of them for each object, or all.
pub(crate) fn gather(
    objects: &Objects,
    sorted: Option<&Copies>,
    drawn: Option<usize>,
    scale: Scale,
    weight_rule: &WeightRule<'_>,
    run: &Run,
) -> Result<Gathered> {
    let _stage = run.stage("distances", None);
    let n = objects.len();
    let (copies, mut ends, mut given) = match (objects, drawn) {
        (Objects::Pivots { pivots, .. }, _) => {
            let (ends, given) = to_pivots(objects, pivots);
            (Copies::none(n), Ends::Listed(ends), given)
        }
        (_, Some(count)) => {
            let copies = sorted.cloned().unwrap_or_else(|| Copies::none(n));
            let (ends, given) = draw(objects, &copies, count, DRAW, run)?;
            (copies, Ends::Listed(ends), given)
        }
        (_, None) if sorted.is_some_and(Copies::any) => {
            // Few different rows among many.
            let copies = sorted.cloned().unwrap_or_else(|| Copies::none(n));
            let distances = objects.all_pairs(&copies.first, run)?;
            (copies, Ends::All, distances)
        }
        (_, None) => {
            let distances = objects.all_pairs(&Copies::none(n).first, run)?;
            let copies = if weight_rule.given.is_some() {
                Copies::none(n)
            } else {
                Copies::at_no_distance(n, &distances, matches!(objects, Objects::All { given: true, .. }))
            };
            let distances = copies.reduced(distances);
            (copies, Ends::All, distances)
        }
    };
    let different = copies.first.len();
    let mut weights =
        weight_rule.given.map(|weight| weights_of(&ends, different, &copies, weight, given.len()));
    let missing = |k: usize| given[k].is_nan() || weights.as_ref().is_some_and(|w: &Vec<f64>| w[k] <= 0.0);
    if (0..given.len()).any(missing) {
        let kept: Vec<usize> = (0..given.len()).filter(|&k| !missing(k)).collect();
        let list = listed(ends, different);
        ends = Ends::Listed(kept.iter().map(|&k| list[k]).collect());
        weights = weights.map(|weights| kept.iter().map(|&k| weights[k]).collect());
        given = kept.iter().map(|&k| given[k]).collect();
        check_connected(&copies.first, &ends)?;
    }
    let largest = given.iter().copied().fold(0.0, f64::max);
    let unit = power_of_two_below(largest);
    given.iter_mut().for_each(|d| *d *= unit);
    let mut warnings = Vec::new();
    if weight_rule.power > 0.0 {
        let floor = given.iter().copied().filter(|&d| d > 0.0).fold(f64::INFINITY, f64::min);
        let floored = given.iter().filter(|&&d| d == 0.0).count();
        if floored > 0 && floor.is_finite() {
            given.iter_mut().filter(|d| **d == 0.0).for_each(|d| *d = floor);
            warnings.push(Warning::ZeroDistances { pairs: floored, floor: floor / unit });
        }
        let power = weight_rule.power;
        let of = |d: f64| if power == 1.0 { 1.0 / d } else { d.powf(-power) };
        let mut all = weights.unwrap_or_else(|| vec![1.0; given.len()]);
        all.iter_mut().zip(&given).for_each(|(weight, &d)| *weight *= if d > 0.0 { of(d) } else { 0.0 });
        weights = Some(all);
    }
    // Of one object alone, all pairs are there.
    let share = if different < 2 { 1.0 } else { given.len() as f64 / pair_count(different) as f64 };
    let mut raw = None;
    if !scale.is_absolute() {
        let list = listed(ends, different);
        let order = sorted_order(&given, run)?;
        ends = Ends::Listed(order.iter().map(|&k| list[k as usize]).collect());
        weights = weights.map(|weights| order.iter().map(|&k| weights[k as usize]).collect());
        given = order.iter().map(|&k| given[k as usize]).collect();
        if matches!(scale, Scale::Order(_)) {
            let ranks = ranks(&given);
            raw = Some(std::mem::replace(&mut given, ranks));
        }
    }
    let drawn = drawn.is_some() || matches!(objects, Objects::Pivots { .. });
    let pairs = Pairs { n: different, ends, given, weights, mass: copies.mass() };
    Ok(Gathered {
        pairs,
        raw,
        copies,
        unit,
        weight_unit: unit.powf(weight_rule.power),
        share: share.min(1.0),
        drawn,
        warnings,
    })
}

/// Pairs of each object with every pivot; of two pivots one way.
fn to_pivots(objects: &Objects, pivots: &[usize]) -> (Vec<[u32; 2]>, Vec<f64>) {
    let n = objects.len();
    let mut number = vec![usize::MAX; n];
    pivots.iter().enumerate().for_each(|(k, &pivot)| number[pivot] = k);
    let (mut ends, mut given) = (Vec::with_capacity(n * pivots.len()), Vec::with_capacity(n * pivots.len()));
    for i in 0..n {
        for (k, &pivot) in pivots.iter().enumerate() {
            if pivot != i && (number[i] == usize::MAX || number[i] < k) {
                ends.push([i as u32, pivot as u32]);
                given.push(objects.between(i, k));
            }
        }
    }
    (ends, given)
}

/// `count` others for each different object, drawn evenly, with their distances.
pub(crate) fn draw(
    objects: &Objects,
    copies: &Copies,
    count: usize,
    purpose: u64,
    run: &Run,
) -> Result<(Vec<[u32; 2]>, Vec<f64>)> {
    let n = copies.first.len();
    let parts = map_chunks(run, n, 64, |range| {
        let (mut ends, mut given) = (Vec::new(), Vec::new());
        for i in range {
            let chance = Chance::new(run.seed(), purpose, i as u64, 0);
            for index in 0..count {
                let other = chance.below(index as u64, n - 1);
                let j = other + usize::from(other >= i);
                ends.push([i as u32, j as u32]);
                given.push(objects.between(copies.first[i], copies.first[j]));
            }
        }
        (ends, given)
    })?;
    let mut ends = Vec::with_capacity(n * count);
    let mut given = Vec::with_capacity(n * count);
    for (e, g) in parts {
        ends.extend(e);
        given.extend(g);
    }
    Ok((ends, given))
}

fn listed(ends: Ends, n: usize) -> Vec<[u32; 2]> {
    match ends {
        Ends::Listed(list) => list,
        Ends::All => {
            let mut list = Vec::with_capacity(pair_count(n));
            each_pair(n, 0..pair_count(n), |_, i, j| list.push([i as u32, j as u32]));
            list
        }
    }
}

fn weights_of(
    ends: &Ends,
    n: usize,
    copies: &Copies,
    weight: &(dyn Fn(usize, usize) -> f64 + Sync),
    count: usize,
) -> Vec<f64> {
    let mut weights = Vec::with_capacity(count);
    let mut push = |i: usize, j: usize| weights.push(weight(copies.first[i], copies.first[j]));
    match ends {
        Ends::All => each_pair(n, 0..count, |_, i, j| push(i, j)),
        Ends::Listed(list) => list.iter().for_each(|&[i, j]| push(i as usize, j as usize)),
    }
    weights
}

/// The indices of sorted values; equal ones in their order.
fn sorted_order(values: &[f64], run: &Run) -> Result<Vec<u32>> {
    let mut keyed: Vec<(f64, u32)> = values.iter().copied().zip(0..).collect();
    let sorted = run.interruptible(move || {
        keyed.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        keyed
    })?;
    Ok(sorted.into_iter().map(|(_, index)| index).collect())
}

/// The rank of each of sorted values, as a share of their number; the mean rank of equal ones.
fn ranks(sorted: &[f64]) -> Vec<f64> {
    let n = sorted.len();
    let mut ranks = vec![0.0; n];
    let mut start = 0;
    while start < n {
        let end = start + sorted[start..].partition_point(|&d| d <= sorted[start]);
        let mean = 0.5 * (start + end + 1) as f64 / n as f64;
        ranks[start..end].fill(mean);
        start = end;
    }
    ranks
}

/// Refuses pairs that leave objects apart of which nothing says where they are to each other.
fn check_connected(objects: &[usize], ends: &Ends) -> Result<()> {
    let Ends::Listed(list) = ends else { return Ok(()) };
    let n = objects.len();
    let mut root: Vec<u32> = (0..n as u32).collect();
    fn find(root: &mut [u32], mut i: u32) -> u32 {
        while root[i as usize] != i {
            root[i as usize] = root[root[i as usize] as usize];
            i = root[i as usize];
        }
        i
    }
    for &[i, j] in list {
        let (a, b) = (find(&mut root, i), find(&mut root, j));
        root[a.max(b) as usize] = a.min(b);
    }
    let roots: Vec<u32> = (0..n as u32).map(|i| find(&mut root, i)).collect();
    match roots.iter().position(|&r| r != roots[0]) {
        None => Ok(()),
        Some(apart) => {
            let groups = (0..n).filter(|&i| roots[i] as usize == i).count();
            let problem = format!(
                "{groups} groups of objects share no known distance (objects {} and {} are in two of them)",
                objects[0], objects[apart]
            );
            let remedy = "give distances between the groups, or fit them one by one";
            Err(Error::malformed("distances", problem, remedy))
        }
    }
}
