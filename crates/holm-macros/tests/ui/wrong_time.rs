use holm_macros::tool;

/// Waits.
#[tool(crate = "::holm_runtime", timeout = "30 seconds")]
fn wait() {}

fn main() {}
