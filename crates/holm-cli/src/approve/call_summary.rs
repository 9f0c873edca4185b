//! What a call would do, as a user reads it: a headline, and the change or the command itself.
//!
//! Everything of the arguments is in the headline or in the lines. A call with arguments that are
//! not known here has no summary, and `approve.rs` shows its arguments as they are.
//!
//! It reads no file and asks nothing: the difference of a write comes from
//! `holm-tools/src/files/proposed_change.rs`, and `approve.rs` puts the summary into the question,
//! which the terminal, the chat and editors show.

use holm::grants::patch_files;
use holm_tools::files::{LineDifference, ProposedChange};
use serde_json::{Map, Value};

/// A call in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CallSummary {
    /// What it does, as a question: "edit src/calc.py? (+1 −1)".
    pub(super) headline: String,
    /// The change, line by line; each begins with `+` or `-` as in a diff.
    pub(super) change: Vec<String>,
}

impl CallSummary {
    /// The summary of a call of one of the file tools; `None` for other calls, and if an argument
    /// would not be shown.
    pub(super) fn of(tool: &str, arguments: &str, file: Option<&ProposedChange>) -> Option<Self> {
        let Value::Object(arguments) = serde_json::from_str(arguments).ok()? else { return None };
        match tool {
            "read" => has_only(&arguments, &["path"])
                .then(|| Some(Self::plain(format!("read {}?", line(&arguments, "path")?))))?,
            "write" => has_only(&arguments, &["path", "content"]).then(|| Self::write(&arguments, file))?,
            "edit" => Self::edit(&arguments),
            "patch" => has_only(&arguments, &["diff", "paths"]).then(|| Self::patch(&arguments))?,
            "fetch" => has_only(&arguments, &["url"])
                .then(|| Some(Self::plain(format!("fetch {}?", line(&arguments, "url")?))))?,
            _ => None,
        }
    }

    const fn plain(headline: String) -> Self {
        Self { headline, change: Vec::new() }
    }

    /// A whole file, as the difference to the file that it replaces.
    fn write(arguments: &Map<String, Value>, file: Option<&ProposedChange>) -> Option<Self> {
        let (path, content) = (line(arguments, "path")?, text(arguments, "content")?);
        let whole = |what: &str| Self::changed(&format!("{what} {path}"), marked('+', content).collect());
        Some(match file {
            None => whole("write"),
            Some(ProposedChange::New) => {
                let Self { headline, change } = whole("write");
                Self { headline: headline.replacen("? (", "? (new file, ", 1), change }
            }
            Some(ProposedChange::Replaced(LineDifference { added, removed, lines })) => {
                let headline = format!("replace {path}? (+{added} −{removed})");
                Self { headline, change: lines.clone() }
            }
            Some(ProposedChange::Uncompared { size }) => {
                let Self { headline, change } = whole("replace");
                let size = format!("@@ the file as it is has {size} bytes and is not shown @@");
                Self { headline, change: std::iter::once(size).chain(change).collect() }
            }
        })
    }

    fn edit(arguments: &Map<String, Value>) -> Option<Self> {
        let path = line(arguments, "path")?;
        let mut change = Vec::new();
        let (edits, known): (Vec<&Map<String, Value>>, &[&str]) = match arguments.get("edits") {
            Some(Value::Array(edits)) if has_only(arguments, &["path", "edits"]) => {
                (edits.iter().map(Value::as_object).collect::<Option<_>>()?, &["old", "new"])
            }
            Some(_) => return None,
            None => (vec![arguments], &["path", "old", "new"]),
        };
        for edit in edits {
            if !has_only(edit, known) {
                return None;
            }
            change.extend(marked('-', text(edit, "old")?));
            change.extend(marked('+', text(edit, "new")?));
        }
        Some(Self::changed(&format!("edit {path}"), change))
    }

    fn patch(arguments: &Map<String, Value>) -> Option<Self> {
        let diff = text(arguments, "diff")?;
        let files = patch_files(diff);
        // Listed files that the patch does not name would not be shown.
        if let Some(listed) = arguments.get("paths") {
            let named = |path: &Value| path.as_str().is_some_and(|path| files.contains(&path));
            if !listed.as_array()?.iter().all(named) {
                return None;
            }
        }
        let what = match files.as_slice() {
            [file, ..] if !is_plain_name(file) => return None,
            [] => return None,
            [file] => format!("patch {file}"),
            [file, others @ ..] => format!("patch {file} and {} more files", others.len()),
        };
        Some(Self::changed(&what, diff.split('\n').map(str::to_owned).collect()))
    }

