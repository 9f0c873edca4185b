//! Expands words: tildes, parameters, commands, arithmetic, then words and file names.

use brush_parser::ParserOptions;
use brush_parser::word::{self, TildeExpr, WordPiece, WordPieceWithSource};

use super::brace::braces;
use super::parts::{self, WordPart};
use super::quote::ansi;
use crate::io::LocalFuture;
use crate::shell::{ShellFlow, ShellState};

/// Whether the expansion is inside double quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuoteContext {
    Quoted,
    Bare,
}

/// The parser options, the same everywhere.
pub(crate) fn grammar() -> ParserOptions {
    ParserOptions::default()
}

impl ShellState {
    /// All words that a word becomes.
    pub(crate) async fn expand_words(&mut self, word: &str) -> Result<Vec<String>, ShellFlow> {
        let mut words = Vec::new();
        for word in braces(word, &grammar()) {
            let parts = self.parts(&word, QuoteContext::Bare).await?;
            let separators = self.vars.text("IFS").unwrap_or_else(|| " \t\n".to_owned());
            for field in parts::fields(&parts, &separators) {
                words.extend(self.names_of(field));
            }
        }
        Ok(words)
    }

    /// Expands to one text, without word splitting and file names.
    pub(crate) async fn expand_text(&mut self, word: &str) -> Result<String, ShellFlow> {
        Ok(parts::text(&self.parts(word, QuoteContext::Bare).await?))
    }

    /// Expands to a pattern; quoted text is literal.
    pub(crate) async fn expand_pattern(&mut self, word: &str) -> Result<String, ShellFlow> {
        Ok(parts::pattern(&self.parts(word, QuoteContext::Bare).await?))
    }

    /// Expands to a regular expression; quoted text is literal.
    pub(crate) async fn expand_regex(&mut self, word: &str) -> Result<String, ShellFlow> {
        let parts = self.parts(word, QuoteContext::Bare).await?;
        let piece = |part: &WordPart| match part {
            WordPart::Plain(text) | WordPart::Loose(text) => text.clone(),
            WordPart::Quoted(text) => regex::escape(text),
            WordPart::Break => " ".to_owned(),
        };
        Ok(parts.iter().map(piece).collect())
    }

    /// Expands the text of a here-document or of arithmetic, in which
    /// quotes are ordinary characters.
    pub(crate) async fn expand_quoted(&mut self, text: &str) -> Result<String, ShellFlow> {
        if !text.contains(['$', '`', '\\']) {
            return Ok(text.to_owned());
        }
        match word::parse_heredoc(text, &grammar()) {
            Ok(pieces) => {
                let mut parts = Vec::new();
                self.pieces(&pieces, QuoteContext::Quoted, &mut parts).await?;
                Ok(parts::text(&parts))
            }
            Err(error) => self.unreadable(text, &error.to_string()).await,
        }
    }

