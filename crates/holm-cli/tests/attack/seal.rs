//! Whether a result is still in its envelope, by a reader that is not Holm's.

/// How a result stands in its envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seal {
    /// In it, to the letter.
    Verbatim,
    /// In it, with something written otherwise.
    Defused,
    /// Not in it, or there is more than one.
    Broken,
}

/// How a page stands in the result that a model is shown.
pub(crate) fn of(result: &str, page: &str) -> Seal {
    let Some(body) = inside(result) else { return Seal::Broken };
    if tags(body) > 0 {
        return Seal::Broken;
    }
    if page.lines().all(|line| body.contains(line)) { Seal::Verbatim } else { Seal::Defused }
}

/// What stands between the two tags, if both bear the same seal.
fn inside(result: &str) -> Option<&str> {
    let (head, rest) = result.strip_prefix("<tool_output ")?.split_once('>')?;
    let (_, seal) = head.rsplit_once("seal=\"")?;
    let seal = seal.strip_suffix('"')?;
    rest.strip_suffix(&format!("</tool_output seal=\"{seal}\">"))
}

/// How often something could be read as the tag, by somebody who does not look closely: blanks, case, strokes and what
/// cannot be seen do not count.
fn tags(body: &str) -> usize {
    let plain: String = body.chars().filter(char::is_ascii_graphic).collect();
    let plain = plain.to_ascii_lowercase().replace(['/', '\\', '_', '-'], "");
    plain.matches("<tooloutput").count()
}
