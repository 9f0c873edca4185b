//! Checks that the objects which a command wrote into a repository have the content that their names
//! say. Git does not compare the two when it writes files of a commit, so a command could give a file
//! of the user's another content.
//!
//! Only what is new or changed is read. The packs that existed are read-only for commands
//! (`denied_paths.rs`). Caches of the history, which git believes, are disabled if a command wrote
//! them: git makes new ones. What a command recorded in commits is found in `git_history_check.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::read::ZlibDecoder;
use holm_kernel::visible_line;
use sha2::Digest as _;

use super::entry_stamp::EntryStamp;
use super::git_plumbing::{GitPlumbing, GitPlumbingError};
use super::new_repository::disable_file;
use crate::plain_files::{open_plain, read_plain_within};
use crate::root::git::plain_path;

/// The longest time for the objects of one repository.
const MAX_TIME: Duration = Duration::from_secs(20);
/// The most packs that are protected one by one. Of more, their folder is.
const MAX_PACKS: usize = 64;
/// The most files that are disabled one by one.
const MAX_DISABLED: usize = 1_000;
/// How many names of objects are told.
const MAX_TOLD: usize = 4;
/// How the content of a commit begins.
const COMMIT: &[u8] = b"commit ";
/// The longest list of other places with objects that is read.
const MAX_PLACES_BYTES: u64 = 64 * 1024;

/// The files of packs that a command must find read-only: each of them, or the folder of all.
pub(super) fn protected_packs(git: &Path) -> Vec<PathBuf> {
    let packs = packs(git, &["pack", "idx"]);
    if packs.len() > 2 * MAX_PACKS { vec![git.join("objects/pack")] } else { packs.into_iter().collect() }
}

/// Files beside the loose objects of a repository.
#[derive(Debug)]
pub(super) struct ObjectFiles {
    /// The indexes of packs, by which git reads a pack.
    packs: BTreeSet<PathBuf>,
    /// Caches of the history, and the list of other places with objects.
    caches: BTreeMap<PathBuf, EntryStamp>,
}

impl ObjectFiles {
    pub(super) fn read(git: &Path) -> Self {
        let info = git.join("objects/info");
        let graphs = files_in(&info.join("commit-graphs"));
        let is_of_packs = |file: &PathBuf| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("multi-pack-index"))
        };
        let of_packs = files_in(&git.join("objects/pack")).into_iter().filter(is_of_packs);
        let layers = files_in(&git.join("objects/pack/multi-pack-index.d"));
        let single = [info.join("commit-graph"), info.join("alternates")];
        let all = graphs.into_iter().chain(of_packs).chain(layers).chain(single);
        let is_plain = |file: &PathBuf| !file.to_string_lossy().contains(".disabled");
        let stamped = |file: PathBuf| {
            let stamp = EntryStamp::of(&file.symlink_metadata().ok()?);
            Some((file, stamp))
        };
        Self { packs: packs(git, &["idx"]), caches: all.filter(is_plain).filter_map(stamped).collect() }
    }

    /// The files that have not changed since this second.
    pub(super) fn before(git: &Path, began: i64) -> Self {
        let mut files = Self::read(git);
        let is_old = |file: &PathBuf| file.symlink_metadata().is_ok_and(|found| found.ctime() < began);
        files.packs.retain(is_old);
        files.caches.retain(|file, _| is_old(file));
        files
    }
}

fn packs(git: &Path, endings: &[&str]) -> BTreeSet<PathBuf> {
    let is_pack = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| endings.contains(&ending))
    };
    files_in(&git.join("objects/pack")).into_iter().filter(is_pack).collect()
}

/// The check of one repository after a command.
pub(super) struct GitObjectCheck<'a> {
    pub(super) common: &'a Path,
    pub(super) roots: &'a [PathBuf],
    /// Its files before the command.
    pub(super) before: &'a ObjectFiles,
    /// A second before the command, by a coarse clock.
    pub(super) recently: i64,
}

