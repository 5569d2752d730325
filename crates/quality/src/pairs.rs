//! Whether distances stay distances: correlation and stress over pairs of points.

use crate::cloud::Cloud;
use crate::estimate::{Estimate, GROUPS};
use crate::neighborhoods::same_rows;
use lowland_base::parallel::map_chunks;
use lowland_base::{Error, Result, Run};
use rand::RngExt;

/// How the distances of the embedding follow those of the data. Over all pairs, or over a sample of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// Pearson's correlation. Where both sides are constant 1, where one is 0.
    pub pearson: Estimate,
    /// Spearman's correlation, equal distances sharing their mean rank; defined as Pearson's where constant.
    pub spearman: Estimate,
    /// 1 - the square of Pearson's correlation.
    pub residual_variance: Estimate,
    /// The sum over all pairs of the squared difference of the two distances.
    pub raw_stress: Estimate,
    /// The root of the raw stress over the sum of squared distances of the data. Infinite where only the latter is 0.
    pub normalized_stress: Estimate,
    /// The same at the best scale of the embedding: 0 to 1.
    pub scale_free_stress: Estimate,
    /// Kruskal's stress: the same for distances that only need to be in the order of those of the data (isotonic
    /// regression; pairs equally far apart in the data may be in any order): 0 to 1, and 1 for a single point.
    pub nonmetric_stress: Estimate,
}

/// Compares the distances of all pairs, or of `most` pairs drawn at random if there are more. The sums are never held;
/// the order of the distances is, for at most `held` pairs at 40 bytes each.
pub fn distances(
    data: &dyn Cloud,
    embedding: &dyn Cloud,
    most: usize,
    held: usize,
    run: &Run,
) -> Result<Distances> {
    let n = data.len();
    same_rows(n, embedding.len())?;
    if n < 2 {
        return Err(Error::TooFewRows { rows: n, needed: 2, what: "distances".into() });
    }
    let frame = Frame::new(data, embedding);
    let stage = run.stage("distances", None);
    let total = n as u64 * (n as u64 - 1) / 2;
    let (most, held) = (most.max(100 * GROUPS), held.max(100 * GROUPS));
    let sums = if total <= most as u64 {
        let parts = map_chunks(run, n, 64, |range| {
            let mut sums = Sums::default();
            for i in range {
                run.check()?;
                (0..i).for_each(|j| sums.add(frame.pair(i, j), &frame));
            }
            Ok(sums)
        })?;
        parts.into_iter().collect::<Result<Vec<_>>>()?
    } else {
        let pairs = frame.draw(most, run)?;
        let group = |pairs: &[(f64, f64)]| {
            let mut sums = Sums::default();
            pairs.iter().for_each(|&pair| sums.add(pair, &frame));
            sums
        };
        pairs.chunks(most.div_ceil(GROUPS)).map(group).collect()
    };
    let mut whole = Sums::default();
    sums.iter().for_each(|part| whole.merge(part));
    let sampled = total > most as u64;
    let estimate = |figure: &dyn Fn(&Sums) -> f64| {
        let each: Vec<f64> = if sampled { sums.iter().map(figure).collect() } else { vec![] };
        Estimate::of_groups(figure(&whole), &each, 0.0)
    };
    let raw = |s: &Sums| s.raw / s.count * total as f64 / frame.common / frame.common;
    run.check()?;

    let all = total <= held as u64;
    let pairs = if all { frame.all(run)? } else { frame.draw(held, run)? };
    let groups: Vec<&[(f64, f64)]> = if all { vec![] } else { pairs.chunks(held.div_ceil(GROUPS)).collect() };
    let ordered = |figure: fn(&[(f64, f64)]) -> f64| -> Result<Estimate> {
        let each = map_chunks(run, groups.len() + 1, 1, |c| {
            figure(if c.start == 0 { &pairs } else { groups[c.start - 1] })
        })?;
        Ok(Estimate::of_groups(each[0], &each[1..], 0.0))
    };
    let spearman = ordered(spearman)?.within(-1.0, 1.0);
    let nonmetric_stress = ordered(nonmetric)?.within(0.0, 1.0);
    drop(stage);
    Ok(Distances {
        pearson: estimate(&Sums::correlation).within(-1.0, 1.0),
        spearman,
        residual_variance: estimate(&|s| (1.0 - s.correlation().powi(2)).max(0.0)).within(0.0, 1.0),
        raw_stress: estimate(&raw).within(0.0, f64::INFINITY),
        normalized_stress: estimate(&|s| root_ratio(s.raw, s.square_x) * (frame.scales.0 / frame.common))
            .within(0.0, f64::INFINITY),
        scale_free_stress: estimate(&Sums::scale_free).within(0.0, 1.0),
        nonmetric_stress,
    })
}

