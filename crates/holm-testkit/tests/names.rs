//! Holds the vocabulary: a type has one name, and the name says what it is.
//!
//! The test reads the source text of all crates and guests, without their tests. It knows nothing of
//! scopes or macros, which is enough to notice a second `Place` on the day that it is written.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Names that may be defined in more than one crate, with the reason.
const IN_SEVERAL_CRATES: &[(&str, &str)] = &[
    ("Outcome", "how a call ended; how a job's run ended, in the HTTP API"),
    ("Question", "the kernel's question to a reviewer; an open question of a session, in the HTTP API"),
    ("Reply", "a model's reply; the answer to an open question, in the HTTP API"),
    ("Role", "the author of a message; what a user of the server may do, in the HTTP API"),
    ("Run", "a run; the run of a job, in the HTTP API; its JavaScript class"),
    ("Started", "the first record of a run; a job that was started, in the HTTP API"),
];

/// Percent of the types whose name is one word. A bare word is right where the field has it
/// (`Journal`, `Grant`), and says too little everywhere else.
const MOST_ONE_WORD_PERCENT: usize = 6;

/// Words of comments that name no one: a sentence with a real subject is clearer.
const VAGUE_SUBJECTS: &[&str] = &["whoever", "somebody", "nobody", "those who", "that which", "it is looked"];

/// Comment lines that may still use one.
const MOST_VAGUE_LINES: usize = 20;

/// Doc comments of three words or fewer: most of them only repeat the name.
const MOST_STUB_DOCS: usize = 85;

/// Columns of a doc comment. Comments are wrapped at 100; names of types and paths may stand out.
const WIDEST_DOC: usize = 110;

/// Doc lines that may be wider: JSON texts in examples.
const MOST_WIDE_DOCS: usize = 20;

struct TypeDefinition {
    name: String,
    crate_name: String,
    file: PathBuf,
}

#[test]
fn no_type_name_is_defined_in_two_crates() {
    let mut crates_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut files_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for definition in definitions() {
        files_of.entry(definition.name.clone()).or_default().push(definition.file.display().to_string());
        crates_of.entry(definition.name).or_default().insert(definition.crate_name);
    }
    let allowed: BTreeSet<&str> = IN_SEVERAL_CRATES.iter().map(|(name, _)| *name).collect();
    let shared: Vec<String> = crates_of
        .iter()
        .filter(|(name, crates)| crates.len() > 1 && !allowed.contains(name.as_str()))
        .map(|(name, _)| format!("{name}: {}", files_of[name].join(", ")))
        .collect();
    assert!(shared.is_empty(), "give each type a name of its own:\n{}", shared.join("\n"));
}

#[test]
fn few_types_are_named_by_one_bare_word() {
    let all = definitions();
    let bare: Vec<&str> =
        all.iter().map(|definition| definition.name.as_str()).filter(|name| is_one_word(name)).collect();
    let percent = bare.len() * 100 / all.len();
    assert!(
        percent <= MOST_ONE_WORD_PERCENT,
        "{percent} % of {} types are one word, of at most {MOST_ONE_WORD_PERCENT} %: {}",
        all.len(),
        bare.join(", ")
    );
}

#[test]
fn comments_name_their_subjects() {
    let mut vague = Vec::new();
    for file in source_files() {
        for line in read(&file).lines().map(str::trim_start).filter(|line| line.starts_with("//")) {
            let lower = line.to_lowercase();
            if VAGUE_SUBJECTS.iter().any(|subject| has_phrase(&lower, subject)) {
                vague.push(format!("{}: {line}", file.display()));
            }
        }
    }
    assert!(
        vague.len() <= MOST_VAGUE_LINES,
        "{} comment lines of at most {MOST_VAGUE_LINES}; say the caller, the user, the model, another process:\n{}",
        vague.len(),
        vague.join("\n")
    );
}

