//! Keeps the deny list inside a jail: the kernel decides about names in a call, and a program finds files by itself. And
//! finds the git folders beneath the roots, so that no hook or setting is left there for whoever calls git next.
//!
//! Files that are there when the command starts are hidden or kept read-only. One that appears later was made by the
//! command, or by somebody else meanwhile: that one is not hidden.

use std::fs;
use std::path::{Path, PathBuf};

use holm_grants::{Denials, FilePath, Grant, GrantSet, Request};
use holm_jail::Jail;

use crate::root::Denies;

/// The most entries that are looked at for one command. What lies beyond is hidden whole, folder by folder, or kept
/// read-only where nothing is denied.
const MAX_LOOKED_AT: usize = 300_000;

/// The jail without what the deny list names beneath its roots, and with the git folders there held.
pub(crate) fn hold(mut jail: Jail, workspace: &Path, grants: &GrantSet, denials: &Denials) -> Jail {
    let mut looked_at = 0;
    for root in roots(workspace, grants, denials) {
        let mut open = vec![root];
        while let Some(path) = open.pop() {
            looked_at += 1;
            match standing(&path, workspace, denials) {
                Standing::Hidden => jail = jail.hide(&path),
                _ if looked_at > MAX_LOOKED_AT && denials.is_empty() => jail = jail.protect(&path),
                _ if looked_at > MAX_LOOKED_AT => jail = jail.hide(&path),
                Standing::Fixed => jail = jail.protect(&path),
                Standing::Free if path.is_symlink() => {}
                Standing::Free if path.is_dir() => {
                    let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                    let entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
                    if is_git(&path, &entries) {
                        jail = jail.repository(&path);
                    }
                    open.extend(entries);
                }
                // A submodule or a worktree says here where its git folder is.
                Standing::Free if path.ends_with(".git") => jail = jail.protect(&path),
                Standing::Free => {}
            }
        }
    }
    jail
}

/// Whether git would take a folder for one of its own: by its name, or as a bare one, a submodule's or a worktree's.
fn is_git(folder: &Path, entries: &[PathBuf]) -> bool {
    let has = |name: &str| entries.iter().any(|entry| entry.ends_with(name));
    folder.ends_with(".git") || (has("HEAD") && (has("objects") || has("commondir")))
}

enum Standing {
    Hidden,
    Fixed,
    Free,
}

fn standing(path: &Path, workspace: &Path, denials: &Denials) -> Standing {
    if denials.is_empty() {
        return Standing::Free;
    }
    // Inside the workspace both names of a file count.
    let inside = path.strip_prefix(workspace).ok().and_then(Path::to_str);
    let names = [path.to_str(), inside].into_iter().flatten();
    let names: Vec<FilePath> = names.filter_map(|name| name.parse().ok()).collect();
    // What has no name that a rule could be about is not shown.
    if names.is_empty() && path != workspace {
        return Standing::Hidden;
    }
    let hit = |request: fn(FilePath) -> Request| {
        names.iter().any(|name| {
            let request = request(name.clone());
            denials.iter().any(|rule| rule.hits(&request) && !Denies::is_example(rule, name))
        })
    };
    if hit(Request::Read) {
        Standing::Hidden
    } else if hit(Request::Write) {
        Standing::Fixed
    } else {
        Standing::Free
    }
}

/// The places that the grants open; where nothing is denied, only those for writing.
fn roots(workspace: &Path, grants: &GrantSet, denials: &Denials) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = grants
        .iter()
        .filter_map(|grant| match grant {
            Grant::Write(pattern) => Some(pattern.to_string()),
            Grant::Read(pattern) if !denials.is_empty() => Some(pattern.to_string()),
            _ => None,
        })
        .map(|text| match text.as_str() {
            "**" | "./" | "./**" => workspace.to_owned(),
            other => workspace.join(other.trim_end_matches("/**").trim_end_matches('/')),
        })
        .collect();
    roots.sort();
    roots.dedup();
    let all = roots.clone();
    roots.retain(|root| !all.iter().any(|other| other != root && root.starts_with(other)));
    roots
}
