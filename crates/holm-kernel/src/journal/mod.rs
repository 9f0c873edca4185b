//! The journal: the list of inputs as text, chained so that damage is found and named.
//!
//! Nothing here opens a file or syncs one. The host stores the lines before it acts on them
//! (`holm-runtime/src/journal/`, `holm-store/src/store/journal.rs`).
//!
//! State is a fold over inputs, so the inputs are all that is kept. One record is one line:
//!
//! ```text
//! {"v":1,"seq":3,"at":1700,"effects":"<16 hex>","payload":"<64 hex>","chain":"<64 hex>","input":{…}}
//! ```
//!
//! **What is chained.** `payload` is the SHA-256 of the bytes of `input` as they stand in the line.
//! `chain` is the SHA-256 over the format's version, the chain of the record before (32 zero bytes
//! before record 0), `seq`, `at`, `effects` and `payload`, each at a fixed width. A changed bit, or
//! a missing, doubled, moved or foreign record, therefore breaks the chain at a record that the
//! error names. The chain has no key: a program that can write the whole file can write a different
//! valid journal, or cut records off the end. To prove that neither happened, keep a [`Head`]
//! elsewhere and call [`Head::check`].
//!
//! **What an eraser may do.** Put `null` in place of any `input` ([`JournalRecord::erase`]) and
//! nothing else. The chain covers the payload's hash, so it still holds. A replay that needs an
//! erased record says so by its number; a [`Snapshot`] that was taken after it still works.
//!
//! **What is covered.** What a record says: its number, time, digest and input. White space between
//! the members of a line and members that no version knows are not part of it; a reader drops them.
//!
//! **What a torn tail means.** Hosts append before they act, so a line without its end
//! ([`JournalFault::Unfinished`]) had no consequences: cut the file where [`JournalTail::Torn`]
//! says, and continue. Any other fault in the last line also loses only that line. But the host may
//! have acted on it before it was damaged by a failing disk or a manual edit. A host that cannot
//! rule this out asks before it continues. Damage counts as a tail only if no whole record follows
//! it. Damage in the middle, and records of another format version, are errors, and nothing may be
//! cut without a person's decision.
//!
//! Where things are:
//!
//! - `journal/writer.rs`: handled inputs as lines.
//! - `journal/reader.rs`: lines as verified records, and the state of the tail.
//! - `journal/line.rs`: the format of one line.
//! - `journal/record.rs`: a record, its chain value, and the head of a journal.
//! - `journal/payload.rs`: the text of an input and its limits.
//! - `journal/nesting.rs`: how deep brackets nest.
//! - `journal/hash.rs`: SHA-256 values.
//! - `journal/error.rs`: what is wrong with a damaged journal.
//! - `journal/replay.rs`: folds records into a run.
//! - `journal/snapshot.rs`: starts the fold later.
//! - `journal/fork.rs`: ends it earlier.
//!
//! ```
//! use holm_kernel::{Config, Input, ModelSpec, Prompt, Started, Timestamp, journal};
//!
//! let started = Started::new("run-1", 7, Config::new(ModelSpec::named("scripted/echo")));
//! let (mut run, mut writer, mut text) = journal::begin(started, Timestamp::new(1_000))?;
//! text += &journal::step(
//!     &mut run,
//!     &mut writer,
//!     Timestamp::new(1_001),
//!     Input::Prompted(Prompt::text("hi")),
//! )?;
//!
//! let records = journal::decode_strict(text.as_bytes())?;
//! assert_eq!(journal::replay(&records)?.receipt(), run.receipt());
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

mod error;
mod fork;
mod hash;
mod line;
mod nesting;
mod payload;
mod reader;
mod record;
mod replay;
mod snapshot;
mod writer;

#[cfg(test)]
mod tests;

pub use error::{JournalError, JournalFault};
pub use fork::{ForkError, fork};
pub use hash::{HashParseError, Sha256Hash};
pub use line::{MAX_LINE_BYTES, VERSION};
pub use nesting::MAX_NESTING;
pub use payload::{InputError, MAX_PAYLOAD_BYTES, PayloadError, RecordPayload, payload};
pub use reader::{DecodedJournal, JournalReader, JournalTail, decode, decode_after, decode_strict};
pub use record::{Head, HeadError, JournalRecord};
pub use replay::{ReplayError, ReplayFold, replay, replay_with};
pub use snapshot::{SNAPSHOT_VERSION, Snapshot, SnapshotError, resume, resume_from};
pub use writer::{AppendError, JournalWriter, StepError, begin, step};
