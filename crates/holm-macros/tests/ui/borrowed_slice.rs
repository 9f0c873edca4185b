use holm_macros::tool;

/// Adds numbers.
#[tool(crate = "::holm_runtime")]
async fn sum(numbers: &[i64]) -> i64 {
    numbers.iter().sum()
}

fn main() {}
