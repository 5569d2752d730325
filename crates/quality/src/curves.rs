//! The agreement of neighborhoods of every size (Lee, Verleysen: co-ranking).

use crate::cloud::Cloud;
use crate::estimate::{self, Estimate, GROUPS};
use crate::neighborhoods::same_rows;
use lowland_base::parallel::map_chunks;
use lowland_base::{Error, Result, Run};
use rand::RngExt;

/// How far neighborhoods of every size agree. Entry `k - 1` of each curve is for `k` neighbors.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// `Q_NX`: the share of the `k` neighbors that the two clouds have in common. `k` from 1 to `n - 1`.
    pub agreement: Vec<f64>,
    /// `B_NX`: above 0 where far points become neighbors (intrusions), below where neighbors part (extrusions). `k` from 1 to
    /// `n - 1`.
    pub behavior: Vec<f64>,
    /// `R_NX`: the agreement beyond that of a random embedding (0), 1 at best. `k` from 1 to `n - 2`.
    pub beyond_chance: Vec<f64>,
    /// The mean of `R_NX`, each `k` weighted by `1 / k`: the area under it over log k.
    pub area: Estimate,
    /// The `k` at which the agreement exceeds that of chance by most (LCMC): where local ends and global begins.
    pub local_size: usize,
    /// The mean of `Q_NX` up to [`Curves::local_size`]. The interval covers that another sample would choose another
    /// size.
    pub local: Estimate,
    /// The mean of `Q_NX` beyond it; 1 where nothing is beyond.
    pub global: Estimate,
}

/// The curves over at most `most` rows, drawn at random if there are more; each is ranked against all points. Two rows
/// are sorted for each, and at most `128 n` numbers held.
pub fn curves(data: &dyn Cloud, embedding: &dyn Cloud, most: usize, run: &Run) -> Result<Curves> {
    let n = data.len();
    same_rows(n, embedding.len())?;
    if n < 3 {
        return Err(Error::TooFewRows { rows: n, needed: 3, what: "curves over the neighborhoods".into() });
    }
    let most = most.max(2 * GROUPS);
    // A sample is of equal groups.
    let most = if n <= most { most } else { most - most % GROUPS };
    let rows = estimate::sample(n, most, "quality curves", run);
    let stage = run.stage("curves", Some(rows.len() as u64));
    let sampled = rows.len() < n;
    let size = if sampled { rows.len().div_ceil(GROUPS) } else { rows.len().div_ceil(64) };
    let groups = map_chunks(run, rows.len(), size, |range| {
        let mut group = Group { rows: range.len(), joint: vec![0; n], skew: vec![0; n] };
        let (mut line, mut there) = (Vec::with_capacity(n), vec![0; n]);
        for &row in &rows[range] {
            group.add(data, embedding, row as usize, &mut line, &mut there);
            stage.advance(1)?;
        }
        Ok(group)
    })?;
    let groups = groups.into_iter().collect::<Result<Vec<Group>>>()?;
    let mut whole = Group { rows: 0, joint: vec![0; n], skew: vec![0; n] };
    for group in &groups {
        whole.rows += group.rows;
        whole.joint.iter_mut().zip(&group.joint).for_each(|(sum, g)| *sum += g);
        whole.skew.iter_mut().zip(&group.skew).for_each(|(sum, g)| *sum += g);
    }
    let agreement = whole.agreement();
    let split = Split::new(&agreement);
    let share = rows.len() as f64 / n as f64;
    let estimate = |figure: &dyn Fn(&[f64]) -> f64| {
        let each: Vec<f64> =
            if sampled { groups.iter().map(|g| figure(&g.agreement())).collect() } else { vec![] };
        Estimate::of_groups(figure(&agreement), &each, share)
    };
    let again = if sampled { resampled(&groups, n, run)? } else { Vec::new() };
    let chosen = |of: fn(&Split) -> f64| {
        let each: Vec<f64> = again.iter().map(of).collect();
        Estimate::of_resamples(of(&split), &each, share).within(0.0, 1.0)
    };
    Ok(Curves {
        area: estimate(&area).within(-1.0, 1.0),
        local: chosen(|split| split.local),
        global: chosen(|split| split.global),
        local_size: split.size,
        beyond_chance: beyond_chance(&agreement),
        behavior: whole.share(&whole.skew),
        agreement,
    })
}

