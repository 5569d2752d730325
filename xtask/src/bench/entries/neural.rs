//! Networks.

use super::{Benchmark, Demand, grouped, peer};

/// Five epochs of 784-500-250-20 and back, scaling and the last look at all rows included on our side.
pub(super) fn epochs(n: usize, tied: bool) -> Benchmark {
    let weights = if tied { "tied" } else { "free" };
    Benchmark {
        name: format!("autoencoder-epochs-mnist-{weights}"),
        work: format!(
            "5 epochs of an autoencoder, 784-500-250-20, {weights} weights, f32, n = {}",
            grouped(n)
        ),
        data: format!("mnist-{n}-f32"),
        reference: None,
        arguments: vec![("batch", 100), ("epochs", 5), ("tied", usize::from(tied))],
        ours: "autoencoder-epochs",
        rivals: vec![peer("PyTorch", super::TORCH, "epochs", Some(1.0))],
        demands: vec![Demand::Within { figure: "loss", factor: 1.05 }],
    }
}
