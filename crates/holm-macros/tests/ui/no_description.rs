use holm_macros::tool;

#[tool(crate = "::holm_runtime")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
