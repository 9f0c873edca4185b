//! Parses the file that lists the hooks, and decides whether its present content is trusted. It
//! runs nothing; `command.rs` does. Which project scripts a command names is found in `scripts.rs`;
//! where the file lies and who owns it is decided by the host (`holm-cli/src/hooks.rs`).
//!
//! A file that is only half understood guards half of what its author believes, so unknown events,
//! matchers and grants are errors and not skipped. Events that only other agents have are named in
//! a warning. A link in the project is never trusted. A script that changed disables no hook:
//! everything that it guards is refused.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use holm_grants::{Grant, GrantSet};
use holm_guards::schema::{EcmaPattern, closest};
use holm_kernel::visible;
use serde::Deserialize;

use super::{
    scripts,
    scripts::{HookProject, HookScript},
};
use crate::trust::{ContentHash, TrustLedger, TrustStatus};

/// How long a command may take, unless the file says less. The run waits for a hook no longer
/// than this by far.
const MOST_TIME: Duration = Duration::from_secs(20);

/// Commands that one file may name. A file with more is not a configuration but an
/// attack on its reader.
const MOST_COMMANDS: usize = 64;

/// Events that other agents have and this one has not. A file may name them: it is shared by
/// agents, and its author has not misspelt anything.
const ELSEWHERE: [&str; 24] = [
    "AfterFileEdit",
    "AfterShellExecution",
    "BeforeReadFile",
    "BeforeShellExecution",
    "ConfigChange",
    "CwdChanged",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "Notification",
    "PermissionDenied",
    "PermissionRequest",
    "PostCompact",
    "PostToolUseFailure",
    "PreCompact",
    "SessionEnd",
    "SessionStart",
    "SubagentStart",
    "SubagentStop",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "WorktreeCreate",
    "WorktreeRemove",
];

/// A file of hooks that is not trusted yet: it can be shown, and nothing of it runs.
///
/// ```
/// use std::path::Path;
/// use holm_tools::{hooks::HookFile, trust::TrustLedger};
///
/// let text = r#"{"hooks":{"PreToolUse":[{"matcher":"shell",
///     "hooks":[{"type":"command","command":"./check.sh"}]}]}}"#;
/// let file = HookFile::parse(Path::new("/project/hooks.json"), text)?;
/// let mut ledger = TrustLedger::in_memory();
/// let question = file.clone().trusted(&ledger).unwrap_err();
/// assert_eq!(question.asks, ["runs `./check.sh` at PreToolUse for `shell`"]);
/// // A person has looked at that and said yes.
/// for (path, hash) in question.files {
///     ledger.trust_file(&path, hash)?;
/// }
/// assert!(file.trusted(&ledger).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    content: TrustedHooks,
    /// Events that other agents have, and that never come here.
    missing: Vec<String>,
    /// Members without a meaning here.
    unknown: Vec<String>,
    /// Remarks for the person who reviews it.
    remarks: Vec<String>,
    /// Whether it was converted from another program's hooks.
    imported: bool,
    path: PathBuf,
    hash: ContentHash,
}

/// Why a file of hooks may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookTrustSource {
    /// A person reviewed it: the ledger has its present content.
    ByLedger,
    /// Its owner vouches for it, because no other user can write there. Scripts that it names may
    /// lie where other users can write.
    ByOwner,
}

/// A file of hooks that a person has reviewed in its present state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedHooks {
    pub(super) entries: Vec<HookEntry>,
    pub(super) wants: HookPermissionRequest,
    pub(super) scripts: Vec<HookScript>,
}

impl TrustedHooks {
    /// The scripts that are missing or were not reviewed in their present state. A call that
    /// depends on one of them is refused.
    pub fn shut(&self) -> impl Iterator<Item = PathBuf> {
        self.scripts.iter().filter(|script| script.is_shut()).map(HookScript::place)
    }
}

