//! Runs a server program in a jail and talks to it over its standard streams. The jail gets what
//! the entry grants. Deny rules and records of changes are added in `server_job.rs`; messages are
//! read in `lines.rs`. The check of the caller runs before every start, because the program may
//! have changed. A hint may name only places that the entry names, because others would tell
//! whether a file exists.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use holm_grants::{FilePath, Grant};
use holm_jail::{Jail, JailLimits, JailNetwork, JobKiller};
use holm_tools::root::DenyRules;
use holm_tools::shell::open_toolchain;
use holm_tools::trust::ContentHash;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::error::cut;
use super::server_job::ServerJob;
use super::transports::ProgramPath;
use super::{NamedFileAccess, ProgramSettings, RemoteServerError, network};
use crate::{McpServerSpec, ServerProgram};

/// How many bytes of error output are kept. The end of it becomes part of the error message
/// when the server dies.
const KEPT: usize = 2 * 1024;
/// Servers live as long as a session. This limit ends those that are never closed.
const LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How long to wait for the final error output of a server that ended.
const FAREWELL: Duration = Duration::from_secs(2);

/// A running server. Dropping it ends the server and all its child processes.
pub(crate) struct ServerProcess {
    killer: JobKiller,
    words: ServerStderr,
    /// Closed when all error output has been read.
    drained: watch::Receiver<()>,
}

/// The last error output of a server.
#[derive(Clone, Default)]
pub(crate) struct ServerStderr {
    kept: Arc<Mutex<VecDeque<u8>>>,
    /// The files and folders that a hint may mention: those that the entry names, and the
    /// workspace. A hint about other paths would reveal to the reader whether they exist.
    known: Arc<Vec<PathBuf>>,
    /// The virtual environment that the program's interpreter belongs to.
    packages: Option<PathBuf>,
    /// Where the interpreter of that virtual environment is installed.
    installation: Option<PathBuf>,
    network: JailNetwork,
    /// Whether the server reported a missing network that its entry does not grant.
    needs_network: Arc<watch::Sender<bool>>,
}

impl ServerStderr {
    fn add(&self, chunk: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(chunk.iter().skip(chunk.len().saturating_sub(KEPT)));
        let over = kept.len().saturating_sub(KEPT);
        kept.drain(..over);
        let may_complain = self.network != JailNetwork::Open && !*self.needs_network.borrow();
        if may_complain && network::is_missed(&String::from_utf8_lossy(kept.make_contiguous())) {
            self.needs_network.send_replace(true);
        }
    }

    /// A hint about a missing grant, as far as the error output shows one.
    fn hint(&self, output: &str) -> String {
        if *self.needs_network.borrow() {
            return format!("; {}", network::HINT);
        }
        let packages = || {
            let misses = output.contains("No module named") || output.contains("ModuleNotFoundError");
            self.packages.as_ref().filter(|_| misses).map(|folder| format!("read:{}/**", folder.display()))
        };
        // The shell that starts a link reports an error if the link leads nowhere.
        let installation = || {
            let misses = output.lines().any(|line| line.contains("exec: ") && line.ends_with(": not found"));
            self.installation
                .as_ref()
                .filter(|_| misses)
                .map(|folder| format!("read:{}/**", folder.display()))
        };
        let missed = missed(output, &self.known).or_else(packages).or_else(installation);
        missed.map(|grant| format!("; it may need the grant {grant}")).unwrap_or_default()
    }

    /// The last error output for a message; empty if the server wrote nothing.
    pub(crate) fn last(&self) -> String {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let output = String::from_utf8_lossy(kept.make_contiguous());
        let text = cut(output.trim());
        let hint = self.hint(&output);
        if text.is_empty() { text } else { format!("; its last words: {text}{hint}") }
    }
}

/// Finds a file that exists outside the jail, and that the server reports as missing or unreadable.
/// Returns the grant for it. Only known places count.
fn missed(output: &str, known: &[PathBuf]) -> Option<String> {
    const COMPLAINTS: [&str; 5] =
        ["No such file", "Permission denied", "ENOENT", "EACCES", "Cannot find module"];
    let complains = |line: &&str| COMPLAINTS.iter().any(|complaint| line.contains(complaint));
    let ends = |character: char| character.is_whitespace() || "'\"`(),<>=[]".contains(character);
    let named = |line: &'_ str| -> Vec<String> {
        let words = line.split(ends).map(|word| word.trim_end_matches([':', '.', ';']));
        let paths: Vec<String> = words.filter(|word| word.starts_with('/')).map(str::to_owned).collect();
        // If a line starts with one path and names another, the complaint is about the second.
        let speaker = usize::from(line.starts_with('/') && paths.len() > 1);
        paths.into_iter().skip(speaker).collect()
    };
    let mut paths = output.lines().filter(complains).flat_map(named);
    let is_known = |path: &Path| {
        let plain = !path.components().any(|part| part == Component::ParentDir);
        plain && known.iter().any(|known_folder| path.starts_with(known_folder))
    };
    let path = paths.find(|word| is_known(Path::new(word)) && Path::new(word).exists())?;
    let folder = if Path::new(&path).is_dir() && !path.ends_with('/') { "/" } else { "" };
    Some(format!("read:{}{folder}", cut(&path)))
}

