//! `holm mcp`: manages the MCP servers whose tools are used here. Reading entries and admitting
//! them is in `mcp_entries.rs`, connections are in `mcp_servers.rs` and `holm-mcp/src/client/`, and
//! Holm as a server is `mcp_server.rs`.
//!
//! Listing starts no server. Testing and confirming start one, so they need the same trust as a
//! run. An imported entry loses the keys that give a server more power, because only the user
//! decides about these. Files are private to their owner, because they may contain keys.

use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Subcommand;
use holm::kernel::ToolSpec;
use holm_config::read_plain;
use holm_mcp::{
    LoginSettings, McpServerSpec, RemoteServer, ServerInventory, ServerName, ToolDefinition, import,
};
use holm_tools::registry::{PinFileStore, PinStore};
use holm_tools::trust::ContentHash;
use serde_json::{Map, Value, json};

use super::import_paths;
use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{self, HolmPaths},
    mcp_entries::{self, ENDING, McpEntryFile, McpServerEntry},
    mcp_servers,
    screen::TerminalOutput,
};

/// The keys of an entry that give a server more power, or have its tools approved less often.
/// Only Holm knows them, so their author aimed at Holm, and a server of the user starts in every
/// folder without another review.
const POWER: [&str; 4] = ["grants", "network", "levels", "hints"];

/// Subcommands of `holm mcp`.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Add an MCP server, or import servers from another program's settings file
    Add(McpAddArgs),
    /// List the configured servers without starting them
    List {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Connect to a server, log in if it asks, and list its tools
    Test {
        /// Server name
        server: String,
    },
    /// Accept the current tools of a server
    Confirm {
        /// Server name
        server: String,
    },
    /// Delete the stored logins of a server
    Logout {
        /// Server name
        server: String,
    },
    /// Remove a server with its confirmations and logins
    Remove {
        /// Server name
        server: String,
    },
}

/// Arguments of `holm mcp add`.
#[derive(Debug, clap::Args)]
pub(crate) struct McpAddArgs {
    /// Server name; the names of its tools start with it
    #[arg(required_unless_present = "from")]
    name: Option<String>,
    /// Server URL
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// HTTP header for every request, as name=value; ${NAME} inserts an environment variable; can
    /// be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "url")]
    header: Vec<String>,
    /// Environment variable of the server's program, as name=value; ${NAME} inserts one of yours;
    /// can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Permission for the server's program, such as read:src/; can be repeated
    #[arg(long, value_name = "GRANT")]
    grant: Vec<String>,
    /// Allow the server's program full network access
    #[arg(long)]
    network: bool,
    /// Import the `mcpServers` in this file of another program
    #[arg(long, value_name = "FILE", conflicts_with_all = ["name", "url"])]
    from: Option<PathBuf>,
    /// The server's program and its arguments
    #[arg(last = true)]
    command: Vec<String>,
}

pub(crate) async fn execute(command: McpCommand, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let is_looking = matches!(command, McpCommand::List { .. });
    let places = if is_looking { HolmPaths::look(data)? } else { HolmPaths::find(data)? };
    let screen = Arc::new(TerminalOutput::default());
    match command {
        McpCommand::Add(add) => match &add.from {
            Some(file) => take_over(file, &places, &screen),
            None => write_down(&add, &places, &screen),
        },
        McpCommand::List { json } => list(&places, &screen, json),
        McpCommand::Test { server } => test(&server, &places, &screen).await,
        McpCommand::Confirm { server } => confirm(&server, &places, &screen).await,
        McpCommand::Logout { server } => logout(&server, &places, &screen),
        McpCommand::Remove { server } => remove(&server, &places, &screen),
    }
}

