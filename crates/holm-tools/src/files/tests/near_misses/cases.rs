//! Edits that miss by a little, and what `docs/files.md` says must come of each. Nothing here knows how the tool searches.

/// The kinds of near misses, after the table in `docs/files.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    LineFeeds,
    Returns,
    BlanksLost,
    BlanksAdded,
    SpacesForTabs,
    TabsForSpaces,
    ShiftedLeft,
    ShiftedRight,
    Typographic,
    Numbered,
}

pub(super) const KINDS: [Kind; 10] = [
    Kind::LineFeeds,
    Kind::Returns,
    Kind::BlanksLost,
    Kind::BlanksAdded,
    Kind::SpacesForTabs,
    Kind::TabsForSpaces,
    Kind::ShiftedLeft,
    Kind::ShiftedRight,
    Kind::Typographic,
    Kind::Numbered,
];

/// A call, and what the file must be afterwards; none where several places fit.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) kind: Kind,
    pub(super) file: String,
    pub(super) old: String,
    pub(super) new: String,
    /// What the edit means.
    pub(super) meant: String,
    /// Whether exactly one place fits.
    pub(super) fits_once: bool,
}

/// Numbers that are the same for a seed.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % most as u64).unwrap_or(0)
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// A line of a program: how deep it is, what it says, and the blanks behind it.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    depth: usize,
    text: String,
    blanks: &'static str,
}

impl Line {
    fn written(&self, unit: &str) -> String {
        let indent = if self.text.is_empty() { String::new() } else { unit.repeat(self.depth) };
        format!("{indent}{}{}", self.text, self.blanks)
    }
}

/// The case of a number: the kinds take turns.
pub(super) fn case(number: usize) -> Case {
    let kind = KINDS[number % KINDS.len()];
    (1..)
        .find_map(|attempt| attempted(kind, number as u64 * 1_000 + attempt))
        .expect("some attempt is a near miss")
}

/// A case; none where the call would not be a miss, or could not be made.
fn attempted(kind: Kind, seed: u64) -> Option<Case> {
    let mut dice = Dice::new(seed);
    let unit = match kind {
        Kind::SpacesForTabs => "\t",
        Kind::TabsForSpaces => dice.pick(&["    ", "  "]),
        _ => dice.pick(&["    ", "  ", "\t"]),
    };
    let end = match kind {
        Kind::LineFeeds => "\r\n",
        Kind::Returns => "\n",
        _ => dice.pick(&["\n", "\n", "\r\n"]),
    };
    let lines = program(&mut dice, kind);
    let first = dice.below(lines.len() - 8);
    let count = 1 + dice.below(6);
    let old = &lines[first..first + count];
    if old.iter().all(|line| line.text.is_empty()) || old[0].text.is_empty() {
        return None;
    }
    let (new, shared) = changed(&mut dice, old);
    let given = Given::new(&mut dice, kind, unit, old, first)?;
    let file = joined(lines.iter().map(|line| line.written(unit)), end);
    // What the file has in common with the new text stays as it is; what is new has no blanks behind it.
    let meant_lines = new.iter().zip(&shared).map(|(line, shared)| match shared {
        Some(at) => old[*at].written(unit),
        None => Line { blanks: "", text: given.spelled(&line.text), ..line.clone() }.written(unit),
    });
    let before = lines[..first].iter().map(|line| line.written(unit));
    let behind = lines[first + count..].iter().map(|line| line.written(unit));
    let meant = joined(before.chain(meant_lines).chain(behind), end);
    let (old, new) = given.texts(&mut dice, old, &new, &shared);
    if file.contains(&old) || file.replace("\r\n", "\n").contains(&old) && kind != Kind::LineFeeds {
        return None;
    }
    let fits_once = fits_once(&file, &old);
    Some(Case { kind, file, old, new, meant, fits_once })
}

fn joined(lines: impl Iterator<Item = String>, end: &str) -> String {
    lines.map(|line| line + end).collect()
}

