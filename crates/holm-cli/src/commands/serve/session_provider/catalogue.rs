//! Shows and changes the agents, tools, skills and servers of a user, and makes backups. It uses
//! the same files and rules as the commands `holm agent`, `holm tool`, `holm skill` and `holm mcp`.
//! The HTTP routes are in `holm-server/src/routes/`; sessions are made in
//! `commands/serve/session_provider.rs`.
//!
//! An agent that a user writes, or a tool that they try, gets no more than the default agent has,
//! unless the writer may grant anything. Only files in the user's own folder can be changed, and a
//! write states what it replaces.

use std::{path::Path, sync::Arc, time::Instant};

use holm::{
    grants::{Grant, GrantSet, Mode},
    kernel::{Config, Limits},
    wire::services::ServiceTable,
};
use holm_config::{ConfigLayer, ConfigSettings, KeyFile, read_plain_text};
use holm_mcp::ServerName;
use holm_server::{
    AgentBounds, AgentView, BackupView, CatalogueFuture, CatalogueProvider, FolderLevel, FolderTrustView,
    GrantCeiling, Owner, PartName, Reloaded, ServerState, ServerTest, ServerView, SessionProviderError,
    SettingView, SkillView, ToolCard, ToolView, Trial, Tried, auth::UserName,
};
use holm_tools::{
    agents::{AgentFile, AgentLimits, AgentToolNames, MOST_FILE_BYTES},
    registry::{PinFileStore, PinStore as _, RegistrySnapshot},
    root::{ManualFileError, WorkspaceRoot, WorkspaceRootError, WritePrecondition},
    shell::{ApprovalGate, CommandRules},
    trust::ContentHash,
    wasm::WasmSettings,
};
use serde_json::{Map, Value};

use super::{CliSessionProvider, USUAL, UserWorkspace, failed, refused, told};
use crate::screen::DisplayablePath as _;
use crate::{
    agents::{AgentDefinition, ExeAgentProject},
    approve::{TerminalApprover, UserPresence},
    archive::{self, BackupManifest},
    commands::{mcp, run::AssembledAgent},
    exit::{CommandError, CommandExit},
    helper_factory::is_agent,
    holm_paths::{self, HolmPaths},
    manual_call,
    mcp_entries::{self, McpEntryFile},
    screen::TerminalOutput,
    settings::FolderSettings,
    skills::RunSkills,
};

