//! Resources and prompts that clients may read, such as sessions and skills.
//!
//! This crate does not know where they come from. The caller that starts the server passes an
//! implementation.
//!
//! Requests are answered in `resources.rs`, which also removes secrets from resources. Nothing can
//! be changed through these traits.

use holm_runtime::BoxFuture;
use tokio::sync::watch;

/// Texts that clients may read, one page at a time. They cannot be changed.
pub trait ResourceLibrary: Send + Sync {
    /// The page after `after`, which is the `next` of the previous page.
    ///
    /// # Errors
    ///
    /// Why the page cannot be read, as text.
    fn page(&self, after: Option<String>) -> BoxFuture<'static, Result<ResourcePage, String>>;

    /// One text by its URI, or `None` if there is no such text.
    ///
    /// # Errors
    ///
    /// Why the text cannot be read, as text.
    fn read(&self, uri: String) -> BoxFuture<'static, Result<Option<ResourceText>, String>>;

    /// Counts up whenever the list changes.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// A page of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResourcePage {
    /// The entries, in a stable order.
    pub entries: Vec<ResourceEntry>,
    /// Where the next page begins; `None` after the last page.
    pub next: Option<String>,
}

/// One text in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceEntry {
    /// The URI by which it is read.
    pub uri: String,
    pub name: String,
    /// What it is about.
    pub title: String,
    pub kind: String,
}

/// The content of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceText {
    pub kind: String,
    pub text: String,
}

/// Prompts that a person selects in a client.
pub trait PromptLibrary: Send + Sync {
    /// All current prompts in a stable order, with unique names.
    fn list(&self) -> Vec<LibraryPrompt>;

    /// Counts up whenever the list changes.
    fn changes(&self) -> watch::Receiver<u64>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryPrompt {
    pub name: String,
    /// What the prompt is for.
    pub description: String,
    /// The text that the model receives.
    pub text: String,
}
