//! Shows and changes the parts of a user's agents: agents, tools, skills, MCP servers, keys and
//! settings. The server decides who may call this (`routes/agents.rs`, `routes/tools.rs` and
//! others); the implementation knows how it is done and is in
//! `holm-cli/src/commands/serve/session_provider/catalogue.rs`. Keys are never returned, and
//! neither are the command line and the address of an MCP server, because those may hold secrets.

use holm_runtime::BoxFuture;
use holm_tools::root::WritePrecondition;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{PartName, SessionProviderError, auth::UserName};

/// The asynchronous result of a catalogue operation.
pub type CatalogueFuture<T> = BoxFuture<'static, Result<T, SessionProviderError>>;

/// The catalogue of a user's agents and their parts. Users do not see the parts of other users.
pub trait CatalogueProvider: Send + Sync + 'static {
    /// All details of an agent. [`SessionProviderError::Missing`] if there is no agent of that name.
    fn agent(&self, user: &UserName, name: PartName) -> CatalogueFuture<AgentView>;

    /// Parses the text of an agent without storing it.
    fn check_agent(&self, user: &UserName, text: String) -> CatalogueFuture<AgentView>;

    /// Stores an agent of the user. Its text must be valid, name this agent,
    /// and stay within `most`.
    fn keep_agent(
        &self,
        user: &UserName,
        name: PartName,
        text: String,
        before: WritePrecondition,
        most: GrantCeiling,
    ) -> CatalogueFuture<AgentView>;

    /// Deletes an agent of the user.
    fn remove_agent(&self, user: &UserName, name: PartName) -> CatalogueFuture<()>;

    fn tool(&self, user: &UserName, name: PartName) -> CatalogueFuture<ToolView>;

    /// Calls a tool once, as a model would, with exactly these grants.
    fn try_tool(
        &self,
        user: &UserName,
        name: PartName,
        trial: Trial,
        most: GrantCeiling,
    ) -> CatalogueFuture<Tried>;

    /// Looks at all tools again.
    fn reload_tools(&self, user: &UserName) -> CatalogueFuture<Reloaded>;

    fn skill(&self, user: &UserName, name: PartName) -> CatalogueFuture<SkillView>;

    /// The MCP servers and their states.
    fn servers_seen(&self, user: &UserName) -> CatalogueFuture<Vec<ServerView>>;

    /// Connects to an MCP server and lists what it offers.
    fn test_server(&self, user: &UserName, name: PartName) -> CatalogueFuture<ServerTest>;

    /// Adds an MCP server for the user. `entry` has the format that other
    /// programs use below `mcpServers`.
    fn add_server(&self, user: &UserName, name: PartName, entry: Map<String, Value>) -> CatalogueFuture<()>;

    /// Removes an MCP server of the user.
    fn remove_server(&self, user: &UserName, name: PartName) -> CatalogueFuture<()>;

    /// Deletes the key of a provider.
    fn remove_key(&self, user: &UserName, provider: PartName) -> CatalogueFuture<()>;

    /// The effective settings and the origin of each.
    fn settings(&self, user: &UserName) -> CatalogueFuture<Vec<SettingView>>;

    /// What agents may do in the folder of the server without asking. Only the owner of the server
    /// has such a folder; for other users it is [`SessionProviderError::Missing`].
    fn folder_trust(&self, user: &UserName) -> CatalogueFuture<FolderTrustView>;

    /// Stores what agents may do in that folder without asking.
    fn keep_folder_trust(&self, user: &UserName, level: FolderLevel) -> CatalogueFuture<FolderTrustView>;

    /// Backs up the data of all users while it is in use.
    fn back_up(&self, name: PartName) -> CatalogueFuture<BackupView>;

    /// The complete backups that exist.
    fn backups(&self) -> CatalogueFuture<Vec<BackupView>>;
}

/// The most that may be granted to an agent or a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantCeiling {
    /// What the user's default agent has, and no more.
    AsUsual,
    /// Everything that is asked for.
    Anything,
}

/// The owner of an agent, a skill or a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// It is part of Holm.
    Holm,
    /// It belongs to the user.
    User,
    /// It is in the workspace, and a user has trusted it.
    Project,
}

/// An agent with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentView {
    pub name: String,
    pub description: String,
    /// Its owner. Only the user's own agents can be changed here.
    pub owner: Owner,
    /// Its model; the caller's if not set.
    pub model: Option<String>,
    /// Its tools; all tools if not set.
    pub tools: Option<Vec<String>>,
    /// The grants it runs with, such as `read:src/**`.
    pub grants: Vec<String>,
    /// Its permission mode; the caller's if not set.
    pub mode: Option<String>,
    pub limits: AgentBounds,
    /// The agents that it manages.
    pub manages: Vec<String>,
    /// The system prompt that its model gets.
    pub prompt: String,
    /// The text of its file; not set if it has no file.
    pub text: Option<String>,
    /// The value to send as `if-match` to change it; not set if it cannot be changed here.
    pub etag: Option<String>,
    /// Remarks for its author.
    pub remarks: Vec<String>,
}

