//! Guesses what a child was refused, from its error messages.
//!
//! The kernel tells the child that something is refused, but does not tell us what. Programs then
//! write a line with the path and the error in it, in a few common shapes. A child can write such a
//! line on purpose. So this is a hint for the user, who sees the line, and nothing is granted
//! because of it.
//!
//! It parses display text on purpose, and that is why its result must stay a hint. Only the end of
//! the output is searched. Which accesses a jail allows is read from the order (`order.rs`).

use std::path::{Component, Path, PathBuf};

use holm_grants::AccessRequest;

use crate::jail::JailNetwork;
use crate::launcher_side::SYSTEM;
use crate::order::{JailOrder, RootAccess};

/// The bytes of output that are searched: error messages come last, and a flood must not be costly.
const LOOK: usize = 16 * 1024;
/// The most guesses: one missing grant often makes many lines.
const MAX_GUESSES: usize = 8;

/// The longest path that is tried, as the kernel has it.
const MAX_WORD: usize = 4096;

/// An access that was probably refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuspectedDenial {
    /// A file; the request that a grant would have to admit, with an absolute path.
    File(AccessRequest),
    /// The network, and the host if the message names it.
    Network(Option<String>),
}

/// The accesses that the program probably lacked, judging by the end of its output.
pub(crate) fn suspect(order: &JailOrder, written: &[u8]) -> Vec<SuspectedDenial> {
    let text = String::from_utf8_lossy(written.get(written.len().saturating_sub(LOOK)..).unwrap_or(written));
    let mut found = Vec::new();
    for line in text.lines() {
        let guess = complaint(line).and_then(|complaint| match complaint {
            ComplaintSubject::Network(_) if order.network == JailNetwork::Open => None,
            ComplaintSubject::Network(host) => Some(SuspectedDenial::Network(host)),
            ComplaintSubject::File(what) => file(order, line, what),
        });
        if let Some(guess) = guess.filter(|guess| !found.contains(guess)) {
            found.push(guess);
        }
        if found.len() == MAX_GUESSES {
            break;
        }
    }
    found
}

/// The subject of an error message.
enum ComplaintSubject {
    File(FileComplaint),
    Network(Option<String>),
}

/// The error about a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileComplaint {
    Refused,
    ReadOnly,
    /// It seems not to be there.
    Missing,
}

fn complaint(line: &str) -> Option<ComplaintSubject> {
    const SIGNS: [(&str, FileComplaint); 6] = [
        ("read-only file system", FileComplaint::ReadOnly),
        ("erofs", FileComplaint::ReadOnly),
        ("permission denied", FileComplaint::Refused),
        ("eacces", FileComplaint::Refused),
        ("operation not permitted", FileComplaint::Refused),
        ("no such file or directory", FileComplaint::Missing),
    ];
    const NETWORK: [&str; 7] = [
        "could not resolve host",
        "temporary failure in name resolution",
        "network is unreachable",
        "name or service not known",
        "getaddrinfo",
        "couldn't resolve host",
        "failed to lookup address",
    ];
    let lower = line.to_lowercase();
    if NETWORK.iter().any(|sign| lower.contains(sign)) {
        return Some(ComplaintSubject::Network(host_in(line)));
    }
    if (lower.contains("socket") || lower.contains("connect")) && lower.contains("not permitted") {
        return Some(ComplaintSubject::Network(host_in(line)));
    }
    SIGNS.iter().find(|(sign, _)| lower.contains(sign)).map(|(_, what)| ComplaintSubject::File(*what))
}

/// The first word of the line that is a host name with a dot.
fn host_in(line: &str) -> Option<String> {
    let words = line
        .split(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '(' | ')' | ',' | '/' | ':' | '`'));
    let host = |word: &&str| {
        let word = word.trim_end_matches('.');
        word.contains('.')
            && word.len() > 3
            && word.split('.').all(|label| label.len() > 1 && is_label(label))
    };
    words.into_iter().find(host).map(|word| word.trim_end_matches('.').to_owned())
}

