//! Whether neighbors stay neighbors.

use crate::cloud::{Cloud, Target};
use crate::estimate::{self, Estimate};
use lowland_base::parallel::map_chunks;
use lowland_base::units::count;
use lowland_base::{Error, Result, Run};

/// The `k` nearest of points in the data and in the embedding, and where each stands in the other order.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighborhoods {
    /// The number of points.
    pub n: usize,
    /// The size of the neighborhoods.
    pub k: usize,
    /// The points that were looked at: all, or a sample.
    pub rows: Vec<u32>,
    /// The neighbors in the data, `k` a row.
    pub in_data: Side,
    /// The neighbors in the embedding, `k` a row.
    pub in_embedding: Side,
}

/// The neighbors in one of the two clouds, nearest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// The neighbors.
    pub neighbors: Vec<u32>,
    /// Their distances here.
    pub distances: Vec<f64>,
    /// Their distances in the other cloud.
    pub distances_there: Vec<f64>,
    /// Their ranks in the other cloud, from 1.
    pub ranks_there: Vec<u32>,
}

/// The points that are looked at, of `n` at most `most`.
pub(crate) fn sampled_rows(n: usize, most: usize, run: &Run) -> Vec<u32> {
    estimate::sample(n, most.max(2), "quality rows", run)
}

impl Neighborhoods {
    /// Compares the neighborhoods of at most `most` points, drawn at random if there are more.
    pub fn new(data: &dyn Cloud, embedding: &dyn Cloud, k: usize, most: usize, run: &Run) -> Result<Self> {
        let n = data.len();
        same_rows(n, embedding.len())?;
        estimate::check_k(k, n)?;
        let rows = sampled_rows(n, most, run);
        let in_data = Side::new(data, embedding, &rows, k, run)?;
        let in_embedding = Side::new(embedding, data, &rows, k, run)?;
        Ok(Self { n, k, rows, in_data, in_embedding })
    }

    /// 1 - the share, of the worst possible, by which points that are among the `k` nearest only in the embedding are
    /// too far away in the data (Maaten eq. 28, with the ranks the right way round). The number is scikit-learn's;
    /// `k` of half of the points or more, which that refuses, is measured against its own worst case.
    pub fn trustworthiness(&self, k: usize) -> Result<Estimate> {
        self.mean(self.trust_of_points(k)?)
    }

    /// The same for points that are among the `k` nearest only in the data, and too far away in the embedding.
    pub fn continuity(&self, k: usize) -> Result<Estimate> {
        self.mean(self.continuity_of_points(k)?)
    }

    /// The trustworthiness of each row's own neighborhood.
    pub fn trust_of_points(&self, k: usize) -> Result<Vec<f64>> {
        self.intact(&self.in_embedding, k)
    }

    /// The continuity of each row's own neighborhood.
    pub fn continuity_of_points(&self, k: usize) -> Result<Vec<f64>> {
        self.intact(&self.in_data, k)
    }

    fn intact(&self, side: &Side, k: usize) -> Result<Vec<f64>> {
        self.check(k)?;
        let worst = worst(self.n, k);
        let excess = |ranks: &[u32]| -> u64 {
            ranks[..k].iter().map(|&rank| u64::from(rank).saturating_sub(k as u64)).sum()
        };
        let intact = |ranks: &[u32]| if worst == 0.0 { 1.0 } else { 1.0 - excess(ranks) as f64 / worst };
        Ok(side.ranks_there.chunks_exact(self.k).map(intact).collect())
    }

    /// The mean relative rank errors of Lee and Verleysen, 0 to 1: over the neighbors in the data, and over those in
    /// the embedding. The order reversed is their 1. For `k` beyond a third of the points that is not quite the worst
    /// order: what is worse is 1 too.
    pub fn rank_errors(&self, k: usize) -> Result<[Estimate; 2]> {
        self.check(k)?;
        let n = self.n as f64;
        let worst: f64 = (1..=k).map(|rank| (n - 2.0 * rank as f64).abs() / rank as f64).sum();
        let errors = |side: &Side| {
            let error = |ranks: &[u32]| {
                let terms = ranks[..k].iter().zip(1_u32..);
                let sum: f64 =
                    terms.map(|(&there, here)| f64::from(there.abs_diff(here)) / f64::from(here)).sum();
                if worst == 0.0 { 0.0 } else { sum / worst }
            };
            self.mean(side.ranks_there.chunks_exact(self.k).map(error).collect())
        };
        Ok([errors(&self.in_data)?, errors(&self.in_embedding)?])
    }

    /// The corner of the co-ranking matrix: how many neighbors of rank `i + 1` in the data have rank `j + 1` in the
    /// embedding, `k` x `k`, row by row.
    pub fn coranking(&self, k: usize) -> Result<Vec<u64>> {
        self.check(k)?;
        let mut counts = vec![0; k * k];
        for ranks in self.in_data.ranks_there.chunks_exact(self.k) {
            for (here, &there) in ranks[..k].iter().enumerate() {
                if there as usize <= k {
                    counts[here * k + there as usize - 1] += 1;
                }
            }
        }
        Ok(counts)
    }

