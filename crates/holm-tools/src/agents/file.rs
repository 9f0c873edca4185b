//! Parses an agent's file: a head that says what the agent may do, and a body that is its system
//! prompt. Nothing here opens a file or builds an agent (`loader.rs`, `agent_set.rs`). The syntax
//! of the head is in `front_matter.rs`.
//!
//! An unknown key is a remark, but an unknown limit or an invalid grant is an error, because a key
//! that was meant to limit an agent must not be ignored. Limits only make the parent's narrower.

use holm_grants::{Allowance, GrantSet, Mode};
use holm_guards::schema::closest;
use holm_kernel::{Limits, NanoUsd};

use super::{AgentFileError, AgentFileErrorKind};
use crate::front_matter::{FrontMatter, FrontMatterEntry, FrontMatterItem, FrontMatterValue, split_items};

/// The largest file: a system prompt beyond this leaves no room for work.
pub const MOST_FILE_BYTES: usize = 256 * 1024;

/// The longest name that every provider takes for a tool.
const MOST_NAME: usize = 64;

/// The longest description: every helper's is in its parent's prompt.
const MOST_DESCRIPTION: usize = 1_024;

/// Every key of a head.
const KEYS: [&str; 12] = [
    "name",
    "description",
    "model",
    "tools",
    "grants",
    "mode",
    "isolation",
    "background",
    "manages",
    "at_once",
    "recursive",
    "limits",
];

/// An agent that a file describes.
///
/// ```
/// use holm_tools::agents::{AgentFile, AgentToolNames};
///
/// let file = AgentFile::parse(
///     "---\n\
///      name: reviewer\n\
///      description: Reviews a change and names what is wrong with it.\n\
///      tools: [read_file, grep]\n\
///      grants:\n\
///      \u{20} - read:src/**\n\
///      limits:\n\
///      \u{20} turns: 12\n\
///      \u{20} spend: 0.20usd\n\
///      ---\n\
///      You review code.\n",
/// )?;
/// assert_eq!(file.name, "reviewer");
/// assert_eq!(file.tools, AgentToolNames::These(vec!["read_file".into(), "grep".into()]));
/// assert_eq!(file.system, "You review code.");
///
/// let error = AgentFile::parse("---\nname: x\ndescription: y\ngrants: [fly:high]\n---\n").unwrap_err();
/// assert_eq!(error.line, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFile {
    /// Its name, also as a tool.
    pub name: String,
    /// Its purpose; the parent reads this.
    pub description: String,
    /// The model; `None` means the model of the agent that starts this one.
    pub model: Option<String>,
    /// The tools that it has, other agents among them.
    pub tools: AgentToolNames,
    /// The grants that it asks for. It gets those that its parent holds.
    pub grants: GrantSet,
    /// The permission mode; `None` for the parent's mode, which it can never widen.
    pub mode: Option<Mode>,
    /// Limits for turns, tokens, time, money and depth.
    pub limits: AgentLimits,
    pub place: AgentWorkspace,
    /// Whether its parent may continue while it works.
    pub waits: CallerWaitMode,
    /// The agents that it manages; empty if it is not a manager. A manager can only delegate.
    pub manages: Vec<String>,
    /// How many of those below it may be at work at the same time.
    pub at_once: Option<usize>,
    /// Whether it may stand below itself.
    pub recursion: AgentRecursion,
    pub system: String,
    /// Keys without a meaning here, with their lines. The author may have meant something by them.
    pub ignored: Vec<IgnoredKey>,
}

/// The tools that an agent has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentToolNames {
    /// The named tools; empty if the file names none.
    These(Vec<String>),
    /// All that there are, agents left out: `tools: "*"`.
    All,
}

/// The folder in which an agent works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AgentWorkspace {
    /// In its parent's folder.
    #[default]
    Shared,
    /// In a git worktree of its own: `isolation: worktree`.
    Worktree,
}

/// Whether an agent may stand below itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AgentRecursion {
    /// Agents that delegate in a cycle are an error.
    #[default]
    Refused,
    /// Agents may call themselves and each other. On the last level they have no helpers.
    Bounded,
}

/// Whether the caller of an agent waits for its result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CallerWaitMode {
    #[default]
    Always,
    /// Unless the call says otherwise: `background: true`.
    AsAsked,
}

/// The limits of an agent. A limit that is missing is the one of its parent's host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentLimits {
    /// Model turns of one task.
    pub turns: Option<u64>,
    /// Tokens of one run.
    pub tokens: Option<u64>,
    /// Milliseconds of one task.
    pub time_ms: Option<u64>,
    /// Money of one run, which is set aside from its parent's.
    pub spend: Option<NanoUsd>,
    /// The number of levels of children.
    pub depth: Option<u64>,
}

/// A key in the head of a file that has no meaning here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredKey {
    /// Its line, from 1.
    pub line: usize,
    pub key: String,
}

