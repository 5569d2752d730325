//! A descent under way: enough to show its layout, to keep it, and to go on from it.

use faer::Mat;

/// What an observer of a layout wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// More iterations.
    Continue,
    /// This is good enough: the layout so far becomes the result.
    Stop,
}

/// The layout so far, and what its descent remembers.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// How many iterations are behind it.
    pub iteration: usize,
    /// Its loss.
    pub loss: f64,
    /// One point a row, in the order of the input; without rows while layers are trained one by one, which make none.
    pub layout: Mat<f64>,
    /// The descent's own memory, one matrix a quantity: of each point the last step, gains, running moments; of a network
    /// its parameters.
    pub memory: Vec<Mat<f64>>,
    /// Iterations and the loss after them.
    pub history: Vec<(usize, f64)>,
}
