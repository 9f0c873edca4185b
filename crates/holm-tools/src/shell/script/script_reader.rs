//! Collects the commands of a script from its syntax tree. Words are read in `word.rs`,
//! here-documents in `here_document.rs`, and text that the grammar takes for plain in
//! `substitution.rs`. It judges nothing; `shell/rules/mod.rs` does. A kind of node that is not in
//! `PLAIN` makes the script involved, so that new syntax of the grammar never passes unasked. The
//! tree is walked with a cursor and not by recursion, because deep nesting must not fill the stack.

use std::sync::Arc;

use tree_sitter::{Node, Parser, TreeCursor};

use super::here_document::{self, HereDocumentBody};
use super::substitution::{CommandSubstitutions, may_substitute, substitutions};
use super::word::word;
use super::{ScriptCommand, ScriptComplexity, ScriptReadError, ScriptWord, ShellAssignment, ShellScript};

/// The most words that are given back to commands from redirections; beyond, the script is taken
/// for one that makes its commands at run time.
const MAX_GIVEN: usize = 10_000;

/// The syntax that may occur in a script that passes unasked: commands of plain words, in sequence.
const PLAIN: [&str; 17] = [
    "program",
    "list",
    "pipeline",
    "command",
    "command_name",
    "word",
    "string",
    "string_content",
    "raw_string",
    "concatenation",
    "number",
    "&&",
    "||",
    ";",
    "|",
    "\n",
    "\"",
];

/// How many statements around a command are searched for its input.
const MAX_AROUND: usize = 64;

/// How deeply nested texts are read for substitutions, and how many; deeper ones count as
/// made at run time.
const MAX_NESTED: usize = 6;
const MAX_TEXTS: usize = 256;

/// Kinds of text in which a backtick or `$(` is literal, or which are read separately.
const LITERAL: [&str; 7] = [
    "raw_string",
    "ansi_c_string",
    "comment",
    "heredoc_start",
    "heredoc_body",
    "heredoc_content",
    "heredoc_end",
];

/// Words whose value the shell may evaluate a second time: a builtin expands the subscript of a name.
const VALUES: [&str; 6] =
    ["word", "string", "raw_string", "ansi_c_string", "concatenation", "string_content"];

/// Commands that the grammar knows by name.
const DECLARING: [&str; 3] = ["declaration_command", "unset_command", "test_command"];

/// Reads a script that is nested in `depth` others.
pub(super) fn parse(text: &str, depth: usize) -> Result<ShellScript, ScriptReadError> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).map_err(|_| ScriptReadError::Syntax)?;
    let tree = parser.parse(text, None).ok_or(ScriptReadError::Syntax)?;
    if tree.root_node().has_error() {
        return Err(ScriptReadError::Syntax);
    }
    let script = ShellScript {
        commands: Vec::new(),
        assignments: Vec::new(),
        expands_values: false,
        writes_files: false,
        form: ScriptComplexity::Plain,
    };
    let feeds = ["|", "<<", "<("].iter().any(|mark| text.contains(mark));
    let mut reading = ScriptReader {
        text,
        depth,
        script,
        starts: Vec::new(),
        given: 0,
        texts: 0,
        end: 0,
        feeds,
        fed: None,
    };
    // With a cursor and not by recursion: ten thousand brackets must not fill the stack.
    let mut cursor = tree.walk();
    loop {
        reading.look(cursor.node());
        if !cursor.goto_first_child() && !advance(&mut cursor) {
            reading.pass_over(text.len());
            return Ok(reading.script);
        }
    }
}

/// Moves to the next node in the order of the text; false at the end.
fn advance(cursor: &mut TreeCursor<'_>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

/// A script that is being parsed, and the start of each of its commands.
struct ScriptReader<'a> {
    text: &'a str,
    /// In how many texts it is nested.
    depth: usize,
    script: ShellScript,
    starts: Vec<usize>,
    /// How many strays were given to commands.
    given: usize,
    /// How many texts in it were read for substitutions.
    texts: usize,
    /// Where the last leaf of the tree ended.
    end: usize,
    /// Whether anything in it could feed a command.
    feeds: bool,
    /// The last statement that feeds commands: where it begins and ends, and its text.
    fed: Option<(usize, usize, Arc<str>)>,
}

