//! Whether a result answers the question that was asked. A small model often calls a tool that
//! answers another question than the user's: it lists a folder when asked for the newest file.
//!
//! So a result is stated as the answer only if every word of the question is one that the tool
//! deals with, and every argument stands in the question. Words outside these lists (an order, a
//! superlative, a negation, a part of a file) make the result a finding instead: it is shown as
//! what the tool found. The rules are lists of words, so they work for English questions only;
//! every other question gets a finding.
//!
//! It calls no tool and no model; `checked_model.rs` decides what is said. When in doubt a result
//! is a finding, because a wrong answer is worse than an unsure one.

use holm_guards::json::Json;

/// How answers begin that show what was found without stating that it is the answer.
pub const FOUND: &str = "I am not sure that this answers the question.";
/// How answers begin that come from the model alone.
pub const UNCHECKED: &str = "I have not checked this:";

/// Words of a question that ask for nothing by themselves.
const FILLERS: &[&str] = &[
    "a", "about", "an", "and", "are", "at", "can", "could", "do", "does", "for", "from", "give", "has",
    "have", "here", "i", "in", "is", "it", "its", "me", "my", "need", "of", "on", "please", "tell", "that",
    "the", "their", "there", "this", "to", "us", "want", "what", "what's", "which", "with", "would", "you",
    "know", "like", "let", "see",
];
/// Words that a tool's result does not decide, even where the tool deals with everything else.
const UNDECIDED: &[&str] = &[
    "after",
    "all",
    "alphabetical",
    "average",
    "before",
    "between",
    "biggest",
    "both",
    "compare",
    "count",
    "difference",
    "each",
    "every",
    "except",
    "fewer",
    "first",
    "highest",
    "how",
    "largest",
    "last",
    "least",
    "less",
    "longest",
    "lowest",
    "many",
    "more",
    "most",
    "newest",
    "next",
    "no",
    "not",
    "oldest",
    "only",
    "other",
    "second",
    "shortest",
    "smallest",
    "sorted",
    "sum",
    "than",
    "third",
    "total",
    "without",
    "youngest",
];

/// What a tool deals with: the words of questions that it answers.
struct ToolWords {
    tool: &'static str,
    /// A question has at least one of these.
    asks: &'static [&'static str],
    /// A question may also have these.
    allows: &'static [&'static str],
}

const TOOLS: &[ToolWords] = &[
    ToolWords {
        tool: "list_files",
        asks: &[
            "file",
            "files",
            "folder",
            "folders",
            "directory",
            "directories",
            "list",
            "contents",
            "content",
        ],
        allows: &[
            "big", "biggest", "bytes", "contain", "contains", "current", "how", "inside", "large", "largest",
            "many", "named", "called", "names", "number", "show", "size",
        ],
    },
    ToolWords {
        tool: "count_lines",
        asks: &["line", "lines", "word", "words", "byte", "bytes", "long", "length", "size", "big"],
        allows: &["count", "contain", "contains", "file", "how", "many", "number", "show"],
    },
    ToolWords {
        tool: "find",
        asks: &[
            "contain",
            "contains",
            "containing",
            "find",
            "locate",
            "look",
            "mention",
            "mentions",
            "mentioned",
            "mentioning",
            "search",
            "named",
            "called",
            "where",
        ],
        allows: &[
            "any",
            "anywhere",
            "end",
            "ending",
            "ends",
            "extension",
            "file",
            "files",
            "name",
            "names",
            "show",
            "text",
            "word",
        ],
    },
    ToolWords {
        tool: "date",
        asks: &["date", "day", "today", "today's", "time", "year", "month"],
        allows: &["current", "now", "right", "week", "weekday", "utc", "show"],
    },
    ToolWords {
        tool: "read_file",
        asks: &[
            "read", "show", "open", "print", "display", "view", "content", "contents", "text", "say", "says",
        ],
        allows: &["file", "inside", "whole", "entire"],
    },
];

/// Words and signs for the four operations.
const OPERATIONS: &[(char, &[&str])] = &[
    ('+', &["+", "plus", "add", "sum", "added"]),
    ('-', &["-", "−", "minus", "subtract", "subtracted"]),
    ('*', &["*", "×", "x", "times", "multiply", "multiplied", "product"]),
    ('/', &["/", "÷", "divide", "divided"]),
];
const CALCULATION: &[&str] = &["by", "calculate", "compute", "equal", "equals", "how", "much", "result"];

