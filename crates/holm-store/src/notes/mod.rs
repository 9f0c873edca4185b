//! Small notes that must outlive the process that wrote them, such as accepted work that is still
//! to be done. Each lies in a tray under a name. If several processes put or change one note at
//! once, one of them succeeds.

pub(crate) mod rows;
mod store;
mod stored_note;

pub use stored_note::StoredNote;
