//! The programs that the user has beside the system's: the folders of their `PATH`, and what
//! the programs there need.
//!
//! Of a toolchain's folder only the parts that programs need are opened, by name: beside them lie
//! registry tokens, keys and other people's data. A folder in the workspace is never on the `PATH`:
//! what a model writes there must not pass for a program of the system's or the user's.
//!
//! It starts nothing; `setup.rs` adds what it finds to a jail. A new manager of programs is a row
//! of `MANAGERS`, with only the parts that programs need.
//!
//! Secrets are kept out by `root/deny_rules.rs`; the command itself is run in `tool.rs`.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use holm_grants::{AccessRequest, FilePath};
use holm_jail::Jail;

use super::rule_index::RuleIndex;
use crate::root::DenyRules;

/// Where the system keeps programs, first found first taken.
pub(super) const SYSTEM_PATH: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// What commands see of the system anyway.
const SYSTEM_FOLDERS: [&str; 5] = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];
/// Folders whose entries are programs with all that belongs to them.
const PROGRAM_FOLDERS: [&str; 3] = ["/opt", "/snap", "/home/linuxbrew"];
/// The most links of one folder that are followed.
const MAX_LINKS: usize = 512;
/// The most files of settings that are hidden.
const MAX_HIDDEN: usize = 10_000;
/// The most programs of one folder that are opened one by one: each is a mount.
const MAX_PROGRAMS: usize = 128;
/// The largest file of settings that is looked at.
const MAX_SETTINGS_BYTES: u64 = 256 * 1024;

/// A folder that a manager of programs keeps in a home: its name, the parts that programs need, and
/// the variable by which its programs find it.
struct ToolchainManager {
    name: &'static str,
    parts: &'static [&'static str],
    variable: Option<&'static str>,
}

const fn manager(
    name: &'static str,
    parts: &'static [&'static str],
    variable: Option<&'static str>,
) -> ToolchainManager {
    ToolchainManager { name, parts, variable }
}

/// What programs need of rustup's folder.
const RUSTUP: &[&str] = &["toolchains", "settings.toml"];
/// What programs need of a folder with one program in several versions.
const VERSIONS: &[&str] = &["versions", "shims", "bin", "libexec", "completions", "version"];
/// What programs need of a folder into which they were installed.
const PREFIX: &[&str] = &["bin", "sbin", "lib", "lib64", "libexec", "include", "share", "pyvenv.cfg"];
/// Files and folders of settings beside programs, in which users keep tokens, and how deep they lie
/// below an opened folder.
const SETTINGS: &[&str] = &[
    "etc",
    "pip.conf",
    ".npmrc",
    "npmrc",
    ".condarc",
    "settings.xml",
    ".env",
    ".netrc",
    ".git",
    "conda-meta",
];
const MAX_SETTINGS_DEPTH: usize = 4;

const MANAGERS: &[ToolchainManager] = &[
    // Not `credentials.toml`, and not `git`: the addresses of its repositories may hold tokens.
    // Settings are opened if they hold none.
    manager(".cargo", &["bin", "registry"], None),
    manager("cargo", &["bin", "registry"], None),
    manager(".rustup", RUSTUP, Some("RUSTUP_HOME")),
    manager("rustup", RUSTUP, Some("RUSTUP_HOME")),
    manager(".nvm", &["versions", "alias", "nvm.sh", "nvm-exec"], Some("NVM_DIR")),
    manager(".pyenv", VERSIONS, Some("PYENV_ROOT")),
    manager(".rbenv", VERSIONS, Some("RBENV_ROOT")),
    manager(".nodenv", VERSIONS, Some("NODENV_ROOT")),
    manager(".goenv", VERSIONS, Some("GOENV_ROOT")),
    manager(".asdf", &["installs", "shims", "bin", "lib", "asdf.sh"], Some("ASDF_DATA_DIR")),
    manager(".volta", &["bin", "tools"], Some("VOLTA_HOME")),
    manager(".sdkman", &["candidates"], Some("SDKMAN_DIR")),
    manager(".fnm", &["node-versions", "aliases"], None),
    manager(".ghcup", &["bin", "ghc", "hls"], None),
    manager(".elan", &["bin", "toolchains", "settings.toml"], Some("ELAN_HOME")),
    manager(".juliaup", &["bin"], None),
    manager(".bun", &["bin"], None),
    manager(".deno", &["bin"], None),
    manager(".dotnet", &["dotnet", "host", "sdk", "shared", "tools"], Some("DOTNET_ROOT")),
    manager("miniconda3", PREFIX, None),
    manager("anaconda3", PREFIX, None),
    manager("miniforge3", PREFIX, None),
    manager(".npm-global", &["bin", "lib"], None),
    // Not all of `share`: keyrings and passwords lie there.
    manager(
        ".local",
        &[
            "bin",
            "lib",
            "pipx",
            "share/pipx",
            "share/uv/python",
            "share/uv/tools",
            "share/fnm/node-versions",
            "share/mise/installs",
        ],
        None,
    ),
];

