//! Real help texts, printed by real programs of many argument libraries, and what they come to.
//!
//! `tests/help/README.md` says which program and which library printed each text. Every text has a snapshot; a text that is
//! not in the table below, or a line without a text, is a failure.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use holm_guards::schema::CompiledSchema;
use holm_tools::help::{
    CommandNode, HelpDescription, HelpProgram, OptionArgument, OptionValueCount, PlanArgument, PlanNeed,
    PlanOption, PlanPosition, PlanValueKind, SwitchOffForm,
};

/// Texts whose program is not called like the text: file, program, subcommand.
const CALLED: &[(&str, &str, &[&str])] = &[
    ("absl-dig", "absl_dig.py", &[]),
    ("argh-box-open", "argh-box", &["open"]),
    ("argparse-repo-remote", "argparse-repo", &["remote"]),
    ("argparse-repo-save", "argparse-repo", &["save"]),
    ("busybox-wget", "wget", &[]),
    ("cargo-init", "cargo", &["init"]),
    ("clap3-repo-save", "clap3-repo", &["save"]),
    ("clap4-pack-short", "clap4-pack", &[]),
    ("clap4-repo-remote", "clap4-repo", &["remote"]),
    ("clap4-repo-remote-add", "clap4-repo", &["remote", "add"]),
    ("clap4-repo-run", "clap4-repo", &["run"]),
    ("clap4-repo-save", "clap4-repo", &["save"]),
    ("clap4-wide-short", "clap4-wide", &[]),
    ("click-note", "click_note.py", &[]),
    ("click-shop", "click_shop.py", &[]),
    ("click-shop-buy", "click_shop.py", &["buy"]),
    ("click-shop-stock", "click_shop.py", &["stock"]),
    ("cobra-repo-remote-add", "cobra-repo", &["remote", "add"]),
    ("cobra-repo-save", "cobra-repo", &["save"]),
    ("commander-repo-save", "commander-repo", &["save"]),
    ("gnu-base64", "base64", &[]),
    ("gnu-cat", "cat", &[]),
    ("gnu-cp", "cp", &[]),
    ("gnu-grep", "grep", &[]),
    ("gnu-head", "head", &[]),
    ("gnu-mkdir", "mkdir", &[]),
    ("gnu-sed", "sed", &[]),
    ("gnu-seq", "seq", &[]),
    ("gnu-tr", "tr", &[]),
    ("gnu-xargs", "xargs", &[]),
    ("kong-net-up", "kong-net", &["up"]),
    ("luaargparse-tile", "argparse-tile", &[]),
    ("npm-pack", "npm", &["pack"]),
    ("restic-tag", "restic", &["tag"]),
    ("rubyopt-bake", "optparse-bake", &[]),
    ("sade-send-push", "sade-send", &["push"]),
    ("symfony-ring", "console-ring.php", &[]),
    ("thor-farm-sow", "thor-farm", &["sow"]),
    ("typer-trip", "typer_trip.py", &[]),
    ("typer-trip-book", "typer_trip.py", &["book"]),
    ("urfave-shop-buy", "urfave-shop", &["buy"]),
    ("utillinux-flock", "flock", &[]),
    ("utillinux-rev", "rev", &[]),
    ("yargs-repo-save", "yargs-repo", &["save"]),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help")
}

/// The names of all texts, in order.
fn texts() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder of texts");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let names: BTreeSet<String> =
        names.filter_map(|name| name.strip_suffix(".txt").map(Into::into)).collect();
    names.into_iter().collect()
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(folder().join(format!("{name}.txt"))).expect(name)
}

fn program(name: &str) -> HelpProgram {
    match CALLED.iter().find(|(file, ..)| *file == name) {
        Some((_, program, path)) => HelpProgram::at(program, path.iter().copied()),
        None => HelpProgram::named(name),
    }
}

