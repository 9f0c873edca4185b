//! Finds the scripts of a project that its hooks or servers name, and checks their content. If a
//! script changes, the command that runs it counts as changed too. Commands are split into words in
//! `words.rs`; whether a file is trusted is decided in `file.rs` and `trust/`.
//!
//! It must name too many files rather than too few: an extra path costs a useless check, while a
//! missing one would not be checked. A word that only a shell could resolve, and that may be a file
//! of the project, is an error.

use holm_kernel::visible_line;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    os::unix::fs::MetadataExt as _,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{
    HookFileError, HookRunError,
    words::{HookWord, ShellExpansion, words},
};
use crate::{plain_files::read_plain_within, trust::ContentHash};

/// The largest file that is read: hooks and their scripts are written by hand.
const MOST_BYTES: u64 = 1 << 20;

/// Folders that one command may enter; every word is looked up in each of them.
const MOST_FOLDERS: usize = 64;

/// The files that Python starts in a given folder, and those that it finds for the
/// name of a module.
const OF_PYTHON: ModuleFileNames =
    ModuleFileNames { inside: &["__main__.py", "__init__.py"], endings: &["py"], parts: Some('.') };

/// The same of the programs that run JavaScript.
const OF_NODE: ModuleFileNames = ModuleFileNames {
    inside: &["index.js", "index.cjs", "index.mjs", "index.ts", "package.json"],
    endings: &["js", "cjs", "mjs", "ts"],
    parts: None,
};

/// Folders in the name of a module; no real module is nested so deeply.
const MOST_PARTS: usize = 16;

/// The file names that an interpreter tries for a word that is not a complete file name.
#[derive(Clone, Copy)]
struct ModuleFileNames {
    inside: &'static [&'static str],
    endings: &'static [&'static str],
    /// The separator between the folders in the name of a module, for interpreters
    /// that have such names.
    parts: Option<char>,
}

/// A script, with the content that a person reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HookScript {
    project: PathBuf,
    path: PathBuf,
    /// The commands that name it.
    lines: Vec<String>,
    seen: ScriptContent,
}

/// What a person has reviewed at the path of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ScriptContent {
    Content(Arc<[u8]>, ContentHash),
    /// There was no file. A file that is created later was not reviewed.
    Nothing,
    /// The present content was not reviewed, or the file is missing: a hook that names it blocks.
    Other,
}

/// Identifies a file, so that a replacement or a change of it is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScriptStamp {
    device: u64,
    number: u64,
    changed: (i64, i64),
}

impl HookScript {
    /// Its path and its reviewed content hash, if it existed.
    pub(super) fn seen(&self) -> Option<(PathBuf, ContentHash)> {
        Some((self.place(), self.hash()?))
    }

    /// Where it would lie.
    pub(super) fn place(&self) -> PathBuf {
        self.project.join(&self.path)
    }

    fn hash(&self) -> Option<ContentHash> {
        match &self.seen {
            ScriptContent::Content(_, hash) => Some(*hash),
            ScriptContent::Nothing | ScriptContent::Other => None,
        }
    }

    /// Whether a command surely means a file by it that is not there. Other words may be anything.
    pub(super) fn is_missed(&self) -> bool {
        // As a command writes it, not as it is displayed.
        let path = self.path.display();
        let ways = ["./", "$HOLM_PROJECT_DIR/", "${HOLM_PROJECT_DIR}/"].map(|way| format!("{way}{path}"));
        let named = |line: &String| ways.iter().any(|way| line.contains(way.as_str()));
        self.hash().is_none() && self.lines.iter().any(named)
    }

    /// The same script, marked as not reviewed.
    pub(super) fn shut(self) -> Self {
        Self { seen: ScriptContent::Other, ..self }
    }

    /// Whether its present content was not reviewed.
    pub(super) fn is_shut(&self) -> bool {
        self.seen == ScriptContent::Other
    }

    /// Whether a command names it.
    pub(super) fn is_of(&self, line: &str) -> bool {
        self.lines.iter().any(|own| own == line)
    }

    /// Checks that it still has the reviewed content, if the command names it.
    pub(super) fn check(&self, line: &str) -> Result<(), HookRunError> {
        if !self.is_of(line) {
            return Ok(());
        }
        let whole = self.place();
        let same = match &self.seen {
            ScriptContent::Nothing => !whole.is_file(),
            ScriptContent::Content(_, hash) => {
                read(&whole).is_ok_and(|bytes| ContentHash::of(&bytes) == *hash)
            }
            ScriptContent::Other => false,
        };
        if same { Ok(()) } else { Err(self.changed()) }
    }

    /// The error for a script that has changed.
    pub(super) fn changed(&self) -> HookRunError {
        HookRunError::Changed { path: self.path.clone() }
    }

