#![expect(unsafe_code, reason = "an allocator is called with pointers")]

use std::alloc::{GlobalAlloc, Layout};

use super::BumpArena;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

/// A piece that is filled with `mark`, so that another piece that shares its bytes is detected.
fn take<const SIZE: usize>(arena: &BumpArena<SIZE>, layout: Layout, mark: u8) -> *mut u8 {
    // SAFETY: no layout here has no size.
    let piece = unsafe { arena.alloc(layout) };
    assert!(!piece.is_null() && piece.addr().is_multiple_of(layout.align()));
    // SAFETY: the piece has this size.
    unsafe { piece.write_bytes(mark, layout.size()) };
    piece
}

fn holds(piece: *const u8, size: usize, mark: u8) -> bool {
    // SAFETY: all callers ask about pieces that they hold, of this size.
    unsafe { std::slice::from_raw_parts(piece, size) }.iter().all(|byte| *byte == mark)
}

#[test]
fn pieces_are_aligned_and_share_nothing() {
    let arena = BumpArena::<1024>::new();
    let layouts = [(1, 1), (3, 2), (8, 8), (1, 1), (24, 16), (100, 4), (7, 1)];
    let pieces: Vec<_> = (1..).zip(layouts.map(|(size, align)| layout(size, align))).collect();
    let taken: Vec<_> = pieces.iter().map(|(mark, layout)| take(&arena, *layout, *mark)).collect();
    for ((mark, layout), piece) in pieces.iter().zip(&taken) {
        assert!(arena.offset(*piece).is_some() && holds(*piece, layout.size(), *mark));
    }
}

#[test]
fn what_does_not_fit_comes_from_elsewhere_and_goes_back_there() {
    let arena = BumpArena::<64>::new();
    let (small, large) = (layout(40, 1), layout(65, 1));
    let (first, second, third) = (take(&arena, small, 1), take(&arena, small, 2), take(&arena, large, 3));
    assert!(arena.offset(first).is_some() && arena.offset(second).is_none() && arena.offset(third).is_none());
    // SAFETY: all three are held, each of its layout.
    unsafe {
        arena.dealloc(second, small);
        arena.dealloc(third, large);
        assert!(holds(first, 40, 1));
        arena.dealloc(first, small);
    }
    assert_eq!(arena.offset(take(&arena, small, 4)), Some(0), "the last piece was given back");
}

#[test]
fn the_last_piece_grows_where_it_is_and_others_move_with_what_they_hold() {
    let arena = BumpArena::<256>::new();
    let (eight, sixteen) = (layout(8, 1), layout(16, 1));
    let first = take(&arena, eight, 1);
    // SAFETY: every piece is held and of its layout when it is resized.
    unsafe {
        assert_eq!(arena.realloc(first, eight, 16), first, "nobody came after it");
        let second = take(&arena, eight, 2);
        let moved = arena.realloc(first, sixteen, 32);
        assert!(moved != first && holds(moved, 8, 1) && holds(second, 8, 2));
        let away = arena.realloc(moved, layout(32, 1), 4096);
        assert!(arena.offset(away).is_none() && holds(away, 8, 1));
        arena.dealloc(away, layout(4096, 1));
    }
}

#[test]
fn a_piece_that_shrinks_stays_and_keeps_its_beginning() {
    let arena = BumpArena::<64>::new();
    let whole = layout(32, 1);
    let piece = take(&arena, whole, 7);
    // SAFETY: the piece is held and of this layout.
    assert_eq!(unsafe { arena.realloc(piece, whole, 8) }, piece);
    assert!(holds(piece, 8, 7));
    assert!(take(&arena, layout(16, 1), 9).addr() >= piece.addr() + 8);
    assert!(holds(piece, 8, 7));
}

#[test]
fn memory_that_must_be_zero_is_zero_also_where_somebody_was_before() {
    let arena = BumpArena::<64>::new();
    let whole = layout(48, 1);
    let piece = take(&arena, whole, 7);
    // SAFETY: the piece is held and of this layout.
    unsafe {
        arena.dealloc(piece, whole);
        let again = arena.alloc_zeroed(whole);
        assert!(again == piece && holds(again, 48, 0));
    }
}