impl AgentFile {
    /// Parses the text of an agent's file.
    ///
    /// # Errors
    /// [`AgentFileError`] with the line of the first error. An unknown key is not an error, and
    /// is listed in [`ignored`](Self::ignored).
    pub fn parse(text: &str) -> Result<Self, AgentFileError> {
        if text.len() > MOST_FILE_BYTES {
            return Err(AgentFileErrorKind::TooLarge { most: MOST_FILE_BYTES }.at(1));
        }
        let front = FrontMatter::parse(text)?;
        let mut draft = AgentFileDraft::default();
        for entry in front.entries {
            draft.take(entry)?;
        }
        draft.finish(front.body)
    }

    /// Remarks for a person about keys without a meaning here. Each has its line and the key
    /// that was probably meant.
    pub fn remarks(&self) -> Vec<String> {
        let remark = |IgnoredKey { line, key }: &IgnoredKey| {
            let meant = match closest(key, KEYS.into_iter()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("known keys: {}", KEYS.join(", ")),
            };
            format!("line {line}: unknown key `{key}`; {meant}")
        };
        self.ignored.iter().map(remark).collect()
    }
}

impl AgentLimits {
    /// Makes limits narrower where this says less.
    pub fn narrow(self, limits: &mut Limits) {
        limits.turns = limits.turns.at_most(self.turns);
        limits.tokens = limits.tokens.at_most(self.tokens);
        limits.wall_ms = limits.wall_ms.at_most(self.time_ms);
        limits.depth = limits.depth.min(self.depth.unwrap_or(u64::MAX));
        if let Some(spend) = self.spend {
            let own = limits.budget.usd.unwrap_or(spend);
            limits.budget.usd = Some(own.min(spend));
        }
    }

    fn take(&mut self, entry: &FrontMatterEntry) -> Result<(), AgentFileError> {
        let text = text_of(entry)?;
        let bad = |expected| AgentFileErrorKind::BadValue { key: entry.key.clone(), expected }.at(entry.line);
        let number = || text.replace('_', "").parse::<u64>().map_err(|_| bad("a whole number"));
        let amount = |kind: &str, expected| {
            let allowance: Allowance = format!("{kind}:{text}").parse().map_err(|_| bad(expected))?;
            Ok(allowance.amount)
        };
        match &*entry.key {
            "turns" => self.turns = Some(number()?),
            "tokens" => self.tokens = Some(number()?),
            "depth" => self.depth = Some(number()?),
            "time" => self.time_ms = Some(amount("time", "a duration such as 30s or 10m")?),
            "spend" => self.spend = Some(NanoUsd::new(amount("spend", "an amount such as 0.50usd")?)),
            _ => {
                let known = "turns, tokens, depth, time or spend";
                return Err(AgentFileErrorKind::UnknownLimit { key: entry.key.clone(), known }.at(entry.line));
            }
        }
        Ok(())
    }
}

/// The values that were read from a head so far.
#[derive(Default)]
struct AgentFileDraft {
    name: Option<String>,
    description: Option<String>,
    model: Option<String>,
    tools: Option<AgentToolNames>,
    grants: GrantSet,
    mode: Option<Mode>,
    limits: AgentLimits,
    place: AgentWorkspace,
    waits: CallerWaitMode,
    manages: Vec<String>,
    at_once: Option<usize>,
    recursion: AgentRecursion,
    ignored: Vec<IgnoredKey>,
}

impl AgentFileDraft {
    fn take(&mut self, entry: FrontMatterEntry) -> Result<(), AgentFileError> {
        let bad = |expected| AgentFileErrorKind::BadValue { key: entry.key.clone(), expected }.at(entry.line);
        match &*entry.key {
            "name" => self.name = Some(name(&entry)?),
            "description" => {
                let text = text_of(&entry)?;
                if text.is_empty() || text.len() > MOST_DESCRIPTION {
                    return Err(bad("one to 1024 bytes of text"));
                }
                self.description = Some(text.to_owned());
            }
            "model" => {
                let text = text_of(&entry)?;
                self.model = (!matches!(text, "" | "inherit")).then(|| text.to_owned());
            }
            "tools" => self.tools = Some(tools(&entry)?),
            "grants" => self.grants = grants(&entry)?,
            "mode" => {
                let mode = text_of(&entry)?.parse();
                self.mode = Some(mode.map_err(|_| bad("plan, default, accept-edits or full"))?);
            }
            "isolation" => {
                self.place = match text_of(&entry)? {
                    "" | "none" => AgentWorkspace::Shared,
                    "worktree" => AgentWorkspace::Worktree,
                    _ => return Err(bad("none or worktree")),
                }
            }
            "background" => {
                let is_set = flag(&entry)?;
                self.waits = if is_set { CallerWaitMode::AsAsked } else { CallerWaitMode::Always };
            }
            "recursive" => {
                let is_set = flag(&entry)?;
                self.recursion = if is_set { AgentRecursion::Bounded } else { AgentRecursion::Refused };
            }
            "manages" => {
                self.manages = items_of(&entry)?.into_iter().map(|item| item.text).collect();
                if self.manages.is_empty() {
                    return Err(bad("the names of agents"));
                }
            }
            "at_once" => {
                let most = text_of(&entry)?.parse::<usize>().ok().filter(|most| *most > 0);
                self.at_once = Some(most.ok_or_else(|| bad("a whole number of 1 or more"))?);
            }
            "limits" => {
                let FrontMatterValue::Map(limits) = &entry.value else {
                    return Err(bad("keys below it, such as turns: 10"));
                };
                for limit in limits {
                    self.limits.take(limit)?;
                }
            }
            _ => self.ignored.push(IgnoredKey { line: entry.line, key: entry.key }),
        }
        Ok(())
    }

