use holm_macros::tool;

/// A tool.
#[tool(crate = "::holm_runtime")]
struct Reader {
    path: String,
}

fn main() {}
