mod contain;
mod schemas;
mod typed;

use std::sync::Arc;

use holm_guards::json::Json;
use holm_kernel::{Outcome, ToolOutput};

use super::*;

/// A declaration whose content does not matter.
fn declared(name: &str) -> holm_kernel::ToolSpec {
    holm_kernel::ToolSpec::new(name, "A test's tool.", Json::object([("type", "object".into())]))
}
