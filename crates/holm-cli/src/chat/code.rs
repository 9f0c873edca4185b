//! Highlights code. A small lexer passes over each line once and carries its state to the next, so
//! a block can be drawn while it arrives. No grammar has to be loaded before the first frame. It
//! does not find code blocks (`markdown.rs`) or break lines (`text.rs`). A new language is an entry
//! of `LANGUAGES`.

use ratatui::{style::Style, text::Span};

use super::theme::ChatTheme;

/// The state of the lexer at the end of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum LexerState {
    /// Plain code, outside of comments and strings.
    #[default]
    Code,
    /// Inside a block comment.
    Comment,
    /// Inside a string with triple quotation marks.
    Text(char),
}

/// The lexical rules of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodeLanguage {
    names: &'static [&'static str],
    keywords: &'static [&'static str],
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static [char],
    triple: bool,
}

const C_LIKE: Option<(&str, &str)> = Some(("/*", "*/"));

#[rustfmt::skip]
const LANGUAGES: &[CodeLanguage] = &[
    CodeLanguage {
        names: &["rust", "rs"], line_comments: &["//"], block_comment: C_LIKE, quotes: &['"'], triple: false,
        keywords: &["as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false",
            "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self",
            "Self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while"],
    },
    CodeLanguage {
        names: &["python", "py"], line_comments: &["#"], block_comment: None, quotes: &['"', '\''], triple: true,
        keywords: &["and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
            "except", "False", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "None",
            "nonlocal", "not", "or", "pass", "raise", "return", "True", "try", "while", "with", "yield"],
    },
    CodeLanguage {
        names: &["javascript", "js", "jsx", "typescript", "ts", "tsx"], line_comments: &["//"], block_comment: C_LIKE,
        quotes: &['"', '\'', '`'], triple: false,
        keywords: &["async", "await", "break", "case", "catch", "class", "const", "continue", "default", "delete", "do",
            "else", "enum", "export", "extends", "false", "finally", "for", "from", "function", "if", "implements", "import",
            "in", "instanceof", "interface", "let", "new", "null", "of", "return", "static", "super", "switch", "this",
            "throw", "true", "try", "type", "typeof", "undefined", "var", "void", "while", "yield"],
    },
    CodeLanguage {
        names: &["go"], line_comments: &["//"], block_comment: C_LIKE, quotes: &['"', '\'', '`'], triple: false,
        keywords: &["break", "case", "chan", "const", "continue", "default", "defer", "else", "false", "for", "func", "go",
            "if", "import", "interface", "map", "nil", "package", "range", "return", "select", "struct", "switch", "true",
            "type", "var"],
    },
    CodeLanguage {
        names: &["c", "h", "cpp", "c++", "cc", "hpp", "java", "kotlin", "swift", "csharp", "cs", "zig"],
        line_comments: &["//"], block_comment: C_LIKE, quotes: &['"', '\''], triple: false,
        keywords: &["auto", "bool", "break", "case", "char", "class", "const", "continue", "default", "do", "double", "else",
            "enum", "extern", "false", "final", "float", "fn", "for", "fun", "if", "import", "int", "interface", "let",
            "long", "namespace", "new", "null", "nullptr", "override", "package", "private", "protected", "public", "return",
            "short", "signed", "sizeof", "static", "struct", "switch", "template", "this", "throw", "true", "try", "typedef",
            "union", "unsigned", "using", "val", "var", "virtual", "void", "volatile", "while"],
    },
    CodeLanguage {
        names: &["sh", "bash", "shell", "zsh", "console"], line_comments: &["#"], block_comment: None,
        quotes: &['"', '\''], triple: false,
        keywords: &["case", "do", "done", "elif", "else", "esac", "exit", "export", "fi", "for", "function", "if", "in",
            "local", "return", "set", "then", "until", "while"],
    },
    CodeLanguage {
        names: &["json", "jsonc", "json5"], line_comments: &["//"], block_comment: None, quotes: &['"'], triple: false,
        keywords: &["false", "null", "true"],
    },
    CodeLanguage {
        names: &["toml", "yaml", "yml", "ini", "dockerfile", "makefile"], line_comments: &["#"], block_comment: None,
        quotes: &['"', '\''], triple: true, keywords: &["false", "null", "true"],
    },
    CodeLanguage {
        names: &["sql"], line_comments: &["--"], block_comment: C_LIKE, quotes: &['\''], triple: false,
        keywords: &["and", "as", "by", "create", "delete", "desc", "distinct", "drop", "from", "group", "having", "in",
            "index", "insert", "into", "is", "join", "left", "like", "limit", "not", "null", "on", "or", "order", "primary",
            "select", "set", "table", "union", "update", "values", "where", "with",
            "AND", "AS", "BY", "CREATE", "DELETE", "DESC", "DISTINCT", "DROP", "FROM", "GROUP", "HAVING", "IN", "INDEX",
            "INSERT", "INTO", "IS", "JOIN", "LEFT", "LIKE", "LIMIT", "NOT", "NULL", "ON", "OR", "ORDER", "PRIMARY", "SELECT",
            "SET", "TABLE", "UNION", "UPDATE", "VALUES", "WHERE", "WITH"],
    },
];

