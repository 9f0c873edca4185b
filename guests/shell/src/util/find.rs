//! `find`: matches names, kinds, sizes and depths, and acts on the files found.

use std::fs;

use super::kit::{UtilityResult, OutputBuffer, UtilityError};
use crate::expand::pattern::ShellPattern;
use crate::io::LocalFuture;
use crate::shell::ShellState;

/// A test of a file, or an action on it.
enum FindTerm {
    Name(ShellPattern, CaseMatching),
    Path(ShellPattern),
    Kind(String),
    Size(Ordering, u64),
    Empty,
    Newer(std::time::SystemTime),
    Not(Box<FindTerm>),
    And(Vec<FindTerm>),
    Or(Vec<FindTerm>),
    Print,
    Print0,
    Delete,
    Prune,
    True,
    /// A command for each file, or for all of them at the end.
    Exec(Vec<String>),
    ExecAll(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CaseMatching {
    Counts,
    Ignored,
}

type Ordering = std::cmp::Ordering;

struct FindSearch {
    term: FindTerm,
    least: usize,
    most: usize,
    /// Commands that take all files at the end, with their files.
    later: Vec<(Vec<String>, Vec<String>)>,
    status: i32,
}

pub(super) async fn find(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    let is_term = |arg: &String| arg.starts_with('-') || matches!(arg.as_str(), "!" | "(");
    let roots: Vec<String> = args.iter().take_while(|arg| !is_term(arg)).cloned().collect();
    let mut parser = FindParser {
        shell,
        words: args.get(roots.len()..).unwrap_or_default(),
        acts: false,
        least: 0,
        most: usize::MAX,
        later: Vec::new(),
    };
    let mut term = parser.either()?;
    if let Some(word) = parser.words.first() {
        return Err(UtilityError::Said(format!("cannot read '{word}'")));
    }
    if !parser.acts {
        term = FindTerm::And(vec![term, FindTerm::Print]);
    }
    let mut find = FindSearch { term, least: parser.least, most: parser.most, later: parser.later, status: 0 };
    let mut out = OutputBuffer::of(shell);
    let roots = if roots.is_empty() { vec![".".to_owned()] } else { roots };
    for root in roots {
        if fs::symlink_metadata(shell.path(&root)).is_err() {
            shell.complain(&format!("find: '{root}': No such file or directory")).await;
            find.status = 1;
            continue;
        }
        find.visit(shell, &root, 0, &mut out).await?;
    }
    out.send().await?;
    for (command, files) in std::mem::take(&mut find.later) {
        if !files.is_empty() {
            let words = command.iter().chain(&files).cloned().collect();
            find.status = shell.run_words(words).await?.max(find.status);
        }
    }
    Ok(find.status)
}

struct FindParser<'a> {
    shell: &'a ShellState,
    words: &'a [String],
    acts: bool,
    least: usize,
    most: usize,
    later: Vec<(Vec<String>, Vec<String>)>,
}

impl FindParser<'_> {
    fn take(&mut self) -> Option<String> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word.clone())
    }

    fn value(&mut self, name: &str) -> Result<String, UtilityError> {
        self.take().ok_or_else(|| UtilityError::Said(format!("{name} needs a value")))
    }

    fn either(&mut self) -> Result<FindTerm, UtilityError> {
        let mut terms = vec![self.both()?];
        while matches!(self.words.first().map(String::as_str), Some("-o" | "-or")) {
            self.take();
            terms.push(self.both()?);
        }
        Ok(FindTerm::Or(terms))
    }

    fn both(&mut self) -> Result<FindTerm, UtilityError> {
        let mut terms = Vec::new();
        while let Some(word) = self.words.first() {
            match word.as_str() {
                "-o" | "-or" | ")" => break,
                "-a" | "-and" => drop(self.take()),
                _ => terms.push(self.one()?),
            }
        }
        Ok(FindTerm::And(terms))
    }

    fn one(&mut self) -> Result<FindTerm, UtilityError> {
        let Some(word) = self.take() else { return Ok(FindTerm::True) };
        Ok(match word.as_str() {
            "!" | "-not" => FindTerm::Not(Box::new(self.one()?)),
            "(" => {
                let inner = self.either()?;
                self.take();
                inner
            }
            "-name" => FindTerm::Name(ShellPattern::new(&self.value(&word)?), CaseMatching::Counts),
            "-iname" => FindTerm::Name(ShellPattern::lower(&self.value(&word)?), CaseMatching::Ignored),
            "-path" | "-wholename" => FindTerm::Path(ShellPattern::new(&self.value(&word)?)),
            "-type" => FindTerm::Kind(self.value(&word)?),
            "-size" => size(&self.value(&word)?)?,
            "-empty" => FindTerm::Empty,
            "-newer" => {
                let path = self.value(&word)?;
                FindTerm::Newer(fs::metadata(self.shell.path(&path)).and_then(|data| data.modified())?)
            }
            "-maxdepth" => {
                self.most = self.number(&word)?;
                FindTerm::True
            }
            "-mindepth" => {
                self.least = self.number(&word)?;
                FindTerm::True
            }
            "-prune" => FindTerm::Prune,
            "-true" => FindTerm::True,
            "-print" | "-print0" | "-delete" | "-exec" => return self.action(&word),
            other => return Err(UtilityError::Said(format!("unknown predicate '{other}'"))),
        })
    }

    fn number(&mut self, name: &str) -> Result<usize, UtilityError> {
        self.value(name)?.parse().map_err(|_| UtilityError::Said(format!("{name} needs a number")))
    }

    fn action(&mut self, word: &str) -> Result<FindTerm, UtilityError> {
        self.acts = true;
        Ok(match word {
            "-print" => FindTerm::Print,
            "-print0" => FindTerm::Print0,
            "-delete" => FindTerm::Delete,
            _ => {
                let end = self.words.iter().position(|word| matches!(word.as_str(), ";" | "+"));
                let end = end.ok_or_else(|| UtilityError::Said("-exec needs ; or + at its end".to_owned()))?;
                let (command, rest) = self.words.split_at(end);
                let all = rest.first().is_some_and(|word| word == "+");
                self.words = rest.get(1..).unwrap_or_default();
                if all {
                    let command: Vec<String> = command.iter().filter(|word| *word != "{}").cloned().collect();
                    self.later.push((command, Vec::new()));
                    FindTerm::ExecAll(self.later.len() - 1)
                } else {
                    FindTerm::Exec(command.to_vec())
                }
            }
        })
    }
}

