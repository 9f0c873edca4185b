//! `mkdir`, `rm`, `rmdir`, `cp`, `mv`, `touch`.

use std::fs;
use std::time::SystemTime;

use super::kit::{UtilityResult, UtilityError, parse};
use crate::shell::ShellState;
use crate::shell::paths::said;

/// Does an operation for each word. Failures are reported, and the other words continue.
async fn each(
    shell: &ShellState,
    name: &str,
    words: &[String],
    act: impl Fn(&str) -> std::io::Result<()>,
) -> UtilityResult {
    if words.is_empty() {
        return Err(UtilityError::Said("missing operand".to_owned()));
    }
    let mut status = 0;
    for word in words {
        if let Err(error) = act(shell.path(word).trim_end_matches('/')) {
            shell.complain(&format!("{name}: {word}: {}", said(&error))).await;
            status = 1;
        }
    }
    Ok(status)
}

pub(super) async fn mkdir(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "pvm:")?;
    let parents = given.has('p');
    each(shell, "mkdir", &words, |path| if parents { fs::create_dir_all(path) } else { fs::create_dir(path) })
        .await
}

pub(super) async fn rmdir(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (_, words) = parse(args, "pv")?;
    each(shell, "rmdir", &words, |path| fs::remove_dir(path)).await
}

pub(super) async fn rm(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "rRfvid")?;
    let (recursive, force) = (given.has('r') || given.has('R'), given.has('f'));
    if force && words.is_empty() {
        return Ok(0);
    }
    each(shell, "rm", &words, |path| {
        let data = match fs::symlink_metadata(path) {
            Err(error) if force && error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        };
        match (data.is_dir(), recursive) {
            (false, _) => fs::remove_file(path),
            (true, true) => remove_all(path),
            (true, false) => Err(std::io::ErrorKind::IsADirectory.into()),
        }
    })
    .await
}

/// Removes a folder with its content. The standard library's way needs more than WASI has.
fn remove_all(path: &str) -> std::io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let inner = format!("{path}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            remove_all(&inner)?;
        } else {
            fs::remove_file(&inner)?;
        }
    }
    fs::remove_dir(path)
}

/// The destination of a file: into a folder under its own name, or to a name.
fn destination(shell: &ShellState, from: &str, to: &str) -> String {
    let to = shell.path(to);
    if fs::metadata(&to).is_ok_and(|data| data.is_dir()) {
        let name = from.trim_end_matches('/').rsplit('/').next().unwrap_or(from);
        format!("{}/{name}", to.trim_end_matches('/'))
    } else {
        to.trim_end_matches('/').to_owned()
    }
}

/// Splits the words into sources and the destination.
fn takes<'a>(shell: &ShellState, words: &'a [String]) -> Result<(&'a [String], &'a str), UtilityError> {
    let Some((to, from)) = words.split_last().filter(|(_, from)| !from.is_empty()) else {
        return Err(UtilityError::Said("missing operand".to_owned()));
    };
    if from.len() > 1 && !fs::metadata(shell.path(to)).is_ok_and(|data| data.is_dir()) {
        return Err(UtilityError::Said(format!("target '{to}' is not a directory")));
    }
    Ok((from, to))
}

pub(super) async fn cp(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "rRafpvn")?;
    let (from, to) = takes(shell, &words)?;
    let recursive = given.has('r') || given.has('R') || given.has('a');
    let keep = given.has('n');
    each(shell, "cp", from, |path| {
        let target = destination(shell, path, to);
        if keep && fs::metadata(&target).is_ok() {
            return Ok(());
        }
        copy(path, &target, recursive)
    })
    .await
}

fn copy(from: &str, to: &str, recursive: bool) -> std::io::Result<()> {
    if !fs::metadata(from)?.is_dir() {
        return guest_kit::replace(to, &fs::read(from)?);
    }
    if !recursive {
        return Err(std::io::Error::other("it is a folder; -r copies those"));
    }
    if format!("{to}/").starts_with(&format!("{from}/")) {
        return Err(std::io::Error::other("a folder cannot be copied into itself"));
    }
    if !fs::metadata(to).is_ok_and(|data| data.is_dir()) {
        fs::create_dir(to)?;
    }
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        copy(&format!("{from}/{name}"), &format!("{to}/{name}"), recursive)?;
    }
    Ok(())
}

pub(super) async fn mv(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "fvn")?;
    let (from, to) = takes(shell, &words)?;
    let keep = given.has('n');
    each(shell, "mv", from, |path| {
        let target = destination(shell, path, to);
        if keep && fs::metadata(&target).is_ok() { Ok(()) } else { fs::rename(path, &target) }
    })
    .await
}

pub(super) async fn touch(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "camr:d:t:")?;
    let only = given.has('c');
    each(shell, "touch", &words, |path| {
        let existed = fs::metadata(path).is_ok();
        if !existed && only {
            return Ok(());
        }
        let file = fs::OpenOptions::new().append(true).create(true).open(path)?;
        if existed { file.set_modified(SystemTime::now()) } else { Ok(()) }
    })
    .await
}
