//! The files with MCP server entries: their owners, what they request, the project files that they
//! start with, and their secrets. It starts no server; `mcp_servers.rs` sets up connections, and
//! `holm-mcp/src/spec/` parses an entry. The commands are in `commands/mcp.rs`.
//!
//! A project's server is admitted only together with every project file that it starts with, at its
//! current content. An unchanged entry that starts a changed script counts as changed. The text for
//! the user names variables but never shows a value that may be a secret.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use holm::{
    kernel::{visible, visible_line},
    runtime::{SecretRedactor, SecretString},
};
use holm_config::{read_plain, read_plain_within};
use holm_mcp::{McpImportError, McpLoader, McpServerSpec, McpTransports, ServerEndpoint, ServerName, import};
use holm_tools::{
    hooks::started,
    registry::{PinFileStore, PinStatus, PinStore as _, ToolFileGate, TrustGate},
    trust::{ContentHash, MAX_FILE, TrustLedger, TrustStatus, place},
};
use serde_json::Value;

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{HolmPaths, quoted},
};

/// The ending of the files in which servers are kept.
pub(crate) const ENDING: &str = ".mcp.json";

/// A file with entries of MCP servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct McpEntryFile {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl McpEntryFile {
    /// All files that can be read, the user's own first.
    pub(crate) fn all(places: &HolmPaths) -> Vec<Self> {
        let read = |path: PathBuf| Some(Self { bytes: read_plain(&path).ok()?, path });
        files(places).into_iter().filter_map(read).collect()
    }

    /// The usable entries: the user trusts them, or confirmed them, or they are the
    /// first at their place.
    pub(crate) fn admitted(places: &HolmPaths) -> impl Iterator<Item = Self> {
        Self::all(places).into_iter().filter(|entry| entry.admit(places).is_ok())
    }

    /// To look at a server is to start it, so the same must hold as for a run.
    pub(crate) fn admit(&self, places: &HolmPaths) -> Result<(), CommandError> {
        let (path, hash) = (&self.path, *ContentHash::of(&self.bytes).as_bytes());
        let refused =
            |why: String| CommandError::new(CommandExit::NoAnswer, format!("{}: {why}", path.shown()));
        if is_project(path, places) {
            return ProjectTrustGate::new(places).admits(path, &hash).map_err(refused);
        }
        let pins = PinFileStore::new(places.pins());
        // A look confirms nothing: what does not even start can still be mended.
        if !pins.knows(path) {
            return Ok(());
        }
        match pins.standing(path, &hash) {
            PinStatus::Confirmed => Ok(()),
            PinStatus::Replaced => {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                let why = format!(
                    "it changed since you confirmed it; review it, then run `holm tool confirm \
                             {file}`"
                );
                Err(refused(why))
            }
        }
    }

    /// Why a run would leave out these servers although the user trusted them. `None` for servers
    /// that were never trusted.
    pub(crate) fn stale(&self, places: &HolmPaths) -> Option<String> {
        let ledger = TrustLedger::open(places.trust()).ok()?;
        let named = place(&places.work, &self.path).ok()?;
        let is_theirs = is_project(&self.path, places) && ledger.knows(&named);
        let admitted =
            || ProjectTrustGate::new(places).admits(&self.path, ContentHash::of(&self.bytes).as_bytes());
        is_theirs.then(admitted)?.err()
    }

    /// The servers as they are written, with no variable put in: what anybody may see.
    pub(crate) fn written(&self) -> Result<Vec<McpServerEntry>, String> {
        let text = std::str::from_utf8(&self.bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
        // A variable that is not set now may be set when it is used.
        let unset = |_: &str| Some(String::new());
        match import(text, &unset) {
            Ok(imported) => {
                let names = imported.written.iter().zip(imported.entries);
                let mut found: Vec<McpServerEntry> =
                    names.map(|(name, entry)| McpServerEntry::of(name, entry)).collect();
                found.extend(imported.refused.iter().map(|(name, error)| McpServerEntry {
                    name: visible(name),
                    entry: Value::Null,
                    flaw: Some(error.to_string()),
                }));
                Ok(found)
            }
            Err(McpImportError::NoServers) => {
                let file = self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let name = file.strip_suffix(ENDING).unwrap_or(file);
                let entry: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
                let read = match ServerName::near(name) {
                    Some(name) => {
                        McpServerSpec::read(name, &entry, &unset).map_err(|error| error.to_string())
                    }
                    None => Err("its name is not a valid server name".into()),
                };
                Ok(vec![McpServerEntry { flaw: read.err(), ..McpServerEntry::of(name, entry) }])
            }
            Err(error @ McpImportError::Json(_)) => Err(error.to_string()),
        }
    }

    /// Its servers, with variables expanded. Empty if the file is invalid, so that none
    /// of them is started.
    fn specs(&self, places: &HolmPaths) -> Vec<McpServerSpec> {
        let env = |name: &str| std::env::var(name).ok();
        let loader = McpLoader::new(McpTransports::new(), Arc::new(PinFileStore::new(places.pins())), env);
        loader.read(&self.path, &self.bytes).unwrap_or_default()
    }

    /// The project files that its servers start with, by the paths under which they are trusted.
    pub(crate) fn scripts(&self, project: &Path, places: &HolmPaths) -> Result<Vec<PathBuf>, String> {
        let mut scripts = Vec::new();
        for spec in self.specs(places) {
            scripts.extend(scripts_of(&spec, project)?);
        }
        Ok(scripts)
    }

    /// Scripts of the working folder that the user's own servers start, that no entry names by
    /// absolute path, and that are not trusted. In another folder they would be other files.
    pub(crate) fn strays(&self, places: &HolmPaths) -> Vec<PathBuf> {
        let Ok(ledger) = TrustLedger::open(places.trust()) else { return Vec::new() };
        let mut named: Vec<PathBuf> = Vec::new();
        for spec in self.specs(places) {
            let ServerEndpoint::Program(program) = spec.reach else { continue };
            named.extend(program.args.into_iter().chain([program.command]).map(PathBuf::from));
        }
        let is_known = |path: &Path| {
            let bytes = read_plain_within(path, MAX_FILE);
            bytes.is_ok_and(|bytes| ledger.standing(path, &ContentHash::of(&bytes)) == TrustStatus::Trusted)
        };
        let mut strays = self.scripts(&places.work, places).unwrap_or_default();
        strays.retain(|path| !named.contains(path) && !is_known(path));
        strays
    }

    /// The plain files that its servers start with, by their real paths: code, and the files that
    /// the code is given.
    pub(crate) fn files(&self, work: &Path, places: &HolmPaths) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for spec in self.specs(places) {
            let ServerEndpoint::Program(program) = spec.reach else { continue };
            let folder = program.cwd.as_ref().map_or_else(|| work.to_owned(), |cwd| work.join(cwd));
            let command = Some(program.command.as_str()).filter(|command| command.contains('/'));
            let args = program.args.iter().flat_map(|word| {
                let behind = word.split_once('=').map(|(_, value)| value);
                [Some(word.as_str()), behind]
            });
            let words = args.flatten().chain(command).filter(|word| !word.is_empty());
            let real = words.filter_map(|word| folder.join(word).canonicalize().ok());
            files.extend(real.filter(|path| path.is_file()));
        }
        // What an interpreter takes for a word, and what stands in a line for a shell.
        let more = self.scripts(work, places).unwrap_or_default();
        files.extend(more.iter().filter_map(|path| path.canonicalize().ok()));
        files.sort();
        files.dedup();
        files
    }
}

