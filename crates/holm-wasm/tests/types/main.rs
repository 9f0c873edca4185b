//! Generates the TypeScript types from the Rust types, and fails if the checked-in file differs.
//!
//! The serde forms are externally tagged throughout, so a type's source says all there is to know. After a change:
//! `HOLM_UPDATE=1 cargo test -p holm-wasm --test types`.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot read the sources has failed")]

mod shape;

use std::{collections::BTreeMap, fs, path::Path};

use holm_grants::{Level, Mode};
use shape::Names;

const TARGET: &str = "../../packages/holm/src/types.ts";

/// Where the types are, and which of them JavaScript sees; `A as B` gives one another name there.
const SOURCES: &[(&str, &[&str])] = &[
    (
        "holm-kernel/src/config/mod.rs",
        &["Started", "Config", "ChildrenAtEnd", "PlanOffer", "Approvals", "BatchOrder", "Marks", "MarkRule"],
    ),
    ("holm-kernel/src/config/context.rs", &["ContextPolicy", "SummaryPolicy"]),
    ("holm-kernel/src/config/ladder.rs", &["Ladder", "StepUp", "OnRejection"]),
    ("holm-kernel/src/config/limits.rs", &["Bound", "Limits", "Budget", "MaxTokensRecovery"]),
    ("holm-kernel/src/config/model.rs", &["ModelSpec as ModelInfo", "Family", "Price"]),
    (
        "holm-kernel/src/config/policy.rs",
        &[
            "Protocol",
            "ProtocolPolicy",
            "PlainAnswer",
            "Alias",
            "ArgumentDialect",
            "HiddenToolNote",
            "Inconclusive",
            "Announcements",
        ],
    ),
    ("holm-kernel/src/config/narrowing.rs", &["Narrowing"]),
    ("holm-kernel/src/config/retry.rs", &["RetryPolicy"]),
    (
        "holm-kernel/src/config/tool.rs",
        &[
            "ToolSpec as ToolDeclaration",
            "ToolKind",
            "Background",
            "Repeat",
            "Pace",
            "Vote",
            "Yields",
            "Quota",
            "Exemption",
            "PlanRole",
            "PlanAccess",
            "Retention",
            "Listing",
        ],
    ),
    ("holm-kernel/src/consultation.rs", &["ConsultPoint", "Consultation", "Question", "Answer", "Patch"]),
    (
        "holm-kernel/src/effect.rs",
        &[
            "Request",
            "Purpose",
            "Messages",
            "Offer",
            "ToolRequest",
            "CallAccess",
            "SpawnRequest",
            "Proposal",
            "AskReason",
            "CheckRequest",
            "Check",
        ],
    ),
    ("holm-kernel/src/ending.rs", &["Ending", "Limit"]),
    ("holm-kernel/src/event.rs", &["Numbered", "Event", "Queue", "NextTry", "StepCause", "PlanStep"]),
    ("holm-kernel/src/id.rs", &["EventId"]),
    (
        "holm-kernel/src/input.rs",
        &[
            "Input",
            "Prompt",
            "PastMessage",
            "ModelResult",
            "Reply",
            "Failure",
            "FailureClass",
            "Verdict",
            "ToolOutput",
            "Spill",
            "CheckRuling",
            "ChildResult",
        ],
    ),
    ("holm-kernel/src/journal/record.rs", &["Head"]),
    ("holm-kernel/src/message/mod.rs", &["Role", "Message", "Author"]),
    (
        "holm-kernel/src/message/block.rs",
        &["Block", "Thinking", "ToolCall", "Outcome", "ToolResult", "Media", "Source", "Custom"],
    ),
    ("holm-kernel/src/message/usage.rs", &["Usage", "StopReason"]),
    ("holm-guards/src/plausibility/expectation.rs", &["Expectation", "EmptyOutput", "ErrorText"]),
    ("holm-guards/src/postcondition/declaration.rs", &["Postcondition", "Rule", "Must"]),
    ("holm-guards/src/ruling.rs", &["Ruling", "Severity", "Rules", "Reason"]),
    ("holm-guards/src/skill/contract.rs", &["Contract", "Cases", "Case", "FormatCheck"]),
    ("holm-guards/src/skill/format.rs", &["SkillFormat"]),
    (
        "holm-wire/src/call.rs",
        &["WireOptions", "Delivery", "ToolChoice", "Parallel", "Reasoning", "Effort", "Caching"],
    ),
    ("holm-wire/src/codec.rs", &["Format"]),
    ("holm-wasm/src/session/effect.rs", &["EffectView as Effect", "LeanRequest"]),
    ("holm-wasm/src/session/mod.rs", &["Status"]),
    ("holm-wasm/src/session/journal.rs", &["JournalReport"]),
    ("holm-wasm/src/guards.rs", &["Violation"]),
    ("holm-wasm/src/wire/decoder.rs", &["DeltaView as Delta"]),
];

