//! What every target asserts: reading anything whatever neither panics nor takes more memory than 64 MiB + 4 x the
//! larger of the file and of what was read from it. (libFuzzer itself watches over the time and the addresses.)

use lowland_io::{AnyMatrix, Labels, ReadOptions};
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    PEAK.fetch_max(NOW.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: everything is passed on to the system's allocator unchanged; only sizes are counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size);
        NOW.fetch_sub(layout.size(), Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Does the work, which tells the size of what it made (0 if it refused), and holds it to the bound.
fn bounded(bytes: &[u8], work: impl FnOnce() -> usize) {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    let made = work();
    let peak = PEAK.load(Relaxed).saturating_sub(before);
    let most = (64 << 20) + 4 * bytes.len().max(made);
    assert!(peak <= most, "{peak} bytes allocated for a file of {} that holds {made}", bytes.len());
}

/// A data file of the format that the name tells, without and with a label column.
pub fn read(name: &str, bytes: &[u8]) {
    for label_column in [None, Some("0".to_owned())] {
        let options = ReadOptions { label_column, ..ReadOptions::default() };
        bounded(bytes, || {
            let Ok(data) = black_box(lowland_io::read_bytes(name, bytes, &options)) else { return 0 };
            let (rows, columns) = data.matrix.dim();
            let number = if matches!(data.matrix, AnyMatrix::F32(_)) { 4 } else { 8 };
            let labels = match &data.labels {
                None => 0,
                Some(Labels::Numbers(numbers)) => 8 * numbers.len(),
                Some(Labels::Words(words)) => words.iter().map(|word| 24 + word.len()).sum(),
            };
            let names: usize = data.columns.iter().flatten().map(|name| 24 + name.len()).sum();
            rows * columns * number + labels + names
        });
    }
}

/// A model file. What is taken can be used: it has a width, and it saves itself again.
pub fn load(bytes: &[u8]) {
    bounded(bytes, || {
        let Ok(model) = lowland::load_bytes(bytes) else { return 0 };
        black_box((model.features(), model.components(), model.attributes()));
        black_box(model.to_bytes()).map_or(0, |again| again.len())
    });
}