/// The limits of an agent. Values that are not set have the defaults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentBounds {
    /// Maximum number of model turns per task.
    pub turns: Option<u64>,
    /// Maximum number of tokens per run.
    pub tokens: Option<u64>,
    /// Maximum time per task, in milliseconds.
    pub time_ms: Option<u64>,
    /// Maximum cost per run, in billionths of a US dollar.
    pub spend_nano_usd: Option<u64>,
    /// Maximum depth of nested helpers.
    pub depth: Option<u64>,
}

/// A tool with all details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolView {
    pub name: String,
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
    /// Keywords for finding it.
    pub keywords: Vec<String>,
    /// Timeout of a call, in milliseconds; the run's if not set.
    pub timeout_ms: Option<u64>,
    /// Limits of one call in the sandbox, such as `mem:256MiB`; empty if the tool does not
    /// run in the sandbox.
    pub limits: Vec<String>,
    /// Problems with its source.
    pub problems: Vec<String>,
}

/// A call to try.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// The arguments, checked against the tool's schema.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub arguments: Map<String, Value>,
    /// What the call may do, such as `read:src/**`. It runs without further approval, and
    /// nothing else is allowed.
    #[serde(default)]
    pub grants: Vec<String>,
}

/// The result of a trial call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tried {
    /// The kernel's name of the outcome: `succeeded`, `failed`, `refused`, ….
    pub outcome: String,
    /// The output that a model would see.
    pub said: String,
    /// How long it took, in milliseconds.
    pub millis: u64,
}

/// The result of reloading the tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reloaded {
    /// How many tools can be used now.
    pub tools: usize,
    /// What cannot be used, and why.
    pub problems: Vec<String>,
}

/// A skill with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillView {
    pub name: String,
    pub description: String,
    /// When a model should use it.
    pub when_to_use: Option<String>,
    pub owner: Owner,
    /// The names of its arguments.
    pub args: Vec<String>,
    /// The instructions that a model reads.
    pub text: String,
}

/// The state of an MCP server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    /// Its tools are available.
    Ready,
    /// It has not reported its tools.
    Silent,
    /// Its configuration file is not trusted or confirmed.
    Untrusted,
    /// It cannot be used.
    Flawed,
}

/// An MCP server, without its command line or address, which may contain secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerView {
    pub name: String,
    pub state: ServerState,
    pub owner: Owner,
    /// The names of its tools.
    pub tools: Vec<String>,
    /// Why it cannot be used, or only in part.
    pub problems: Vec<String>,
}

/// The result of testing an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerTest {
    /// The protocol version that it uses.
    pub version: String,
    /// The tools that it offers now.
    pub tools: Vec<crate::ToolCard>,
    /// The names of tools that changed since they were confirmed; they are left out.
    pub changed: Vec<String>,
    /// What is wrong with other tools.
    pub problems: Vec<String>,
}

/// A backup of all data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BackupView {
    pub name: String,
    /// When it was created, in milliseconds since 1970.
    pub at: u64,
    /// How many files it contains.
    pub files: usize,
    pub bytes: u64,
    /// Number of workspace files and folders that could not be read and are not in the backup.
    pub left_out: usize,
}

/// A setting in effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SettingView {
    /// Its key in `holm.toml`.
    pub key: String,
    pub value: Value,
    /// Where it was set.
    pub origin: String,
}

/// What agents may do in a folder without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FolderLevel {
    /// Holm asks before everything, also before reading.
    Ask,
    /// Agents read files. Holm asks before every change and every command.
    Look,
    /// Agents read and write files. Holm asks before every command.
    Edit,
    /// Agents read and write files, and run commands in the jail, without a network.
    Jail,
}

/// A level, and what it means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FolderLevelCard {
    pub level: FolderLevel,
    /// What it means, for people.
    pub meaning: String,
}

/// What agents may do in the folder of the server without asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FolderTrustView {
    /// The folder in which the server was started.
    pub folder: String,
    /// The level that was chosen for it; not set if none was chosen.
    pub level: Option<FolderLevel>,
    /// The folder that the level was chosen for: this one, or one above it.
    pub chosen_for: Option<String>,
    /// What applies to new sessions in the folder, for people.
    pub meaning: String,
    /// All levels, from the one that allows least to the one that allows most.
    pub levels: Vec<FolderLevelCard>,
}
