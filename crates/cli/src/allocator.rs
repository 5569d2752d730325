//! The allocator of the program: the system's, and where that has nothing left, an error and not an abort.
//!
//! An allocation that fails cannot become an error of ours: by the rules of the language it may not unwind, and what
//! asked for it (a `Vec` that grows) has no way to say no. What is large is therefore asked for beforehand
//! (`lowland::memory`), and what fails all the same ends the process here: unfinished files are removed, one line says
//! what happened, and the exit code is that of an error. Nothing here allocates.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

struct Ending;

#[global_allocator]
static ALLOCATOR: Ending = Ending;

/// The pointer, unless it is null and nobody looks at that.
fn or_end(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() && !lowland::memory::is_fallible() {
        end(bytes);
    }
    pointer
}

// SAFETY: every call is handed to the system's allocator as it came, and its pointer is given back as it is.
unsafe impl GlobalAlloc for Ending {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

/// Ends the process with an error.
#[cfg(unix)]
fn end(bytes: usize) -> ! {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    static ENDING: AtomicBool = AtomicBool::new(false);
    // A second thread without memory waits for the first to end both of them.
    while ENDING.swap(true, Ordering::SeqCst) {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    crate::files::abandon_now();
    let mut line = [0u8; 200];
    let mut rest = &mut line[..];
    let _ = writeln!(
        rest,
        "error: out of memory: {bytes} more bytes are not available (no partial file was left behind); take fewer rows, \
         a lighter method ('lowland plan' forecasts), or raise the limit"
    );
    let unused = rest.len();
    let text = &line[..line.len() - unused];
    // SAFETY: a live buffer of that length; and an exit that runs nothing of ours, since all of it may need memory.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::_exit(1)
    }
}

/// Leaves it to the standard library.
#[cfg(not(unix))]
fn end(_bytes: usize) {}