/// One command, with its event and its matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HookEntry {
    pub(super) event: HookEvent,
    pub(super) matcher: HookMatcher,
    pub(super) command: String,
    pub(super) limit: Duration,
}

/// The permissions that the commands of a file request, beyond reading their project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookPermissionRequest {
    /// The files that they want to read, write and start, and the variables that they want to see.
    pub grants: GrantSet,
    /// Whether they want the network.
    pub network: HookNetworkAccess,
}

/// Whether a command needs the network. Holm cannot restrict a hook to single hosts, so it gets the
/// whole network or no network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookNetworkAccess {
    #[default]
    None,
    /// It does: all of it, this machine's own services included.
    Open,
}

/// The event at which a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookEvent {
    /// Before a call: it may be blocked or rewritten.
    PreToolUse,
    /// After a call: its result may be refused or added to.
    PostToolUse,
    /// When the user has sent a prompt: it may be withheld, or context may be added.
    UserPromptSubmit,
    /// When a run would stop by itself: it may be made to continue.
    Stop,
}

impl HookEvent {
    pub const ALL: [Self; 4] = [Self::PreToolUse, Self::PostToolUse, Self::UserPromptSubmit, Self::Stop];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// Its name in the file and in what the command reads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::Stop => "Stop",
        }
    }
}