impl CatalogueProvider for CliSessionProvider {
    fn agent(&self, user: &UserName, name: PartName) -> CatalogueFuture<AgentView> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            if name.as_str() == USUAL {
                return Ok(usual(house.shown(&user).await.map_err(failed)?.agent.config()));
            }
            let room = house.room(&user).await.map_err(failed)?;
            chosen(&room.places, name.as_str()).map_err(|trouble| missing_or(&trouble, "agent"))
        })
    }

    fn check_agent(&self, _: &UserName, text: String) -> CatalogueFuture<AgentView> {
        Box::pin(async move { Ok(view(&parsed(&text)?, Owner::User, Some(text), None)) })
    }

    fn keep_agent(
        &self,
        user: &UserName,
        name: PartName,
        text: String,
        before: WritePrecondition,
        most: GrantCeiling,
    ) -> CatalogueFuture<AgentView> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let file = parsed(&text)?;
            if file.name != name.as_str() || file.name == USUAL {
                let message =
                    format!("the text defines `{}`; write `name: {name}` into its header", file.name);
                return Err(SessionProviderError::Refused(message));
            }
            let (room, made) =
                (house.room(&user).await.map_err(failed)?, house.shown(&user).await.map_err(failed)?);
            within(made.agent.config(), &file, most)?;
            let kept = own_file(&room.places, name.as_str())?.unwrap_or_else(|| format!("{name}.md"));
            let hash = write(&room.places, kept, text.clone(), before).await?;
            Ok(view(&file, Owner::User, Some(text), Some(hash)))
        })
    }

    fn remove_agent(&self, user: &UserName, name: PartName) -> CatalogueFuture<()> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let file = own_file(&room.places, name.as_str())?
                .ok_or(SessionProviderError::Missing { what: "agent" })?;
            let folder = room.places.agents();
            PinFileStore::new(room.places.pins()).forget(&folder.join(&file), "").map_err(failed)?;
            by_hand(&folder, move |root| root.remove(&root.path(&file)?, None, most_bytes())).await
        })
    }

    fn tool(&self, user: &UserName, name: PartName) -> CatalogueFuture<ToolView> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let made = house.shown(&user).await.map_err(failed)?;
            tool_of(&made.tools.registry().snapshot(), name.as_str())
                .ok_or(SessionProviderError::Missing { what: "tool" })
        })
    }

    fn try_tool(
        &self,
        user: &UserName,
        name: PartName,
        wanted: Trial,
        most: GrantCeiling,
    ) -> CatalogueFuture<Tried> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let (room, made) =
                (house.room(&user).await.map_err(failed)?, house.shown(&user).await.map_err(failed)?);
            attempt(&room, &made, name.as_str(), wanted, most).await
        })
    }

    fn reload_tools(&self, user: &UserName) -> CatalogueFuture<Reloaded> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            *room.shown.lock().await = None;
            let made = house.shown(&user).await.map_err(failed)?;
            let snapshot = made.tools.registry().snapshot();
            let problems = snapshot.problems().iter().map(ToString::to_string).collect();
            Ok(Reloaded { tools: snapshot.tools().len(), problems })
        })
    }

    fn skill(&self, user: &UserName, name: PartName) -> CatalogueFuture<SkillView> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let skills = RunSkills::find(&room.places, &[]);
            let usable = skills.get(name.as_str()).ok_or(SessionProviderError::Missing { what: "skill" })?;
            let skill = &usable.skill;
            Ok(SkillView {
                name: skill.name.clone(),
                description: skill.description.clone(),
                when_to_use: skill.when_to_use.clone(),
                owner: owner(usable.owner),
                args: skill.args.clone(),
                text: skill.body.clone(),
            })
        })
    }

    fn servers_seen(&self, user: &UserName) -> CatalogueFuture<Vec<ServerView>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let (room, made) =
                (house.room(&user).await.map_err(failed)?, house.shown(&user).await.map_err(failed)?);
            let snapshot = made.tools.registry().snapshot();
            let entries = McpEntryFile::all(&room.places);
            Ok(entries.iter().flat_map(|entry| servers_of(entry, &room.places, &snapshot)).collect())
        })
    }

    fn test_server(&self, user: &UserName, name: PartName) -> CatalogueFuture<ServerTest> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let offered = mcp::offered(name.as_str(), &room.places, None).await;
            let offered = offered.map_err(|error| match error.downcast_ref::<CommandError>() {
                Some(trouble) => missing_or(trouble, "server"),
                // A user who tests a server wants to see its error.
                None => SessionProviderError::Refused(error.to_string()),
            })?;
            let card = |tool: &holm::kernel::ToolSpec| ToolCard {
                name: tool.name.clone(),
                description: tool.description.clone(),
                level: tool.level.to_string(),
                origin: name.to_string(),
            };
            Ok(ServerTest {
                version: offered.version,
                tools: offered.tools.iter().map(card).collect(),
                changed: offered.changed.into_iter().map(|(tool, _)| tool).collect(),
                problems: offered.flaws,
            })
        })
    }

    fn add_server(&self, user: &UserName, name: PartName, entry: Map<String, Value>) -> CatalogueFuture<()> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let server: ServerName =
                name.as_str().parse().map_err(|error| SessionProviderError::Refused(format!("{error}")))?;
            if mcp::own_file(server.as_str(), &room.places).exists() {
                return Err(SessionProviderError::Taken);
            }
            let screen = TerminalOutput::elsewhere(|_| {});
            mcp::keep(&server, &Value::Object(entry), &room.places, &screen).map_err(|error| told(&error))
        })
    }

    fn remove_server(&self, user: &UserName, name: PartName) -> CatalogueFuture<()> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let removed = mcp::remove(name.as_str(), &room.places, &TerminalOutput::elsewhere(|_| {}));
            removed.map(|_| ()).map_err(|error| match error.downcast_ref::<CommandError>() {
                Some(trouble) => missing_or(trouble, "server"),
                None => failed(error),
            })
        })
    }

    fn remove_key(&self, user: &UserName, provider: PartName) -> CatalogueFuture<()> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let missing = SessionProviderError::Missing { what: "provider" };
            let room = house.room(&user).await.map_err(failed)?;
            let services = ServiceTable::stock();
            let service = services.find(provider.as_str()).map_err(|_| missing.clone())?;
            let mut keys = KeyFile::load(&room.places.keys()).map_err(failed)?;
            if keys.remove(&service.id).map_err(failed)? { Ok(()) } else { Err(missing) }
        })
    }

    fn settings(&self, user: &UserName) -> CatalogueFuture<Vec<SettingView>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let here = FolderSettings::find(&room.places).map_err(|trouble| refused(&trouble))?;
            let rows = here.settle(ConfigSettings::default(), &TerminalOutput::elsewhere(|_| {})).rows();
            let view = |row: holm_config::SettingRow| SettingView {
                origin: row.origin.to_string(),
                key: row.key,
                value: row.value,
            };
            Ok(rows.into_iter().map(view).collect())
        })
    }

    fn back_up(&self, name: PartName) -> CatalogueFuture<BackupView> {
        let data = self.inner.places.data.clone();
        Box::pin(async move {
            let folder = data.join(archive::COPIES).join(name.as_str());
            if folder.exists() {
                return Err(SessionProviderError::Taken);
            }
            let made = BackupManifest::make(&data, &folder).await.map_err(|error| told(&error))?;
            Ok(backup(name.to_string(), &made))
        })
    }

    fn folder_trust(&self, user: &UserName) -> CatalogueFuture<FolderTrustView> {
        let shown = self.show_folder_trust(user);
        Box::pin(async move { shown })
    }

    fn keep_folder_trust(&self, user: &UserName, level: FolderLevel) -> CatalogueFuture<FolderTrustView> {
        let (house, user) = (self.clone(), user.clone());
        // A client that disconnects must not stop it halfway.
        let stored = tokio::task::spawn_blocking(move || house.store_folder_trust(&user, level));
        Box::pin(async move { stored.await.map_err(failed)? })
    }

    fn backups(&self) -> CatalogueFuture<Vec<BackupView>> {
        let folder = self.inner.places.data.join(archive::COPIES);
        Box::pin(async move {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let whole = entries.filter_map(|entry| {
                let made = BackupManifest::read(&entry.path()).ok()?;
                Some(backup(entry.file_name().to_string_lossy().into_owned(), &made))
            });
            let mut all: Vec<BackupView> = whole.collect();
            all.sort_by(|one, other| one.name.cmp(&other.name));
            Ok(all)
        })
    }
}

