//! `read` and `mapfile`.

use std::collections::BTreeMap;

use crate::shell::{ShellState, CommandResult, VariableValue};
use crate::util::options;

pub(super) async fn read(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let (given, names) = match options(args, "rsa:d:n:N:p:t:u:i:") {
        Ok(read) => read,
        Err(why) => {
            shell.complain(&format!("read: {why}")).await;
            return Ok(2);
        }
    };
    let value = |letter: char| {
        given.iter().rev().find(|(found, _)| *found == letter).map(|(_, value)| value.as_str())
    };
    let fd = value('u').and_then(|text| text.parse().ok()).unwrap_or(0);
    let delimiter = value('d').map_or(b'\n', |text| text.bytes().next().unwrap_or(0));
    let raw = value('r').is_some();
    let handle = shell.fds.get(fd);
    let mut line = Vec::new();
    let ended = loop {
        let mut piece = match handle.read_until(delimiter).await {
            Ok(piece) => piece,
            Err(error) => {
                shell.complain(&format!("read: {error}")).await;
                return Ok(1);
            }
        };
        let ended = piece.last() == Some(&delimiter);
        if ended {
            piece.pop();
        }
        // A line that ends in a backslash continues in the next.
        let goes_on = !raw && ended && piece.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
        if goes_on {
            piece.pop();
        }
        line.extend_from_slice(&piece);
        if !goes_on {
            break ended;
        }
    };
    let text = String::from_utf8_lossy(&line).into_owned();
    let text = match value('n').or(value('N')).and_then(|count| count.parse().ok()) {
        Some(count) => text.chars().take(count).collect(),
        None => text,
    };
    let some = ended || !text.is_empty();
    match value('a') {
        Some(name) => {
            let words = split(shell, &text, raw, usize::MAX);
            shell.vars.set(name, VariableValue::List((0..).zip(words).collect::<BTreeMap<_, _>>()));
        }
        None => assign(shell, &names, &text, raw),
    }
    Ok(i32::from(!some || !ended))
}

fn assign(shell: &mut ShellState, names: &[String], text: &str, raw: bool) {
    if names.is_empty() {
        shell.vars.set_text("REPLY", if raw { text.to_owned() } else { text.replace('\\', "") });
        return;
    }
    let mut words = split(shell, text, raw, names.len()).into_iter();
    for name in names {
        shell.vars.set_text(name, words.next().unwrap_or_default());
    }
}

/// Cuts a line into at most so many words; the last takes all that is left.
fn split(shell: &ShellState, text: &str, raw: bool, most: usize) -> Vec<String> {
    let separators = shell.vars.text("IFS").unwrap_or_else(|| " \t\n".to_owned());
    let mut words = Vec::new();
    let blank = |c: char| separators.contains(c) && c.is_whitespace();
    let mut rest = text.trim_matches(blank);
    while !rest.is_empty() {
        if words.len() + 1 == most {
            words.push(plain(rest, raw));
            break;
        }
        let mut escaped = false;
        let end = rest.char_indices().find(|&(_, c)| {
            let ends = !escaped && separators.contains(c);
            escaped = !raw && c == '\\' && !escaped;
            ends
        });
        let Some((at, separator)) = end else {
            words.push(plain(rest, raw));
            break;
        };
        let (word, after) = rest.split_at(at);
        words.push(plain(word, raw));
        rest = after.strip_prefix(separator).unwrap_or(after).trim_start_matches(blank);
        // White space around another separator belongs to it.
        if blank(separator)
            && let Some(more) = rest.strip_prefix(|c: char| separators.contains(c) && !c.is_whitespace())
        {
            rest = more.trim_start_matches(blank);
        }
    }
    words
}

fn plain(word: &str, raw: bool) -> String {
    if raw || !word.contains('\\') {
        return word.to_owned();
    }
    let mut escaped = false;
    word.chars()
        .filter(|&c| {
            escaped = c == '\\' && !escaped;
            !escaped
        })
        .collect()
}

pub(super) async fn mapfile(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let (given, names) = match options(args, "td:n:") {
        Ok(read) => read,
        Err(why) => {
            shell.complain(&format!("mapfile: {why}")).await;
            return Ok(2);
        }
    };
    let value =
        |letter: char| given.iter().find(|(found, _)| *found == letter).map(|(_, value)| value.as_str());
    let delimiter = value('d').map_or(b'\n', |text| text.bytes().next().unwrap_or(0));
    let most = value('n').and_then(|text| text.parse().ok()).filter(|&count| count > 0).unwrap_or(usize::MAX);
    let input = shell.fds.get(0);
    let mut list = BTreeMap::new();
    while list.len() < most {
        let Ok(mut line) = input.read_until(delimiter).await else { break };
        if line.is_empty() {
            break;
        }
        if value('t').is_some() && line.last() == Some(&delimiter) {
            line.pop();
        }
        let index = i64::try_from(list.len()).unwrap_or(i64::MAX);
        list.insert(index, String::from_utf8_lossy(&line).into_owned());
    }
    let name = names.first().map_or("MAPFILE", String::as_str);
    shell.vars.set(name, VariableValue::List(list));
    Ok(0)
}
