use holm_kernel::NanoUsd;
use holm_store::{UsageLine, UsageTally};
use serde_json::json;

use super::UsageView;

fn line(name: &str, cost: u64, unpriced: u64) -> UsageLine {
    let tally = UsageTally { calls: 2, cost: NanoUsd::new(cost), unpriced, ..UsageTally::default() };
    UsageLine { name: name.into(), tally }
}

#[test]
fn what_has_no_known_price_is_said_and_not_taken_for_free() {
    for (lines, spent, unpriced) in [
        (vec![], 0, 0),
        (vec![line("local/free", 0, 0)], 0, 0),
        (vec![line("example/new", 0, 2)], 0, 2),
        (
            vec![line("example/known", 7, 0), line("example/new", 0, 2), line("example/priced-later", 1, 1)],
            8,
            3,
        ),
    ] {
        let view = serde_json::to_value(UsageView::of(lines, Some(NanoUsd::new(9)))).unwrap();
        let reported = (&view["spent_nano_usd"], &view["unpriced"], &view["budget_nano_usd"]);
        assert_eq!(reported, (&json!(spent), &json!(unpriced), &json!(9)), "{view}");
    }
}
