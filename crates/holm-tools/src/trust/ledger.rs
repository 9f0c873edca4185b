//! The record of trusted files: which content a person has reviewed at which path. It asks no
//! person; `holm-cli/src/commands/tool/trust.rs` and others do that, with what `survey.rs` lists.
//! Every change is made under a lock on what is on disk, and written as a whole new file. A record
//! that another user could have written is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file::read_plain;
use super::{ContentHash, FolderSurvey, TrustError, TrustedFile, place};

/// The form of the record that this crate writes and reads.
const VERSION: u64 = 1;
/// The largest record: some hundred thousand files.
const MAX_RECORD: u64 = 64 << 20;
/// The mode bits that let other users change a file.
const OTHERS_WRITE: u32 = 0o022;

/// The files that a person has trusted, by their content.
///
/// Every change is written at once, under a lock, on top of what another process
/// may have written meanwhile.
#[derive(Debug, Clone, Default)]
pub struct TrustLedger {
    file: Option<PathBuf>,
    known: TrustedFileMap,
}

/// The entries of the record.
#[derive(Debug, Clone, Default)]
struct TrustedFileMap {
    files: BTreeMap<PathBuf, ContentHash>,
    /// The files that were trusted together with a file, because that file names them.
    along: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
}

impl TrustedFileMap {
    fn forget(&mut self, path: &Path) {
        self.files.retain(|known, _| !known.starts_with(path));
        self.along.retain(|lead, _| !lead.starts_with(path));
        for along in self.along.values_mut() {
            along.retain(|known| !known.starts_with(path));
        }
        self.along.retain(|_, along| !along.is_empty());
    }
}

/// The trust status of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustStatus {
    /// It is what a person reviewed.
    Trusted,
    /// A person reviewed a different content at this path.
    Changed,
    /// The file was never reviewed.
    Unknown,
}

/// The stored form of the record.
#[derive(Debug, Serialize, Deserialize)]
struct LedgerRecord {
    version: u64,
    files: BTreeMap<PathBuf, ContentHash>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    along: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
}

impl TrustLedger {
    /// A record that ends with the process.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// The record in this file, which need not exist yet.
    ///
    /// # Errors
    ///
    /// If it is damaged, or if another user could have written it.
    pub fn open(file: impl Into<PathBuf>) -> Result<Self, TrustError> {
        let file = file.into();
        let known = load(&file)?;
        Ok(Self { file: Some(file), known })
    }

    /// The trust status of a file with this content at this absolute path.
    #[must_use]
    pub fn standing(&self, path: &Path, hash: &ContentHash) -> TrustStatus {
        match self.known.files.get(path) {
            Some(known) if known == hash => TrustStatus::Trusted,
            Some(_) => TrustStatus::Changed,
            None => TrustStatus::Unknown,
        }
    }

    /// Reads a file, if its present content is what a person reviewed.
    ///
    /// # Errors
    ///
    /// Why it is not to be used.
    pub fn read(&self, path: &Path) -> Result<TrustedFile, TrustError> {
        let bytes = read_plain(path)?;
        let hash = ContentHash::of(&bytes);
        match self.standing(path, &hash) {
            TrustStatus::Trusted => Ok(TrustedFile::new(path, hash, bytes)),
            TrustStatus::Changed => Err(TrustError::Changed { path: path.to_owned(), hash }),
            TrustStatus::Unknown => Err(TrustError::Unknown { path: path.to_owned(), hash }),
        }
    }

    /// Trusts every file of a survey with its content at the time of the survey, and forgets files
    /// that are gone from its folder.
    ///
    /// # Errors
    ///
    /// If the record cannot be written; then nothing has changed.
    pub fn trust(&mut self, survey: &FolderSurvey) -> Result<(), TrustError> {
        self.change(|known| {
            known.files.retain(|path, _| !path.starts_with(survey.folder()));
            known.files.extend(survey.files().map(|(path, hash)| (path.to_owned(), hash)));
        })
    }

    /// Trusts one file with the content that a person reviewed.
    ///
    /// # Errors
    ///
    /// The same errors as [`Self::trust`].
    pub fn trust_file(&mut self, path: &Path, hash: ContentHash) -> Result<(), TrustError> {
        self.change(|known| {
            known.files.insert(path.to_owned(), hash);
        })
    }

    /// Trusts files with the content that a person reviewed, and remembers which file names them.
    /// Forgetting that file later forgets all of them, no matter which files it names by then.
    ///
    /// # Errors
    ///
    /// The same errors as [`Self::trust`].
    pub fn trust_along(
        &mut self,
        lead: &Path,
        files: impl IntoIterator<Item = (PathBuf, ContentHash)>,
    ) -> Result<(), TrustError> {
        self.change(|known| {
            for (path, hash) in files {
                if path != lead {
                    known.along.entry(lead.to_owned()).or_default().insert(path.clone());
                }
                known.files.insert(path, hash);
            }
        })
    }

