//! A tool's declaration: what the kernel must know to offer, permit, check and repeat its calls.
//!
//! The host decides how the tool runs (`Tool` in `holm-runtime/src/tool/mod.rs`); nothing here runs
//! anything. `run/catalogue.rs` compiles the declarations, `run/permit.rs` evaluates needs and
//! level, and `run/result_checks.rs` enforces postconditions. Every default must be the careful
//! value, since a host may leave a field out: the level of an undeclared tool is the highest, and
//! it may not run twice.

use alloc::{boxed::Box, string::String, vec::Vec};

use holm_grants::{GrantSet, Level, NeedTemplate, TemplateError};
use holm_guards::{
    json::Json,
    plausibility::{EmptyOutput, ErrorText},
    postcondition::Postcondition,
    ruling::Severity,
    skill::Contract,
};
use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::{CHILDREN, ENTER_PLAN, EXIT_PLAN, FINDER, OWN_NAMES};
use crate::NanoUsd;

/// The description of the tool that manages children, for the model.
const ABOUT_CHILDREN: &str = "Manages your background helpers: `status` of all or of one `child`, the \
    `result` of one that has ended, or `stop` one. Results arrive on their own; do not poll.";

/// A tool's declaration.
///
/// ```
/// use holm_grants::Level;
/// use holm_guards::json::Json;
/// use holm_kernel::{Repeat, ToolSpec};
///
/// let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
/// let read = ToolSpec::new("read_file", "Reads a file.", Json::parse(schema)?)
///     .level(Level::ReadOnly)
///     .needs(["read:{path}"])?;
/// assert!(read.may_run_again());
///
/// // Whatever else there is to say is a field.
/// let save = ToolSpec { repeat: Repeat::Idempotent, ..read.level(Level::Write).needs(["write:{path}"])? };
/// assert_eq!(save.needs.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ToolSpec {
    /// The name the model uses.
    pub name: String,
    /// What it does, for the model.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its arguments.
    pub schema: Json,
    /// How much a call can change. It has no default, so that an undeclared tool
    /// never counts as harmless.
    pub level: Level,
    /// The needs of a call, as templates over its arguments. Empty means that a call uses nothing
    /// that a grant could cover (no file, no address, no program). Then only the level decides
    /// whether it may run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<NeedTemplate>,
    /// What carries out its calls.
    #[serde(default)]
    pub kind: ToolKind,
    /// Whether it may run again after a crash.
    #[serde(default)]
    pub repeat: Repeat,
    /// Whether it may overlap with other calls.
    #[serde(default)]
    pub pace: Pace,
    /// Whether its results count when a batch decides to end the run.
    #[serde(default)]
    pub vote: Vote,
    /// The marks that its output sets, and whether it sends data out.
    #[serde(default)]
    pub yields: Yields,
    /// Whether empty output is a valid result.
    #[serde(default)]
    pub empty: EmptyOutput,
    /// Whether an output that reads like an error message may be data (a file, a
    /// log, a search hit).
    #[serde(default)]
    pub error_text: ErrorText,
    /// What happens with an implausible result.
    #[serde(default)]
    pub severity: Severity,
    /// Conditions that every result must meet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub postconditions: Vec<Postcondition>,
    /// How much of a result the model sees, in characters; none means the run's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_limit: Option<u64>,
    /// How long one call may take, in milliseconds; none means the run's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How much of it one turn group may use.
    #[serde(default)]
    pub quota: Quota,
    /// Whether the loop detector ignores it, because repeating it is its purpose.
    #[serde(default)]
    pub exemption: Exemption,
    /// Whether its failure stops the other calls of its batch.
    #[serde(default)]
    pub aborts_siblings: bool,
    /// Whether a call may be answered at once while its child still works;
    /// only agents have children.
    #[serde(default, skip_serializing_if = "Background::is_never")]
    pub background: Background,
    /// Whether a tool that changes things can also be used in plan mode, where it only looks.
    #[serde(default, skip_serializing_if = "PlanAccess::is_refused")]
    pub in_plan: PlanAccess,
    /// Which of its calls survive a compaction word for word.
    #[serde(default, skip_serializing_if = "Retention::is_none")]
    pub retention: Retention,
    /// Whether requests list it.
    #[serde(default, skip_serializing_if = "Listing::is_offered")]
    pub listing: Listing,
}

