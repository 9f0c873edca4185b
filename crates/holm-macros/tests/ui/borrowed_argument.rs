use holm_macros::tool;

/// Reads a file.
#[tool(crate = "::holm_runtime")]
fn read(path: &str) -> String {
    path.to_owned()
}

fn main() {}
