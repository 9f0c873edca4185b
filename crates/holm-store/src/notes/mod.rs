//! Small notes that must outlive the process that wrote them, such as accepted work that is still
//! to be done. Each lies in a tray under a name. If several processes put or change one note at
//! once, one of them succeeds.
//!
//! What a note means is known to its writer alone, for example
//! `holm-server/src/live/stored_prompts.rs`.
//!
//! Where things are:
//!
//! - `notes/store.rs`: the store's methods.
//! - `notes/stored_note.rs`: what they return.
//! - `notes/rows.rs`: what a database must offer.
//! - `sqlite/notes.rs`, `postgres/notes.rs`: the SQL.

pub(crate) mod rows;
mod store;
mod stored_note;

pub use stored_note::StoredNote;