/// Whether the result of this call answers the question as it is.
pub(super) fn answers(question: &str, tool: &str, arguments: &str) -> bool {
    let Ok(arguments) = Json::parse(arguments) else { return false };
    let values = texts(&arguments);
    if tool == "calculate" {
        return values.iter().all(|expression| is_that_calculation(question, expression));
    }
    let Some(words) = TOOLS.iter().find(|words| words.tool == tool) else { return false };
    let lower = question.to_lowercase();
    let named: Vec<String> = values.iter().map(|value| plain(value)).collect();
    if named.iter().any(|value| !value.is_empty() && !lower.contains(value.as_str())) {
        return false;
    }
    // The argument may be several words, so it leaves the question as a whole.
    let rest = named
        .iter()
        .filter(|value| !value.is_empty())
        .fold(lower, |text, value| text.replacen(value.as_str(), " ", 1));
    let left = tokens(&rest);
    let is_known = |word: &String| {
        [FILLERS, words.asks, words.allows].iter().any(|list| list.contains(&word.as_str()))
            || word.chars().all(|c| !c.is_alphanumeric())
    };
    let asks = left.iter().any(|word| words.asks.contains(&word.as_str()));
    asks && left.iter().all(is_known) && !is_another_size(tool, &left)
}

/// Whether a model's words about a text follow from it: one line of the text has every word that
/// is new in them, and a word of the question.
pub(super) fn follows(question: &str, said: &str, text: &str) -> bool {
    let asked = tokens(&question.to_lowercase());
    if asked.iter().any(|word| UNDECIDED.contains(&word.as_str())) {
        return false;
    }
    let asked: Vec<String> = asked.into_iter().filter(|word| !FILLERS.contains(&word.as_str())).collect();
    let new: Vec<String> = tokens(&said.to_lowercase())
        .into_iter()
        .filter(|word| !FILLERS.contains(&word.as_str()) && !asked.contains(word))
        .collect();
    !new.is_empty()
        && text.lines().any(|line| {
            let line = tokens(&line.to_lowercase());
            new.iter().all(|word| line.contains(word))
                && asked.iter().any(|word| line.iter().any(|other| are_alike(word, other)))
        })
}

/// Whether a question is a greeting or thanks: what a model says then claims nothing.
pub(super) fn is_small_talk(question: &str) -> bool {
    const WORDS: &[&str] =
        &["hi", "hello", "hey", "thanks", "thank", "you", "good", "morning", "evening", "bye", "goodbye"];
    let words = tokens(&question.to_lowercase());
    !words.is_empty() && words.iter().all(|word| WORDS.contains(&word.as_str()))
}

/// The lines of a text that share the most words with a question, where any do.
pub(super) fn closest_lines(question: &str, text: &str) -> Vec<String> {
    let asked: Vec<String> = tokens(&question.to_lowercase())
        .into_iter()
        .filter(|word| !FILLERS.contains(&word.as_str()))
        .collect();
    let shared = |line: &str| {
        let line = tokens(&line.to_lowercase());
        asked.iter().filter(|word| line.iter().any(|other| are_alike(word, other))).count()
    };
    let most = text.lines().map(shared).max().unwrap_or(0);
    if most == 0 {
        return Vec::new();
    }
    text.lines().filter(|line| shared(line) == most).take(5).map(str::to_owned).collect()
}

/// `list_files` names the largest file, not the largest folder and not the size of everything.
fn is_another_size(tool: &str, words: &[String]) -> bool {
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    tool == "list_files"
        && has(&["big", "biggest", "large", "largest", "size", "bytes"])
        && (!has(&["biggest", "largest"]) || has(&["folder", "folders", "directory", "directories"]))
}

/// Whether an expression calculates what the question asks: the same numbers in the same order,
/// the same operations, and no further condition.
fn is_that_calculation(question: &str, expression: &str) -> bool {
    let lower = question.to_lowercase();
    let mut asked = numbers(&lower);
    let words = words_and_signs(&lower);
    let has = |word: &str| words.iter().any(|other| other == word);
    // "Subtract 3 from 10" names the numbers in the other order.
    if has("from") && (has("subtract") || has("subtracted")) {
        asked.reverse();
    }
    let is_sign =
        |word: &str, sign: char| OPERATIONS.iter().any(|(own, words)| *own == sign && words.contains(&word));
    let signs_of = |words: &[String]| -> Vec<char> {
        OPERATIONS
            .iter()
            .map(|(sign, _)| *sign)
            .filter(|sign| words.iter().any(|word| is_sign(word, *sign)))
            .collect()
    };
    let written = words_and_signs(&expression.to_lowercase());
    let is_known = |word: &String| {
        FILLERS.contains(&word.as_str())
            || CALCULATION.contains(&word.as_str())
            || OPERATIONS.iter().any(|(sign, _)| is_sign(word, *sign))
            || word.chars().all(|c| !c.is_alphabetic())
    };
    asked.len() > 1
        && asked == numbers(expression)
        && signs_of(&words) == signs_of(&written)
        && words.iter().all(is_known)
}

/// The numbers of a text, as they are written.
fn numbers(text: &str) -> Vec<String> {
    let part = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    text.split(|c| !part(c))
        .map(|number| number.trim_matches(['.', ',']).replace(',', ""))
        .filter(|number| !number.is_empty())
        .collect()
}