fn backup(name: String, made: &BackupManifest) -> BackupView {
    let (files, left_out) = (made.len(), made.left_out().len());
    BackupView { name, at: made.at, files, bytes: made.bytes(), left_out }
}

/// The default agent, which has no file.
fn usual(config: &Config) -> AgentView {
    AgentView {
        name: USUAL.into(),
        description: super::ABOUT_USUAL.into(),
        owner: Owner::Holm,
        model: config.models.first().map(|model| model.name.clone()),
        tools: Some(config.tools.iter().map(|tool| tool.name.clone()).collect()),
        grants: texts(&config.grants),
        mode: Some(config.mode.to_string()),
        limits: AgentBounds::default(),
        manages: Vec::new(),
        prompt: config.system.clone(),
        text: None,
        etag: None,
        remarks: Vec::new(),
    }
}

/// An agent of a file.
fn chosen(places: &HolmPaths, name: &str) -> Result<AgentView, CommandError> {
    match AgentDefinition::find(name, places)? {
        AgentDefinition::Native { file, path, owner: layer } => {
            let text = read_plain_text(&path).map_err(|error| {
                CommandError::new(CommandExit::Failed, format!("{}: {error}", path.shown()))
            })?;
            let is_own = layer == ConfigLayer::User && path.parent() == Some(places.agents().as_path());
            let hash = is_own.then(|| ContentHash::of(text.as_bytes()));
            Ok(view(&file, owner(layer), Some(text), hash))
        }
        AgentDefinition::Exe(exe) => Ok(foreign(&exe)),
    }
}

