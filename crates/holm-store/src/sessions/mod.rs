//! Queries about sessions. A session is a run as the user sees it: it has a title, tags and a place
//! in a list.

mod export;
mod import;
mod inputs;
mod list;
mod markdown;
mod retention;
mod search;
mod usage;
mod withheld;

pub use export::Format;
pub(crate) use export::blocking;
pub use list::{Cursor, Listing, Order, Page, Session, Sort};
pub use retention::{Erased, Retention};
pub use search::Hit;
pub use usage::{By, UsageLine, UsageQuery};
pub use withheld::{Withheld, withheld};
