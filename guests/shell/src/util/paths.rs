//! `basename`, `dirname`, `realpath`.

use super::kit::{UtilityResult, OutputBuffer, UtilityError, parse};
use crate::shell::ShellState;

pub(super) async fn basename(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "as:")?;
    let several = given.has('a') || given.has('s');
    let suffix = given.value('s').or(if several { None } else { words.get(1).map(String::as_str) });
    let count = if several { words.len() } else { 1 };
    if words.is_empty() {
        return Err(UtilityError::Said("which path".to_owned()));
    }
    let mut out = OutputBuffer::of(shell);
    for word in words.iter().take(count) {
        let path = word.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = if path.is_empty() && !word.is_empty() { "/" } else { name };
        let name = suffix
            .and_then(|suffix| name.strip_suffix(suffix))
            .filter(|rest| !rest.is_empty())
            .unwrap_or(name);
        out.line(name).await?;
    }
    out.send().await?;
    Ok(0)
}

pub(super) async fn dirname(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let mut out = OutputBuffer::of(shell);
    for word in args {
        let path = word.trim_end_matches('/');
        let folder = match path.rsplit_once('/') {
            Some(("", _)) => "/",
            Some((folder, _)) => folder.trim_end_matches('/'),
            None if path.is_empty() && !word.is_empty() => "/",
            None => ".",
        };
        out.line(folder).await?;
    }
    out.send().await?;
    Ok(0)
}

pub(super) async fn realpath(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (_, words) = parse(args, "fems")?;
    let mut out = OutputBuffer::of(shell);
    for word in &words {
        out.line(shell.path(word).trim_end_matches('/')).await?;
    }
    out.send().await?;
    Ok(0)
}