/// An agent of a project of agents-exe, as far as it can be said in these words.
fn foreign(exe: &ExeAgentProject) -> AgentView {
    let agent = &exe.tree.agent;
    AgentView {
        name: agent.slug.clone(),
        description: agent.announce.clone(),
        owner: Owner::Project,
        model: Some(exe.model_of(agent)),
        tools: None,
        grants: Vec::new(),
        mode: None,
        limits: AgentBounds::default(),
        manages: Vec::new(),
        prompt: agent.system.clone(),
        text: None,
        etag: None,
        remarks: exe.unsupported.iter().map(|not| format!("line {}: {}", not.line, not.what)).collect(),
    }
}

fn view(file: &AgentFile, owner: Owner, text: Option<String>, hash: Option<ContentHash>) -> AgentView {
    let limits = &file.limits;
    AgentView {
        name: file.name.clone(),
        description: file.description.clone(),
        owner,
        model: file.model.clone(),
        tools: match &file.tools {
            AgentToolNames::All => None,
            AgentToolNames::These(names) => Some(names.clone()),
        },
        grants: texts(&file.grants),
        mode: file.mode.map(|mode| mode.to_string()),
        limits: AgentBounds {
            turns: limits.turns,
            tokens: limits.tokens,
            time_ms: limits.time_ms,
            spend_nano_usd: limits.spend.map(holm::kernel::NanoUsd::value),
            depth: limits.depth,
        },
        manages: file.manages.clone(),
        prompt: file.system.clone(),
        text,
        etag: hash.map(|hash| format!("\"{hash}\"")),
        remarks: file.remarks(),
    }
}

fn texts(grants: &GrantSet) -> Vec<String> {
    grants.iter().map(ToString::to_string).collect()
}

fn parsed(text: &str) -> Result<AgentFile, SessionProviderError> {
    AgentFile::parse(text).map_err(|error| SessionProviderError::Refused(error.to_string()))
}

/// An agent that a user writes may have no more than the default one, unless its
/// writer may grant anything.
fn within(usual: &Config, file: &AgentFile, most: GrantCeiling) -> Result<(), SessionProviderError> {
    match most {
        GrantCeiling::Anything => Ok(()),
        GrantCeiling::AsUsual => {
            if let Some(mode) = file.mode.filter(|mode| *mode > usual.mode) {
                let message =
                    format!("`{mode}` allows more than the mode of your default agent, `{}`", usual.mode);
                return Err(SessionProviderError::TooMuch(message));
            }
            bounded(&usual.limits, &file.limits)?;
            granted(usual, file.grants.iter())
        }
    }
}

/// Whether an agent's limits are within those of the default one. Missing limits are those
/// of the default agent.
pub(super) fn bounded(usual: &Limits, wanted: &AgentLimits) -> Result<(), SessionProviderError> {
    let too_much = |what: &str| {
        let message = format!(
            "its {what} exceed those of your default agent; an administrator can allow \
                               them"
        );
        Err(SessionProviderError::TooMuch(message))
    };
    if wanted.turns.is_some_and(|turns| usual.turns.exceeded_by(turns)) {
        return too_much("turns");
    }
    if wanted.spend.zip(usual.budget.usd).is_some_and(|(wanted, usual)| wanted > usual) {
        return too_much("costs");
    }
    Ok(())
}

/// Whether the usual agent has all of these.
fn granted<'a>(
    usual: &Config,
    mut grants: impl Iterator<Item = &'a Grant>,
) -> Result<(), SessionProviderError> {
    match grants.find(|grant| !usual.grants.contains(grant)) {
        None => Ok(()),
        Some(grant) => {
            let message = format!(
                "{grant} exceeds the grants of your default agent; an administrator \
                                   can allow it"
            );
            Err(SessionProviderError::TooMuch(message))
        }
    }
}

