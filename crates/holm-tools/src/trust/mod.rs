//! What a person has looked at. Nothing from elsewhere is executed, described, compiled or used as configuration.
//!
//! A folder that came with a clone can hold programs, agents and hooks. Whoever enters it has trusted none of them. So
//! trust is a record of single files by the SHA-256 of what was in them ([`Ledger`]): a file that is new or has changed
//! is a [`Question`] again, and the files beside it stay trusted.
//!
//! Two things keep the record from being talked around. What is used is what was hashed: [`Ledger::read`] gives the bytes
//! that it has compared, and there is no other way to a [`TrustedFile`]. And links are not followed, neither the last name
//! nor one between it and its project ([`place()`]): a link can be turned elsewhere without any file changing.
//!
//! The ledger is a file of Holm's own, readable and writable by its owner alone, in a folder that no tool may write to.
//!
//! ```
//! use holm_tools::trust::{ContentHash, Ledger, Standing, Survey};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("ping.sh"), "#!/bin/sh\necho pong\n")?;
//! let survey = Survey::of(folder.path())?;
//!
//! let mut ledger = Ledger::in_memory();
//! assert_eq!(survey.questions(&ledger).len(), 1);
//! // … a person looks, and says yes …
//! ledger.trust(&survey)?;
//! let program = ledger.read(&survey.folder().join("ping.sh"))?;
//! assert!(program.bytes().starts_with(b"#!/bin/sh"));
//!
//! let changed = ContentHash::of(b"#!/bin/sh\nrm -rf /\n");
//! assert_eq!(ledger.standing(program.path(), &changed), Standing::Changed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub use hash::{ContentHash, NotAHash};
pub use ledger::{Ledger, Standing};
pub use place::{Linked, place};
pub use survey::{Question, Skipped, Survey};
