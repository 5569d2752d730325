//! Maximum variance unfolding as a semidefinite program (Weinberger and Saul 2004; Sun, Boyd, Xiao and Diaconis 2006):
//!
//! ```text
//! maximize   tr K                                    minimize   sum_e w_e d_e^2
//! such that  K_ii + K_jj - 2 K_ij = d_ij^2 (or <=)   such that  sum_e w_e L_e >= I on vectors without a mean
//!            K >= 0, K 1 = 0                                    (w >= 0 where distances may shrink)
//! ```
//!
//! `L_e` is the Laplacian of one edge. With slack the edges bend instead: `tr K - nu / 2 sum_e g_e^2 / d_e^2` is maximized,
//! `g_e` by how much the squared length of an edge exceeds `d_e^2`, and `sum_e w_e^2 d_e^2 / (2 nu)` is added to the dual.
//!
//! Two solvers, one result: [`interior_point`] for some hundred points, dense and exact, is the reference; [`low_rank`]
//! takes `K = Y Y'` (Burer and Monteiro 2003), keeps the edges by an augmented Lagrangian, and raises the rank until the
//! weights of the edges, made feasible for the dual, prove that no other `K` is better: a local optimum that is proven is
//! the optimum. Where lengths are kept, both look for it in the face that flat cliques leave. It needs memory for the edges, the coordinates and a sparse factor of the graph, never for `n x n`.

mod basis;
mod certificate;
mod energy;
mod face;
mod interior_point;
mod low_rank;
mod newton;
mod options;
mod precondition;
mod problem;
mod start;

pub use interior_point::{interior_point, interior_point_bytes};
pub use low_rank::low_rank;
pub use options::Options;
pub use problem::{Constraint, Unfolding};

use faer::Mat;

/// What a solver found: points, and the proof of how good they are.
#[derive(Debug, Clone)]
pub struct Unfolded {
    /// The points whose inner products are `K`, one a row: centered, along their principal axes, in the unit of the given
    /// lengths.
    pub coordinates: Mat<f64>,
    /// The eigenvalues of `K` that are not zero, descending.
    pub spectrum: Vec<f64>,
    /// `tr K`.
    pub trace: f64,
    /// What was maximized: `tr K`, less the penalty where there is slack.
    pub value: f64,
    /// No feasible `K` has a greater value: the value of the dual at weights that are feasible for it.
    pub bound: f64,
    /// The dual weight of each edge, in the order of [`Unfolding::edges`].
    pub weights: Vec<f64>,
    /// The largest relative violation of an edge: `|squared length - d^2| / d^2`, or only its excess where distances may
    /// shrink. With slack, how far the edges bend.
    pub worst_violation: f64,
    /// Its mean over the edges.
    pub mean_violation: f64,
    /// The smallest eigenvalue of `sum_e w_e L_e` on the vectors without a mean that feasible points can have, before `w` was
    /// made feasible: 1 at the optimum.
    pub smallest_eigenvalue: f64,
    /// Whether violations and gap are within what was asked for.
    pub converged: bool,
    /// Outer steps: of the multipliers, or of the interior-point method.
    pub steps: usize,
}

impl Unfolded {
    /// `(bound - value) / bound`: the most by which the value can be below the best one, relative to it. Negative by no
    /// more than what the violations of the edges add to the trace.
    pub fn gap(&self) -> f64 {
        (self.bound - self.value) / self.bound.abs().max(f64::MIN_POSITIVE)
    }
}

/// One point, or none: there is nothing to unfold.
fn nothing(points: usize) -> Unfolded {
    Unfolded {
        coordinates: Mat::zeros(points, 1),
        spectrum: vec![0.0],
        trace: 0.0,
        value: 0.0,
        bound: 0.0,
        weights: Vec::new(),
        worst_violation: 0.0,
        mean_violation: 0.0,
        smallest_eigenvalue: 1.0,
        converged: true,
        steps: 0,
    }
}
