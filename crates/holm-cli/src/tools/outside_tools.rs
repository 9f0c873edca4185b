//! Sets up the tools that reach outside of the process: commands in a jail, and pages and searches
//! of the web. The tools are in `holm-tools/src/shell/`, `holm-tools/src/fetch/` and
//! `holm-tools/src/search/`.
//!
//! Without a jail there are no command tools, unless the user asked for that with `--unconfined`.
//! Commands never see the data folder, and of the environment only a few variables; unconfined ones
//! see all except those that may hold secrets. A tool that is not available becomes a note.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use holm::grants::GrantSet;
use holm::runtime::{SecretString, Toolbox};
use holm_jail::{JailEngine, JailLauncher};
use holm_net::{HttpClient, TlsConfig};
use holm_tools::{
    fetch::FetchTool,
    root::DenyRules,
    search::{SearchService, WebSearchTool},
    shell::{
        CommandRules, SessionFolderKey, SessionFolders, WorkspaceShell, keep_command_markers,
        settle_killed_commands,
    },
};

use crate::{
    folder_trust::is_of_holm,
    holm_paths::{self, HolmPaths, home_of},
    protected_paths::ProtectedPaths,
};

/// Names the search service: `brave`, `tavily`, or the address of a `SearXNG` instance.
const SEARCH: &str = "HOLM_SEARCH";
/// The key of the search service.
const SEARCH_KEY: &str = "HOLM_SEARCH_KEY";
/// Variables that commands see, where they are set: what language and time people have.
const SEEN: [&str; 4] = ["LANG", "LC_ALL", "TZ", "USER"];

/// Folders in a home where programs lie that may not be on the `PATH`.
const ELSEWHERE: [&str; 7] =
    [".cargo/bin", ".local/bin", ".pyenv/shims", ".bun/bin", ".deno/bin", "go/bin", "bin"];
/// Folders in a home with one folder for each version of a program, and where programs lie in that.
const VERSIONS_ELSEWHERE: [(&str, &str); 3] = [
    (".nvm/versions/node", "bin"),
    (".fnm/node-versions", "installation/bin"),
    (".local/share/fnm/node-versions", "installation/bin"),
];
/// Parts of the names of variables that hold secrets.
const SECRET_NAMES: [&str; 12] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "COOKIE",
    "WEBHOOK",
    "CONNECTION_STRING",
    "BEARER",
    "DOCKER_AUTH",
];
/// Last words of such names. `SSH_AUTH_SOCK` and `XAUTHORITY` are not among them: they hold paths,
/// without which `ssh` and programs with a window do not work, and a command that nothing confines
/// finds the files anyway.
const SECRET_LAST_WORDS: [&str; 9] = ["PASS", "PWD", "PW", "PAT", "AUTH", "DSN", "JWT", "CRED", "CREDS"];
/// Ends of such names without a line before them, as in `SSHPASS`.
const SECRET_ENDS: [&str; 2] = ["PASS", "PWD"];
/// Names with such an end that hold no secret.
const PLAIN_NAMES: [&str; 4] = ["PWD", "OLDPWD", "BYPASS", "COMPASS"];

/// Whether a jail confines commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandConfinement {
    /// The strongest confinement that the machine supports; without any, there
    /// are no command tools.
    Required,
    /// None, because the user asked for it explicitly.
    None,
}

/// The tools, and notes about missing ones.
#[derive(Debug, Default)]
pub(crate) struct OutsideTools {
    pub(crate) tools: Toolbox,
    pub(crate) notes: Vec<String>,
    /// Service keys that the run must treat as secrets.
    pub(crate) keys: Vec<(String, SecretString)>,
    /// Where long outputs of commands are, for the tools that read files.
    pub(crate) outputs: Option<PathBuf>,
    /// The folders of commands; none without a shell.
    pub(crate) folders: Option<SessionFolders>,
}

impl OutsideTools {
    /// All tools that this machine and environment support, without Holm's own data. Protected
    /// files are not written. `unattended` are the grants that are agreed to where no user can be
    /// asked, and `session` names the folders of commands that are used again.
    pub(crate) fn here(
        places: &HolmPaths,
        kept: &ProtectedPaths,
        rules: CommandRules,
        confinement: CommandConfinement,
        unattended: Option<&GrantSet>,
        session: Option<&SessionFolderKey>,
        env: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let mut outside = Self::default();
        keep_command_markers(&places.data);
        match shell(places, kept, rules, confinement, session, &env) {
            Ok(shell) => {
                let shell = match unattended {
                    Some(agreed) => shell.unattended(agreed.clone()),
                    None => shell,
                };
                outside.folders = Some(shell.folders());
                outside.outputs = shell.output_folder().map(Path::to_owned);
                outside.tools =
                    std::mem::take(&mut outside.tools).with(shell.script_tool()).with(shell.argv_tool());
            }
            Err(why) => outside.notes.push(format!("the shell is not available: {why}")),
        }
        let client = match TlsConfig::platform() {
            Ok(tls) => HttpClient::new(places.bounds.connector(), tls),
            Err(why) => {
                outside.notes.push(format!("fetching is not available: {why}"));
                return outside;
            }
        };
        outside.tools = std::mem::take(&mut outside.tools).with(FetchTool::new(client.clone()));
        if let Some(name) = env(SEARCH).filter(|name| !name.is_empty()) {
            let key = env(SEARCH_KEY).filter(|key| !key.is_empty()).map(SecretString::from);
            outside.keys.extend(key.clone().map(|key| ("search".to_owned(), key)));
            match search(client, &name, key) {
                Ok(tool) => outside.tools = std::mem::take(&mut outside.tools).with(tool),
                Err(why) => outside.notes.push(format!("web search is not available: {SEARCH}: {why}")),
            }
        }
        outside
    }
}