#[test]
fn doc_comments_say_more_than_the_name() {
    let stubs = doc_lines(is_stub);
    assert!(
        stubs.len() <= MOST_STUB_DOCS,
        "{} doc comments of three words or fewer, of at most {MOST_STUB_DOCS}; say more, or delete them:\n{}",
        stubs.len(),
        stubs.join("\n")
    );
}

#[test]
fn doc_comments_are_wrapped() {
    let wide = doc_lines(|line| line.chars().count() > WIDEST_DOC);
    assert!(
        wide.len() <= MOST_WIDE_DOCS,
        "{} doc lines of at most {MOST_WIDE_DOCS} have more than {WIDEST_DOC} columns; wrap at 100:\n{}",
        wide.len(),
        wide.join("\n")
    );
}

#[test]
fn the_readers_of_this_test_see_what_they_should() {
    assert!(is_stub("    /// Its name.") && !is_stub("    /// Its name in the list.") && !is_stub("//! A."));
    assert!(is_one_word("Journal") && !is_one_word("SessionManager"));
    assert!(has_phrase("nobody answers", "nobody") && !has_phrase("somebodys", "somebody"));
    assert_eq!(defined_name("pub(crate) struct ToolSource<T> {"), Some("ToolSource"));
    assert_eq!(defined_name("    enum State {"), Some("State"));
    assert_eq!(defined_name("/// A struct Place."), None);
    assert!(definitions().len() > 1_000, "the tree was not found");
}

fn is_one_word(name: &str) -> bool {
    name.chars().filter(|letter| letter.is_uppercase()).count() == 1
}

/// Whether a line is a doc comment of at most three words that ends there.
fn is_stub(line: &str) -> bool {
    line.trim_start().strip_prefix("///").is_some_and(|text| {
        let words = text.split_whitespace().count();
        text.trim_end().ends_with('.') && (1..=3).contains(&words)
    })
}

/// The doc comment lines that a test picks, with their files.
fn doc_lines(picks: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for file in source_files() {
        let text = read(&file);
        let docs = text.lines().filter(|line| {
            let line = line.trim_start();
            line.starts_with("///") || line.starts_with("//!")
        });
        found.extend(
            docs.filter(|line| picks(line)).map(|line| format!("{}: {}", file.display(), line.trim())),
        );
    }
    found
}

fn has_phrase(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + phrase.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn definitions() -> Vec<TypeDefinition> {
    let mut found = Vec::new();
    for file in source_files() {
        let crate_name =
            file.iter().nth(1).map(|part| part.to_string_lossy().into_owned()).unwrap_or_default();
        for name in read(&file).lines().filter_map(defined_name) {
            found.push(TypeDefinition {
                name: name.to_owned(),
                crate_name: crate_name.clone(),
                file: file.clone(),
            });
        }
    }
    found
}

/// The name of the type that a line begins to define.
fn defined_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if let Some(public) = rest.strip_prefix("pub") {
        rest = match public.strip_prefix('(') {
            Some(scoped) => scoped.split_once(')')?.1.trim_start(),
            None => public.trim_start(),
        };
    }
    let rest = ["struct ", "enum ", "trait ", "union "].iter().find_map(|word| rest.strip_prefix(word))?;
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    rest.get(..end).filter(|name| name.starts_with(char::is_uppercase))
}

/// Source files of crates and guests, relative to the repository, without tests and examples.
fn source_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for top in ["crates", "guests"] {
        walk(Path::new(top), &mut files);
    }
    files.sort();
    files
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(root().join(folder)).expect("a source folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let path = folder.join(&name);
        if root().join(&path).is_dir() {
            let left_out = ["target", "test", "tests", "benches", "examples", "node_modules", "holm-testkit"];
            if !left_out.contains(&name.as_str()) {
                walk(&path, files);
            }
        } else if name.ends_with(".rs") && !name.ends_with("test.rs") && !name.ends_with("tests.rs") {
            files.push(path);
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(root().join(file)).expect("a source file")
}
