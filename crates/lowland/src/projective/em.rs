//! Expectation maximisation for the latent Gaussian model, with any cells missing: probabilistic PCA where the noise
//! is the same in all columns, factor analysis where it is not. A round costs as many operations as the data have
//! cells times the factors, plus the square of the factors for each missing cell.

use super::Gaussian;
use super::gaussian::{cholesky, eigen_of_small, inverse_of_factor};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use lowland_base::parallel::{fill_rows, fold_in_order};
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar};
use lowland_linalg::rows::power_of_two_below;
use ndarray::{Array2, ArrayView2};

/// What is asked for.
pub(crate) struct Request {
    pub factors: usize,
    /// Whether all columns have the same noise.
    pub isotropic: bool,
    /// The fit ends when a round adds less than this to the mean log-likelihood of a row.
    pub tolerance: f64,
    pub rounds: usize,
}

/// What was found.
pub(crate) struct Fitted {
    pub density: Gaussian,
    /// The mean log-likelihood of a row before each round, and after the last.
    pub history: Vec<f64>,
    /// What the last round added.
    pub change: f64,
    pub converged: bool,
}

/// The least noise of a column of its own, relative to its variance: a column that its factors explain in full (Heywood's
/// case) would make the density infinite.
pub(crate) const LEAST_OWN_NOISE: f64 = 1e-8;
/// The least noise of all columns together, relative to their variance.
const LEAST_NOISE: f64 = 1e-12;

/// By how much the steps are lengthened each time.
const GROWTH: f64 = 1.3;

/// Rows of a chunk.
const CHUNK: usize = 256;

/// The data less the current mean, in units of their size; zero where they are missing.
struct Table {
    n: usize,
    d: usize,
    values: Vec<f64>,
    /// The missing columns of each row.
    missing: Vec<Vec<u32>>,
    /// How many cells of each column are there.
    seen: Vec<usize>,
    scale: f64,
    /// Where the zero of the table lies, in the table's units, beyond the first mean.
    offset: Vec<f64>,
}

/// The parameters, in the units of the table; the mean is the step from the table's zero.
#[derive(Clone)]
struct State {
    mean: Vec<f64>,
    loadings: Vec<f64>,
    noise: Vec<f64>,
}

/// The sums of one pass over the data.
struct Sums {
    log_likelihood: f64,
    /// Of `[z 1]'[z 1]` and its covariance, over all rows: lower triangle, packed.
    moments: Vec<f64>,
    /// The same for each column, over the rows where it is missing (or, where that is most, where it is there).
    of_column: Vec<f64>,
    /// `x' [z 1]`.
    products: Vec<f64>,
    /// The squares of each column.
    squares: Vec<f64>,
}

/// What a thread works in: its sums, a chunk's moments, and the rest.
struct Scratch {
    sums: Sums,
    factors: Vec<f64>,
    right: Vec<f64>,
}

