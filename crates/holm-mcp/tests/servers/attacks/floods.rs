//! Too much of everything.

use holm_kernel::Outcome;
use holm_mcp::{RemoteServerError, ServerSet, ToolDefinitionError, ToolListing};
use holm_runtime::ToolInvocation;
use holm_tools::registry::{NoPinStore, ToolRegistry};

use super::{Case, Kind, answers, lists};
use crate::support::{Place, echo, text};

pub(super) fn cases() -> Vec<Case> {
    use Kind::{Crash, Flood};
    vec![
        Case::new(Flood, "twenty thousand tools", lists("many", many)),
        Case::new(Flood, "a list whose pages never end", lists("pages", pages)),
        Case::new(Flood, "a description of a megabyte", lists("long", long)),
        Case::new(Flood, "five thousand changes of its list", changes_without_end()),
        Case::new(Flood, "ten thousand notifications before an answer", answers("floods-notes")),
        Case::new(Flood, "ten thousand signs of progress", answers("floods-progress")),
        Case::new(Flood, "complaints without end before the first word", answers("complains")),
        Case::new(Flood, "complaints without end in a call", answers("floods-stderr")),
        Case::new(Flood, "more of an answer than anybody keeps", too_much_for_a_model()),
        Case::new(Crash, "it does not start", does_not_start()),
        Case::new(Crash, "it goes away in its first call", goes_away()),
    ]
}

fn many(listing: &ToolListing) {
    assert_eq!((listing.tools.len(), &listing.flaws[..]), (512, &[ToolDefinitionError::TooMany(512)][..]));
}

fn pages(listing: &ToolListing) {
    assert_eq!((listing.tools.len(), &listing.flaws[..]), (64, &[ToolDefinitionError::Endless(64)][..]));
}

fn long(listing: &ToolListing) {
    assert_eq!(listing.tools.len(), 1);
    assert!(matches!(listing.flaws[..], [ToolDefinitionError::TooLong { .. }]));
}

async fn changes_without_end() {
    let (place, registry) = (Place::new(), ToolRegistry::new());
    let remote = place.remote("spams");
    let fleet = ServerSet::start(&registry, [remote.clone()], &place.pins());
    fleet.first().await;
    for _ in 0..3 {
        let listed: u32 = text(&echo(&remote, "x").await.unwrap()).parse().unwrap();
        assert!(listed <= 8, "the list was read {listed} times");
    }
}

async fn too_much_for_a_model() {
    let place = Place::new();
    let (offers, _) = place.remote("huge").offers(&NoPinStore).await.unwrap();
    let output = offers[0].tool.run(ToolInvocation::alone("{}")).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.len() < 4096, "{} bytes", output.text.len());
}

async fn does_not_start() {
    let place = Place::new();
    let remote = place.remote("crashes");
    let first = remote.list().await.unwrap_err();
    assert!(first.to_string().contains("no such module: cheese"), "{first}");
    // It rests longer after each failure, so however slow the machine is, one of these finds it at rest.
    let mut rested = false;
    for _ in 0..10 {
        rested |= matches!(remote.list().await.unwrap_err(), RemoteServerError::Resting { .. });
    }
    assert!(rested, "it was started each time");
}

async fn goes_away() {
    let place = Place::new();
    let remote = place.remote("dies-in-call");
    let error = echo(&remote, "x").await.unwrap_err();
    assert!(matches!(&error, RemoteServerError::Gone(words) if words.contains("out of cheese")), "{error}");
    assert!(!remote.list().await.unwrap().tools.is_empty(), "another was started");
}