/// Opens the parts of its toolchain that a user's program needs: a package runner starts other
/// programs of the folder that it lies in. `named` is its path on the `PATH`, `real` its file.
pub fn open_toolchain(
    jail: Jail,
    user_path: impl IntoIterator<Item = PathBuf>,
    workspace: &Path,
    named: &Path,
    real: &Path,
) -> Jail {
    let home = std::env::home_dir();
    UserToolchains::find(user_path, home.as_deref(), workspace).add_program(jail, named, real)
}

/// The folders of a user's `PATH` as commands have them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UserToolchains {
    /// The folders of `PATH` without links, the system's among them.
    path: Vec<PathBuf>,
    /// What is opened, to read and to start.
    roots: Vec<PathBuf>,
    /// What is not shown of that. The first command looks for it: a run without commands need not.
    hidden: Arc<OnceLock<Vec<PathBuf>>>,
    /// Variables by which programs find their folders.
    variables: Vec<(OsString, OsString)>,
    /// Where cargo keeps what it has downloaded.
    cargo: Option<PathBuf>,
}

impl UserToolchains {
    /// The toolchains of a user with this home, for commands in this workspace. Looks
    /// at the file system.
    pub(super) fn find(
        path: impl IntoIterator<Item = PathBuf>,
        home: Option<&Path>,
        workspace: &Path,
    ) -> Self {
        let mut found = Self::default();
        let home = home.and_then(|home| home.canonicalize().ok());
        let is_apart = |place: &Path| {
            let holds_home = home.as_ref().is_some_and(|home| home.starts_with(place));
            !holds_home && !workspace.starts_with(place) && !place.starts_with(workspace)
        };
        for folder in path.into_iter().chain(SYSTEM_PATH.map(PathBuf::from)) {
            let real = folder.is_absolute().then(|| folder.canonicalize().ok()).flatten();
            let Some(real) = real.filter(|real| real.is_dir() && is_apart(real)) else { continue };
            if found.path.contains(&real) {
                continue;
            }
            found.open(&real, home.as_deref());
            found.path.push(real);
        }
        found.roots.retain(|root| is_apart(root));
        found.roots.sort();
        found.roots.dedup();
        let all = found.roots.clone();
        found.roots.retain(|root| !all.iter().any(|other| other != root && root.starts_with(other)));
        found
    }

    /// What is not shown of the opened folders.
    fn hidden(&self) -> &[PathBuf] {
        self.hidden.get_or_init(|| {
            let denials = DenyRules::of_commands();
            let rules = RuleIndex::new(&denials);
            let mut found = Vec::new();
            for root in &self.roots {
                find_settings(root, MAX_SETTINGS_DEPTH, &rules, &mut found);
            }
            found
        })
    }

    /// The value of `PATH`.
    pub(super) fn path(&self) -> &[PathBuf] {
        &self.path
    }

