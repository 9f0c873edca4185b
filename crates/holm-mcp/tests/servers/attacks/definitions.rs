//! What servers say of their tools.

use std::collections::BTreeSet;
use std::sync::Arc;

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{Outcome, ToolOutput, ToolSpec};
use holm_mcp::server::{CallRights, McpServerHandler, serve_stdio};
use holm_mcp::{HintTrust, ProtocolEra, RemoteServer, RemoteServerError, ToolDefinitionError, ToolListing};
use holm_runtime::{ToolInvocation, tool_fn};
use holm_tools::registry::{NoPinStore, PinStatus, SourceRank, ToolOffer, ToolRegistry, ToolSource};
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value, json};

use super::{Case, Kind, lists};
use crate::support::Place;

pub(super) fn cases() -> Vec<Case> {
    use Kind::{Poison, Redos, RugPull, Shadowing, Spoiled};
    vec![
        Case::new(Poison, "signs that nobody sees in names, words and schemas", lists("hidden", hidden)),
        Case::new(Poison, "its own word that it is harmless", harmless()),
        Case::new(Poison, "orders in an error", orders_in_errors()),
        Case::new(Poison, "orders in resources and prompts", all_is_from_outside()),
        Case::new(Poison, "a schema that points elsewhere", lists("remote-ref", elsewhere)),
        Case::new(Poison, "a schema that goes round in circles", harmless_schema("cyclic")),
        Case::new(Poison, "a schema a hundred deep", harmless_schema("deep")),
        Case::new(Spoiled, "a list nine hundred deep", deep_list()),
        Case::new(RugPull, "another description after the first was confirmed", changes()),
        Case::new(RugPull, "another description when a new line is opened", changes_between_calls()),
        Case::new(Shadowing, "a second tool of the same name", lists("twice", twice)),
        Case::new(Shadowing, "a tool that another server has too", two_servers()),
        Case::new(Shadowing, "names that look like one that is there", lookalikes()),
        Case::new(Shadowing, "what was confirmed of another server's tool", async { two_pins() }),
        Case::new(Redos, "a pattern without end in a schema", pattern()),
        Case::new(Redos, "a template without end for an address", template()),
    ]
}

