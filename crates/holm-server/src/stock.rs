//! Shows and changes the parts of a user's agents: agents, tools, skills, MCP servers, keys and
//! settings. The server decides who may call this; the implementation knows how it is done.

use holm_runtime::BoxFuture;
use holm_tools::root::Before;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{OpenError, PartName, auth::UserName};

/// The asynchronous result of a catalogue operation.
pub type Stocked<T> = BoxFuture<'static, Result<T, OpenError>>;

/// The catalogue of a user's agents and their parts. Users do not see the parts of other users.
pub trait Stockroom: Send + Sync + 'static {
    /// All details of an agent. [`OpenError::Missing`] if there is no agent of that name.
    fn agent(&self, user: &UserName, name: PartName) -> Stocked<AgentView>;

    /// Parses the text of an agent without storing it.
    fn check_agent(&self, user: &UserName, text: String) -> Stocked<AgentView>;

    /// Stores an agent of the user. Its text must be valid, name this agent,
    /// and stay within `most`.
    fn keep_agent(
        &self,
        user: &UserName,
        name: PartName,
        text: String,
        before: Before,
        most: Most,
    ) -> Stocked<AgentView>;

    /// Deletes an agent of the user.
    fn remove_agent(&self, user: &UserName, name: PartName) -> Stocked<()>;

    fn tool(&self, user: &UserName, name: PartName) -> Stocked<ToolView>;

    /// Calls a tool once, as a model would, with exactly these grants.
    fn try_tool(&self, user: &UserName, name: PartName, trial: Trial, most: Most) -> Stocked<Tried>;

    /// Looks at all tools again.
    fn reload_tools(&self, user: &UserName) -> Stocked<Reloaded>;

    fn skill(&self, user: &UserName, name: PartName) -> Stocked<SkillView>;

    /// The MCP servers and their states.
    fn servers_seen(&self, user: &UserName) -> Stocked<Vec<ServerView>>;

    /// Connects to an MCP server and lists what it offers.
    fn test_server(&self, user: &UserName, name: PartName) -> Stocked<ServerTest>;

    /// Adds an MCP server for the user. `entry` has the format that other
    /// programs use below `mcpServers`.
    fn add_server(&self, user: &UserName, name: PartName, entry: Map<String, Value>) -> Stocked<()>;

    /// Removes an MCP server of the user.
    fn remove_server(&self, user: &UserName, name: PartName) -> Stocked<()>;

    /// Deletes the key of a provider.
    fn remove_key(&self, user: &UserName, provider: PartName) -> Stocked<()>;

    /// The effective settings and the origin of each.
    fn settings(&self, user: &UserName) -> Stocked<Vec<SettingView>>;

    /// Backs up the data of all users while it is in use.
    fn back_up(&self, name: PartName) -> Stocked<BackupView>;

    /// The complete backups that exist.
    fn backups(&self) -> Stocked<Vec<BackupView>>;
}

/// The most that may be granted to an agent or a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Most {
    /// What the user's default agent has, and no more.
    AsUsual,
    /// Everything that is asked for.
    Anything,
}

/// Whose a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// It is a part of Holm.
    Holm,
    /// The user's own.
    User,
    /// It lies in the workspace, and counts since a person trusted it.
    Project,
}

/// An agent, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentView {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whose it is. Only the user's own can be changed here.
    pub owner: Owner,
    /// Its model; none is that of whoever starts it.
    pub model: Option<String>,
    /// The tools that it has; none is all of them.
    pub tools: Option<Vec<String>>,
    /// What it may do.
    pub grants: Vec<String>,
    /// What is asked before it is done; none is the mode of whoever starts it.
    pub mode: Option<String>,
    /// How far it may go.
    pub limits: AgentBounds,
    /// The agents that it manages.
    pub manages: Vec<String>,
    /// Its prompt.
    pub prompt: String,
    /// Its file, as it is written; none where there is no file.
    pub text: Option<String>,
    /// What to send as `if-match` to change it; none where it cannot be changed here.
    pub etag: Option<String>,
    /// What whoever wrote it should know.
    pub remarks: Vec<String>,
}

