//! Pairs of points with a dissimilarity each, and sums over them: the one loop that every step of a stress goes through.

use lowland_base::parallel::{fill_rows, map_chunks};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run};
use std::ops::Range;

/// Which pairs there are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ends {
    /// All with `i < j`, row by row.
    All,
    /// These.
    Listed(Vec<[u32; 2]>),
}

/// Pairs of `n` points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pairs {
    pub n: usize,
    pub ends: Ends,
    /// The dissimilarity of each pair.
    pub given: Vec<f64>,
    /// The weight of each pair; all 1 where there are none.
    pub weights: Option<Vec<f64>>,
    /// How many rows each point stands for, where some are more than one: it multiplies the weights.
    pub mass: Option<Vec<f64>>,
}

/// What a sweep over all pairs finds.
pub(crate) struct PairSums<const D: usize> {
    /// For each point the sum over its pairs of `ratio (y_i - y_j)`.
    pub pull: Vec<[f64; D]>,
    /// The sum of the second number over all pairs.
    pub sum: f64,
}

/// Works a sweep is divided into, whatever the number of threads.
const WORKS: usize = 24;
/// Pairs of a list that are worth a work of their own.
const FEWEST: usize = 4096;
const LANES: usize = 8;

/// The index of the pair `(i, i + 1)` among all.
pub(crate) fn row_start(n: usize, i: usize) -> usize {
    i * (2 * n - i - 1) / 2
}

/// The number of pairs of `n` points.
pub(crate) fn pair_count(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

/// Calls `f` with the index and the ends of the pairs at some indices among all.
pub(crate) fn each_pair(n: usize, indices: Range<usize>, mut f: impl FnMut(usize, usize, usize)) {
    // The last row that does not start after the first index.
    let (mut low, mut high) = (0, n.saturating_sub(1));
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if row_start(n, middle) <= indices.start { low = middle } else { high = middle }
    }
    let mut i = low;
    let mut index = indices.start;
    while index < indices.end {
        let start = row_start(n, i);
        let end = row_start(n, i + 1).min(indices.end);
        while index < end {
            f(index, i, i + 1 + index - start);
            index += 1;
        }
        i += 1;
    }
}

