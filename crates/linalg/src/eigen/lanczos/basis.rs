//! The Krylov basis: growing, projecting, compressing.

use super::Shape;
use crate::eigen::scaled::Scaled;
use crate::eigen::{Eigenpairs, Which, dense};
use crate::operator::Operator;
use crate::{orthonormal, scale, tall};
use faer::Mat;
use lowland_base::{Result, Run, Scalar};
use rand_chacha::ChaCha8Rng;

/// The bytes of a basis of this shape.
pub(super) fn memory<T: Scalar>(n: usize, shape: Shape) -> u64 {
    let columns = shape.limit + shape.block + shape.keep;
    (n * columns * size_of::<T>()) as u64
}

/// `A Q = Q T + W R`: `Q` the first `len` columns of the basis, `W` the block after them.
pub(super) struct Krylov<'a, T> {
    op: Scaled<'a, T>,
    /// The product with the first block, which the scaling needed.
    first: Option<Mat<T>>,
    which: Which,
    shape: Shape,
    basis: Mat<T>,
    projected: Mat<T>,
    coupling: Mat<T>,
    len: usize,
    /// Columns `0..coupled` are coupled to every new block; later ones only to the next but one.
    coupled: usize,
    rng: ChaCha8Rng,
    /// Block products with the operator so far.
    pub products: usize,
    /// Random start vectors whose Krylov spaces the basis holds: so many copies of an eigenvalue can be seen.
    pub independent: usize,
    /// Random vectors in the block that has not been multiplied yet.
    pending: usize,
}

/// The pairs of the projected matrix, best first.
pub(super) struct Ritz<T> {
    values: Vec<T>,
    vectors: Mat<T>,
    /// The residual that the Krylov relation implies.
    estimates: Vec<f64>,
    /// The largest magnitude of a Ritz value.
    pub norm: f64,
}

impl<T: Scalar> Ritz<T> {
    /// The largest estimate of the first `count`.
    pub fn worst(&self, count: usize) -> f64 {
        self.estimates[..count].iter().fold(0.0, |worst: f64, &e| worst.max(e))
    }

    /// The largest estimate of the `more` that follow the first `count`.
    pub fn worst_after(&self, count: usize, more: usize) -> f64 {
        let last = (count + more).min(self.estimates.len());
        self.estimates[count.min(last)..last].iter().fold(0.0, |worst: f64, &e| worst.max(e))
    }

    /// The size of the largest group of equal values among the first `count`.
    pub fn largest_group(&self, count: usize) -> usize {
        let same = T::EPSILON.wide().sqrt() * self.norm;
        let mut sorted: Vec<f64> = self.values[..count].iter().map(|v| v.wide()).collect();
        sorted.sort_by(f64::total_cmp);
        let (mut largest, mut size) = (1, 1);
        for pair in sorted.windows(2) {
            size = if pair[1] - pair[0] <= same { size + 1 } else { 1 };
            largest = largest.max(size);
        }
        largest
    }
}

