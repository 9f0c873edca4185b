//! `tr`.

use super::kit::{UtilityResult, OutputBuffer, UtilityError, parse};
use crate::expand::{ansi, pattern::in_class};
use crate::shell::ShellState;

/// The letters that a set names, in order.
fn letters(text: &str) -> Vec<char> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let rest: String = chars.get(at..).unwrap_or_default().iter().collect();
        if let Some((name, _)) = rest.strip_prefix("[:").and_then(|rest| rest.split_once(":]")) {
            found.extend((0..=127_u8).map(char::from).filter(|&c| in_class(name, c)));
            at += name.len() + 4;
            continue;
        }
        let escaped: String = chars.get(at..at + 2).unwrap_or_default().iter().collect();
        let (low, used) = if c == '\\' && escaped.len() == 2 {
            let octal =
                chars.get(at + 1..).unwrap_or_default().iter().take(3).take_while(|c| c.is_digit(8)).count();
            let used = if octal > 0 { octal + 1 } else { 2 };
            let piece: String = chars.get(at..at + used).unwrap_or_default().iter().collect();
            (ansi(&piece).chars().last().unwrap_or('\\'), used)
        } else {
            (c, 1)
        };
        at += used;
        match (chars.get(at), chars.get(at + 1)) {
            (Some('-'), Some(&high)) if high >= low => {
                found.extend(low..=high);
                at += 2;
            }
            _ => found.push(low),
        }
    }
    found
}

pub(super) async fn tr(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "dscC")?;
    let Some(first) = words.first() else {
        return Err(UtilityError::Said("which letters".to_owned()));
    };
    let from = letters(first);
    let to = words.get(1).map(|text| letters(text));
    let inverted = given.has('c') || given.has('C');
    let found = |c: char| from.contains(&c) != inverted;
    let map = |c: char| match &to {
        Some(to) if found(c) => {
            let index =
                if inverted { usize::MAX } else { from.iter().position(|&letter| letter == c).unwrap_or(0) };
            to.get(index).or(to.last()).copied().unwrap_or(c)
        }
        _ => c,
    };
    let squeezed = |c: char| match (&to, given.has('s')) {
        (_, false) => false,
        (Some(to), true) => to.contains(&c),
        (None, true) => found(c),
    };
    let input = shell.fds.get(0);
    let mut out = OutputBuffer::of(shell);
    let mut last = None;
    loop {
        // By lines, so that no letter of several bytes is cut.
        let bytes = input.read_until(b'\n').await?;
        if bytes.is_empty() {
            break;
        }
        let mut text = String::new();
        for c in String::from_utf8_lossy(&bytes).chars() {
            if given.has('d') && found(c) {
                continue;
            }
            let c = if given.has('d') { c } else { map(c) };
            if last == Some(c) && squeezed(c) {
                continue;
            }
            last = Some(c);
            text.push(c);
        }
        out.put(text.as_bytes()).await?;
    }
    out.send().await?;
    Ok(0)
}
