//! File name expansion: finds the files that match a pattern.

use std::fs;

use super::parts::ExpandedField;
use super::pattern::ShellPattern;
use crate::shell::ShellState;

/// The most names that one pattern yields: more is a mistake, and memory is bounded.
const MAX_NAMES: usize = 100_000;

impl ShellState {
    /// The files that match a word, or the word itself if none do.
    pub(crate) fn names_of(&self, field: ExpandedField) -> Vec<String> {
        if !field.wild || self.options.noglob {
            return vec![field.text];
        }
        let mut names = self.find_files(&field.pattern);
        if names.is_empty() {
            return if self.options.nullglob { Vec::new() } else { vec![field.text] };
        }
        names.sort();
        names
    }

    fn find_files(&self, pattern: &str) -> Vec<String> {
        let (mut found, rest) = match pattern.strip_prefix('/') {
            Some(rest) => (vec!["/".to_owned()], rest),
            None => (vec![String::new()], pattern),
        };
        let steps: Vec<&str> = rest.split('/').filter(|step| !step.is_empty()).collect();
        for (index, step) in steps.iter().enumerate() {
            let last = index + 1 == steps.len();
            let mut next = Vec::new();
            for base in &found {
                self.step(base, step, last, &mut next);
            }
            found = next;
        }
        if pattern.ends_with('/') {
            found.retain(|name| fs::metadata(self.path(name)).is_ok_and(|data| data.is_dir()));
            found.iter_mut().for_each(|name| name.push('/'));
        }
        found
    }

    /// Goes one name deeper.
    fn step(&self, base: &str, step: &str, last: bool, next: &mut Vec<String>) {
        if next.len() > MAX_NAMES {
            return;
        }
        if step == "**" && self.options.globstar {
            if !last {
                next.push(base.to_owned());
            } else if !base.is_empty() {
                next.push(format!("{base}/"));
            }
            self.below(base, last, next);
            return;
        }
        if !step.contains(['*', '?', '[', '(']) {
            let name = join(base, &step.replace('\\', ""));
            if fs::symlink_metadata(self.path(&name)).is_ok() {
                next.push(name);
            }
            return;
        }
        let pattern = ShellPattern::new(step);
        let hidden = step.starts_with('.') || self.options.dotglob;
        for name in self.list(base) {
            if (hidden || !name.starts_with('.')) && pattern.matches(&name) {
                next.push(join(base, &name));
            }
        }
    }

    /// Everything beneath a folder; only folders if more of the pattern follows.
    fn below(&self, base: &str, files: bool, next: &mut Vec<String>) {
        for name in self.list(base) {
            if name.starts_with('.') && !self.options.dotglob {
                continue;
            }
            let path = join(base, &name);
            let folder = fs::symlink_metadata(self.path(&path)).is_ok_and(|data| data.is_dir());
            if (files || folder) && next.len() < MAX_NAMES {
                next.push(path.clone());
            }
            if folder {
                self.below(&path, files, next);
            }
        }
    }

    /// The names in a folder, sorted.
    pub(crate) fn list(&self, folder: &str) -> Vec<String> {
        let folder = if folder.is_empty() { "." } else { folder };
        let Ok(entries) = fs::read_dir(self.path(folder)) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        names.sort();
        names
    }
}

fn join(base: &str, name: &str) -> String {
    if base.is_empty() || base.ends_with('/') { format!("{base}{name}") } else { format!("{base}/{name}") }
}