    /// The stamp of the present file, if one was reviewed.
    pub(super) fn stamp(&self) -> Option<ScriptStamp> {
        self.hash()?;
        let data = std::fs::metadata(self.place()).ok()?;
        let (device, number, changed) = (data.dev(), data.ino(), (data.ctime(), data.ctime_nsec()));
        Some(ScriptStamp { device, number, changed })
    }

    /// The reviewed content, for the process that runs it.
    pub(super) fn content(&self) -> Option<(PathBuf, Arc<[u8]>)> {
        match &self.seen {
            ScriptContent::Content(bytes, _) => Some((self.place(), Arc::clone(bytes))),
            ScriptContent::Nothing | ScriptContent::Other => None,
        }
    }
}

impl fmt::Display for HookScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", visible_line(&self.path.to_string_lossy()))?;
        self.hash().map_or(Ok(()), |hash| write!(f, " ({hash})"))
    }
}

/// The files of a project that are words of these commands, and files that could be
/// created under such names.
pub(super) fn named<'a>(
    project: &HookProject,
    lines: impl Iterator<Item = &'a str>,
) -> Result<Vec<HookScript>, HookFileError> {
    let mut found: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for line in lines {
        for path in project.paths(line)? {
            let lines = found.entry(path).or_default();
            if lines.last().is_none_or(|last| last != line) {
                lines.push(line.to_owned());
            }
        }
    }
    let mut scripts = Vec::new();
    for (path, lines) in found {
        let whole = project.real.join(&path);
        let seen = if whole.is_file() {
            let bytes = read(&whole).map_err(|error| HookFileError::Unreadable {
                reason: format!("{}: {error}", visible_line(&path.to_string_lossy())),
            })?;
            let hash = ContentHash::of(&bytes);
            ScriptContent::Content(bytes.into(), hash)
        } else {
            ScriptContent::Nothing
        };
        scripts.push(HookScript { project: project.real.clone(), path, lines, seen });
    }
    Ok(scripts)
}

/// The existing files of a project with which a program is started. These are the files that the
/// words of its command line name, whole or in pieces, from its start folder. They include what an
/// interpreter would load for such a word. Words that only a shell could expand are skipped.
///
/// # Errors
///
/// Why the files cannot be determined.
pub fn started<'a>(
    project: &Path,
    folder: &Path,
    line: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<PathBuf>, String> {
    let real = project
        .canonicalize()
        .map_err(|error| format!("{}: {error}", visible_line(&project.to_string_lossy())))?;
    let project = HookProject { real, given: project.to_owned() };
    let mut all = Vec::new();
    for text in line {
        if text.contains(|sign: char| sign.is_whitespace() || ";|&()<>".contains(sign)) {
            // It may be a line for a shell.
            let inner = words(text, &project.real).ok_or("its command line is nested too deeply")?;
            all.extend(inner.into_iter().map(|word| HookWord { unknown: None, ..word }));
        }
        all.push(HookWord { text: text.to_owned(), unknown: None });
    }
    let below = folder.to_str().and_then(|folder| project.below(Path::new(""), folder));
    let start = below.unwrap_or_else(|| folder.to_owned());
    let paths = project.paths_of(&all, start).map_err(|_| "its command line names too many folders")?;
    let whole: BTreeSet<PathBuf> = paths.into_iter().map(|path| project.real.join(path)).collect();
    // From a folder elsewhere a word may lead elsewhere too.
    let is_own = |path: &PathBuf| path.starts_with(&project.real) && path.is_file();
    Ok(whole.into_iter().filter(is_own).collect())
}

/// The folder in which commands start.
pub(super) struct HookProject {
    /// Without links in its path.
    pub(super) real: PathBuf,
    /// The path as the caller gave it, which a command may use too.
    pub(super) given: PathBuf,
}

impl HookProject {
    /// The paths below the project that a command may mean. This includes more than a shell would.
    /// An extra path costs a useless check, while a missing path would not be checked.
    fn paths(&self, line: &str) -> Result<Vec<PathBuf>, HookFileError> {
        let refused = |word: &str| HookFileError::UnknownPath { word: word.to_owned() };
        let all = words(line, &self.real).ok_or_else(|| refused(line))?;
        self.paths_of(&all, PathBuf::new()).map_err(|word| refused(word.unwrap_or(line)))
    }