    fn finish(self, body: &str) -> Result<AgentFile, AgentFileError> {
        // A key that is nearly the one that is missing was meant for it.
        let meant =
            |key: &str| self.ignored.iter().find(|own| closest(&own.key, [key].into_iter()).is_some());
        let missing = |key: &'static str| match meant(key) {
            Some(IgnoredKey { line, key: wrote }) => {
                AgentFileErrorKind::Misspelt { wrote: wrote.clone(), key }.at(*line)
            }
            None => AgentFileErrorKind::Missing { key }.at(1),
        };
        Ok(AgentFile {
            name: self.name.ok_or_else(|| missing("name"))?,
            description: self.description.ok_or_else(|| missing("description"))?,
            model: self.model,
            tools: self.tools.unwrap_or(AgentToolNames::These(Vec::new())),
            grants: self.grants,
            mode: self.mode,
            limits: self.limits,
            place: self.place,
            waits: self.waits,
            manages: self.manages,
            at_once: self.at_once,
            recursion: self.recursion,
            system: body.to_owned(),
            ignored: self.ignored,
        })
    }
}

/// A name that is a tool's name with every provider, and that a grant can name.
fn name(entry: &FrontMatterEntry) -> Result<String, AgentFileError> {
    let text = text_of(entry)?;
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let goes_on = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if begins && goes_on && text.len() <= MOST_NAME {
        return Ok(text.to_owned());
    }
    let expected = "a letter and then letters, digits, - and _, at most 64";
    Err(AgentFileErrorKind::BadValue { key: entry.key.clone(), expected }.at(entry.line))
}

fn tools(entry: &FrontMatterEntry) -> Result<AgentToolNames, AgentFileError> {
    let items = items_of(entry)?;
    if let [FrontMatterItem { text, .. }] = items.as_slice()
        && text == "*"
    {
        return Ok(AgentToolNames::All);
    }
    if let Some(item) = items.iter().find(|item| !item.text.contains(|c: char| c.is_alphabetic())) {
        let expected = "a list of names, such as [read, grep], or \"*\" for all";
        return Err(AgentFileErrorKind::BadValue { key: entry.key.clone(), expected }.at(item.line));
    }
    Ok(AgentToolNames::These(items.into_iter().map(|item| item.text).collect()))
}

fn grants(entry: &FrontMatterEntry) -> Result<GrantSet, AgentFileError> {
    let mut grants = GrantSet::new();
    for FrontMatterItem { line, text } in items_of(entry)? {
        let grant = text.parse().map_err(|error| {
            AgentFileErrorKind::BadGrant { grant: text.clone(), reason: format!("{error}") }.at(line)
        })?;
        grants.insert(grant);
    }
    Ok(grants)
}

/// The value of a key that is true or false.
fn flag(entry: &FrontMatterEntry) -> Result<bool, AgentFileError> {
    match text_of(entry)? {
        "" | "false" => Ok(false),
        "true" => Ok(true),
        _ => {
            Err(AgentFileErrorKind::BadValue { key: entry.key.clone(), expected: "true or false" }
                .at(entry.line))
        }
    }
}

fn text_of(entry: &FrontMatterEntry) -> Result<&str, AgentFileError> {
    match &entry.value {
        FrontMatterValue::Text(text) => Ok(text),
        FrontMatterValue::List(_) | FrontMatterValue::Map(_) | FrontMatterValue::Records(_) => {
            Err(AgentFileErrorKind::BadValue { key: entry.key.clone(), expected: "a text" }.at(entry.line))
        }
    }
}

/// A list, also where it is written as a text with commas.
fn items_of(entry: &FrontMatterEntry) -> Result<Vec<FrontMatterItem>, AgentFileError> {
    match &entry.value {
        FrontMatterValue::Text(text) => {
            let item = |text: &str| FrontMatterItem { line: entry.line, text: text.to_owned() };
            Ok(split_items(text).into_iter().map(item).collect())
        }
        FrontMatterValue::List(items) => Ok(items.clone()),
        FrontMatterValue::Map(_) | FrontMatterValue::Records(_) => {
            Err(AgentFileErrorKind::BadValue { key: entry.key.clone(), expected: "a list" }.at(entry.line))
        }
    }
}