fn root_ratio(over: f64, under: f64) -> f64 {
    if over == 0.0 { 0.0 } else { (over / under).sqrt() }
}

/// The pairs of two clouds, each scaled by a power of two so that squares neither overflow nor vanish.
struct Frame<'a> {
    data: &'a dyn Cloud,
    embedding: &'a dyn Cloud,
    /// The powers of two.
    scales: (f64, f64),
    /// What both clouds would be scaled by in common units.
    common: f64,
    /// About the scale of the data in units of the embedding, both scaled.
    ratio: f64,
}

impl<'a> Frame<'a> {
    fn new(data: &'a dyn Cloud, embedding: &'a dyn Cloud) -> Self {
        // No distance is more than twice the farthest from one point.
        let farthest = |cloud: &dyn Cloud| (1..cloud.len()).map(|j| cloud.distance(0, j)).fold(0.0, f64::max);
        let (x, y) = (farthest(data), farthest(embedding));
        let scale = |far: f64| {
            let usable = far > 0.0 && far.is_finite();
            if usable { (-far.log2().round()).clamp(-1000.0, 1000.0).exp2() } else { f64::INFINITY }
        };
        let (a, b) = (scale(x), scale(y));
        let common = if a.min(b) < f64::INFINITY { a.min(b) } else { 1.0 };
        let or_common = |scale: f64| if scale < f64::INFINITY { scale } else { common };
        let scales = (or_common(a), or_common(b));
        let ratio = if x > 0.0 && y > 0.0 { (x * scales.0) / (y * scales.1) } else { 0.0 };
        Self { data, embedding, scales, common, ratio }
    }

    fn pair(&self, i: usize, j: usize) -> (f64, f64) {
        (self.data.distance(i, j) * self.scales.0, self.embedding.distance(i, j) * self.scales.1)
    }

    fn all(&self, run: &Run) -> Result<Vec<(f64, f64)>> {
        let of_row = |i: usize| (0..i).map(move |j| self.pair(i, j));
        let parts = map_chunks(run, self.data.len(), 32, |range| range.flat_map(of_row).collect::<Vec<_>>())?;
        Ok(parts.concat())
    }

    /// Pairs drawn with replacement.
    fn draw(&self, count: usize, run: &Run) -> Result<Vec<(f64, f64)>> {
        let n = self.data.len();
        let mut rng = run.rng("quality pairs");
        let drawn: Vec<(u32, u32)> = (0..count)
            .map(|_| {
                let (i, j) = (rng.random_range(0..n), rng.random_range(0..n - 1));
                (i as u32, if j >= i { j + 1 } else { j } as u32)
            })
            .collect();
        let parts = map_chunks(run, count, 1024, |range| {
            drawn[range].iter().map(|&(i, j)| self.pair(i as usize, j as usize)).collect::<Vec<_>>()
        })?;
        Ok(parts.concat())
    }
}

/// Sums over pairs (x, y).
#[derive(Clone, Copy, Default)]
struct Sums {
    count: f64,
    mean_x: f64,
    mean_y: f64,
    spread_x: f64,
    spread_y: f64,
    joint: f64,
    /// Sum of `(x - y)^2`, in common units.
    raw: f64,
    square_x: f64,
    square_y: f64,
    /// With `r = x - ratio y`, which is small where the embedding is good: sums of `r^2` and `r y`.
    rest: f64,
    rest_y: f64,
}

impl Sums {
    fn add(&mut self, (x, y): (f64, f64), frame: &Frame<'_>) {
        let raw = x * (frame.common / frame.scales.0) - y * (frame.common / frame.scales.1);
        self.add_plain((x, y));
        self.raw += raw * raw;
        let r = x - frame.ratio * y;
        self.rest += r * r;
        self.rest_y += r * y;
    }