    fn changed(what: &str, change: Vec<String>) -> Self {
        let count = |mark: char, heading: &str| {
            change.iter().filter(|line| line.starts_with(mark) && !line.starts_with(heading)).count()
        };
        let (added, removed) = (count('+', "+++"), count('-', "---"));
        Self { headline: format!("{what}? (+{added} −{removed})"), change }
    }
}

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// A text for the headline, which is one line. A name that could end the headline early is not one.
fn line<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    text(arguments, name).filter(|text| is_plain_name(text))
}

fn is_plain_name(text: &str) -> bool {
    let has_gap = text.split(' ').any(str::is_empty);
    let is_blank = |c: char| c != ' ' && c.is_whitespace();
    !has_gap && !text.contains("? ") && !text.contains(|c: char| c.is_control() || is_blank(c))
}

fn has_only(arguments: &Map<String, Value>, names: &[&str]) -> bool {
    arguments.keys().all(|name| names.contains(&name.as_str()))
}

/// The lines of a text with a mark before each. A carriage return stays, so that it is seen.
fn marked(mark: char, text: &str) -> impl Iterator<Item = String> {
    let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
    lines.filter(|_| !text.is_empty()).map(move |line| format!("{mark} {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(tool: &str, arguments: &str) -> Option<(String, Vec<String>)> {
        CallSummary::of(tool, arguments, None).map(|summary| (summary.headline, summary.change))
    }

    #[test]
    fn a_change_is_shown_as_a_diff_with_its_size() {
        let edit = r#"{"path":"src/calc.py","old":"a\nb","new":"a"}"#;
        let shown = summary("edit", edit).unwrap();
        assert_eq!(
            shown,
            ("edit src/calc.py? (+1 −2)".into(), ["- a", "- b", "+ a"].map(String::from).into())
        );
        let write = r#"{"path":"n.txt","content":"1\n"}"#;
        assert_eq!(summary("write", write).unwrap().0, "write n.txt? (+1 −0)");
        let patch = r#"{"diff":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n"}"#;
        assert_eq!(summary("patch", patch).unwrap().0, "patch x? (+1 −1)");
    }

    #[test]
    fn a_write_over_a_file_is_shown_as_the_difference_to_it() {
        let shown = |file: ProposedChange| {
            let summary = CallSummary::of("write", r#"{"path":"n.txt","content":"1\n2\n"}"#, Some(&file));
            summary.map(|summary| (summary.headline, summary.change.join("\n"))).unwrap()
        };
        assert_eq!(shown(ProposedChange::New), ("write n.txt? (new file, +2 −0)".into(), "+ 1\n+ 2".into()));
        let lines = ["  1", "- 3", "+ 2"].map(String::from).into();
        let difference = LineDifference { added: 1, removed: 1, lines };
        let replaced = ("replace n.txt? (+1 −1)".into(), "  1\n- 3\n+ 2".into());
        assert_eq!(shown(ProposedChange::Replaced(difference)), replaced);
        let large = shown(ProposedChange::Uncompared { size: 7 });
        let lines = "@@ the file as it is has 7 bytes and is not shown @@\n+ 1\n+ 2";
        assert_eq!(large, ("replace n.txt? (+2 −0)".into(), lines.into()));
    }

    #[test]
    fn an_argument_that_would_not_be_shown_prevents_the_summary() {
        for (tool, arguments) in [
            ("write", r#"{"path":"a","content":"b","mode":"0777"}"#),
            ("write", r#"{"path":"a","content":7}"#),
            ("edit", r#"{"path":"a","old":"b","new":"c","all":true}"#),
            ("edit", r#"{"path":"a","old":"b","edits":[]}"#),
            ("edit", r#"{"path":"a","edits":[{"old":"b","new":"c","path":["x"]}]}"#),
            ("patch", r#"{"diff":"--- a/x\n+++ b/x\n","paths":["y"]}"#),
            ("read", r#"{"path":"a","offset":3}"#),
            ("shell", r#"{"script":"ls"}"#),
            ("write", r#"{"path":"a\nb","content":"b"}"#),
            ("write", r#"{"path":"README.md? (+1 −0)  evil.sh","content":"b"}"#),
            ("write", r#"{"path":"a\u3000b","content":"b"}"#),
            ("patch", r#"{"diff":"--- a/x? (+1 −0)\n+++ b/x? (+1 −0)\n"}"#),
            ("write", "not json"),
        ] {
            assert_eq!(summary(tool, arguments), None, "{tool} {arguments}");
        }
    }
}
