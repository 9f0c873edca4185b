//! Detects error messages that arrive as successful output.
//!
//! Every rule asks whether the output is *nothing but* an error: one line that is something else
//! makes it data. A file that mentions an error, a log with errors among other lines and a search
//! hit with its file name in front are therefore fine. A lone error line that a tool was *asked* to
//! show cannot be told apart by its text; such tools declare
//! [`ErrorText::Allowed`](super::ErrorText::Allowed).
//!
//! This file only recognises; `plausibility/guard.rs` words the finding. A new phrase belongs here
//! only if no tool prints it alone as an answer: a wrong match costs the model a turn. Long outputs
//! are not searched, so that the cost of a result stays small.

use super::ascii;
use crate::json::{Json, JsonObject};

/// The endings of error messages, as in `cat: notes.txt: No such file or directory`. Lower case.
///
/// Without the something in the middle (`database: connection refused`) it may well be the answer.
const COMPLAINTS: &[&str] = &[
    "command not found",
    "connection refused",
    "connection timed out",
    "exec format error",
    "is a directory",
    "network is unreachable",
    "no space left on device",
    "no such file or directory",
    "not a directory",
    "operation not permitted",
    "permission denied",
    "read-only file system",
];

/// The beginnings of error messages whose object comes last, as in `zsh: command not
/// found: foo`. Lower case.
const OPENINGS: &[&str] = &[
    "command not found: ",
    "could not resolve host",
    "enoent: no such file or directory",
    "no such file or directory: ",
    "not a git repository",
    "permission denied: ",
    "(6) could not resolve host",
    "(7) failed to connect to ",
];

/// Shells that say no more than `sh: 1: foo: not found`.
const SHELLS: &[&str] = &["sh", "ash", "dash", "/bin/sh", "/bin/ash", "/bin/dash"];

/// Whole lines that are errors without naming a program. Lower case.
const WHOLE_LINES: &[&str] = &[
    "[object object]",
    "[object promise]",
    "operable program or batch file.",
    "segmentation fault",
    "segmentation fault (core dumped)",
];

/// The end of the complaint that Windows prints before "operable program or
/// batch file." Lower case.
const WINDOWS_COMPLAINT: &str = "' is not recognized as an internal or external command,";

/// HTTP failures by number and reason phrase, as servers put them into titles and
/// plain bodies. Lower case.
const HTTP_FAILURES: &[(&str, &str)] = &[
    ("400", "bad request"),
    ("401", "unauthorized"),
    ("401", "authorization required"),
    ("403", "forbidden"),
    ("404", "not found"),
    ("405", "method not allowed"),
    ("408", "request timeout"),
    ("410", "gone"),
    ("413", "request entity too large"),
    ("414", "uri too long"),
    ("429", "too many requests"),
    ("500", "internal server error"),
    ("502", "bad gateway"),
    ("503", "service unavailable"),
    ("503", "service temporarily unavailable"),
    ("504", "gateway timeout"),
    ("504", "gateway time-out"),
];

/// Members that may occur next to an error without being data.
const BESIDE_AN_ERROR: &[&str] = &[
    "code",
    "detail",
    "details",
    "error",
    "error_description",
    "error_type",
    "errors",
    "hint",
    "isError",
    "is_error",
    "message",
    "ok",
    "path",
    "request_id",
    "stack",
    "status",
    "status_code",
    "success",
    "timestamp",
    "trace",
    "type",
];

/// Members that mark an error, each up to its closing quote.
const REPORTING: &[&str] = &["error\"", "errors\"", "isError\"", "is_error\"", "ok\"", "success\""];

/// Larger outputs are not read as one error object: errors are short, and parsing is not free.
pub(super) const MAX_ERROR_OBJECT: usize = 64 * 1024;

/// The title of an error page is near its beginning.
const TITLE_WITHIN: usize = 4 * 1024;

/// A longer line is content, even if it ends like an error.
const MAX_COMPLAINT: usize = 512;

/// Whether a whole, trimmed output is nothing but an error message.
pub(super) fn is_error(text: &str) -> bool {
    is_error_page(text)
        || is_error_object(text)
        || is_status(text)
        || is_traceback(text)
        || is_complaints(text)
}

/// Whether a text begins like the HTML page that a server sends with an HTTP failure.
pub(super) fn is_error_page(text: &str) -> bool {
    let text = ascii::trim(text);
    if !text.starts_with('<') {
        return false;
    }
    if !ascii::starts_with(text, "<!doctype html") && !ascii::starts_with(text, "<html") {
        return false;
    }
    let start = prefix(text, TITLE_WITHIN).to_ascii_lowercase();
    let Some((_, after)) = start.split_once("<title>") else { return false };
    let Some((title, _)) = after.split_once("</title>") else { return false };
    title.len() <= MAX_COMPLAINT && is_status(title.trim())
}

/// Whether a trimmed text is only an HTTP failure: `404 Not Found`, `404: Not Found`, `HTTP Status
/// 404 – Not Found`.
fn is_status(text: &str) -> bool {
    // They begin with a number, `error` or `http`.
    if text.len() > MAX_COMPLAINT || !text.starts_with(['4', '5', 'e', 'E', 'h', 'H']) {
        return false;
    }
    let text = ascii::strip_prefix(text, "error").map_or(text, str::trim_start);
    let http = ascii::strip_prefix(text, "http status").or_else(|| ascii::strip_prefix(text, "http"));
    let text = http.map_or(text, str::trim_start);
    // All of them are of the fourth and the fifth hundred.
    text.starts_with(['4', '5'])
        && HTTP_FAILURES.iter().any(|(number, phrase)| {
            let Some(rest) = text.strip_prefix(number) else { return false };
            let rest = rest.trim_start_matches([' ', ':', '-', '–', '|']);
            ascii::strip_prefix(rest, phrase)
                .is_some_and(|rest| rest.chars().all(|c| c == '.' || c == '!' || c == ' '))
        })
}

