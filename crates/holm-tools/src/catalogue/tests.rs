//! Names, collisions, searching and what is shown when.

use std::collections::BTreeSet;

use holm_grants::Level;
use holm_guards::json::Json;
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

use super::{
    CatalogueEntry, CatalogueQuery, MAX_HITS, MatchRank, RenameCause, SchemaDisclosure, ToolCatalogue,
};

fn entry(wanted: &str, origin: &str) -> CatalogueEntry {
    CatalogueEntry::new(wanted, origin, Level::ReadOnly, Json::object([("type", Json::from("object"))]))
}

fn about(wanted: &str, keywords: &[&str], description: &str, level: Level) -> CatalogueEntry {
    let keywords = keywords.iter().map(ToString::to_string).collect();
    CatalogueEntry { keywords, description: description.into(), level, ..entry(wanted, "here") }
}

fn shop() -> ToolCatalogue {
    ToolCatalogue::new(vec![
        about("write", &["file", "save"], "Writes a file.", Level::Write),
        about("read", &["file", "open"], "Reads a file.", Level::ReadOnly),
        about("file.stat", &[], "Sizes and dates.", Level::ReadOnly),
        about("weather", &["rain"], "Says whether it rains on a file cabinet.", Level::ReadOnly),
        about("shell", &["run"], "Runs anything that can read.", Level::Execute),
    ])
}

#[test]
fn names_are_what_providers_accept_and_every_change_is_reported() {
    let catalogue = ToolCatalogue::new(vec![
        entry("read", "built in"),
        entry("files.read", "server files"),
        entry("read", "tools/read.wasm"),
        entry("files read", "tools/b.sh"),
        entry("7zip", "tools/7zip"),
    ]);
    assert_eq!(
        catalogue.names().collect::<Vec<_>>(),
        ["read", "files_read", "read_2", "files_read_2", "t7zip"]
    );
    let report: Vec<(&str, &RenameCause)> =
        catalogue.renamed().iter().map(|renamed| (renamed.name.as_str(), &renamed.cause)).collect();
    let taken = |origin: &str| RenameCause::TakenBy { origin: origin.into() };
    assert_eq!(
        report,
        [
            ("files_read", &RenameCause::NotAccepted),
            ("read_2", &taken("built in")),
            ("files_read_2", &taken("server files")),
            ("t7zip", &RenameCause::NotAccepted),
        ]
    );
    assert_eq!(catalogue.get("read_2").map(|tool| tool.entry.origin.as_str()), Some("tools/read.wasm"));
    assert_eq!(catalogue.get("files.read"), None);
}

#[test]
fn a_name_in_other_letters_is_the_same_name_and_a_reserved_one_is_nobodys() {
    let wanted = [
        entry("READ", "tools/a.wasm"),
        entry("read", "tools/b.wasm"),
        entry("Children", "tools/c.wasm"),
        entry("tool.search", "tools/d.wasm"),
    ];
    let catalogue = ToolCatalogue::beside(&["children", "tool_search"], wanted.into());
    assert_eq!(catalogue.names().collect::<Vec<_>>(), ["READ", "read_2", "Children_2", "tool_search_2"]);
    let causes: Vec<&RenameCause> = catalogue.renamed().iter().map(|renamed| &renamed.cause).collect();
    let taken = RenameCause::TakenBy { origin: "tools/a.wasm".into() };
    assert_eq!(causes, [&taken, &RenameCause::Reserved, &RenameCause::Reserved]);
}

#[test]
fn a_second_name_is_used_only_on_a_collision_and_takes_nothing_away() {
    let program = |wanted: &str, origin: &str| CatalogueEntry {
        if_taken: Some(format!("bash_{wanted}")),
        ..entry(wanted, origin)
    };
    let catalogue = ToolCatalogue::beside(
        &["children"],
        vec![
            entry("read", "built in"),
            program("ping", "ping.sh"),
            program("Read", "read.sh"),
            program("write", "write.sh"),
            entry("read", "read.wasm"),
            entry("bash_write", "server"),
            program("write", "other.sh"),
            program("children", "children.sh"),
        ],
    );
    assert_eq!(
        catalogue.names().collect::<Vec<_>>(),
        ["read", "ping", "bash_Read", "write", "read_2", "bash_write", "bash_write_2", "bash_children"]
    );
    let told: Vec<String> = catalogue.renamed().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "read.sh asked for the name `Read` and got `bash_Read`: one of Holm's own tools has that name",
            "read.wasm asked for the name `read` and got `read_2`: one of Holm's own tools has that name",
            "other.sh asked for the name `write` and got `bash_write_2`: the tool of write.sh has that name",
            "children.sh asked for the name `children` and got `bash_children`: Holm reserves that name",
        ]
    );
}

