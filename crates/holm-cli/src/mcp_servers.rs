//! Sets up access to MCP servers, and involves the user where needed: for questions of a server at
//! the terminal, and for logins in the browser. The protocol and the connections are in
//! `holm-mcp/src/client/`; which entries are admitted is decided in `mcp_entries.rs`.
//!
//! Programs always start in the jail: without one, only remote servers are reached. Code of a
//! project is checked again at every start, not only when the entry is read. Pins of a project's
//! servers are separate from the user's, because two servers may share a name.

use std::{
    ffi::OsStr,
    fs, io,
    net::TcpListener,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use holm::runtime::BoxFuture;
use holm_jail::{JailEngine, JailLauncher};
use holm_mcp::{
    ElicitationHandler, LoginBrowser, LoginSettings, LoginStore, McpLoader, McpTransports, NamedFileAccess,
    ProgramSettings, ServerAnswer, ServerName, ServerQuestion, ServerQuestionKind, ToolListCache,
};
use holm_net::{HttpClient, TlsConfig};
use holm_tools::registry::{
    LoadResource, PinFileStore, PinStatus, PinStore, PinStoreError, ReloadRequester, ToolFile, ToolLoadError,
    ToolLoader, ToolOffer,
};
use holm_tools::trust::ContentHash;
use serde_json::{Map, Value};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::screen::DisplayablePath as _;
use crate::{
    approve::TerminalApprover,
    holm_paths::HolmPaths,
    mcp_entries::{self, McpEntryFile},
    network_scope::NetworkScope,
    screen::{ScreenQuestion, TerminalOutput},
};

/// How long a file may take to list its tools before a waiting user is told.
const SLOW: Duration = Duration::from_secs(3);
/// How long a person may take to log in.
const LOGIN: Duration = Duration::from_secs(5 * 60);
/// The longest first line of a browser's request: a code, a state and an issuer.
const LONGEST: usize = 16 * 1024;

/// The transports for the servers of a file. Servers of a project start only with code
/// that the user trusts.
pub(crate) fn means(places: &HolmPaths, file: &Path) -> Result<McpTransports, String> {
    if !mcp_entries::is_project(file, places) {
        return reached(places, file, |programs| programs);
    }
    let (lead, within) = (file.to_owned(), places.clone());
    reached(places, file, |programs| programs.checked(move |spec| mcp_entries::check(spec, &lead, &within)))
}

/// The same for servers of an editor: there is no file together with which their
/// code could be trusted.
pub(crate) fn given(places: &HolmPaths, file: &Path) -> Result<McpTransports, String> {
    reached(places, file, |programs| programs)
}

fn reached(
    places: &HolmPaths,
    file: &Path,
    checked: impl FnOnce(ProgramSettings) -> ProgramSettings,
) -> Result<McpTransports, String> {
    let tls = TlsConfig::platform().map_err(|error| error.to_string())?;
    let means = McpTransports::new()
        .net(HttpClient::new(places.bounds.connector(), tls))
        .login(LoginSettings::remembered(logins(places)));
    // Without confinement no program is started; servers elsewhere are reached all the same.
    let Ok(engine) = JailEngine::detect() else { return Ok(means) };
    let programs = ProgramSettings::new(JailLauncher::this_executable(), engine, places.work.clone());
    let programs = programs.search(search(std::env::var_os("PATH").as_deref())).named(named(places, file));
    let programs = checked(programs.homes(homes(places, file)));
    let programs = match places.bounds {
        NetworkScope::Anywhere => programs,
        NetworkScope::ThisMachine => programs.offline(),
    };
    Ok(means.programs(programs))
}

/// Where the servers of a file have their home folders. Two projects may have different servers of
/// the same name, so each has its own folders.
fn homes(places: &HolmPaths, file: &Path) -> PathBuf {
    if mcp_entries::is_project(file, places) {
        let project = ContentHash::of(places.project_tools().as_os_str().as_encoded_bytes());
        places.server_homes().join("projects").join(project.to_string())
    } else {
        places.server_homes().join("own")
    }
}

/// Removes what a server of the user's has downloaded.
pub(crate) fn forget_home(places: &HolmPaths, name: &ServerName) -> io::Result<()> {
    match fs::remove_dir_all(places.server_homes().join("own").join(name.as_str())) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Which files a command line may open by naming them. Only its author knows what a project's file
/// names, so files outside of the project need an explicit grant.
fn named(places: &HolmPaths, file: &Path) -> NamedFileAccess {
    if mcp_entries::is_project(file, places) {
        NamedFileAccess::Within { folder: places.work.clone(), except: places.data.clone() }
    } else {
        NamedFileAccess::Anywhere
    }
}

/// The store of pinned tools for the servers of a file. Servers with one name in different
/// projects, and the user's own, are different servers.
pub(crate) fn pins(places: &HolmPaths, file: &Path) -> Arc<dyn PinStore> {
    let pins = PinFileStore::new(places.pins());
    if mcp_entries::is_project(file, places) {
        Arc::new(ProjectPins { pins, folder: places.project_tools() })
    } else {
        Arc::new(pins)
    }
}

/// The pins of a project's servers.
struct ProjectPins {
    pins: PinFileStore,
    folder: PathBuf,
}

impl PinStore for ProjectPins {
    fn standing(&self, path: &Path, sha256: &[u8; 32]) -> PinStatus {
        self.pins.standing(&self.folder.join(path), sha256)
    }

    fn confirm(&self, path: &Path, sha256: &[u8; 32]) -> Result<(), PinStoreError> {
        self.pins.confirm(&self.folder.join(path), sha256)
    }

    fn knows(&self, path: &Path) -> bool {
        self.pins.knows(&self.folder.join(path))
    }
}

/// The folders in which programs are searched. Version managers put scripts in front of a program
/// that need the whole manager, which no jail has. So folders with the program itself come first.
fn search(path: Option<&OsStr>) -> Vec<PathBuf> {
    let folders = path.into_iter().flat_map(std::env::split_paths);
    let (shims, mut plain): (Vec<PathBuf>, Vec<PathBuf>) =
        folders.partition(|folder| folder.ends_with("shims"));
    plain.extend(shims);
    plain
}

/// Says at a terminal what is waited for, once it takes longer than anybody expects.
pub(crate) async fn told_if_slow<T>(
    path: &Path,
    screen: &TerminalOutput,
    work: impl Future<Output = T>,
) -> T {
    if !TerminalOutput::notes_to_a_person() {
        return work.await;
    }
    let mut work = std::pin::pin!(work);
    match tokio::time::timeout(SLOW, &mut work).await {
        Ok(done) => done,
        Err(_) => {
            screen.note(&format!("holm: waiting for {} to describe itself", path.shown()));
            work.await
        }
    }
}

/// The loader of a `<name>.mcp.json` with these means.
pub(crate) fn loader(places: &HolmPaths, file: &Path, means: McpTransports) -> McpLoader {
    McpLoader::new(means, pins(places, file), |name| std::env::var(name).ok()).known(lists(places))
}

pub(crate) fn logins(places: &HolmPaths) -> LoginStore {
    LoginStore::new(places.logins())
}

/// What servers said when they were last looked at.
pub(crate) fn lists(places: &HolmPaths) -> ToolListCache {
    ToolListCache::new(places.server_lists())
}

/// Loads servers; their transports are set up when the first server is found.
pub(crate) struct McpServerLoader {
    places: HolmPaths,
    /// The user whom servers may ask.
    terminal: Option<TerminalApprover>,
    again: ReloadRequester,
    /// The loader for the user's own files.
    own: OnceLock<Result<McpLoader, String>>,
    /// The loader for the project's files.
    project: OnceLock<Result<McpLoader, String>>,
}

impl McpServerLoader {
    /// The servers of these places. Those that answer late, or change, ask for another look.
    pub(crate) fn new(
        places: &HolmPaths,
        terminal: Option<TerminalApprover>,
        again: &ReloadRequester,
    ) -> Self {
        let (own, project) = (OnceLock::new(), OnceLock::new());
        Self { places: places.clone(), terminal, again: again.clone(), own, project }
    }
}

impl ToolLoader for McpServerLoader {
    fn claims(&self, path: &Path, _head: &[u8]) -> bool {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(".mcp.json"))
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            let is_project = mcp_entries::is_project(found.path, &self.places);
            let made = if is_project { &self.project } else { &self.own };
            let made = made.get_or_init(|| {
                let means = means(&self.places, found.path)?;
                let means = match &self.terminal {
                    Some(terminal) => means.asker(terminal.clone()),
                    None => means,
                };
                Ok(loader(&self.places, found.path, means).again(&self.again))
            });
            let loader = made.as_ref().map_err(ToolLoadError::unavailable)?;
            let mut offers = loader.load(found).await?;
            if let Some(first) = offers.first_mut().filter(|_| !is_project) {
                let entry = McpEntryFile { path: found.path.to_owned(), bytes: found.bytes.to_vec() };
                first.notes.extend(entry.strays(&self.places).iter().map(|path| stray(path)));
            }
            Ok(offers)
        })
    }

    fn takes(&self) -> LoadResource {
        LoadResource::Patience
    }
}

