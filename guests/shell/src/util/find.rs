//! `find`: matches names, kinds, sizes and depths, and acts on the files found.

use std::fs;

use super::kit::{Done, Out, Trouble};
use crate::expand::pattern::Pattern;
use crate::io::Local;
use crate::shell::Shell;

/// A test of a file, or an action on it.
enum Term {
    Name(Pattern, Case),
    Path(Pattern),
    Kind(String),
    Size(Ordering, u64),
    Empty,
    Newer(std::time::SystemTime),
    Not(Box<Term>),
    And(Vec<Term>),
    Or(Vec<Term>),
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
enum Case {
    Counts,
    Ignored,
}

type Ordering = std::cmp::Ordering;

struct Find {
    term: Term,
    least: usize,
    most: usize,
    /// Commands that take all files at the end, with their files.
    later: Vec<(Vec<String>, Vec<String>)>,
    status: i32,
}

pub(super) async fn find(shell: &mut Shell, args: &[String]) -> Done {
    let is_term = |arg: &String| arg.starts_with('-') || matches!(arg.as_str(), "!" | "(");
    let roots: Vec<String> = args.iter().take_while(|arg| !is_term(arg)).cloned().collect();
    let mut parser = Parser {
        shell,
        words: args.get(roots.len()..).unwrap_or_default(),
        acts: false,
        least: 0,
        most: usize::MAX,
        later: Vec::new(),
    };
    let mut term = parser.either()?;
    if let Some(word) = parser.words.first() {
        return Err(Trouble::Said(format!("cannot read '{word}'")));
    }
    if !parser.acts {
        term = Term::And(vec![term, Term::Print]);
    }
    let mut find = Find { term, least: parser.least, most: parser.most, later: parser.later, status: 0 };
    let mut out = Out::of(shell);
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

struct Parser<'a> {
    shell: &'a Shell,
    words: &'a [String],
    acts: bool,
    least: usize,
    most: usize,
    later: Vec<(Vec<String>, Vec<String>)>,
}

impl Parser<'_> {
    fn take(&mut self) -> Option<String> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word.clone())
    }

    fn value(&mut self, name: &str) -> Result<String, Trouble> {
        self.take().ok_or_else(|| Trouble::Said(format!("{name} needs a value")))
    }

    fn either(&mut self) -> Result<Term, Trouble> {
        let mut terms = vec![self.both()?];
        while matches!(self.words.first().map(String::as_str), Some("-o" | "-or")) {
            self.take();
            terms.push(self.both()?);
        }
        Ok(Term::Or(terms))
    }

    fn both(&mut self) -> Result<Term, Trouble> {
        let mut terms = Vec::new();
        while let Some(word) = self.words.first() {
            match word.as_str() {
                "-o" | "-or" | ")" => break,
                "-a" | "-and" => drop(self.take()),
                _ => terms.push(self.one()?),
            }
        }
        Ok(Term::And(terms))
    }

    fn one(&mut self) -> Result<Term, Trouble> {
        let Some(word) = self.take() else { return Ok(Term::True) };
        Ok(match word.as_str() {
            "!" | "-not" => Term::Not(Box::new(self.one()?)),
            "(" => {
                let inner = self.either()?;
                self.take();
                inner
            }
            "-name" => Term::Name(Pattern::new(&self.value(&word)?), Case::Counts),
            "-iname" => Term::Name(Pattern::lower(&self.value(&word)?), Case::Ignored),
            "-path" | "-wholename" => Term::Path(Pattern::new(&self.value(&word)?)),
            "-type" => Term::Kind(self.value(&word)?),
            "-size" => size(&self.value(&word)?)?,
            "-empty" => Term::Empty,
            "-newer" => {
                let path = self.value(&word)?;
                Term::Newer(fs::metadata(self.shell.path(&path)).and_then(|data| data.modified())?)
            }
            "-maxdepth" => {
                self.most = self.number(&word)?;
                Term::True
            }
            "-mindepth" => {
                self.least = self.number(&word)?;
                Term::True
            }
            "-prune" => Term::Prune,
            "-true" => Term::True,
            "-print" | "-print0" | "-delete" | "-exec" => return self.action(&word),
            other => return Err(Trouble::Said(format!("unknown predicate '{other}'"))),
        })
    }

    fn number(&mut self, name: &str) -> Result<usize, Trouble> {
        self.value(name)?.parse().map_err(|_| Trouble::Said(format!("{name} needs a number")))
    }

    fn action(&mut self, word: &str) -> Result<Term, Trouble> {
        self.acts = true;
        Ok(match word {
            "-print" => Term::Print,
            "-print0" => Term::Print0,
            "-delete" => Term::Delete,
            _ => {
                let end = self.words.iter().position(|word| matches!(word.as_str(), ";" | "+"));
                let end = end.ok_or_else(|| Trouble::Said("-exec needs ; or + at its end".to_owned()))?;
                let (command, rest) = self.words.split_at(end);
                let all = rest.first().is_some_and(|word| word == "+");
                self.words = rest.get(1..).unwrap_or_default();
                if all {
                    let command: Vec<String> = command.iter().filter(|word| *word != "{}").cloned().collect();
                    self.later.push((command, Vec::new()));
                    Term::ExecAll(self.later.len() - 1)
                } else {
                    Term::Exec(command.to_vec())
                }
            }
        })
    }
}

