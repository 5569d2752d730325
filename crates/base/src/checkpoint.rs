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

/// Which fit a checkpoint is of. Whoever goes on from it must have the same rows and parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FitIdentity {
    /// The hash of the rows, and of the labels that the fit learns from.
    pub input_hash: String,
    /// Names and values, without those that only say when the fit ends.
    pub parameters: Vec<(String, String)>,
    /// What its random numbers come from: whoever goes on draws what it would have drawn.
    pub seed: u64,
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
    /// Which fit it is of, as the admission wrote it.
    pub of: FitIdentity,
}
