//! Nothing of one call is there for the next, though memories, tables and stacks are used again.

use holm_sandbox::{GuestCall, GuestLimits, GuestStop};

use crate::kit::{access, bare, both, load, program_with_memory, run, text_with};

/// Prints the sum of all bytes of 30 pages, then fills them with a canary; grows first, so that
/// fresh pages count too.
fn canary() -> String {
    program_with_memory(
        r#"(memory (export "memory") 2) (table $t 64 funcref) (global $g (mut i32) (i32.const 0)) (elem declare func $mark)"#,
        r#"(func $mark)
           (func (export "_start") (local $at i32) (local $sum i32) (local $i i32)
               (drop (memory.grow (i32.const 28)))
               (local.set $at (i32.const 1024))
               (loop $look
                   (local.set $sum (i32.or (local.get $sum) (i32.load (local.get $at))))
                   (local.set $at (i32.add (local.get $at) (i32.const 4)))
                   (br_if $look (i32.lt_u (local.get $at) (i32.const 1966080))))
               (loop $slots
                   (if (i32.eqz (ref.is_null (table.get $t (local.get $i)))) (then (local.set $sum (i32.const -1))))
                   (table.set $t (local.get $i) (ref.func $mark))
                   (local.set $i (i32.add (local.get $i) (i32.const 1)))
                   (br_if $slots (i32.lt_u (local.get $i) (i32.const 64))))
               (if (global.get $g) (then (local.set $sum (i32.const -1))))
               (global.set $g (i32.const 1))
               (memory.fill (i32.const 1024) (i32.const 0xab) (i32.const 1965000))
               (call $byte (i32.ne (local.get $sum) (i32.const 0))))"#,
    )
}

#[test]
fn memory_tables_and_globals_start_afresh() {
    for (kind, guest) in both(&canary()) {
        for round in 0..100 {
            let outcome = run(&guest, bare());
            assert_eq!(
                (outcome.stop, outcome.stdout),
                (GuestStop::Returned, vec![0]),
                "{kind}, round {round}"
            );
        }
    }
}

#[test]
fn also_when_the_last_guest_was_another_and_was_cut_off() {
    // Fills its whole memory and never ends.
    let dirty = program_with_memory(
        r#"(memory (export "memory") 30)"#,
        r#"(func (export "_start")
               (memory.fill (i32.const 0) (i32.const 0xcd) (i32.const 1966080)) (loop $l (br $l)))"#,
    );
    let (dirty, clean) = (load(&dirty), load(&canary()));
    for round in 0..50 {
        let outcome = run(&dirty, bare().limits(GuestLimits { fuel: 100_000, ..GuestLimits::default() }));
        assert_eq!(outcome.stop, GuestStop::OutOfFuel);
        assert_eq!(run(&clean, bare()).stdout, [0], "round {round}");
    }
}

#[test]
fn many_at_once_see_nothing_of_each_other() {
    let clean = load(&canary());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(run(&clean, bare()).stdout, [0]);
                }
            });
        }
    });
}

#[test]
fn a_text_guest_counts_from_one_each_time() {
    let guest = load(&text_with(
        "(global $count (mut i32) (i32.const 48))",
        r"(global.set $count (i32.add (global.get $count) (i32.const 1)))
          (i32.store8 (i32.const 100) (global.get $count))
          (i32.store8 (i32.const 0) (i32.const 0))
          (i32.store (i32.const 4) (i32.const 100))
          (i32.store (i32.const 8) (i32.const 1))
          (i32.const 0)",
    ));
    for _ in 0..100 {
        assert_eq!(run(&guest, bare()).reply, Some(Ok("1".to_owned())));
    }
}

#[test]
fn open_files_are_closed_with_the_call() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a"), "a").unwrap();
    let wat = crate::kit::program(
        r#"(data (i32.const 64) "a")
           (func (export "_start") (local $i i32)
               (loop $more
                   (drop (call $open (i32.const 64) (i32.const 1) (i32.const 0) (i64.const 2)))
                   (local.set $i (i32.add (local.get $i) (i32.const 1)))
                   (br_if $more (i32.lt_u (local.get $i) (i32.const 50)))))"#,
    );
    // Files of other tests come and go meanwhile, so what is counted are the handles of this one file.
    let target = std::fs::canonicalize(dir.path().join("a")).unwrap();
    let open = || {
        let entries = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(Result::ok);
        entries.filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|to| to == target)).count()
    };
    for (kind, guest) in both(&wat) {
        let outcome = run(&guest, GuestCall::new(access(&["read:**"], &[], Some(dir.path()))));
        assert_eq!(outcome.stop, GuestStop::Returned, "{kind}");
        assert_eq!(open(), 0, "{kind}");
    }
}
