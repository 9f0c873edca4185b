//! Small notes that must outlive the process that wrote them: what was promised and is still to be done. They lie in trays,
//! each under a name; of all who put or change one at once, one does.

mod kept;
pub(crate) mod rows;
mod store;

pub use kept::Slip;