/// Where local ends, and the mean agreement on both sides.
struct Split {
    size: usize,
    local: f64,
    global: f64,
}

impl Split {
    fn new(agreement: &[f64]) -> Self {
        let others = agreement.len() as f64;
        let excess = |k: usize| agreement[k - 1] - k as f64 / others;
        let better = |best: usize, k: usize| if excess(k) > excess(best) { k } else { best };
        let size = (1..=agreement.len()).reduce(better).unwrap_or(1);
        let mean = |q: &[f64]| if q.is_empty() { 1.0 } else { q.iter().sum::<f64>() / q.len() as f64 };
        let (local, global) = agreement.split_at(size.min(agreement.len()));
        Self { size, local: mean(local), global: mean(global) }
    }
}

/// How often the groups are drawn again.
const RESAMPLES: usize = 200;

/// The split of samples that are made of groups drawn with replacement: each chooses its own size.
fn resampled(groups: &[Group], n: usize, run: &Run) -> Result<Vec<Split>> {
    let mut rng = run.rng("quality curves resampled");
    let mut drawn = || {
        let mut times = vec![0_i64; groups.len()];
        (0..groups.len()).for_each(|_| times[rng.random_range(0..groups.len())] += 1);
        times
    };
    let draws: Vec<Vec<i64>> = (0..RESAMPLES).map(|_| drawn()).collect();
    map_chunks(run, RESAMPLES, 1, |draw| {
        let mut whole = Group { rows: 0, joint: vec![0; n], skew: Vec::new() };
        for (group, &times) in groups.iter().zip(&draws[draw.start]).filter(|(_, times)| **times > 0) {
            whole.rows += group.rows * times as usize;
            whole.joint.iter_mut().zip(&group.joint).for_each(|(sum, g)| *sum += times * g);
        }
        Split::new(&whole.agreement())
    })
}

/// `R_NX` of `Q_NX`.
fn beyond_chance(agreement: &[f64]) -> Vec<f64> {
    let others = agreement.len() as f64;
    let of = |(q, k): (&f64, usize)| (others * q - k as f64) / (others - k as f64);
    agreement.iter().zip(1..agreement.len()).map(of).collect()
}

fn area(agreement: &[f64]) -> f64 {
    let beyond = beyond_chance(agreement);
    let weights: f64 = (1..=beyond.len()).map(|k| 1.0 / k as f64).sum();
    beyond.iter().zip(1..).map(|(r, k)| r / f64::from(k)).sum::<f64>() / weights
}

/// What was counted over some rows.
struct Group {
    rows: usize,
    /// How many neighbors have this larger one of their two ranks.
    joint: Vec<i64>,
    /// Of these, those with the larger rank in the data, less those with it in the embedding.
    skew: Vec<i64>,
}

impl Group {
    fn add(
        &mut self,
        data: &dyn Cloud,
        embedding: &dyn Cloud,
        row: usize,
        line: &mut Vec<(u64, u32)>,
        ranks: &mut [u32],
    ) {
        order(embedding, row, line);
        for (rank, &(_, j)) in line.iter().enumerate() {
            ranks[j as usize] = rank as u32;
        }
        order(data, row, line);
        for (rank, &(_, j)) in line.iter().enumerate() {
            let there = ranks[j as usize] as usize;
            let larger = rank.max(there);
            self.joint[larger] += 1;
            self.skew[larger] += (rank > there) as i64 - (rank < there) as i64;
        }
    }

    /// The counts up to each size, over all that could be.
    fn share(&self, counts: &[i64]) -> Vec<f64> {
        let mut sum = 0;
        let sums = counts[..counts.len() - 1].iter().zip(1..);
        sums.map(|(count, k)| {
            sum += count;
            sum as f64 / (f64::from(k) * self.rows as f64)
        })
        .collect()
    }

    fn agreement(&self) -> Vec<f64> {
        self.share(&self.joint)
    }
}

/// All others by distance, then row number. The bits of numbers that are not negative are in their order.
fn order(cloud: &dyn Cloud, row: usize, line: &mut Vec<(u64, u32)>) {
    line.clear();
    let others = (0..cloud.len()).filter(|&j| j != row);
    line.extend(others.map(|j| ((cloud.distance(row, j) + 0.0).to_bits(), j as u32)));
    line.sort_unstable();
}
