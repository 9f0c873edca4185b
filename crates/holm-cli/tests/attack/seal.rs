//! Checks whether a result is in its envelope, with a reader that is not Holm's.

/// Pages shorter than this many bytes are shown whole.
const SHOWN_WHOLE: usize = 10_000;

/// How a page is shown to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seal {
    /// To the letter, in an envelope. Nothing in it looks like the envelope's own tags.
    Plain,
    /// In an envelope whose seal the page does not know, though it tries to end it, or is too long to be shown whole.
    Sealed,
    /// In another form, without an envelope, or with the envelope's seal inside.
    Broken,
}

/// How a page is shown in a result.
pub(crate) fn of(result: &str, page: &str) -> Seal {
    let Some((seal, body)) = opened(result) else { return Seal::Broken };
    // A long page is shown in part.
    let is_whole = page.lines().all(|line| body.contains(line));
    if body.contains(seal) || (!is_whole && page.len() < SHOWN_WHOLE) {
        return Seal::Broken;
    }
    if is_whole && tags(body) == 0 { Seal::Plain } else { Seal::Sealed }
}

/// The seal and the text between the two tags, if both tags bear the same seal.
fn opened(result: &str) -> Option<(&str, &str)> {
    let (head, rest) = result.strip_prefix("<tool_output seal=\"")?.split_once('>')?;
    let seal = head.strip_suffix('"')?;
    Some((seal, rest.strip_suffix(&format!("</tool_output seal=\"{seal}\">"))?))
}

/// How often a careless reader could see the tag: blanks, case, strokes and invisible characters do
/// not count.
fn tags(body: &str) -> usize {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{2039}' | '\u{3008}' | '\u{27e8}' => '<',
        'о' | '0' => 'o',
        other => other,
    };
    let plain: String = body.chars().map(narrow).filter(char::is_ascii_graphic).collect();
    let plain = plain.to_ascii_lowercase().replace(['/', '\\', '_', '-'], "");
    plain.matches("<tooloutput").count()
}