impl HookFile {
    /// Reads the file of a project, with the scripts of the project that its commands name. A
    /// script that changes or is created later counts as a change of the hooks. The files that such
    /// a script calls are not checked.
    ///
    /// # Errors
    /// [`HookFileError`], also if a file cannot be read. A file of the project that is a link or
    /// behind a link is refused too, because its target could be replaced. A link of the user's own
    /// file is the user's responsibility.
    pub fn load(project: &Path, file: &Path) -> Result<Self, HookFileError> {
        let unreadable = |reason| HookFileError::Unreadable { reason };
        // By their real paths, which are the ones that people trust.
        let real = |path: &Path| path.canonicalize().map_err(|error| unreadable(error.to_string()));
        let inside = file.strip_prefix(project).ok();
        let (project, place) = (HookProject { real: real(project)?, given: project.to_owned() }, real(file)?);
        if inside.is_some_and(|inside| place != project.real.join(inside)) {
            return Err(unreadable("it is a link, and links are never trusted".into()));
        }
        let file = place;
        let bytes = scripts::read(&file).map_err(|error| unreadable(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
        let mut this = Self::parse(&file, &text)?;
        let lines = this.content.entries.iter().map(|entry| &*entry.command);
        this.content.scripts = scripts::named(&project, lines)?;
        Ok(this)
    }

    /// Parses the text of a file, and opens nothing.
    ///
    /// # Errors
    /// [`HookFileError`] if it is not a hook file, or names an unknown event, an invalid matcher,
    /// or too many commands. A file that is only half understood guards half of what its author
    /// believes. So nothing is skipped except what [`warnings`](Self::warnings) names.
    pub fn parse(path: &Path, text: &str) -> Result<Self, HookFileError> {
        if !text.trim_start().starts_with('{') {
            // A list would be read as the members in order.
            return Err(HookFileError::Unreadable { reason: "it is not an object".into() });
        }
        let unreadable = |error: serde_json::Error| HookFileError::Unreadable { reason: error.to_string() };
        let mut unknown = strangers(
            &serde_json::from_str(text).map_err(unreadable)?,
            &["hooks", "grants", "network", "imported"],
        );
        let raw: RawHookFile = serde_json::from_str(text).map_err(unreadable)?;
        let (mut entries, mut missing, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
        for (name, groups) in raw.hooks {
            let Some(event) = HookEvent::named(&name) else {
                if !ELSEWHERE.contains(&&*name) {
                    let line = line_of(text, &name);
                    return Err(HookFileError::UnknownEvent { event: name, line });
                }
                missing.push(name);
                continue;
            };
            for group in groups.as_array().into_iter().flatten() {
                unknown.extend(strangers(group, &["matcher", "hooks"]));
                let hooks = group.get("hooks").and_then(serde_json::Value::as_array);
                let known = ["type", "command", "timeout"];
                unknown.extend(hooks.into_iter().flatten().flat_map(|hook| strangers(hook, &known)));
            }
            let groups: Vec<RawHookGroup> = serde_json::from_value(groups)
                .map_err(|error| HookFileError::Unreadable { reason: format!("{name}: {error}") })?;
            for group in groups {
                let matcher = HookMatcher::parse(&group.matcher)?;
                for hook in group.hooks {
                    let RawHookKind::Command = hook.kind;
                    if hook.command.trim().is_empty() {
                        return Err(HookFileError::Unreadable {
                            reason: format!("a command of {name} is empty"),
                        });
                    }
                    let wanted = hook.timeout.map_or(MOST_TIME, Duration::from_secs);
                    let limit = wanted.min(MOST_TIME);
                    if wanted > limit {
                        let (wanted, most) = (wanted.as_secs(), limit.as_secs());
                        let command = shown(&hook.command);
                        remarks.push(format!("gives `{command}` {wanted} s; Holm allows {most}"));
                    }
                    entries.push(HookEntry { event, matcher: matcher.clone(), command: hook.command, limit });
                }
            }
        }
        unknown.sort();
        if entries.len() > MOST_COMMANDS {
            return Err(HookFileError::TooMany { found: entries.len() });
        }
        let wants = HookPermissionRequest { grants: grants(&raw.grants)?, network: raw.network };
        let content = TrustedHooks { entries, wants, scripts: Vec::new() };
        let (path, hash) = (path.to_owned(), ContentHash::of(text.as_bytes()));
        Ok(Self { content, missing, unknown, remarks, imported: raw.imported, path, hash })
    }

    /// False assumptions that its author may have: commands for events that never occur here, or
    /// members without a meaning.
    pub fn warnings(&self) -> Vec<String> {
        let warning = |event: &String| format!("has commands for {event}, an event that Holm does not have");
        self.missing.iter().map(warning).chain(self.unknown.iter().cloned()).collect()
    }

    /// The permissions that it asks for, one a line, for the person who decides.
    pub fn asks(&self) -> Vec<String> {
        let TrustedHooks { entries, wants, scripts } = &self.content;
        let commands = entries.iter().map(|HookEntry { event, matcher, command, .. }| {
            format!("runs `{}` at {}{matcher}", shown(command), event.name())
        });
        let grants = wants.grants.iter().map(|grant| format!("asks for {grant}"));
        let network =
            (wants.network == HookNetworkAccess::Open).then(|| "asks for the whole network".to_owned());
        let missed = scripts.iter().filter(|script| script.is_missed());
        let missed = missed.map(|script| format!("names {script}, which does not exist"));
        let scripts = scripts.iter().filter(|script| script.seen().is_some());
        let scripts = scripts.map(|script| format!("with {script}"));
        let remarks = self.remarks.iter().cloned();
        commands
            .chain(grants)
            .chain(network)
            .chain(scripts)
            .chain(missed)
            .chain(remarks)
            .chain(self.warnings())
            .collect()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was made from another program's hooks (`"imported": true`). The owner of such a
    /// file did not write its commands, so its location alone proves nothing.
    pub fn is_imported(&self) -> bool {
        self.imported
    }

    /// The trust status of the file itself, regardless of its scripts.
    pub fn standing(&self, ledger: &TrustLedger) -> TrustStatus {
        ledger.standing(&self.path, &self.hash)
    }

    /// The paths of the project's scripts that its commands may name, whether they exist or not.
    pub fn scripts(&self) -> impl Iterator<Item = PathBuf> {
        self.content.scripts.iter().map(HookScript::place)
    }

    /// The reviewed scripts that are missing now. What they guard stays blocked.
    pub fn gone(&self, ledger: &TrustLedger) -> Vec<PathBuf> {
        let gone = self.content.scripts.iter().filter(|script| script.seen().is_none());
        gone.map(HookScript::place).filter(|path| ledger.knows(path)).collect()
    }

    /// The files that no tool may write while these hooks are trusted: the scripts of the project
    /// that they name. This includes scripts that a person reviewed and that are now missing.
    pub fn kept(&self, ledger: &TrustLedger) -> Vec<PathBuf> {
        let scripts = self.content.scripts.iter();
        let kept = scripts.filter(|script| script.seen().is_some() || ledger.knows(&script.place()));
        kept.map(HookScript::place).collect()
    }

    /// The hooks, if the file is trusted as it is. A script that differs from the one a person
    /// reviewed disables no hook. Instead, everything that its commands would check is refused
    /// until a person reviews the script again.
    ///
    /// # Errors
    /// [`UntrustedHooksError`] if the file itself is not trusted.
    pub fn held(
        mut self,
        ledger: &TrustLedger,
        vouched: HookTrustSource,
    ) -> Result<TrustedHooks, UntrustedHooksError> {
        if vouched == HookTrustSource::ByLedger && self.standing(ledger) != TrustStatus::Trusted {
            return self.trusted(ledger);
        }
        let is_known = |script: &HookScript| match script.seen() {
            Some((path, hash)) => ledger.standing(&path, &hash) == TrustStatus::Trusted,
            None => !ledger.knows(&script.place()),
        };
        let scripts = std::mem::take(&mut self.content.scripts).into_iter();
        self.content.scripts =
            scripts.map(|script| if is_known(&script) { script } else { script.shut() }).collect();
        Ok(self.content)
    }

    /// The hooks, if a person has reviewed their present content: the file, and every
    /// script that it names.
    ///
    /// # Errors
    /// [`UntrustedHooksError`], with what to show and what to remember.
    pub fn trusted(self, ledger: &TrustLedger) -> Result<TrustedHooks, UntrustedHooksError> {
        if self.content.entries.is_empty() {
            // Nothing runs, so there is nothing to review.
            return Ok(self.content);
        }
        let mut files = vec![(self.path.clone(), self.hash)];
        files.extend(self.content.scripts.iter().filter_map(HookScript::seen));
        if files.iter().all(|(path, hash)| ledger.standing(path, hash) == TrustStatus::Trusted) {
            return Ok(self.content);
        }
        Err(UntrustedHooksError { asks: self.asks(), files })
    }
}

/// The first line with the name of a member, from 1.
fn line_of(text: &str, member: &str) -> usize {
    let quoted = serde_json::Value::from(member).to_string();
    text.lines().position(|line| line.contains(&quoted)).map_or(1, |before| before + 1)
}

/// The members of an object that are not among these, each with what may have been meant.
fn strangers(object: &serde_json::Value, known: &[&str]) -> Vec<String> {
    let members = object.as_object().into_iter().flat_map(serde_json::Map::keys);
    let strange = members.filter(|member| !known.contains(&member.as_str()));
    let remark = |member: &String| {
        let meant = match closest(member, known.iter().copied()) {
            Some(known) => format!("; did you mean `{known}`?"),
            None => String::new(),
        };
        format!("has the unknown key `{}`{meant}", shown(member))
    };
    strange.map(remark).collect()
}

/// The tools to which a command applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HookMatcher {
    All,
    Some(EcmaPattern),
}

impl HookMatcher {
    /// Nothing and `*` are for all tools; anything else is a regular expression that must
    /// fit the whole name.
    fn parse(text: &str) -> Result<Self, HookFileError> {
        if matches!(text, "" | "*") {
            return Ok(Self::All);
        }
        let bad = |reason| HookFileError::BadMatcher { matcher: text.to_owned(), reason };
        let pattern =
            EcmaPattern::compile(&format!("^(?:{text})$")).map_err(|error| bad(error.to_string()))?;
        Ok(Self::Some(pattern))
    }

    pub(super) fn is_for(&self, tool: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some(pattern) => pattern.is_match(tool),
        }
    }
}

impl fmt::Display for HookMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Some(pattern) = self else { return Ok(()) };
        let inner = pattern.as_str().strip_prefix("^(?:").and_then(|text| text.strip_suffix(")$"));
        write!(f, " for `{}`", shown(inner.unwrap_or_default()))
    }
}

