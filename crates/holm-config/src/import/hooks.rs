//! Imports hooks of other programs. They share one structure and differ in the names of events,
//! tools and folders.
//!
//! Holm's own format of hooks is read in `holm-tools/src/hooks/file.rs`. No command is run here.

use std::path::Path;

use holm_tools::hooks::{HookEvent, HookFile};
use serde_json::{Map, Value as Json, json};

use super::{ImportNotes as _, ImportedFile, TOOLS, codex, parse_json};
use crate::{ConfigError, ConfigProblem};

/// Events of goose that correspond to one of ours, for some tools.
const EVENTS: [(&str, HookEvent, &str); 4] = [
    ("BeforeShellExecution", HookEvent::PreToolUse, "shell"),
    ("AfterShellExecution", HookEvent::PostToolUse, "shell"),
    ("BeforeReadFile", HookEvent::PreToolUse, "read"),
    ("AfterFileEdit", HookEvent::PostToolUse, "edit|write"),
];

/// How other programs name the project folder, and how Holm does.
const PROJECT: [(&str, &str); 2] =
    [("${CLAUDE_PROJECT_DIR}", "$HOLM_PROJECT_DIR"), ("$CLAUDE_PROJECT_DIR", "$HOLM_PROJECT_DIR")];

/// A variable for a folder that does not exist in Holm.
const PLUGIN: &str = "PLUGIN_ROOT";

/// The note for every file: its commands were written for another program.
const READS: &str = "its commands receive Holm's tool names, such as `shell` with `script`; check that \
                     they expect these names";

/// Converts hooks of Claude Code (`hooks` of its `settings.json`), codex or goose (`hooks.json`)
/// into Holm's format. Returns `None` if no command can run here; the notes say what was left out.
///
/// The file is marked as imported, so that nothing of it runs before a person has reviewed it.
///
/// # Errors
/// If the file is not JSON, with the line, or its hooks have another structure.
pub fn hooks(text: &str, path: &Path) -> Result<(Option<ImportedFile>, Vec<String>), ConfigError> {
    converted(&parse_json(text, path)?, path)
}

/// Converts hooks from the `config.toml` of codex, as [`hooks()`] does. Its table `[hooks]` has
/// the structure of `hooks.json`.
///
/// # Errors
/// If the file is not TOML, with the line, or its hooks have another structure.
pub fn codex_hooks(text: &str, path: &Path) -> Result<(Option<ImportedFile>, Vec<String>), ConfigError> {
    let document = codex(text, path)?;
    let hooks = document.get("hooks").map_or_else(|| json!({}), |hooks| json!({ "hooks": hooks }));
    converted(&hooks, path)
}

/// Converts the hooks of a whole file.
fn converted(document: &Json, path: &Path) -> Result<(Option<ImportedFile>, Vec<String>), ConfigError> {
    let mut notes = Vec::new();
    let left = document.as_object().into_iter().flatten().filter(|(key, _)| *key != "hooks");
    let left: Vec<String> = left.map(|(key, _)| format!("`{key}`")).collect();
    if !left.is_empty() {
        notes.note(format!("not imported: {}", left.join(", ")));
    }
    let mut taken = HookImport { events: Map::new(), notes };
    for (event, groups) in document.get("hooks").and_then(Json::as_object).into_iter().flatten() {
        taken.event(event, groups);
    }
    let HookImport { events, mut notes } = taken;
    if events.is_empty() {
        return Ok((None, notes));
    }
    let text = format!("{:#}\n", json!({ "hooks": events, "imported": true }));
    // Hooks that cannot be used are not written.
    HookFile::parse(path, &text)
        .map_err(|error| ConfigError::whole(path, ConfigProblem::WrongValue(error.to_string())))?;
    notes.push(READS.to_owned());
    Ok((Some(ImportedFile { name: "hooks".into(), text, notes: Vec::new() }), notes))
}

/// The hooks that were imported so far.
struct HookImport {
    events: Map<String, Json>,
    notes: Vec<String>,
}

impl HookImport {
    fn event(&mut self, name: &str, groups: &Json) {
        let own = HookEvent::ALL.into_iter().find(|event| event.name() == name);
        let theirs = EVENTS.iter().find(|(theirs, ..)| *theirs == name);
        let (event, only) = match (own, theirs) {
            (Some(event), _) => (event, None),
            (None, Some((_, event, tools))) => (*event, Some(*tools)),
            (None, None) => {
                self.notes.note(format!("Holm has no event `{name}`; its commands are skipped"));
                return;
            }
        };
        for group in groups.as_array().into_iter().flatten() {
            let matcher = group.get("matcher").and_then(Json::as_str).unwrap_or_default();
            let matcher = match only {
                Some(tools) => {
                    if !matcher.is_empty() {
                        self.notes.note(format!("the matcher `{matcher}` of `{name}` is skipped"));
                    }
                    tools.to_owned()
                }
                None => self.matcher(matcher),
            };
            let hooks = group.get("hooks").and_then(Json::as_array).into_iter().flatten();
            let commands: Vec<Json> = hooks.filter_map(|hook| self.command(name, hook)).collect();
            if commands.is_empty() {
                continue;
            }
            let mut made = json!({ "hooks": commands });
            if let Some(made) = made.as_object_mut().filter(|_| !matcher.is_empty()) {
                made.insert("matcher".into(), matcher.into());
            }
            let groups = self.events.entry(event.name()).or_insert_with(|| json!([]));
            groups.as_array_mut().into_iter().for_each(|groups| groups.push(made.clone()));
        }
    }

    /// A pattern of tool names, with Holm's names instead of the original ones.
    fn matcher(&mut self, theirs: &str) -> String {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (mut out, mut rest) = (String::new(), theirs);
        while !rest.is_empty() {
            let end = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            match TOOLS.iter().find(|(theirs, _)| *theirs == word) {
                Some((_, ours)) => out.push_str(ours),
                None => {
                    if word.starts_with(|c: char| c.is_ascii_uppercase()) || word.starts_with("mcp__") {
                        self.notes.note(format!(
                            "a matcher names `{word}`, which may not be a Holm tool; `holm tool list` \
                             shows the names"
                        ));
                    }
                    out.push_str(word);
                }
            }
            let sign = behind.chars().next().map_or(0, char::len_utf8);
            let (between, after) = behind.split_at(sign);
            out.push_str(between);
            rest = after;
        }
        out
    }

    /// Converts one command, if it can run here.
    fn command(&mut self, event: &str, hook: &Json) -> Option<Json> {
        let kind = hook.get("type").and_then(Json::as_str).unwrap_or("command");
        let command = hook.get("command").and_then(Json::as_str).unwrap_or_default().trim();
        if kind != "command" || command.is_empty() {
            self.notes
                .push(format!("a hook of type `{kind}` at `{event}` has no equivalent in Holm; skipped"));
            return None;
        }
        if command.contains(PLUGIN) {
            self.notes.note(format!(
                "`{command}` at `{event}` names a plug-in folder, which Holm does not know; skipped"
            ));
            return None;
        }
        let command =
            PROJECT.iter().fold(command.to_owned(), |command, (theirs, ours)| command.replace(theirs, ours));
        let mut made = json!({ "type": "command", "command": command });
        if let (Some(made), Some(seconds)) =
            (made.as_object_mut(), hook.get("timeout").and_then(Json::as_u64))
        {
            made.insert("timeout".into(), seconds.into());
        }
        Some(made)
    }
}