/// The project files that a server starts with. A file that the server may write by its exact name
/// is data, not code.
fn scripts_of(spec: &McpServerSpec, project: &Path) -> Result<Vec<PathBuf>, String> {
    let ServerEndpoint::Program(program) = &spec.reach else { return Ok(Vec::new()) };
    let project = project.canonicalize().map_err(|error| format!("{}: {error}", project.shown()))?;
    let folder = spec.starts_in(&project).unwrap_or_else(|| project.clone());
    // Wherever it starts: a program that is named by a path is looked for from the project.
    let command = match project.join(&program.command).to_str() {
        Some(whole) if program.command.contains('/') => whole.to_owned(),
        Some(_) => program.command.clone(),
        None => return Err("the project's path is not valid UTF-8".to_owned()),
    };
    let line = std::iter::once(&command).chain(&program.args).map(String::as_str);
    let granted: Vec<String> = spec.grants.iter().map(ToString::to_string).collect();
    let is_data = |path: &Path| {
        let below = path.strip_prefix(&project).unwrap_or(path);
        [path, below].iter().any(|path| granted.contains(&format!("write:{}", path.display())))
    };
    let mut scripts = started(&project, &folder, line)?;
    scripts.retain(|path| !is_data(path));
    Ok(scripts)
}

/// Checks that the user trusts the current content of every project file that this server starts
/// with. `lead` is the file of the server.
pub(crate) fn check(spec: &McpServerSpec, lead: &Path, places: &HolmPaths) -> Result<(), String> {
    let ledger = TrustLedger::open(places.trust()).map_err(|error| error.to_string())?;
    for path in scripts_of(spec, &places.work)? {
        let shown = path.shown();
        let bytes = read_plain_within(&path, MAX_FILE).map_err(|error| format!("{shown}: {error}"))?;
        let what = match ledger.standing(&path, &ContentHash::of(&bytes)) {
            TrustStatus::Trusted => continue,
            TrustStatus::Changed => "changed since you trusted it",
            TrustStatus::Unknown => "is not trusted",
        };
        let command = trusting(lead, &path, places);
        return Err(format!("{shown}, which starts it, {what}; review it, then run `{command}`"));
    }
    Ok(())
}