/// `+10k` is more than that, `-10k` less, `10k` just that.
fn size(text: &str) -> Result<Term, Trouble> {
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
    let number: u64 = digits.parse().map_err(|_| Trouble::Said(format!("invalid size '{text}'")))?;
    Ok(Term::Size(order, number.saturating_mul(scale)))
}

impl Find {
    fn visit<'a>(
        &'a mut self,
        shell: &'a mut Shell,
        path: &'a str,
        depth: usize,
        out: &'a mut Out,
    ) -> Local<'a, Result<(), Trouble>> {
        Box::pin(async move {
            let folder = fs::symlink_metadata(shell.path(path)).is_ok_and(|data| data.is_dir());
            let term = std::mem::replace(&mut self.term, Term::True);
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
                let term = std::mem::replace(&mut self.term, Term::True);
                let seen = self.holds(shell, &term, path, out, &mut pruned).await;
                self.term = term;
                seen?;
            }
            Ok(())
        })
    }

    fn holds<'a>(
        &'a mut self,
        shell: &'a mut Shell,
        term: &'a Term,
        path: &'a str,
        out: &'a mut Out,
        pruned: &'a mut bool,
    ) -> Local<'a, Result<bool, Trouble>> {
        Box::pin(async move {
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
            let data = || fs::symlink_metadata(shell.path(path)).ok();
            Ok(match term {
                Term::True => true,
                Term::Name(pattern, Case::Counts) => pattern.matches(name),
                Term::Name(pattern, Case::Ignored) => pattern.matches(&name.to_lowercase()),
                Term::Path(pattern) => pattern.matches(path),
                Term::Kind(kind) => data().is_some_and(|data| {
                    kind.split(',').any(|kind| match kind {
                        "f" => data.is_file(),
                        "d" => data.is_dir(),
                        "l" => data.is_symlink(),
                        _ => false,
                    })
                }),
                Term::Size(order, size) => data().is_some_and(|data| data.len().cmp(size) == *order),
                Term::Empty => match data() {
                    Some(data) if data.is_dir() => shell.list(path).is_empty(),
                    Some(data) => data.len() == 0,
                    None => false,
                },
                Term::Newer(time) => {
                    data().and_then(|data| data.modified().ok()).is_some_and(|own| own > *time)
                }
                Term::Not(inner) => !self.holds(shell, inner, path, out, pruned).await?,
                Term::And(terms) => {
                    for term in terms {
                        if !self.holds(shell, term, path, out, pruned).await? {
                            return Ok(false);
                        }
                    }
                    true
                }
                Term::Or(terms) => {
                    for term in terms {
                        if self.holds(shell, term, path, out, pruned).await? {
                            return Ok(true);
                        }
                    }
                    false
                }
                Term::Prune => {
                    *pruned = true;
                    true
                }
                Term::Print | Term::Print0 | Term::Delete | Term::Exec(_) | Term::ExecAll(_) => {
                    self.act(shell, term, path, out).await?
                }
            })
        })
    }

    async fn act(
        &mut self,
        shell: &mut Shell,
        term: &Term,
        path: &str,
        out: &mut Out,
    ) -> Result<bool, Trouble> {
        match term {
            Term::Print0 => {
                out.put(path.as_bytes()).await?;
                out.put(b"\0").await?;
            }
            Term::Delete => {
                let real = shell.path(path);
                let folder = fs::symlink_metadata(&real).is_ok_and(|data| data.is_dir());
                if folder { fs::remove_dir(&real)? } else { fs::remove_file(&real)? }
            }
            Term::Exec(command) => {
                out.send().await?;
                let words = command.iter().map(|word| word.replace("{}", path)).collect();
                return Ok(shell.run_words(words).await? == 0);
            }
            Term::ExecAll(index) => {
                if let Some((_, files)) = self.later.get_mut(*index) {
                    files.push(path.to_owned());
                }
            }
            _ => out.line(path).await?,
        }
        Ok(true)
    }
}

fn has_delete(term: &Term) -> bool {
    match term {
        Term::Delete => true,
        Term::Not(inner) => has_delete(inner),
        Term::And(terms) | Term::Or(terms) => terms.iter().any(has_delete),
        _ => false,
    }
}