/// A program in which most lines stand once, and some do not.
fn program(dice: &mut Dice, kind: Kind) -> Vec<Line> {
    const COMMON: [&str; 5] = ["return None", "}", "else:", "pass", "continue"];
    let mut lines = Vec::new();
    let mut depth = 0;
    for number in 0..40 + dice.below(60) {
        depth = match dice.below(4) {
            0 if depth > 0 => dice.below(depth),
            1 if depth < 4 => depth + 1,
            _ => depth,
        };
        let name = dice.pick(&["load", "store", "parse", "send", "check"]);
        let text = match dice.below(12) {
            0 => String::new(),
            1 => dice.pick(&COMMON).to_owned(),
            2 if kind == Kind::Typographic => format!("{name}(\u{201c}item {number}\u{201d}, it\u{2019}s)"),
            3 if kind == Kind::Typographic => {
                format!("# {name} {number} \u{2013} or\u{a0}not \u{2014} at all")
            }
            4 => format!("def {name}_{number}(self):"),
            5 => format!("if {name}({number}) > {}:", dice.below(9)),
            _ => format!("{name}_{number} = \"{}\" - x[{number}]", dice.below(1_000)),
        };
        let blanks = if kind == Kind::BlanksLost { dice.pick(&["", "", " ", "   ", "\t"]) } else { "" };
        let depth = if lines.is_empty() { 0 } else { depth };
        lines.push(Line { depth, text, blanks });
    }
    lines
}

/// The new lines, and for each the old one that it is.
fn changed(dice: &mut Dice, old: &[Line]) -> (Vec<Line>, Vec<Option<usize>>) {
    let mut new: Vec<(Line, Option<usize>)> =
        old.iter().cloned().enumerate().map(|(at, l)| (l, Some(at))).collect();
    let at = (0..old.len()).find(|at| !old[*at].text.is_empty() && dice.one_in(2)).unwrap_or(0);
    match dice.below(3) {
        0 => new[at] = (Line { text: format!("changed_{} = 1", dice.below(9_000)), ..old[at].clone() }, None),
        1 => {
            let deeper = old[at].depth + dice.below(2);
            let text = format!("added_{}()", dice.below(9_000));
            new.insert(at + 1, (Line { depth: deeper, text, blanks: "" }, None));
        }
        _ => {
            new[at] =
                (Line { text: format!("with changed_{}:", dice.below(9_000)), ..old[at].clone() }, None);
            let text = format!("inner_{}()", dice.below(9_000));
            new.insert(at + 1, (Line { depth: old[at].depth + 1, text, blanks: "" }, None));
        }
    }
    new.into_iter().unzip()
}

/// How the call is written, which is not how the file is.
struct Given {
    kind: Kind,
    unit: String,
    end: &'static str,
    /// Columns taken off the left, in units; or put there, in blanks.
    left: usize,
    right: String,
    first: usize,
}

impl Given {
    fn new(dice: &mut Dice, kind: Kind, unit: &str, old: &[Line], first: usize) -> Option<Self> {
        let shallowest = old.iter().filter(|line| !line.text.is_empty()).map(|line| line.depth).min()?;
        let (mut given, mut left, mut right) = (unit.to_owned(), 0, String::new());
        match kind {
            Kind::SpacesForTabs => given = dice.pick(&["    ", "  ", "        "]).to_owned(),
            Kind::TabsForSpaces => given = "\t".into(),
            Kind::ShiftedLeft if shallowest == 0 => return None,
            Kind::ShiftedLeft => left = 1 + dice.below(shallowest),
            Kind::ShiftedRight => right = unit.repeat(1 + dice.below(2)),
            _ => {}
        }
        // Models write line feeds; only the kind that is about returns has them.
        let end = if kind == Kind::Returns { "\r\n" } else { "\n" };
        Some(Self { kind, unit: given, end, left, right, first })
    }

    fn spelled(&self, text: &str) -> String {
        if self.kind != Kind::Typographic {
            return text.to_owned();
        }
        let plain = |letter| match letter {
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2019}' => '\'',
            '\u{2013}' | '\u{2014}' => '-',
            '\u{a0}' => ' ',
            other => other,
        };
        text.chars().map(plain).collect()
    }

    fn line(&self, line: &Line) -> String {
        if line.text.is_empty() {
            return String::new();
        }
        format!("{}{}{}", self.right, self.unit.repeat(line.depth - self.left), self.spelled(&line.text))
    }

    /// Both texts of the call.
    fn texts(
        &self,
        dice: &mut Dice,
        old: &[Line],
        new: &[Line],
        shared: &[Option<usize>],
    ) -> (String, String) {
        let blanks: Vec<&str> = old.iter().map(|_| self.blanks(dice)).collect();
        let number = |at: usize| {
            if self.kind == Kind::Numbered { format!("{:>6}\t", self.first + at + 1) } else { String::new() }
        };
        let all_numbered = dice.one_in(2);
        let old_lines: Vec<String> =
            old.iter().enumerate().map(|(at, line)| number(at) + &self.line(line) + blanks[at]).collect();
        let new_lines: Vec<String> = new
            .iter()
            .zip(shared)
            .enumerate()
            .map(|(at, (line, shared))| match shared {
                Some(old) if self.kind != Kind::Numbered => old_lines[*old].clone(),
                _ if all_numbered => number(at) + &self.line(line),
                _ => self.line(line),
            })
            .collect();
        let last = if dice.one_in(2) { self.end } else { "" };
        (old_lines.join(self.end) + last, new_lines.join(self.end) + last)
    }

    fn blanks(&self, dice: &mut Dice) -> &'static str {
        if self.kind == Kind::BlanksAdded { dice.pick(&["", " ", "  ", "\t"]) } else { "" }
    }
}