/// Writes one server down.
fn write_down(add: &McpAddArgs, places: &HolmPaths, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let usage = |message: String| CommandError::new(CommandExit::Usage, message);
    let name: ServerName =
        add.name.as_deref().unwrap_or_default().parse().map_err(|error| usage(format!("{error}")))?;
    let mut entry = Map::new();
    match (&add.url, add.command.split_first()) {
        (Some(url), None) => {
            entry.insert("url".into(), json!(url));
            entry.insert("headers".into(), Value::Object(pairs(&add.header)?));
        }
        (None, Some((command, args))) => {
            entry.insert("command".into(), json!(command));
            entry.insert("args".into(), json!(args));
            entry.insert("env".into(), Value::Object(pairs(&add.env)?));
            if add.network {
                entry.insert("network".into(), json!("open"));
            }
        }
        (both, _) => {
            let message = match both {
                Some(_) => "--url and a program cannot be used together",
                None => "the URL or the program of the server is missing",
            };
            let hint = "holm mcp add NAME --url URL, or holm mcp add NAME -- PROGRAM ARGUMENTS";
            return Err(usage(message.into()).hint(hint).into());
        }
    }
    if !add.grant.is_empty() {
        entry.insert("grants".into(), json!(add.grant));
    }
    entry.retain(|_, value| value.as_object().is_none_or(|object| !object.is_empty()));
    keep(&name, &Value::Object(entry), places, screen)?;
    Ok(CommandExit::Done)
}

/// Checks an entry and writes it down, for its owner alone: it may hold keys.
pub(super) fn keep(
    name: &ServerName,
    entry: &Value,
    places: &HolmPaths,
    screen: &TerminalOutput,
) -> anyhow::Result<()> {
    // A variable that is not set now may be set when it is used.
    let unset = |_: &str| Some(String::new());
    let spec = McpServerSpec::read(name.clone(), entry, &unset)
        .map_err(|error| CommandError::new(CommandExit::Usage, format!("{name}: {error}")))?;
    if let Some(unknown) = spec.unknown_members() {
        screen.note(&format!("holm: {name}: {unknown}"));
    }
    let path = own_file(name.as_str(), places);
    let mut file = holm_paths::private_file(&path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            let message = format!("server `{name}` already exists ({})", path.shown());
            let hint = format!("remove it with `holm mcp remove {name}`, or choose another name");
            CommandError::new(CommandExit::Usage, message).hint(hint)
        }
        _ => CommandError::new(CommandExit::Failed, format!("{}: {error}", path.shown())),
    })?;
    let text = format!("{}\n", serde_json::to_string_pretty(entry)?);
    file.write_all(text.as_bytes())?;
    // The user has just written it, so it needs no review. Pins of another server with this name do
    // not apply to it.
    let pins = PinFileStore::new(places.pins());
    pins.forget(&path, &pinned(name.as_str()))?;
    pins.confirm(&path, ContentHash::of(text.as_bytes()).as_bytes())?;
    screen.note(&format!("holm: wrote {}; see its tools with `holm mcp test {name}`", path.shown()));
    Ok(())
}

/// Takes over the servers of a file of another program.
fn take_over(file: &Path, places: &HolmPaths, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let text = fs::read_to_string(file)
        .map_err(|error| CommandError::new(CommandExit::Missing, format!("{}: {error}", file.shown())))?;
    let taken = take_over_text(&text, import_paths::base(file).as_deref(), places, screen);
    Ok(taken.map_err(|error| error.context(file.shown()))?.exit)
}

/// The result of importing servers.
pub(super) struct McpImportResult {
    pub(super) exit: CommandExit,
    /// The files that were written.
    pub(super) written: Vec<PathBuf>,
    /// The servers that were left out, and why.
    pub(super) left: Vec<(String, String)>,
}

