//! `cat`, `head`, `tail`, `wc`, `tee`, `tac`, `rev`.

use std::collections::VecDeque;

use super::kit::{UtilityResult, OutputBuffer, UtilityError, all_lines, inputs, next_line, parse};
use crate::io::IoHandle;
use crate::shell::ShellState;
use crate::shell::paths::WriteMode;

pub(super) async fn cat(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "nbsuAeTv")?;
    let (inputs, failed) = inputs(shell, "cat", &words).await;
    let mut out = OutputBuffer::of(shell);
    let mut number = 0_u64;
    for (_, input) in inputs {
        if given.has('n') || given.has('b') {
            while let Some(line) = next_line(&input, b'\n').await? {
                if given.has('b') && line.is_empty() {
                    out.line("").await?;
                    continue;
                }
                number += 1;
                out.put(format!("{number:>6}\t").as_bytes()).await?;
                out.put(&line).await?;
                out.put(b"\n").await?;
            }
            continue;
        }
        loop {
            let bytes = input.read().await?;
            if bytes.is_empty() {
                break;
            }
            out.put(&bytes).await?;
            out.send().await?;
        }
    }
    out.send().await?;
    Ok(i32::from(failed))
}

/// How much of an input to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InputAmount {
    Lines(usize),
    Bytes(usize),
    /// Lines from this one on, or all but so many at the end.
    FromLine(usize),
    ButLast(usize),
}

/// `-5` means `-n 5`.
fn modern(args: &[String]) -> Vec<String> {
    let old = |arg: &String| arg.strip_prefix('-').is_some_and(|rest| rest.parse::<usize>().is_ok());
    let mut valued = false;
    let mut modern = Vec::new();
    for arg in args {
        modern.push(if old(arg) && !valued {
            format!("-n{}", arg.trim_start_matches('-'))
        } else {
            arg.clone()
        });
        valued = matches!(arg.as_str(), "-n" | "-c");
    }
    modern
}

fn amount(value: Option<&str>, bytes: Option<&str>) -> Result<InputAmount, UtilityError> {
    let number = |text: &str| {
        text.trim_start_matches(['+', '-'])
            .parse()
            .map_err(|_| UtilityError::Said(format!("invalid number: '{text}'")))
    };
    match (value, bytes) {
        (_, Some(text)) => Ok(InputAmount::Bytes(number(text)?)),
        (Some(text), None) if text.starts_with('+') => Ok(InputAmount::FromLine(number(text)?)),
        (Some(text), None) if text.starts_with('-') => Ok(InputAmount::ButLast(number(text)?)),
        (Some(text), None) => Ok(InputAmount::Lines(number(text)?)),
        (None, None) => Ok(InputAmount::Lines(10)),
    }
}

pub(super) async fn head(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(&modern(args), "n:c:qv")?;
    let amount = amount(given.value('n'), given.value('c'))?;
    let (inputs, failed) = inputs(shell, "head", &words).await;
    let mut out = OutputBuffer::of(shell);
    let titles = inputs.len() > 1 && !given.has('q');
    for (index, (name, input)) in inputs.iter().enumerate() {
        if titles {
            let gap = if index > 0 { "\n" } else { "" };
            out.line(&format!("{gap}==> {name} <==")).await?;
        }
        head_of(input, amount, &mut out).await?;
    }
    out.send().await?;
    Ok(i32::from(failed))
}

async fn head_of(input: &IoHandle, amount: InputAmount, out: &mut OutputBuffer) -> Result<(), UtilityError> {
    match amount {
        InputAmount::Lines(count) | InputAmount::FromLine(count) => {
            for _ in 0..count {
                let line = input.read_until(b'\n').await?;
                if line.is_empty() {
                    break;
                }
                out.put(&line).await?;
            }
        }
        InputAmount::Bytes(mut count) => {
            while count > 0 {
                let bytes = input.read().await?;
                if bytes.is_empty() {
                    break;
                }
                let taken = bytes.get(..count.min(bytes.len())).unwrap_or_default();
                out.put(taken).await?;
                count -= taken.len();
            }
        }
        InputAmount::ButLast(count) => {
            let mut kept = VecDeque::new();
            loop {
                let line = input.read_until(b'\n').await?;
                if line.is_empty() {
                    break;
                }
                kept.push_back(line);
                if kept.len() > count
                    && let Some(line) = kept.pop_front()
                {
                    out.put(&line).await?;
                }
            }
        }
    }
    Ok(())
}

