//! Finds what a command recorded in a repository at paths that it cannot write itself: in new
//! commits, in an index, and in new work trees.
//!
//! Every new commit counts, not only the last one: a rebase writes the files of each of them. The
//! commits are compared with their first parents, so the cost grows with what is new, and not with
//! the size of the repository. It changes nothing: `git_history_undo.rs` does. If git cannot tell,
//! everything new counts as guarded, because a command can damage a repository.
//!
//! The state before the command is read in `git_snapshot.rs` and stored in `git_history_record.rs`.
//! Which paths are guarded is decided in `guarded_paths.rs`; git is started in `git_plumbing.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::git_history_record::{GitFile, RepositoryRecord};
use super::git_plumbing::{GitPlumbing, GitPlumbingError};
use super::git_snapshot::{GitSnapshot, HELD, REPLACE, is_whole_name};
use super::guarded_paths::{CommandGuards, GuardedPaths, LINK};
use crate::plain_files::read_plain_within;
use crate::root::git::GitFolder;

/// The names of an empty file. Nothing runs in it, and hidden files look like it.
const EMPTY_FILES: [&str; 2] = [
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];
/// The names of an empty tree, by the length of names.
const EMPTY_TREES: [&str; 2] = [
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];
/// The most paths in one call of git.
const MAX_PATHS: usize = 500;
/// The most files of one new work tree that are checked. Of more, none counts as known.
const MAX_FILES: usize = 2_000;
/// The deepest folder in a new work tree that is read.
const MAX_DEPTH: usize = 8;
/// The longest patch that is read.
const MAX_PATCH_BYTES: u64 = 16 * 1024 * 1024;
/// The most paths that are told of one place.
pub(super) const MAX_TOLD: usize = 4;

/// Compares a repository with what it was before a command.
pub(super) struct GitHistoryCheck<'a> {
    pub(super) git: &'a GitPlumbing,
    pub(super) guarded: &'a GuardedPaths<'a>,
    pub(super) guards: &'a CommandGuards,
    /// A second before the command, by a coarse clock.
    pub(super) recently: i64,
    pub(super) record: &'a RepositoryRecord,
    pub(super) after: &'a GitSnapshot,
    /// Commits that the command wrote, also if nothing names them.
    pub(super) commits: &'a BTreeMap<String, PathBuf>,
}

/// What a command recorded at guarded paths.
#[derive(Debug, Default)]
pub(super) struct GitHistoryFindings {
    /// By its name as a place names it, the object that leads there.
    pub(super) objects: HashMap<String, GuardedObject>,
    /// By the file of an index, its entries.
    pub(super) staged: BTreeMap<PathBuf, Vec<GitFile>>,
    /// Files in new work trees, by their full paths.
    pub(super) files: Vec<PathBuf>,
    /// Patches of `git am`, and the paths that they bring.
    pub(super) patches: Vec<(PathBuf, BTreeSet<PathBuf>)>,
    /// Why git could not tell.
    pub(super) unchecked: Option<GitPlumbingError>,
}

/// A commit, or a tree, that holds new content at guarded paths.
#[derive(Debug, Clone, Default)]
pub(super) struct GuardedObject {
    pub(super) object: String,
    /// Some of the paths; none if git could not tell.
    pub(super) paths: BTreeSet<PathBuf>,
}

/// New commits in the order of their history, and the guarded files that each of them brings.
#[derive(Debug, Default)]
struct NewCommits {
    commits: Vec<(String, Vec<String>)>,
    files: HashMap<String, Vec<GitFile>>,
}