impl ServerProcess {
    /// Starts the program and returns its streams.
    pub(crate) async fn start(
        programs: &ProgramSettings,
        spec: &McpServerSpec,
        program: &ServerProgram,
    ) -> Result<(Self, Receiver, Sender), RemoteServerError> {
        let not = |reason: String| RemoteServerError::NotStarted(reason);
        if let Some(check) = programs.check.clone() {
            // This reads files, which must not block the async threads.
            let spec = spec.clone();
            let checked = tokio::task::spawn_blocking(move || (check.0)(&spec)).await;
            checked.unwrap_or_else(|error| Err(error.to_string())).map_err(not)?;
        }
        let found = programs
            .find(&program.command)
            .ok_or_else(|| not(format!("{} was not found", cut(&program.command))))?;
        let jail = jail(programs, spec, program, &found.real).map_err(not)?;
        let jail = with_own_folders(jail, programs, spec, program, &found).await.map_err(not)?;
        let task = found.task(&programs.workspace, &spec.grants);
        let task = task.args(program.args.iter().map(OsString::from)).piped_input();
        let mut open = named_files(programs, program);
        open.push(found.real.clone());
        let mut held = ServerJob::start(programs, &jail, &spec.grants, open, &task).await.map_err(not)?;
        let job = &mut held.job;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (job.take_stdin(), job.take_stdout(), job.take_stderr())
        else {
            return Err(not("its streams are closed".into()));
        };
        let words = ServerStderr {
            known: Arc::new(known(programs, program)),
            packages: found.virtual_environment().map(Path::to_owned),
            installation: found.installation().map(Path::to_owned),
            network: program.network,
            ..ServerStderr::default()
        };
        let (draining, drained) = watch::channel(());
        let draining = Arc::new(draining);
        tokio::spawn(drain(stderr, words.clone(), Arc::clone(&draining)));
        let killer = job.killer();
        // A task must wait for the end, or the job would be killed at once. Notes about leftover
        // files follow the server's own output.
        let ending = words.clone();
        tokio::spawn(async move {
            held.finish().await.iter().for_each(|line| ending.add(format!("\n[{line}]").as_bytes()));
            drop(draining);
        });
        Ok((Self { killer, words, drained }, stdout, stdin))
    }

    /// Returns a message when the server has reported a missing network and has not started since.
    pub(crate) async fn needs_network(&self) -> String {
        let mut complained = self.words.needs_network.subscribe();
        // The sender is closed only with `words`, which this value holds.
        let _ = complained.wait_for(|complained| *complained).await;
        sleep(network::GRACE).await;
        format!("it does not start without the network{}", self.words.last())
    }

    /// The complete error output before the server ended.
    pub(crate) async fn last_words(&self) -> String {
        let mut drained = self.drained.clone();
        // Do not wait for a server that keeps writing.
        let _ = timeout(FAREWELL, drained.changed()).await;
        self.words.last()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.killer.kill();
    }
}

/// Reads error output to its end, so that the server never blocks on a full pipe, and
/// keeps the last part.
async fn drain(mut stderr: Receiver, words: ServerStderr, _until_all_is_read: Arc<watch::Sender<()>>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        words.add(buffer.get(..read).unwrap_or_default());
    }
}

