//! The files that a person has reviewed. No other file from outside is executed, described,
//! compiled or used as configuration.
//!
//! A cloned folder can hold programs, agents and hooks. A user who enters it has not trusted any of
//! them. So trust is a record of single files by the SHA-256 of their content ([`TrustLedger`]). A file
//! that is new or has changed is a [`TrustQuestion`] again, and the files beside it stay trusted.
//!
//! Two rules keep the record from being bypassed. The bytes that are used are the bytes that were
//! hashed: [`TrustLedger::read`] returns the bytes that it has compared, and there is no other way to
//! get a [`TrustedFile`]. And links are not followed, neither at the last name nor between the
//! project and it ([`place()`]), because a link can be redirected without any file changing.
//!
//! The ledger is a file of Holm's own, readable and writable by its owner alone, in a folder that
//! no tool may write to.
//!
//! ```
//! use holm_tools::trust::{ContentHash, TrustLedger, TrustStatus, FolderSurvey};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("ping.sh"), "#!/bin/sh\necho pong\n")?;
//! let survey = FolderSurvey::of(folder.path())?;
//!
//! let mut ledger = TrustLedger::in_memory();
//! assert_eq!(survey.questions(&ledger).len(), 1);
//! // … a person looks, and says yes …
//! ledger.trust(&survey)?;
//! let program = ledger.read(&survey.folder().join("ping.sh"))?;
//! assert!(program.bytes().starts_with(b"#!/bin/sh"));
//!
//! let changed = ContentHash::of(b"#!/bin/sh\nrm -rf /\n");
//! assert_eq!(ledger.standing(program.path(), &changed), TrustStatus::Changed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where things are:
//! - `ledger.rs`: the record. `hash.rs`: what it stores. `file.rs`: a file that was compared with
//!   it.
//! - `survey.rs`: the content of a folder for a person. `place.rs`: paths without links.
//! - `error.rs`: why something is not trusted.

mod error;
mod file;
mod hash;
mod ledger;
mod place;
mod survey;

#[cfg(test)]
mod tests;

pub use error::TrustError;
pub use file::{MAX_FILE, TrustedFile};
pub use hash::{ContentHash, ContentHashError};
pub use ledger::{TrustLedger, TrustStatus};
pub use place::{LinkedPathError, place};
pub use survey::{FolderSurvey, SkippedFile, TrustQuestion};
