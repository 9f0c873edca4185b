use std::hint::black_box;

use super::watch;

/// One test, because the counters belong to the whole process; other tests that allocate meanwhile only add, so
/// every bound here is a lower one.
#[test]
fn what_is_kept_and_what_is_dropped_are_told_apart() {
    let (kept, heap) = watch(|| {
        drop(black_box(vec![0_u8; 1_000_000]));
        black_box(vec![0_u8; 5_000_000])
    });
    assert_eq!(kept.len(), 5_000_000);
    assert!(heap.allocations >= 2, "{heap:?}");
    assert!(heap.allocated >= 6_000_000, "{heap:?}");
    assert!(heap.retained >= 4_900_000, "{heap:?}");
    assert!(heap.peak >= heap.retained, "{heap:?}");
}