/// Whether exactly one place fits by the rule of `docs/files.md`: the smallest difference with which any place fits.
fn fits_once(file: &str, old: &str) -> bool {
    let numbered: Option<Vec<&str>> =
        old.lines().map(|line| line.split_once('\t').map(|(_, rest)| rest)).collect();
    let is_number =
        |line: &str| line.split('\t').next().is_some_and(|head| head.trim().parse::<u64>().is_ok());
    if let Some(bare) = numbered.filter(|_| old.lines().all(is_number)) {
        let last = if old.ends_with('\n') { "\n" } else { "" };
        return smallest(file, &(bare.join("\n") + last), true) == Some(1);
    }
    smallest(file, old, false) == Some(1)
}

/// How many places fit with the smallest difference.
fn smallest(file: &str, old: &str, whole: bool) -> Option<usize> {
    let ends = |text: &str| text.replace("\r\n", "\n");
    let blanks = |text: &str| {
        let lines: Vec<String> =
            ends(text).split('\n').map(|line| line.trim_end_matches([' ', '\t']).into()).collect();
        lines.join("\n")
    };
    let letters = |text: &str| {
        let plain = |letter| match letter {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2013}' | '\u{2014}' => '-',
            '\u{a0}' => ' ',
            other => other,
        };
        blanks(&text.chars().map(plain).collect::<String>())
    };
    let parts = |form: &dyn Fn(&str) -> String| {
        let lost_blanks = form(old) != ends(old) && old.ends_with([' ', '\t']);
        starts(&form(file), &form(old), whole, lost_blanks || (whole && !old.ends_with('\n')))
    };
    let first = [parts(&ends), parts(&blanks)].into_iter().find(|found| !found.is_empty());
    if let Some(found) = first {
        return Some(found.len());
    }
    let mut one_kind = if letters(old) == blanks(old) && letters(file) == blanks(file) {
        Vec::new()
    } else {
        parts(&letters)
    };
    one_kind.extend(indented(&blanks(file), &blanks(old)));
    one_kind.sort_unstable();
    one_kind.dedup();
    if !one_kind.is_empty() {
        return Some(one_kind.len());
    }
    let both = indented(&letters(file), &letters(old));
    (!both.is_empty()).then_some(both.len())
}

/// The lines in which a text begins within another: anywhere, or where a line begins or ends with it.
fn starts(file: &str, old: &str, begins_line: bool, ends_line: bool) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, _) in file.char_indices().filter(|(at, _)| file[*at..].starts_with(old)) {
        let behind = file[at + old.len()..].chars().next();
        let ends = matches!(behind, None | Some('\n'));
        let begins = at == 0 || file[..at].ends_with('\n');
        if (ends || !ends_line) && (begins || !begins_line) {
            found.push(file[..at].matches('\n').count());
        }
    }
    found
}

/// The lines from which on whole lines differ from the text in indentation alone, by one rule for all of them.
fn indented(file: &str, old: &str) -> Vec<usize> {
    let split = |line: &str| {
        let text = line.trim_start_matches([' ', '\t']).to_owned();
        (line[..line.len() - text.len()].to_owned(), text)
    };
    let file: Vec<_> = file.lines().map(split).collect();
    let old: Vec<_> = old.lines().map(split).collect();
    let columns = |indent: &str, tab: usize| {
        indent.chars().fold(0, |at, c| if c == '\t' { (at / tab + 1) * tab } else { at + 1 })
    };
    let fits = |start: usize| {
        let pairs: Vec<_> = old.iter().zip(&file[start..]).collect();
        pairs.iter().all(|((_, given), (_, there))| given == there)
            && (1..=8).any(|tab| {
                let text = pairs.iter().filter(|((_, given), _)| !given.is_empty());
                let mut shifts = text.map(|((given, _), (there, _))| {
                    columns(there, tab).checked_signed_diff(columns(given, tab))
                });
                let first = shifts.next();
                shifts.all(|shift| Some(shift) == first)
            })
    };
    (0..(file.len() + 1).saturating_sub(old.len())).filter(|start| fits(*start)).collect()
}