/// How far an agent may go. What is not said is as it is for everybody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentBounds {
    /// Model turns of one task.
    pub turns: Option<u64>,
    /// Tokens of one run.
    pub tokens: Option<u64>,
    /// Milliseconds of one task.
    pub time_ms: Option<u64>,
    /// Billionths of a US dollar of one run.
    pub spend_nano_usd: Option<u64>,
    /// Helpers that may stand below one another.
    pub depth: Option<u64>,
}

/// A tool, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolView {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// How much a call can change: `none`, `read-only`, `write` or `execute`.
    pub level: String,
    /// Where it comes from.
    pub origin: String,
    /// What a call needs, as templates over its arguments.
    pub needs: Vec<String>,
    /// The JSON Schema of its arguments.
    #[schema(value_type = Object)]
    pub schema: Value,
    /// Words by which it is found.
    pub keywords: Vec<String>,
    /// How long one call may take, in milliseconds; none is what a run says.
    pub timeout_ms: Option<u64>,
    /// How much one call in the sandbox may use at the most, such as `mem:256MiB`; nothing for what does not run in it.
    pub limits: Vec<String>,
    /// What is wrong with what it comes from.
    pub problems: Vec<String>,
}

/// A call that is to be tried.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Its arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub arguments: Map<String, Value>,
    /// What it may do, such as `read:src/**`. What is named here is not asked about again; nothing else is allowed.
    #[serde(default)]
    pub grants: Vec<String>,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tried {
    /// `succeeded`, `failed`, `refused`, …: how the kernel calls it.
    pub outcome: String,
    /// What a model would have been told.
    pub said: String,
    /// How long it took, in milliseconds.
    pub millis: u64,
}

/// What a new look at the tools found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reloaded {
    /// How many tools there are.
    pub tools: usize,
    /// What cannot be used, and why.
    pub problems: Vec<String>,
}

/// A skill, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillView {
    /// Its name.
    pub name: String,
    /// What it teaches.
    pub description: String,
    /// When a model should take it up.
    pub when_to_use: Option<String>,
    /// Whose it is.
    pub owner: Owner,
    /// The names of its arguments.
    pub args: Vec<String>,
    /// Its text.
    pub text: String,
}

/// How an MCP server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    /// Its tools are there.
    Ready,
    /// It has not said which tools it has.
    Silent,
    /// Nobody has trusted or confirmed the file that says how it is reached.
    Untrusted,
    /// It cannot be used.
    Flawed,
}

/// An MCP server, without how it is reached: its command line or address may hold what only its owner should read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerView {
    /// Its name.
    pub name: String,
    /// How it stands.
    pub state: ServerState,
    /// Whose it is.
    pub owner: Owner,
    /// The names of its tools.
    pub tools: Vec<String>,
    /// What is wrong.
    pub problems: Vec<String>,
}

/// What an MCP server said when it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerTest {
    /// Which version of the protocol it speaks.
    pub version: String,
    /// Its tools.
    pub tools: Vec<crate::ToolCard>,
    /// The names of tools that are another since they were confirmed, and are left out.
    pub changed: Vec<String>,
    /// What is wrong with others.
    pub problems: Vec<String>,
}

/// A copy of everything that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BackupView {
    /// Its name.
    pub name: String,
    /// When it was made, in milliseconds since 1970.
    pub at: u64,
    /// How many files it has.
    pub files: usize,
    /// How many bytes.
    pub bytes: u64,
    /// How many files and folders of workspaces could not be read, and are not in it.
    pub left_out: usize,
}

/// A setting that holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SettingView {
    /// Its key in `holm.toml`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where it was said.
    pub origin: String,
}
