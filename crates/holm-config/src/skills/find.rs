//! Finds skills in the folders of the user and of the project. Whether a project's skill is trusted
//! is decided by the caller (`holm-cli/src/skills.rs`). Links are not followed, because the target
//! of a link can change without a change of any file. Depth and number of folders are bounded.

use std::{
    collections::BTreeMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::SkillDocument;
use crate::{ConfigLayer, find::config_folder, read_plain};

/// The file name of a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// The most folders that are searched: more were not put there for skills.
pub const MOST_FOLDERS: usize = 2_000;

/// How deep a skill may be nested in a skill folder.
const MOST_DEPTH: usize = 4;

/// The skill folders of a project and of a home; a later one wins.
const PLACES: [&str; 3] = [".claude/skills", ".agents/skills", ".holm/skills"];

/// The folders that are searched for skills.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillFolders {
    folders: Vec<(PathBuf, ConfigLayer)>,
}

/// A skill that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillCandidate {
    pub folder: PathBuf,
    pub owner: ConfigLayer,
    /// The content of its file; empty if the file is too large.
    pub bytes: Vec<u8>,
    /// The parsed skill, or why it cannot be used.
    pub skill: Result<SkillDocument, String>,
}

impl SkillFolders {
    /// The user's folders, then the project's, which win.
    pub fn of(work: &Path, env: impl Fn(&str) -> Option<String>) -> Self {
        let home = env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let mut folders = Vec::new();
        for subfolder in PLACES {
            folders.extend(home.as_ref().map(|home| (home.join(subfolder), ConfigLayer::User)));
        }
        folders.extend(config_folder(&env).map(|folder| (folder.join("skills"), ConfigLayer::User)));
        // If the user works in their home folder, its skills are their own, not a project's.
        let is_home = home.as_deref() == Some(work);
        folders.extend(
            PLACES.iter().filter(|_| !is_home).map(|subfolder| (work.join(subfolder), ConfigLayer::Project)),
        );
        Self { folders }
    }

    /// Adds a folder of a project, which wins over earlier ones.
    #[must_use]
    pub fn and(mut self, folder: PathBuf) -> Self {
        self.folders.push((folder, ConfigLayer::Project));
        self
    }

    /// All folders, whether they exist or not.
    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(|(folder, _)| folder.as_path())
    }

    /// The skills by name, with all candidates for each name: the last usable one wins. An
    /// unreadable skill gets the name of its folder.
    #[must_use]
    pub fn find(&self) -> BTreeMap<String, Vec<SkillCandidate>> {
        let (mut found, mut left) = (BTreeMap::new(), MOST_FOLDERS);
        for (folder, owner) in &self.folders {
            walk(folder, *owner, MOST_DEPTH, &mut left, &mut found);
        }
        found
    }
}

fn walk(
    folder: &Path,
    owner: ConfigLayer,
    depth: usize,
    left: &mut usize,
    found: &mut BTreeMap<String, Vec<SkillCandidate>>,
) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    // Links are not followed: the target of a link can change without a change of any file.
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders {
        if *left == 0 {
            return;
        }
        *left -= 1;
        match read_plain(&folder.join(SKILL_FILE)) {
            Ok(bytes) => {
                let text = str::from_utf8(&bytes).map_err(|_| "it is not UTF-8 text".to_owned());
                let skill =
                    text.and_then(|text| SkillDocument::parse(text).map_err(|error| error.to_string()));
                let name = skill.as_ref().map_or_else(|_| name_of(&folder), |skill| skill.name.clone());
                found.entry(name).or_default().push(SkillCandidate { folder, owner, bytes, skill });
            }
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                let (name, skill) = (name_of(&folder), Err(error.to_string()));
                let large = SkillCandidate { folder, owner, bytes: Vec::new(), skill };
                found.entry(name).or_default().push(large);
            }
            Err(_) if depth > 1 => walk(&folder, owner, depth - 1, left, found),
            Err(_) => {}
        }
    }
}

fn name_of(folder: &Path) -> String {
    folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