    /// The files that were trusted together with a file and not forgotten since.
    pub fn along(&self, lead: &Path) -> impl Iterator<Item = &Path> {
        self.known.along.get(lead).into_iter().flatten().map(PathBuf::as_path)
    }

    /// Whether a person has reviewed anything at this path, regardless of its present content.
    #[must_use]
    pub fn knows(&self, path: &Path) -> bool {
        self.known.files.contains_key(path)
    }

    /// Stops trusting a file, or everything beneath a folder. The next use asks again.
    ///
    /// # Errors
    ///
    /// The same errors as [`Self::trust`].
    pub fn forget(&mut self, path: &Path) -> Result<(), TrustError> {
        self.change(|known| known.forget(path))
    }

    /// The trusted files, in the order of paths.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Path, &ContentHash)> {
        self.known.files.iter().map(|(path, hash)| (path.as_path(), hash))
    }

    fn change(&mut self, change: impl FnOnce(&mut TrustedFileMap)) -> Result<(), TrustError> {
        let Some(file) = &self.file else {
            change(&mut self.known);
            return Ok(());
        };
        let _lock = lock(file)?;
        let mut known = load(file)?;
        change(&mut known);
        save(file, &known)?;
        self.known = known;
        Ok(())
    }
}

/// Admits the files of a tool folder by their content. A record that is kept in a file is read anew
/// each time. So what another process trusts or forgets counts at once.
impl crate::registry::ToolFileGate for TrustLedger {
    fn admits(&self, path: &Path, sha256: &[u8; 32]) -> Result<(), String> {
        let hash = ContentHash::from_bytes(*sha256);
        let path =
            place(path.parent().unwrap_or(Path::new("/")), path).map_err(|linked| linked.to_string())?;
        let kept = self.file.as_deref().map(load).transpose().map_err(|error| error.to_string())?;
        let known = kept.unwrap_or_else(|| self.known.clone());
        match (Self { file: None, known }).standing(&path, &hash) {
            TrustStatus::Trusted => Ok(()),
            TrustStatus::Changed => Err(TrustError::Changed { path, hash }.to_string()),
            TrustStatus::Unknown => Err(TrustError::Unknown { path, hash }.to_string()),
        }
    }
}

fn load(file: &Path) -> Result<TrustedFileMap, TrustError> {
    let data = match fs::symlink_metadata(file) {
        Ok(data) => data,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(TrustedFileMap::default()),
        Err(error) => return Err(TrustError::io(file, &error)),
    };
    if data.mode() & OTHERS_WRITE != 0 || data.uid() != rustix::process::geteuid().as_raw() {
        return Err(TrustError::Exposed(file.to_owned()));
    }
    if data.len() > MAX_RECORD {
        return Err(TrustError::TooMuch { path: file.to_owned(), max: "64 MiB" });
    }
    let damaged = |why: String| TrustError::Damaged { path: file.to_owned(), why };
    let record: LedgerRecord =
        serde_json::from_slice(&read_plain(file)?).map_err(|error| damaged(error.to_string()))?;
    if record.version != VERSION {
        return Err(damaged(format!(
            "its version is {}; this version of Holm supports {VERSION}",
            record.version
        )));
    }
    Ok(TrustedFileMap { files: record.files, along: record.along })
}

/// Atomic: a new file replaces the old one.
fn save(file: &Path, known: &TrustedFileMap) -> Result<(), TrustError> {
    let failed = |error: std::io::Error| TrustError::io(file, &error);
    let record = LedgerRecord { version: VERSION, files: known.files.clone(), along: known.along.clone() };
    let text = serde_json::to_vec_pretty(&record).map_err(|error| failed(error.into()))?;
    let fresh = beside(file, "new");
    // A file that a crash left behind is not in use.
    let _ = fs::remove_file(&fresh);
    let mut open = OpenOptions::new();
    let mut written = open.write(true).create_new(true).mode(0o600).open(&fresh).map_err(failed)?;
    written.write_all(&text).and_then(|()| written.sync_all()).map_err(failed)?;
    fs::rename(&fresh, file).map_err(failed)
}

fn lock(file: &Path) -> Result<File, TrustError> {
    let path = beside(file, "lock");
    let mut open = OpenOptions::new();
    let opened = open.write(true).create(true).truncate(false).mode(0o600).open(&path);
    let lock = opened.map_err(|error| TrustError::io(&path, &error))?;
    lock.lock().map_err(|error| TrustError::io(&path, &error))?;
    Ok(lock)
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    file.with_file_name(name)
}