/// The words of a text, with each sign as a word of its own.
fn words_and_signs(text: &str) -> Vec<String> {
    let spaced: String =
        text.chars().flat_map(|c| if "+-−*×/÷".contains(c) { vec![' ', c, ' '] } else { vec![c] }).collect();
    spaced
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| ".,;:!?\"'`()=".contains(c)).to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// The values of an object, where they are texts.
fn texts(arguments: &Json) -> Vec<String> {
    match arguments {
        Json::Object(members) => {
            members.iter().filter_map(|(_, value)| value.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

/// An argument as it would stand in a question.
fn plain(value: &str) -> String {
    let value = value.trim().trim_matches('*').trim_end_matches('/').to_lowercase();
    let value = value.strip_prefix("./").unwrap_or(&value);
    if value == "." { String::new() } else { value.to_owned() }
}

/// The words of a text without the punctuation around them.
fn tokens(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || ",;:!?\"`()[]{}<>|=".contains(c))
        .map(|word| word.trim_matches(['.', '\'', '’', '*', '_']))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether two words are the same but for their ending: `sail` and `sails`.
fn are_alike(one: &str, other: &str) -> bool {
    let shorter = one.len().min(other.len());
    one == other
        || (shorter >= 4
            && one.len().abs_diff(other.len()) <= 3
            && (one.starts_with(other) || other.starts_with(one)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn states(question: &str, tool: &str, arguments: &serde_json::Value) {
        assert!(answers(question, tool, &arguments.to_string()), "{question} {tool} {arguments}");
    }

    #[track_caller]
    fn shows(question: &str, tool: &str, arguments: &serde_json::Value) {
        assert!(!answers(question, tool, &arguments.to_string()), "{question} {tool} {arguments}");
    }

    #[test]
    fn a_result_is_the_answer_to_a_question_of_the_tool() {
        states("Which files are in this folder?", "list_files", &json!({}));
        states("How many files are in the docs folder?", "list_files", &json!({ "path": "docs" }));
        states("Which file is the biggest?", "list_files", &json!({}));
        states("How long is docs/menu.md, in lines?", "count_lines", &json!({ "path": "docs/menu.md" }));
        states("Which file mentions the lighthouse?", "find", &json!({ "text": "lighthouse" }));
        states("Find the files that end in .csv.", "find", &json!({ "text": "*.csv" }));
        states("What is the date today?", "date", &json!({}));
        states("Show me the file todo.txt.", "read_file", &json!({ "path": "todo.txt" }));
        states("What is 17 times 23?", "calculate", &json!({ "expression": "17 * 23" }));
        states("Subtract 3 from 10.", "calculate", &json!({ "expression": "10 - 3" }));
        states("Compute (18 + 24) * 3.", "calculate", &json!({ "expression": "(18 + 24) * 3" }));
    }

    #[test]
    fn a_result_is_a_finding_where_the_question_asks_for_more() {
        shows("Which file is the newest?", "list_files", &json!({}));
        shows("Which folder is the largest?", "list_files", &json!({}));
        shows("How big are the files?", "list_files", &json!({}));
        shows("Which files are not in docs?", "list_files", &json!({ "path": "docs" }));
        shows("List docs and data.", "list_files", &json!({ "path": "docs" }));
        shows("How many words are in the first line of a.txt?", "count_lines", &json!({ "path": "a.txt" }));
        shows("How many lines does a.txt have?", "count_lines", &json!({ "path": "b.txt" }));
        shows("How many files mention rope?", "find", &json!({ "text": "rope" }));
        shows("Which files do not mention rope?", "find", &json!({ "text": "rope" }));
        shows("What is the date tomorrow?", "date", &json!({}));
        shows("Show me the last line of todo.txt.", "read_file", &json!({ "path": "todo.txt" }));
        shows("What is 17 times 23?", "calculate", &json!({ "expression": "17 + 23" }));
        shows("Subtract 3 from 10.", "calculate", &json!({ "expression": "3 - 10" }));
        shows("How many eggs are 3 boxes of 12?", "calculate", &json!({ "expression": "3 * 12" }));
        shows("What is this?", "list_files", &json!({}));
    }

    #[test]
    fn words_about_a_text_must_stand_beside_words_of_the_question() {
        let text = "# Plan\nThe ship sails on Friday at nine.\nThe captain is Marta.";
        assert!(follows("Who is the captain? It says so in docs/plan.md.", "The captain is Marta.", text));
        assert!(follows("On which day does the ship sail?", "The ship sails on Friday.", text));
        assert!(!follows("Who is the captain?", "The captain is Friday.", text));
        assert!(!follows("Who is the captain?", "The captain is Olaf.", text));
        assert!(!follows("How old is Bob?", "The age is Bob.", "name,age\nBob,44"));
        assert!(!follows("What is the last line?", "The captain is Marta.", text));
        assert_eq!(closest_lines("How old is Bob?", "name,age\nAnn,31\nBob,44"), ["Bob,44"]);
        assert!(closest_lines("How old is Cleo?", "name,age\nBob,44").is_empty());
    }
}
