//! The values of template variables: those given with `--var`, and a few common ones. Templates are
//! parsed in `holm-config/src/template.rs` and filled in `prompt.rs`. No program runs for a value:
//! the git branch is read from files, and a name that git could not have written is not shown to a
//! model.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use holm_config::read_plain_text;

use super::{CONTENT, PromptTemplate};
use crate::exit::{CommandError, CommandExit};

/// The variables that are known by themselves.
const BUILT_IN: [&str; 5] = ["cwd", "date", "filename", "git_branch", "language"];

/// The longest name of a branch that is shown: git allows 255 bytes for a part of it.
const MAX_BRANCH_BYTES: usize = 255;

/// How many letters of a commit are shown where no branch is.
const COMMIT_LETTERS: usize = 12;

/// What the names of files end with, and the language that they are written in.
const LANGUAGES: [(&str, &str); 36] = [
    ("c", "C"),
    ("cc", "C++"),
    ("clj", "Clojure"),
    ("cpp", "C++"),
    ("cs", "C#"),
    ("css", "CSS"),
    ("dart", "Dart"),
    ("ex", "Elixir"),
    ("exs", "Elixir"),
    ("go", "Go"),
    ("h", "C"),
    ("hpp", "C++"),
    ("hs", "Haskell"),
    ("html", "HTML"),
    ("java", "Java"),
    ("js", "JavaScript"),
    ("json", "JSON"),
    ("jsx", "JavaScript"),
    ("kt", "Kotlin"),
    ("lua", "Lua"),
    ("md", "Markdown"),
    ("ml", "OCaml"),
    ("nix", "Nix"),
    ("php", "PHP"),
    ("pl", "Perl"),
    ("py", "Python"),
    ("r", "R"),
    ("rb", "Ruby"),
    ("rs", "Rust"),
    ("scala", "Scala"),
    ("sh", "shell"),
    ("sql", "SQL"),
    ("swift", "Swift"),
    ("toml", "TOML"),
    ("ts", "TypeScript"),
    ("yaml", "YAML"),
];

/// The given values, by name.
pub(crate) type TemplateVariables = BTreeMap<String, String>;

/// A variable as it is given: a name, an equals sign, a value.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it like name=value")?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(fits) {
        return Err(format!("`{name}` is not a valid variable name"));
    }
    if name == CONTENT {
        return Err("`content` is the prompt itself; give it with -p or -f".into());
    }
    Ok((name.to_owned(), value.to_owned()))
}

impl PromptTemplate {
    /// A value for each variable of the template except the content. Given values take
    /// precedence over built-in ones.
    pub(super) fn values(&self, work: &Path, file: Option<&Path>) -> Result<TemplateVariables, CommandError> {
        let wanted = |name: &str| self.template.names().any(|known| known == name);
        if let Some(name) = self.variables.keys().find(|name| !wanted(name)) {
            let message = format!("the alias `{}` does not use `{name}`", self.alias);
            let mut places: Vec<&str> = self.template.names().collect();
            places.dedup();
            let hint = if places.is_empty() {
                "it uses no variables".to_owned()
            } else {
                format!("it has {}", places.join(", "))
            };
            return Err(CommandError::new(CommandExit::Usage, message).hint(hint));
        }
        let mut values = self.variables.clone();
        for name in self.template.names().filter(|name| *name != CONTENT) {
            if !values.contains_key(name) {
                values.insert(name.to_owned(), self.known(name, work, file)?);
            }
        }
        Ok(values)
    }

    /// What is known by itself.
    fn known(&self, name: &str, work: &Path, file: Option<&Path>) -> Result<String, CommandError> {
        let wrong = |why: &str| {
            let message = format!("the alias `{}` needs a value for `{name}`: {why}", self.alias);
            CommandError::new(CommandExit::Usage, message)
                .hint(format!("set it with --var {name}=…, or in a chat with /{} {name}=…", self.alias))
        };
        match name {
            "cwd" => Ok(work.display().to_string()),
            "date" => Ok(jiff::Timestamp::now().to_string().chars().take("2026-01-31".len()).collect()),
            "git_branch" => git_branch(work).ok_or_else(|| wrong("this folder is not in a git repository")),
            "filename" => {
                file.map(|file| file.display().to_string()).ok_or_else(|| wrong("no file was given with -f"))
            }
            "language" => file
                .and_then(language)
                .map(str::to_owned)
                .ok_or_else(|| wrong("no file given with -f has a known language")),
            _ => Err(wrong(&format!("only {} are built in", BUILT_IN.join(", ")))),
        }
    }
}

/// The language of a file, by its name.
fn language(file: &Path) -> Option<&'static str> {
    let ending = file.extension()?.to_str()?.to_ascii_lowercase();
    LANGUAGES.iter().find(|(known, _)| *known == ending).map(|(_, language)| *language)
}

/// The branch of the repository that a folder is in, or the commit where there is none. Read from
/// its files: no program of a repository's choosing is started for it.
pub(crate) fn git_branch(work: &Path) -> Option<String> {
    let git = work.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists())?;
    let head = read_plain_text(&git_folder(git)?.join("HEAD")).ok()?;
    let head = head.trim();
    match head.strip_prefix("ref: ") {
        Some(name) => {
            let name = name.strip_prefix("refs/heads/").unwrap_or(name);
            Some(if is_plain_branch(name) { name.to_owned() } else { "unknown".to_owned() })
        }
        None => {
            Some(head.chars().take(COMMIT_LETTERS).collect()).filter(|commit: &String| !commit.is_empty())
        }
    }
}

/// The repository of a folder, if it lies outside of it: above it, or where a linked work tree has it.
pub(crate) fn repository_outside(work: &Path) -> Option<PathBuf> {
    let git = work.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists())?;
    let folder = git_folder(git)?.canonicalize().ok()?;
    let is_common = |folder: &&Path| folder.file_name().is_some_and(|name| name == ".git");
    let common = folder.ancestors().find(is_common).unwrap_or(&folder);
    (!common.starts_with(work.canonicalize().ok()?)).then(|| common.to_owned())
}

/// Whether a name is one that git could have written. A model is told it, and a sentence in its
/// place would pass for Holm's.
fn is_plain_branch(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || "._/-+@#=,".contains(letter);
    (1..=MAX_BRANCH_BYTES).contains(&name.len()) && name.chars().all(is_plain)
}

/// Where a repository keeps what it knows; a worktree says so in a file.
fn git_folder(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let text = read_plain_text(&git).ok()?;
    let folder = text.trim().strip_prefix("gitdir: ")?;
    Some(git.parent()?.join(folder))
}

#[cfg(test)]
mod tests;
