use holm_macros::tool;

/// Says it again.
#[tool(crate = "::holm_runtime")]
fn echo<T: ToString>(what: T) -> String {
    what.to_string()
}

fn main() {}
