//! Guests that mean harm. Each is a real module or component, and each is refused or cut off soon,
//! without a panic, without harm to the next call, and for the reason that its author would see.

use std::time::{Duration, Instant};

use holm_sandbox::{CompileError, GuestLimits, GuestLoadError, GuestOutcome, GuestStop, WasmShapeError};

use crate::evil;
use crate::kit::{
    ECHO, bare, both, load, program, program_with_memory, run, sandbox, text, text_with, tight, try_load,
};

/// As soon as everything hostile must be over, and what a busy machine may add.
const SOON: Duration = Duration::from_millis(2_000);
const SLACK: Duration = Duration::from_millis(28_000);

/// Limits under which fuel ends first, however busy the machine is.
fn fuelled() -> GuestLimits {
    GuestLimits { fuel: 5_000_000, time: Duration::from_secs(30), ..GuestLimits::default() }
}

/// Limits under which what is written ends first.
fn quiet(output: u64) -> GuestLimits {
    GuestLimits { output, time: Duration::from_secs(30), ..GuestLimits::default() }
}

/// Runs a module in both forms under tight limits and looks at how each ends.
#[track_caller]
fn cut(wat: &str, limits: GuestLimits, expect: impl Fn(&GuestOutcome) -> bool) {
    for (kind, guest) in both(wat) {
        let began = Instant::now();
        let outcome = run(&guest, bare().limits(limits));
        assert!(expect(&outcome), "{kind}: {:?} after {:?}", outcome.stop, outcome.usage);
        assert!(began.elapsed() < SOON + SLACK, "{kind}: {:?}", began.elapsed());
        assert_alive();
    }
}

/// Runs one guest under tight limits and looks at how it ends.
#[track_caller]
fn cut_one(wat: &str, expect: impl Fn(&GuestOutcome) -> bool) {
    let guest = load(wat);
    let began = Instant::now();
    let outcome = run(&guest, bare().limits(fuelled()).input("some input"));
    assert!(expect(&outcome), "{:?} after {:?}", outcome.stop, outcome.usage);
    assert!(began.elapsed() < SOON + SLACK, "{:?}", began.elapsed());
    assert_alive();
}

/// The next call works after any attack.
#[track_caller]
fn assert_alive() {
    assert_eq!(run(&load(&text(ECHO)), bare().input("alive")).reply, Some(Ok("alive".to_owned())));
}

/// Tries to load and looks at why that fails.
#[track_caller]
fn refused(wat: &str, expect: impl Fn(&GuestLoadError) -> bool) {
    refused_bytes(&wat::parse_str(wat).unwrap(), expect);
}

#[track_caller]
fn refused_bytes(bytes: &[u8], expect: impl Fn(&GuestLoadError) -> bool) {
    let began = Instant::now();
    let error = sandbox().load(bytes, &mut |_| {}).expect_err("it was accepted");
    assert!(expect(&error), "{error}");
    assert!(began.elapsed() < SOON + SLACK, "{:?}", began.elapsed());
    assert_alive();
}

