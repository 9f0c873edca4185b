//! Keeps journals, large results, sessions and usage. This crate decides nothing about a run: it keeps what it is given
//! and finds it again.
mod backend;
mod derive;
mod error;
mod name;
#[cfg(feature = "postgres")]
mod postgres;
mod sessions;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod vault;

pub use derive::{Day, Entry, Folded, Subject, Tally, TextKind, fold, search_text};
pub use error::StoreError;
pub use name::{MAX_RUN_ID, MAX_TAG, MAX_TITLE, check_run_id};
pub use sessions::{
    By, Cursor, Erased, Format, Hit, Listing, Order, Page, Retention, Session, Sort, UsageLine, UsageQuery,
};
pub use store::{Options, Store};
pub use vault::MasterKey;
