//! The `date` tool: the day and the time.

use std::time::SystemTime;

use holm_grants::Level;
use holm_runtime::{ClosureTool, tool as make};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
struct DateArguments {}

pub(super) fn tool() -> ClosureTool<impl JsonSchema> {
    let text = "Returns the date, the day of the week and the time, in UTC.";
    make("date", text, |_: DateArguments| async { told(SystemTime::now()) }).level(Level::None)
}

/// The time in words and in seconds since 1970.
pub(super) fn told(now: SystemTime) -> String {
    let now = Timestamp::try_from(now).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{} ({} seconds since 1970)", now.strftime("%A, %Y-%m-%d %H:%M:%S UTC"), now.as_second())
}