/// The file name of the user's own agent; `None` if it does not exist. Agents in other folders
/// cannot be changed here.
fn own_file(places: &HolmPaths, name: &str) -> Result<Option<String>, SessionProviderError> {
    let folder = places.agents();
    match AgentDefinition::find(name, places) {
        Ok(AgentDefinition::Native { path, owner: ConfigLayer::User, .. })
            if path.parent() == Some(folder.as_path()) =>
        {
            Ok(path.file_name().and_then(|file| file.to_str()).map(str::to_owned))
        }
        Ok(AgentDefinition::Native { .. } | AgentDefinition::Exe(_)) => Err(SessionProviderError::Refused(
            "an agent with that name already exists and cannot be changed here".into(),
        )),
        // A file of that name that cannot be read as an agent can still be mended.
        Err(_) => {
            let file = format!("{name}.md");
            Ok(folder.join(&file).is_file().then_some(file))
        }
    }
}

/// Writes an agent's file. Its author has seen it, so it counts as confirmed.
async fn write(
    places: &HolmPaths,
    file: String,
    text: String,
    before: WritePrecondition,
) -> Result<ContentHash, SessionProviderError> {
    let (folder, pins) = (places.agents(), PinFileStore::new(places.pins()));
    holm_paths::private_folder(&folder).map_err(failed)?;
    let path = folder.join(&file);
    let written =
        by_hand(&folder, move |root| root.write(&root.path(&file)?, text.as_bytes(), before, most_bytes()));
    let hash = written.await?;
    pins.confirm(&path, hash.as_bytes()).map_err(failed)?;
    Ok(hash)
}

/// Does something in a folder of the user's, on a thread that may block.
async fn by_hand<T: Send + 'static>(
    folder: &Path,
    work: impl FnOnce(&WorkspaceRoot) -> Result<T, ManualFileError> + Send + 'static,
) -> Result<T, SessionProviderError> {
    let folder = folder.to_owned();
    let done =
        tokio::task::spawn_blocking(move || work(&WorkspaceRoot::open(&folder)?)).await.map_err(failed)?;
    done.map_err(|error| match error {
        ManualFileError::Taken { .. } => SessionProviderError::Taken,
        ManualFileError::Root(WorkspaceRootError::Changed { .. }) => SessionProviderError::Changed,
        ManualFileError::Root(WorkspaceRootError::Missing { .. }) => {
            SessionProviderError::Missing { what: "agent" }
        }
        other @ (ManualFileError::Root(_)
        | ManualFileError::NotEmpty { .. }
        | ManualFileError::Holds { .. }) => failed(other),
    })
}

/// The most that a file of an agent has, as a size of files.
fn most_bytes() -> u64 {
    u64::try_from(MOST_FILE_BYTES).unwrap_or(u64::MAX)
}

fn tool_of(snapshot: &RegistrySnapshot, name: &str) -> Option<ToolView> {
    let (tool, entry) = snapshot.tools().find(|(tool, _)| tool.declaration().name == name)?;
    let declared = tool.declaration();
    let problems = snapshot.problems().iter().filter(|problem| problem.source.origin == entry.origin);
    Some(ToolView {
        name: declared.name.clone(),
        description: declared.description.clone(),
        level: declared.level.to_string(),
        origin: entry.origin.clone(),
        needs: declared.needs.iter().map(ToString::to_string).collect(),
        schema: serde_json::to_value(&declared.schema).unwrap_or_default(),
        keywords: entry.keywords.clone(),
        timeout_ms: declared.timeout_ms,
        limits: sandbox(&entry.origin),
        problems: problems.map(|problem| problem.what.clone()).collect(),
    })
}

/// How much a call of a WASM tool may use at the most.
fn sandbox(origin: &str) -> Vec<String> {
    if Path::new(origin).extension().is_none_or(|ending| ending != "wasm") {
        return Vec::new();
    }
    let most = WasmSettings::default().most;
    vec![
        format!("time:{}s", most.time.as_secs()),
        format!("fuel:{}", most.fuel),
        format!("mem:{}B", most.memory),
        format!("output:{}B", most.output),
        format!("written:{}B", most.written),
    ]
}

