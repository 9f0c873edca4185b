use holm_macros::tool;

/// Reads memory.
#[tool(crate = "::holm_runtime")]
unsafe fn peek(address: u64) -> u64 {
    address
}

fn main() {}
