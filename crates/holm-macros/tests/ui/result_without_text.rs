use holm_macros::tool;

struct Secret;

/// Gives back something that cannot be shown.
#[tool(crate = "::holm_runtime")]
fn secret() -> Secret {
    Secret
}

fn main() {}
