//! Edits that miss by a little: they land where they were meant, or not at all.

mod cases;

use serde_json::json;

use self::cases::case;
use super::{Bench, succeeds};

/// Edits that are tried; `HOLM_CASES` for more, as `scripts/prove edits` has it.
const CASES: usize = 500;

#[tokio::test]
async fn an_edit_that_misses_by_a_little_lands_where_it_was_meant_or_nowhere() {
    let wanted = std::env::var("HOLM_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CASES);
    let bench = Bench::new();
    let mut landed = 0;
    for number in 0..wanted {
        let case = case(number);
        bench.put("file", &case.file);
        succeeds(&bench.call("read", json!({ "path": "file" })).await, "");
        let output = bench.call("edit", json!({ "path": "file", "old": case.old, "new": case.new })).await;
        let after = bench.text("file");
        let about = || {
            format!("case {number}, {:?}\nold {:?}\nnew {:?}\n{}", case.kind, case.old, case.new, output.text)
        };
        if after == case.file {
            assert!(!case.fits_once, "exactly one place fits, and the edit was refused: {}", about());
        } else {
            assert_eq!(after, case.meant, "{}", about());
            assert!(case.fits_once, "several places fit, and one was chosen: {}", about());
            assert!(output.text.contains("[the "), "the difference is not told: {}", about());
            landed += 1;
        }
    }
    assert!(landed * 100 >= wanted * 95, "{landed} of {wanted} landed");
}
