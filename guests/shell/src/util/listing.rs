//! `ls`.

use std::fs;
use std::time::SystemTime;

use super::clock::stamp;
use super::kit::{UtilityResult, OptionValues, OutputBuffer, parse};
use crate::shell::ShellState;
use crate::shell::paths::said;

/// One name with its metadata.
struct ListingEntry {
    name: String,
    data: Option<fs::Metadata>,
}

pub(super) async fn ls(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let (given, words) = parse(args, "aAlhd1trSRFpGn")?;
    let words = if words.is_empty() { vec![".".to_owned()] } else { words };
    let (mut files, mut folders, mut status) = (Vec::new(), Vec::new(), 0);
    for word in words {
        match fs::metadata(shell.path(&word)).or_else(|_| fs::symlink_metadata(shell.path(&word))) {
            Ok(data) if data.is_dir() && !given.has('d') => folders.push(word),
            Ok(data) => files.push(ListingEntry { name: word, data: Some(data) }),
            Err(error) => {
                shell.complain(&format!("ls: cannot access '{word}': {}", said(&error))).await;
                status = 2;
            }
        }
    }
    let titles = folders.len() + usize::from(!files.is_empty()) > 1 || given.has('R');
    let mut out = OutputBuffer::of(shell);
    let mut first = files.is_empty();
    show(files, &given, &mut out).await?;
    folders.reverse();
    while let Some(folder) = folders.pop() {
        if titles {
            let gap = if first { "" } else { "\n" };
            out.line(&format!("{gap}{folder}:")).await?;
            first = false;
        }
        let entries = entries(shell, &folder, &given);
        if given.has('R') {
            let inner =
                entries.iter().rev().filter(|entry| entry.data.as_ref().is_some_and(fs::Metadata::is_dir));
            let inner = inner.filter(|entry| !matches!(entry.name.as_str(), "." | ".."));
            folders.extend(inner.map(|entry| format!("{}/{}", folder.trim_end_matches('/'), entry.name)));
        }
        show(entries, &given, &mut out).await?;
    }
    out.send().await?;
    Ok(status)
}

fn entries(shell: &ShellState, folder: &str, given: &OptionValues) -> Vec<ListingEntry> {
    let mut names = shell.list(folder);
    if !given.has('a') && !given.has('A') {
        names.retain(|name| !name.starts_with('.'));
    }
    if given.has('a') {
        names.splice(0..0, [".".to_owned(), "..".to_owned()]);
    }
    let data = |name: &str| fs::symlink_metadata(shell.path(&format!("{folder}/{name}"))).ok();
    names.into_iter().map(|name| ListingEntry { data: data(&name), name }).collect()
}

async fn show(mut entries: Vec<ListingEntry>, given: &OptionValues, out: &mut OutputBuffer) -> std::io::Result<()> {
    let time = |entry: &ListingEntry| entry.data.as_ref().and_then(|data| data.modified().ok());
    let size = |entry: &ListingEntry| entry.data.as_ref().map_or(0, fs::Metadata::len);
    if given.has('t') {
        entries.sort_by_key(|entry| std::cmp::Reverse(time(entry)));
    } else if given.has('S') {
        entries.sort_by_key(|entry| std::cmp::Reverse(size(entry)));
    }
    if given.has('r') {
        entries.reverse();
    }
    let width = entries.iter().map(|entry| shown_size(size(entry), given).len()).max().unwrap_or(0);
    for entry in &entries {
        let folder = entry.data.as_ref().is_some_and(fs::Metadata::is_dir);
        let mark = if folder && (given.has('F') || given.has('p')) { "/" } else { "" };
        if !given.has('l') {
            out.line(&format!("{}{mark}", entry.name)).await?;
            continue;
        }
        // Owners and modes do not exist for a guest, so they are not made up.
        let kind = match &entry.data {
            Some(data) if data.is_dir() => 'd',
            Some(data) if data.is_symlink() => 'l',
            _ => '-',
        };
        let size = shown_size(size(entry), given);
        let when = stamp(time(entry).unwrap_or(SystemTime::UNIX_EPOCH));
        out.line(&format!("{kind} {size:>width$} {when} {}{mark}", entry.name)).await?;
    }
    Ok(())
}

fn shown_size(size: u64, given: &OptionValues) -> String {
    if !given.has('h') || size < 1024 {
        return size.to_string();
    }
    let (mut whole, mut tenths, mut unit) = (size, 0, 0);
    while whole >= 1024 && unit < 4 {
        tenths = (whole % 1024) * 10 / 1024;
        whole /= 1024;
        unit += 1;
    }
    let unit = ["", "K", "M", "G", "T"].get(unit).copied().unwrap_or("T");
    if whole < 10 { format!("{whole}.{tenths}{unit}") } else { format!("{whole}{unit}") }
}
