//! The effective settings of this folder. [`holm_config`] decides which files they come from and
//! which file may set what; the ledger records whether the user reviewed the project's file.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use holm_config::{ConfigError, Layers, Loaded, PROJECT_FILE, Settings, read_plain};
use holm_tools::trust::{ContentHash, Ledger, Linked, Standing, place};

use crate::screen::ShownPath as _;
use crate::{
    exit::{Exit, Trouble},
    places::Places,
    screen::Screen,
};

/// The settings of a folder.
pub(crate) struct Here {
    /// The content of the files.
    pub(crate) loaded: Loaded,
}

impl Here {
    /// Reads everything. The project's file counts if a person has trusted it as it is now.
    ///
    /// # Errors
    /// The first file that cannot be used, with its line and what to do.
    pub(crate) fn find(places: &Places) -> Result<Self, Trouble> {
        let env = |name: &str| std::env::var(name).ok();
        let loaded = Layers::load(&places.found(), |path, bytes| admitted(places, path, bytes), env);
        Ok(Self { loaded: loaded.map_err(|error| refused(&error))? })
    }

    /// Refuses to continue if the project's trusted file has changed or is gone: what it
    /// forbade would be allowed.
    ///
    /// # Errors
    /// What has changed, and how to continue.
    pub(crate) fn check(&self, places: &Places) -> Result<(), Trouble> {
        self.broken(places).map_or(Ok(()), |(_, trouble)| Err(trouble))
    }

    /// The same, with the file.
    pub(crate) fn broken(&self, places: &Places) -> Option<(PathBuf, Trouble)> {
        let ledger = match Ledger::open(places.trust()) {
            Ok(ledger) => ledger,
            Err(error) => {
                let message = format!("cannot read which files are trusted: {error}");
                return Some((places.trust(), Trouble::new(Exit::Failed, message)));
            }
        };
        let refused = |path: &Path, why: &str, hint: &str| {
            let message = format!("the settings of {} apply here, but {why}", path.shown());
            Some((path.to_owned(), Trouble::new(Exit::NoAnswer, message).hint(hint)))
        };
        if let Some((path, why)) = gone(places, &ledger).first() {
            return refused(path, why, BACK);
        }
        // A link in place of a trusted file is a change of that file.
        let was_trusted = |path: &Path| ledger.knows(&named(places, path));
        let (path, why) = self.loaded.inert.iter().find(|(path, _)| was_trusted(path))?;
        let hint = "`holm config trust` shows the file and asks you; `holm config forget` continues \
                    without it";
        refused(path, why, hint)
    }

    /// What holds with these flags. That a file of the project is not used is told.
    pub(crate) fn settle(self, flags: Settings, screen: &Screen) -> Settings {
        for (_, note) in self.inert() {
            screen.note(&format!("holm: {note}"));
        }
        self.loaded.layers.settle(flags)
    }

    /// The files of the project that are not used, and why not.
    pub(crate) fn inert(&self) -> impl Iterator<Item = (&Path, String)> {
        let instead = self.loaded.project.as_ref().map(|path| format!("; {} holds", path.shown()));
        let instead = instead.unwrap_or_default();
        self.loaded.inert.iter().map(move |(path, why)| {
            let why = hinted(&format!("{why}{instead}"));
            (path.as_path(), format!("the settings of {} are not used: {why}", path.shown()))
        })
    }
}

/// What to do where a trusted file is gone.
pub(crate) const BACK: &str = "restore the file; `holm config forget` continues without it";

/// The path under which a file of the project is trusted; of one behind a link, the link.
pub(crate) fn named(places: &Places, path: &Path) -> PathBuf {
    place(&places.work, path).unwrap_or_else(|linked| linked.path)
}

/// The project's settings files, nearest first, up to the first one whose
/// current content is trusted.
pub(crate) fn of_project(places: &Places, ledger: &Ledger) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in places.found().projects() {
        files.push(path.clone());
        if place(&places.work, path).is_ok_and(|named| is_trusted(&named, ledger)) {
            break;
        }
    }
    files
}

