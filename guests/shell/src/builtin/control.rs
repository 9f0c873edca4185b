//! Built-ins that end or run commands, or only return a status.

use brush_parser::test_command;

use crate::shell::paths::said;
use crate::shell::{ShellFlow, ShellState, CommandResult};

pub(super) async fn succeed(_: &mut ShellState, _: &[String]) -> CommandResult {
    Ok(0)
}

pub(super) async fn fail(_: &mut ShellState, _: &[String]) -> CommandResult {
    Ok(1)
}

/// The status that an argument names, or the last one.
fn status(shell: &ShellState, args: &[String]) -> i32 {
    args.first().map_or(shell.status, |text| text.trim().parse().map_or(2, |status: i32| status & 255))
}

pub(super) async fn exit(shell: &mut ShellState, args: &[String]) -> CommandResult {
    Err(ShellFlow::Exit(status(shell, args)))
}

pub(super) async fn return_(shell: &mut ShellState, args: &[String]) -> CommandResult {
    Err(ShellFlow::Return(status(shell, args)))
}

fn levels(args: &[String]) -> u32 {
    args.first().and_then(|text| text.parse().ok()).unwrap_or(1)
}

pub(super) async fn break_(shell: &mut ShellState, args: &[String]) -> CommandResult {
    if shell.loops == 0 { Ok(0) } else { Err(ShellFlow::Break(levels(args))) }
}

pub(super) async fn continue_(shell: &mut ShellState, args: &[String]) -> CommandResult {
    if shell.loops == 0 { Ok(0) } else { Err(ShellFlow::Continue(levels(args))) }
}

pub(super) async fn eval(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let script = args.join(" ");
    shell.status = 0;
    shell.run_source(&script).await
}

pub(super) async fn source(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let Some((path, args)) = args.split_first() else {
        shell.complain("source: which file").await;
        return Ok(2);
    };
    let read = match shell.open_read(path) {
        Ok(handle) => handle.read_all().await,
        Err(error) => Err(error),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) => {
            shell.complain(&format!("source: {path}: {}", said(&error))).await;
            return Ok(1);
        }
    };
    let script = String::from_utf8_lossy(&bytes).into_owned();
    let before = shell.args.clone();
    if !args.is_empty() {
        shell.args = args.to_vec();
    }
    let step = shell.run_source(&script).await;
    shell.args = before;
    match step {
        Err(ShellFlow::Return(status)) => Ok(status),
        other => other,
    }
}

/// Runs the rest of the words, never as a function; with `-v` reports whether they could be run.
pub(super) async fn command(shell: &mut ShellState, args: &[String]) -> CommandResult {
    match args.first().map(String::as_str) {
        Some("-v" | "-V") => type_(shell, args.get(1..).unwrap_or_default()).await,
        Some("-p") => shell.run_builtin(args.get(1..).unwrap_or_default().to_vec()).await,
        Some(_) => shell.run_builtin(args.to_vec()).await,
        None => Ok(0),
    }
}

pub(super) async fn type_(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let mut status = 0;
    for name in args.iter().filter(|name| !name.starts_with('-')) {
        if shell.functions.contains_key(name) || super::find(name).is_some() {
            let _ = shell.fds.get(1).write(format!("{name}\n").as_bytes()).await;
        } else {
            status = 1;
        }
    }
    Ok(status)
}

pub(super) async fn bracket(shell: &mut ShellState, args: &[String]) -> CommandResult {
    match args.split_last() {
        Some((last, args)) if last == "]" => test(shell, args).await,
        _ => {
            shell.complain("[: missing `]'").await;
            Ok(2)
        }
    }
}

pub(super) async fn test(shell: &mut ShellState, args: &[String]) -> CommandResult {
    if args.is_empty() {
        return Ok(1);
    }
    let answer = match test_command::parse(args) {
        Ok(expr) => shell.test(&expr),
        Err(_) => Err(format!("{}: cannot read this condition", args.join(" "))),
    };
    match answer {
        Ok(holds) => Ok(i32::from(!holds)),
        Err(why) => {
            shell.complain(&format!("test: {why}")).await;
            Ok(2)
        }
    }
}

pub(super) async fn let_(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let mut value = 0;
    for expr in args {
        value = shell.arithmetic(expr).await?;
    }
    Ok(i32::from(value == 0))
}
