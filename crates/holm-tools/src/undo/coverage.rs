//! Which paths of a workspace the undo of a command covers. Confined commands cannot write what the
//! deny list names, so those paths are left out: secrets are not copied into the store, and an undo
//! never brings back a file that everyday tools run and that Holm has disabled meanwhile. An
//! unconfined command can write all of it, so all of it is covered, except Holm's own folder.

use std::path::{Path, PathBuf};

use holm_grants::{AccessRequest, Denial, DenialSet, FilePath};
use holm_undo::{Coverage, TreePath};

use super::UndoStore;
use crate::{root::DenyRules, shell::RuleIndex};

/// Holm's own folder in a project.
const OWN_FOLDER: &str = ".holm";

/// What images around a command cover. `denials` are the rules that hold for it;
/// none if nothing confines it.
pub(crate) fn command_coverage(undo: &UndoStore, workspace: &Path, denials: Option<&DenialSet>) -> Coverage {
    let rules = RuleIndex::new(denials.unwrap_or(&DenialSet::default()));
    let workspace = workspace.to_owned();
    let excluded = move |path: &TreePath, _: bool| {
        path.as_path() == Path::new(OWN_FOLDER) || is_denied(&rules, &workspace, path)
    };
    Coverage::default().exclude(excluded).leave_out(undo.folder())
}

fn is_denied(rules: &RuleIndex, workspace: &Path, path: &TreePath) -> bool {
    // A name that is not text is in no rule.
    let Some(text) = path.as_path().to_str() else { return false };
    let rules = rules.about(path.as_path().file_name().and_then(|name| name.to_str()));
    if rules.is_empty() {
        return false;
    }
    let whole: PathBuf = workspace.join(path.as_path());
    let names = [Some(text), whole.to_str()].into_iter().flatten();
    let names: Vec<FilePath> = names.filter_map(|name| name.parse().ok()).collect();
    let hits = |rule: &Denial, name: &FilePath| {
        let is_hit =
            rule.hits(&AccessRequest::Read(name.clone())) || rule.hits(&AccessRequest::Write(name.clone()));
        is_hit && !DenyRules::is_example(rule, name)
    };
    rules.iter().any(|rule| names.iter().any(|name| hits(rule, name)))
}