/// Imports the servers of a text with `mcpServers`, or another key that programs use for them.
/// Relative file names start from `folder`.
pub(super) fn take_over_text(
    text: &str,
    folder: Option<&Path>,
    places: &HolmPaths,
    screen: &TerminalOutput,
) -> anyhow::Result<McpImportResult> {
    let imported = import(text, &|_| Some(String::new()))
        .map_err(|error| CommandError::new(CommandExit::Usage, error.to_string()))?;
    let mut taken = McpImportResult { exit: CommandExit::Done, written: Vec::new(), left: Vec::new() };
    let server = |name: &str| format!("the server `{name}`");
    for ((spec, entry), written) in imported.servers.iter().zip(&imported.entries).zip(&imported.written) {
        if spec.name.as_str() != written {
            screen.note(&format!("holm: `{written}` is called `{}` here", spec.name));
        }
        let (entry, withheld) = without_power(entry);
        let entry = match folder {
            Some(folder) => import_paths::placed(entry, folder),
            None => entry,
        };
        match keep(&spec.name, &entry, places, screen) {
            Ok(()) => {
                let path = own_file(spec.name.as_str(), places);
                // This is the last review before it starts, no matter where the file came from.
                let asks = McpServerEntry::of(written, entry).asks();
                asks.iter().for_each(|line| screen.note(&format!("holm: {line}")));
                if !withheld.is_empty() {
                    let (words, why) = (withheld.join(", "), "only you decide what a server may do");
                    screen.note(&format!(
                        "holm: {name}: {words} left out: {why}; write it into {}, then `holm tool confirm {name}{ENDING}`",
                        path.shown(),
                        name = spec.name,
                    ));
                    taken.left.push((format!("{words} of the server `{written}`"), why.to_owned()));
                }
                taken.written.push(path);
            }
            Err(error) => {
                screen.note(&format!("holm: {error:#}"));
                taken.exit = CommandExit::NoAnswer;
                taken.left.push((server(written), format!("{error:#}")));
            }
        }
    }
    for (name, error) in &imported.refused {
        screen.note(&format!("holm: skipped {name}: {error}"));
        taken.exit = CommandExit::NoAnswer;
        taken.left.push((server(name), error.to_string()));
    }
    for name in &imported.disabled {
        screen.note(&format!("holm: skipped {name}: it is switched off there"));
        taken.left.push((server(name), "it is switched off there".to_owned()));
    }
    Ok(taken)
}

/// An entry without the words that give it power, and those that it had.
fn without_power(entry: &Value) -> (Value, Vec<String>) {
    let mut entry = entry.clone();
    let had = |word: &&str| entry.as_object_mut().is_some_and(|entry| entry.remove(*word).is_some());
    let withheld = POWER.into_iter().filter(had).map(|word| format!("`{word}`")).collect();
    (entry, withheld)
}

fn pairs(words: &[String]) -> Result<Map<String, Value>, CommandError> {
    let pair = |word: &String| match word.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), json!(value))),
        _ => Err(CommandError::new(CommandExit::Usage, format!("`{word}` is not name=value"))),
    };
    words.iter().map(pair).collect()
}

/// Lists the entries as they are written. Variables are never expanded, no matter
/// who wrote the file.
fn list(places: &HolmPaths, screen: &TerminalOutput, as_json: bool) -> anyhow::Result<CommandExit> {
    let files = mcp_entries::files(places);
    if files.is_empty() {
        screen.note("holm: no servers yet; add one with `holm mcp add`");
    }
    for path in files {
        let read = read_plain(&path).map_err(|error| error.to_string());
        let written = read.and_then(|bytes| McpEntryFile { path: path.clone(), bytes }.written());
        let note = |what: &str| screen.note(&format!("holm: {}: {what}", path.shown()));
        match written {
            Ok(written) => {
                for server in written {
                    if let Some(flaw) = &server.flaw {
                        note(&format!("{}: {flaw}", server.name));
                        continue;
                    }
                    if let Some(unknown) = server.unknown_members() {
                        note(&unknown);
                    }
                    if as_json {
                        let file = path.shown();
                        let shown = json!({ "name": server.name, "reach": server.reach(), "file": file });
                        screen.line(&shown.to_string());
                    } else {
                        screen.answer(&format!("{}  {}  ({})", server.name, server.reach(), path.shown()));
                    }
                }
            }
            Err(why) => note(&why),
        }
    }
    Ok(CommandExit::Done)
}