impl<'a, T: Scalar> Krylov<'a, T> {
    /// A random block.
    pub fn begin(op: &'a dyn Operator<T>, which: Which, shape: Shape, run: &Run) -> Result<Self> {
        let (n, block) = (op.order(), shape.block);
        let mut rng = run.rng("lanczos");
        let mut basis = Mat::zeros(n, shape.limit + block);
        orthonormal::fill_normal(basis.as_mut().subcols_mut(0, block), &mut rng);
        orthonormal::extend(basis.as_mut().subcols_mut(0, block), 0, 0, 0.0, &mut rng, run)?;
        let (op, first) = Scaled::new(op, basis.as_ref().subcols(0, block), run)?;
        Ok(Self {
            op,
            first: Some(first),
            which,
            shape,
            basis,
            projected: Mat::zeros(shape.limit + block, shape.limit + block),
            coupling: Mat::zeros(block, block),
            len: 0,
            coupled: 0,
            rng,
            products: 0,
            independent: block,
            pending: 0,
        })
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    pub fn is_full(&self) -> bool {
        self.len + self.shape.block > self.shape.limit
    }

    /// A value of the operator from one of the scaled operator.
    pub fn unscaled(&self, value: f64) -> f64 {
        scale::times_power(value, -self.op.power())
    }

    /// Multiplies the block after the basis, which joins the basis, and makes the next.
    pub fn expand(&mut self, run: &Run) -> Result<()> {
        let (start, end) = (self.len, self.len + self.shape.block);
        let mut columns = self.basis.as_mut().subcols_mut(0, end + self.shape.block);
        let (old, mut new) = columns.as_mut().split_at_col_mut(end);
        match self.first.take() {
            Some(first) => new.copy_from(&first),
            None => self.op.apply(old.as_ref().get(.., start..), new.as_mut(), run)?,
        }
        let longest = new.as_ref().col_iter().map(|w| scale::norm(w)).fold(0.0, f64::max);
        self.products += 1;
        self.independent += self.pending;
        // By the three-term recurrence only the two latest blocks, and what a restart kept.
        let local = if start <= self.coupled { 0 } else { start.saturating_sub(self.shape.block) };
        let norm = scale::max_abs(self.projected.as_ref()).max(longest);
        let extension = orthonormal::extend(columns, end, local, norm, &mut self.rng, run)?;
        for j in start..end {
            for i in 0..end {
                let entry = extension.inside[(i, j - start)];
                // Within the diagonal block the two mirrored entries differ by rounding.
                let mirrored = if i >= start { extension.inside[(j, i - start)] } else { entry };
                let entry = (entry + mirrored) * T::of(0.5);
                self.projected[(i, j)] = entry;
                self.projected[(j, i)] = entry;
            }
        }
        self.coupling = extension.triangle;
        self.pending = extension.fresh;
        self.len = end;
        Ok(())
    }

    /// The pairs of the projected matrix.
    pub fn ritz(&self, run: &Run) -> Result<Ritz<T>> {
        let (len, block) = (self.len, self.shape.block);
        let projected = self.projected.as_ref().submatrix(0, 0, len, len);
        let pairs = dense::decompose_finely(projected, self.shape.keep.min(len), self.which, run)?;
        let last = pairs.vectors.as_ref().subrows(len - block, block);
        let estimate = |j: usize| {
            let entry = |i: usize| (0..block).map(|k| (self.coupling[(i, k)] * last[(k, j)]).wide()).sum();
            (0..block).map(entry).map(|e: f64| e * e).sum::<f64>().sqrt()
        };
        let estimates = (0..pairs.values.len()).map(estimate).collect();
        Ok(Ritz { values: pairs.values, vectors: pairs.vectors, estimates, norm: pairs.norm.wide() })
    }

    /// Compresses the basis to its best Ritz vectors; the next block stays.
    pub fn restart(&mut self, ritz: &Ritz<T>, run: &Run) -> Result<()> {
        let block = self.shape.block;
        let next = self.basis.as_ref().subcols(self.len, block).to_owned();
        let kept = ritz.values.len();
        self.compress(ritz, kept, run)?;
        self.basis.as_mut().subcols_mut(kept, block).copy_from(&next);
        Ok(())
    }

    /// Compresses the basis to `count` Ritz vectors, which have converged, and begins anew with a random
    /// block orthogonal to them.
    pub fn restart_at_random(&mut self, ritz: &Ritz<T>, count: usize, run: &Run) -> Result<()> {
        let block = self.shape.block;
        self.compress(ritz, count, run)?;
        let mut columns = self.basis.as_mut().subcols_mut(0, count + block);
        orthonormal::fill_normal(columns.as_mut().subcols_mut(count, block), &mut self.rng);
        orthonormal::extend(columns, count, 0, 0.0, &mut self.rng, run)?;
        self.pending = block;
        Ok(())
    }

    fn compress(&mut self, ritz: &Ritz<T>, kept: usize, run: &Run) -> Result<()> {
        let vectors = self.combine(ritz, kept, run)?;
        self.basis.as_mut().subcols_mut(0, kept).copy_from(&vectors);
        self.projected.fill(T::zero());
        for (j, &value) in ritz.values[..kept].iter().enumerate() {
            self.projected[(j, j)] = value;
        }
        (self.len, self.coupled) = (kept, kept);
        Ok(())
    }

    fn combine(&self, ritz: &Ritz<T>, count: usize, run: &Run) -> Result<Mat<T>> {
        let basis = self.basis.as_ref().subcols(0, self.len);
        tall::combine(basis, ritz.vectors.as_ref().subcols(0, count), run)
    }

    /// Room for more columns.
    pub fn widen(&mut self, shape: Shape) {
        let columns = shape.limit + shape.block;
        let (n, _) = self.basis.shape();
        self.basis.resize_with(n, columns, |_, _| T::zero());
        self.projected.resize_with(columns, columns, |_, _| T::zero());
        self.shape = shape;
    }

    /// The values of up to `more` that follow the first `count`, as far as they are within `share` of the norm.
    pub fn values_after(&self, ritz: &Ritz<T>, (count, more): (usize, usize), share: f64) -> Vec<T> {
        let after = ritz.values.iter().zip(&ritz.estimates).skip(count).take(more);
        let found = after.take_while(|(_, estimate)| **estimate <= share * ritz.norm);
        found.map(|(&value, _)| scale::times_power(value, -self.op.power())).collect()
    }

    /// The first `count` pairs of the operator itself, with their true residuals.
    pub fn pairs(
        &self,
        op: &dyn Operator<T>,
        ritz: &Ritz<T>,
        count: usize,
        run: &Run,
    ) -> Result<Eigenpairs<T>> {
        let values = ritz.values[..count].iter().map(|&v| scale::times_power(v, -self.op.power())).collect();
        Eigenpairs::of(op, values, self.combine(ritz, count, run)?, self.which, run)
    }
}
