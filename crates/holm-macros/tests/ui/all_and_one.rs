use holm_macros::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Search {
    text: String,
}

/// Searches.
#[tool(crate = "::holm_runtime")]
fn search(#[arguments] search: Search, limit: u32) -> String {
    format!("{} {limit}", search.text)
}

fn main() {}