#[test]
fn a_name_counts_more_than_a_keyword_and_a_keyword_more_than_prose() {
    let shop = shop();
    let check = |query: &str, level, expect: &[(&str, MatchRank)]| {
        let found = shop.search(&CatalogueQuery::parse(query), level, MAX_HITS);
        let hits: Vec<(&str, MatchRank)> =
            found.hits.iter().map(|hit| (hit.tool.name.as_str(), hit.rank)).collect();
        assert_eq!(hits, expect, "{query}");
    };
    check(
        "file",
        Level::Execute,
        &[
            ("file_stat", MatchRank::Name),
            ("write", MatchRank::Keyword),
            ("read", MatchRank::Keyword),
            ("weather", MatchRank::Description),
        ],
    );
    check("READ", Level::Execute, &[("read", MatchRank::Exact), ("shell", MatchRank::Description)]);
    check("READ", Level::ReadOnly, &[("read", MatchRank::Exact)]);
    check(
        "open file",
        Level::ReadOnly,
        &[("file_stat", MatchRank::Name), ("read", MatchRank::Keyword), ("weather", MatchRank::Description)],
    );
    check("how to use the rain", Level::Execute, &[("weather", MatchRank::Keyword)]);
    check("rainfall", Level::Execute, &[("weather", MatchRank::Keyword)]);
    check("ins", Level::Execute, &[]);
    check("file.stat", Level::None, &[]);
    check("nothing", Level::Execute, &[]);
    check("", Level::Execute, &[]);
}

#[test]
fn select_gives_exactly_what_it_names_in_its_order() {
    let shop = shop();
    let found = shop.search(&CatalogueQuery::parse("select:shell, read,READ,nope"), Level::Write, 1);
    assert_eq!(found.hits.iter().map(|hit| hit.tool.name.as_str()).collect::<Vec<_>>(), ["read"]);
    assert_eq!(found.unknown, ["shell", "READ", "nope"], "what a level hides does not exist");
}

#[test]
fn a_search_says_how_many_it_leaves_out() {
    let catalogue = ToolCatalogue::new((0..50).map(|n| entry(&format!("tool{n}"), "x")).collect());
    let found = catalogue.search(&CatalogueQuery::parse("tool"), Level::Execute, 1000);
    assert_eq!((found.hits.len(), found.left_out), (MAX_HITS, 30));
}

#[test]
fn schemas_on_demand_are_shown_once_asked_for() {
    let lazy = |name| CatalogueEntry { disclosure: SchemaDisclosure::OnDemand, ..entry(name, "x") };
    let catalogue = ToolCatalogue::new(vec![entry("a", "x"), lazy("b"), lazy("c")]);
    let shown = |asked: &[&str]| {
        let asked: BTreeSet<String> = asked.iter().map(ToString::to_string).collect();
        catalogue.disclosed(&asked).map(|tool| tool.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&[]), ["a"]);
    assert_eq!(shown(&["c", "zzz"]), ["a", "c"]);
    assert_eq!(catalogue.up_to(Level::None).count(), 0);
}

proptest! {
    #[test]
    fn whatever_tools_want_their_names_differ_and_are_accepted(wanted in proptest::collection::vec(".{0,70}", 0..40)) {
        let catalogue = ToolCatalogue::new(wanted.iter().map(|name| entry(name, "x")).collect());
        let names: BTreeSet<String> = catalogue.names().map(str::to_ascii_lowercase).collect();
        prop_assert_eq!(names.len(), wanted.len());
        for tool in catalogue.tools() {
            prop_assert!(tool.name.len() <= 64 && tool.name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
            let reported = catalogue.renamed().iter().any(|renamed| renamed.name == tool.name);
            prop_assert_eq!(reported, tool.name != tool.entry.wanted);
        }
    }
}