impl CodeLanguage {
    /// The language that goes by this name, if it is known.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        let name = name.to_ascii_lowercase();
        LANGUAGES.iter().find(|language| language.names.contains(&name.as_str()))
    }

    /// One line in colours, and what its end is inside of.
    pub(super) fn line(
        &self,
        line: &str,
        within: LexerState,
        theme: &ChatTheme,
    ) -> (Vec<Span<'static>>, LexerState) {
        let mut lexer = CodeLexer { language: self, theme, spans: Vec::new(), within };
        let mut rest = line;
        while !rest.is_empty() {
            let taken = lexer.take(rest).clamp(1, rest.len());
            rest = rest.get(rest.ceil_char_boundary(taken)..).unwrap_or_default();
        }
        (lexer.spans, lexer.within)
    }
}

struct CodeLexer<'a> {
    language: &'a CodeLanguage,
    theme: &'a ChatTheme,
    spans: Vec<Span<'static>>,
    within: LexerState,
}

impl CodeLexer<'_> {
    /// Takes one token from the beginning, and gives its length.
    fn take(&mut self, rest: &str) -> usize {
        match self.within {
            LexerState::Comment => {
                self.go_on(rest, self.language.block_comment.map_or("", |(_, end)| end), self.theme.comment)
            }
            LexerState::Text(quote) => self.go_on(rest, &quote.to_string().repeat(3), self.theme.string),
            LexerState::Code => self.token(rest),
        }
    }

    /// Takes what goes on from an earlier line, up to its end.
    fn go_on(&mut self, rest: &str, end: &str, style: Style) -> usize {
        match rest.find(end).filter(|_| !end.is_empty()) {
            Some(at) => {
                self.within = LexerState::Code;
                self.push(rest, at + end.len(), style)
            }
            None => self.push(rest, rest.len(), style),
        }
    }

    fn token(&mut self, rest: &str) -> usize {
        if self.language.line_comments.iter().any(|mark| rest.starts_with(mark)) {
            return self.push(rest, rest.len(), self.theme.comment);
        }
        if let Some((begin, _)) = self.language.block_comment.filter(|(begin, _)| rest.starts_with(begin)) {
            self.within = LexerState::Comment;
            return self.push(rest, begin.len(), self.theme.comment);
        }
        let Some(first) = rest.chars().next() else { return 0 };
        if self.language.quotes.contains(&first) {
            return self.quoted(rest, first);
        }
        let word = |c: char| c.is_alphanumeric() || c == '_';
        if word(first) {
            let length = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
            let text = rest.get(..length).unwrap_or(rest);
            let style = if self.language.keywords.contains(&text) {
                self.theme.keyword
            } else if first.is_ascii_digit() {
                self.theme.number
            } else {
                self.theme.text
            };
            return self.push(rest, length, style);
        }
        self.push(rest, first.len_utf8(), self.theme.text)
    }

    fn quoted(&mut self, rest: &str, quote: char) -> usize {
        let triple = quote.to_string().repeat(3);
        if self.language.triple && rest.starts_with(&triple) {
            self.within = LexerState::Text(quote);
            return self.push(rest, triple.len(), self.theme.string);
        }
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if c == quote => return self.push(rest, at + c.len_utf8(), self.theme.string),
                _ => {}
            }
        }
        self.push(rest, rest.len(), self.theme.string)
    }

    fn push(&mut self, rest: &str, length: usize, style: Style) -> usize {
        let text = rest.get(..length).unwrap_or(rest);
        match self.spans.last_mut().filter(|last| last.style == style) {
            Some(last) => last.content.to_mut().push_str(text),
            None => self.spans.push(Span::styled(text.to_owned(), style)),
        }
        text.len()
    }
}

#[cfg(test)]
mod tests;