fn is_label(label: &str) -> bool {
    label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// The request behind an error message, if a path in the line is one that the jail refuses.
fn file(order: &JailOrder, line: &str, what: FileComplaint) -> Option<SuspectedDenial> {
    candidates(line).into_iter().find_map(|word| {
        let path = absolute(&order.cwd, word)?;
        let root = order.innermost(&path);
        let writes = what == FileComplaint::ReadOnly || says_writing(line);
        let request = match root.map(|root| root.access) {
            // A hidden path is denied, and no grant opens it.
            Some(RootAccess::Write | RootAccess::Full | RootAccess::Hidden) => return None,
            // A protected place is opened as a whole or not at all.
            Some(RootAccess::Protected) => AccessRequest::Write(text(&root?.path)?),
            Some(RootAccess::Read | RootAccess::Exec) if writes || what == FileComplaint::Refused => {
                AccessRequest::Write(text(&path)?)
            }
            Some(RootAccess::Read | RootAccess::Exec) => return None,
            None if writes => AccessRequest::Write(text(&path)?),
            // If the path exists nowhere, the shell was asked to create it, in a folder that the
            // child cannot see.
            None if !path.exists() && is_shell(line) && is_out_of_sight(&path) => {
                AccessRequest::Write(text(&path)?)
            }
            // A hidden file looks missing, but a file that does not exist at all needs no grant.
            None if what == FileComplaint::Missing && !path.exists() => return None,
            None => AccessRequest::Read(text(&path)?),
        };
        Some(SuspectedDenial::File(request))
    })
}

/// Whether a shell wrote the line: it names no verb when a redirection fails.
fn is_shell(line: &str) -> bool {
    let name = line.split(':').next().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    matches!(name, "bash" | "sh" | "dash" | "zsh" | "ksh")
}

/// Whether the folder of a path exists, and is not among those that every child sees.
fn is_out_of_sight(path: &Path) -> bool {
    let seen = |folder: &Path| SYSTEM.iter().chain(&["/proc", "/dev"]).any(|place| folder.starts_with(place));
    path.parent().is_some_and(|folder| folder.is_dir() && folder != Path::new("/") && !seen(folder))
}

fn says_writing(line: &str) -> bool {
    const WORDS: [&str; 8] = ["create", "creat", "mkdir", "touch", "write", "remove", "unlink", "rename"];
    let lower = line.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// The parts of a line that may be a path: quoted text, words with a slash, text between colons
/// and its last word.
///
/// The first word is tried last, since most lines begin with the name of the program.
fn candidates(line: &str) -> Vec<&str> {
    let bare = |word: &str| -> bool { !word.is_empty() && word.len() < MAX_WORD };
    let quoted = line.split(['\'', '"', '`', '\u{2018}', '\u{2019}']).skip(1).step_by(2);
    let words = line.split_whitespace().map(trimmed).filter(|word| word.contains('/'));
    let parts = line.split(": ").map(str::trim);
    let last_words = parts.clone().filter_map(|part| part.rsplit(' ').next());
    let mut found: Vec<&str> =
        quoted.chain(words).chain(parts).chain(last_words).filter(|word| bare(word)).collect();
    let first = line.split_whitespace().next().map(trimmed);
    // Stable, so that the order above holds for the others.
    found.sort_by_key(|word| Some(*word) == first);
    found
}

/// A word without the marks around it.
fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| matches!(c, '\'' | '"' | ':' | ',' | '(' | ')'))
}

/// The path as a text from the root, with dots resolved by their letters alone.
fn absolute(cwd: &Path, word: &str) -> Option<PathBuf> {
    let looks = word.contains('/') || word.contains('.') || cwd.join(word).exists();
    if !looks || word.contains("://") {
        return None;
    }
    let mut path = PathBuf::new();
    for part in cwd.join(word).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            other @ (Component::Prefix(_) | Component::RootDir | Component::Normal(_)) => path.push(other),
        }
    }
    Some(path)
}

fn text(path: &Path) -> Option<holm_grants::FilePath> {
    path.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests;