fn hidden(listing: &ToolListing) {
    let [echo] = &listing.tools[..] else { panic!("{listing:?}") };
    assert_eq!(echo.description, "Says it again.[8m", "no order of letters, no tags, no escape");
    let schema = echo.schema.canonical();
    assert!(schema.contains(r#""description":"A word.""#), "{schema}");
    let hidden = |name: &str| ToolDefinitionError::Hidden(name.to_owned());
    assert_eq!(listing.flaws, [hidden("echo"), hidden("key"), hidden("value")]);
}

async fn harmless() {
    let place = Place::new();
    for (hints, expect) in [(HintTrust::Ignored, Level::Execute), (HintTrust::Believed, Level::ReadOnly)] {
        let mut spec = place.spec("t", "harmless").era(ProtocolEra::Handshake);
        spec.hints = hints;
        let (offers, _) = RemoteServer::new(spec, place.means()).offers(&NoPinStore).await.unwrap();
        assert_eq!(offers[0].tool.declaration().level, expect, "{hints:?}");
    }
}

async fn orders_in_errors() {
    let place = Place::new();
    let (offers, _) = place.remote("poisons-errors").offers(&NoPinStore).await.unwrap();
    let output = offers[0].tool.run(ToolInvocation::alone("{}")).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.len() < 2_048 && !output.text.contains('\u{1b}'), "{}", output.text);
}

/// The kernel wraps all external content in an envelope.
async fn all_is_from_outside() {
    let place = Place::new();
    let (offers, _) = place.remote("poisons").offers(&NoPinStore).await.unwrap();
    let declared: Vec<&ToolSpec> = offers.iter().map(|offer| offer.tool.declaration()).collect();
    assert_eq!(declared.len(), 5, "a tool, and two each for resources and prompts");
    assert!(declared.iter().all(|tool| tool.yields.untrusted && tool.yields.egress), "{declared:?}");
}

fn elsewhere(listing: &ToolListing) {
    assert_eq!(listing.tools.len(), 1, "the other tool is there all the same");
    let flaws = &listing.flaws[..];
    assert!(matches!(flaws, [ToolDefinitionError::Schema { tool, .. }] if tool == "ref"), "{flaws:?}");
}

async fn harmless_schema(mode: &'static str) {
    let place = Place::new();
    let (offers, _) = place.remote(mode).offers(&NoPinStore).await.unwrap();
    let registry = ToolRegistry::new();
    registry.edit(|edit| edit.set(ToolSource::new(SourceRank::Server, "t"), offers));
    assert!(registry.snapshot().find("t_echo").is_some(), "the other tool is there");
}

async fn deep_list() {
    let place = Place::new();
    let error = place.remote("deep-list").list().await.unwrap_err();
    let at_once =
        matches!(&error, RemoteServerError::Protocol(why) if why.contains("deeper than 127 levels"));
    assert!(at_once, "{error}");
}

async fn changes() {
    let place = Place::new();
    let (pins, remote) = (place.pins(), place.remote("changes"));
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

async fn changes_between_calls() {
    let place = Place::new();
    let remote = place.remote("changes");
    let (offers, _) = remote.offers(&NoPinStore).await.unwrap();
    assert!(!offers[0].tool.run(ToolInvocation::alone("{}")).await.outcome.is_error());
    // The server is started again, and the tool that is held is not what is there now.
    remote.close().await;
    let output = offers[0].tool.run(ToolInvocation::alone("{}")).await;
    assert!(
        output.outcome.is_error() && output.text.contains("`echo` changed since you first used it"),
        "{output:?}"
    );
}

fn twice(listing: &ToolListing) {
    assert_eq!(
        (listing.tools.len(), &listing.flaws[..]),
        (1, &[ToolDefinitionError::Twice("echo".into())][..])
    );
    assert_eq!(listing.tools[0].description, "Says it again.", "the first keeps the name");
}

fn names(registry: &ToolRegistry) -> Vec<String> {
    registry.snapshot().tools().map(|(tool, _)| tool.declaration().name.clone()).collect()
}

async fn two_servers() {
    let (place, registry) = (Place::new(), ToolRegistry::new());
    for name in ["t", "u"] {
        let remote = RemoteServer::new(place.spec(name, "ok").era(ProtocolEra::Handshake), place.means());
        let (offers, _) = remote.offers(&NoPinStore).await.unwrap();
        registry.edit(|edit| edit.set(ToolSource::new(SourceRank::Server, name), offers));
    }
    assert_eq!(names(&registry), ["t_echo", "u_echo"]);
}

async fn lookalikes() {
    let (place, registry) = (Place::new(), ToolRegistry::new());
    let schema = Json::object([("type", "object".into())]);
    let built_in =
        tool_fn(ToolSpec::new("t_echo", "The program's own.", schema), |_| async { ToolOutput::text("own") });
    registry.edit(|edit| {
        edit.set(ToolSource::new(SourceRank::BuiltIn, "built in"), [ToolOffer::new(Arc::new(built_in))]);
    });
    let (offers, _) = place.remote("lookalikes").offers(&NoPinStore).await.unwrap();
    let count = offers.len();
    registry.edit(|edit| edit.set(ToolSource::new(SourceRank::Server, "t"), offers));
    let own = registry.snapshot().find("t_echo").unwrap().declaration().description.clone();
    assert_eq!(own, "The program's own.", "what is there keeps its name");
    let names: BTreeSet<String> = names(&registry).into_iter().collect();
    assert_eq!(names.len(), count + 1, "no two are one: {names:?}");
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    assert!(names.iter().all(|name| name.chars().all(is_plain)), "{names:?}");
}

fn two_pins() {
    let place = Place::new();
    let pins = place.pins();
    let [one, other] = ["mcp:a:t", "mcp:b:t"].map(std::path::Path::new);
    for (path, hash, expect) in [
        (one, [1; 32], PinStatus::Confirmed),
        (other, [2; 32], PinStatus::Confirmed),
        (one, [2; 32], PinStatus::Replaced),
    ] {
        assert_eq!(pins.standing(path, &hash), expect, "{}", path.display());
    }
}

async fn pattern() {
    let place = Place::new();
    let (offers, _) = place.remote("redos").offers(&NoPinStore).await.unwrap();
    let registry = ToolRegistry::new();
    registry.edit(|edit| edit.set(ToolSource::new(SourceRank::Server, "t"), offers));
    let tools = registry.snapshot().toolbox();
    let exposed =
        McpServerHandler::new().tools(tools, CallRights { mode: Mode::Full, ..CallRights::default() });
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(serve_stdio(exposed, read, write));
    let client = ().serve(ours).await.unwrap();
    let arguments: Map<String, Value> =
        [("a".to_owned(), Value::from("a".repeat(50_000) + "!"))].into_iter().collect();
    let called = client.call_tool(CallToolRequestParams::new("t_match").with_arguments(arguments));
    let result = called.await.unwrap();
    assert_eq!(result.is_error, Some(true), "{result:?}");
}

/// Templates are not expanded: an address is returned as it was given.
async fn template() {
    let place = Place::new();
    let (offers, _) = place.remote("templates").offers(&NoPinStore).await.unwrap();
    let run = |name: &str, arguments: Value| {
        let tool = offers.iter().find(|offer| offer.tool.declaration().name == name).unwrap();
        tool.tool.run(ToolInvocation::alone(arguments.to_string().as_str()))
    };
    let listed = run("t_list_resources", json!({})).await;
    assert!(listed.text.starts_with("t://{a*}{/b*}{?c*}{a*}"), "{listed:?}");
    let uri = "t://".to_owned() + &"{a*".repeat(50_000);
    let read = run("t_read_resource", json!({ "uri": uri })).await;
    assert!(!read.outcome.is_error() && read.text.ends_with("\ntide"), "{read:?}");
}
