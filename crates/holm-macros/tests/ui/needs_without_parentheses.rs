use holm_macros::tool;

/// Reads a file.
#[tool(crate = "::holm_runtime", needs = "read:{path}")]
fn read(path: String) -> String {
    path
}

fn main() {}
