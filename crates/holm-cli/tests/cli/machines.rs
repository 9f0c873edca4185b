//! What programs read: every command that lists or shows something gives JSON on standard output, and nothing else there.

use holm_testkit::double::Act;
use serde_json::Value;

use crate::stage::Stage;

#[test]
fn what_a_program_may_read_is_json_and_nothing_else() {
    let call = Act::calls(&[("c1", "list", r#"{"path":"."}"#)]);
    let stage = Stage::new([call, Act::says("Done."), Act::says("Again.")]);
    stage.run(&["-p", "What is here?", "--session", "one", "--grant", "read:**"]).says("Done.\n");
    stage.run(&["-p", "And now?", "--session", "two"]).says("Again.\n");
    assert_eq!(stage.holm(["mcp", "add", "time", "--url", "https://time.example/mcp"]).code, Some(0));
    assert_eq!(stage.holm(["job", "add", "nightly", "report", "--cron", "0 3 * * *"]).code, Some(0));
    for (line, at_least) in [
        ("session list --json", 2),
        ("session show one --json", 1),
        ("session search here --json", 1),
        ("session replay one --json", 1),
        ("session diff one two --json", 1),
        ("session export one --format json", 1),
        ("log one", 1),
        ("tool list --json", 1),
        ("agent list --json", 0),
        ("skill list --json", 0),
        ("keys list --json", 1),
        ("mcp list --json", 1),
        ("job list --json", 1),
        ("job show nightly --json", 1),
        ("job log nightly --json", 0),
        ("config show --json", 0),
        ("config schema", 1),
        ("paths --json", 1),
        ("doctor --json", 1),
        ("check --json", 0),
        ("model ledger --json", 0),
        ("describe", 1),
    ] {
        let ran = stage.holm(line.split(' '));
        // What the doctor finds is the machine's affair.
        assert!(ran.code == Some(0) || line.starts_with("doctor"), "{line}: {ran:?}");
        let values = serde_json::Deserializer::from_str(&ran.out).into_iter::<Value>();
        let values: Vec<Value> =
            values.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{line}: {error}: {ran:?}"));
        assert!(values.len() >= at_least, "{line}: {ran:?}");
    }
}
