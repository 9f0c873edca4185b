//! Every attack of a list, one after the other, each as a real module or component, while another
//! session goes on calling.
//!
//! Each must be refused or cut off soon, within little memory, and without harm to the other
//! session. Why each ends as it does is looked at more closely in the tests named `hostile`; this
//! is about what all of them cost. It is a program of its own because what other tests use cannot
//! be told apart from what an attack uses.
//!
//! What is asserted leaves room for slow and busy machines; `HOLM_STRICT=1` takes that room away,
//! and `--nocapture` shows the table.

#![expect(clippy::unwrap_used, reason = "a test that meets the unexpected should stop")]

#[path = "../sandbox/evil.rs"]
mod evil;
#[path = "../sandbox/http.rs"]
mod http;
#[path = "../sandbox/kit.rs"]
#[expect(dead_code, reason = "shared with tests that need all of it")]
mod kit;
mod neighbour;
mod table;

use std::time::{Duration, Instant};

use neighbour::Neighbour;

/// As soon as everything must be over, and what a slow and busy machine may add.
const SOON: Duration = Duration::from_secs(2);
const SLACK: Duration = Duration::from_secs(40);

/// The most memory that an attack may take on our side, and what the neighbour and our own
/// bookkeeping may add meanwhile.
const MEMORY: u64 = 64 << 20;
const MEMORY_SLACK: u64 = 16 << 20;

/// As long as a neighbour's call may take in the middle, and what a slow and busy machine may add.
const CALL: Duration = Duration::from_millis(5);
const CALL_SLACK: Duration = Duration::from_millis(2_000);

#[test]
fn every_attack_is_over_soon_and_the_neighbours_do_not_notice() {
    let strict = std::env::var_os("HOLM_STRICT").is_some();
    let room = |most: Duration, slack: Duration| if strict { most } else { most + slack };
    let neighbour = Neighbour::move_in();
    let mut troubles = Vec::new();
    let cases = table::all();
    assert!(cases.len() >= 50, "{} cases", cases.len());
    for case in cases {
        let attack = (case.prepare)();
        let before = neighbour::memory();
        neighbour::forget_peak();
        neighbour.listen();
        let began = Instant::now();
        let end = attack();
        let took = began.elapsed();
        let extra = neighbour::peak().saturating_sub(before);
        let (calls, middle) = neighbour.heard();
        eprintln!(
            "{:>7.1} ms {:>6} KiB  neighbour {calls:>5} calls, {:>7.3} ms  {}: {end}",
            took.as_secs_f64() * 1e3,
            extra >> 10,
            middle.as_secs_f64() * 1e3,
            case.name,
        );
        let mut wrong = |what: String| troubles.push(format!("{}: {what} ({end})", case.name));
        if !case.ends.iter().any(|expected| end.contains(expected)) {
            wrong(format!("ended otherwise than {:?}", case.ends));
        }
        if took > room(SOON, SLACK) {
            wrong(format!("took {took:?}"));
        }
        if extra > MEMORY + MEMORY_SLACK {
            wrong(format!("took {} KiB", extra >> 10));
        }
        if middle > room(CALL, CALL_SLACK) {
            wrong(format!("a neighbour's call took {middle:?}"));
        }
    }
    assert_eq!(neighbour.leave(), 0, "calls of the neighbour failed");
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}
