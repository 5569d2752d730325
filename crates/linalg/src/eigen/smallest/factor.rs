//! Sparse Cholesky of the shifted matrix: ordering, forecast, numbers, and solves of several right-hand
//! sides at once.

use super::krylov::Transform;
use super::problem::Problem;
use super::solve::{Tree, shape};
use crate::rate;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side};
use lowland_base::parallel::FAER;
use lowland_base::{Csr, Error, Result, Run};
use std::sync::Arc;

/// What a factorization would cost, known from the ordering alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Numbers stored in the factor.
    pub entries: u64,
    /// Multiplications and additions of the numeric factorization.
    pub flops: f64,
    /// Bytes that the factor and its workspace take.
    pub bytes: u64,
}

/// Below this much arithmetic the fronts are too small to share among threads. It depends on the matrix
/// alone, as the bits must.
const SHARED_FLOPS: f64 = 2e10;

/// Below this much arithmetic a factorization takes less than a tenth of a second.
const QUICK_FLOPS: f64 = 1e8;

/// The share of the rate of matrix products at which fronts are factorized.
const RATE: f64 = 0.5;

/// The ordering and the pattern of the factor.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    symbolic: Arc<SymbolicCholesky<u32>>,
    starts: Arc<Vec<u32>>,
    /// What carrying it out would cost.
    pub forecast: Forecast,
}

impl Plan {
    /// Orders (approximate minimum degree) and analyzes. `None` when the factor is beyond 32-bit indices.
    pub fn new(problem: &Problem, run: &Run) -> Result<Option<Self>> {
        let matrix = problem.matrix.clone();
        let Some(starts) = starts(&matrix) else { return Ok(None) };
        let starts = Arc::new(starts);
        let shared = starts.clone();
        let analyzed = run.interruptible(move || {
            let params = CholeskySymbolicParams {
                // Negative: even a diagonal matrix, whose ratio is zero, gets supernodes, the one form that
                // the solves know.
                supernodal_flop_ratio_threshold: SupernodalThreshold(-1.0),
                ..Default::default()
            };
            factorize_symbolic_cholesky(
                pattern(&matrix, &shared),
                Side::Lower,
                SymmetricOrdering::Amd,
                params,
            )
        })?;
        let Ok(symbolic) = analyzed else { return Ok(None) };
        let SymbolicCholeskyRaw::Supernodal(nodes) = symbolic.raw() else { return Ok(None) };
        let mut flops = 0.0;
        for node in 0..nodes.n_supernodes() {
            let (width, below) = shape(nodes, node);
            for c in 0..width {
                flops += ((width - c + below) as f64).powi(2);
            }
        }
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(parallelism(flops), Default::default());
        let entries = symbolic.len_val() as u64;
        let bytes = 8 * entries + scratch.unaligned_bytes_required() as u64;
        Ok(Some(Self { symbolic: Arc::new(symbolic), starts, forecast: Forecast { entries, flops, bytes } }))
    }

    /// The factor of `A + shift I`; `None` when that is not positive definite.
    pub fn factor(&self, problem: &Problem, shift: f64, run: &Run) -> Result<Option<Factor>> {
        run.reserve("a sparse factorization", self.forecast.bytes, "use the solver Filter")?;
        let (symbolic, starts, matrix) = (self.symbolic.clone(), self.starts.clone(), problem.matrix.clone());
        let par = parallelism(self.forecast.flops);
        let factorize = move || {
            let shifted = shifted(&matrix, shift);
            let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(par, Default::default());
            let mut memory = lowland_base::memory::fallible(|| MemBuffer::try_new(scratch)).ok()?;
            let mut values = vec![0.0; symbolic.len_val()];
            let done = symbolic.factorize_numeric_llt(
                &mut values,
                SparseColMatRef::new(pattern(&matrix, &starts), &shifted),
                Side::Lower,
                Default::default(),
                par,
                MemStack::new(&mut memory),
                Default::default(),
            );
            (done.is_ok() && values.iter().all(|v| v.is_finite())).then_some(values)
        };
        // A small one is over before the switch could be looked at.
        let values = if self.forecast.flops < QUICK_FLOPS {
            run.install(factorize)
        } else {
            let threads = if matches!(par, Par::Seq) { 1 } else { run.threads() };
            run.interruptible_about(|| rate::seconds(self.forecast.flops, threads, RATE), factorize)?
        };
        let SymbolicCholeskyRaw::Supernodal(nodes) = self.symbolic.raw() else { return Ok(None) };
        let tree = Tree::new(nodes);
        Ok(values.map(|values| Factor { symbolic: self.symbolic.clone(), tree, values, work: Vec::new() }))
    }
}

/// `L` of `A + shift I = L L'`.
pub(super) struct Factor {
    symbolic: Arc<SymbolicCholesky<u32>>,
    tree: Tree,
    values: Vec<f64>,
    work: Vec<f64>,
}

impl Transform for Factor {
    /// Solves. The factor is far larger than any cache and is read once for the whole block.
    fn apply(&mut self, x: &[f64], width: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let (Some(order), SymbolicCholeskyRaw::Supernodal(nodes)) =
            (self.symbolic.perm(), self.symbolic.raw())
        else {
            return Err(Error::bug("sparse factorization", "the sparse factor has no ordering"));
        };
        let order = order.arrays().0;
        self.work.resize(order.len() * padded(width), 0.0);
        // Widths beyond eight go in pieces that stay in registers.
        let mut done = 0;
        while done < width {
            let (piece, lanes) = ((width - done).min(LANES), padded(width - done));
            let work = &mut self.work[..order.len() * lanes];
            for (row, &from) in work.chunks_exact_mut(lanes).zip(order) {
                row[..piece].copy_from_slice(&x[from as usize * width + done..][..piece]);
                row[piece..].fill(0.0);
            }
            match lanes {
                8 => self.tree.solve::<8>(nodes, &self.values, work, run)?,
                4 => self.tree.solve::<4>(nodes, &self.values, work, run)?,
                2 => self.tree.solve::<2>(nodes, &self.values, work, run)?,
                _ => self.tree.solve::<1>(nodes, &self.values, work, run)?,
            }
            for (row, &to) in work.chunks_exact(lanes).zip(order) {
                out[to as usize * width + done..][..piece].copy_from_slice(&row[..piece]);
            }
            done += piece;
        }
        Ok(())
    }
}

/// The most columns that are solved together.
const LANES: usize = 8;

/// As how many columns a piece of so many is solved: with three as four, the factor is still read once.
fn padded(width: usize) -> usize {
    width.min(LANES).next_power_of_two()
}

fn parallelism(flops: f64) -> Par {
    if flops < SHARED_FLOPS { Par::Seq } else { FAER }
}

fn starts(matrix: &Csr<f64>) -> Option<Vec<u32>> {
    matrix.offsets().iter().map(|&o| u32::try_from(o).ok()).collect()
}

/// Symmetric, so the rows are the columns.
fn pattern<'a>(matrix: &'a Csr<f64>, starts: &'a [u32]) -> SymbolicSparseColMatRef<'a, u32> {
    SymbolicSparseColMatRef::new_checked(matrix.nrows(), matrix.ncols(), starts, None, matrix.indices())
}

/// The values with `shift` added on the diagonal, every entry of which is stored.
fn shifted(matrix: &Csr<f64>, shift: f64) -> Vec<f64> {
    let mut values = matrix.values().to_vec();
    for row in 0..matrix.nrows() {
        if let Ok(position) = matrix.row(row).0.binary_search(&(row as u32)) {
            values[matrix.offsets()[row] + position] += shift;
        }
    }
    values
}