/// The command that trusts a script of a server: together with its entry, or by itself if the
/// server belongs to an agent of agents-exe.
fn trusting(lead: &Path, script: &Path, places: &HolmPaths) -> String {
    let named = if lead.to_string_lossy().ends_with(ENDING) { lead } else { script };
    match named.parent().filter(|folder| *folder != places.project_tools()) {
        Some(folder) => places.typed(&format!("tool trust {}", quoted(&folder.to_string_lossy()))),
        None => places.typed("tool trust"),
    }
}

/// Admits project files that the user trusts. A server is admitted only together with the project
/// files that it starts with. An unchanged entry that starts a changed script counts as changed.
pub(crate) struct ProjectTrustGate {
    trust: TrustGate,
    places: HolmPaths,
}

impl ProjectTrustGate {
    /// For the project that these places are about.
    pub(crate) fn new(places: &HolmPaths) -> Self {
        Self { trust: TrustGate::new(places.trust(), places.work.clone()), places: places.clone() }
    }
}

impl ToolFileGate for ProjectTrustGate {
    fn admits(&self, path: &Path, sha256: &[u8; 32]) -> Result<(), String> {
        self.trust.admits(path, sha256)?;
        if !path.to_string_lossy().ends_with(ENDING) {
            return Ok(());
        }
        let bytes = read_plain(path).map_err(|error| error.to_string())?;
        if ContentHash::of(&bytes).as_bytes() != sha256 {
            return Err("it changed while Holm read it".to_owned());
        }
        let specs = McpEntryFile { path: path.to_owned(), bytes }.specs(&self.places);
        specs.iter().try_for_each(|spec| check(spec, path, &self.places))
    }
}

/// A server entry as it is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct McpServerEntry {
    pub(crate) name: String,
    entry: Value,
    /// Why it cannot be used.
    pub(crate) flaw: Option<String>,
}

impl McpServerEntry {
    /// An entry under the name that it is written with.
    pub(crate) fn of(name: &str, entry: Value) -> Self {
        Self {
            name: ServerName::near(name).map_or_else(|| visible(name), |name| name.to_string()),
            entry,
            flaw: None,
        }
    }

