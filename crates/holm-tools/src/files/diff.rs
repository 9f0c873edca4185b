//! Unified diffs: read strictly, applied exactly.
//!
//! Line numbers in a diff that a model wrote are often a little off, so a hunk may lie elsewhere; what it says about the
//! lines around it has to be true, letter for letter.

/// Bytes of a diff: more is a new file.
const LONGEST: usize = 4 * 1024 * 1024;

/// Lines that are compared to find the places of all hunks of a call: seconds of work, while nobody else can change the
/// files.
const MOST_COMPARED: u64 = 100_000_000;

/// How much may still be compared.
#[derive(Debug)]
pub(super) struct Effort(u64);

impl Default for Effort {
    fn default() -> Self {
        Self(MOST_COMPARED)
    }
}

impl Effort {
    #[cfg(test)]
    pub(super) fn of(lines: u64) -> Self {
        Self(lines)
    }

    /// Whether one more line may be compared.
    fn spend(&mut self) -> bool {
        let left = self.0.checked_sub(1);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// What a diff says about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileDiff {
    /// The file as it was called; none if the diff makes it.
    pub(super) old: Option<String>,
    /// The file as it shall be called; none if the diff removes it.
    pub(super) new: Option<String>,
    hunks: Vec<Hunk>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Hunk {
    /// Where the old lines begin, counted from 1.
    start: usize,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    change: Change,
    text: String,
    /// Whether a note says that no line end follows.
    open: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Kept,
    Removed,
    Added,
}

/// Reads a diff. The error says what is wrong, for whoever wrote it.
pub(super) fn parse(text: &str) -> Result<Vec<FileDiff>, String> {
    if text.len() > LONGEST {
        return Err(format!("the diff is longer than {LONGEST} bytes"));
    }
    let mut lines = text.lines().enumerate().peekable();
    let mut files: Vec<FileDiff> = Vec::new();
    while let Some((at, line)) = lines.next() {
        if let Some(old) = line.strip_prefix("--- ") {
            let Some(new) = lines.next().and_then(|(_, line)| line.strip_prefix("+++ ")) else {
                return Err(format!("line {}: after --- there must be +++", at + 1));
            };
            files.push(FileDiff { old: name(old), new: name(new), hunks: Vec::new() });
        } else if line.starts_with("@@") {
            let file = files.last_mut().ok_or("the diff does not begin with --- and +++")?;
            file.hunks.push(hunk(at, line, &mut lines)?);
        } else {
            between(at, line)?;
        }
    }
    if files.is_empty() || files.iter().any(|file| file.hunks.is_empty()) {
        return Err("a unified diff has ---, +++ and at least one @@ for each file".into());
    }
    Ok(files)
}

/// What may stand between hunks.
fn between(at: usize, line: &str) -> Result<(), String> {
    const PASSED: &[&str] = &["diff ", "index ", "new file mode ", "deleted file mode ", "similarity "];
    if line.trim().is_empty() || PASSED.iter().any(|start| line.starts_with(start)) {
        return Ok(());
    }
    Err(format!(
        "line {}: `{}` does not belong into a unified diff, or a hunk's numbers are wrong",
        at + 1,
        short(line)
    ))
}

fn short(line: &str) -> String {
    line.chars().take(60).collect()
}

/// The file's name, without what git and dates add.
fn name(text: &str) -> Option<String> {
    let text = text.split('\t').next().unwrap_or_default().trim_end();
    (text != "/dev/null").then(|| text.to_owned())
}

fn hunk<'a>(
    at: usize,
    header: &str,
    lines: &mut std::iter::Peekable<impl Iterator<Item = (usize, &'a str)>>,
) -> Result<Hunk, String> {
    let (start, mut old, mut new) =
        numbers(header).ok_or_else(|| format!("line {}: write @@ -start,count +start,count @@", at + 1))?;
    let mut hunk = Hunk { start, lines: Vec::new() };
    while old > 0 || new > 0 {
        let Some((at, line)) = lines.next() else {
            return Err(format!("the hunk of line {} ends before its {old} old and {new} new lines", at + 1));
        };
        let (change, text) = match line.as_bytes().first() {
            Some(b' ') => (Change::Kept, line.get(1..)),
            // Editors take the space of an empty line away.
            None => (Change::Kept, Some("")),
            Some(b'-') => (Change::Removed, line.get(1..)),
            Some(b'+') => (Change::Added, line.get(1..)),
            Some(b'\\') => {
                hunk.close();
                continue;
            }
            Some(_) => return Err(format!("line {}: a line of a hunk begins with a space, - or +", at + 1)),
        };
        let (takes_old, takes_new) = match change {
            Change::Kept => (1, 1),
            Change::Removed => (1, 0),
            Change::Added => (0, 1),
        };
        let wrong = || format!("line {}: the hunk has other numbers of lines than its @@ says", at + 1);
        old = old.checked_sub(takes_old).ok_or_else(wrong)?;
        new = new.checked_sub(takes_new).ok_or_else(wrong)?;
        hunk.lines.push(Line { change, text: text.unwrap_or_default().into(), open: false });
    }
    if lines.peek().is_some_and(|(_, line)| line.starts_with('\\')) {
        lines.next();
        hunk.close();
    }
    Ok(hunk)
}

impl Hunk {
    /// A note says that the last line has no line end.
    fn close(&mut self) {
        if let Some(last) = self.lines.last_mut() {
            last.open = true;
        }
    }
}

/// The first old line, and how many old and new lines follow.
fn numbers(header: &str) -> Option<(usize, usize, usize)> {
    let inner = header.strip_prefix("@@ -")?.split(" @@").next()?;
    let (old, new) = inner.split_once(" +")?;
    let pair = |text: &str| -> Option<(usize, usize)> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let ((start, old), (_, new)) = (pair(old)?, pair(new)?);
    Some((start, old, new))
}

impl FileDiff {
    /// The text after all hunks. The error says which hunk does not fit.
    pub(super) fn apply(&self, text: &str, line_end: &str, effort: &mut Effort) -> Result<String, String> {
        let old: Vec<&str> = text.split_inclusive('\n').collect();
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        let mut shift = 0_isize;
        for (number, hunk) in self.hunks.iter().enumerate() {
            let wanted: Vec<&Line> = hunk.lines.iter().filter(|line| line.change != Change::Added).collect();
            // Where nothing is replaced the number names the line behind which the new ones go.
            let expected = if wanted.is_empty() { hunk.start } else { hunk.start.saturating_sub(1) };
            let expected = expected.saturating_add_signed(shift);
            let at = place(&old, &wanted, done, expected, effort).map_err(|misfit| {
                let why = match misfit {
                    Misfit::Nowhere => "does not fit: the lines around it are not in the file like that",
                    Misfit::TooFar => "was not found: the line numbers are too far off; read the file again",
                };
                format!("hunk {} {why}", number + 1)
            })?;
            shift = shift.saturating_add_unsigned(at).saturating_sub_unsigned(expected);
            old.get(done..at).unwrap_or_default().iter().for_each(|line| out.push_str(line));
            done = at;
            for line in &hunk.lines {
                match line.change {
                    Change::Removed => done += 1,
                    Change::Kept => {
                        out.push_str(old.get(done).copied().unwrap_or_default());
                        done += 1;
                    }
                    Change::Added => {
                        mend(&mut out, line_end);
                        out.push_str(line.text.trim_end_matches('\r'));
                        out.push_str(if line.open { "" } else { line_end });
                    }
                }
            }
        }
        let rest = old.get(done..).unwrap_or_default();
        if !rest.is_empty() {
            mend(&mut out, line_end);
        }
        rest.iter().for_each(|line| out.push_str(line));
        Ok(out)
    }
}

/// Ends a last line that had no end, before another follows.
fn mend(out: &mut String, line_end: &str) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(line_end);
    }
}

