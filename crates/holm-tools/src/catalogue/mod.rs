//! Which tools there are: under which name each is offered, and how a model finds one among many.
//!
//! Tools come from many places and may want the same name, or one that providers refuse. The catalogue gives every tool a
//! name of its own, says which ones it had to change and why, and finds tools by name, keyword and description. Schemas are
//! data that can be held back: a tool that is announced on demand takes a line of the context until it is asked for.

mod entry;
mod list;
mod naming;
mod search;

pub use entry::{Disclosure, Entry};
pub use list::{Catalogue, Tool};
pub use naming::{Cause, Renamed};
pub use search::{DEFAULT_HITS, Found, Hit, MAX_HITS, Query, Rank};

#[cfg(test)]
mod tests;