    /// The parts of a word.
    pub(crate) fn parts<'a>(
        &'a mut self,
        text: &'a str,
        quoting: QuoteContext,
    ) -> LocalFuture<'a, Result<Vec<WordPart>, ShellFlow>> {
        Box::pin(async move {
            let mut parts = Vec::new();
            match word::parse(text, &grammar()) {
                Ok(pieces) => self.pieces(&pieces, quoting, &mut parts).await?,
                Err(error) => return self.unreadable(text, &error.to_string()).await,
            }
            Ok(parts)
        })
    }

    async fn unreadable<T>(&mut self, text: &str, why: &str) -> Result<T, ShellFlow> {
        self.complain(&format!("shell: cannot read the word '{text}': {why}")).await;
        Err(ShellFlow::Exit(2))
    }

    fn pieces<'a>(
        &'a mut self,
        pieces: &'a [WordPieceWithSource],
        quoting: QuoteContext,
        parts: &'a mut Vec<WordPart>,
    ) -> LocalFuture<'a, Result<(), ShellFlow>> {
        Box::pin(async move {
            for piece in pieces {
                self.piece(&piece.piece, quoting, parts).await?;
            }
            Ok(())
        })
    }

    async fn piece(
        &mut self,
        piece: &WordPiece,
        quoting: QuoteContext,
        parts: &mut Vec<WordPart>,
    ) -> Result<(), ShellFlow> {
        match piece {
            WordPiece::Text(text) if quoting == QuoteContext::Quoted => parts.push(WordPart::Quoted(text.clone())),
            WordPiece::Text(text) => parts.push(WordPart::Plain(text.clone())),
            WordPiece::SingleQuotedText(text) => parts.push(WordPart::Quoted(text.clone())),
            WordPiece::AnsiCQuotedText(text) => parts.push(WordPart::Quoted(ansi(text))),
            WordPiece::EscapeSequence(text) => {
                let escaped = text.strip_prefix('\\').unwrap_or(text);
                // A line that continues in the next.
                if escaped != "\n" {
                    parts.push(WordPart::Quoted(escaped.to_owned()));
                }
            }
            WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                let before = parts.len();
                self.pieces(inner, QuoteContext::Quoted, parts).await?;
                // `""` is a word, but `"$@"` without arguments yields no word.
                if parts.len() == before && !inner.iter().any(|piece| may_vanish(&piece.piece)) {
                    parts.push(WordPart::Quoted(String::new()));
                }
            }
            WordPiece::TildeExpansion(tilde) => parts.push(WordPart::Quoted(self.tilde(tilde))),
            WordPiece::ParameterExpansion(expr) => self.parameter(expr, quoting, parts).await?,
            WordPiece::CommandSubstitution(script) | WordPiece::BackquotedCommandSubstitution(script) => {
                let script = match piece {
                    WordPiece::BackquotedCommandSubstitution(_) => unescape_backquoted(script),
                    _ => script.clone(),
                };
                let output = self.substitute(&script).await?;
                parts.push(loose(output, quoting));
            }
            WordPiece::ArithmeticExpression(expr) => {
                let value = self.arithmetic(&expr.value).await?;
                parts.push(loose(value.to_string(), quoting));
            }
        }
        Ok(())
    }

    fn tilde(&self, tilde: &TildeExpr) -> String {
        match tilde {
            TildeExpr::Home => self.vars.text("HOME").unwrap_or_else(|| "/".to_owned()),
            TildeExpr::UserHome(user) => format!("~{user}"),
            TildeExpr::WorkingDir => self.directory.clone(),
            TildeExpr::OldWorkingDir => self.vars.text("OLDPWD").unwrap_or_else(|| "~-".to_owned()),
            TildeExpr::NthDirFromTopOfDirStack { .. } | TildeExpr::NthDirFromBottomOfDirStack { .. } => {
                self.directory.clone()
            }
        }
    }
}

/// The result of an expansion, as its quotes make it.
pub(crate) fn loose(text: String, quoting: QuoteContext) -> WordPart {
    match quoting {
        QuoteContext::Quoted => WordPart::Quoted(text),
        QuoteContext::Bare => WordPart::Loose(text),
    }
}

/// Whether a quoted piece can expand to no word at all.
fn may_vanish(piece: &WordPiece) -> bool {
    use word::{Parameter, ParameterExpr, SpecialParameter};
    let WordPiece::ParameterExpansion(expr) = piece else { return false };
    let (ParameterExpr::Parameter { parameter, .. } | ParameterExpr::Substring { parameter, .. }) = expr
    else {
        return matches!(expr, ParameterExpr::MemberKeys { concatenate: false, .. });
    };
    matches!(
        parameter,
        Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate: false })
            | Parameter::NamedWithAllIndices { concatenate: false, .. }
    )
}

/// Inside backquotes some letters are escaped once more.
fn unescape_backquoted(script: &str) -> String {
    let mut out = String::new();
    let mut rest = script.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\\' && rest.peek().is_some_and(|next| matches!(next, '`' | '\\' | '$')) {
            continue_with(&mut rest, &mut out);
        } else {
            out.push(c);
        }
    }
    out
}

fn continue_with(rest: &mut impl Iterator<Item = char>, out: &mut String) {
    out.extend(rest.next());
}
