//! The settings that hold in this folder: which files they come from, and who may say what, is [`holm_config`]'s business;
//! whether a person has looked at the project's file is the ledger's.

use std::path::Path;

use holm_config::{ConfigError, Layers, Loaded, Settings, read_plain};
use holm_tools::trust::{ContentHash, Ledger, Linked, Standing, place};

use crate::{
    exit::{Exit, Trouble},
    places::Places,
    screen::Screen,
};

/// What was found for this folder.
pub(crate) struct Here {
    /// What the files say.
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

    /// Refuses to go on where somebody trusted the project's file and it is another now: what it forbade would be open.
    ///
    /// # Errors
    /// What has changed, and how to go on.
    pub(crate) fn check(&self, places: &Places) -> Result<(), Trouble> {
        let Some((path, why)) = &self.loaded.inert else { return Ok(()) };
        let ledger = Ledger::open(places.trust()).map_err(|error| {
            Trouble::new(Exit::Failed, format!("nobody can tell what is trusted: {error}"))
        })?;
        // A link that lies where somebody trusted a file is a change of that file.
        let named = place(&places.work, path).unwrap_or_else(|linked| linked.path);
        if !ledger.knows(&named) {
            return Ok(());
        }
        let message = format!("the settings of {} hold here, and now: {why}", path.display());
        Err(Trouble::new(Exit::NoAnswer, message)
            .hint("`holm config trust` shows the file and asks you; `holm config forget` goes on without it"))
    }

    /// What holds with these flags. That the project's file is not used is told.
    pub(crate) fn settle(self, flags: Settings, screen: &Screen) -> Settings {
        if let Some(note) = self.inert() {
            screen.note(&format!("holm: {note}"));
        }
        self.loaded.layers.settle(flags)
    }

    /// Why the project's file is not used, if it is not.
    pub(crate) fn inert(&self) -> Option<String> {
        let (path, why) = self.loaded.inert.as_ref()?;
        Some(format!("the settings of {} do nothing: {}", path.display(), hinted(why)))
    }
}

/// That no run begins here, and why not, on one line.
pub(crate) fn no_run(trouble: &Trouble) -> String {
    format!("no run begins here: {}", trouble.to_string().replace("\n  hint: ", "; "))
}

/// What a person tells all agents, and the project as far as a person has trusted its files; and which are not heard.
pub(crate) fn guides(places: &Places) -> (Vec<String>, Vec<String>) {
    let (mut texts, mut notes) = (Vec::new(), Vec::new());
    match holm_config::own_guidance(|name| std::env::var(name).ok()) {
        Ok(Some((path, text))) => texts.push(format!("What {} says:\n\n{}", path.display(), text.trim())),
        Ok(None) => {}
        Err(error) => notes.push(format!("what you tell agents is not heard: {error}; {}", error.fix())),
    }
    for path in holm_config::guides(&places.work) {
        let shown = path.display();
        match read_plain(&path).map_err(|error| error.to_string()) {
            Ok(bytes) => match admitted(places, &path, &bytes) {
                Ok(()) => {
                    texts.push(format!("What {shown} says:\n\n{}", String::from_utf8_lossy(&bytes).trim()));
                }
                Err(why) => {
                    notes.push(format!("what {shown} says is not heard: {}", hinted(&why)));
                }
            },
            Err(why) => notes.push(format!("what {shown} says is not heard: {why}")),
        }
    }
    (texts, notes)
}

/// A file that cannot be used, in the command's words.
pub(crate) fn refused(error: &ConfigError) -> Trouble {
    Trouble::new(Exit::Usage, error.to_string()).hint(error.fix())
}

/// Why a file is not used, with what a person can do; there is nothing to do about a link but to put a file in its place.
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
        Standing::Changed => Err("it has changed since somebody trusted it".into()),
        Standing::Unknown => Err("nobody has trusted it".into()),
    }
}