impl GitHistoryCheck<'_> {
    /// Finds what is new, in these indexes and in these new work trees too.
    pub(super) fn find(&self, indexes: &[PathBuf], trees: &[GitFolder]) -> GitHistoryFindings {
        let mut findings = GitHistoryFindings { patches: self.patches(), ..GitHistoryFindings::default() };
        let objects = self.new_objects();
        let peeled = self.peeled(&objects, "commit");
        let new = peeled.as_ref().map_err(Clone::clone).and_then(|peeled| self.new_commits(&objects, peeled));
        let staged: Vec<(PathBuf, Result<Vec<GitFile>, GitPlumbingError>)> =
            indexes.iter().map(|index| (index.clone(), self.new_entries(index))).collect();
        let trees = self.files_of_new_trees(trees);
        let in_commits = new.iter().flat_map(|new| new.files.values().flatten());
        let in_indexes = staged.iter().flat_map(|(_, found)| found.iter().flatten());
        let all: BTreeSet<&GitFile> =
            in_commits.chain(in_indexes).chain(trees.iter().map(|(_, file)| file)).collect();
        let known = self.known(&all);
        match (new, peeled) {
            (Ok(new), Ok(peeled)) => findings.objects = new.guarded(&objects, &peeled, &known),
            (Err(error), _) | (_, Err(error)) => {
                let whole = objects.iter().filter(|object| is_whole_name(object));
                let unknown =
                    |object: &String| GuardedObject { object: object.clone(), paths: BTreeSet::new() };
                findings.objects = whole.map(|object| (object.clone(), unknown(object))).collect();
                findings.unchecked = Some(error);
            }
        }
        for (index, found) in staged {
            match found {
                Ok(files) => {
                    let new: Vec<GitFile> =
                        files.into_iter().filter(|file| !is_known(file, &known)).collect();
                    if !new.is_empty() {
                        findings.staged.insert(index, new);
                    }
                }
                Err(_) => drop(findings.staged.insert(index, Vec::new())),
            }
        }
        let new = trees.into_iter().filter(|(_, file)| !is_known(file, &known));
        findings.files = new.map(|(path, _)| path).collect();
        findings
    }

    /// The objects that something names now and that nothing named before.
    fn new_objects(&self) -> Vec<String> {
        let (before, after) = (&self.record.before, self.after);
        let is_new = |name: &&String| {
            !name.starts_with(HELD)
                && !name.starts_with(REPLACE)
                && before.refs.get(*name) != after.refs.get(*name)
        };
        let refs = after.refs.keys().filter(is_new).filter_map(|name| after.object(name).map(str::to_owned));
        let files = [(&after.states, &before.states), (&after.logs, &before.logs)];
        let none = BTreeSet::new();
        let files = files.into_iter().flat_map(|(now, old)| {
            let none = &none;
            now.iter().flat_map(move |(file, names)| names.difference(old.get(file).unwrap_or(none)))
        });
        let mut all: BTreeSet<String> =
            refs.chain(files.cloned()).chain(self.commits.keys().cloned()).collect();
        let tips = before.tips();
        all.retain(|object| !tips.contains(object.as_str()) && object.bytes().any(|byte| byte != b'0'));
        all.into_iter().collect()
    }

    /// What each of these objects leads to, in their order: a commit or a tree.
    fn peeled(&self, objects: &[String], kind: &str) -> Result<Vec<Option<String>>, GitPlumbingError> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let input: String = objects.iter().map(|object| format!("{object}^{{{kind}}}\n")).collect();
        let output = self.git.run(&["cat-file", "--batch-check"], input.as_bytes())?;
        let found: Vec<Option<String>> = String::from_utf8_lossy(&output)
            .lines()
            .map(|line| line.split(' ').next().filter(|name| is_whole_name(name)).map(str::to_owned))
            .collect();
        let is_complete = found.len() == objects.len();
        if is_complete { Ok(found) } else { Err(GitPlumbingError::Failed("an answer is missing".into())) }
    }

    /// The commits that no ref led to before, with the guarded files that they bring.
    fn new_commits(
        &self,
        objects: &[String],
        peeled: &[Option<String>],
    ) -> Result<NewCommits, GitPlumbingError> {
        let mut new = NewCommits::default();
        let tips = self.record.before.tips();
        let starts: BTreeSet<&str> = peeled.iter().flatten().map(String::as_str).collect();
        if !starts.is_empty() {
            let wanted = starts.iter().map(|commit| format!("{commit}\n"));
            let input: String = wanted.chain(tips.iter().map(|tip| format!("^{tip}\n"))).collect();
            let args = ["rev-list", "--stdin", "--topo-order", "--reverse", "--parents", "--ignore-missing"];
            let output = self.git.run(&args, input.as_bytes())?;
            for line in String::from_utf8_lossy(&output).lines() {
                let mut names = line.split(' ').map(str::to_owned);
                if let Some(commit) = names.next() {
                    new.commits.push((commit, names.collect()));
                }
            }
        }
        let mut input: String = String::new();
        for (commit, parents) in &new.commits {
            match parents.first() {
                Some(parent) => input.push_str(&format!("{commit} {parent}\n")),
                None => input.push_str(&format!("{commit}\n")),
            }
        }
        // A ref may also name a tree without a commit.
        let alone: Vec<String> = objects
            .iter()
            .zip(peeled)
            .filter(|(object, commit)| commit.is_none() && is_whole_name(object))
            .map(|(object, _)| object.clone())
            .collect();
        for tree in self.peeled(&alone, "tree")?.into_iter().flatten() {
            input.push_str(&format!("{} {tree}\n", empty_tree(&tree)));
            new.commits.push((tree, Vec::new()));
        }
        new.files = self.brought(&input, &[])?;
        for files in new.files.values_mut() {
            files.retain(|file| self.guarded.covers(&file.path, &file.mode));
        }
        Ok(new)
    }

    /// The files that differ, by the commit or the tree that has them. The lines of the input are
    /// those of `git diff-tree --stdin`.
    fn brought(
        &self,
        input: &str,
        paths: &[&Path],
    ) -> Result<HashMap<String, Vec<GitFile>>, GitPlumbingError> {
        let mut found: HashMap<String, Vec<GitFile>> = HashMap::new();
        if input.is_empty() {
            return Ok(found);
        }
        let args =
            ["--literal-pathspecs", "diff-tree", "--stdin", "-r", "-z", "--root", "-m", "--no-renames"];
        let args = args.iter().map(OsStr::new).chain([OsStr::new("--")]);
        let args = args.chain(paths.iter().map(|path| path.as_os_str()));
        let output = self.git.run_in(&self.record.folder.common, args, input.as_bytes())?;
        let mut key = String::new();
        let mut tokens = output.split(|byte| *byte == 0);
        while let Some(token) = tokens.next() {
            let text = String::from_utf8_lossy(token);
            let Some(entry) = text.strip_prefix(':') else {
                // A commit, perhaps with words after it, or two trees.
                let mut names = text.split(' ').filter(|name| is_whole_name(name));
                key = names.next_back().map_or(key, str::to_owned);
                continue;
            };
            let Some(path) = tokens.next() else { break };
            let mut words = entry.split(' ');
            if let (Some(mode), Some(object)) = (words.nth(1), words.nth(1))
                && mode != "000000"
            {
                let path = Path::new(OsStr::from_bytes(path)).to_owned();
                let file = GitFile { path, mode: mode.to_owned(), object: object.to_owned() };
                found.entry(key.clone()).or_default().push(file);
            }
        }
        Ok(found)
    }

    /// The guarded entries of an index that it did not have before.
    fn new_entries(&self, index: &Path) -> Result<Vec<GitFile>, GitPlumbingError> {
        let own = index.parent().unwrap_or(index);
        let args = ["ls-files", "-s", "-z", "--full-name"].map(OsStr::new);
        let output = self.git.run_in(own, args, b"")?;
        let entry = |token: &[u8]| {
            let end = token.iter().position(|byte| *byte == b'\t')?;
            let head = String::from_utf8_lossy(token.get(..end)?).into_owned();
            let (mode, rest) = head.split_once(' ')?;
            let path = Path::new(OsStr::from_bytes(token.get(end + 1..)?)).to_owned();
            let object = rest.split(' ').next()?.to_owned();
            Some(GitFile { path, mode: mode.to_owned(), object })
        };
        let old = self.record.staged.get(index);
        let entries = output.split(|byte| *byte == 0).filter_map(entry);
        let guarded = entries.filter(|file| self.guarded.covers(&file.path, &file.mode));
        Ok(guarded.filter(|file| !old.is_some_and(|old| old.contains(file))).collect())
    }

    /// Guarded files of new work trees, with their full paths.
    fn files_of_new_trees(&self, trees: &[GitFolder]) -> Vec<(PathBuf, GitFile)> {
        let mut paths: Vec<(PathBuf, PathBuf)> = Vec::new();
        for tree in trees {
            let guarded = GuardedPaths::of(self.guards, tree);
            let files = guarded_files(&guarded, &tree.work_tree).into_iter().filter_map(|file| {
                let inside = file.strip_prefix(&tree.work_tree).ok()?.to_owned();
                Some((file, inside))
            });
            paths.extend(files);
        }
        let hashed = self.hashed(&paths.iter().map(|(file, _)| file.as_path()).collect::<Vec<_>>());
        let recorded = |((file, inside), found): ((PathBuf, PathBuf), Option<(String, String)>)| {
            let (mode, object) = found.unwrap_or_default();
            (file, GitFile { path: inside, mode, object })
        };
        paths.into_iter().zip(hashed).map(recorded).collect()
    }

    /// Patches of `git am` that the command wrote and that bring guarded files.
    fn patches(&self) -> Vec<(PathBuf, BTreeSet<PathBuf>)> {
        let is_patch = |file: &&PathBuf| {
            let is_of_am = file.parent().is_some_and(|folder| folder.ends_with("rebase-apply"));
            let is_recent = || file.symlink_metadata().is_ok_and(|found| found.ctime() >= self.recently);
            is_of_am && is_recent()
        };
        let guarded = |file: &PathBuf| {
            let text = read_plain_within(file, MAX_PATCH_BYTES).ok()?;
            let text = String::from_utf8_lossy(&text).into_owned();
            let heads = ["+++ ", "rename to ", "copy to ", "diff --git "];
            let named = text.lines().filter_map(|line| heads.iter().find_map(|head| line.strip_prefix(head)));
            let paths = named.flat_map(|rest| rest.split([' ', '\t', '"'])).filter(|path| !path.is_empty());
            // Git leaves out the first folder, or none.
            let paths = paths.flat_map(|path| [Some(path), path.split_once('/').map(|(_, rest)| rest)]);
            let found = paths.flatten().map(PathBuf::from).filter(|path| self.guarded.covers(path, LINK));
            let found: BTreeSet<PathBuf> = found.take(MAX_TOLD).collect();
            (!found.is_empty()).then(|| (file.clone(), found))
        };
        self.after.states.keys().filter(is_patch).filter_map(guarded).collect()
    }

    /// The mode and the object that git would record for each of these files.
    fn hashed(&self, files: &[&Path]) -> Vec<Option<(String, String)>> {
        let mut found = vec![None; files.len()];
        let mut plain = Vec::new();
        for (number, file) in files.iter().enumerate().take(MAX_FILES) {
            let Ok(data) = file.symlink_metadata() else { continue };
            if data.is_symlink() {
                let Ok(target) = fs::read_link(file) else { continue };
                let output = self.git.run(&["hash-object", "--stdin"], target.as_os_str().as_bytes());
                let object = output.map(|output| String::from_utf8_lossy(&output).trim().to_owned());
                found[number] = object.ok().map(|object| (LINK.to_owned(), object));
            } else if data.is_file()
                && !file.as_os_str().as_bytes().contains(&b'\n')
                && fs::File::open(file).is_ok()
            {
                let mode = if data.permissions().mode() & 0o100 == 0 { "100644" } else { "100755" };
                plain.push((number, *file, mode));
            }
        }
        if plain.is_empty() {
            return found;
        }
        let mut input = Vec::new();
        for (_, file, _) in &plain {
            input.extend_from_slice(file.as_os_str().as_bytes());
            input.push(b'\n');
        }
        let output =
            self.git.run(&["hash-object", "--no-filters", "--stdin-paths"], &input).unwrap_or_default();
        for ((number, _, mode), object) in plain.iter().zip(String::from_utf8_lossy(&output).lines()) {
            found[*number] = Some(((*mode).to_owned(), object.to_owned()));
        }
        found
    }

    /// The files among these that were the user's before the command.
    fn known(&self, files: &BTreeSet<&GitFile>) -> HashSet<GitFile> {
        let mut known: HashSet<GitFile> = self.record.staged.values().flatten().cloned().collect();
        let open = |known: &HashSet<GitFile>| -> Vec<PathBuf> {
            let paths: BTreeSet<&PathBuf> =
                files.iter().filter(|file| !is_known(file, known)).map(|file| &file.path).collect();
            paths.into_iter().cloned().collect()
        };
        // The jail keeps what was on the disk as it was.
        let paths = open(&known);
        let whole: Vec<PathBuf> = paths.iter().map(|path| self.record.folder.work_tree.join(path)).collect();
        let hashed = self.hashed(&whole.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        for (path, found) in paths.into_iter().zip(hashed) {
            known.extend(found.map(|(mode, object)| GitFile { path, mode, object }));
        }
        let tips: Vec<String> = self.record.before.tips().into_iter().map(str::to_owned).collect();
        for paths in open(&known).chunks(MAX_PATHS) {
            let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
            known.extend(self.in_trees(&tips, &paths).unwrap_or_default());
        }
        for paths in open(&known).chunks(MAX_PATHS) {
            let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
            known.extend(self.in_history(&tips, &paths).unwrap_or_default());
        }
        known
    }

    /// The files at these paths in the commits that refs named before.
    fn in_trees(&self, tips: &[String], paths: &[&Path]) -> Result<Vec<GitFile>, GitPlumbingError> {
        let trees: BTreeSet<String> = self.peeled(tips, "tree")?.into_iter().flatten().collect();
        let input: String = trees.iter().map(|tree| format!("{} {tree}\n", empty_tree(tree))).collect();
        Ok(self.brought(&input, paths)?.into_values().flatten().collect())
    }

    /// The files at these paths in any commit that a ref led to before.
    fn in_history(&self, tips: &[String], paths: &[&Path]) -> Result<Vec<GitFile>, GitPlumbingError> {
        let input: String = tips.iter().map(|tip| format!("{tip}\n")).collect();
        if input.is_empty() {
            return Ok(Vec::new());
        }
        let args = ["--literal-pathspecs", "rev-list", "--stdin", "--full-history", "--ignore-missing", "--"];
        let args = args.iter().map(OsStr::new).chain(paths.iter().map(|path| path.as_os_str()));
        let commits = self.git.run_in(&self.record.folder.common, args, input.as_bytes())?;
        Ok(self.brought(&String::from_utf8_lossy(&commits), paths)?.into_values().flatten().collect())
    }
}

