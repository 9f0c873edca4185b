//! An arena allocator: memory that a guest of the text world has from its first instruction on.
//!
//! A call makes a fresh instance, and the usual allocator asks for more memory at its first use.
//! The engine then has to change the protection of pages twice for each call. That takes longer
//! than such a guest works, and only one thread at a time can do it. Allocations that fit into the
//! arena avoid this cost; the others go to the usual allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The allocator of guests of the text world.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ARENA: BumpArena<ROOM> = BumpArena::new();

/// Enough for the arguments and the answer of most calls. Untouched bytes cost nothing.
#[cfg(target_family = "wasm")]
const ROOM: usize = 64 << 10;

/// `SIZE` bytes, allocated one piece after the other. Only the last piece can be freed or grow; a
/// guest lives for one call, so nothing is lost for long.
pub(crate) struct BumpArena<const SIZE: usize> {
    bytes: ArenaBytes<SIZE>,
    /// The number of allocated bytes.
    used: AtomicUsize,
}

#[repr(align(16))]
struct ArenaBytes<const SIZE: usize>(UnsafeCell<[u8; SIZE]>);

// SAFETY: the bytes are only ever reached through allocated pieces, each with one owner: `used`
// moves by an atomic exchange, so no two owners get the same byte.
#[expect(unsafe_code, reason = "an allocator is shared by all threads")]
unsafe impl<const SIZE: usize> Sync for ArenaBytes<SIZE> {}

impl<const SIZE: usize> BumpArena<SIZE> {
    pub(crate) const fn new() -> Self {
        Self { bytes: ArenaBytes(UnsafeCell::new([0; SIZE])), used: AtomicUsize::new(0) }
    }

    fn base(&self) -> *mut u8 {
        self.bytes.0.get().cast()
    }

    /// The offset of a piece in the arena, if it is one of ours.
    fn offset(&self, piece: *const u8) -> Option<usize> {
        let offset = piece.addr().checked_sub(self.base().addr())?;
        (offset < SIZE).then_some(offset)
    }

    /// Allocates a piece, if there is room for it.
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        // Nothing has no place of its own, and its address must not look like that of a piece
        // beyond the end.
        if layout.size() == 0 {
            return None;
        }
        let mut used = self.used.load(Ordering::Relaxed);
        loop {
            let start = self.base().addr().checked_add(used)?.checked_next_multiple_of(layout.align())?;
            let start = start - self.base().addr();
            let end = start.checked_add(layout.size()).filter(|end| *end <= SIZE)?;
            match self.used.compare_exchange(used, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(self.base().wrapping_add(start)),
                Err(now) => used = now,
            }
        }
    }

    /// Changes the size of the piece at `offset`, if it is the last one and there is room.
    fn resize(&self, offset: usize, old: usize, new: usize) -> bool {
        let Some(end) = offset.checked_add(new).filter(|end| *end <= SIZE) else { return false };
        self.used.compare_exchange(offset + old, end, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

// SAFETY: a piece of the arena is aligned as asked, lies inside it and has no other owner until it
// is given back, because `used` only moves beyond it; every other piece comes from the usual
// allocator and goes back there.
#[expect(unsafe_code, reason = "an allocator deals in pointers")]
unsafe impl<const SIZE: usize> GlobalAlloc for BumpArena<SIZE> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the usual allocator requires.
        self.take(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        match self.offset(piece) {
            Some(offset) => {
                self.resize(offset, layout.size(), 0);
            }
            // SAFETY: a piece outside the arena came from there.
            None => unsafe { System.dealloc(piece, layout) },
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(offset) = self.offset(piece) else {
            // SAFETY: a piece outside the arena came from there.
            return unsafe { System.realloc(piece, layout, size) };
        };
        if self.resize(offset, layout.size(), size) || size <= layout.size() {
            return piece;
        }
        // SAFETY: the caller promises that the new size is one that a layout may have.
        let moved = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !moved.is_null() {
            // SAFETY: both are pieces of at least this size, and the new one has no other owner.
            unsafe { std::ptr::copy_nonoverlapping(piece, moved, layout.size()) };
        }
        moved
    }
}

#[cfg(test)]
mod tests;