fn read(name: &str) -> HelpDescription {
    HelpDescription::read(&program(name), None, Some(&bytes(name)))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_text_comes_to_what_was_reviewed() {
    for name in texts() {
        insta::with_settings!({ snapshot_path => "../help/snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name.clone(), show(&read(&name)));
        });
    }
}

#[test]
fn every_schema_is_one_and_the_table_names_only_what_is_there() {
    let texts = texts();
    assert!(texts.len() >= 60, "only {} texts", texts.len());
    for name in &texts {
        let description = read(name);
        let schema =
            CompiledSchema::compile(&description.schema).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(schema.unsupported().is_empty(), "{name}");
    }
    for (file, ..) in CALLED {
        assert!(texts.iter().any(|text| text == file), "{file} is in the table and not in the folder");
    }
}

#[test]
fn the_readme_tells_where_every_text_comes_from() {
    let readme = fs::read_to_string(folder().join("README.md")).expect("the list of programs");
    for name in texts() {
        assert!(readme.contains(&format!("`{name}`")), "{name} is not in the list");
    }
}

/// A description in a form that a person can review.
fn show(description: &HelpDescription) -> String {
    let mut out = format!("about: {}\n", description.about.replace('\n', "\n  "));
    if let Some(version) = &description.version {
        let _ = writeln!(out, "version: {version}");
    }
    if !description.keywords.is_empty() {
        let _ = writeln!(out, "keywords: {}", description.keywords.join(", "));
    }
    if let Some(level) = description.level {
        let _ = writeln!(out, "level: {level}");
    }
    node(&mut out, &description.plan.root, 0);
    out
}

fn node(out: &mut String, node: &CommandNode, depth: usize) {
    let pad = "  ".repeat(depth);
    for option in &node.options {
        let need = if option.need == PlanNeed::Required { "!" } else { "" };
        let _ = writeln!(
            out,
            "{pad}{}{need}: {}{}",
            option.property,
            takes(option),
            said(&option.about, option.default.as_deref())
        );
    }
    for step in &node.steps {
        match step {
            PlanArgument::Literal(word) => drop(writeln!(out, "{pad}the word {word}")),
            PlanArgument::Dashes => drop(writeln!(out, "{pad}--")),
            PlanArgument::Position(position) => drop(writeln!(out, "{pad}{}", place(position))),
        }
    }
    if !node.dashes {
        let _ = writeln!(out, "{pad}(`--` is a value)");
    }
    if !node.commands.is_empty() {
        let need = if node.command == PlanNeed::Required { "one of" } else { "perhaps" };
        let _ = writeln!(out, "{pad}{need} the commands");
    }
    for command in &node.commands {
        let aliases = if command.aliases.is_empty() {
            String::new()
        } else {
            format!(" ({})", command.aliases.join(", "))
        };
        let _ = writeln!(
            out,
            "{pad}  {}: {}{aliases}{}",
            command.property,
            command.name,
            said(&command.about, None)
        );
        if let Some(inner) = &command.node {
            self::node(out, inner, depth + 2);
        }
    }
}

fn place(position: &PlanPosition) -> String {
    let need = if position.need == PlanNeed::Required { "!" } else { "" };
    let many = if position.many { "..." } else { "" };
    let after = if position.after.is_empty() {
        String::new()
    } else {
        format!(" after {}", position.after.join(", "))
    };
    format!(
        "{}{need}: <{}>{many}{after}{}",
        position.property,
        kind(&position.kind),
        said(&position.about, position.default.as_deref())
    )
}

fn takes(option: &PlanOption) -> String {
    match &option.takes {
        OptionArgument::Nothing(SwitchOffForm::Omit) => option.flag.clone(),
        OptionArgument::Nothing(SwitchOffForm::Flag(off)) => format!("{} / {off}", option.flag),
        OptionArgument::Count => format!("{} counted", option.flag),
        OptionArgument::Value { kind: what, glue, times, bare, .. } => {
            let glue = match glue {
                holm_tools::help::OptionValueJoin::Space => " ",
                holm_tools::help::OptionValueJoin::Equals => "=",
                holm_tools::help::OptionValueJoin::Attached => "",
            };
            let times = match times {
                OptionValueCount::Once => String::new(),
                OptionValueCount::Occurrences => " again".into(),
                OptionValueCount::Values => "...".into(),
                OptionValueCount::Exactly(count) => format!(" x{count}"),
            };
            let value = format!("{glue}<{}>{times}", kind(what));
            if *bare { format!("{}[{value}]", option.flag) } else { format!("{}{value}", option.flag) }
        }
    }
}

fn kind(kind: &PlanValueKind) -> String {
    match kind {
        PlanValueKind::Text => "text".into(),
        PlanValueKind::Integer => "integer".into(),
        PlanValueKind::Number => "number".into(),
        PlanValueKind::Boolean => "boolean".into(),
        PlanValueKind::Choice(choices) => choices.join("|"),
    }
}

fn said(about: &str, default: Option<&str>) -> String {
    let about = about.replace('\n', " / ");
    let short: String = about.chars().take(60).collect();
    let default = default.map(|default| format!(" [{default}]")).unwrap_or_default();
    let text = if short.is_empty() { String::new() } else { format!(" -- {short}") };
    format!("{default}{text}")
}
