//! The nearest `k` seen so far.

use lowland_base::Scalar;
use std::cmp::Ordering;

/// Nearest first, ties by index; NaN, should a distance be one, last.
#[inline(always)]
pub(crate) fn by_distance<T: Scalar>(a: &(T, u32), b: &(T, u32)) -> Ordering {
    let distance = a.0.partial_cmp(&b.0).unwrap_or_else(|| a.0.is_nan().cmp(&b.0.is_nan()));
    distance.then(a.1.cmp(&b.1))
}

#[inline(always)]
fn farther<T: Scalar>(a: &(T, u32), b: &(T, u32)) -> bool {
    a.0 > b.0 || (a.0 == b.0 && a.1 > b.1)
}

/// A heap of at most `k` candidates, the farthest on top.
#[derive(Debug, Clone)]
pub(crate) struct Nearest<T> {
    k: usize,
    heap: Vec<(T, u32)>,
}

impl<T: Scalar> Nearest<T> {
    pub(crate) fn new(k: usize) -> Self {
        Self { k, heap: Vec::with_capacity(k) }
    }

    /// The distance that a newcomer must not exceed.
    #[inline(always)]
    pub(crate) fn limit(&self) -> T {
        if self.heap.len() < self.k { T::infinity() } else { self.heap[0].0 }
    }

    /// Takes the candidate if it is among the nearest `k`.
    #[inline(always)]
    pub(crate) fn push(&mut self, distance: T, index: u32) {
        let entry = (distance, index);
        if self.heap.len() < self.k {
            self.heap.push(entry);
            self.rise();
        } else if farther(&self.heap[0], &entry) {
            self.sink(entry);
        }
    }

    #[inline(always)]
    fn rise(&mut self) {
        let mut position = self.heap.len() - 1;
        while position > 0 {
            let parent = (position - 1) / 2;
            if !farther(&self.heap[position], &self.heap[parent]) {
                break;
            }
            self.heap.swap(position, parent);
            position = parent;
        }
    }

    /// Replaces the top.
    #[inline(always)]
    fn sink(&mut self, entry: (T, u32)) {
        let heap = &mut self.heap[..];
        let mut position = 0;
        loop {
            let mut child = 2 * position + 1;
            if child >= heap.len() {
                break;
            }
            if child + 1 < heap.len() && farther(&heap[child + 1], &heap[child]) {
                child += 1;
            }
            if !farther(&heap[child], &entry) {
                break;
            }
            heap[position] = heap[child];
            position = child;
        }
        heap[position] = entry;
    }

    /// The candidates, nearest first. Only [`Self::clear`] may follow: a sorted list is no heap.
    pub(crate) fn sorted(&mut self) -> &[(T, u32)] {
        self.heap.sort_unstable_by(by_distance);
        &self.heap
    }

    /// Forgets all candidates.
    pub(crate) fn clear(&mut self) {
        self.heap.clear();
    }
}