    /// Its command line or its address.
    pub(crate) fn reach(&self) -> String {
        let text = |key: &str| self.entry.get(key).and_then(Value::as_str);
        match text("command") {
            Some(command) => {
                let args = self.entry.get("args").and_then(Value::as_array).into_iter().flatten();
                let words: Vec<&str> =
                    std::iter::once(command).chain(args.filter_map(Value::as_str)).collect();
                visible(&words.join(" "))
            }
            None => {
                let url = ["url", "serverUrl", "httpUrl"].into_iter().find_map(text);
                url.map(visible).unwrap_or_default()
            }
        }
    }

    /// Its members that mean nothing here.
    pub(crate) fn unknown_members(&self) -> Option<String> {
        let spec = McpServerSpec::read(ServerName::near(&self.name)?, &self.entry, &|_| Some(String::new()));
        spec.ok()?.unknown_members()
    }

    /// What it asks for, one thing a line, for the person who decides.
    pub(crate) fn asks(&self) -> Vec<String> {
        let begins = if self.entry.get("command").is_some() { "starts" } else { "reaches" };
        let mut asks = vec![format!("{} {begins} `{}`", self.name, self.reach())];
        let grants = self.entry.get("grants").and_then(Value::as_array).into_iter().flatten();
        asks.extend(grants.filter_map(Value::as_str).map(|grant| format!("asks for {}", visible(grant))));
        if self.entry.get("network").and_then(Value::as_str) == Some("open") {
            asks.push("asks for the whole network".into());
        }
        let variables = ["env", "headers"].into_iter().filter_map(|key| self.entry.get(key)?.as_object());
        for (name, value) in variables.flatten() {
            match value.as_str() {
                Some(value) if value.contains("${") || loads_code(name) => {
                    asks.push(format!("is given {} as {}", visible_line(value), visible_line(name)));
                }
                // The value may be a secret that stands in the file, so only its name is shown.
                Some(_) => asks.push(format!("sets {}", visible_line(name))),
                None => {}
            }
        }
        asks
    }
}

/// Whether a variable decides which code a program loads before its own.
fn loads_code(variable: &str) -> bool {
    const NAMES: [&str; 9] = [
        "PATH",
        "BASH_ENV",
        "ENV",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PERL5OPT",
        "RUBYOPT",
        "JAVA_TOOL_OPTIONS",
        "PYTHONSTARTUP",
    ];
    let is_named = NAMES.iter().any(|name| variable.eq_ignore_ascii_case(name));
    is_named
        || ["LD_", "DYLD_", "PYTHONPATH", "PYTHONHOME", "GIT_"].iter().any(|head| variable.starts_with(head))
}

/// The files of servers, the user's own first.
pub(crate) fn files(places: &HolmPaths) -> Vec<PathBuf> {
    let folders = [places.tools(), places.project_tools()];
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = files.filter(|path| path.to_string_lossy().ends_with(ENDING)).collect();
        files.sort();
        found.extend(files);
    }
    found
}

/// Whether a file is the project's, and not the user's own.
pub(crate) fn is_project(file: &Path, places: &HolmPaths) -> bool {
    !file.starts_with(places.tools())
}

/// Adds every value that a variable inserts into a usable entry to the secrets. Paths of this
/// machine are not secrets, and removing them from texts would only hide what happens.
pub(crate) fn told_to(secrets: SecretRedactor, places: &HolmPaths) -> SecretRedactor {
    let seen: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
    let noted = Arc::clone(&seen);
    let env = move |name: &str| {
        let value = std::env::var(name).ok()?;
        noted.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), value.clone());
        Some(value)
    };
    let loader = McpLoader::new(McpTransports::new(), Arc::new(PinFileStore::new(places.pins())), env);
    for entry in McpEntryFile::admitted(places) {
        // What is wrong with it is said when it is loaded.
        let _ = loader.read(&entry.path, &entry.bytes);
    }
    let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    let is_path = |value: &str| Path::new(value).is_absolute() && Path::new(value).exists();
    let values = seen.into_iter().filter(|(_, value)| !is_path(value));
    values.fold(secrets, |secrets, (name, value)| secrets.know(name, SecretString::from(value)))
}

#[cfg(test)]
mod tests;