const HEAD: &str =
    "// Written from the Rust types by `HOLM_UPDATE=1 cargo test -p holm-wasm --test types`; do not edit.
//
// Whole numbers are `number` here. JSON text that holds larger ones than JavaScript can keep crosses as text:
// see `pollText`, `raw` and `ToolContext.text`.

/** Any JSON value. */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json };
";

#[test]
fn the_typescript_types_are_those_of_the_rust_sources() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TARGET);
    let written = generate();
    if std::env::var_os("HOLM_UPDATE").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == written,
        "packages/holm/src/types.ts is stale; HOLM_UPDATE=1 cargo test -p holm-wasm --test types"
    );
}

fn generate() -> String {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut out = HEAD.to_owned();
    let words = |all: Vec<&str>| all.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" | ");
    let levels = words(Level::ALL.map(Level::as_str).into());
    let modes = words(Mode::ALL.map(Mode::as_str).into());
    out += &format!("\n/** How much a tool can change. */\nexport type Level = {levels};\n");
    out += &format!("\n/** What is asked. */\nexport type Mode = {modes};\n");
    for (file, wanted) in SOURCES {
        let source = fs::read_to_string(crates.join(file)).unwrap();
        let parsed = syn::parse_file(&source).unwrap();
        let names = names(file);
        for wanted in *wanted {
            let (rust, script) = wanted.split_once(" as ").unwrap_or((wanted, wanted));
            let item = parsed.items.iter().find(|item| shape::is_named(item, rust));
            let item = item.unwrap_or_else(|| panic!("{file} has no {rust}"));
            out.push('\n');
            out += &shape::item(item, script, &names);
        }
    }
    out
}

/// What the Rust names of a file mean in TypeScript; two crates may use one name for two things.
fn names(file: &str) -> Names {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (other, wanted) in SOURCES {
        for wanted in *wanted {
            let (rust, script) = wanted.split_once(" as ").unwrap_or((wanted, wanted));
            if file == *other || !names.contains_key(rust) {
                names.insert(rust.into(), script.into());
            }
        }
    }
    if file.starts_with("holm-guards") {
        names.insert("Format".into(), "SkillFormat".into());
    }
    for (rust, script) in [
        ("CallId", "number"),
        ("ModelCallId", "number"),
        ("ToolCallId", "number"),
        ("QuestionId", "number"),
        ("ConsultationId", "number"),
        ("CheckId", "number"),
        ("MessageId", "number"),
        ("Seq", "number"),
        ("Timestamp", "number"),
        ("NanoUsd", "number"),
        ("u64", "number"),
        ("u32", "number"),
        ("String", "string"),
        ("str", "string"),
        ("bool", "boolean"),
        ("Json", "Json"),
        ("GrantSet", "string[]"),
        ("DenialSet", "string[]"),
        ("CallNeed", "{ request: string } | { grant: string }"),
        ("NeedTemplate", "string"),
        ("FilePath", "string"),
        ("IdempotencyKey", "string"),
        ("Sha256Hash", "string"),
        ("TaskKind", "string"),
        ("Level", "Level"),
        ("Mode", "Mode"),
    ] {
        names.insert(rust.into(), script.into());
    }
    Names(names)
}
