//! The time.

use std::time::SystemTime;

use holm::tool;

/// Tells the date and the time, in UTC.
#[tool(level = none)]
pub(super) fn now() -> String {
    let time = jiff::Timestamp::try_from(SystemTime::now()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%A, %Y-%m-%d %H:%M:%S UTC").to_string()
}
