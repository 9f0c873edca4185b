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
mod withheld_prompts;

pub use export::SessionFileFormat;
pub(crate) use export::blocking;
pub use list::{SessionCursor, SessionListPage, SessionOrder, SessionQuery, SessionSort, StoredSession};
pub use retention::{ErasedSession, RetentionPolicy};
pub use search::SearchHit;
pub use usage::{UsageGrouping, UsageLine, UsageQuery};
pub use withheld_prompts::{WithheldPrompt, withheld};