/// A text on one line. Quotes and backslashes are part of the command and stay, and hidden
/// characters are written out.
fn shown(text: &str) -> String {
    visible(text).replace('\n', "\\u{a}").replace('\t', "\\u{9}")
}

/// Parses the grants that a command process can be given. Other grants are refused, because Holm
/// could not provide them.
fn grants(texts: &[String]) -> Result<GrantSet, HookFileError> {
    let bad = |grant: &str, reason: String| HookFileError::BadGrant { grant: grant.to_owned(), reason };
    let mut grants = GrantSet::new();
    for text in texts {
        let grant: Grant = text.parse().map_err(|error| bad(text, format!("{error}")))?;
        match grant {
            Grant::Read(_) | Grant::Write(_) | Grant::Exec(_) | Grant::Env(_) => {}
            Grant::Fetch(_) => {
                let hint = "Holm cannot limit a hook to one host; write \"network\": \"open\" if it needs \
                    the network";
                return Err(bad(text, hint.to_owned()));
            }
            Grant::Secret(_) | Grant::Spawn(_) | Grant::Tool(_) => {
                return Err(bad(text, "a command has no use for it".to_owned()));
            }
        }
        grants.insert(grant);
    }
    Ok(grants)
}

/// A file of hooks cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookFileError {
    /// It is not a valid hook file.
    #[error("the hooks file is invalid ({reason}); fix it; until then no hook runs")]
    Unreadable { reason: String },
    /// It names an unknown event.
    #[error("line {line}: unknown event `{event}`; fix its name; until then no hook runs")]
    UnknownEvent {
        event: String,
        /// The line that names it, from 1.
        line: usize,
    },
    /// A command names a file in a way that cannot be resolved, so Holm could not notice
    /// when the file changes.
    #[error(
        "`{word}` may be a project file that only a shell would find; write $HOLM_PROJECT_DIR/ before its \
        path; until then no hook runs"
    )]
    UnknownPath {
        /// The word, without its unknown part.
        word: String,
    },
    /// A matcher is not a valid pattern.
    #[error("the matcher `{matcher}` is not a valid pattern ({reason}); fix it; until then no hook runs")]
    BadMatcher {
        matcher: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A command cannot be given this.
    #[error("hooks cannot be given `{grant}`: {reason}")]
    BadGrant { grant: String, reason: String },
    /// It names too many commands.
    #[error("the file names {found} commands; at most {MOST_COMMANDS} are allowed")]
    TooMany { found: usize },
}

/// This file is not trusted in its present state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the project's hooks are new or changed; review what they ask for, then run `holm hooks trust`")]
pub struct UntrustedHooksError {
    /// The permissions that they ask for, one a line.
    pub asks: Vec<String>,
    /// The files that a person trusts by agreeing: [`TrustLedger::trust_file`] remembers each.
    pub files: Vec<(PathBuf, ContentHash)>,
}

#[derive(Deserialize)]
struct RawHookFile {
    #[serde(default)]
    hooks: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    grants: Vec<String>,
    #[serde(default)]
    network: HookNetworkAccess,
    #[serde(default)]
    imported: bool,
}

#[derive(Deserialize)]
struct RawHookGroup {
    #[serde(default)]
    matcher: String,
    hooks: Vec<RawHook>,
}

#[derive(Deserialize)]
struct RawHook {
    #[serde(rename = "type")]
    kind: RawHookKind,
    command: String,
    timeout: Option<u64>,
}

#[derive(Deserialize)]
enum RawHookKind {
    #[serde(rename = "command")]
    Command,
}
