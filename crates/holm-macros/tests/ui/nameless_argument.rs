use holm_macros::tool;

/// Adds two numbers.
#[tool(crate = "::holm_runtime")]
fn add((a, b): (i64, i64)) -> i64 {
    a + b
}

fn main() {}