/// Calls a tool once. The named grants are allowed without asking; nothing else is allowed.
async fn attempt(
    room: &UserWorkspace,
    made: &AssembledAgent,
    name: &str,
    wanted: Trial,
    most: GrantCeiling,
) -> Result<Tried, SessionProviderError> {
    let snapshot = made.tools.registry().snapshot();
    let tool = snapshot.find(name).ok_or(SessionProviderError::Missing { what: "tool" })?;
    if is_agent(tool.declaration()) {
        let message = format!("`{name}` is an agent; only a session can use it");
        return Err(SessionProviderError::Refused(message));
    }
    let grants = wanted.grants.iter().map(|grant| grant.parse::<Grant>());
    let grants = grants
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| SessionProviderError::Refused(error.to_string()))?;
    let usual = made.agent.config();
    if most == GrantCeiling::AsUsual {
        granted(usual, grants.iter())?;
    }
    let (grants, mode) = manual_call::bound(&grants, usual.mode.min(Mode::Default), &room.places)
        .map_err(|trouble| refused(&trouble))?;
    let rules =
        manual_call::denied(&room.places, CommandRules::default()).map_err(|trouble| refused(&trouble))?;
    let yes: GrantSet = grants.into_iter().collect();
    let screen = Arc::new(TerminalOutput::elsewhere(|_| {}));
    let gate = ApprovalGate::new(TerminalApprover::new(yes.clone(), UserPresence::Away, screen), rules);
    let arguments = Value::Object(wanted.arguments).to_string();
    let call = manual_call::ManualToolCall { tool: Arc::clone(tool), arguments, grants: yes, mode };
    let began = Instant::now();
    let came =
        call.run(gate, |builder| builder.secrets(made.secrets.clone()).hooks(made.hooks.clone())).await;
    let came = came.map_err(failed)?;
    let outcome = serde_json::to_value(came.outcome).unwrap_or_default();
    Ok(Tried {
        outcome: outcome.as_str().unwrap_or_default().to_owned(),
        said: came.said,
        millis: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

/// The servers of a file, and how each stands.
fn servers_of(entry: &McpEntryFile, places: &HolmPaths, snapshot: &RegistrySnapshot) -> Vec<ServerView> {
    let origin = entry.path.display().to_string();
    let own = if mcp_entries::is_project(&entry.path, places) { Owner::Project } else { Owner::User };
    let trusted = entry.admit(places).map_err(|trouble| trouble.to_string());
    let about: Vec<String> = snapshot
        .problems()
        .iter()
        .filter(|problem| problem.source.origin == origin)
        .map(|problem| problem.what.clone())
        .collect();
    let server = |written: mcp_entries::McpServerEntry| {
        let beginning = format!("{}_", written.name);
        let tools: Vec<String> = snapshot
            .tools()
            .filter(|(tool, from)| from.origin == origin && tool.declaration().name.starts_with(&beginning))
            .map(|(tool, _)| tool.declaration().name.clone())
            .collect();
        let (state, problems) = match (&written.flaw, &trusted) {
            (Some(flaw), _) => (ServerState::Flawed, vec![flaw.clone()]),
            (None, Err(why)) => (ServerState::Untrusted, vec![why.clone()]),
            (None, Ok(())) if tools.is_empty() => (ServerState::Silent, about.clone()),
            (None, Ok(())) => (ServerState::Ready, about.clone()),
        };
        ServerView { name: written.name, state, owner: own, tools, problems }
    };
    match entry.written() {
        Ok(written) => written.into_iter().map(server).collect(),
        Err(why) => {
            let name = entry.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let (state, tools) = (ServerState::Flawed, Vec::new());
            vec![ServerView { name, state, owner: own, tools, problems: vec![why] }]
        }
    }
}

fn owner(layer: ConfigLayer) -> Owner {
    if layer == ConfigLayer::Project { Owner::Project } else { Owner::User }
}

/// What is not there is said to be missing, the rest as everywhere.
fn missing_or(trouble: &CommandError, what: &'static str) -> SessionProviderError {
    match trouble.exit {
        CommandExit::Missing => SessionProviderError::Missing { what },
        // The server is not trusted yet, or does not answer: the caller should know.
        CommandExit::NoAnswer => SessionProviderError::Refused(trouble.to_string()),
        CommandExit::Usage
        | CommandExit::Provider
        | CommandExit::Done
        | CommandExit::Failed
        | CommandExit::Limit
        | CommandExit::Cancelled => refused(trouble),
    }
}
