//! The eigenvalues that follow those of the components, so that a gap is seen: ten, and not as exact.

/// How many are looked for.
pub(crate) const BEYOND: usize = 10;