    fn add_plain(&mut self, (x, y): (f64, f64)) {
        self.count += 1.0;
        let (dx, dy) = (x - self.mean_x, y - self.mean_y);
        self.mean_x += dx / self.count;
        self.mean_y += dy / self.count;
        self.spread_x += dx * (x - self.mean_x);
        self.spread_y += dy * (y - self.mean_y);
        self.joint += dx * (y - self.mean_y);
        self.square_x += x * x;
        self.square_y += y * y;
    }

    fn merge(&mut self, other: &Self) {
        if other.count == 0.0 {
            return;
        }
        let count = self.count + other.count;
        let (dx, dy) = (other.mean_x - self.mean_x, other.mean_y - self.mean_y);
        let weight = self.count * other.count / count;
        self.spread_x += other.spread_x + dx * dx * weight;
        self.spread_y += other.spread_y + dy * dy * weight;
        self.joint += other.joint + dx * dy * weight;
        self.mean_x += dx * other.count / count;
        self.mean_y += dy * other.count / count;
        self.count = count;
        self.raw += other.raw;
        self.square_x += other.square_x;
        self.square_y += other.square_y;
        self.rest += other.rest;
        self.rest_y += other.rest_y;
    }

    fn correlation(&self) -> f64 {
        // What rounding leaves of equal numbers is no variation.
        let constant = |spread: f64, square: f64| spread <= 1e-28 * square;
        match (constant(self.spread_x, self.square_x), constant(self.spread_y, self.square_y)) {
            (true, true) => 1.0,
            (false, false) => (self.joint / (self.spread_x.sqrt() * self.spread_y.sqrt())).clamp(-1.0, 1.0),
            _ => 0.0,
        }
    }

    /// The least of `sum (x - a y)^2` over `a`, over `sum x^2`, rooted.
    fn scale_free(&self) -> f64 {
        match (self.square_x > 0.0, self.square_y > 0.0) {
            (false, false) => 0.0,
            (true, true) => {
                let least = (self.rest - self.rest_y * (self.rest_y / self.square_y)).max(0.0);
                (least / self.square_x).sqrt().min(1.0)
            }
            _ => 1.0,
        }
    }
}

/// Spearman's correlation: Pearson's of the ranks.
fn spearman(pairs: &[(f64, f64)]) -> f64 {
    let x = mean_ranks(pairs.iter().map(|pair| pair.0));
    let y = mean_ranks(pairs.iter().map(|pair| pair.1));
    let mut sums = Sums::default();
    x.into_iter().zip(y).for_each(|pair| sums.add_plain(pair));
    sums.correlation()
}

/// Ranks from 1; equal values share their mean rank.
fn mean_ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut order: Vec<(u64, u32)> = values.zip(0..).map(|(v, i)| ((v + 0.0).to_bits(), i)).collect();
    order.sort_unstable();
    let mut ranks = vec![0.0; order.len()];
    let mut done = 0;
    for equal in order.chunk_by(|a, b| a.0 == b.0) {
        let rank = done as f64 + (equal.len() + 1) as f64 / 2.0;
        equal.iter().for_each(|&(_, i)| ranks[i as usize] = rank);
        done += equal.len();
    }
    ranks
}

/// Kruskal's stress after the isotonic regression of y on the order of x, by pooling adjacent violators.
fn nonmetric(pairs: &[(f64, f64)]) -> f64 {
    let mut order: Vec<(u64, u64)> =
        pairs.iter().map(|&(x, y)| ((x + 0.0).to_bits(), (y + 0.0).to_bits())).collect();
    // Of equal x, by y: then they are in order already (the primary treatment of ties).
    order.sort_unstable();
    let square: f64 = pairs.iter().map(|pair| pair.1 * pair.1).sum();
    if square == 0.0 {
        return if pairs.iter().all(|pair| pair.0 == 0.0) { 0.0 } else { 1.0 };
    }
    // Blocks of (mean, count, sum of squared deviations).
    let mut blocks: Vec<(f64, f64, f64)> = Vec::new();
    for (_, y) in order {
        let mut block = (f64::from_bits(y), 1.0, 0.0);
        while let Some(last) = blocks.pop_if(|last| last.0 >= block.0) {
            let (count, apart) = (last.1 + block.1, block.0 - last.0);
            let mean = last.0 + apart * (block.1 / count);
            block = (mean, count, last.2 + block.2 + apart * apart * (last.1 * block.1 / count));
        }
        blocks.push(block);
    }
    (blocks.iter().map(|block| block.2).sum::<f64>() / square).sqrt().min(1.0)
}
