//! Theorems of the spectral methods, on many random problems.

mod duplicates;
mod folding;
mod gram;
mod graphs;
mod isomap;
mod kernel_pca;
mod known_rows;
mod local;
mod neighborhoods;
mod new_rows;
mod nystrom;
mod provenance;
mod relatives;
mod scaling;
mod unfolding;
