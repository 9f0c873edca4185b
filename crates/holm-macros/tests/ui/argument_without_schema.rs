use holm_macros::tool;

#[derive(serde::Deserialize)]
struct Range {
    from: u64,
    to: u64,
}

/// Counts.
#[tool(crate = "::holm_runtime")]
fn count(range: Range) -> u64 {
    range.to - range.from
}

fn main() {}