/// A warning about code that the user's own server loads from the current folder.
fn stray(path: &Path) -> String {
    let path = path.shown();
    format!(
        "it would start with {path}, because the entry has no absolute path, and you have not trusted \
         that file"
    )
}

impl ElicitationHandler for TerminalApprover {
    fn ask(&self, question: ServerQuestion) -> BoxFuture<'static, ServerAnswer> {
        if let Some(person) = self.elsewhere() {
            return person.fill_in(question);
        }
        let asked = self.when_free(ScreenQuestion::default(), move |screen| fill_in(screen, &question));
        Box::pin(async move { asked.await.flatten().unwrap_or(ServerAnswer::Cancelled) })
    }
}

/// Shows a server's question and reads the answers. None if the person goes away.
fn fill_in(screen: &TerminalOutput, question: &ServerQuestion) -> Option<ServerAnswer> {
    let said = question.message.lines().collect::<Vec<_>>().join("\n    ");
    screen.end_line();
    screen.note(&format!("\nthe server {} asks: {said}", question.server));
    let fields = match &question.wanted {
        ServerQuestionKind::Visit(url) => {
            screen.note(&format!("  open this page yourself if you want to: {url}"));
            None
        }
        ServerQuestionKind::Form(schema) => schema.get("properties").and_then(Value::as_object),
    };
    if !matches!(screen.question("  answer it? [y/N] ")?.trim(), "y" | "Y" | "yes") {
        return Some(ServerAnswer::Declined);
    }
    let mut given = Map::new();
    for (name, field) in fields.into_iter().flatten() {
        let default = field.get("default").map(|value| format!(" [{value}]")).unwrap_or_default();
        let line = screen.question(&format!("  {name}{default}: "))?;
        if let Some(value) = value(line.trim(), field) {
            given.insert(name.clone(), value);
        }
    }
    Some(ServerAnswer::Given(given))
}