impl NewCommits {
    /// The named objects that lead to new content at guarded paths. A commit after such a one does,
    /// too: a rebase writes the files of both.
    fn guarded(
        &self,
        objects: &[String],
        peeled: &[Option<String>],
        known: &HashSet<GitFile>,
    ) -> HashMap<String, GuardedObject> {
        let mut found: HashMap<&str, BTreeSet<PathBuf>> = HashMap::new();
        for (commit, parents) in &self.commits {
            let files = self.files.get(commit).into_iter().flatten();
            let own = files.filter(|file| !is_known(file, known)).map(|file| file.path.clone());
            let mut paths: BTreeSet<PathBuf> = own.take(MAX_TOLD).collect();
            for parent in parents {
                paths.extend(found.get(parent.as_str()).into_iter().flatten().take(MAX_TOLD).cloned());
            }
            if !paths.is_empty() {
                found.insert(commit, paths);
            }
        }
        let guarded = |(object, commit): (&String, &Option<String>)| {
            let end = commit.as_deref().unwrap_or(object);
            let paths = found.get(end)?.clone();
            Some((object.clone(), GuardedObject { object: end.to_owned(), paths }))
        };
        objects.iter().zip(peeled).filter_map(guarded).collect()
    }
}

/// Whether a file was the user's before. One that can no longer be executed is not new.
fn is_known(file: &GitFile, known: &HashSet<GitFile>) -> bool {
    let executable = || GitFile { mode: "100755".into(), ..file.clone() };
    EMPTY_FILES.contains(&file.object.as_str())
        || known.contains(file)
        || (file.mode == "100644" && known.contains(&executable()))
}

fn empty_tree(like: &str) -> &'static str {
    if like.len() == EMPTY_TREES[0].len() { EMPTY_TREES[0] } else { EMPTY_TREES[1] }
}

/// The files at guarded paths in a work tree: those that git names, and those of the table at its top.
pub(super) fn guarded_files(guarded: &GuardedPaths<'_>, place: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    guarded.named().for_each(|named| files_beneath(&place.join(named), 0, &mut files));
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let top = entries(place).into_iter().chain(entries(&place.join(".config")));
    let fits = |entry: &PathBuf| entry.strip_prefix(place).is_ok_and(|inside| guarded.fits_pattern(inside));
    top.filter(fits).for_each(|entry| files_beneath(&entry, 0, &mut files));
    files.retain(|file| !file.to_string_lossy().contains(".disabled"));
    files.sort();
    files.dedup();
    files
}

/// The files and links beneath a path.
fn files_beneath(path: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(data) = path.symlink_metadata() else { return };
    if !data.is_dir() || depth > MAX_DEPTH || found.len() > MAX_FILES {
        return found.push(path.to_owned());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        files_beneath(&entry.path(), depth + 1, found);
    }
}
