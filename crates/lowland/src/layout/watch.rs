//! Whoever wants to see a layout while it is made.

use faer::MatRef;

/// A layout under way.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// How many iterations are behind it.
    pub iteration: usize,
    /// Its loss.
    pub loss: f64,
    /// The layout so far, one point a row.
    pub layout: MatRef<'a, f64>,
}

/// What the one who looks wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// More iterations.
    Continue,
    /// This is good enough: the layout so far becomes the result.
    Stop,
}

/// Is shown the layout every few iterations.
pub trait Watch: Send {
    /// After how many iterations to look again; at least 1.
    fn every(&self) -> usize;
    /// Looks.
    fn look(&mut self, look: Look<'_>) -> Verdict;
}