/// A server from a trusted file.
struct TrustedMcpServer {
    remote: RemoteServer,
    /// The hash of the file with its entry.
    entry: ContentHash,
    /// The store of its pinned tools.
    pins: Arc<dyn PinStore>,
}

/// Finds a server by name, if its file is trusted. `login` is how a user logs in who is not logged
/// in yet; without it, only stored logins count.
fn find(server: &str, places: &HolmPaths, login: Option<LoginSettings>) -> anyhow::Result<TrustedMcpServer> {
    let own = format!("{server}{ENDING}");
    for path in mcp_entries::files(places) {
        let is_its_file = path.file_name().is_some_and(|name| name == own.as_str());
        let broken =
            |why: String| CommandError::new(CommandExit::NoAnswer, format!("{}: {why}", path.shown()));
        let bytes = match read_plain(&path) {
            Ok(bytes) => bytes,
            Err(error) if is_its_file => return Err(broken(error.to_string()).into()),
            Err(_) => continue,
        };
        let loader = mcp_servers::loader(places, &path, holm_mcp::McpTransports::new());
        let specs = match loader.read(&path, &bytes) {
            Ok(specs) => specs,
            Err(error) if is_its_file => return Err(broken(error.to_string()).into()),
            Err(_) => continue,
        };
        let Some(spec) = specs.into_iter().find(|spec| spec.name.as_str() == server) else { continue };
        let hash = ContentHash::of(&bytes);
        let entry = McpEntryFile { path, bytes };
        entry.admit(places)?;
        let means = mcp_servers::means(places, &entry.path)
            .map_err(|why| CommandError::new(CommandExit::Failed, why))?;
        let remote = RemoteServer::new(
            spec,
            match login {
                Some(login) => means.login(login),
                None => means,
            },
        );
        return Ok(TrustedMcpServer { remote, entry: hash, pins: mcp_servers::pins(places, &entry.path) });
    }
    let message = format!("there is no server `{server}`");
    Err(CommandError::new(CommandExit::Missing, message).hint("`holm mcp list` shows the servers").into())
}

/// What a server offers, remembered for the next start.
async fn read(
    remote: &RemoteServer,
    entry: &ContentHash,
    places: &HolmPaths,
) -> Result<ServerInventory, CommandError> {
    let server = remote.name();
    let read = remote.reading().await;
    let reading =
        read.map_err(|error| CommandError::new(CommandExit::NoAnswer, format!("{server}: {error}")))?;
    mcp_servers::lists(places).keep(server, entry, &reading);
    Ok(reading)
}

/// The tools of a server, and its problems.
pub(super) struct McpServerOffering {
    /// The protocol version of the server.
    pub(super) version: String,
    /// The declarations of its usable tools.
    pub(super) tools: Vec<ToolSpec>,
    /// The names of tools that have changed since they were confirmed,
    /// with their current declarations.
    pub(super) changed: Vec<(String, String)>,
    /// Problems of other tools, and of its entry.
    pub(super) flaws: Vec<String>,
}

/// Asks a server what it offers, and remembers it.
pub(super) async fn offered(
    server: &str,
    places: &HolmPaths,
    login: Option<LoginSettings>,
) -> anyhow::Result<McpServerOffering> {
    let TrustedMcpServer { remote, entry, pins } = find(server, places, login)?;
    let reading = read(&remote, &entry, places).await?;
    let (offers, listing) = remote.offers_of(reading, pins.as_ref());
    let version = remote.version().await;
    remote.close().await;
    let tools: Vec<ToolSpec> = offers.iter().map(|offer| offer.tool.declaration().clone()).collect();
    let named = |tool: &ToolDefinition| (format!("{server}_{}", tool.name), tool.description.clone());
    let held = |(name, _): &(String, String)| tools.iter().any(|tool| tool.name == *name);
    let changed = listing.tools.iter().map(named).filter(|tool| !held(tool)).collect();
    let mut flaws: Vec<String> = listing.flaws.iter().map(ToString::to_string).collect();
    flaws.extend(remote.spec().unknown_members().map(|unknown| format!("{server}: {unknown}")));
    Ok(McpServerOffering { version: version?, tools, changed, flaws })
}

