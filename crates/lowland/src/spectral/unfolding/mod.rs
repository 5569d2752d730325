//! Maximum variance unfolding: the kernel with the greatest trace that keeps the lengths of the neighbor graph. The
//! semidefinite program is that of `lowland_linalg::unfolding`; here are its graph, the spaces in which it is solved, and the
//! model.

mod edges;
mod recipe;
mod report;
mod span;

pub(crate) use recipe::UnfoldingRecipe;
pub(crate) use span::Span;

use crate::choices;

choices! {
    /// What the distances between neighbors may do.
    pub enum Distances {
        /// They stay as they are.
        Keep = "keep" | "equality",
        /// They may shrink, and never grow: any distances can be given.
        Shrink = "shrink" | "inequality",
    }
}

choices! {
    /// How the semidefinite program is solved.
    pub enum Way {
        /// As few dimensions as the optimum has, proven by the dual: for thousands of points.
        LowRank = "low-rank",
        /// All of them, for up to some hundred points: the reference.
        InteriorPoint = "interior-point",
    }
}
