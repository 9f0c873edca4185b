//! The shell in the sandbox: the same scripts as natively are not repeated; these are about what a sandbox changes.

use holm_kernel::Outcome;

use crate::guests::kit::Scene;

const ALL: &[&str] = &["read:**", "write:**"];

async fn check(scene: &Scene, script: &str, expect: &str) {
    let arguments = serde_json::json!({ "script": script }).to_string();
    let text = scene.ask("shell", &arguments, ALL).await;
    assert_eq!(text.trim_end(), expect, "{script}");
}

#[tokio::test]
async fn scripts_work_on_the_workspace() {
    let scene = Scene::new().file("a.txt", "b\na\nb\n").file("d/x.md", "");
    check(&scene, "pwd; ls; cd d && ls && pwd", "/\na.txt\nd\nx.md\n/d").await;
    check(&scene, "sort a.txt | uniq -c | sed 's/^ *//'", "1 a\n2 b").await;
    check(
        &scene,
        "for f in *; do echo \"[$f]\"; done; x=$(wc -l < a.txt); echo $((x * 2))",
        "[a.txt]\n[d]\n6",
    )
    .await;
    check(
        &scene,
        "mkdir -p n/m && echo hi > n/m/f && cp -r n k && mv k/m/f g && cat g && rm -r n k && ls",
        "hi\na.txt\nd\ng",
    )
    .await;
    check(&scene, "find . -type f | sort; grep -rn b . | head -1", "./a.txt\n./d/x.md\n./g\n./a.txt:1:b")
        .await;
    check(&scene, "cat <<E | tr a-z A-Z\n$((1+1)) words\nE", "2 WORDS").await;
    assert_eq!(scene.read("g"), "hi\n");
}

#[tokio::test]
async fn an_endless_writer_ends_long_before_the_fuel_does() {
    let scene = Scene::new();
    check(
        &scene,
        "yes | head -2; seq 1000000000 | head -1; while :; do echo z; done | head -1",
        "y\ny\n1\nz",
    )
    .await;
}

#[tokio::test]
async fn the_status_comes_back() {
    let scene = Scene::new();
    let output = scene.call("shell", r#"{"script":"echo out; exit 3"}"#, ALL).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.contains("out") && output.text.contains("[exit status 3]"), "{}", output.text);
}

#[tokio::test]
async fn scripts_get_their_arguments_and_no_other_power() {
    let scene = Scene::new().file("secret", "hidden");
    let text = scene.ask("shell", r#"{"script":"echo \"$2-$1\"","args":["a","b c"]}"#, ALL).await;
    assert_eq!(text.trim_end(), "b c-a");
    let output = scene
        .call("shell", r#"{"script":"cat secret; echo x > y; env; git status"}"#, &["read:public/**"])
        .await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(!output.text.contains("hidden"), "{}", output.text);
    assert!(output.text.contains("command not found"), "{}", output.text);
}

#[tokio::test]
async fn deep_calls_and_endless_loops_are_ended() {
    let scene = Scene::new();
    let output = scene.call("shell", r#"{"script":"f() { f; }; f"}"#, ALL).await;
    assert!(output.text.contains("nested deeper than"), "{}", output.text);
    let output = scene.call("shell", r#"{"script":"while :; do :; done"}"#, ALL).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.contains("out of fuel"), "{}", output.text);
}