impl OutsideTools {
    /// Checks what commands in this folder left whose Holm was killed, and notes what it found.
    pub(crate) fn after_killed_commands(mut self, places: &HolmPaths) -> Self {
        let left = settle_killed_commands(&places.data, &places.work);
        self.notes.extend(left.iter().map(|line| format!("a command was interrupted here; {line}")));
        self
    }

    /// With the tools that work on this machine's files, or a word about why there are none.
    pub(crate) fn and(mut self, native: anyhow::Result<Toolbox>) -> Self {
        match native {
            Ok(native) => self.tools = native.join(self.tools),
            Err(why) => self.notes.push(format!("the file tools are not available: {why}")),
        }
        self
    }
}

fn shell(
    places: &HolmPaths,
    kept: &ProtectedPaths,
    rules: CommandRules,
    confinement: CommandConfinement,
    session: Option<&SessionFolderKey>,
    env: &impl Fn(&str) -> Option<String>,
) -> Result<WorkspaceShell, String> {
    let (workspace, data) = (&*places.work, &*places.data);
    if is_of_holm(places) {
        return Err("Holm stores its own files in this folder; work in another folder".into());
    }
    let engine = match confinement {
        CommandConfinement::Required => JailEngine::detect().map_err(|error| error.to_string())?,
        CommandConfinement::None => JailEngine::Unconfined,
    };
    let shell = WorkspaceShell::resumed(JailLauncher::this_executable(), engine, workspace, session)
        .map_err(|error| error.to_string())?;
    let home = home_of(env);
    let folders: Vec<_> = env("PATH").iter().flat_map(std::env::split_paths).collect();
    let elsewhere: Vec<_> = home.iter().flat_map(|home| programs_elsewhere(home)).collect();
    let shell = shell.rules(rules).path(folders, home.as_deref()).search(elsewhere);
    let shell = shell.denials(kept.of_commands()).hide(data);
    let mut shell = shell.network(places.bounds.connector());
    if let Some(undo) = holm_paths::command_undo(places) {
        shell = shell.undo(undo);
    }
    if confinement == CommandConfinement::None {
        shell = shell.user_environment(std::env::vars_os().filter(|(name, value)| !is_secret(name, value)));
    }
    let inside =
        home.filter(|home| workspace.canonicalize().is_ok_and(|workspace| home.starts_with(workspace)));
    if let Some(home) = inside {
        // Kept from being made too, where the person's home is what commands work in.
        shell = DenyRules::startup().fold(shell, |shell, name| shell.protect(home.join(name)));
    }
    let seen = SEEN.iter().filter_map(|name| env(name).map(|value| (*name, value)));
    Ok(seen.fold(shell, |shell, (name, value)| shell.env(name, value)))
}

/// Folders of programs in a home, of each version manager the newest version first.
fn programs_elsewhere(home: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = ELSEWHERE.map(|folder| home.join(folder)).into();
    for (top, programs) in VERSIONS_ELSEWHERE {
        let entries = std::fs::read_dir(home.join(top)).into_iter().flatten().flatten();
        let mut versions: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        versions.sort_by_key(|version| std::cmp::Reverse(version_numbers(version)));
        folders.extend(versions.into_iter().map(|version| version.join(programs)));
    }
    folders
}

/// The numbers in the name of a version, such as 20, 11 and 1 in `v20.11.1`.
fn version_numbers(version: &Path) -> Vec<u64> {
    let name = version.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split(|letter: char| !letter.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// Whether a variable of the user's holds a secret: by its name, or as an address with a password
/// in it. What belongs to Holm is kept too.
fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let (name, value) = (name.to_string_lossy().to_ascii_uppercase(), value.to_string_lossy());
    let has_password = value.split_once("://").is_some_and(|(_, rest)| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        host.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
    });
    let last = name.rsplit('_').next().unwrap_or_default();
    let has_end = SECRET_LAST_WORDS.contains(&last) || SECRET_ENDS.iter().any(|end| last.ends_with(end));
    // `DB_PWD` holds a password, and `PWD` a folder.
    let has_end = has_end && (!PLAIN_NAMES.contains(&last) || (last == "PWD" && last != name));
    name.starts_with("HOLM_")
        || SECRET_NAMES.iter().any(|part| name.contains(part))
        || has_end
        || has_password
}

fn search(client: HttpClient, name: &str, key: Option<SecretString>) -> Result<WebSearchTool, String> {
    let service = match name {
        "brave" => SearchService::brave(),
        "tavily" => SearchService::tavily(),
        address => SearchService::searxng(address).map_err(|error| error.to_string())?,
    };
    WebSearchTool::new(client, service, key).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
