//! What a person sees of a file before they trust it: its text, or what can be said about a file
//! that is not text. It runs nothing and asks nothing; `consent.rs` asks.
//!
//! The author of the file is not trusted yet. So every hidden character is written out, each line
//! has a mark that the file cannot imitate, and lines that are left out are counted. The content of
//! files that may hold secrets is not shown.
//!
//! `commands/tool/trust.rs` shows it; what is trusted is stored in
//! `holm-tools/src/trust/ledger.rs`.

use std::path::Path;

use holm::{grants::FilePath, kernel::visible};
use holm_config::read_plain;
use holm_tools::{registry::ToolSidecar, root::DenyRules, wasm::declared_asks};

use crate::screen::{self, DisplayablePath as _};

/// Lines of a screen whose height is unknown, and the least and the most that are used.
const USUAL_ROWS: usize = 40;
const ROWS: std::ops::RangeInclusive<usize> = 20..=100;

/// The fewest lines of a file that are shown if many files share the screen.
const LEAST_ROWS: usize = 3;

/// The most lines of all files together: a person asks for more if they want it.
const MOST_ROWS: usize = 400;

/// The most characters of a line that a preview shows; a longer one would wrap over the screen.
const LINE_CHARS: usize = 200;

/// The mark of each line of content.
const MARK: &str = "  | ";

/// A file that holds keys and has a name that no rule for secrets knows.
const KEYS_FILE: &str = "agents-exe.keys";

/// How much of the content is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PreviewLength {
    /// As much as fits on a screen together with the others.
    Lines(usize),
    Whole,
}

/// Divides a screen among files.
pub(crate) struct PreviewRoom {
    share: usize,
    left: usize,
}

impl PreviewRoom {
    pub(crate) fn for_files(count: usize) -> Self {
        let rows = screen::size().1.unwrap_or(USUAL_ROWS).clamp(*ROWS.start(), *ROWS.end());
        // Each file has a line of its own and one about what it asks for.
        let share = (rows.saturating_sub(2 * count + 2) / count.max(1)).max(LEAST_ROWS);
        Self { share, left: MOST_ROWS }
    }

    /// The lines for the next file.
    pub(crate) fn take(&mut self) -> PreviewLength {
        let lines = self.share.min(self.left);
        self.left -= lines;
        PreviewLength::Lines(lines)
    }
}

/// The lines that show a file. `whole` is the command that shows everything.
pub(crate) fn preview(path: &Path, bytes: &[u8], length: PreviewLength, whole: &str) -> Vec<String> {
    if let Some(rule) = secret(path) {
        return vec![format!("  its content is not shown, because it may hold secrets ({rule})")];
    }
    let mut lines: Vec<String> = needs(path, bytes).into_iter().map(|line| format!("  {line}")).collect();
    match text(bytes) {
        Ok(text) => lines.extend(text_lines(text, length, whole)),
        Err(kind) => lines.push(format!("  it is {kind}, so there is no text to show")),
    }
    lines
}

/// The rule by which a file may hold secrets.
fn secret(path: &Path) -> Option<String> {
    if path.file_name().is_some_and(|name| name == KEYS_FILE) {
        return Some(KEYS_FILE.to_owned());
    }
    // The rules are about paths below a folder.
    let path: FilePath = path.to_str()?.trim_start_matches('/').parse().ok()?;
    DenyRules::usual().reading(&path)
}

/// The text of a file, or what the file is instead.
fn text(bytes: &[u8]) -> Result<&str, &'static str> {
    if let Some(rest) = bytes.strip_prefix(b"\0asm") {
        // The number of the format that follows says which of the two it is.
        return Err(if rest.starts_with(&[1, 0, 0, 0]) { "a WASM module" } else { "a WASM component" });
    }
    if bytes.starts_with(b"\x7fELF") {
        return Err("a compiled program (ELF)");
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        Ok(_) | Err(_) => Err("binary data"),
    }
}

/// What a program or a WASM file asks for, as it declares it.
fn needs(path: &Path, bytes: &[u8]) -> Vec<String> {
    let is_wasm = bytes.starts_with(b"\0asm");
    if !is_wasm && !bytes.starts_with(b"#!") && !bytes.starts_with(b"\x7fELF") {
        return Vec::new();
    }
    let mut lines = Vec::new();
    if is_wasm {
        match declared_asks(bytes) {
            Ok(asks) if asks.is_empty() => {}
            Ok(asks) => lines.push(format!("asks for {}", asks.join(", "))),
            Err(why) => lines.push(format!("cannot be used: {why}")),
        }
    }
    let sidecar = path.with_extension("toml");
    let name = sidecar.file_name().unwrap_or_default().shown();
    match read_plain(&sidecar).ok().map(|text| ToolSidecar::read(&text)) {
        Some(Ok(sidecar)) if !sidecar.asks.is_empty() => {
            let asks: Vec<String> = sidecar.asks.iter().map(ToString::to_string).collect();
            lines.push(format!("asks for {} ({name})", asks.join(", ")));
        }
        Some(Err(why)) => lines.push(format!("{name} cannot be used: {why}")),
        Some(Ok(_)) | None => {}
    }
    if lines.is_empty() {
        lines.push("asks for no grants".to_owned());
    }
    lines
}

