//! Folders in which agents may do nothing by default: those whose path is on the deny list, and
//! those of Holm itself.
//!
//! The deny list matches paths within the workspace. If the workspace is `~/.ssh`, its files have
//! plain names there and match nothing. So the path of the workspace itself is checked here. The
//! list is in `holm-tools/src/root/deny_rules.rs`.

use std::path::{Component, Path, PathBuf};

use holm::grants::FilePath;
use holm_tools::root::DenyRules;

/// Why nothing is allowed by default in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClosedFolder {
    /// Its files are closed to agents by this rule of the deny list: keys, secrets, the inside of
    /// git. No level can be chosen.
    Secret(String),
    /// Other programs obey its files, by this rule. Only a level that was chosen
    /// for such a folder itself counts.
    Protected(String),
    /// Holm stores its own files there. No level can be chosen.
    OfHolm,
}

impl ClosedFolder {
    /// Why the folder is closed, if it is. `of_holm` are Holm's own folders, without links.
    pub(super) fn find(folder: &Path, of_holm: &[HolmFolder]) -> Option<Self> {
        if of_holm.iter().any(|own| own.contains(folder)) {
            return Some(Self::OfHolm);
        }
        let Some(file) = file_in(folder) else {
            return Some(Self::Protected("its path is too long to be checked".into()));
        };
        let rules = DenyRules::usual();
        let secret = rules.reading(&file).or_else(|| divided_rule(folder, "path"));
        let protected = || rules.writing(&file).or_else(|| divided_rule(folder, "write"));
        secret.map(Self::Secret).or_else(|| protected().map(Self::Protected))
    }

    /// Whether no level can be chosen.
    pub(crate) const fn refuses_levels(&self) -> bool {
        match self {
            Self::Secret(_) | Self::OfHolm => true,
            Self::Protected(_) => false,
        }
    }

    /// The reason, as the end of a sentence.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Secret(rule) => format!("this folder is closed to agents (deny list: {rule})"),
            Self::Protected(rule) => {
                format!("other programs run or obey files in this folder (deny list: {rule})")
            }
            Self::OfHolm => "Holm stores its own files in this folder".into(),
        }
    }
}

/// A folder of Holm, and the one folder in it where agents work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HolmFolder {
    pub(super) path: PathBuf,
    pub(super) workspaces: Option<PathBuf>,
}

impl HolmFolder {
    fn contains(&self, folder: &Path) -> bool {
        let is_workspace = self.workspaces.as_ref().is_some_and(|inside| folder.starts_with(inside));
        folder.starts_with(&self.path) && !is_workspace
    }
}

/// A file in the folder, with a path that starts at the root of the machine, because the rules are
/// about relative paths. Characters that no path of a grant has are replaced.
fn file_in(folder: &Path) -> Option<FilePath> {
    let text = folder.to_string_lossy();
    let text: String = text.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    format!("{}/file", text.trim_matches('/')).trim_start_matches('/').parse().ok()
}

/// A rule whose first names end the path of the folder. In `~/.docker`, the rule
/// `.docker/config.json` would not match `config.json`.
fn divided_rule(folder: &Path, kind: &str) -> Option<String> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
        _ => None,
    };
    let names: Vec<String> = folder.components().filter_map(name).collect();
    let rules = DenyRules::of_commands();
    rules.iter().map(ToString::to_string).find(|rule| {
        let pattern = rule.strip_prefix(kind).and_then(|rule| rule.strip_prefix(":**/"));
        let Some(pattern) = pattern else { return false };
        let parts: Vec<String> = pattern.trim_end_matches('/').split('/').map(str::to_lowercase).collect();
        (1..parts.len()).any(|count| names.ends_with(&parts[..count]))
    })
}
