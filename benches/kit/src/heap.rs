//! Counts what goes through the allocator, when asked to.
//!
//! Counters are switched on for one run apart from the timed ones: with the switch off, an allocation costs one
//! relaxed load more than without this file.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed},
    },
};

#[global_allocator]
static COUNTING: Counting = Counting;

/// There is one set of counters.
static TURN: Mutex<()> = Mutex::new(());
static ON: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static ALLOCATED: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// What one piece of work did to the heap, on all threads.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Heap {
    /// Calls that got or grew memory.
    pub allocations: u64,
    /// Bytes asked for, all together.
    pub allocated: u64,
    /// Bytes that were still held at the end; negative when the work freed what others had allocated.
    pub retained: i64,
    /// Bytes that were held at the same time at the most.
    pub peak: i64,
}

/// Does `work` and says what it did to the heap. Not to be nested; whoever comes second waits.
pub fn watch<T>(work: impl FnOnce() -> T) -> (T, Heap) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for counter in [&ALLOCATIONS, &ALLOCATED] {
        counter.store(0, Relaxed);
    }
    for counter in [&LIVE, &PEAK] {
        counter.store(0, Relaxed);
    }
    ON.store(true, Relaxed);
    let result = work();
    ON.store(false, Relaxed);
    let heap = Heap {
        allocations: ALLOCATIONS.load(Relaxed),
        allocated: ALLOCATED.load(Relaxed),
        retained: LIVE.load(Relaxed),
        peak: PEAK.load(Relaxed),
    };
    (result, heap)
}

struct Counting;

impl Counting {
    fn grew(size: usize) {
        ALLOCATIONS.fetch_add(1, Relaxed);
        ALLOCATED.fetch_add(size as u64, Relaxed);
        let live = LIVE.fetch_add(size as i64, Relaxed) + size as i64;
        if live > PEAK.load(Relaxed) {
            PEAK.fetch_max(live, Relaxed);
        }
    }

    fn shrank(size: usize) {
        LIVE.fetch_sub(size as i64, Relaxed);
    }
}

#[expect(unsafe_code, reason = "an allocator is unsafe by contract; each call is passed on unchanged")]
// SAFETY: every method hands its arguments to the system allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if ON.load(Relaxed) {
            Self::grew(layout.size());
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if ON.load(Relaxed) {
            Self::grew(layout.size());
        }
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if ON.load(Relaxed) {
            Self::shrank(layout.size());
        }
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if ON.load(Relaxed) {
            Self::shrank(layout.size());
            Self::grew(size);
        }
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[cfg(test)]
mod tests;