/// `+10k` is more than that, `-10k` less, `10k` just that.
fn size(text: &str) -> Result<FindTerm, UtilityError> {
    let (order, rest) = match text.strip_prefix('+') {
        Some(rest) => (Ordering::Greater, rest),
        None => text.strip_prefix('-').map_or((Ordering::Equal, text), |rest| (Ordering::Less, rest)),
    };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, unit) = rest.split_at(end);
    let scale = match unit {
        "c" => 1,
        "k" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => 512,
    };
    let number: u64 = digits.parse().map_err(|_| UtilityError::Said(format!("invalid size '{text}'")))?;
    Ok(FindTerm::Size(order, number.saturating_mul(scale)))
}

impl FindSearch {
    fn visit<'a>(
        &'a mut self,
        shell: &'a mut ShellState,
        path: &'a str,
        depth: usize,
        out: &'a mut OutputBuffer,
    ) -> LocalFuture<'a, Result<(), UtilityError>> {
        Box::pin(async move {
            let folder = fs::symlink_metadata(shell.path(path)).is_ok_and(|data| data.is_dir());
            let term = std::mem::replace(&mut self.term, FindTerm::True);
            let deletes = has_delete(&term);
            // With `-delete`, the content of a folder comes before the folder.
            let mut pruned = false;
            if !deletes && depth >= self.least {
                let seen = self.holds(shell, &term, path, out, &mut pruned).await;
                if let Err(trouble) = seen {
                    self.term = term;
                    return Err(trouble);
                }
            }
            self.term = term;
            if folder && !pruned && depth < self.most {
                let base = path.trim_end_matches('/');
                for name in shell.list(path) {
                    self.visit(shell, &format!("{base}/{name}"), depth + 1, out).await?;
                }
            }
            if deletes && depth >= self.least {
                let term = std::mem::replace(&mut self.term, FindTerm::True);
                let seen = self.holds(shell, &term, path, out, &mut pruned).await;
                self.term = term;
                seen?;
            }
            Ok(())
        })
    }

    fn holds<'a>(
        &'a mut self,
        shell: &'a mut ShellState,
        term: &'a FindTerm,
        path: &'a str,
        out: &'a mut OutputBuffer,
        pruned: &'a mut bool,
    ) -> LocalFuture<'a, Result<bool, UtilityError>> {
        Box::pin(async move {
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
            let data = || fs::symlink_metadata(shell.path(path)).ok();
            Ok(match term {
                FindTerm::True => true,
                FindTerm::Name(pattern, CaseMatching::Counts) => pattern.matches(name),
                FindTerm::Name(pattern, CaseMatching::Ignored) => pattern.matches(&name.to_lowercase()),
                FindTerm::Path(pattern) => pattern.matches(path),
                FindTerm::Kind(kind) => data().is_some_and(|data| {
                    kind.split(',').any(|kind| match kind {
                        "f" => data.is_file(),
                        "d" => data.is_dir(),
                        "l" => data.is_symlink(),
                        _ => false,
                    })
                }),
                FindTerm::Size(order, size) => data().is_some_and(|data| data.len().cmp(size) == *order),
                FindTerm::Empty => match data() {
                    Some(data) if data.is_dir() => shell.list(path).is_empty(),
                    Some(data) => data.len() == 0,
                    None => false,
                },
                FindTerm::Newer(time) => {
                    data().and_then(|data| data.modified().ok()).is_some_and(|own| own > *time)
                }
                FindTerm::Not(inner) => !self.holds(shell, inner, path, out, pruned).await?,
                FindTerm::And(terms) => {
                    for term in terms {
                        if !self.holds(shell, term, path, out, pruned).await? {
                            return Ok(false);
                        }
                    }
                    true
                }
                FindTerm::Or(terms) => {
                    for term in terms {
                        if self.holds(shell, term, path, out, pruned).await? {
                            return Ok(true);
                        }
                    }
                    false
                }
                FindTerm::Prune => {
                    *pruned = true;
                    true
                }
                FindTerm::Print | FindTerm::Print0 | FindTerm::Delete | FindTerm::Exec(_) | FindTerm::ExecAll(_) => {
                    self.act(shell, term, path, out).await?
                }
            })
        })
    }

    async fn act(
        &mut self,
        shell: &mut ShellState,
        term: &FindTerm,
        path: &str,
        out: &mut OutputBuffer,
    ) -> Result<bool, UtilityError> {
        match term {
            FindTerm::Print0 => {
                out.put(path.as_bytes()).await?;
                out.put(b"\0").await?;
            }
            FindTerm::Delete => {
                let real = shell.path(path);
                let folder = fs::symlink_metadata(&real).is_ok_and(|data| data.is_dir());
                if folder { fs::remove_dir(&real)? } else { fs::remove_file(&real)? }
            }
            FindTerm::Exec(command) => {
                out.send().await?;
                let words = command.iter().map(|word| word.replace("{}", path)).collect();
                return Ok(shell.run_words(words).await? == 0);
            }
            FindTerm::ExecAll(index) => {
                if let Some((_, files)) = self.later.get_mut(*index) {
                    files.push(path.to_owned());
                }
            }
            _ => out.line(path).await?,
        }
        Ok(true)
    }
}

fn has_delete(term: &FindTerm) -> bool {
    match term {
        FindTerm::Delete => true,
        FindTerm::Not(inner) => has_delete(inner),
        FindTerm::And(terms) | FindTerm::Or(terms) => terms.iter().any(has_delete),
        _ => false,
    }
}
