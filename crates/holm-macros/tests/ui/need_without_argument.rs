use holm_macros::tool;

/// Reads a file.
#[tool(crate = "::holm_runtime", needs("read:{file}"))]
fn read(path: String, lines: Option<u32>) -> String {
    format!("{path} {lines:?}")
}

fn main() {}
