//! Here-documents: the grammar loses blanks and backticks in them, so their bodies are found and
//! read a second time.

use tree_sitter::Node;

/// The body of a here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HereDocumentBody<'a> {
    /// Bash expands it as in double quotes.
    Expanded(&'a str),
    /// It is a literal text.
    Verbatim,
    /// Where Bash ends it cannot be told.
    Unclear,
}

/// The body of a here-document, if the grammar ends it where Bash does.
pub(super) fn body<'a>(redirect: Node<'_>, text: &'a str) -> HereDocumentBody<'a> {
    let mut cursor = redirect.walk();
    let child = |kind: &str| redirect.children(&mut cursor.clone()).find(|child| child.kind() == kind);
    let (Some(start), Some(end)) = (child("heredoc_start"), child("heredoc_end")) else {
        return HereDocumentBody::Unclear;
    };
    let strips = redirect.children(&mut cursor).any(|child| child.kind() == "<<-");
    let mark = text.get(start.byte_range()).unwrap_or_default();
    let is_quoted = mark.contains(['\'', '"', '\\']);
    let word: String = mark.chars().filter(|letter| !matches!(letter, '\'' | '"' | '\\')).collect();
    let behind = text.get(start.end_byte()..).unwrap_or_default();
    let first = behind.find('\n').map(|at| start.end_byte() + at + 1);
    let Some(body) = first.and_then(|first| text.get(first..end.start_byte())) else {
        return HereDocumentBody::Unclear;
    };
    let line = |line: &str| if strips { line.trim_start_matches('\t').to_owned() } else { line.to_owned() };
    let ends_before = body.split_inclusive('\n').any(|part| line(part.trim_end_matches('\n')) == word);
    let last = body.rsplit('\n').next().unwrap_or_default();
    let stands_alone = line(last).is_empty()
        && text.get(end.byte_range()) == Some(word.as_str())
        && text.get(end.end_byte()..).is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'));
    if word.is_empty() || mark.contains(['$', '`']) || ends_before || !stands_alone {
        return HereDocumentBody::Unclear;
    }
    if is_quoted { HereDocumentBody::Verbatim } else { HereDocumentBody::Expanded(body) }
}
