//! Numbers and texts as a page shows them.

use lowland::quality::Estimate;

pub use lowland::units::{grouped, human_duration as duration, percent};
pub use lowland_plot::escaped;

/// Three or four digits that matter.
pub fn short(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        _ if !value.is_finite() => return "∞".into(),
        _ if size == 0.0 => "0".into(),
        s if !(1e-3..1e6).contains(&s) => format!("{value:.1e}"),
        s if s < 10.0 => format!("{value:.3}"),
        s if s < 1000.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    };
    text.replace('-', "−")
}

/// A value with its interval below it, where it has one.
pub fn with_interval(estimate: &Estimate) -> String {
    let Estimate { value, low, high } = *estimate;
    if low < high {
        format!("{}<small>{} to {}</small>", short(value), short(low), short(high))
    } else {
        short(value)
    }
}

/// A difference of scores: what is less than a thousandth does not matter.
pub fn thousandths(estimate: &Estimate) -> String {
    let Estimate { value, low, high } = *estimate;
    format!("{value:.3}<small>{low:.3} to {high:.3}</small>").replace("-0.000", "0.000").replace('-', "−")
}

/// Every measure: its name, a short one for the head of a column, and what it means. In the order of the table.
pub const MEASURES: &[(&str, &str, &str)] = &[
    ("trustworthiness", "trust", "neighbors in the embedding are neighbors in the data; 1 is best"),
    ("continuity", "continuity", "neighbors in the data stay neighbors; 1 is best"),
    ("r_nx_area", "R_NX area", "agreement of neighborhoods of every size beyond chance; 1 is best"),
    ("q_local", "Q local", "agreement of small neighborhoods; 1 is best"),
    ("q_global", "Q global", "agreement of large neighborhoods; 1 is best"),
    ("one_nn_error", "1-NN error", "share of points whose nearest neighbor has another label; 0 is best"),
    ("knn_error", "k-NN error", "share of points that a vote of their neighbors labels wrongly; 0 is best"),
    (
        "knn_error_held_out",
        "k-NN error, new",
        "the k-NN error of a fifth of the rows, left out of a second fit: the fair one for a method that learns from labels",
    ),
    ("neighborhood_hit", "hit", "share of neighbors with the same label; 1 is best"),
    ("silhouette", "silhouette", "how far classes are apart; 1 is best"),
    ("spearman", "Spearman", "correlation of the order of distances; 1 is best"),
    ("pearson", "Pearson", "correlation of distances; 1 is best"),
    ("residual_variance", "resid. var.", "1 less the squared correlation of distances; 0 is best"),
    ("rank_error_data", "rank err. data", "by how much the ranks of neighbors in the data change; 0 is best"),
    ("rank_error_embedding", "rank err. emb.", "the same for neighbors in the embedding; 0 is best"),
    ("scale_free_stress", "stress, scaled", "by how much distances change at the best scale; 0 is best"),
    ("nonmetric_stress", "stress, order", "by how much the order of distances changes; 0 is best"),
    ("normalized_stress", "stress", "by how much distances change, as a share; 0 is best"),
    ("raw_stress", "raw stress", "the sum of squared changes of distances; 0 is best"),
    ("one_nn_error_data", "1-NN error, data", "the 1-NN error in the data themselves, for comparison"),
    ("knn_error_data", "k-NN error, data", "the k-NN error in the data themselves, for comparison"),
    ("procrustes", "Procrustes", "how far the known truth is missed; 0 is best"),
    (
        "reconstruction_error",
        "reconstr.",
        "what is lost on the way there and back, as a share of the variance; 0 is best, and at 1 the mean says as much; \
         n/a where a method has no way back",
    ),
    (
        "kernel_error",
        "kernel err.",
        "what the components leave unexplained of a spectral method's own kernel, as a share of its squares; 0 is best; \
         each method has another kernel, so it says more about one method than about two",
    ),
    (
        "kernel_error_held_out",
        "kernel err., new",
        "the same for a tenth of the rows, left out of a second fit: much more than the kernel error means that new \
         points cannot be trusted",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([short(0.0), short(0.98765), short(-12.34), short(1e9)], ["0", "0.988", "−12.3", "1.0e9"]);
        assert_eq!(short(f64::INFINITY), "∞");
        assert_eq!(
            with_interval(&Estimate { value: 0.5, low: 0.4, high: 0.6 }),
            "0.500<small>0.400 to 0.600</small>"
        );
    }
}