/// Whether a text is one JSON object that reports an error and holds nothing else.
fn is_error_object(text: &str) -> bool {
    if !text.starts_with('{') || text.len() > MAX_ERROR_OBJECT || !may_report(text) {
        return false;
    }
    let Ok(Json::Object(members)) = Json::parse(text) else { return false };
    let flagged = |name| members.get(name) == Some(&Json::Bool(true));
    if flagged("is_error") || flagged("isError") {
        return true;
    }
    let failed = |name| members.get(name) == Some(&Json::Bool(false));
    let reported = members.get("error").is_some_and(says_something)
        || members.get("errors").is_some_and(says_something)
        || failed("success")
        || failed("ok");
    reported && !holds_data(&members)
}

/// Whether a JSON text names any member that marks an error, so that the rest need not be parsed.
///
/// Letters can also be written as `\u` escapes; a text that has any is always parsed.
fn may_report(text: &str) -> bool {
    text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'"' | b'\\')).any(|(at, byte)| {
        let rest = text.as_bytes().get(at + 1..).unwrap_or_default();
        match byte {
            b'"' => REPORTING.iter().any(|name| rest.starts_with(name.as_bytes())),
            _ => rest.starts_with(b"u"),
        }
    })
}

/// Whether a value means an error: `null`, `false` and empty ones mean the absence of one.
fn says_something(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(flag) => *flag,
        Json::Number(number) => !number.is_zero(),
        Json::String(text) => !text.trim().is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(members) => !members.is_empty(),
    }
}

fn holds_data(members: &JsonObject) -> bool {
    members.iter().any(|(name, value)| !value.is_null() && !BESIDE_AN_ERROR.contains(&name.as_str()))
}

/// Whether a text is one Python traceback: its header, indented frames, and the exception
/// as the last line.
fn is_traceback(text: &str) -> bool {
    const HEADER: &str = "Traceback (most recent call last):";
    let mut lines = text.lines();
    if !text.starts_with(HEADER) || lines.next() != Some(HEADER) {
        return false;
    }
    let Some(exception) = lines.next_back() else { return false };
    let named = exception.split(':').next().is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_')
    });
    named && lines.all(|line| line.starts_with(' ') || line.is_empty())
}

/// Whether every line of a trimmed text is a program's error message.
fn is_complaints(text: &str) -> bool {
    may_complain(text) && text.split('\n').map(ascii::trim).filter(|line| !line.is_empty()).all(is_complaint)
}

/// Whether a text can begin with an error message: a word and a colon, or one of the lines
/// that name no program.
fn may_complain(text: &str) -> bool {
    match text.as_bytes().get(word_length(text)..).unwrap_or_default() {
        [b':', b' ', ..] => true,
        [byte, ..] if !byte.is_ascii() => true,
        _ => text.len() >= WINDOWS_COMPLAINT.len() || text.starts_with(['[', 'o', 'O', 's', 'S']),
    }
}

fn is_complaint(line: &str) -> bool {
    if line.len() > MAX_COMPLAINT {
        return false;
    }
    if WHOLE_LINES.iter().any(|known| line.eq_ignore_ascii_case(known))
        || ascii::strip_suffix(line, WINDOWS_COMPLAINT).is_some()
    {
        return true;
    }
    if line.is_ascii() {
        let word = word_length(line);
        let named = line.as_bytes().get(word..).is_some_and(|rest| rest.starts_with(b": "));
        return named && complains(line, word);
    }
    if !line.as_bytes().windows(2).any(|pair| pair == b": ") {
        return false;
    }
    let lower = line.to_lowercase();
    lower.find(": ").is_some_and(|colon| complains(&lower, colon))
}

/// The length of the word that may name a program, as far as it is ASCII and as long as an
/// error message can be.
fn word_length(text: &str) -> usize {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'+');
    text.bytes().take(MAX_COMPLAINT).take_while(plain).count()
}

/// Whether a line, with its first `: ` at `colon`, is a program and its error message.
fn complains(line: &str, colon: usize) -> bool {
    let (Some(program), Some(message)) = (line.get(..colon), line.get(colon + 2..)) else { return false };
    if !is_program(program) {
        return false;
    }
    let message = message.trim_end_matches('.');
    let about = |complaint: &str| {
        ascii::strip_suffix(message, complaint).is_some_and(|subject| subject.ends_with(": "))
    };
    message.eq_ignore_ascii_case("command not found")
        || OPENINGS.iter().any(|opening| ascii::starts_with(message, opening))
        || COMPLAINTS.iter().any(|complaint| about(complaint))
        || (SHELLS.iter().any(|shell| program.eq_ignore_ascii_case(shell)) && about("not found"))
}

/// Whether a word can be the program of an error message. `src/lib.rs:12` (a search hit)
/// and a sentence cannot.
fn is_program(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+');
    word.chars().any(char::is_alphabetic) && word.chars().all(plain)
}

/// The first `bytes` of a text, shortened to a character boundary.
fn prefix(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.get(..end).unwrap_or(text)
}
