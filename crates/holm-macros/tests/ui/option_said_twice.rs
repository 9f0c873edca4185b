use holm_macros::tool;

/// Adds two numbers.
#[tool(crate = "::holm_runtime", idempotent, idempotent)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
