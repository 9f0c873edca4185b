//! `grep` for streams and files.

use regex::Regex;

use super::kit::{UtilityResult, OptionValues, OutputBuffer, UtilityError, inputs, next_line, parse};
use super::regexes::{RegexDialect, regex};
use crate::io::IoHandle;
use crate::shell::ShellState;

pub(super) async fn grep(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    search(shell, args, None).await
}

pub(super) async fn egrep(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    search(shell, args, Some(RegexDialect::Extended)).await
}

pub(super) async fn fgrep(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    search(shell, args, Some(RegexDialect::Fixed)).await
}

/// The patterns and the options of a search.
struct GrepQuery {
    given: OptionValues,
    regexes: Vec<Regex>,
    named: bool,
    before: usize,
    after: usize,
    most: usize,
}

async fn search(shell: &mut ShellState, args: &[String], dialect: Option<RegexDialect>) -> UtilityResult {
    let (given, mut words) = parse(args, "EFGPiyvcnlLoqrRhHswxe:A:B:C:m:a")?;
    let dialect = dialect.unwrap_or(match () {
        () if given.has('F') => RegexDialect::Fixed,
        () if given.has('E') || given.has('P') => RegexDialect::Extended,
        () => RegexDialect::Basic,
    });
    let mut sources: Vec<String> =
        given.0.iter().filter(|(letter, _)| *letter == 'e').map(|(_, text)| text.clone()).collect();
    if sources.is_empty() {
        if words.is_empty() {
            return Err(UtilityError::Said("which pattern".to_owned()));
        }
        sources.push(words.remove(0));
    }
    let mut regexes = Vec::new();
    for source in sources.iter().flat_map(|source| source.split('\n')) {
        let plain = regex(source, dialect, given.has('i') || given.has('y'))?;
        let wrapped = match (given.has('x'), given.has('w')) {
            (true, _) => format!("^(?:{plain})$"),
            (_, true) => format!(r"\b(?:{plain})\b"),
            (false, false) => plain.as_str().to_owned(),
        };
        regexes.push(regex(&wrapped, RegexDialect::Extended, given.has('i') || given.has('y'))?);
    }
    let recursive = given.has('r') || given.has('R');
    if recursive {
        let roots = if words.is_empty() { vec![".".to_owned()] } else { words };
        words = roots.iter().flat_map(|root| files_below(shell, root)).collect();
        if words.is_empty() {
            return Ok(1);
        }
    }
    let number = |letter: char| given.value(letter).and_then(|text| text.parse::<usize>().ok());
    let around = number('C').unwrap_or(0);
    let search = GrepQuery {
        named: (words.len() > 1 || recursive || given.has('H')) && !given.has('h'),
        before: number('B').unwrap_or(around),
        after: number('A').unwrap_or(around),
        most: number('m').unwrap_or(usize::MAX),
        regexes,
        given,
    };
    let (inputs, failed) = inputs(shell, "grep", &words).await;
    let mut out = OutputBuffer::of(shell);
    let mut any = false;
    for (name, input) in inputs {
        any |= search.file(&name, &input, &mut out).await?;
        if any && search.given.has('q') {
            return Ok(0);
        }
    }
    out.send().await?;
    Ok(match (any, failed) {
        (_, true) => 2,
        (true, false) => 0,
        (false, false) => 1,
    })
}

impl GrepQuery {
    /// Searches one input: whether anything was found.
    async fn file(&self, name: &str, input: &IoHandle, out: &mut OutputBuffer) -> Result<bool, UtilityError> {
        let prefix = |mark: char| if self.named { format!("{name}{mark}") } else { String::new() };
        let (mut found, mut number, mut trailing) = (0_usize, 0_u64, 0_usize);
        let mut earlier: std::collections::VecDeque<(u64, String)> = std::collections::VecDeque::new();
        let mut shown_to = 0_u64;
        while let Some(line) = next_line(input, b'\n').await? {
            number += 1;
            let line = String::from_utf8_lossy(&line).into_owned();
            let matches = self.regexes.iter().any(|regex| regex.is_match(&line)) != self.given.has('v');
            let label = |number: u64, mark: char| {
                let number = if self.given.has('n') { format!("{number}{mark}") } else { String::new() };
                format!("{}{number}", prefix(mark))
            };
            if matches {
                found += 1;
                if self.given.has('q') || self.given.has('l') || self.given.has('L') {
                    break;
                }
                if !self.given.has('c') {
                    if self.before + self.after > 0
                        && shown_to > 0
                        && number > shown_to + 1 + earlier.len() as u64
                    {
                        out.line("--").await?;
                    }
                    for (number, line) in earlier.drain(..) {
                        out.line(&format!("{}{line}", label(number, '-'))).await?;
                    }
                    self.show(&line, &label(number, ':'), out).await?;
                    shown_to = number;
                    trailing = self.after;
                }
                if found >= self.most {
                    break;
                }
            } else if trailing > 0 {
                out.line(&format!("{}{line}", label(number, '-'))).await?;
                shown_to = number;
                trailing -= 1;
            } else if self.before > 0 {
                earlier.push_back((number, line));
                if earlier.len() > self.before {
                    earlier.pop_front();
                }
            }
        }
        if self.given.has('c') && !self.given.has('q') {
            out.line(&format!("{}{found}", prefix(':'))).await?;
        }
        if (self.given.has('l') && found > 0) || (self.given.has('L') && found == 0) {
            out.line(name).await?;
        }
        Ok(found > 0)
    }

    async fn show(&self, line: &str, label: &str, out: &mut OutputBuffer) -> Result<(), UtilityError> {
        if !self.given.has('o') {
            return Ok(out.line(&format!("{label}{line}")).await?);
        }
        for regex in &self.regexes {
            for found in regex.find_iter(line).filter(|found| !found.is_empty()) {
                out.line(&format!("{label}{}", found.as_str())).await?;
            }
        }
        Ok(())
    }
}

/// All files beneath a folder, or the file itself.
fn files_below(shell: &ShellState, root: &str) -> Vec<String> {
    let is_folder = std::fs::symlink_metadata(shell.path(root)).is_ok_and(|data| data.is_dir());
    if !is_folder {
        return vec![root.to_owned()];
    }
    let base = root.trim_end_matches('/');
    shell.list(root).iter().flat_map(|name| files_below(shell, &format!("{base}/{name}"))).collect()
}