/// Fits the model to rows in which NaN is missing.
pub(crate) fn fit<T: Scalar>(
    x: ArrayView2<'_, T>,
    start: impl FnOnce(ArrayView2<'_, f64>) -> Result<(Array2<f64>, f64)>,
    request: &Request,
    run: &Run,
) -> Result<Fitted> {
    let (mut table, center) = Table::new(x, run)?;
    let (d, k) = (table.d, request.factors);
    // The start works on the table with missing cells at their means.
    let filled = ArrayView2::from_shape((table.n, d), &table.values);
    let (loadings, noise) = match filled {
        Ok(filled) => start(filled)?,
        Err(_) => (Array2::zeros((d, k)), 1.0),
    };
    let floors = table.floors(request.isotropic);
    let mut state = State {
        mean: vec![0.0; d],
        loadings: loadings.iter().copied().collect(),
        noise: floors.iter().map(|&floor| noise.max(floor)).collect(),
    };
    let stage = run.stage("expectation maximisation", Some(request.rounds as u64));
    let (mut history, mut change, mut converged): (Vec<f64>, f64, bool) = (Vec::new(), f64::INFINITY, false);
    let cells = table.seen.iter().sum::<usize>() as f64 / table.n as f64;
    // Steps longer than the round's own, as long as the likelihood rises (Salakhutdinov and Roweis 2003); where it does
    // not, back to where the round alone would have led.
    let (mut stretch, mut plain): (f64, Option<State>) = (1.0, None);
    for round in 0..=request.rounds {
        let sums = table.sums(&state, k, run)?;
        let mean = sums.log_likelihood / table.n as f64 + cells * table.scale.ln();
        if let (Some(&last), Some(mut safe)) = (history.last(), plain.take())
            && stretch > 1.0
            && (mean.is_nan() || mean <= last)
        {
            safe.mean.iter_mut().for_each(|step| *step *= 1.0 - stretch);
            state = safe;
            table.move_to(&mut state, run)?;
            stretch = 1.0;
            stage.advance(1)?;
            continue;
        }
        if let Some(&last) = history.last() {
            change = mean - last;
        }
        history.push(mean);
        converged = change < request.tolerance;
        if converged || round == request.rounds {
            break;
        }
        let before = state.clone();
        state.maximise(&table, &sums, k, request.isotropic, &floors);
        if history.len() > 3 {
            stretch *= GROWTH;
            plain = Some(state.clone());
            state.stretch(&before, stretch, &floors);
        }
        table.move_to(&mut state, run)?;
        stage.advance(1)?;
    }
    Ok(Fitted { density: state.finished(&table, &center, k, run)?, history, change, converged })
}

impl Table {
    fn new<T: Scalar>(x: ArrayView2<'_, T>, run: &Run) -> Result<(Self, Vec<f64>)> {
        let (n, d) = x.dim();
        let (mut center, mut seen, mut spread) = (vec![0.0; d], vec![0; d], 0.0f64);
        for (j, column) in x.columns().into_iter().enumerate() {
            run.check()?;
            let here = || column.iter().map(|value| value.wide()).filter(|value| !value.is_nan());
            seen[j] = here().count();
            let first = here().next().unwrap_or(0.0);
            center[j] = first + here().map(|value| value - first).sum::<f64>() / seen[j].max(1) as f64;
            spread = here().fold(spread, |most, value| most.max((value - center[j]).abs()));
        }
        let scale = power_of_two_below(spread);
        let mut values = vec![0.0; n * d];
        fill_rows(run, &mut values, d, CHUNK, |rows, out| {
            for (row, out) in rows.zip(out.chunks_exact_mut(d)) {
                for (j, out) in out.iter_mut().enumerate() {
                    let value = x[(row, j)].wide();
                    *out = if value.is_nan() { 0.0 } else { (value - center[j]) * scale };
                }
            }
        })?;
        let holes = |row: usize| {
            let row = x.row(row);
            (0..d).filter(|&j| row[j].is_nan()).map(|j| j as u32).collect()
        };
        Ok((
            Self { n, d, values, missing: (0..n).map(holes).collect(), seen, scale, offset: vec![0.0; d] },
            center,
        ))
    }

    /// The least noise of each column.
    fn floors(&self, isotropic: bool) -> Vec<f64> {
        let mut squares = vec![0.0; self.d];
        for row in self.values.chunks_exact(self.d) {
            squares.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
        }
        let variances: Vec<f64> =
            squares.iter().zip(&self.seen).map(|(sum, &seen)| sum / seen.max(1) as f64).collect();
        let mean = variances.iter().sum::<f64>() / self.d as f64;
        let least = (LEAST_NOISE * mean).max(f64::MIN_POSITIVE * 1e10);
        if isotropic {
            return vec![least; self.d];
        }
        variances.iter().map(|v| (LEAST_OWN_NOISE * v).max(least)).collect()
    }

    /// Whether a column's moments are summed over the rows where it is there, and not over the others.
    fn by_seen(&self, column: usize) -> bool {
        2 * self.seen[column] < self.n
    }

    /// One pass: what the factors behind each row are, and the sums that the next parameters need.
    fn sums(&self, state: &State, k: usize, run: &Run) -> Result<Sums> {
        let (d, width) = (self.d, k + 1);
        let packed = width * (width + 1) / 2;
        let weighted: Vec<f64> =
            (0..d * k).map(|at| state.loadings[at] / state.noise[at / k.max(1)]).collect();
        // What each column adds to the precision of the factors, and to the logarithm of its determinant.
        let mut of_cell = vec![0.0; d * packed];
        let mut all = vec![0.0; packed];
        for j in 0..d {
            let cell = &mut of_cell[j * packed..][..packed];
            for a in 0..k {
                for b in 0..=a {
                    let value = weighted[j * k + a] * state.loadings[j * k + b];
                    cell[a * (a + 1) / 2 + b] = value;
                    all[a * (a + 1) / 2 + b] += value;
                }
            }
        }
        let log_noise: Vec<f64> = state.noise.iter().map(|noise| noise.ln()).collect();
        let inverse: Vec<f64> = state.noise.iter().map(|noise| 1.0 / noise).collect();
        let all_log_noise: f64 = log_noise.iter().sum();
        let complete = posterior_covariance(&all, k);
        let empty = || Sums {
            log_likelihood: 0.0,
            moments: vec![0.0; packed],
            of_column: vec![0.0; if self.missing.iter().all(Vec::is_empty) { 0 } else { d * packed }],
            products: vec![0.0; d * width],
            squares: vec![0.0; d],
        };
        let scratch =
            || Scratch { sums: empty(), factors: vec![0.0; CHUNK * width], right: vec![0.0; CHUNK * k] };
        let work = |index: usize, scratch: &mut Scratch| {
            let rows = index * CHUNK..((index + 1) * CHUNK).min(self.n);
            let height = rows.len();
            let Scratch { sums, factors, right } = scratch;
            sums.clear();
            let values = &self.values[rows.start * d..rows.end * d];
            if k > 0 {
                matmul(
                    MatMut::from_row_major_slice_mut(&mut right[..height * k], height, k),
                    Accum::Replace,
                    MatRef::from_row_major_slice(values, height, d),
                    MatRef::from_row_major_slice(&weighted, d, k),
                    1.0,
                    Par::Seq,
                );
            }
            let mut precision = vec![0.0; packed];
            let mut moments = vec![0.0; packed];
            vectorized(
                #[inline(always)]
                || {
                    for (at, row) in rows.clone().enumerate() {
                        let holes = &self.missing[row];
                        let own;
                        let (covariance, log_det, row_log_noise) = if holes.is_empty() {
                            (&complete.0, complete.1, all_log_noise)
                        } else {
                            let mut row_log_noise = all_log_noise;
                            if 2 * holes.len() <= d {
                                precision.copy_from_slice(&all);
                                for &j in holes {
                                    let cell = &of_cell[j as usize * packed..][..packed];
                                    precision.iter_mut().zip(cell).for_each(|(sum, cell)| *sum -= cell);
                                }
                            } else {
                                precision.fill(0.0);
                                let mut rest = holes.iter().peekable();
                                for j in 0..d {
                                    if rest.next_if(|&&hole| hole as usize == j).is_none() {
                                        let cell = &of_cell[j * packed..][..packed];
                                        precision.iter_mut().zip(cell).for_each(|(sum, cell)| *sum += cell);
                                    }
                                }
                            }
                            holes.iter().for_each(|&j| row_log_noise -= log_noise[j as usize]);
                            own = posterior_covariance(&precision, k);
                            (&own.0, own.1, row_log_noise)
                        };
                        let right = &right[at * k..(at + 1) * k];
                        let z = &mut factors[at * width..(at + 1) * width];
                        for a in 0..k {
                            z[a] = (0..k).map(|b| covariance[a * k + b] * right[b]).sum();
                        }
                        z[k] = 1.0;
                        let explained: f64 = (0..k).map(|a| right[a] * z[a]).sum();
                        let row_values = &values[at * d..(at + 1) * d];
                        let mut square = 0.0;
                        for ((v, inverse), sum) in
                            row_values.iter().zip(&inverse).zip(sums.squares.iter_mut())
                        {
                            square += v * v * inverse;
                            *sum += v * v;
                        }
                        let constant = (d - holes.len()) as f64 * (2.0 * std::f64::consts::PI).ln();
                        sums.log_likelihood -=
                            0.5 * (constant + row_log_noise + log_det + square - explained);
                        for a in 0..width {
                            for b in 0..=a {
                                let spread = if a < k { covariance[a * k + b] } else { 0.0 };
                                moments[a * (a + 1) / 2 + b] = z[a] * z[b] + spread;
                            }
                        }
                        sums.moments.iter_mut().zip(&moments).for_each(|(sum, m)| *sum += m);
                        if !sums.of_column.is_empty() {
                            let mut rest = holes.iter().peekable();
                            let mut add = |j: usize| {
                                let sum = &mut sums.of_column[j * packed..][..packed];
                                sum.iter_mut().zip(&moments).for_each(|(sum, m)| *sum += m);
                            };
                            holes
                                .iter()
                                .map(|&j| j as usize)
                                .filter(|&j| !self.by_seen(j))
                                .for_each(&mut add);
                            for j in (0..d).filter(|&j| self.by_seen(j)) {
                                while rest.next_if(|&&hole| (hole as usize) < j).is_some() {}
                                if rest.peek().is_none_or(|&&hole| hole as usize != j) {
                                    add(j);
                                }
                            }
                        }
                    }
                },
            );
            matmul(
                MatMut::from_row_major_slice_mut(&mut sums.products, d, width),
                Accum::Replace,
                MatRef::from_column_major_slice(values, d, height),
                MatRef::from_row_major_slice(&factors[..height * width], height, width),
                1.0,
                Par::Seq,
            );
        };
        let mut total = empty();
        let fold = |_, (), scratch: &mut Scratch| total.add(&scratch.sums);
        fold_in_order(run, self.n.div_ceil(CHUNK), scratch, work, fold)?;
        Ok(total)
    }

    /// Moves the zero of the table to the mean, which becomes part of the table's own.
    fn move_to(&mut self, state: &mut State, run: &Run) -> Result<()> {
        let (d, missing) = (self.d, &self.missing);
        let step = std::mem::replace(&mut state.mean, vec![0.0; d]);
        self.offset.iter_mut().zip(&step).for_each(|(offset, step)| *offset += step);
        fill_rows(run, &mut self.values, d, CHUNK, |rows, out| {
            for (row, out) in rows.zip(out.chunks_exact_mut(d)) {
                out.iter_mut().zip(&step).for_each(|(value, step)| *value -= step);
                missing[row].iter().for_each(|&j| out[j as usize] = 0.0);
            }
        })
    }
}

impl Sums {
    fn clear(&mut self) {
        self.log_likelihood = 0.0;
        for sum in [&mut self.moments, &mut self.of_column, &mut self.products, &mut self.squares] {
            sum.fill(0.0);
        }
    }

    fn add(&mut self, other: &Self) {
        self.log_likelihood += other.log_likelihood;
        for (sum, more) in [
            (&mut self.moments, &other.moments),
            (&mut self.of_column, &other.of_column),
            (&mut self.products, &other.products),
            (&mut self.squares, &other.squares),
        ] {
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }
}

impl State {
    /// Goes on beyond the step from `before`, `stretch` times as far; noise on a logarithmic scale.
    fn stretch(&mut self, before: &Self, stretch: f64, floors: &[f64]) {
        for (new, old) in self.loadings.iter_mut().zip(&before.loadings) {
            *new = old + stretch * (*new - old);
        }
        for ((new, old), floor) in self.noise.iter_mut().zip(&before.noise).zip(floors) {
            *new = (old * (stretch * (*new / old).ln()).exp()).max(*floor);
        }
        self.mean.iter_mut().for_each(|step| *step *= stretch);
    }

    /// The parameters that the sums make most likely: each column is a regression on the factors and a constant.
    fn maximise(&mut self, table: &Table, sums: &Sums, k: usize, isotropic: bool, floors: &[f64]) {
        let width = k + 1;
        let packed = width * (width + 1) / 2;
        let (mut rest, mut cells) = (0.0, 0.0);
        let mut factor = vec![0.0; width * width];
        let unpack = |moments: &mut dyn FnMut(usize) -> f64, factor: &mut [f64]| {
            for a in 0..width {
                for b in 0..=a {
                    factor[a * width + b] = moments(a * (a + 1) / 2 + b);
                }
            }
        };
        for j in 0..table.d {
            let incomplete = table.seen[j] < table.n;
            if j == 0 || incomplete || table.seen[j - 1] < table.n {
                let own = if incomplete { &sums.of_column[j * packed..][..packed] } else { &[][..] };
                match (incomplete, table.by_seen(j)) {
                    (false, _) => unpack(&mut |at| sums.moments[at], &mut factor),
                    (true, true) => unpack(&mut |at| own[at], &mut factor),
                    (true, false) => unpack(&mut |at| sums.moments[at] - own[at], &mut factor),
                }
                cholesky(&mut factor, width);
            }
            let right = &sums.products[j * width..][..width];
            let solution = solve(&factor, right, width);
            let explained: f64 = solution.iter().zip(right).map(|(s, r)| s * r).sum();
            let left = (sums.squares[j] - explained).max(0.0);
            self.loadings[j * k..(j + 1) * k].copy_from_slice(&solution[..k]);
            self.mean[j] = solution[k];
            self.noise[j] = (left / table.seen[j].max(1) as f64).max(floors[j]);
            rest += left;
            cells += table.seen[j] as f64;
        }
        if isotropic {
            self.noise.fill((rest / cells).max(floors[0]));
        }
    }

    /// In the units of the data, the factors turned to their principal axes.
    fn finished(self, table: &Table, center: &[f64], k: usize, run: &Run) -> Result<Gaussian> {
        let d = table.d;
        let loadings = Array2::from_shape_vec((d, k), self.loadings).unwrap_or_default();
        let loadings = principal_axes(loadings, &self.noise, run)?;
        let scale = table.scale;
        Ok(Gaussian {
            mean: center.iter().zip(&table.offset).map(|(center, offset)| center + offset / scale).collect(),
            loadings: loadings.mapv(|w| w / scale),
            noise: self.noise.iter().map(|noise| noise / scale / scale).collect(),
        })
    }
}

/// The same model with factors that are uncorrelated given a row: `W' N^-1 W` diagonal and descending, the largest
/// entry of each column of `W` positive.
pub(crate) fn principal_axes(loadings: Array2<f64>, noise: &[f64], run: &Run) -> Result<Array2<f64>> {
    let (d, k) = loadings.dim();
    let least = noise.iter().fold(f64::INFINITY, |least, noise| least.min(*noise));
    let weight = |j: usize| if least > 0.0 { least / noise[j] } else { 1.0 };
    let scaled = Array2::from_shape_fn((d, k), |(j, a)| loadings[(j, a)] * weight(j));
    let (_, vectors) = eigen_of_small(&loadings.t().dot(&scaled), run)?;
    let mut turned = loadings.dot(&vectors);
    fix_signs(&mut turned);
    Ok(turned)
}

/// Turns each column so that its entry of largest magnitude is positive.
pub(crate) fn fix_signs(columns: &mut Array2<f64>) {
    for mut column in columns.columns_mut() {
        let leading = column.iter().fold(0.0f64, |most, &x| if x.abs() > most.abs() { x } else { most });
        if leading < 0.0 {
            column.mapv_inplace(|x| -x);
        }
    }
}

/// `(1 + P)^-1` for the packed `P`, and the logarithm of the determinant of `1 + P`.
fn posterior_covariance(packed: &[f64], k: usize) -> (Vec<f64>, f64) {
    let mut factor = vec![0.0; k * k];
    for a in 0..k {
        for b in 0..=a {
            factor[a * k + b] = packed[a * (a + 1) / 2 + b];
        }
        factor[a * k + a] += 1.0;
    }
    let log_det = cholesky(&mut factor, k);
    (inverse_of_factor(&factor, k), log_det)
}

/// Solves with a Cholesky factor.
fn solve(factor: &[f64], right: &[f64], k: usize) -> Vec<f64> {
    let mut x = right.to_vec();
    for a in 0..k {
        let sum: f64 = (0..a).map(|b| factor[a * k + b] * x[b]).sum();
        x[a] = (x[a] - sum) / factor[a * k + a];
    }
    for a in (0..k).rev() {
        let sum: f64 = (a + 1..k).map(|b| factor[b * k + a] * x[b]).sum();
        x[a] = (x[a] - sum) / factor[a * k + a];
    }
    x
}
