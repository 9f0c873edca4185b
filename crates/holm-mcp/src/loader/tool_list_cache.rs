//! Caches on disk what each server offered when it was last asked, so that a start does not wait
//! for the servers.
//!
//! The cache is not a source of trust. A tool's pin decides by hash whether it is the confirmed
//! one, and a server that has changed is detected when one of its tools is called.
//!
//! Files are read and written in `server_file_store.rs`. A list belongs to the hash of its entry,
//! so a changed entry never uses an old list.
//!
//! When a server is asked again is decided in `server_watch.rs`; pins are checked in
//! `client/remote_server.rs`.

use std::path::PathBuf;

use holm_guards::json::Json;
use holm_tools::trust::ContentHash;
use serde::{Deserialize, Serialize};

use crate::ServerName;
use crate::client::{ServerInventory, ToolDefinition, ToolListing};
use crate::server_file_store::ServerFileStore;

/// A folder of cached lists. A list is found by the server's name and the hash of its entry.
#[derive(Debug, Clone)]
pub struct ToolListCache {
    files: ServerFileStore,
}

/// The cached state of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListCacheEntry {
    Listed(ServerInventory),
    /// The server did not answer within the time limit.
    Silent,
}

impl ToolListCache {
    /// Uses the lists in this folder. The folder may not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { files: ServerFileStore::new(folder) }
    }

    /// Stores what a server offers. If the write fails, the server is asked again next time.
    pub fn keep(&self, server: &ServerName, entry: &ContentHash, reading: &ServerInventory) {
        let tools = reading.listing.tools.iter().map(StoredTool::of).collect();
        let kept = StoredInventory { tools, resources: reading.resources, prompts: reading.prompts };
        self.write(server, entry, ListCacheReply::Listed(kept));
    }

    /// Deletes all lists of a server. A list that cannot be deleted belongs to an entry that no
    /// longer exists, so it is never read.
    pub fn forget(&self, server: &ServerName) {
        let _ = self.files.forget(server);
    }

    /// Records that a server did not answer.
    pub(super) fn silent(&self, server: &ServerName, entry: &ContentHash) {
        self.write(server, entry, ListCacheReply::Silent);
    }

    /// The cached state for this entry. An unreadable file counts as missing.
    pub(super) fn find(&self, server: &ServerName, entry: &ContentHash) -> Option<ListCacheEntry> {
        let written: ListCacheFile = serde_json::from_slice(&self.files.read(server, entry)?).ok()?;
        if written.entry != entry.to_string() {
            return None;
        }
        match written.said {
            ListCacheReply::Silent => Some(ListCacheEntry::Silent),
            ListCacheReply::Listed(kept) => kept.reading().map(ListCacheEntry::Listed),
        }
    }

    fn write(&self, server: &ServerName, entry: &ContentHash, reply: ListCacheReply) {
        if let Ok(text) = serde_json::to_vec(&ListCacheFile { entry: entry.to_string(), said: reply }) {
            let _ = self.files.write(server, entry, &text);
        }
    }
}

#[derive(Serialize, Deserialize)]
struct ListCacheFile {
    entry: String,
    said: ListCacheReply,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ListCacheReply {
    Listed(StoredInventory),
    Silent,
}

#[derive(Serialize, Deserialize)]
struct StoredInventory {
    tools: Vec<StoredTool>,
    resources: bool,
    prompts: bool,
}

#[derive(Serialize, Deserialize)]
struct StoredTool {
    name: String,
    description: String,
    schema: String,
    reads_only: bool,
    idempotent: bool,
    sha256: String,
}

impl StoredInventory {
    /// Returns `None` if any part of the file is invalid.
    fn reading(self) -> Option<ServerInventory> {
        let tools = self.tools.into_iter().map(StoredTool::definition).collect::<Option<Vec<_>>>()?;
        let listing = ToolListing { tools, ..ToolListing::default() };
        Some(ServerInventory { listing, resources: self.resources, prompts: self.prompts })
    }
}

impl StoredTool {
    fn of(tool: &ToolDefinition) -> Self {
        Self {
            name: tool.name.clone(),
            description: tool.description.clone(),
            schema: tool.schema.canonical(),
            reads_only: tool.reads_only,
            idempotent: tool.idempotent,
            sha256: ContentHash::from_bytes(tool.sha256).to_string(),
        }
    }

    fn definition(self) -> Option<ToolDefinition> {
        let digit = |index: usize| u8::from_str_radix(self.sha256.get(index * 2..index * 2 + 2)?, 16).ok();
        let bytes: Vec<u8> = (0..32).map(digit).collect::<Option<_>>()?;
        Some(ToolDefinition {
            schema: Json::parse(&self.schema).ok()?,
            sha256: bytes.try_into().ok()?,
            name: self.name,
            description: self.description,
            reads_only: self.reads_only,
            idempotent: self.idempotent,
        })
    }
}

#[cfg(test)]
mod tests;