impl GitObjectCheck<'_> {
    /// Disables objects whose content is another than their names say.
    pub(super) fn settle(&self, git: &dyn Fn() -> Result<GitPlumbing, GitPlumbingError>) -> NewObjects {
        let mut new = NewObjects::default();
        let end = Instant::now() + MAX_TIME;
        let mut forged: Vec<PathBuf> = Vec::new();
        let mut is_complete = true;
        for file in self.loose() {
            if Instant::now() >= end || forged.len() >= MAX_DISABLED {
                is_complete = false;
                break;
            }
            match LooseObject::read(&file, end) {
                Some(found) if found.name != found.digest => forged.push(file),
                Some(found) if found.is_commit => drop(new.commits.insert(found.name, file)),
                Some(_) => {}
                None => is_complete = false,
            }
        }
        for index in packs(self.common, &["idx"]).difference(&self.before.packs) {
            let args = [OsStr::new("verify-pack"), OsStr::new("-v"), index.as_os_str()];
            match git().and_then(|git| git.run_in(self.common, args, b"")) {
                Ok(listed) => new.add_pack(&listed, index),
                Err(_) => forged.push(index.clone()),
            }
        }
        if !forged.is_empty() {
            let fates: BTreeSet<&str> = forged.iter().map(|file| disable_file(self.roots, file)).collect();
            new.lines.push(format!(
                "objects of git whose content is not what their names say: {}; {}",
                self.listed(&forged),
                fates.into_iter().collect::<Vec<_>>().join("; ")
            ));
        }
        if !is_complete {
            new.lines.push("Holm could not check all new objects of git; run `git fsck`".into());
        }
        new.lines.extend(self.disable_caches());
        new
    }

    /// Loose objects that are new or changed.
    fn loose(&self) -> Vec<PathBuf> {
        let is_part = |name: &str| name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let folders = fs::read_dir(self.common.join("objects")).into_iter().flatten().flatten();
        let parts = folders.filter(|folder| folder.file_name().to_str().is_some_and(is_part));
        let files = parts.flat_map(|part| files_in(&part.path()));
        let is_object = |file: &PathBuf| {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            matches!(name.len(), 38 | 62) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        files.filter(|file| self.is_recent(file) && is_object(file)).collect()
    }

    /// Disables caches of the history, and lists of other places with objects that commands may write.
    fn disable_caches(&self) -> Vec<String> {
        let now = ObjectFiles::read(self.common).caches;
        let is_new = |(file, stamp): &(PathBuf, EntryStamp)| self.before.caches.get(file) != Some(stamp);
        let is_used = |file: &PathBuf| !file.ends_with("alternates") || self.names_writable(file);
        let found: Vec<PathBuf> =
            now.into_iter().filter(is_new).map(|(file, _)| file).filter(is_used).collect();
        if found.is_empty() {
            return Vec::new();
        }
        let fates: BTreeSet<&str> = found.iter().map(|file| disable_file(self.roots, file)).collect();
        vec![format!(
            "files of git that could hide other content: {}; {}; git does not need them",
            self.listed(&found),
            fates.into_iter().collect::<Vec<_>>().join("; ")
        )]
    }

    /// Whether a list of places with objects names one that a command may write.
    fn names_writable(&self, places: &Path) -> bool {
        let bytes = read_plain_within(places, MAX_PLACES_BYTES).unwrap_or_default();
        let objects = self.common.join("objects");
        String::from_utf8_lossy(&bytes).lines().any(|line| {
            let place = plain_path(&objects.join(line.trim_matches('"')));
            self.roots.iter().any(|root| place.starts_with(root))
        })
    }

    fn is_recent(&self, file: &Path) -> bool {
        file.symlink_metadata().is_ok_and(|found| found.ctime() >= self.recently)
    }

    fn listed(&self, files: &[PathBuf]) -> String {
        let names = files.iter().take(MAX_TOLD).map(|file| {
            let inside = file.strip_prefix(self.common).unwrap_or(file);
            visible_line(&inside.to_string_lossy())
        });
        let more = files.len().saturating_sub(MAX_TOLD);
        let more = (more > 0).then(|| format!("and {more} more"));
        names.chain(more).collect::<Vec<_>>().join(", ")
    }
}

struct LooseObject {
    /// Its name, by its file.
    name: String,
    /// Its name, by its content.
    digest: String,
    is_commit: bool,
}

impl LooseObject {
    /// Reads an object. Returns `None` if there is no time for it.
    fn read(file: &Path, end: Instant) -> Option<Self> {
        let part = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = file.parent().and_then(part).unwrap_or_default() + &part(file).unwrap_or_default();
        let invalid = Some(Self { name: name.clone(), digest: String::new(), is_commit: false });
        let Ok(open) = open_plain(file) else { return invalid };
        let digest = match name.len() {
            40 => hashed(sha1::Sha1::default(), open, end),
            _ => hashed(sha2::Sha256::default(), open, end),
        };
        match digest {
            Ok((digest, is_commit)) => Some(Self { name, digest, is_commit }),
            Err(ObjectReadError::Invalid) => invalid,
            Err(ObjectReadError::TooLong) => None,
        }
    }
}

/// What a command wrote among the objects.
#[derive(Debug, Default)]
pub(super) struct NewObjects {
    /// What to tell about them.
    pub(super) lines: Vec<String>,
    /// New commits, with the file of each or of its pack.
    pub(super) commits: BTreeMap<String, PathBuf>,
}

impl NewObjects {
    /// Adds the commits of a pack, as `git verify-pack -v` lists them.
    fn add_pack(&mut self, listed: &[u8], index: &Path) {
        for line in String::from_utf8_lossy(listed).lines() {
            let mut words = line.split_whitespace();
            if let (Some(name), Some("commit")) = (words.next(), words.next()) {
                self.commits.entry(name.to_owned()).or_insert_with(|| index.to_owned());
            }
        }
    }
}

/// Why an object has no digest.
enum ObjectReadError {
    /// It is not a compressed object.
    Invalid,
    /// There was no time to read all of it.
    TooLong,
}

/// A digest, in the version of either crate.
trait ObjectDigest {
    fn add(&mut self, bytes: &[u8]);
    fn end(self) -> Vec<u8>;
}

impl ObjectDigest for sha1::Sha1 {
    fn add(&mut self, bytes: &[u8]) {
        sha1::Digest::update(self, bytes);
    }

    fn end(self) -> Vec<u8> {
        sha1::Digest::finalize(self).to_vec()
    }
}

impl ObjectDigest for sha2::Sha256 {
    fn add(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }

    fn end(self) -> Vec<u8> {
        self.finalize().to_vec()
    }
}

/// The digest of an object's content, and whether it is a commit.
fn hashed(
    mut digest: impl ObjectDigest,
    file: File,
    end: Instant,
) -> Result<(String, bool), ObjectReadError> {
    let mut content = ZlibDecoder::new(file);
    let mut part = vec![0; 64 * 1024];
    let mut head = Vec::new();
    loop {
        let read = content.read(&mut part).map_err(|_| ObjectReadError::Invalid)?;
        if read == 0 {
            break;
        }
        if Instant::now() >= end {
            return Err(ObjectReadError::TooLong);
        }
        let read = part.get(..read).unwrap_or_default();
        if head.len() < COMMIT.len() {
            head.extend_from_slice(read.get(..read.len().min(COMMIT.len())).unwrap_or_default());
        }
        digest.add(read);
    }
    let name = digest.end().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((name, head.starts_with(COMMIT)))
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|entry| entry.path()).collect()
}
