//! `holm usage`: what sessions have used, how much of it caches served, and why they served less.

use holm::{kernel::Usage, wire::Format};
use holm_testkit::double::Act;
use serde_json::{Value, json};

use crate::{
    served::Served,
    stage::{KEY, Ran, Stage},
};

/// An answer whose provider counts so many tokens, and so many from its cache.
pub(crate) fn counted(text: &str, input: u64, cached: u64) -> Act {
    Act::says(text).usage(Usage { input, output: 5, cached, ..Usage::default() })
}

#[test]
fn the_cache_rate_and_each_break_with_its_cause_are_shown() {
    let stage = Stage::new([
        counted("1", 20_000, 0),
        counted("2", 21_000, 19_968),
        counted("3", 22_000, 2_048),
        counted("4", 23_000, 21_888),
    ]);
    stage.run(&["-p", "a", "--session", "one"]).says("1\n");
    stage.run(&["-p", "b", "--session", "one", "--resume"]).says("2\n");
    stage.run(&["-p", "c", "--session", "one", "--resume", "--mode", "full"]).says("3\n");
    stage.run(&["-p", "d", "--session", "one", "--resume"]).says("4\n");
    let ran = stage.holm(["usage", "--by", "session"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.out.contains("86000") && ran.out.contains("51.0 %") && ran.out.contains("1 (mode 1)"),
        "{ran:?}"
    );
    let ran = stage.holm(["usage", "--session", "one", "--json"]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(told["lines"][0]["name"], "openai/gpt-5-mini");
    let breaks = &told["lines"][0]["tally"]["breaks"];
    assert_eq!((breaks["mode"].as_u64(), breaks["tokens"].as_u64()), (Some(1), Some(18_952)), "{told}");
    assert_eq!(breaks["eviction"].as_u64(), Some(0), "{told}");
}

#[test]
fn without_a_session_there_is_no_usage() {
    let stage = Stage::new([]);
    let ran = stage.holm(["usage"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
    assert!(ran.err.contains("no usage recorded"), "{ran:?}");
    for more in [&[][..], &["--json"]] {
        let args = [&["usage", "--session", "nosuch"], more].concat();
        stage.holm(args).fails(6, "there is no session `nosuch`");
    }
}

#[test]
fn sessions_that_a_user_starts_on_the_server_keep_their_prompts_for_an_hour() {
    let stage = Stage::new([Act::says("One."), Act::says("Two."), Act::says("Three.")]);
    let (claude, base) = ("anthropic/claude-sonnet-4-5", stage.double.base(Format::Anthropic));
    let env = [("ANTHROPIC_API_KEY", KEY), ("ANTHROPIC_BASE_URL", base.as_str())];
    let served = Served::with_env(&stage, &env);
    let new = json!({ "id": "mine", "model": claude, "prompt": "go" });
    assert_eq!(served.post("/api/sessions", &new).status, 201);
    served.wait("mine");
    served.stop();
    let run = |args: &[&str]| Ran::of(&stage.command([&["run"], args].concat()).envs(env).output().unwrap());
    run(&["--session", "mine", "--resume", "-p", "again"]).says("Two.\n");
    run(&["--session", "other", "--model", claude, "-p", "go"]).says("Three.\n");
    let requests = stage.double.requests();
    let sent = requests.iter().filter(|seen| seen.path.ends_with("/messages"));
    let is_hour = sent.map(|seen| String::from_utf8_lossy(&seen.body).contains(r#""ttl":"1h""#));
    assert_eq!(is_hour.collect::<Vec<_>>(), [true, true, false]);
}