impl ScriptReader<'_> {
    fn look(&mut self, node: Node<'_>) {
        let kind = node.kind();
        if !PLAIN.contains(&kind) {
            self.script.form = ScriptComplexity::Involved;
        }
        if node.child_count() == 0 {
            self.pass_over(node.start_byte());
            self.end = self.end.max(node.end_byte());
            // A token of the grammar is literal.
            if node.is_named() && !LITERAL.contains(&kind) {
                self.read_text(self.text.get(node.byte_range()).unwrap_or_default());
            }
        }
        if VALUES.contains(&kind) {
            self.read_value(node);
        }
        match kind {
            "command" => {
                let words: Vec<ScriptWord> = parts(node, self.text);
                if words.iter().any(|word| !matches!(word, ScriptWord::Plain(_))) {
                    self.script.form = ScriptComplexity::Involved;
                }
                self.push(node, words);
            }
            "variable_assignment" => self.assign(node),
            "for_statement" => self.assign_each(node),
            "expansion" => {
                let text = self.text.get(node.byte_range()).unwrap_or_default();
                self.script.expands_values |= text.contains("@P");
            }
            "file_redirect" => {
                let text = self.text.get(node.byte_range()).unwrap_or_default();
                self.script.writes_files |= writes_file(text);
                self.give_back(node);
            }
            "heredoc_redirect" => {
                self.read_document(node);
                self.give_back(node);
            }
            _ if DECLARING.contains(&kind) => {
                let words = declared(node, self.text);
                self.push(node, words);
            }
            _ => {}
        }
    }

    fn assign(&mut self, node: Node<'_>) {
        let name = node.child_by_field_name("name").and_then(|name| self.text.get(name.byte_range()));
        let value = node
            .child_by_field_name("value")
            .map_or(ScriptWord::Plain(String::new()), |value| word(value, self.text));
        let is_exported = node.parent().is_some_and(|parent| match parent.kind() {
            "command" => true,
            "declaration_command" => {
                let text = self.text.get(parent.byte_range()).unwrap_or_default();
                let sets = |word: &str| word == "export" || (word.starts_with('-') && word.contains('x'));
                text.split_whitespace().any(sets)
            }
            _ => false,
        });
        let name = name.unwrap_or_default().to_owned();
        self.script.assignments.push(ShellAssignment { name, value, is_exported });
    }

    /// A loop sets its variable to one word after the other.
    fn assign_each(&mut self, node: Node<'_>) {
        let name = node.child_by_field_name("variable").and_then(|name| self.text.get(name.byte_range()));
        let name = name.unwrap_or_default().to_owned();
        self.script.assignments.push(ShellAssignment { name, value: ScriptWord::Made, is_exported: false });
    }

    fn push(&mut self, node: Node<'_>, words: Vec<ScriptWord>) {
        let input = self.input(node);
        self.script.commands.push(ScriptCommand { words, input });
        self.starts.push(node.start_byte());
    }

    /// The statement around a command from which it may get its input.
    fn input(&mut self, command: Node<'_>) -> Option<Arc<str>> {
        if !self.feeds {
            return None;
        }
        let feeds = |node: &Node<'_>| {
            matches!(node.kind(), "pipeline" | "redirected_statement" | "heredoc_redirect" | "command")
        };
        let around = std::iter::successors(Some(command), Node::parent).take(MAX_AROUND);
        let (start, end) = around.filter(feeds).last().map(|node| (node.start_byte(), node.end_byte()))?;
        match &self.fed {
            Some((from, to, text)) if (*from, *to) == (start, end) => Some(Arc::clone(text)),
            _ => {
                let text: Arc<str> = self.text.get(start..end)?.into();
                self.fed = Some((start, end, Arc::clone(&text)));
                Some(text)
            }
        }
    }

    /// Text between two leaves is blank, or something that the grammar has lost.
    fn pass_over(&mut self, start: usize) {
        let Some(between) = self.text.get(self.end..start) else { return };
        self.read_text(between);
    }

    /// Reads the substitutions of a text that the grammar takes for a plain one.
    fn read_text(&mut self, text: &str) {
        if !may_substitute(text) {
            return;
        }
        self.script.form = ScriptComplexity::Involved;
        match substitutions(text) {
            CommandSubstitutions::Scripts(scripts) => {
                scripts.iter().for_each(|script| self.read_script(script));
            }
            CommandSubstitutions::Unclosed => self.push_made(),
        }
    }

    /// Reads the substitutions in the subscript of a word, which some builtins evaluate
    /// although it is quoted.
    fn read_value(&mut self, node: Node<'_>) {
        let value = match node.kind() {
            // A piece of a string: what surrounds it is made at run time.
            "string_content" => self.text.get(node.byte_range()).map(|text| text.replace('\\', "")),
            _ => word(node, self.text).value().map(str::to_owned),
        };
        let Some(subscript) = value.as_deref().and_then(|value| value.split_once('[')) else { return };
        if !may_substitute(subscript.1) {
            return;
        }
        self.script.form = ScriptComplexity::Involved;
        // One that is not closed is an error of the shell's.
        if let CommandSubstitutions::Scripts(scripts) = substitutions(subscript.1) {
            scripts.iter().for_each(|script| self.read_script(script));
        }
    }

    fn read_document(&mut self, redirect: Node<'_>) {
        match here_document::body(redirect, self.text) {
            HereDocumentBody::Expanded(body) => self.read_text(body),
            HereDocumentBody::Verbatim => {}
            HereDocumentBody::Unclear => self.push_made(),
        }
    }

    fn read_script(&mut self, text: &str) {
        self.texts += 1;
        if self.depth >= MAX_NESTED || self.texts > MAX_TEXTS {
            return self.push_made();
        }
        match parse(text, self.depth + 1) {
            Ok(script) => {
                self.starts.extend(std::iter::repeat_n(0, script.commands.len()));
                self.script.commands.extend(script.commands);
                self.script.assignments.extend(script.assignments);
                self.script.expands_values |= script.expands_values;
                self.script.writes_files |= script.writes_files;
            }
            Err(_) => self.push_made(),
        }
    }

    /// Notes that a command is in here which only the shell knows.
    fn push_made(&mut self) {
        self.script.form = ScriptComplexity::Involved;
        self.script.commands.push(ScriptCommand { words: vec![ScriptWord::Made], input: None });
        self.starts.push(0);
    }

    /// Adds the stray words of a redirection after a statement to each of its commands. To which
    /// one they belong depends on the statement, and an extra word is harmless.
    fn give_back(&mut self, redirect: Node<'_>) {
        let strays = strays(redirect, self.text);
        if strays.is_empty() {
            return;
        }
        let outer = std::iter::successors(redirect.parent(), Node::parent)
            .find(|node| node.kind() != "heredoc_redirect");
        // Redirections inside a command were read with it.
        let Some(outer) = outer.filter(|outer| outer.kind() != "command") else { return };
        let inside = self.script.commands.iter_mut().zip(&self.starts);
        let inside: Vec<_> = inside.filter(|(_, start)| **start >= outer.start_byte()).collect();
        self.given += inside.len() * strays.len();
        if self.given > MAX_GIVEN {
            return self.push(redirect, vec![ScriptWord::Made]);
        }
        if inside.is_empty() {
            return self.push(redirect, strays);
        }
        for (command, _) in inside {
            command.words.extend(strays.iter().cloned());
        }
    }
}

