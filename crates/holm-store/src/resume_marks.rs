//! How a server marks sessions that must be resumed when it ends. PostgreSQL keeps both marks in a
//! table of the whole database too, so that another server finds such sessions of all schemas with
//! one query.

/// The tag of a session that is at work.
pub const RUNNING_TAG: &str = "holm:running";

/// The tray of prompts that were accepted, each under the name of its run.
pub const PROMPT_TRAY: &str = "prompts";