/// The jail of a server: its own file, the files that its command line names, system programs, and
/// what its entry grants.
fn jail(
    programs: &ProgramSettings,
    spec: &McpServerSpec,
    program: &ServerProgram,
    path: &Path,
) -> Result<Jail, String> {
    if let Some(grant) = spec.grants.iter().find(|grant| matches!(grant, Grant::Fetch(_))) {
        return Err(format!(
            "{grant} cannot be enforced for a program; write \"network\": \"open\", or \
                            nothing"
        ));
    }
    if programs.offline && program.network == JailNetwork::Open {
        return Err("it asks for an open network, and Holm is offline".into());
    }
    let jail = Jail::from_grants(&programs.workspace, &spec.grants, std::env::vars_os())
        .map_err(|error| error.to_string())?;
    let jail = match spec.starts_in(&programs.workspace) {
        Some(folder) => jail.cwd(folder),
        None => jail,
    };
    let limits = JailLimits { wall: LIFE, cpu: LIFE, ..JailLimits::default() };
    let search = std::env::join_paths(&programs.search).map_err(|error| error.to_string())?;
    let jail = jail
        .read(path)
        .exec(path)
        .exec_system()
        .env("PATH", search)
        .env("LANG", "C.UTF-8")
        .env("NO_COLOR", "1")
        .network(program.network)
        .limits(limits);
    let jail = match program.network {
        // Name resolution and certificates need these files.
        JailNetwork::Open => NET_FILES.iter().filter(|file| Path::new(file).exists()).fold(
            jail,
            |jail, file| match Path::new(file).canonicalize() {
                Ok(real) => jail.read(real),
                Err(_) => jail,
            },
        ),
        // An MCP server connects to hosts of its own choice, and Holm runs no proxy for it.
        JailNetwork::None | JailNetwork::Proxied => jail,
    };
    let jail = match program.network {
        JailNetwork::Open => jail,
        JailNetwork::None | JailNetwork::Proxied => {
            network::OFFLINE.iter().fold(jail, |jail, (name, value)| jail.env(name, value))
        }
    };
    Ok(named_files(programs, program).into_iter().fold(jail, Jail::read))
}

/// Adds what package runners need: the rest of the program's own toolchain, and a home folder, to
/// which they download packages.
async fn with_own_folders(
    jail: Jail,
    programs: &ProgramSettings,
    spec: &McpServerSpec,
    program: &ServerProgram,
    found: &ProgramPath,
) -> Result<Jail, String> {
    let home = programs.homes.as_ref().map(|folder| server_home(folder, &programs.workspace, spec, program));
    let (search, workspace) = (programs.search.clone(), programs.workspace.clone());
    let (found, env) = (found.clone(), program.env.clone());
    // This looks at the file system.
    let added = tokio::task::spawn_blocking(move || {
        let jail = open_toolchain(jail, search, &workspace, &found.named, &found.real);
        let home = home.filter(|home| fs::DirBuilder::new().recursive(true).mode(0o700).create(home).is_ok());
        let home = home.and_then(|home| home.canonicalize().ok());
        let jail = match home {
            // It starts there what it has downloaded.
            Some(home) => jail.write(&home).exec(&home).env("HOME", home),
            None => jail,
        };
        env.iter().fold(jail, |jail, (name, value)| jail.env(name, value))
    });
    added.await.map_err(|error| error.to_string())
}

/// The home folder of a server. Another command line has another one: what a program leaves there
/// would be settings of the next. So has another workspace, if the server has grants: what it
/// learned or was told in one workspace must not act in another.
fn server_home(homes: &Path, workspace: &Path, spec: &McpServerSpec, program: &ServerProgram) -> PathBuf {
    let words = std::iter::once(&program.command).chain(&program.args);
    let mut line: Vec<u8> = words.flat_map(|word| word.bytes().chain([0])).collect();
    if spec.grants.iter().next().is_some() {
        line.extend(workspace.as_os_str().as_encoded_bytes());
    }
    homes.join(spec.name.as_str()).join(ContentHash::of(&line).to_string())
}

/// The plain files that the command line names by absolute path. The author of the command line
/// intends the server to read them. Folders and link targets need a grant: a model that can write
/// could change where a link points.
fn named_files(programs: &ProgramSettings, program: &ServerProgram) -> Vec<PathBuf> {
    let named = program.args.iter().map(Path::new).filter(|path| path.is_absolute() && path.is_file());
    let plain = named.filter(|path| path.canonicalize().is_ok_and(|real| real == **path));
    plain.filter(|path| opens(&programs.named, path)).map(Path::to_owned).collect()
}

/// Whether naming a file is enough to make it readable.
fn opens(named: &NamedFileAccess, path: &Path) -> bool {
    let NamedFileAccess::Within { folder, except } = named else { return true };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Ok(inside) = path.strip_prefix(real(folder)) else { return false };
    let inside = inside.to_str().and_then(|text| text.parse::<FilePath>().ok());
    let is_free = inside.is_some_and(|inside| DenyRules::usual().reading(&inside).is_none());
    is_free && !path.starts_with(real(except))
}

/// The places that a hint may mention.
fn known(programs: &ProgramSettings, program: &ServerProgram) -> Vec<PathBuf> {
    let args = program.args.iter().map(PathBuf::from).filter(|path| path.is_absolute());
    let args = args.filter(|path| path.parent().is_some());
    args.chain([programs.workspace.clone()]).collect()
}

/// Files that a networked program reads to resolve names and to verify certificates.
const NET_FILES: [&str; 4] = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl/certs"];

#[cfg(test)]
mod tests;
