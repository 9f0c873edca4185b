//! Grants and needs as a user reads them: a verb and its object. Questions (`shell/ask_reason.rs`)
//! and the model's prompt (`holm-cli/src/default_prompt/permissions.rs`) use the same words. It
//! decides nothing.

use holm_grants::GrantKind;

/// What a grant of this kind and pattern allows, or what a need asks for.
#[must_use]
pub fn words(kind: GrantKind, what: &str) -> String {
    match (kind, what) {
        (GrantKind::Read, "**") => "read any file in the workspace".into(),
        (GrantKind::Write, "**") => "write any file in the workspace".into(),
        (GrantKind::Exec, "*") => "run any program of the system".into(),
        (GrantKind::Exec, "./**") => "run programs in the workspace".into(),
        (GrantKind::Read, path) => format!("read {path}"),
        (GrantKind::Write, path) => format!("write {path}"),
        (GrantKind::Exec, program) => format!("run {program}"),
        (GrantKind::Fetch, host) => format!("connect to {host}"),
        (GrantKind::Env, name) => format!("see the variable {name}"),
        (GrantKind::Secret, name) => format!("send the secret {name}"),
        (GrantKind::Spawn, name) => format!("call the helper {name}"),
        (GrantKind::Tool, name) => format!("call the tool {name} without a question"),
    }
}

/// The words for a need as the kernel shows it, such as `write:src/calc.py`.
#[must_use]
pub fn need_words(need: &str) -> String {
    let kind = |name: &str| GrantKind::ALL.into_iter().find(|kind| kind.as_str() == name);
    match need.split_once(':').and_then(|(name, what)| Some((kind(name)?, what))) {
        Some((kind, what)) => words(kind, what),
        None => format!("use {need}"),
    }
}
