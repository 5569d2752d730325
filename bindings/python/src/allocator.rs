//! The allocator of the package: the system's, with a reserve for the moment when that has nothing left.
//!
//! An allocation that fails may not unwind, and would end the interpreter. Instead the reserve is given up, so that the
//! computation can go on until it is canceled: it ends with `MemoryError`, and what it held is free again. What is larger
//! than the reserve is asked for beforehand (`lowland::memory`).
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::SeqCst};

struct Reserved;

#[global_allocator]
static ALLOCATOR: Reserved = Reserved;

/// Enough for what all threads ask for until they look at the switch: a matrix product has buffers of 64 MiB. Nobody
/// touches it, so that it is only addresses.
const SIZE: usize = 256 << 20;
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static EXHAUSTED: AtomicBool = AtomicBool::new(false);

fn layout() -> Option<Layout> {
    Layout::from_size_align(SIZE, 4096).ok()
}

/// Makes sure that there is a reserve; whether there is.
pub fn reserve() -> bool {
    let Some(layout) = layout() else { return false };
    if !RESERVE.load(SeqCst).is_null() {
        return true;
    }
    // SAFETY: the size is not zero.
    let block = unsafe { System.alloc(layout) };
    if RESERVE.compare_exchange(null_mut(), block, SeqCst, SeqCst).is_err() && !block.is_null() {
        // SAFETY: it comes from this allocator, with this layout.
        unsafe { System.dealloc(block, layout) };
    }
    !RESERVE.load(SeqCst).is_null()
}

/// Whether the reserve had to be given up.
pub fn is_exhausted() -> bool {
    EXHAUSTED.load(SeqCst)
}

/// The same, and forgets it.
pub fn take_exhausted() -> bool {
    EXHAUSTED.swap(false, SeqCst)
}

/// What `ask` gets, if need be out of the reserve.
fn or_from_reserve(ask: impl Fn() -> *mut u8) -> *mut u8 {
    let pointer = ask();
    if !pointer.is_null() || lowland::memory::is_fallible() {
        return pointer;
    }
    let block = RESERVE.swap(null_mut(), SeqCst);
    if let (false, Some(layout)) = (block.is_null(), layout()) {
        EXHAUSTED.store(true, SeqCst);
        // SAFETY: it comes from this allocator, with this layout, and nobody else has it any more.
        unsafe { System.dealloc(block, layout) };
    }
    // Another thread may have given it up just now.
    ask()
}

// SAFETY: every call is handed to the system's allocator as it came, and its pointer is given back as it is.
unsafe impl GlobalAlloc for Reserved {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        or_from_reserve(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_from_reserve(|| unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; where it fails, the old block stays as it is.
        or_from_reserve(|| unsafe { System.realloc(pointer, layout, size) })
    }
}
