//! What clients may read and be told beside calling tools: texts, such as sessions, and prompts, such as skills.
//!
//! Where they come from is not this crate's business: whoever starts the server passes somebody who knows.

use holm_runtime::BoxFuture;
use tokio::sync::watch;

/// Texts that clients may read, a page at a time. Nothing can be written.
pub trait Library: Send + Sync {
    /// The page behind `after`, which is the `next` of the page before.
    ///
    /// # Errors
    ///
    /// Why there is none, in words.
    fn page(&self, after: Option<String>) -> BoxFuture<'static, Result<LibraryPage, String>>;

    /// One text by its address; none if there is no such text.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, in words.
    fn read(&self, uri: String) -> BoxFuture<'static, Result<Option<LibraryText>, String>>;

    /// Counts up whenever the list changes.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// A part of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LibraryPage {
    /// What there is, in an order that stays.
    pub entries: Vec<LibraryEntry>,
    /// Where the next page begins; none after the last.
    pub next: Option<String>,
}

/// One text in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryEntry {
    /// Its address, by which it is read.
    pub uri: String,
    pub name: String,
    /// What it is about.
    pub title: String,
    pub kind: String,
}

/// A text that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryText {
    pub kind: String,
    pub text: String,
}

/// Prompts that a person picks in a client.
pub trait Prompts: Send + Sync {
    /// All of them as they are now, in an order that stays, no name twice.
    fn list(&self) -> Vec<PromptText>;

    /// Counts up whenever the list changes.
    fn changes(&self) -> watch::Receiver<u64>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptText {
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What the model is told.
    pub text: String,
}