    /// The file of a program's name; it may be a link, whose name says what it does.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            return None;
        }
        self.path.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    /// Whether commands can start a program that lies here.
    pub(super) fn opens(&self, program: &Path) -> bool {
        let system = SYSTEM_FOLDERS.iter().any(|folder| program.starts_with(folder));
        system || self.roots.iter().any(|root| program.starts_with(root))
    }

    /// Opens everything to a command.
    pub(super) fn add_to(&self, jail: Jail) -> Jail {
        let jail = self.roots.iter().filter(|root| root.exists()).fold(jail, Jail::exec);
        let jail = self.hidden().iter().fold(jail, Jail::hide);
        let jail = self.variables.iter().fold(jail, |jail, (name, value)| jail.env(name, value));
        // Its folders are read-only, so rustup must not prepare to install anything.
        let has_rustup = self.variables.iter().any(|(name, _)| name == "RUSTUP_HOME");
        if has_rustup { jail.env("RUSTUP_AUTO_INSTALL", "0") } else { jail }
    }

    /// Opens the parts that one program needs: those of its own toolchain, and of no other.
    pub(super) fn add_program(&self, jail: Jail, program: &Path, real: &Path) -> Jail {
        let tops: Vec<PathBuf> = [program, real].into_iter().flat_map(toolchain_of).collect();
        let is_own = |path: &Path| tops.iter().any(|top| path.starts_with(top));
        let roots = self.roots.iter().filter(|root| is_own(root) && root.exists());
        let jail = roots.fold(jail, Jail::exec);
        let jail = self.hidden().iter().fold(jail, Jail::hide);
        let variables = self.variables.iter().filter(|(_, value)| is_own(Path::new(value)));
        variables.fold(jail, |jail, (name, value)| jail.env(name, value))
    }

    /// Where cargo finds what the user has downloaded. It cannot be written, so it is of use
    /// without a network alone.
    pub(super) fn cargo(&self) -> Option<&Path> {
        self.cargo.as_deref()
    }

    fn open(&mut self, folder: &Path, home: Option<&Path>) {
        if let Some((top, manager)) = managed(folder) {
            self.open_manager(&top, manager);
            if !self.roots.iter().any(|root| folder.starts_with(root)) {
                self.roots.extend(programs_in(folder));
            }
            return;
        }
        if SYSTEM_FOLDERS.iter().any(|system| folder.starts_with(system)) {
            // Other folders of the system's can be read already, and are opened to be started.
            if !SYSTEM_PATH.iter().any(|known| folder == Path::new(known)) {
                self.roots.push(folder.to_owned());
            }
            return;
        }
        if folder.starts_with("/nix/store") {
            self.roots.push("/nix/store".into());
            return;
        }
        let is_own = home.is_some_and(|home| folder.starts_with(home));
        let of_programs = PROGRAM_FOLDERS.iter().any(|place| folder.starts_with(place));
        if of_programs && !is_own {
            self.open_parts(&install_folder(folder), PREFIX);
        }
        // Of other folders the programs alone: what else lies there is not for commands.
        self.roots.extend(programs_in(folder));
        self.follow_links(folder);
    }

    fn open_parts(&mut self, top: &Path, parts: &[&str]) {
        self.roots.extend(parts.iter().filter_map(|part| top.join(part).canonicalize().ok()));
    }

    fn open_manager(&mut self, top: &Path, manager: &ToolchainManager) {
        self.open_parts(top, manager.parts);
        self.variables.extend(manager.variable.map(|name| (name.into(), top.into())));
        if manager.name.ends_with("cargo") {
            self.cargo = Some(top.to_owned());
            self.roots.extend(Some(top.join("config.toml")).filter(|file| holds_no_token(file)));
            // What looks like a compiler there is a stand-in for one of rustup's.
            let sibling = top.with_file_name(manager.name.replace("cargo", "rustup"));
            if let Ok(rustup) = sibling.canonicalize() {
                self.variables.push(("RUSTUP_HOME".into(), rustup.clone().into()));
                self.open_parts(&rustup, RUSTUP);
            }
        }
        if manager.name == ".local" {
            self.follow_links(&top.join("bin"));
        }
    }

    /// Opens the programs that links in a folder lead to, with their virtual environment
    /// where there is one.
    fn follow_links(&mut self, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        for link in links.take(MAX_LINKS) {
            let Ok(program) = link.path().canonicalize() else { continue };
            if !is_program(&program) || SYSTEM_FOLDERS.iter().any(|system| program.starts_with(system)) {
                continue;
            }
            let environment = program.ancestors().nth(2).filter(|place| place.join("pyvenv.cfg").is_file());
            match environment {
                Some(environment) => self.open_parts(environment, PREFIX),
                None => self.roots.push(program),
            }
        }
    }
}