impl Pairs {
    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// The weight of a pair, but for the masses.
    pub fn weight(&self, index: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[index])
    }

    fn mass_of(&self, i: usize) -> f64 {
        self.mass.as_ref().map_or(1.0, |mass| mass[i])
    }

    /// The full weight of a pair.
    pub fn full_weight(&self, index: usize, i: usize, j: usize) -> f64 {
        self.weight(index) * self.mass_of(i) * self.mass_of(j)
    }

    /// Calls `f` with the index and the ends of some pairs.
    pub fn each(&self, indices: Range<usize>, mut f: impl FnMut(usize, usize, usize)) {
        match &self.ends {
            Ends::All => each_pair(self.n, indices, f),
            Ends::Listed(list) => {
                indices.for_each(|index| f(index, list[index][0] as usize, list[index][1] as usize));
            }
        }
    }

    /// Folds over all pairs in fixed works: the sum of what `f` adds up, over `(index, i, j, weight)`.
    pub fn sums<const K: usize>(
        &self,
        run: &Run,
        f: impl Fn(usize, usize, usize, f64) -> [f64; K] + Send + Sync,
    ) -> Result<[f64; K]> {
        let parts = map_chunks(run, self.len(), self.work(), |indices| {
            let mut sums = [0.0; K];
            self.each(indices, |index, i, j| {
                let found = f(index, i, j, self.full_weight(index, i, j));
                sums.iter_mut().zip(found).for_each(|(sum, x)| *sum += x);
            });
            sums
        })?;
        let mut sums = [0.0; K];
        parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x));
        Ok(sums)
    }

    fn work(&self) -> usize {
        self.len().div_ceil(WORKS).max(FEWEST)
    }

    /// The distance of each pair in the layout.
    pub fn distances<const D: usize>(&self, y: &[[f64; D]], out: &mut [f64], run: &Run) -> Result<()> {
        fill_rows(run, out, 1, self.work(), |indices, out| {
            let first = indices.start;
            self.each(indices, |index, i, j| out[index - first] = apart(&y[i], &y[j]));
        })
    }

    /// `sum_j ratio_ij (y_i - y_j)` for every point, and the sum of the losses: `of` gives both, from the squared
    /// distance in the layout, the target and the weight.
    pub fn sweep<const D: usize>(
        &self,
        y: &[[f64; D]],
        targets: &[f64],
        of: impl Fn(f64, f64, f64) -> (f64, f64) + Copy + Send + Sync,
        run: &Run,
    ) -> Result<PairSums<D>> {
        match &self.ends {
            Ends::All => self.sweep_all(y, targets, of, run),
            Ends::Listed(list) => self.sweep_list(list, y, targets, of, run),
        }
    }

    fn sweep_list<const D: usize>(
        &self,
        list: &[[u32; 2]],
        y: &[[f64; D]],
        targets: &[f64],
        of: impl Fn(f64, f64, f64) -> (f64, f64) + Copy + Send + Sync,
        run: &Run,
    ) -> Result<PairSums<D>> {
        let parts = map_chunks(run, list.len(), self.work(), |indices| {
            let mut pull = vec![[0.0; D]; self.n];
            let mut sum = 0.0;
            for index in indices {
                let [i, j] = list[index].map(|end| end as usize);
                let mut difference = [0.0; D];
                let mut squared = 0.0;
                for c in 0..D {
                    difference[c] = y[i][c] - y[j][c];
                    squared += difference[c] * difference[c];
                }
                let (ratio, loss) = of(squared, targets[index], self.full_weight(index, i, j));
                sum += loss;
                for c in 0..D {
                    pull[i][c] += ratio * difference[c];
                    pull[j][c] -= ratio * difference[c];
                }
            }
            (pull, sum)
        })?;
        let mut pair_sums = PairSums { pull: vec![[0.0; D]; self.n], sum: 0.0 };
        for (pull, sum) in parts {
            pair_sums.sum += sum;
            add(pair_sums.pull.as_flattened_mut(), pull.as_flattened());
        }
        Ok(pair_sums)
    }

    fn sweep_all<const D: usize>(
        &self,
        y: &[[f64; D]],
        targets: &[f64],
        of: impl Fn(f64, f64, f64) -> (f64, f64) + Copy + Send + Sync,
        run: &Run,
    ) -> Result<PairSums<D>> {
        let n = self.n;
        // One component after the other, so that vectors are read from consecutive points.
        let columns: Vec<Vec<f64>> = (0..D).map(|c| y.iter().map(|y| y[c]).collect()).collect();
        let bounds = row_bounds(n);
        let ones = vec![1.0; if self.weights.is_none() { n } else { 0 }];
        let works: Vec<(Vec<Vec<f64>>, f64)> = map_chunks(run, bounds.len() - 1, 1, |work| {
            let rows = bounds[work.start]..bounds[work.end];
            let mut pull = vec![vec![0.0; n]; D];
            let mut sum = 0.0;
            for i in rows {
                let indices = row_start(n, i)..row_start(n, i + 1);
                let weights = match &self.weights {
                    Some(weights) => &weights[indices.clone()],
                    None => &ones[i + 1..],
                };
                let row = Row {
                    at: std::array::from_fn::<f64, D, _>(|c| columns[c][i]),
                    others: std::array::from_fn::<&[f64], D, _>(|c| &columns[c][i + 1..]),
                    targets: &targets[indices],
                    weights,
                    mass: self.mass.as_ref().map(|mass| (mass[i], &mass[i + 1..])),
                };
                let mut tails = pull.iter_mut().map(|column| &mut column[i + 1..]);
                let mut tails: [&mut [f64]; D] = std::array::from_fn(|_| tails.next().unwrap_or_default());
                let (own, loss) = vectorized(
                    #[inline(always)]
                    || row.sum(&mut tails, of),
                );
                sum += loss;
                for c in 0..D {
                    pull[c][i] += own[c];
                }
            }
            (pull, sum)
        })?;
        let mut pair_sums = PairSums { pull: vec![[0.0; D]; n], sum: 0.0 };
        for (pull, sum) in works {
            pair_sums.sum += sum;
            for (c, column) in pull.iter().enumerate() {
                pair_sums.pull.iter_mut().zip(column).for_each(|(out, x)| out[c] += x);
            }
        }
        Ok(pair_sums)
    }
}

