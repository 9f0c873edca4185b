//! Servers that do not behave: each is one case of what is known to have been tried.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{Outcome, Tool as Declared, ToolOutput};
use holm_mcp::server::{Exposed, Rights, serve_stdio};
use holm_mcp::{Answer, Asker, Flaw, Fleet, Hints, Question, Remote, RemoteError};
use holm_runtime::{BoxFuture, CancellationToken, Job, Progress, tool_fn};
use holm_tools::registry::{NoPins, Offer, Rank, Registry, Source};
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value};

use crate::support::{PATIENCE, Place, echo, text};

fn object() -> Json {
    Json::object([("type", "object".into())])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_that_changed_is_left_out_until_a_person_confirms_it() {
    let place = Place::new();
    let pins = place.pins();
    let remote = place.remote("changes");
    assert_eq!(remote.offers(pins.as_ref()).await.unwrap().0.len(), 1);
    // The server is started again, and now its description says something else.
    remote.close().await;
    let (offers, listing) = remote.offers(pins.as_ref()).await.unwrap();
    assert!(offers.is_empty(), "{offers:?}");
    assert_eq!(listing.changed, ["echo"]);
    assert!(listing.tools[0].description.contains(".ssh"));
    assert_eq!(remote.confirm(pins.as_ref()).await.unwrap(), 1);
    assert_eq!(remote.offers(pins.as_ref()).await.unwrap().0.len(), 1);
}

#[test]
fn pins_of_two_servers_are_two() {
    let place = Place::new();
    let pins = place.pins();
    let [one, other] = ["mcp:a:t", "mcp:b:t"].map(std::path::Path::new);
    assert_eq!(pins.standing(one, &[1; 32]), holm_tools::registry::Standing::Confirmed);
    assert_eq!(pins.standing(other, &[2; 32]), holm_tools::registry::Standing::Confirmed);
    assert_eq!(pins.standing(one, &[2; 32]), holm_tools::registry::Standing::Replaced);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_much_of_anything_is_left_out_and_said() {
    let place = Place::new();
    let many = place.remote("many").list().await.unwrap();
    assert_eq!((many.tools.len(), &many.flaws[..]), (512, &[Flaw::TooMany(512)][..]));
    let long = place.remote("long").list().await.unwrap();
    assert_eq!(long.tools.len(), 1);
    assert!(matches!(long.flaws[..], [Flaw::TooLong { .. }]));
    let twice = place.remote("twice").list().await.unwrap();
    assert_eq!((twice.tools.len(), &twice.flaws[..]), (1, &[Flaw::Twice("echo".into())][..]));
    assert_eq!(twice.tools[0].description, "Says it again.", "the first keeps the name");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_word_about_its_own_harmlessness_does_not_count() {
    let place = Place::new();
    let level = |hints: Hints| {
        let mut spec = place.spec("t", "harmless").era(holm_mcp::Era::Handshake);
        spec.hints = hints;
        let remote = Remote::new(spec, place.means());
        async move { remote.offers(&NoPins).await.unwrap().0[0].tool.declaration().level }
    };
    assert_eq!(level(Hints::Ignored).await, Level::Execute);
    assert_eq!(level(Hints::Believed).await, Level::ReadOnly, "unless the person says that it does");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_cannot_take_the_name_of_another_tool() {
    let place = Place::new();
    let registry = Registry::new();
    for name in ["t", "u"] {
        let remote = Remote::new(place.spec(name, "ok").era(holm_mcp::Era::Handshake), place.means());
        let (offers, _) = remote.offers(&NoPins).await.unwrap();
        registry.edit(|edit| edit.set(Source::new(Rank::Server, name), offers));
    }
    let names: Vec<String> =
        registry.snapshot().tools().map(|(tool, _)| tool.declaration().name.clone()).collect();
    assert_eq!(names, ["t_echo", "u_echo"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_sees_is_seen_by_no_model() {
    let place = Place::new();
    let listing = place.remote("hidden").list().await.unwrap();
    let [echo] = &listing.tools[..] else { panic!("{listing:?}") };
    assert_eq!(echo.description, "Says it again.[8m", "no order of letters, no tags, no escape");
    let schema = echo.schema.canonical();
    assert!(schema.contains(r#""description":"A word.""#), "{schema}");
    let hidden = |name: &str| Flaw::Hidden(name.to_owned());
    assert_eq!(listing.flaws, [hidden("echo"), hidden("key"), hidden("value")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_look_like_another_are_names_of_their_own() {
    let place = Place::new();
    let registry = Registry::new();
    let built_in = tool_fn(Declared::new("t_echo", "The program's own.", object()), |_| async {
        ToolOutput::text("own")
    });
    registry.edit(|edit| edit.set(Source::new(Rank::BuiltIn, "built in"), [Offer::new(Arc::new(built_in))]));
    let (offers, _) = place.remote("lookalikes").offers(&NoPins).await.unwrap();
    let count = offers.len();
    registry.edit(|edit| edit.set(Source::new(Rank::Server, "t"), offers));
    let snapshot = registry.snapshot();
    let said = &snapshot.find("t_echo").unwrap().declaration().description;
    assert_eq!(said, "The program's own.", "what is there keeps its name");
    let names: BTreeSet<String> = snapshot.tools().map(|(tool, _)| tool.declaration().name.clone()).collect();
    assert_eq!(names.len(), count + 1, "no two are one: {names:?}");
    let plain =
        |name: &String| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    assert!(names.iter().all(plain), "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_without_end_is_matched_in_no_time() {
    let place = Place::new();
    let (offers, _) = place.remote("redos").offers(&NoPins).await.unwrap();
    let registry = Registry::new();
    registry.edit(|edit| edit.set(Source::new(Rank::Server, "t"), offers));
    let tools = registry.snapshot().toolbox();
    let exposed = Exposed::new().tools(tools, Rights { mode: Mode::Full, ..Rights::default() });
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(serve_stdio(exposed, read, write));
    let client = ().serve(ours).await.unwrap();
    let arguments: Map<String, Value> =
        [("a".to_owned(), Value::from("a".repeat(50_000) + "!"))].into_iter().collect();
    let called = client.call_tool(CallToolRequestParams::new("t_match").with_arguments(arguments));
    let result = tokio::time::timeout(PATIENCE, called).await.expect("it is matched in the end").unwrap();
    assert_eq!(result.is_error, Some(true), "{result:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_without_end_are_left_out_or_harmless() {
    let place = Place::new();
    for mode in ["cyclic", "deep"] {
        let (offers, _) = place.remote(mode).offers(&NoPins).await.unwrap();
        let registry = Registry::new();
        registry.edit(|edit| edit.set(Source::new(Rank::Server, "t"), offers));
        assert!(registry.snapshot().find("t_echo").is_some(), "{mode}: the other tool is there");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_tells_of_changes_without_end_is_heard_once() {
    let place = Place::new();
    let registry = Registry::new();
    let remote = place.remote("spams");
    let fleet = Fleet::start(&registry, [remote.clone()], &place.pins());
    tokio::time::timeout(PATIENCE, fleet.first()).await.unwrap();
    for _ in 0..3 {
        let listed: u32 = text(&echo(&remote, "x").await.unwrap()).parse().unwrap();
        assert!(listed <= 8, "the list was read {listed} times");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_says_in_an_error_is_cut_and_on_one_line() {
    let place = Place::new();
    let (offers, _) = place.remote("poisons-errors").offers(&NoPins).await.unwrap();
    let output = offers[0].tool.run(Job::alone("{}")).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.len() < 2_048 && !output.text.contains('\u{1b}'), "{}", output.text);
    let declared = offers[0].tool.declaration();
    assert!(declared.yields.untrusted, "so the kernel seals it");
}

/// Says yes to everything, and remembers that it was asked.
struct Eager(Arc<AtomicBool>);

impl Asker for Eager {
    fn ask(&self, _: Question) -> BoxFuture<'static, Answer> {
        self.0.store(true, Ordering::Relaxed);
        Box::pin(async { Answer::Given([("api_key".to_owned(), "canary".into())].into_iter().collect()) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_for_a_key_reaches_nobody() {
    let place = Place::new();
    let asked = Arc::new(AtomicBool::new(false));
    let spec = place.spec("t", "asks-for-secrets").era(holm_mcp::Era::Handshake);
    let remote = Remote::new(spec, place.means().asker(Eager(Arc::clone(&asked))));
    let answer = echo(&remote, "x").await.unwrap();
    assert_eq!(text(&answer), r#"{"action": "decline"}"#);
    assert!(!asked.load(Ordering::Relaxed));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_that_changed_with_a_new_line_is_not_called() {
    let place = Place::new();
    let remote = place.remote("changes");
    let (offers, _) = remote.offers(&NoPins).await.unwrap();
    assert!(!offers[0].tool.run(Job::alone("{}")).await.outcome.is_error());
    // The server is started again, and the tool that is held is not what is there now.
    remote.close().await;
    let output = offers[0].tool.run(Job::alone("{}")).await;
    assert!(output.outcome.is_error() && output.text.contains("`echo` is not what it was"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_points_elsewhere_is_fetched_by_nobody() {
    let place = Place::new();
    let listing = place.remote("remote-ref").list().await.unwrap();
    assert_eq!(listing.tools.len(), 1, "the other tool is there all the same");
    assert!(
        matches!(&listing.flaws[..], [Flaw::Schema { tool, .. }] if tool == "ref"),
        "{:?}",
        listing.flaws
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_nobodys_question_reach_nobody() {
    let place = Place::new();
    for mode in ["another-id", "twice-answered", "garbage", "complains", "asks-for-model"] {
        let remote = place.remote(mode);
        for word in ["one", "two"] {
            let answer = echo(&remote, word).await.unwrap_or_else(|error| panic!("{mode}: {error}"));
            assert_eq!(text(&answer), format!(r#"{{"word": "{word}"}}"#), "{mode}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_is_quoted_and_started_again() {
    let place = Place::new();
    let remote = place.remote("dies-in-call");
    let error = echo(&remote, "x").await.unwrap_err();
    assert!(matches!(error, RemoteError::Gone(_)), "{error}");
    assert!(!remote.list().await.unwrap().tools.is_empty(), "another was started");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_start_says_why_and_rests() {
    let place = Place::new();
    let remote = place.remote("crashes");
    let first = remote.list().await.unwrap_err();
    assert!(first.to_string().contains("no such module: cheese"), "{first}");
    // It rests longer after each failure, so however slow the machine is, one of these finds it at rest.
    let mut rested = false;
    for _ in 0..10 {
        rested |= matches!(remote.list().await.unwrap_err(), RemoteError::Resting { .. });
    }
    assert!(rested, "it was started each time");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_never_ends_ends_when_it_is_stopped() {
    let place = Place::new();
    let remote = place.remote("never");
    let stop = CancellationToken::new();
    let silent = Progress::silent();
    let called = remote.call("echo", Map::new(), &silent, &stop);
    tokio::pin!(called);
    let early = tokio::time::timeout(Duration::from_millis(200), &mut called).await;
    assert!(early.is_err(), "it answers nothing");
    stop.cancel();
    assert_eq!(tokio::time::timeout(PATIENCE, called).await.unwrap(), Err(RemoteError::Stopped));
    let mut spec = place.spec("t", "never").era(holm_mcp::Era::Handshake);
    spec.timeout = Some(Duration::from_secs(1));
    let hurried = Remote::new(spec, place.means());
    assert_eq!(echo(&hurried, "x").await, Err(RemoteError::TimedOut(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_end_is_no_answer() {
    let place = Place::new();
    let mut spec = place.spec("t", "huge").era(holm_mcp::Era::Handshake);
    spec.timeout = Some(Duration::from_secs(5));
    let (offers, _) = Remote::new(spec, place.means()).offers(&NoPins).await.unwrap();
    let output = offers[0].tool.run(Job::alone("{}")).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.len() < 4096, "{} bytes", output.text.len());
}