    /// The same for words that are used in this folder below the project. The error is the word
    /// that cannot be resolved, or `None` if all words together name too many paths.
    fn paths_of<'a>(&self, all: &'a [HookWord], start: PathBuf) -> Result<Vec<PathBuf>, Option<&'a str>> {
        let kin = kin(all);
        let has_modules = kin.iter().any(|kin| kin.parts.is_some());
        let (mut found, mut folders, mut enters) = (Vec::new(), vec![start], false);
        for word in all {
            if self.is_unclear(word) || (enters && word.unknown.is_some()) {
                return Err(Some(word.text.as_str()));
            }
            for text in word.pieces().chain(attached(&word.text).filter(|_| has_modules)) {
                for path in folders.iter().filter_map(|folder| self.below(folder, text)).collect::<Vec<_>>() {
                    let whole = self.real.join(&path);
                    if (whole.is_dir() || enters) && !folders.contains(&path) {
                        folders.push(path.clone());
                    }
                    if !enters {
                        found.extend(kin.iter().flat_map(|kin| kin.of(&path)));
                    }
                    if whole.is_file() || (!whole.is_dir() && !enters && could_name(text)) {
                        // With links and `..`, the real file may differ from the one
                        // that the names suggest.
                        let real = whole.canonicalize().ok();
                        let real = real.and_then(|real| Some(real.strip_prefix(&self.real).ok()?.to_owned()));
                        found.extend(real.filter(|real| *real != path));
                        found.push(path);
                    }
                }
            }
            if folders.len() > MOST_FOLDERS {
                return Err(None);
            }
            enters = matches!(&*word.text, "cd" | "pushd");
        }
        Ok(found)
    }

    /// Whether a word is a path that could be a file of the project, and only the shell that runs
    /// it could tell which.
    fn is_unclear(&self, word: &HookWord) -> bool {
        let Some((at, unknown)) = word.unknown else { return false };
        let (before, after) = word.text.split_at_checked(at).unwrap_or_default();
        let inside = before.rsplit_once('/').is_some_and(|(folder, _)| {
            self.below(Path::new(""), folder).is_some_and(|path| self.real.join(path).is_dir())
        });
        match unknown {
            ShellExpansion::Value => inside || after.contains('/'),
            ShellExpansion::Names => inside,
        }
    }

    /// The path of a word that is used in this folder, if it is below the project.
    fn below(&self, folder: &Path, text: &str) -> Option<PathBuf> {
        if Path::new(text).is_absolute() {
            let whole = plain(Path::new(text))?;
            let bases = [&self.real, &self.given];
            return bases.iter().find_map(|base| whole.strip_prefix(base).ok()).map(Path::to_owned);
        }
        plain(&folder.join(text))
    }
}

impl ModuleFileNames {
    /// The files that may be meant by a word which leads to this path. The project itself is every
    /// tool's, and no script.
    fn of(self, path: &Path) -> Vec<PathBuf> {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
        let mut found = self.near(path, name);
        let is_file = self.endings.iter().any(|ending| path.extension().is_some_and(|own| own == *ending));
        let Some(sign) = self.parts.filter(|_| !is_file) else { return found };
        // `a.b` is b in the folder a, whose own code runs first.
        let mut inner = path.parent().unwrap_or(Path::new("")).to_owned();
        for part in name.split(sign).filter(|part| !part.is_empty()).take(MOST_PARTS) {
            inner.push(part);
            found.extend(self.near(&inner, part));
        }
        found
    }

    /// The candidates in a folder of this path, and those with an ending.
    fn near(self, path: &Path, name: &str) -> Vec<PathBuf> {
        let inside = self.inside.iter().map(|inner| path.join(inner));
        let beside = self.endings.iter().map(|ending| path.with_file_name(format!("{name}.{ending}")));
        inside.chain(beside).collect()
    }
}

/// The module of an option such as `-mserver`, which needs no blank before it.
fn attached(text: &str) -> Option<&str> {
    let options = text.strip_prefix('-').filter(|options| !options.starts_with('-'))?;
    options.split_once('m').map(|(_, module)| module).filter(|module| !module.is_empty())
}

/// Which interpreters a command starts, by their names.
fn kin(words: &[HookWord]) -> Vec<ModuleFileNames> {
    let starts = |names: &[&str]| {
        let is_version = |letter: char| letter.is_ascii_digit() || letter == '.';
        let is_one = |text: &str| {
            let name = text.rsplit('/').next().unwrap_or(text);
            names.contains(&name.trim_end_matches(is_version))
        };
        words.iter().any(|word| word.pieces().any(is_one))
    };
    let mut found = Vec::new();
    found.extend(starts(&["python", "pypy", "uv"]).then_some(OF_PYTHON));
    found.extend(starts(&["node", "nodejs", "bun", "deno"]).then_some(OF_NODE));
    found
}

/// Whether a word could be the name of a file that is not there yet; an option could not.
fn could_name(text: &str) -> bool {
    !text.starts_with('-') && text.contains(char::is_alphanumeric)
}

/// A path without `.` and `..`; none if it leads out of where it begins.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(component),
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
        }
    }
    Some(plain)
}

/// Reads a small plain file.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_plain_within(path, MOST_BYTES)
}