/// The programs of a folder, as far as they are files of it.
fn programs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|entry| entry.path()).filter(|path| is_program(path)).take(MAX_PROGRAMS).collect()
}

/// Whether a path is a file that can be started: keys and notes are not.
fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Finds settings below a folder that is opened, not far below: farther down lie libraries. The sources
/// that cargo downloads are not searched: they are thousands of folders without settings of the user, and
/// builds need them whole.
fn find_settings(folder: &Path, depth: usize, rules: &RuleIndex, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_settings =
            name.to_str().is_some_and(|name| SETTINGS.contains(&name) || is_secret(rules, name));
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_settings && found.len() < MAX_HIDDEN {
            found.push(entry.path());
        } else if is_folder && depth > 1 && !(name == "src" && folder.ends_with("registry")) {
            find_settings(&entry.path(), depth - 1, rules, found);
        }
    }
}

/// Whether the deny list hides entries of this name.
fn is_secret(rules: &RuleIndex, name: &str) -> bool {
    let about = rules.about(Some(name));
    let path = if about.is_empty() { None } else { name.parse::<FilePath>().ok() };
    path.is_some_and(|path| {
        let request = AccessRequest::Read(path.clone());
        about.iter().any(|rule| rule.hits(&request) && !DenyRules::is_example(rule, &path))
    })
}

/// The manager's folder that a folder lies in.
fn managed(folder: &Path) -> Option<(PathBuf, &'static ToolchainManager)> {
    folder.ancestors().find_map(|place| {
        let name = place.file_name()?;
        let manager = MANAGERS.iter().find(|manager| name == manager.name)?;
        Some((place.to_owned(), manager))
    })
}

/// The folders of the toolchain that a program belongs to.
fn toolchain_of(program: &Path) -> Vec<PathBuf> {
    let Some(folder) = program.parent() else { return Vec::new() };
    if let Some((top, manager)) = managed(folder) {
        let sibling = manager.name.ends_with("cargo").then(|| manager.name.replace("cargo", "rustup"));
        let rustup = sibling.and_then(|name| top.with_file_name(name).canonicalize().ok());
        return std::iter::once(top).chain(rustup).collect();
    }
    let environment = program.ancestors().nth(2).filter(|place| place.join("pyvenv.cfg").is_file());
    let of_programs = PROGRAM_FOLDERS.iter().any(|place| folder.starts_with(place));
    let installed = of_programs.then(|| install_folder(folder));
    let store = folder.starts_with("/nix/store").then(|| PathBuf::from("/nix/store"));
    environment.map(Path::to_owned).into_iter().chain(installed).chain(store).collect()
}

/// The folder in which a program was installed, with what lies beside its `bin`.
fn install_folder(folder: &Path) -> PathBuf {
    let parent = folder.parent().filter(|_| folder.ends_with("bin"));
    let is_one = |place: &&Path| !PROGRAM_FOLDERS.iter().any(|top| *place == Path::new(top));
    parent.filter(is_one).unwrap_or(folder).to_owned()
}

/// Whether a file of settings is there and names no token.
fn holds_no_token(file: &Path) -> bool {
    let is_small = file.metadata().is_ok_and(|data| data.is_file() && data.len() <= MAX_SETTINGS_BYTES);
    let is_plain = file.symlink_metadata().is_ok_and(|data| !data.is_symlink());
    let names_none = |text: String| {
        let text = text.to_ascii_lowercase();
        !["token", "secret", "password", "key", "proxy", "[env]", "@"].iter().any(|word| text.contains(word))
    };
    is_small && is_plain && fs::read_to_string(file).is_ok_and(names_none)
}

#[cfg(test)]
mod tests;