impl ToolSpec {
    /// A tool with the given schema and the defaults. Until [`level`](Self::level) says otherwise,
    /// it counts as able to do anything.
    pub fn new(name: impl Into<String>, description: impl Into<String>, schema: Json) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            schema,
            level: Level::Execute,
            needs: Vec::new(),
            kind: ToolKind::default(),
            repeat: Repeat::default(),
            pace: Pace::default(),
            vote: Vote::default(),
            yields: Yields::default(),
            empty: EmptyOutput::default(),
            error_text: ErrorText::default(),
            severity: Severity::default(),
            postconditions: Vec::new(),
            result_limit: None,
            timeout_ms: None,
            quota: Quota::default(),
            exemption: Exemption::default(),
            aborts_siblings: false,
            background: Background::default(),
            in_plan: PlanAccess::default(),
            retention: Retention::default(),
            listing: Listing::default(),
        }
    }

    /// A contract skill as a tool; it can do nothing but ask the model.
    pub fn skill(contract: Contract) -> Self {
        let tool = Self::new(contract.name.clone(), contract.description.clone(), contract.input.clone());
        Self { level: Level::None, kind: ToolKind::Skill { contract: contract.into() }, ..tool }
    }

    /// A tool that enters or leaves plan mode. The kernel carries it out; the host
    /// chooses name and description.
    ///
    /// ```
    /// use holm_kernel::{PlanRole, ToolSpec};
    ///
    /// let exit = ToolSpec::plan(PlanRole::Exit, "exit_plan", "Shows the plan to a person, who lets you carry it out.");
    /// assert!(exit.schema.get("properties").and_then(|all| all.get("plan")).is_some());
    /// ```
    pub fn plan(role: PlanRole, name: impl Into<String>, description: impl Into<String>) -> Self {
        let text = |description: &str| {
            Json::object([("type", "string".into()), ("description", description.into())])
        };
        let (property, required) = match role {
            PlanRole::Enter => (("reason", text("Why you plan first.")), Vec::new()),
            PlanRole::Exit => (("plan", text("The plan, for the user to read.")), alloc::vec!["plan".into()]),
        };
        let schema = Json::object([
            ("type", "object".into()),
            ("properties", Json::object([property])),
            ("required", required.into()),
        ]);
        Self { level: Level::None, kind: ToolKind::Plan(role), ..Self::new(name, description, schema) }
    }

    /// The tool with which a model manages its children in the background; the
    /// kernel answers its calls.
    ///
    /// ```
    /// use holm_kernel::{ToolSpec, ToolKind};
    ///
    /// assert_eq!(ToolSpec::children("children").kind, ToolKind::Children);
    /// ```
    pub fn children(name: impl Into<String>) -> Self {
        let member = |value: &str| Json::object([("type", Json::from(value))]);
        let actions = ["status", "result", "stop"].into_iter().map(Json::from).collect();
        let properties = Json::object([
            ("action", Json::object([("enum", Json::Array(actions))])),
            ("child", member("integer")),
        ]);
        let schema = Json::object([
            ("type", Json::from("object")),
            ("properties", properties),
            ("required", Json::Array(alloc::vec![Json::from("action")])),
            ("additionalProperties", Json::Bool(false)),
        ]);
        let tool = Self::new(name, ABOUT_CHILDREN, schema);
        Self { level: Level::None, kind: ToolKind::Children, ..tool }
    }

    /// The same tool at another level.
    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// The same tool with more needs, each written as a grant with arguments in braces.
    ///
    /// # Errors
    /// [`TemplateError`] for the first text that is not a template.
    pub fn needs<T: AsRef<str>>(mut self, needs: impl IntoIterator<Item = T>) -> Result<Self, TemplateError> {
        for need in needs {
            self.needs.push(need.as_ref().parse()?);
        }
        Ok(self)
    }

    /// Whether this tool has a reserved name without being the tool that the run itself carries
    /// out. No host may offer such a tool: a model that means the run would call it. The exception
    /// is [`FINDER`]: a search tool belongs to the host, so it may have that name.
    ///
    /// ```
    /// use holm_guards::json::Json;
    /// use holm_kernel::{CHILDREN, ToolSpec};
    ///
    /// let schema = || Json::object([("type", "object".into())]);
    /// assert!(ToolSpec::new(CHILDREN, "Sends cards to them.", schema()).takes_own_name());
    /// assert!(!ToolSpec::children(CHILDREN).takes_own_name());
    /// ```
    pub fn takes_own_name(&self) -> bool {
        let name = self.name.as_str();
        name != FINDER && OWN_NAMES.contains(&name) && self.kind.own_name() != Some(name)
    }

    /// Whether a call whose outcome is unknown may simply run again.
    pub fn may_run_again(&self) -> bool {
        self.level <= Level::ReadOnly || self.repeat == Repeat::Idempotent
    }
}

