use holm_macros::tool;

struct Counter;

impl Counter {
    /// Counts.
    #[tool(crate = "::holm_runtime")]
    fn count(&self) -> u64 {
        1
    }
}

fn main() {}
