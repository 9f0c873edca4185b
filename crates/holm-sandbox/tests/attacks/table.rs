//! The attacks, by name.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use holm_sandbox::{Guest, GuestCall, GuestClock, GuestLimits, GuestOutcome, GuestRandomness};

use crate::evil::{self, binary, leb};
use crate::http::client;
use crate::kit::{
    ECHO, access, bare, componentise, load, of_another_version, program, program_with_memory, run, sandbox,
    text, text_with, tight,
};

/// What is done, once everything for it is there; says how it ended.
pub(crate) type Attack = Box<dyn FnOnce() -> String>;

/// One line of the table.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) prepare: Box<dyn Fn() -> Attack>,
    /// One of these must stand in how it ended.
    pub(crate) ends: &'static [&'static str],
}

pub(crate) fn all() -> Vec<Case> {
    [computing(), memory(), output_and_waiting(), lies(), texts(), modules(), components(), files(), lives()]
        .into_iter()
        .flatten()
        .collect()
}

fn case(name: &'static str, ends: &'static [&'static str], prepare: impl Fn() -> Attack + 'static) -> Case {
    Case { name, prepare: Box::new(prepare), ends }
}

/// Compiled before, then run.
fn running(wat: &str, limits: GuestLimits) -> Attack {
    called(load(wat), bare().limits(limits).input("some input"))
}

/// The same as a component of WASI 0.2.
fn running_component(wat: &str, limits: GuestLimits) -> Attack {
    let bytes = componentise(&wat::parse_str(wat).unwrap());
    called(sandbox().load(&bytes, &mut |_| {}).unwrap(), bare().limits(limits))
}

fn called(guest: Guest, call: GuestCall) -> Attack {
    Box::new(move || end(&run(&guest, call)))
}

/// Given to the sandbox as they are, and run if they get that far.
fn loading(bytes: Vec<u8>) -> Attack {
    Box::new(move || match sandbox().load(&bytes, &mut |_| {}) {
        Err(error) => format!("refused: {error}"),
        Ok(guest) => end(&run(&guest, bare().limits(tight()))),
    })
}

fn loading_text(wat: &str) -> Attack {
    loading(wat::parse_str(wat).unwrap())
}

fn end(outcome: &GuestOutcome) -> String {
    let mut text = format!("{:?}", outcome.stop);
    if let Some(Err(why)) = &outcome.reply {
        write!(text, " saying {why}").unwrap();
    }
    for refusal in &outcome.refusals {
        write!(text, "; {refusal}").unwrap();
    }
    text
}

fn start(body: &str) -> String {
    program(&format!(r#"(func (export "_start") {body})"#))
}

/// Limits under which time ends first.
fn timed() -> GuestLimits {
    GuestLimits { fuel: u64::MAX, ..tight() }
}

const SPIN: &str = "(loop $l (br $l))";

fn computing() -> Vec<Case> {
    let never_starts = || program(&format!(r#"(func $s {SPIN}) (start $s) (func (export "_start"))"#));
    let recursion = || program(r#"(func $f (export "_start") (call $f))"#);
    const CUT: &[&str] = &["OutOfFuel", "OutOfTime"];
    vec![
        case("infinite loop, default limits", CUT, || running(&start(SPIN), GuestLimits::default())),
        case("infinite loop with all the fuel", &["OutOfTime"], || running(&start(SPIN), timed())),
        case("infinite loop in a component", &["OutOfTime"], || running_component(&start(SPIN), timed())),
        case("infinite loop in a text guest", &["OutOfTime"], || {
            running(&text("(loop $l (br $l)) unreachable"), timed())
        }),
        case("start function that never ends", &["OutOfTime"], move || running(&never_starts(), timed())),
        case("deep recursion", &["OutOfStack"], move || running(&recursion(), tight())),
        case("deep recursion in a component", &["OutOfStack"], move || {
            running_component(&recursion(), tight())
        }),
        case("deep recursion with large frames", &["OutOfStack"], || running(&evil::large_frames(), tight())),
        case("recursion through a table", &["OutOfStack"], || {
            running(&evil::recursion_through_a_table(), tight())
        }),
        case("recursion in a text guest", &["OutOfStack"], || {
            running(&text_with("(func $f (call $f))", "(call $f) i32.const 0"), tight())
        }),
    ]
}

fn memory() -> Vec<Case> {
    const GROW: &str =
        "(loop $l (br_if $l (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable";
    const TOUCH: &str = "(loop $l (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then
        (memory.fill (i32.shl (i32.sub (memory.size) (i32.const 1)) (i32.const 16)) (i32.const 1) (i32.const 65536))
        (br $l)))) unreachable";
    const FILL: &str = "(drop (memory.grow (i32.const 900)))
        (loop $l (memory.fill (i32.const 0) (i32.const 7) (i32.const 58000000)) (br $l))";
    const COPY: &str = "(drop (memory.grow (i32.const 900)))
        (loop $l (memory.copy (i32.const 1) (i32.const 0) (i32.const 58000000)) (br $l))";
    let grows_table = || {
        program(
            r#"(table $t 1 funcref) (func (export "_start")
                (loop $l (br_if $l (i32.ne (table.grow $t (ref.null func) (i32.const 1000)) (i32.const -1)))) unreachable)"#,
        )
    };
    let from_the_start =
        || program_with_memory(r#"(memory (export "memory") 65536)"#, r#"(func (export "_start"))"#);
    let hundred = || format!(r#"(module {} (func (export "_start")))"#, "(memory 1)".repeat(100));
    const BOUND: &[&str] = &["OutOfFuel", "OutOfTime"];
    vec![
        case("memory.grow without end", &["OutOfMemory"], || running(&start(GROW), tight())),
        case("memory.grow in a component", &["OutOfMemory"], || running_component(&start(GROW), tight())),
        case("memory.grow, every page touched", &["OutOfMemory", "OutOfTime"], || {
            running(&start(TOUCH), timed())
        }),
        case("four gibibytes from the start", &["OutOfMemory"], move || running(&from_the_start(), tight())),
        case("table.grow without end", &["OutOfTable"], move || running(&grows_table(), tight())),
        case("ten million table elements from the start", &["OutOfTable", "Unstartable", "refused"], || {
            loading_text(&program(r#"(table 10000000 funcref) (func (export "_start"))"#))
        }),
        case("memory64", &["refused"], || {
            loading_text(r#"(module (memory i64 1) (func (export "_start")))"#)
        }),
        case("shared memory", &["refused"], || {
            loading_text(r#"(module (memory 1 1 shared) (func (export "_start")))"#)
        }),
        case("a hundred memories", &["refused"], move || loading_text(&hundred())),
        case("bulk fill under tiny fuel", BOUND, || {
            running(&start(FILL), GuestLimits { fuel: 1_000, ..tight() })
        }),
        case("bulk fill with all the fuel", &["OutOfTime"], || running(&start(FILL), timed())),
        case("bulk copy with all the fuel", &["OutOfTime"], || running(&start(COPY), timed())),
        case("trap inside a bulk operation", &["Trapped"], || {
            running(&start("(memory.fill (i32.const 65536) (i32.const 7) (i32.const 7000000))"), timed())
        }),
    ]
}

fn output_and_waiting() -> Vec<Case> {
    let flood = |stream: i32| {
        start(&format!(
            "(loop $l (call $write (i32.const {stream}) (i32.const 1024) (i32.const 60000)) (br $l))"
        ))
    };
    const BYTES: &str = "(loop $l (call $byte (i32.const 33)) (br $l))";
    let poll = |before: &str, after: &str| {
        start(&format!(
            "{before} (i32.store (i32.const 1040) (i32.const 1)) (i64.store (i32.const 1048) (i64.const -1))
             (drop (call $poll_oneoff (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 4096))) {after}"
        ))
    };
    let busy = move || poll("(loop $l", "(br $l))").replace("i64.const -1", "i64.const 0");
    const RANDOM: &str = "(loop $l (drop (call $random_get (i32.const 0) (i32.const 131072))) (br $l))";
    const TIME: &str =
        "(loop $l (drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 64))) (br $l))";
    const BOUND: &[&str] = &["OutOfFuel", "OutOfTime"];
    vec![
        case("flood of standard output", &["TooMuchOutput"], move || running(&flood(1), timed())),
        case("flood of standard error", &["TooMuchOutput"], move || running(&flood(2), timed())),
        case("flood from a component", &["TooMuchOutput"], move || running_component(&flood(1), timed())),
        case("flood of single bytes", &["TooMuchOutput", "OutOfTime"], || running(&start(BYTES), timed())),
        case("an answer that is too long", &["TooMuchOutput"], || {
            let answer = "(drop (memory.grow (i32.const 800))) (i32.store8 (i32.const 0) (i32.const 0))
                (i32.store (i32.const 4) (i32.const 16)) (i32.store (i32.const 8) (i32.const 9000000)) (i32.const 0)";
            running(&text(answer), tight())
        }),
        case("sleep for ever", &["OutOfTime"], move || running(&poll("", ""), tight())),
        case("sleep for ever in a component", &["OutOfTime"], move || {
            running_component(&poll("", ""), tight())
        }),
        case("busy polling", BOUND, move || running(&busy(), timed())),
        case("randomness without end", BOUND, || running(&start(RANDOM), timed())),
        case("asking for the time without end", BOUND, || running(&start(TIME), timed())),
        case("clock and randomness are the host's to repeat", &["the same"], repeated),
    ]
}

/// What a journal holds can be had again only if nothing else comes in: with the clock fixed and
/// the seed given, all output is the same.
fn repeated() -> Attack {
    let wat = start(
        "(drop (call $random_get (i32.const 1024) (i32.const 32)))
         (drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 1056)))
         (drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 1064)))
         (call $say (i32.const 1024) (i32.const 48))",
    );
    let guest = load(&wat);
    Box::new(move || {
        let call =
            || bare().clock(GuestClock::Fixed(Duration::from_secs(7))).randomness(GuestRandomness::Seeded(7));
        let (first, second) = (run(&guest, call()), run(&guest, call()));
        let same = first.stdout == second.stdout && first.stdout.len() == 48;
        if same { "the same".to_owned() } else { format!("{first:?} {second:?}") }
    })
}

fn lies() -> Vec<Case> {
    /// Prints `!` where the call is believed.
    fn lie(call: &str) -> Attack {
        let guest = load(&start(&format!("(if (i32.eqz {call}) (then (call $byte (i32.const 33))))")));
        Box::new(move || {
            let outcome = run(&guest, bare().arg("x").limits(tight()));
            format!("{} with {:?}", end(&outcome), outcome.stdout)
        })
    }
    const FAILED: &[&str] = &["Returned with []", "Trapped"];
    vec![
        case("a list of pieces outside of memory", FAILED, || {
            lie("(call $fd_write (i32.const 1) (i32.const -8) (i32.const 1) (i32.const 8))")
        }),
        case("four thousand million pieces", FAILED, || {
            lie("(call $fd_write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 8))")
        }),
        case("randomness into nowhere", FAILED, || lie("(call $random_get (i32.const 1) (i32.const -1))")),
        case("a hundred thousand subscriptions", FAILED, || {
            lie("(call $poll_oneoff (i32.const 0) (i32.const 0) (i32.const 100000) (i32.const 8))")
        }),
        case("a handle that was never opened", FAILED, || lie("(call $fd_close (i32.const 2147483647))")),
        case("fd_renumber onto what is not there", FAILED, || {
            lie("(call $fd_renumber (i32.const 99) (i32.const 2147483647))")
        }),
        case("handles without end", &["OutOfHandles"], || running(&evil::requests_without_end(), timed())),
        case("thirty-three thousand fields", &["saying", "Trapped", "OutOf"], || {
            running(&evil::fields_without_end(), timed())
        }),
        case("a way out that panics", &["HostFailed"], || {
            let call = GuestCall::new(access(&["fetch:http://example.com"], &[], None));
            called(load(&client()), call.outbound(Arc::new(evil::Broken)).input("example.com"))
        }),
    ]
}

fn texts() -> Vec<Case> {
    fn answers(ptr: i64, len: i64, encoding: &'static str) -> Attack {
        let wat = evil::lying_answer(ptr, len, encoding);
        called(load(&wat), bare().limits(tight()).input("\u{1f600}"))
    }
    fn reallocates(body: &str) -> Attack {
        running(&evil::lying_realloc(body), timed())
    }
    vec![
        case("an answer outside of memory", &["Trapped"], || answers(65_000, 60_000, "")),
        case("an answer of four gibibytes", &["Trapped"], || answers(0, -1, "")),
        case("UTF-16 of a wrong length", &["Trapped"], || answers(100, 1_000_000, "string-encoding=utf16")),
        case("UTF-16 at an odd place", &["Trapped"], || answers(101, 4, "string-encoding=utf16")),
        case("UTF-16 or Latin-1 of a wrong length", &["Trapped"], || {
            answers(100, -1, "string-encoding=latin1+utf16")
        }),
        case("a realloc that lies", &["Trapped"], || reallocates("(i32.const 65535)")),
        case("a realloc that never ends", &["OutOfTime"], || reallocates("(loop $l (br $l)) (i32.const 0)")),
    ]
}

fn modules() -> Vec<Case> {
    vec![
        case("a hundred thousand imports", &["imports; at most"], || loading(evil::imports(100_000))),
        case("a million imports", &["imports; at most"], || loading(evil::imports(1_000_000))),
        case("a million functions", &["functions; at most"], || loading(evil::functions(1_000_000))),
        case("two million branch targets", &["branch targets; at most"], || {
            loading(evil::branch_targets(2_000_000))
        }),
        case("two million nested blocks", &["bytes in one function"], || {
            loading(evil::nested_blocks(2_000_000))
        }),
        case("a million nested blocks", &["nested blocks; at most"], || {
            loading(evil::nested_blocks(1_000_000))
        }),
        case("a thousand nested loops around locals", &["nested loops; at most"], || {
            loading_text(&evil::nested_loops())
        }),
        case("a compile bomb of some kilobytes", &["too long for its size"], || {
            loading(evil::bomb(200, 3_000))
        }),
        case("a data segment of fifty megabytes", &["bytes of data; at most"], || loading(data(50 << 20))),
        case("as much data as is accepted", &["Returned"], || loading(data((24 << 20) - 100))),
        case("a million data segments", &["segments; at most"], || {
            loading(binary(&[(5, 1, b"\0\x01", 1), (11, 1_000_000, b"\0\x41\0\x0b\0", 1_000_000)]))
        }),
        case("more bytes than any tool has", &["bytes; at most"], || loading(vec![0; 65 << 20])),
        case("machine code in place of WASM", &["compiled code"], || {
            loading(b"\x7fELF\x02\x01\x01".to_vec())
        }),
        case("code of another engine's version", &["compiled code"], || {
            let code = holm_sandbox::prepare(&wat::parse_str(start("")).unwrap()).unwrap();
            loading(of_another_version(code))
        }),
    ]
}

/// A module that fills its memory at the start with so many bytes.
fn data(size: usize) -> Vec<u8> {
    let pages = leb(size.div_ceil(65_536) + 1);
    let segment = [b"\0\x41\0\x0b".to_vec(), leb(size), vec![7; size]].concat();
    binary(&[
        (1, 1, b"\x60\0\0", 1),
        (3, 1, b"\0", 1),
        (5, 1, &[b"\0".to_vec(), pages].concat(), 1),
        (7, 1, b"\x06_start\0\0", 1),
        (10, 1, b"\x02\0\x0b", 1),
        (11, 1, &segment, 1),
    ])
}

fn components() -> Vec<Case> {
    let memories = || {
        let one = |i| format!("(core module $m{i} (memory 1)) (core instance (instantiate $m{i}))");
        evil::after(&(0..50).map(one).collect::<String>())
    };
    vec![
        case("a hundred thousand instances", &["instances; at most"], || {
            loading_text(&evil::instances(100_000))
        }),
        case("two hundred instances", &["refused: its interface does not match"], || {
            loading_text(&evil::instances_beside(200))
        }),
        case("fifty memories in one component", &["refused: its interface does not match"], move || {
            loading_text(&memories())
        }),
        case("a type of five thousand layers", &["refused", "Returned", "Trapped"], || {
            loading_text(&evil::deep_types())
        }),
        case("a type that doubles sixty-four times", &["refused"], || loading_text(&evil::wide_types())),
        case("a thousand components within each other", &["nested components"], || {
            loading(evil::nested_components(1_000))
        }),
    ]
}

fn files() -> Vec<Case> {
    /// Calls one function in a folder that may only be read, and says what is
    /// in its file afterwards.
    fn changes(call: &str) -> Attack {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), "text").unwrap();
        std::fs::write(folder.path().join("b.txt"), "other").unwrap();
        let wat = program(&format!(
            r#"(data (i32.const 64) "a.txt") (data (i32.const 96) "b.txt") (data (i32.const 128) "../../etc/passwd")
               (func (export "_start") (if (i32.eqz {call}) (then (call $byte (i32.const 33)))))"#
        ));
        let guest = load(&wat);
        Box::new(move || {
            let outcome =
                run(&guest, GuestCall::new(access(&["read:**"], &[], Some(folder.path()))).limits(tight()));
            let left = [Path::new("a.txt"), Path::new("b.txt")]
                .map(|name| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default());
            format!("{} with {:?}, left {left:?}", end(&outcome), outcome.stdout)
        })
    }
    const KEPT: &[&str] = &[r#"with [], left ["text", "other"]"#];
    const A: &str = "(i32.const 64) (i32.const 5)";
    const B: &str = "(i32.const 96) (i32.const 5)";
    vec![
        case("truncating what may only be read", KEPT, || {
            changes(&format!(
                "(call $path_open (i32.const 3) (i32.const 1) {A} (i32.const 8) (i64.const 2) (i64.const 0)
                 (i32.const 0) (i32.const 12))"
            ))
        }),
        case("a hard link where nothing may be written", KEPT, || {
            changes(&format!("(call $path_link (i32.const 3) (i32.const 0) {A} (i32.const 3) {B})"))
        }),
        case("a renaming where nothing may be written", KEPT, || {
            changes(&format!("(call $path_rename (i32.const 3) {A} (i32.const 3) {B})"))
        }),
        case("a removal where nothing may be written", KEPT, || {
            changes(&format!("(call $path_unlink_file (i32.const 3) {A})"))
        }),
        case("a link that leads out", KEPT, || {
            changes(&format!("(call $path_symlink (i32.const 128) (i32.const 16) (i32.const 3) {B})"))
        }),
        case("a path that leads out", KEPT, || {
            changes(
                "(call $path_open (i32.const 3) (i32.const 1) (i32.const 128) (i32.const 16) (i32.const 0) (i64.const 2)
                 (i64.const 0) (i32.const 0) (i32.const 12))",
            )
        }),
    ]
}

fn lives() -> Vec<Case> {
    vec![
        case("a call that is dropped half-way, again and again", &["Returned"], || {
            let (spins, honest) = (load(&start(SPIN)), load(&text(ECHO)));
            Box::new(move || {
                let endless = GuestLimits { time: Duration::from_secs(3_600), ..timed() };
                for _ in 0..20 {
                    drop(sandbox().run(&spins, bare().limits(endless)));
                }
                end(&run(&honest, bare().input("x")))
            })
        }),
        case("what the last guest left", &["all zero"], || {
            // Writes over everything it has, then is cut off; the next one looks.
            let writes = load(&start(
                "(memory.fill (i32.const 0) (i32.const 170) (i32.const 131072)) (loop $l (br $l))",
            ));
            let looks = load(&start(
                "(local $i i32) (local $found i32)
                 (loop $l (local.set $found (i32.or (local.get $found) (i32.load (local.get $i))))
                     (local.set $i (i32.add (local.get $i) (i32.const 4)))
                     (br_if $l (i32.lt_u (local.get $i) (i32.const 131072))))
                 (call $byte (local.get $found))",
            ));
            Box::new(move || {
                let short = GuestLimits { time: Duration::from_millis(30), ..timed() };
                let found = (0..10).any(|_| {
                    run(&writes, bare().limits(short));
                    run(&looks, bare().limits(tight())).stdout != [0]
                });
                if found { "something was left".to_owned() } else { "all zero".to_owned() }
            })
        }),
    ]
}