fn text_lines(text: &str, length: PreviewLength, whole: &str) -> Vec<String> {
    if text.is_empty() {
        return vec!["  it is empty".to_owned()];
    }
    let all: Vec<&str> = text.split_terminator('\n').collect();
    let mut lines = Vec::new();
    let most = match length {
        PreviewLength::Whole => all.len(),
        PreviewLength::Lines(most) => most,
    };
    let is_hidden = visible(text) != text;
    if is_hidden {
        lines.push("  warning: it has hidden characters; they are written out as \\u{…}".to_owned());
    }
    let mut is_cut = false;
    for line in all.iter().take(most) {
        let shown = match length {
            PreviewLength::Whole => visible(line),
            PreviewLength::Lines(_) => clipped(&visible(line), &mut is_cut),
        };
        lines.push(format!("{MARK}{shown}"));
    }
    let left = all.len().saturating_sub(most);
    let left = match (left, is_cut) {
        (0, false) => return lines,
        (0, true) => "some lines are cut".to_owned(),
        (1, _) => "1 more line".to_owned(),
        (left, _) => format!("{left} more lines"),
    };
    lines.push(format!("  … {left}; `{whole}` shows everything"));
    lines
}

/// The beginning of a line, and how much is missing.
fn clipped(line: &str, is_cut: &mut bool) -> String {
    let Some((end, _)) = line.char_indices().nth(LINE_CHARS) else { return line.to_owned() };
    *is_cut = true;
    let (start, rest) = line.split_at(end);
    format!("{start} […{} more characters]", rest.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "holm tool trust --show";

    fn shown(path: &str, bytes: &[u8], most: usize) -> Vec<String> {
        preview(Path::new(path), bytes, PreviewLength::Lines(most), WHOLE)
    }

    #[test]
    fn a_text_is_shown_line_by_line_and_what_is_left_out_is_counted() {
        let text = b"#!/bin/sh\necho one\necho two\necho three\n";
        assert_eq!(
            shown("/p/run.sh", text, 2),
            [
                "  asks for no grants",
                "  | #!/bin/sh",
                "  | echo one",
                "  … 2 more lines; `holm tool trust --show` shows everything"
            ]
        );
        assert_eq!(shown("/p/SKILL.md", b"one\ntwo\n", 5), ["  | one", "  | two"]);
        assert_eq!(shown("/p/SKILL.md", b"", 5), ["  it is empty"]);
        let whole = preview(Path::new("/p/run.sh"), text, PreviewLength::Whole, WHOLE);
        assert_eq!(whole.len(), 5, "{whole:?}");
    }

    #[test]
    fn no_hidden_character_reaches_the_screen() {
        let text = "ok\u{1b}[2J\u{202e}gpj\u{200b}\rend\u{85}\u{2028}\u{e0041}\n";
        for length in [PreviewLength::Lines(9), PreviewLength::Whole] {
            let lines = preview(Path::new("/p/a.md"), text.as_bytes(), length, WHOLE);
            assert!(lines[0].contains("hidden characters"), "{lines:?}");
            assert_eq!(lines[1], "  | ok\\u{1b}[2J\\u{202e}gpj\\u{200b}\\u{d}end\\u{85}\\u{2028}\\u{e0041}");
        }
    }

    #[test]
    fn a_long_line_is_cut_and_says_so() {
        let lines = shown("/p/a.md", "x".repeat(1_000).as_bytes(), 9);
        assert!(lines[0].ends_with("x […800 more characters]"), "{lines:?}");
        assert_eq!(lines[1], "  … some lines are cut; `holm tool trust --show` shows everything");
    }

    #[test]
    fn what_is_not_text_is_named() {
        for (bytes, kind) in [
            (&b"\0asm\x01\0\0\0"[..], "a WASM module"),
            (b"\0asm\x0d\0\x01\0", "a WASM component"),
            (b"\x7fELF\x02\x01", "a compiled program (ELF)"),
            (b"\xff\xfe\x00", "binary data"),
            (b"a\0b", "binary data"),
        ] {
            let lines = shown("/p/tool", bytes, 9);
            let told = format!("  it is {kind}, so there is no text to show");
            assert_eq!(lines.last(), Some(&told), "{lines:?}");
        }
    }

    #[test]
    fn what_a_sidecar_asks_for_is_shown_with_the_program() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run.toml"), "asks = ['read:src/**', 'write:{path}']\n").unwrap();
        let lines = preview(&folder.path().join("run.sh"), b"#!/bin/sh\n", PreviewLength::Lines(9), WHOLE);
        assert_eq!(lines[0], "  asks for read:src/**, write:{path} (run.toml)");
    }

    #[test]
    fn a_file_that_may_hold_secrets_is_not_shown() {
        for path in ["/p/.env", "/p/agents-exe.keys", "/p/server.pem"] {
            let lines = shown(path, b"KEY=planted", 9);
            assert!(lines.len() == 1 && lines[0].contains("may hold secrets"), "{path}: {lines:?}");
        }
    }

    #[test]
    fn many_files_share_a_screen() {
        let mut room = PreviewRoom::for_files(1_000);
        let lines: usize = (0..1_000)
            .map(|_| match room.take() {
                PreviewLength::Lines(lines) => lines,
                PreviewLength::Whole => usize::MAX,
            })
            .sum();
        assert_eq!(lines, MOST_ROWS);
    }
}