fn start(body: &str) -> String {
    program(&format!(r#"(func (export "_start") {body})"#))
}

fn is(stop: GuestStop) -> impl Fn(&GuestOutcome) -> bool {
    move |outcome| outcome.stop == stop
}

fn trapped(outcome: &GuestOutcome) -> bool {
    matches!(outcome.stop, GuestStop::Trapped(_))
}

fn too_many(what: &'static str) -> impl Fn(&GuestLoadError) -> bool {
    move |error| matches!(error, GuestLoadError::Shape(WasmShapeError::TooMany { what: found, .. }) if *found == what)
}

fn invalid(error: &GuestLoadError) -> bool {
    matches!(error, GuestLoadError::Compile(CompileError::Invalid(_)))
}

// Computing without end

#[test]
fn an_infinite_loop_runs_out_of_fuel() {
    cut(&start("(loop $l (br $l))"), fuelled(), is(GuestStop::OutOfFuel));
}

#[test]
fn an_infinite_loop_with_all_the_fuel_runs_out_of_time() {
    cut(&start("(loop $l (br $l))"), GuestLimits { fuel: u64::MAX, ..tight() }, is(GuestStop::OutOfTime));
}

#[test]
fn the_default_limits_cut_an_infinite_loop_too() {
    let limits = GuestLimits::default();
    assert!(limits.fuel <= 1_000_000_000);
    cut(
        &start("(loop $l (br $l))"),
        GuestLimits { fuel: limits.fuel / 8, ..limits },
        is(GuestStop::OutOfFuel),
    );
}

#[test]
fn a_start_function_that_never_ends_is_cut_too() {
    let wat = program(r#"(func $spin (loop $l (br $l))) (start $spin) (func (export "_start"))"#);
    let guest = load(&wat);
    assert_eq!(run(&guest, bare().limits(fuelled())).stop, GuestStop::OutOfFuel);
    let limits = GuestLimits { fuel: u64::MAX, ..tight() };
    assert_eq!(run(&guest, bare().limits(limits)).stop, GuestStop::OutOfTime);
}

#[test]
fn deep_recursion_runs_out_of_stack() {
    let wat = program(r#"(func $f (export "_start") (call $f))"#);
    cut(&wat, fuelled(), is(GuestStop::OutOfStack));
}

#[test]
fn deep_recursion_with_large_frames_runs_out_of_stack() {
    cut(&evil::large_frames(), fuelled(), is(GuestStop::OutOfStack));
}

#[test]
fn mutual_recursion_through_a_table_runs_out_of_stack() {
    cut(&evil::recursion_through_a_table(), fuelled(), is(GuestStop::OutOfStack));
}

#[test]
fn a_text_guest_is_cut_like_all_others() {
    cut_one(&text("(loop $l (br $l)) unreachable"), is(GuestStop::OutOfFuel));
    cut_one(&text_with("(func $f (call $f))", "(call $f) i32.const 0"), is(GuestStop::OutOfStack));
    cut_one(&text("unreachable"), trapped);
}

// Memory and tables

#[test]
fn memory_that_grows_without_end_is_refused_and_the_guest_gives_up() {
    let wat = start("(loop $l (br_if $l (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable");
    cut(&wat, tight(), |outcome| {
        outcome.stop == GuestStop::OutOfMemory && outcome.usage.peak_memory <= GuestLimits::default().memory
    });
}

#[test]
fn memory_beyond_the_limit_from_the_start_is_refused() {
    let wat = program_with_memory(r#"(memory (export "memory") 65536)"#, r#"(func (export "_start"))"#);
    let outcome = run(&load(&wat), bare().limits(tight()));
    assert_eq!(outcome.stop, GuestStop::OutOfMemory);
    assert_eq!(outcome.usage.peak_memory, 0);
}

#[test]
fn a_refused_guest_may_go_on_with_less() {
    let wat = start("(drop (memory.grow (i32.const 60000))) (call $byte (i32.const 33))");
    cut(&wat, tight(), |outcome| outcome.succeeded() && outcome.stdout == b"!");
}

#[test]
fn memory_is_bounded_also_where_every_page_is_touched() {
    let wat = start(
        "(loop $l (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then
            (memory.fill (i32.shl (i32.sub (memory.size) (i32.const 1)) (i32.const 16)) (i32.const 1) (i32.const 65536))
            (br $l)))) unreachable",
    );
    cut(&wat, GuestLimits { time: Duration::from_secs(30), ..tight() }, is(GuestStop::OutOfMemory));
}

#[test]
fn a_table_that_grows_without_end_is_refused() {
    let wat = program(
        r#"(table $t 1 funcref)
           (func (export "_start")
               (loop $l (br_if $l (i32.ne (table.grow $t (ref.null func) (i32.const 1000)) (i32.const -1))))
               unreachable)"#,
    );
    cut(&wat, fuelled(), is(GuestStop::OutOfTable));
}

#[test]
fn a_huge_table_from_the_start_is_refused() {
    let wat = program(r#"(table 10000000 funcref) (func (export "_start"))"#);
    match try_load(&wat) {
        Err(error) => assert!(matches!(error, GuestLoadError::Unsuitable(_)), "{error}"),
        Ok(guest) => {
            let stop = run(&guest, bare()).stop;
            assert!(matches!(stop, GuestStop::OutOfTable | GuestStop::Unstartable(_)), "{stop:?}");
        }
    }
}

#[test]
fn memory64_is_not_accepted() {
    refused(r#"(module (memory i64 1) (func (export "_start")))"#, invalid);
}

#[test]
fn threads_and_garbage_collection_are_not_accepted() {
    refused(r#"(module (memory 1 1 shared) (func (export "_start")))"#, invalid);
    refused(r#"(module (type (struct (field i32))) (func (export "_start")))"#, invalid);
}

#[test]
fn a_hundred_memories_are_not_accepted() {
    refused(&format!(r#"(module {} (func (export "_start")))"#, "(memory 1)".repeat(100)), invalid);
    let modules: String = (0..50)
        .map(|i| format!("(core module $m{i} (memory 1)) (core instance (instantiate $m{i}))"))
        .collect();
    let wat = text(ECHO).replacen("(component", &format!("(component {modules}"), 1);
    refused(&wat, |error| matches!(error, GuestLoadError::Unsuitable(_)));
}

#[test]
fn bulk_operations_under_tiny_fuel_are_bounded_by_memory_and_time() {
    let wat = start(
        "(drop (memory.grow (i32.const 900)))
         (loop $l (memory.fill (i32.const 0) (i32.const 7) (i32.const 58000000)) (br $l))",
    );
    cut(&wat, GuestLimits { fuel: 1_000, ..tight() }, |outcome| {
        matches!(outcome.stop, GuestStop::OutOfFuel | GuestStop::OutOfTime)
    });
    cut(&wat, GuestLimits { fuel: u64::MAX, ..tight() }, is(GuestStop::OutOfTime));
}

#[test]
fn a_trap_inside_a_bulk_operation_is_a_trap() {
    for body in [
        "(memory.fill (i32.const 65536) (i32.const 7) (i32.const 7000000))",
        "(memory.copy (i32.const 0) (i32.const 131000) (i32.const 4096000))",
        "(memory.copy (i32.const -1) (i32.const 0) (i32.const -1))",
    ] {
        // What a bulk operation would do is charged before it is done.
        cut(&start(body), GuestLimits { fuel: 1_000, ..tight() }, is(GuestStop::OutOfFuel));
        cut(&start(body), GuestLimits { fuel: u64::MAX, ..tight() }, trapped);
    }
}

#[test]
fn a_data_segment_outside_of_memory_stops_the_start() {
    let wat = program(r#"(data (i32.const 131070) "too long") (func (export "_start"))"#);
    cut(&wat, tight(), trapped);
}

#[test]
fn reading_and_writing_outside_of_memory_traps() {
    cut(&start("(drop (i32.load (i32.const -4)))"), tight(), trapped);
    cut(&start("(i64.store offset=4294967295 (i32.const 1) (i64.const 0))"), tight(), trapped);
}

// Output

#[test]
fn a_flood_of_output_is_cut_and_what_fits_is_kept() {
    for stream in [1, 2] {
        let write = format!("(call $write (i32.const {stream}) (i32.const 1024) (i32.const 60000))");
        cut(&start(&format!("(loop $l {write} (br $l))")), quiet(1 << 20), |outcome| {
            let kept = outcome.stdout.len() + outcome.stderr.len();
            outcome.stop == GuestStop::TooMuchOutput && kept == 1 << 20
        });
    }
}

#[test]
fn a_flood_of_single_bytes_is_cut_too() {
    cut(&start("(loop $l (call $byte (i32.const 33)) (br $l))"), quiet(10_000), is(GuestStop::TooMuchOutput));
}

#[test]
fn an_answer_that_is_too_long_is_cut() {
    let answer = |bytes: u32| {
        text(&format!(
            "(drop (memory.grow (i32.const 800)))
             (i32.store8 (i32.const 0) (i32.const 0)) (i32.store (i32.const 4) (i32.const 16))
             (i32.store (i32.const 8) (i32.const {bytes})) (i32.const 0)"
        ))
    };
    cut_one(&answer(8 << 20), GuestOutcome::succeeded);
    cut_one(&answer((8 << 20) + 1), is(GuestStop::TooMuchOutput));
    cut_one(&answer(50_000_000), trapped);
}

// Waiting

#[test]
fn waiting_for_ever_ends_with_the_time() {
    let sleep = r"(i64.store (i32.const 1024) (i64.const 0))
        (i32.store (i32.const 1040) (i32.const 1))
        (i64.store (i32.const 1048) (i64.const -1))
        (drop (call $poll_oneoff (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 4096)))";
    cut(&start(sleep), GuestLimits { time: Duration::from_millis(200), ..tight() }, is(GuestStop::OutOfTime));
}

#[test]
fn waiting_for_nothing_and_for_too_much_is_an_error() {
    for count in [0, 100_000, -1] {
        let body = format!(
            "(call $byte (call $poll_oneoff (i32.const 1024) (i32.const 2048) (i32.const {count}) (i32.const 4096)))"
        );
        let outcome = run(&load(&start(&body)), bare().limits(tight()));
        assert_eq!(outcome.stdout, [28], "{count}: {outcome:?}");
    }
}

#[test]
fn a_busy_poll_loop_is_cut() {
    let body = r"(loop $l
        (i32.store (i32.const 1040) (i32.const 1)) (i64.store (i32.const 1048) (i64.const 0))
        (drop (call $poll_oneoff (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 4096))) (br $l))";
    cut(&start(body), tight(), |outcome| matches!(outcome.stop, GuestStop::OutOfFuel | GuestStop::OutOfTime));
}

// Lies to host functions

#[test]
fn pointers_and_lengths_that_lie_are_errors_or_traps_never_more() {
    for call in [
        "(call $fd_write (i32.const 1) (i32.const -8) (i32.const 1) (i32.const 8))",
        "(call $fd_write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 8))",
        "(call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const -1))",
        "(call $fd_write (i32.const -1) (i32.const 0) (i32.const 1) (i32.const 8))",
        "(call $fd_read (i32.const 0) (i32.const -8) (i32.const 9) (i32.const 8))",
        "(call $args_get (i32.const -4) (i32.const -4))",
        "(call $args_sizes_get (i32.const -1) (i32.const 131070))",
        "(call $random_get (i32.const 1) (i32.const -1))",
        "(call $clock_time_get (i32.const 99) (i64.const 0) (i32.const 64))",
        "(call $clock_time_get (i32.const 0) (i64.const 0) (i32.const -8))",
        "(call $path_open (i32.const 3) (i32.const -1) (i32.const -1) (i32.const -1) (i32.const -1) (i64.const -1)
            (i64.const -1) (i32.const -1) (i32.const -1))",
        "(call $path_open (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 4) (i32.const 0) (i64.const 0)
            (i64.const 0) (i32.const 0) (i32.const 64))",
        "(call $fd_close (i32.const 2147483647))",
        "(call $fd_readdir (i32.const 1) (i32.const 0) (i32.const -1) (i64.const -1) (i32.const 0))",
    ] {
        for (kind, guest) in both(&start(&format!("(if (i32.eqz {call}) (then (call $byte (i32.const 33))))"))) {
            let outcome = run(&guest, bare().arg("x").limits(tight()));
            assert!(outcome.stdout.is_empty(), "{kind}: {call} was accepted: {outcome:?}");
            assert!(matches!(outcome.stop, GuestStop::Returned | GuestStop::Trapped(_)), "{kind}: {call}: {outcome:?}");
            assert_alive();
        }
    }
}

#[test]
fn a_module_without_memory_cannot_make_the_host_guess() {
    let wat = r#"(module (import "wasi_snapshot_preview1" "random_get" (func $r (param i32 i32) (result i32)))
        (func (export "_start") (drop (call $r (i32.const 0) (i32.const 8)))))"#;
    cut_one(wat, trapped);
    let wat = r#"(module (import "wasi_snapshot_preview1" "random_get" (func $r (param i32 i32) (result i32)))
        (global (export "memory") i32 (i32.const 0))
        (func (export "_start") (drop (call $r (i32.const 0) (i32.const 8)))))"#;
    cut_one(wat, trapped);
}

#[test]
fn a_way_in_of_the_wrong_type_is_told() {
    for wat in
        [r#"(module (func (export "_start") (param i32)))"#, r#"(module (memory (export "_start") 1))"#]
    {
        cut_one(wat, |outcome| matches!(outcome.stop, GuestStop::Unstartable(_)));
    }
    let wrong = text(ECHO).replace(r#"(export "run" (func $run))"#, r#"(export "other" (func $run))"#);
    refused(&wrong, |error| *error == GuestLoadError::NoEntry);
    let wat = r#"(component (core module $m (func (export "run"))) (core instance $i (instantiate $m))
        (func $run (canon lift (core func $i "run"))) (instance $c (export "run" (func $run)))
        (export "holm:tool/call@0.1.0" (instance $c)))"#;
    cut_one(wat, |outcome| matches!(outcome.stop, GuestStop::Unstartable(_)));
}

#[test]
fn answers_that_lie_about_where_they_are_trap() {
    for (ptr, len) in [(-4, 100), (65_000, 60_000), (0, -1), (-1, 0)] {
        let wat = evil::lying_answer(ptr, len, "");
        cut_one(&wat, |outcome| trapped(outcome) || outcome.reply == Some(Ok(String::new())));
    }
    cut_one(&text("(i32.const -4)"), trapped);
    cut_one(&text("(i32.store8 (i32.const 0) (i32.const 9)) (i32.const 0)"), trapped);
}

#[test]
fn an_answer_that_is_no_text_traps() {
    let body = r"(i32.store8 (i32.const 0) (i32.const 0)) (i32.store (i32.const 4) (i32.const 100))
        (i32.store (i32.const 8) (i32.const 2)) (i32.store16 (i32.const 100) (i32.const 0xfffe)) (i32.const 0)";
    cut_one(&text(body), trapped);
}

#[test]
fn utf_16_with_wrong_lengths_traps() {
    for (ptr, len) in [(100, 1_000_000), (101, 4), (100, -1), (65_534, 2)] {
        for encoding in ["string-encoding=utf16", "string-encoding=latin1+utf16"] {
            let guest = load(&evil::lying_answer(ptr, len, encoding));
            let outcome = run(&guest, bare().limits(tight()).input("\u{1f600}"));
            assert!(
                !outcome.succeeded()
                    || outcome.reply.is_some_and(|reply| reply.is_ok_and(|text| text.len() < 20))
            );
            assert_alive();
        }
    }
}

#[test]
fn a_realloc_that_lies_or_traps_or_never_ends_is_cut() {
    for (realloc, expect) in [
        ("unreachable", "trap"),
        ("(i32.const -1)", "trap"),
        ("(i32.const 65535)", "trap"),
        ("(loop $l (br $l)) (i32.const 0)", "fuel"),
    ] {
        cut_one(&evil::lying_realloc(realloc), |outcome| match expect {
            "trap" => trapped(outcome),
            _ => outcome.stop == GuestStop::OutOfFuel,
        });
    }
}

// Handles

#[test]
fn a_million_handles_are_refused() {
    cut_one(&evil::requests_without_end(), is(GuestStop::OutOfHandles));
}

#[test]
fn thirty_three_thousand_fields_are_refused() {
    cut_one(&evil::fields_without_end(), |outcome| !outcome.succeeded());
}

// Bytes that are meant for the compiler

#[test]
fn a_hundred_thousand_and_a_million_imports_are_refused() {
    for count in [100_000, 1_000_000] {
        refused_bytes(&evil::imports(count), too_many("imports"));
    }
}

#[test]
fn a_million_functions_are_refused() {
    refused_bytes(&evil::functions(1_000_000), too_many("functions"));
}

#[test]
fn two_million_branch_targets_are_refused() {
    refused_bytes(&evil::branch_targets(2_000_000), too_many("branch targets"));
}

#[test]
fn two_million_nested_blocks_are_refused() {
    // So deep that the function is too large; then a little less deep.
    refused_bytes(&evil::nested_blocks(2_000_000), too_many("bytes in one function"));
    refused_bytes(&evil::nested_blocks(1_000_000), too_many("nested blocks"));
}

#[test]
fn nested_loops_around_locals_are_refused_at_first_sight() {
    refused(&evil::nested_loops(), too_many("nested loops"));
}

#[test]
fn a_hundred_thousand_instances_are_refused() {
    refused(&evil::instances(100_000), too_many("instances"));
    refused(&evil::instances_beside(200), |error| matches!(error, GuestLoadError::Unsuitable(_)));
}

#[test]
fn types_within_types_are_refused_or_told() {
    if let Err(error) = try_load(&evil::deep_types()) {
        assert!(matches!(error, GuestLoadError::Compile(_) | GuestLoadError::Shape(_)), "{error}");
    }
    refused(&evil::wide_types(), |error| matches!(error, GuestLoadError::Compile(_)));
}

#[test]
fn nested_components_are_refused() {
    refused_bytes(&evil::nested_components(1_000), too_many("nested components"));
}

#[test]
fn more_bytes_than_a_tool_has_are_refused() {
    let bytes = vec![0; 65 << 20];
    let error = sandbox().load(&bytes, &mut |_| {}).unwrap_err();
    assert!(too_many("bytes")(&error), "{error}");
}

#[test]
fn damaged_bytes_never_load() {
    let good = wat::parse_str(start("(call $byte (i32.const 33))")).unwrap();
    let mut seed = 7_u64;
    let mut loaded = 0;
    for _ in 0..40 {
        let mut bad = good.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(seed >> 33).unwrap() % bad.len();
            bad[at] ^= 1 << (seed % 8);
        }
        if let Ok(guest) = sandbox().load(&bad, &mut |_| {}) {
            // Some bits are only text or numbers; the program is then a different one, and is cut
            // off like any.
            loaded += 1;
            let outcome = run(&guest, bare().limits(tight()));
            assert!(!matches!(outcome.stop, GuestStop::HostFailed(_)), "{outcome:?}");
        }
    }
    assert!(loaded < 40);
    assert_alive();
}
