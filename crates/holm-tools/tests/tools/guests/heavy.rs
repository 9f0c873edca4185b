//! The guests that take minutes to build; `make guests` builds them and then runs these.

use holm_kernel::Outcome;

use crate::guests::kit::Scene;

#[tokio::test]
#[ignore = "needs the heavy guests: make guests builds them and runs this"]
async fn sqlite_keeps_a_database_in_the_workspace() {
    let scene = Scene::new();
    let grants = ["read:**", "write:**"];
    let make = r#"{"database":"a.db","sql":"create table t(a, b); insert into t values (1, 'x'), (2, 'y')"}"#;
    scene.ask("sqlite", make, &grants).await;
    let ask = r#"{"database":"a.db","sql":"select b from t where a = ?","param":["2"]}"#;
    assert_eq!(scene.ask("sqlite", ask, &grants).await.trim_end(), r#"{"b":"y"}"#);
    let output = scene.call("sqlite", r#"{"database":"a.db","sql":"select * from none"}"#, &grants).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.contains("no such table"), "{}", output.text);
}

#[tokio::test]
#[ignore = "needs the heavy guests: make guests builds them and runs this"]
async fn sqlite_changes_a_database_with_no_more_than_it_asks_for() {
    let scene = Scene::new().file("data/notes-journal", "dear diary");
    let make = r#"{"database":"data/a.db","sql":"create table t(a); insert into t values (1); insert into t values (2)"}"#;
    let output = scene.as_asked("sqlite", make).await;
    assert_eq!(output.outcome, Outcome::Succeeded, "{}", output.text);
    let ask = r#"{"database":"data/a.db","sql":"select sum(a) as s from t"}"#;
    assert_eq!(scene.as_asked("sqlite", ask).await.text.trim_end(), r#"{"s":3}"#);
    assert_eq!(scene.names("data"), ["a.db", "notes-journal"], "the journal is gone with the change");
}

#[tokio::test]
#[ignore = "needs the heavy guests: make guests builds them and runs this"]
async fn js_computes_and_is_cut_off() {
    let scene = Scene::new();
    let text =
        scene.ask("js", r#"{"code":"console.log([3,1,2].sort()); args.length","args":["a"]}"#, &[]).await;
    assert_eq!(text.trim_end(), "[1,2,3]\n1");
    let output = scene.call("js", r#"{"code":"while (true) {}"}"#, &[]).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.contains("out of fuel"), "{}", output.text);
}
