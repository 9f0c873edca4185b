//! `env`, `xargs`, `seq`, `yes`.

use super::kit::{UtilityResult, OutputBuffer, UtilityError, next_line, parse};
use crate::shell::ShellState;

pub(super) async fn env(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let set = args.iter().take_while(|arg| arg.contains('=')).count();
    let command = args.get(set..).unwrap_or_default();
    if let [name] = command
        && set == 0
        && crate::builtin::find(name).is_none()
    {
        // As `printenv` does.
        let Some(value) =
            shell.vars.find(name).filter(|var| var.exported).and_then(|_| shell.vars.text(name))
        else {
            return Ok(1);
        };
        let mut out = OutputBuffer::of(shell);
        out.line(&value).await?;
        out.send().await?;
        return Ok(0);
    }
    shell.vars.open_scope();
    for (name, value) in args.iter().take(set).filter_map(|arg| arg.split_once('=')) {
        let var = shell.vars.declare_local(name);
        var.exported = true;
        var.value = crate::shell::VariableValue::Text(value.to_owned());
    }
    let done = if command.is_empty() {
        list(shell).await
    } else {
        shell.run_words(command.to_vec()).await.map_err(UtilityError::Flow)
    };
    shell.vars.close_scope();
    done
}

async fn list(shell: &ShellState) -> UtilityResult {
    let mut out = OutputBuffer::of(shell);
    for (name, value) in shell.vars.exported() {
        out.line(&format!("{name}={value}")).await?;
    }
    out.send().await?;
    Ok(0)
}

pub(super) async fn xargs(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    // Options end where the command begins.
    let mut own = 0;
    while let Some(arg) = args.get(own).filter(|arg| arg.starts_with('-')) {
        own += if matches!(arg.as_str(), "-n" | "-I" | "-d" | "-L" | "-P") { 2 } else { 1 };
    }
    let (given, _) = parse(args.get(..own.min(args.len())).unwrap_or_default(), "0rtn:I:d:L:P:")?;
    let mut command = args.get(own..).unwrap_or_default().to_vec();
    if command.is_empty() {
        command.push("echo".to_owned());
    }
    let items = items(shell, given.has('0'), given.value('d'), given.value('I').is_some()).await?;
    let most = given.value('n').or(given.value('L')).and_then(|text| text.parse::<usize>().ok());
    let mut status = 0;
    if let Some(place) = given.value('I') {
        for item in items {
            let words = command.iter().map(|word| word.replace(place, &item)).collect();
            status = shell.run_words(words).await?.max(status);
        }
    } else if items.is_empty() && given.has('r') {
        return Ok(0);
    } else {
        let size = most.unwrap_or(items.len()).max(1);
        let groups: Vec<&[String]> = if items.is_empty() { vec![&[]] } else { items.chunks(size).collect() };
        for group in groups {
            let words = command.iter().chain(group).cloned().collect();
            status = shell.run_words(words).await?.max(status);
        }
    }
    Ok(if status == 0 { 0 } else { 123 })
}

/// The input, split into items: by zeros, by a separator, by lines, or by blanks with quotes.
async fn items(
    shell: &ShellState,
    zeros: bool,
    separator: Option<&str>,
    lines: bool,
) -> Result<Vec<String>, UtilityError> {
    let input = shell.fds.get(0);
    let delimiter = match separator {
        Some("\\n") => Some(b'\n'),
        Some("\\0") => Some(0),
        Some(text) => text.bytes().next(),
        None if zeros => Some(0),
        None if lines => Some(b'\n'),
        None => None,
    };
    let mut items = Vec::new();
    if let Some(delimiter) = delimiter {
        while let Some(item) = next_line(&input, delimiter).await? {
            items.push(String::from_utf8_lossy(&item).into_owned());
        }
        return Ok(items);
    }
    let bytes = input.read_all().await?;
    let text = String::from_utf8_lossy(&bytes);
    let (mut item, mut quote, mut escaped): (Option<String>, Option<char>, bool) = (None, None, false);
    for c in text.chars() {
        if escaped {
            item.get_or_insert_default().push(c);
            escaped = false;
        } else if quote == Some(c) {
            quote = None;
        } else if quote.is_some() {
            item.get_or_insert_default().push(c);
        } else if matches!(c, '"' | '\'') {
            quote = Some(c);
            item.get_or_insert_default();
        } else if c == '\\' {
            escaped = true;
        } else if c.is_whitespace() {
            items.extend(item.take());
        } else {
            item.get_or_insert_default().push(c);
        }
    }
    items.extend(item);
    Ok(items)
}

pub(super) async fn seq(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let mut separator = "\n".to_owned();
    let (mut numbers, mut wide) = (Vec::new(), false);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "-s" => separator = rest.next().cloned().unwrap_or_default(),
            "-w" => wide = true,
            text if text.starts_with("-s") => separator = text.trim_start_matches("-s").to_owned(),
            text => numbers.push(text),
        }
    }
    let places = numbers
        .iter()
        .filter_map(|text| text.split_once('.'))
        .map(|(_, after)| after.len())
        .max()
        .unwrap_or(0);
    let parsed: Option<Vec<f64>> = numbers.iter().map(|text| text.parse().ok()).collect();
    let (first, step, last) = match parsed.as_deref() {
        Some([last]) => (1.0, 1.0, *last),
        Some([first, last]) => (*first, 1.0, *last),
        Some([first, step, last]) if *step != 0.0 => (*first, *step, *last),
        _ => return Err(UtilityError::Said("one to three numbers are wanted".to_owned())),
    };
    let mut out = OutputBuffer::of(shell);
    let width =
        if wide { format!("{last:.places$}").len().max(format!("{first:.places$}").len()) } else { 0 };
    let (mut index, mut any) = (0_u32, false);
    loop {
        let value = first + step * f64::from(index);
        if (step > 0.0 && value > last + 1e-9) || (step < 0.0 && value < last - 1e-9) {
            break;
        }
        if any {
            out.put(separator.as_bytes()).await?;
        }
        out.put(format!("{value:0width$.places$}").as_bytes()).await?;
        any = true;
        index = index.saturating_add(1);
    }
    if any {
        out.put(b"\n").await?;
    }
    out.send().await?;
    Ok(0)
}

pub(super) async fn yes(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let line = if args.is_empty() { "y".to_owned() } else { args.join(" ") };
    let mut out = OutputBuffer::of(shell);
    loop {
        out.line(&line).await?;
    }
}