/// Why a hunk has no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Misfit {
    /// Its lines are not there.
    Nowhere,
    /// Nobody looks any further.
    TooFar,
}

/// Where the old lines stand: at the expected line, or at the nearest place behind the last hunk. It is looked for from the
/// expected line outwards, so that a diff with true numbers costs what it is long, whatever the file holds.
fn place(
    old: &[&str],
    wanted: &[&Line],
    from: usize,
    expected: usize,
    effort: &mut Effort,
) -> Result<usize, Misfit> {
    if wanted.is_empty() {
        return if (from..=old.len()).contains(&expected) { Ok(expected) } else { Err(Misfit::Nowhere) };
    }
    let last = old.len().checked_sub(wanted.len()).filter(|last| *last >= from).ok_or(Misfit::Nowhere)?;
    let start = expected.clamp(from, last);
    for distance in 0..=last - from {
        let before = start.checked_sub(distance).filter(|at| *at >= from);
        let behind = start.checked_add(distance).filter(|at| distance > 0 && *at <= last);
        for at in [before, behind].into_iter().flatten() {
            if fits(old.get(at..).unwrap_or_default(), wanted, effort)? {
                return Ok(at);
            }
        }
    }
    Err(Misfit::Nowhere)
}

fn fits(there: &[&str], wanted: &[&Line], effort: &mut Effort) -> Result<bool, Misfit> {
    for (there, wanted) in there.iter().zip(wanted) {
        if !effort.spend() {
            return Err(Misfit::TooFar);
        }
        let there = there.strip_suffix('\n').unwrap_or(there);
        if there.strip_suffix('\r').unwrap_or(there) != wanted.text.trim_end_matches('\r') {
            return Ok(false);
        }
    }
    Ok(true)
}