/// Whether a redirection writes to a file: not to another stream, and not to nowhere.
fn writes_file(redirection: &str) -> bool {
    let Some((_, target)) = redirection.split_once('>') else { return false };
    let stream =
        target.strip_prefix('&').is_some_and(|stream| stream.bytes().all(|byte| byte.is_ascii_digit()));
    !stream && target.trim() != "/dev/null"
}

/// The words of a command, without assignments and redirections.
fn parts(command: Node<'_>, text: &str) -> Vec<ScriptWord> {
    let mut cursor = command.walk();
    let mut words = Vec::new();
    for node in command.named_children(&mut cursor) {
        match node.kind() {
            "variable_assignment" | "herestring_redirect" | "comment" => {}
            "file_redirect" | "heredoc_redirect" => words.extend(strays(node, text)),
            _ => words.push(word(node, text)),
        }
    }
    words
}

/// The words of a command that the grammar knows by name, as far as they are known. Assignments
/// without quotes are read by themselves.
fn declared(command: Node<'_>, text: &str) -> Vec<ScriptWord> {
    let raw = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    let mut words: Vec<ScriptWord> =
        raw(command).split_whitespace().map(|word| ScriptWord::Known(word.to_owned())).collect();
    let mut cursor = command.walk();
    let quoted = command.named_children(&mut cursor);
    let quoted = quoted.filter(|child| matches!(child.kind(), "raw_string" | "string" | "concatenation"));
    words.extend(
        quoted.filter_map(|child| word(child, text).value().map(|value| ScriptWord::Known(value.into()))),
    );
    words
}

/// Words of a command that the grammar counts to a redirection before them, as in `git > file push`.
fn strays(redirect: Node<'_>, text: &str) -> Vec<ScriptWord> {
    let mut cursor = redirect.walk();
    let (field, targets) = match redirect.kind() {
        "heredoc_redirect" => ("argument", 0),
        // Closing a descriptor takes no file.
        _ if redirect.children(&mut cursor).any(|part| matches!(part.kind(), "<&-" | ">&-")) => {
            ("destination", 0)
        }
        _ => ("destination", 1),
    };
    let found = redirect.children_by_field_name(field, &mut cursor);
    found.filter(Node::is_named).skip(targets).map(|node| word(node, text)).collect()
}
