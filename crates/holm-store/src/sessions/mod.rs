//! Queries about sessions. A session is a run as the user sees it: it has a title, tags and a place
//! in a list.
//!
//! Every query first brings the index up to date as far as it needs it (`store/index.rs`). SQL is
//! in `sqlite/` and `postgres/`.
//!
//! Where things are:
//!
//! - `sessions/list.rs`: lists, titles, tags.
//! - `sessions/search.rs`: full-text search.
//! - `sessions/usage.rs`: sums.
//! - `sessions/inputs.rs`: single facts.
//! - `sessions/export.rs`: sessions as files.
//! - `sessions/markdown.rs`: as Markdown.
//! - `sessions/import.rs`: back from files.
//! - `sessions/retention.rs`: how long they are kept, and erasure.
//! - `sessions/withheld_prompts.rs`: prompts that the model never read.

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