async fn test(server: &str, places: &HolmPaths, screen: &Arc<TerminalOutput>) -> anyhow::Result<CommandExit> {
    let offered = offered(server, places, Some(mcp_servers::login(places, screen)?)).await?;
    screen.note(&format!("holm: {server} speaks {}", offered.version));
    for tool in &offered.tools {
        screen.answer(&format!("{}  {} ({})", tool.name, first_line(&tool.description), tool.level));
    }
    for (name, description) in &offered.changed {
        screen.answer(&format!("{name}  changed: {}", first_line(description)));
    }
    for flaw in &offered.flaws {
        screen.note(&format!("holm: {flaw}"));
    }
    if offered.changed.is_empty() {
        return Ok(CommandExit::Done);
    }
    screen.note(&format!(
        "holm: changed tools are left out; `holm mcp confirm {server}` accepts them as they are now"
    ));
    Ok(CommandExit::NoAnswer)
}

/// Forgets logins. Running processes keep theirs until they read it again.
fn logout(server: &str, places: &HolmPaths, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    let name: ServerName =
        server.parse().map_err(|error| CommandError::new(CommandExit::Usage, format!("{error}")))?;
    match mcp_servers::logins(places).forget(&name)? {
        0 => {
            let message = format!("not logged in to `{server}`");
            Err(CommandError::new(CommandExit::Missing, message)
                .hint("`holm mcp list` shows the servers")
                .into())
        }
        _ => {
            screen.note(&format!("holm: removed the login to {server}; its issuer may still accept it"));
            Ok(CommandExit::Done)
        }
    }
}

/// Takes a server of the user's away. One of a project is the project's.
pub(super) fn remove(
    server: &str,
    places: &HolmPaths,
    screen: &TerminalOutput,
) -> anyhow::Result<CommandExit> {
    let path = own_file(server, places);
    // A name is one word, so nothing outside of the folder is meant.
    let Some(name) = server.parse::<ServerName>().ok().filter(|_| path.is_file()) else {
        let message = format!("there is no server `{server}` among your tools");
        return Err(CommandError::new(CommandExit::Missing, message)
            .hint("`holm mcp list` shows the servers")
            .into());
    };
    fs::remove_file(&path)?;
    mcp_servers::lists(places).forget(&name);
    mcp_servers::logins(places).forget(&name)?;
    mcp_servers::forget_home(places, &name)?;
    PinFileStore::new(places.pins()).forget(&path, &pinned(server))?;
    screen.note(&format!("holm: removed {}", path.shown()));
    Ok(CommandExit::Done)
}

/// Where a server of the user's is written down.
pub(super) fn own_file(server: &str, places: &HolmPaths) -> PathBuf {
    places.tools().join(format!("{server}{ENDING}"))
}

/// How the places begin at which the tools of a server are pinned.
fn pinned(server: &str) -> String {
    format!("mcp:{server}:")
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

async fn confirm(
    server: &str,
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
) -> anyhow::Result<CommandExit> {
    let TrustedMcpServer { remote, entry, pins } =
        find(server, places, Some(mcp_servers::login(places, screen)?))?;
    read(&remote, &entry, places).await?;
    let confirmed = remote.confirm(pins.as_ref()).await;
    let count =
        confirmed.map_err(|error| CommandError::new(CommandExit::NoAnswer, format!("{server}: {error}")))?;
    let tools = if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") };
    screen.note(&format!("holm: confirmed as they are now: {tools} of {server}"));
    remote.close().await;
    Ok(CommandExit::Done)
}