    /// How much each row's neighborhood of the data is drawn apart in the embedding, and how much its neighborhood
    /// of the embedding was pushed together: both 1 where distances keep the common scale, above 1 where the
    /// picture is not to be trusted. The first is the sum of the distances in the embedding over the sum in the data, of its
    /// neighbors in the data; the second the inverse, of its neighbors in the embedding; both in units of the median
    /// of the first. Where both sums are 0, 1; where the one that divides is, infinite.
    pub fn distortion(&self) -> (Vec<f64>, Vec<f64>) {
        let ratio = |(over, under): (&[f64], &[f64])| {
            let (over, under): (f64, f64) = (over.iter().sum(), under.iter().sum());
            (over > 0.0 || under > 0.0).then(|| over / under)
        };
        let ratios = |over: &[f64], under: &[f64]| -> Vec<Option<f64>> {
            over.chunks_exact(self.k).zip(under.chunks_exact(self.k)).map(ratio).collect()
        };
        let stretch = ratios(&self.in_data.distances_there, &self.in_data.distances);
        let compression = ratios(&self.in_embedding.distances_there, &self.in_embedding.distances);
        let usable = |s: &f64| s.is_finite() && *s > 0.0;
        let mut sorted: Vec<f64> = stretch.iter().flatten().copied().filter(usable).collect();
        let middle = sorted.len() / 2;
        let median = match sorted.is_empty() {
            true => 1.0,
            false => *sorted.select_nth_unstable_by(middle, f64::total_cmp).1,
        };
        let in_units = |ratios: Vec<Option<f64>>, unit: f64| {
            ratios.into_iter().map(|ratio| ratio.map_or(1.0, |ratio| ratio / unit)).collect()
        };
        (in_units(stretch, median), in_units(compression, 1.0 / median))
    }

    fn mean(&self, points: Vec<f64>) -> Result<Estimate> {
        Ok(Estimate::of_mean(&points, self.n).within(0.0, 1.0))
    }

    fn check(&self, k: usize) -> Result<()> {
        if (1..=self.k).contains(&k) {
            return Ok(());
        }
        let bound = format!("1 to {}, the neighbors that were looked at", self.k);
        Err(Error::parameter("n_neighbors", k, bound, "ask for fewer, or look at more"))
    }
}

impl Side {
    fn new(here: &dyn Cloud, there: &dyn Cloud, rows: &[u32], k: usize, run: &Run) -> Result<Self> {
        let stage = run.stage("neighbors", None);
        let (neighbors, distances) = here.nearest(rows, k, run)?;
        drop(stage);
        let targets: Vec<Target> = map_chunks(run, rows.len(), 256, |range| {
            let of_row = |r: usize| {
                let target =
                    |&row: &u32| Target { distance: there.distance(rows[r] as usize, row as usize), row };
                neighbors[r * k..(r + 1) * k].iter().map(target).collect::<Vec<_>>()
            };
            range.flat_map(of_row).collect::<Vec<_>>()
        })?
        .concat();
        let ranks_there = there.before(rows, &targets, run)?.into_iter().map(|before| before + 1).collect();
        let distances_there = targets.into_iter().map(|target| target.distance).collect();
        Ok(Self { neighbors, distances, distances_there, ranks_there })
    }
}

/// The most that the ranks of `k` neighbors can exceed `k`, in sum: the farthest `k` points, or, of half of the points
/// or more, all that are not neighbors.
fn worst(n: usize, k: usize) -> f64 {
    let (n, k) = (n as f64, k as f64);
    if 2.0 * k < n { k * (2.0 * n - 3.0 * k - 1.0) / 2.0 } else { (n - k) * (n - k - 1.0) / 2.0 }
}

/// Both clouds must be of the same points.
pub(crate) fn same_rows(data: usize, embedding: usize) -> Result<()> {
    if data == embedding {
        return Ok(());
    }
    let problem = format!("{} in the embedding for {} of data", count(embedding, "row"), count(data, "row"));
    Err(Error::malformed("embedding", problem, "give one row for each"))
}

/// [`Neighborhoods::trustworthiness`] of all points, without what only the other measures need.
pub fn trustworthiness(data: &dyn Cloud, embedding: &dyn Cloud, k: usize, run: &Run) -> Result<f64> {
    one_sided(data, embedding, k, run)
}

/// [`Neighborhoods::continuity`] of all points, without what only the other measures need.
pub fn continuity(data: &dyn Cloud, embedding: &dyn Cloud, k: usize, run: &Run) -> Result<f64> {
    one_sided(embedding, data, k, run)
}

/// By how much neighbors `here` are too far away `there`. Whole numbers to the last step: the same bits as any other
/// exact count.
fn one_sided(there: &dyn Cloud, here: &dyn Cloud, k: usize, run: &Run) -> Result<f64> {
    let n = there.len();
    same_rows(n, here.len())?;
    estimate::check_k(k, n)?;
    let rows: Vec<u32> = (0..n as u32).collect();
    let side = Side::new(here, there, &rows, k, run)?;
    let excess: u64 = side.ranks_there.iter().map(|&rank| u64::from(rank).saturating_sub(k as u64)).sum();
    let worst = worst(n, k) * n as f64;
    Ok(if worst == 0.0 { 1.0 } else { 1.0 - excess as f64 / worst })
}