/// What carries out a tool's calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// The host runs it: [`Effect::RunTool`](crate::Effect::RunTool).
    #[default]
    Host,
    /// A child run carries it out: [`Effect::Spawn`](crate::Effect::Spawn).
    Agent {
        /// The grants that the child asks for; it gets those of them that the parent holds.
        #[serde(default)]
        grants: GrantSet,
        /// The money reserved from the parent's budget for one child; zero means all that is left.
        #[serde(default)]
        reserve: NanoUsd,
        /// The tokens reserved for one child, if its parent has a limit; zero means
        /// all that are left.
        #[serde(default, skip_serializing_if = "crate::message::is_zero")]
        tokens: u64,
    },
    /// A contract skill: the model carries it out, and the guards check it.
    Skill {
        /// Its input, its required output, and the sources the output must be grounded in.
        contract: Box<Contract>,
    },
    /// The kernel carries it out: it changes the run's mode.
    Plan(PlanRole),
    /// The kernel carries it out: it lists the children in the background, returns a result,
    /// or stops a child.
    Children,
}

impl ToolKind {
    /// The reserved name of this kind of tool, if the run itself carries it out.
    pub const fn own_name(&self) -> Option<&'static str> {
        match self {
            Self::Plan(PlanRole::Enter) => Some(ENTER_PLAN),
            Self::Plan(PlanRole::Exit) => Some(EXIT_PLAN),
            Self::Children => Some(CHILDREN),
            Self::Host | Self::Agent { .. } | Self::Skill { .. } => None,
        }
    }
}

/// What a tool does with plan mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum PlanRole {
    /// Narrows the run to looking, for the calls after it, without a question.
    Enter,
    /// Asks a person whether the plan may be carried out. An approval restores the mode from
    /// before, and no wider one.
    Exit,
}

/// What plan mode does with a tool whose level it refuses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum PlanAccess {
    /// Its calls are refused.
    #[default]
    Refused,
    /// Its calls run with [`CallAccess::ReadOnly`](crate::CallAccess), and only need what they read and
    /// start. The tool enforces that nothing is changed and nothing is sent.
    ReadOnly,
}

impl PlanAccess {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    const fn is_refused(&self) -> bool {
        matches!(self, Self::Refused)
    }
}

/// Whether a model is told of a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Listing {
    /// Requests list it, unless a gate or plan mode leaves it out.
    #[default]
    Offered,
    /// No request lists it. A call of it is checked like any other: for tools whose calls cannot
    /// pass now, so that a model does not try them, and one that does gets the reason.
    Unlisted,
}

impl Listing {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    const fn is_offered(&self) -> bool {
        matches!(self, Self::Offered)
    }
}

/// Which calls of a tool survive a compaction word for word, within
/// [`ContextPolicy::verbatim_tokens`](crate::ContextPolicy::verbatim_tokens).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Retention {
    /// None: a summary reports them.
    #[default]
    None,
    /// The last one that succeeded, because each replaces the one before: a list, a plan.
    Latest,
    /// Each one with its result, also one without an answer: a question to the user.
    Each,
}

impl Retention {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

/// Whether a call waits for its child.
///
/// A child in the background has its share of the budget and its grants, like any other. Its result
/// reaches the model once, before the next model call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// The call always waits for its child.
    #[default]
    Never,
    /// The call does not wait if this argument is `true`.
    Asked { argument: String },
    /// The call never waits for its child.
    Always,
}

impl Background {
    const fn is_never(&self) -> bool {
        matches!(self, Self::Never)
    }
}

/// Whether a call may safely run twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// It must not: an unanswered call is settled as *outcome unknown*.
    #[default]
    Once,
    /// It may: running twice has the same effect as running once.
    Idempotent,
}

/// Whether a read-only tool may overlap with the other calls of its reply. A tool that
/// changes something never does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// It may overlap with other calls.
    #[default]
    Shared,
    /// It runs after the calls before it and before those after it.
    Exclusive,
}

/// Whether a tool's result counts in the vote to end the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    /// Its result counts as a vote.
    #[default]
    Counts,
    /// Its result does not count as a vote.
    Advisory,
}

/// The data that enters or leaves through a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Yields {
    /// Its output comes from outside.
    pub untrusted: bool,
    /// Its output may hold secrets or private data.
    pub private: bool,
    /// A call sends data out.
    pub egress: bool,
}

/// How much of one tool a turn group may use; `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Quota {
    /// The number of calls allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Milliseconds, all calls together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
    /// Bytes of output, all calls together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// Whether the loop detector looks at a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Exemption {
    /// The loop detector watches it.
    #[default]
    None,
    /// Polling: repeating the same call with the same result is its purpose.
    Polling,
}
