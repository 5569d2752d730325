//! Plain loops compiled for the vector units that the machine has.

/// Runs `kernel` compiled for the widest vectors found at run time. The closure, and everything hot inside
/// it, must be marked `#[inline(always)]` for that to reach its loops. Rust never reorders float operations, so
/// the bits are those of the plain loop.
#[inline(always)]
pub fn vectorized<R>(kernel: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(kernel)
}
