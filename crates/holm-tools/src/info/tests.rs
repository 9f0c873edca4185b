use std::time::{Duration, UNIX_EPOCH};

use holm_grants::Level;
use holm_runtime::ToolInvocation;

use super::*;

#[test]
fn the_date_is_told_with_its_weekday() {
    let check = |seconds: u64, expect: &str| {
        assert_eq!(date::told(UNIX_EPOCH + Duration::from_secs(seconds)), expect);
    };
    check(0, "Thursday, 1970-01-01 00:00:00 UTC (0 seconds since 1970)");
    check(1_582_934_400, "Saturday, 2020-02-29 00:00:00 UTC (1582934400 seconds since 1970)");
}

#[test]
fn the_machine_is_told_by_its_kind_and_not_by_its_name() {
    let told = system::told(Some("NAME=x\nPRETTY_NAME=\"Penguin 9\u{1b}[31m\"\n"));
    assert!(told.starts_with("system: "), "{told}");
    assert!(told.contains("(Penguin 9[31m)") && told.contains("processor: "), "{told}");
    assert!(!system::told(None).contains('('));
    assert!(!system::told(Some("NAME=x\nPRETTY_NAME=\n")).contains('('));
}

#[tokio::test]
async fn both_answer_a_call_that_says_nothing() {
    for tool in tools() {
        let declared = tool.declaration();
        assert_eq!((declared.level, declared.needs.len()), (Level::None, 0), "{}", declared.name);
        let output = tool.run(ToolInvocation::alone("{}")).await;
        assert_eq!(output.outcome, holm_kernel::Outcome::Succeeded);
        assert!(output.text.len() > 10, "{}", output.text);
    }
}
