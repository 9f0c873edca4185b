//! Checks the values of flags where the type alone allows too much.

/// A label of nothing would be taken for no label.
pub(super) fn not_empty(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("it is empty".into()) } else { Ok(text.to_owned()) }
}

/// Without a turn nothing would be asked, and a session would be left that holds nothing.
pub(super) fn at_least_one(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("a run needs at least one turn".into()),
        Ok(turns) => Ok(turns),
        Err(_) => Err(format!("`{text}` is not a whole number")),
    }
}