/// What a line means for a field; nothing is no answer.
pub(crate) fn value(line: &str, field: &Value) -> Option<Value> {
    if line.is_empty() {
        return None;
    }
    let plain = match field.get("type").and_then(Value::as_str) {
        Some("integer" | "number" | "boolean" | "array") => serde_json::from_str(line).ok(),
        _ => None,
    };
    Some(plain.unwrap_or_else(|| Value::from(line)))
}

/// Logs in by the person's own browser, which comes back to a port of this machine.
pub(crate) fn login(places: &HolmPaths, screen: &Arc<TerminalOutput>) -> io::Result<LoginSettings> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let back = LoginCallback { listener: Arc::new(listener), port, screen: Arc::clone(screen) };
    Ok(LoginSettings::new(back).keep(logins(places)))
}

struct LoginCallback {
    listener: Arc<TcpListener>,
    port: u16,
    screen: Arc<TerminalOutput>,
}

impl LoginBrowser for LoginCallback {
    fn comes_back_to(&self) -> String {
        format!("http://127.0.0.1:{}/callback", self.port)
    }

    fn visit(&self, url: String) -> BoxFuture<'static, Result<String, String>> {
        self.screen.note(&format!("holm: log in here, in your browser:\n  {url}"));
        let (listener, back) = (self.listener.try_clone(), self.comes_back_to());
        Box::pin(async move {
            let came = tokio::time::timeout(LOGIN, came_back(listener, &back)).await;
            let came = came.map_err(|_| "no user logged in".to_owned())?;
            came.map_err(|error| error.to_string())
        })
    }
}

/// Waits for the browser; all other requests get an error page.
async fn came_back(listener: io::Result<TcpListener>, back: &str) -> io::Result<String> {
    let listener = tokio::net::TcpListener::from_std(listener?)?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        let mut head = vec![0; LONGEST];
        let read = stream.read(&mut head).await?;
        let head = String::from_utf8_lossy(head.get(..read).unwrap_or_default()).into_owned();
        let target = head.strip_prefix("GET /callback?").and_then(|rest| rest.split_once(' '));
        let (status, text) = match target {
            Some(_) => ("200 OK", "You can close this page."),
            None => ("404 Not Found", "Not found."),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
            text.len()
        );
        stream.write_all(answer.as_bytes()).await?;
        if let Some((query, _)) = target {
            return Ok(format!("{back}?{query}"));
        }
    }
}

#[cfg(test)]
mod tests;
