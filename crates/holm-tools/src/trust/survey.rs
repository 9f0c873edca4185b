//! Lists the content of a folder for a person to review. It trusts nothing itself:
//! [`TrustLedger::trust`] in `ledger.rs` does, with the hashes of this survey and not with those of
//! a later moment. Links and special files are listed as skipped and never followed. The numbers of
//! files and of nested folders are bounded.
//!
//! Single files are read in `file.rs`. `holm-cli/src/commands/tool/trust.rs` asks the user.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::file::read_plain;
use super::{ContentHash, TrustError, TrustLedger, TrustStatus};

/// The most files of one folder. A person would not review more, and a real tool folder
/// does not have more.
const MAX_FILES: usize = 4096;
/// The deepest nesting of folders.
const MAX_DEPTH: usize = 16;
/// How much of a file a question shows.
const SHOWN: usize = 4096;

/// The files of a folder and their content hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderSurvey {
    folder: PathBuf,
    files: BTreeMap<PathBuf, SurveyedFile>,
    skipped: Vec<SkippedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SurveyedFile {
    hash: ContentHash,
    size: u64,
    head: String,
}

/// An entry of a folder that cannot be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedFile {
    pub path: PathBuf,
    pub why: String,
}

/// A file that a person must review before it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustQuestion {
    pub path: PathBuf,
    /// What is in it.
    pub hash: ContentHash,
    /// How large it is.
    pub size: u64,
    /// Whether it is new or changed.
    pub standing: TrustStatus,
    /// Its beginning with every hidden character written out; if it is not text, a note about that.
    pub head: String,
}

impl FolderSurvey {
    /// Reads every file of a folder and its subfolders. Links and special files
    /// are listed, not followed.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read or holds more than a person could review.
    pub fn of(folder: &Path) -> Result<Self, TrustError> {
        let folder = fs::canonicalize(folder).map_err(|error| TrustError::io(folder, &error))?;
        let mut survey = Self { files: BTreeMap::new(), skipped: Vec::new(), folder };
        survey.walk(&survey.folder.clone(), 0)?;
        Ok(survey)
    }

    /// The folder, by its real path.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The files, in the order of their paths.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&Path, ContentHash)> {
        self.files.iter().map(|(path, seen)| (path.as_path(), seen.hash))
    }

    /// Entries that can never be trusted.
    #[must_use]
    pub fn skipped(&self) -> &[SkippedFile] {
        &self.skipped
    }

    /// The files that a person must review before the folder is used; empty if
    /// everything is trusted already.
    #[must_use]
    pub fn questions(&self, ledger: &TrustLedger) -> Vec<TrustQuestion> {
        let asked = self.files.iter().filter_map(|(path, seen)| {
            let standing = ledger.standing(path, &seen.hash);
            (standing != TrustStatus::Trusted).then(|| TrustQuestion {
                path: path.clone(),
                hash: seen.hash,
                size: seen.size,
                standing,
                head: seen.head.clone(),
            })
        });
        asked.collect()
    }

    fn walk(&mut self, folder: &Path, depth: usize) -> Result<(), TrustError> {
        let failed = |error: std::io::Error| TrustError::io(folder, &error);
        if depth > MAX_DEPTH {
            return Err(TrustError::TooMuch {
                path: folder.to_owned(),
                max: "sixteen folders in each other",
            });
        }
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
            if kind.is_dir() {
                self.walk(&path, depth + 1)?;
                continue;
            }
            if self.files.len() + self.skipped.len() >= MAX_FILES {
                return Err(TrustError::TooMuch { path: self.folder.clone(), max: "4096 files" });
            }
            match read_plain(&path) {
                Ok(bytes) => drop(self.files.insert(path, SurveyedFile::of(&bytes))),
                Err(error) => self.skipped.push(SkippedFile { path, why: error.to_string() }),
            }
        }
        Ok(())
    }
}

impl SurveyedFile {
    fn of(bytes: &[u8]) -> Self {
        let start = bytes.get(..SHOWN).unwrap_or(bytes);
        let head = match std::str::from_utf8(start) {
            Ok(text) => holm_kernel::visible(text),
            // A character that was cut in half is not a reason to hide the rest.
            Err(error) if error.error_len().is_none() => holm_kernel::visible(&String::from_utf8_lossy(
                start.get(..error.valid_up_to()).unwrap_or_default(),
            )),
            Err(_) => "no text".into(),
        };
        Self { hash: ContentHash::of(bytes), size: bytes.len() as u64, head }
    }
}