/// Rows in works of about as many pairs each.
fn row_bounds(n: usize) -> Vec<usize> {
    let (total, mut bounds) = (pair_count(n), vec![0]);
    for work in 1..WORKS {
        let wanted = (total as f64 * work as f64 / WORKS as f64) as usize;
        let mut row = bounds[bounds.len() - 1];
        while row < n && row_start(n, row) < wanted {
            row += 1;
        }
        if row > bounds[bounds.len() - 1] {
            bounds.push(row);
        }
    }
    if bounds[bounds.len() - 1] < n || bounds.len() == 1 {
        bounds.push(n);
    }
    bounds
}

fn add(sums: &mut [f64], more: &[f64]) {
    sums.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
}

/// The straight distance.
pub(crate) fn apart<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    let mut squared = 0.0;
    for c in 0..D {
        squared += (a[c] - b[c]) * (a[c] - b[c]);
    }
    squared.sqrt()
}

/// One point and all after it.
struct Row<'a, const D: usize> {
    at: [f64; D],
    others: [&'a [f64]; D],
    targets: &'a [f64],
    weights: &'a [f64],
    mass: Option<(f64, &'a [f64])>,
}

impl<const D: usize> Row<'_, D> {
    #[inline(always)]
    fn sum(
        &self,
        pull: &mut [&mut [f64]; D],
        of: impl Fn(f64, f64, f64) -> (f64, f64) + Copy,
    ) -> ([f64; D], f64) {
        let mut own = [[0.0; LANES]; D];
        let mut loss = [0.0; LANES];
        let count = self.targets.len();
        let mut start = 0;
        while start < count {
            let width = LANES.min(count - start);
            if width == LANES {
                self.lanes::<LANES>(start, LANES, pull, of, &mut own, &mut loss);
            } else {
                self.lanes::<LANES>(start, width, pull, of, &mut own, &mut loss);
            }
            start += width;
        }
        (own.map(|lanes| lanes.iter().sum()), loss.iter().sum())
    }

    #[inline(always)]
    fn lanes<const L: usize>(
        &self,
        start: usize,
        width: usize,
        pull: &mut [&mut [f64]; D],
        of: impl Fn(f64, f64, f64) -> (f64, f64) + Copy,
        own: &mut [[f64; L]; D],
        loss: &mut [f64; L],
    ) {
        let read = |from: &[f64]| -> [f64; L] {
            let mut lanes = [0.0; L];
            lanes[..width].copy_from_slice(&from[start..start + width]);
            lanes
        };
        let mut difference = [[0.0; L]; D];
        let mut squared = [0.0; L];
        for c in 0..D {
            let others = read(self.others[c]);
            for l in 0..L {
                difference[c][l] = self.at[c] - others[l];
                squared[l] += difference[c][l] * difference[c][l];
            }
        }
        let targets = read(self.targets);
        // Lanes beyond the end have no weight.
        let mut weights = read(self.weights);
        if let Some((mass, masses)) = self.mass {
            let masses = read(masses);
            (0..L).for_each(|l| weights[l] *= mass * masses[l]);
        }
        let mut ratio = [0.0; L];
        for l in 0..L {
            let (pull, lost) = of(squared[l], targets[l], weights[l]);
            ratio[l] = pull;
            loss[l] += lost;
        }
        for c in 0..D {
            let mut sums = read(&*pull[c]);
            for l in 0..L {
                let force = ratio[l] * difference[c][l];
                own[c][l] += force;
                sums[l] -= force;
            }
            pull[c][start..start + width].copy_from_slice(&sums[..width]);
        }
    }
}
