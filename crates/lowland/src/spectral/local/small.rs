//! Kernels for the thousands of small dense problems: one for each neighborhood. They work in place on
//! buffers that are used again.

use lowland_base::simd::vectorized;

/// Lanes of the sums in [`dot`]: fixed, so that the bits do not depend on the machine.
const LANES: usize = 8;
/// Sweeps of one-sided Jacobi; it converges quadratically and takes four to eight.
const SWEEPS: usize = 40;

/// `x' y`.
#[inline(always)]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (ys, y_rest) = y.as_chunks::<LANES>();
    for (x, y) in xs.iter().zip(ys) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest
}

/// `y += a x`.
#[inline(always)]
fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// The lower half of `rows rows'` for `k` rows of equal length, into a full `k` x `k` matrix.
pub(super) fn gram(rows: &[f64], k: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(k * k, 0.0);
    let width = rows.len() / k.max(1);
    vectorized(
        #[inline(always)]
        || {
            for a in 0..k {
                for b in 0..=a {
                    out[a * k + b] = dot(&rows[a * width..][..width], &rows[b * width..][..width]);
                }
            }
        },
    );
}

/// Solves `A x = 1` by Cholesky, `A` given by its lower half, which is overwritten. `false` when a pivot is
/// not above `floor`.
pub(super) fn solve_for_ones(a: &mut [f64], k: usize, floor: f64, x: &mut [f64]) -> bool {
    for j in 0..k {
        for i in j..k {
            let (row_j, row_i) = (&a[j * k..][..j], &a[i * k..][..j]);
            let inside: f64 = row_i.iter().zip(row_j).map(|(x, y)| x * y).sum();
            let value = a[i * k + j] - inside;
            a[i * k + j] = if i == j {
                if value.is_nan() || value <= floor {
                    return false;
                }
                value.sqrt()
            } else {
                value / a[j * k + j]
            };
        }
    }
    for i in 0..k {
        let inside: f64 = (0..i).map(|c| a[i * k + c] * x[c]).sum();
        x[i] = (1.0 - inside) / a[i * k + i];
    }
    for i in (0..k).rev() {
        let inside: f64 = (i + 1..k).map(|r| a[r * k + i] * x[r]).sum();
        x[i] = (x[i] - inside) / a[i * k + i];
    }
    true
}

/// The left singular vectors of a small matrix.
#[derive(Debug, Default)]
pub(super) struct LeftVectors {
    /// Singular values, largest first.
    pub values: Vec<f64>,
    /// How many are above what rounding leaves of zero, in rows that were of about one before centering.
    pub rank: usize,
    /// `length` entries each; those of the first `rank` are orthonormal.
    pub vectors: Vec<f64>,
    columns: Vec<f64>,
    order: Vec<usize>,
}

impl LeftVectors {
    /// Decomposes `k` rows of equal length, which are overwritten.
    ///
    /// One-sided Jacobi: it turns the columns until they are orthogonal, so small singular values are as
    /// accurate as large ones, unlike those from a Gram matrix. More columns than rows are first replaced by
    /// the triangular factor.
    pub fn decompose(&mut self, rows: &mut [f64], k: usize) {
        let width = rows.len() / k.max(1);
        let count = width.min(k);
        vectorized(
            #[inline(always)]
            || {
                self.columns.clear();
                self.columns.resize(k * count, 0.0);
                if width <= k {
                    for (i, row) in rows.chunks_exact(width.max(1)).enumerate() {
                        for (j, value) in row.iter().enumerate() {
                            self.columns[j * k + i] = *value;
                        }
                    }
                } else {
                    triangle(rows, k, width, &mut self.columns);
                }
                self.values.clear();
                jacobi(&mut self.columns, k, count);
                self.values.extend(self.columns.chunks_exact(k.max(1)).map(|c| dot(c, c).sqrt()));
            },
        );
        self.order.clear();
        self.order.extend(0..count);
        let values = &self.values;
        self.order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        self.vectors.clear();
        for &place in &self.order {
            let value = self.values[place];
            let inverse = if value > 0.0 { 1.0 / value } else { 0.0 };
            self.vectors.extend(self.columns[place * k..][..k].iter().map(|x| x * inverse));
        }
        self.values.sort_by(|a, b| b.total_cmp(a));
        let largest = self.values.first().map_or(1.0, |v| v.max(1.0));
        let floor = largest * f64::EPSILON * (k + width) as f64;
        self.rank = self.values.iter().filter(|&&value| value > floor).count();
    }

    /// The vector of the singular value `c`.
    pub fn vector(&self, c: usize) -> &[f64] {
        let k = self.vectors.len() / self.values.len().max(1);
        &self.vectors[c * k..][..k]
    }
}

/// The transposed triangular factor of the transposed rows, by modified Gram-Schmidt: column `r` holds the
/// products of the `r`th direction with all rows.
#[inline(always)]
fn triangle(rows: &mut [f64], k: usize, width: usize, columns: &mut [f64]) {
    for r in 0..k {
        let (done, rest) = rows.split_at_mut((r + 1) * width);
        let direction = &mut done[r * width..];
        let length = dot(direction, direction).sqrt();
        columns[r * k + r] = length;
        if length == 0.0 {
            continue;
        }
        direction.iter_mut().for_each(|x| *x /= length);
        for (s, row) in rest.chunks_exact_mut(width).enumerate() {
            let part = dot(direction, row);
            add_scaled(row, -part, direction);
            columns[r * k + r + 1 + s] = part;
        }
    }
}

#[inline(always)]
fn jacobi(columns: &mut [f64], k: usize, count: usize) {
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..count {
            for q in p + 1..count {
                let (left, right) = columns.split_at_mut(q * k);
                let (x, y) = (&mut left[p * k..][..k], &mut right[..k]);
                let (xx, yy, xy) = (dot(x, x), dot(y, y), dot(x, y));
                if xy.abs() <= 4.0 * f64::EPSILON * xx.sqrt() * yy.sqrt() {
                    continue;
                }
                turned = true;
                let zeta = (yy - xx) / (2.0 * xy);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let cosine = 1.0 / (1.0 + t * t).sqrt();
                let sine = cosine * t;
                for (x, y) in x.iter_mut().zip(y.iter_mut()) {
                    (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
                }
            }
        }
        if !turned {
            break;
        }
    }
}

/// Orthonormal columns of length `k`, grown one by one.
#[derive(Debug, Default)]
pub(super) struct Basis {
    /// The columns, one after another.
    pub columns: Vec<f64>,
}

impl Basis {
    /// Takes what the columns do not hold out of `column`, twice over; returns the length that is left.
    pub fn residual(&self, column: &mut [f64]) -> f64 {
        for _ in 0..2 {
            for q in self.columns.chunks_exact(column.len()) {
                let part = dot(q, column);
                add_scaled(column, -part, q);
            }
        }
        dot(column, column).sqrt()
    }

    /// Adds a column that is orthogonal to the others, of this length.
    pub fn push(&mut self, column: &[f64], length: f64) {
        self.columns.extend(column.iter().map(|x| x / length));
    }
}