/// The places where a settings file was trusted and no plain file is left, nearest first, and what
/// is there now. Places above a file whose current content is trusted do not count.
pub(crate) fn gone(places: &Places, ledger: &Ledger) -> Vec<(PathBuf, &'static str)> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (work, own) = (real(&places.work), places.found().user.as_deref().map(real));
    let mut gone = Vec::new();
    for place in work.ancestors().map(|folder| folder.join(PROJECT_FILE)) {
        if !ledger.knows(&place) || own.as_ref() == Some(&place) {
            continue;
        }
        match missing(&place) {
            Some(why) => gone.push((place, why)),
            None if is_trusted(&place, ledger) => break,
            None => {}
        }
    }
    gone
}

/// Why a place holds no plain file; none where it does, also one that cannot be read.
fn missing(place: &Path) -> Option<&'static str> {
    match fs::symlink_metadata(place) {
        Ok(data) if data.is_file() => None,
        Ok(data) if data.is_symlink() => Some("it is a link, and links are never trusted"),
        Ok(_) => Some("it is no longer a plain file"),
        Err(error) if error.kind() == ErrorKind::NotFound => Some("it no longer exists"),
        Err(_) => Some("it can no longer be read"),
    }
}

fn is_trusted(path: &Path, ledger: &Ledger) -> bool {
    read_plain(path).is_ok_and(|bytes| ledger.standing(path, &ContentHash::of(&bytes)) == Standing::Trusted)
}

/// That no run begins here, and why not, on one line.
pub(crate) fn no_run(trouble: &Trouble) -> String {
    format!("no run can start here: {}", trouble.to_string().replace("\n  hint: ", "; "))
}

/// The instructions for all agents, from the user and from trusted project files, and notes about
/// files that are ignored.
pub(crate) fn guides(places: &Places) -> (Vec<String>, Vec<String>) {
    let (mut texts, mut notes) = (Vec::new(), Vec::new());
    match holm_config::own_guidance(|name| std::env::var(name).ok()) {
        Ok(Some((path, text))) => texts.push(format!("What {} says:\n\n{}", path.shown(), text.trim())),
        Ok(None) => {}
        Err(error) => {
            notes.push(format!("your instructions for agents are not used: {error}; {}", error.fix()))
        }
    }
    for path in holm_config::guides(&places.work) {
        let shown = path.shown();
        match read_plain(&path).map_err(|error| error.to_string()) {
            Ok(bytes) => match admitted(places, &path, &bytes) {
                Ok(()) => {
                    texts.push(format!("What {shown} says:\n\n{}", String::from_utf8_lossy(&bytes).trim()));
                }
                Err(why) => {
                    notes.push(format!("the instructions in {shown} are not used: {}", hinted(&why)));
                }
            },
            Err(why) => notes.push(format!("the instructions in {shown} are not used: {why}")),
        }
    }
    (texts, notes)
}

/// A file that cannot be used, in the command's words.
pub(crate) fn refused(error: &ConfigError) -> Trouble {
    Trouble::new(Exit::Usage, error.to_string()).hint(error.fix())
}

/// Why a file is not used, with a hint. For a link there is no hint except to replace
/// it with a file.
fn hinted(why: &str) -> String {
    if Linked::is_said_in(why) {
        return why.to_owned();
    }
    format!("{why}; `holm config trust` shows it and asks you")
}

/// Whether a person has looked at the project's file as it is now.
fn admitted(places: &Places, path: &Path, bytes: &[u8]) -> Result<(), String> {
    let ledger = Ledger::open(places.trust()).map_err(|error| error.to_string())?;
    let path = place(&places.work, path).map_err(|linked| linked.to_string())?;
    match ledger.standing(&path, &ContentHash::of(bytes)) {
        Standing::Trusted => Ok(()),
        Standing::Changed => Err("it changed since you trusted it".into()),
        Standing::Unknown => Err("you have not trusted it".into()),
    }
}