pub(super) async fn tail(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(&modern(args), "n:c:qvf")?;
    let amount = amount(given.value('n'), given.value('c'))?;
    let (inputs, failed) = inputs(shell, "tail", &words).await;
    let mut out = OutputBuffer::of(shell);
    let titles = inputs.len() > 1 && !given.has('q');
    for (index, (name, input)) in inputs.iter().enumerate() {
        if titles {
            let gap = if index > 0 { "\n" } else { "" };
            out.line(&format!("{gap}==> {name} <==")).await?;
        }
        tail_of(input, amount, &mut out).await?;
    }
    out.send().await?;
    Ok(i32::from(failed))
}

async fn tail_of(input: &IoHandle, amount: InputAmount, out: &mut OutputBuffer) -> Result<(), UtilityError> {
    match amount {
        InputAmount::Lines(count) | InputAmount::ButLast(count) => {
            let mut kept = VecDeque::new();
            loop {
                let line = input.read_until(b'\n').await?;
                if line.is_empty() {
                    break;
                }
                kept.push_back(line);
                if kept.len() > count {
                    kept.pop_front();
                }
            }
            for line in kept {
                out.put(&line).await?;
            }
        }
        InputAmount::FromLine(first) => {
            let mut number = 1;
            loop {
                let line = input.read_until(b'\n').await?;
                if line.is_empty() {
                    break;
                }
                if number >= first {
                    out.put(&line).await?;
                }
                number += 1;
            }
        }
        InputAmount::Bytes(count) => {
            let bytes = input.read_all().await?;
            out.put(bytes.get(bytes.len().saturating_sub(count)..).unwrap_or_default()).await?;
        }
    }
    Ok(())
}

pub(super) async fn wc(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "lwcmL")?;
    let (inputs, failed) = inputs(shell, "wc", &words).await;
    let all = !"lwcm".chars().any(|letter| given.has(letter));
    let named = !words.is_empty();
    let mut rows = Vec::new();
    let mut total = [0_usize; 4];
    for (name, input) in inputs {
        let bytes = input.read_all().await?;
        let text = String::from_utf8_lossy(&bytes);
        let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
        let counts = [lines, text.split_whitespace().count(), bytes.len(), text.chars().count()];
        total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        rows.push((counts, if named { name } else { String::new() }));
    }
    if rows.len() > 1 {
        rows.push((total, "total".to_owned()));
    }
    let shown = |index: usize, letter: char| (all && index < 3) || given.has(letter);
    let mut out = OutputBuffer::of(shell);
    for (counts, name) in rows {
        let wanted: Vec<String> = counts
            .iter()
            .zip("lwcm".chars())
            .enumerate()
            .filter(|(index, (_, letter))| shown(*index, *letter))
            .map(|(_, (count, _))| count.to_string())
            .collect();
        let line = if wanted.len() == 1 {
            wanted.join(" ")
        } else {
            wanted.iter().map(|count| format!("{count:>7}")).collect::<Vec<_>>().join(" ")
        };
        out.line(format!("{line} {name}").trim_end()).await?;
    }
    out.send().await?;
    Ok(i32::from(failed))
}

pub(super) async fn tee(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "ai")?;
    let how = if given.has('a') { WriteMode::Append } else { WriteMode::Replace };
    let mut targets = vec![shell.fds.get(1)];
    for word in &words {
        targets.push(shell.open_write(word, how)?);
    }
    let input = shell.fds.get(0);
    loop {
        let bytes = input.read().await?;
        if bytes.is_empty() {
            return Ok(0);
        }
        for target in &targets {
            target.write(&bytes).await?;
        }
    }
}

pub(super) async fn tac(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (inputs, failed) = inputs(shell, "tac", args).await;
    let mut out = OutputBuffer::of(shell);
    for line in all_lines(&inputs).await?.iter().rev() {
        out.line(line).await?;
    }
    out.send().await?;
    Ok(i32::from(failed))
}

pub(super) async fn rev(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (inputs, failed) = inputs(shell, "rev", args).await;
    let mut out = OutputBuffer::of(shell);
    for line in all_lines(&inputs).await? {
        out.line(&line.chars().rev().collect::<String>()).await?;
    }
    out.send().await?;
    Ok(i32::from(failed))
}
