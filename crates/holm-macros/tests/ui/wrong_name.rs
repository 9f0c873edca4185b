use holm_macros::tool;

/// Waits.
#[tool(crate = "::holm_runtime", name = "wait a bit")]
fn wait() {}

fn main() {}
