//! ECMAScript patterns on a linear-time engine.
//!
//! Schemas write the regular expressions of JavaScript; the engine here reads a close relative. The differences
//! are translated character by character. What linear time forbids (looking around, referring back) is named as a
//! gap and never half-enforced.

use alloc::format;
use alloc::string::{String, ToString};
use core::iter::Peekable;
use core::str::Chars;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use super::Gap;

/// Memory for one compiled pattern: generous for real ones, small enough for hundreds of them in a browser.
const NFA_LIMIT: usize = 256 * 1024;

/// Memory for one pattern's lazily built automaton.
const CACHE_LIMIT: usize = 256 * 1024;

/// Nesting of groups; the engine's parser is recursive inside.
const NEST_LIMIT: u32 = 64;

/// Patterns above this length are refused before the engine sees them.
const LENGTH_LIMIT: usize = 16 * 1024;

/// `\s` of ECMAScript.
const SPACE: &str =
    r"\t\n\x0b\x0c\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
const DIGIT: &str = "0-9";
const WORD: &str = "0-9A-Za-z_";
const META: &str = r"\.+*?()|[]{}^$#&-~";
const EVERYTHING: &str = r"\x00-\u{10ffff}";

/// A regular expression as JSON Schema writes it: JavaScript's syntax, unanchored, matched in linear time.
///
/// `\d`, `\w` and `\b` are ASCII as in JavaScript. Unicode properties (`\p{…}`) are not supported.
///
/// ```
/// use holm_guards::schema::Pattern;
///
/// let pattern = Pattern::compile(r"^\d{3}-\u0041$")?;
/// assert!(pattern.is_match("123-A"));
/// assert!(!pattern.is_match("12-A"));
/// # Ok::<(), holm_guards::schema::PatternError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
    text: String,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// [`PatternError::Malformed`] if it is no regular expression, [`PatternError::Unsupported`] if it is one that
    /// cannot be matched in bounded time and memory.
    pub fn compile(text: &str) -> Result<Self, PatternError> {
        if text.len() > LENGTH_LIMIT {
            return Err(PatternError::Unsupported(Gap::PatternTooLarge));
        }
        let translated = Translator::new(text).translate()?;
        let built = Regex::builder()
            .configure(
                Regex::config()
                    .nfa_size_limit(Some(NFA_LIMIT))
                    .hybrid_cache_capacity(CACHE_LIMIT)
                    .utf8_empty(true),
            )
            .syntax(syntax::Config::new().unicode(true).utf8(true).nest_limit(NEST_LIMIT))
            .build(&translated);
        match built {
            Ok(regex) => Ok(Self { regex, text: text.to_string() }),
            Err(error) if error.size_limit().is_some() => {
                Err(PatternError::Unsupported(Gap::PatternTooLarge))
            }
            Err(error) => Err(match error.syntax_error() {
                Some(syntax) => PatternError::Malformed(last_line(&syntax.to_string())),
                None => PatternError::Unsupported(Gap::PatternTooLarge),
            }),
        }
    }

    /// Whether the pattern matches somewhere in the text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

/// A pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is not a regular expression.
    #[error("{0}")]
    Malformed(String),
    /// It is one, but not one that can be enforced here.
    #[error("{0}")]
    Unsupported(Gap),
}

/// The engine's error is a picture with the reason in its last line.
fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or(message);
    line.strip_prefix("error: ").unwrap_or(line).to_string()
}

fn malformed(reason: &str) -> PatternError {
    PatternError::Malformed(reason.to_string())
}

/// Rewrites one pattern.
struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
}

impl<'a> Translator<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text.chars().peekable(), out: String::with_capacity(text.len() + 16) }
    }

    fn translate(mut self) -> Result<String, PatternError> {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape(Place::Outside)?,
                '[' => self.class()?,
                '(' => self.group()?,
                '.' => self.out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
                '{' if !self.is_quantifier() => self.out.push_str(r"\{"),
                '{' => self.quantifier(),
                '}' | ']' => self.literal(c),
                other => self.out.push(other),
            }
        }
        Ok(self.out)
    }

    /// `{` is a quantifier only if it reads `{n}`, `{n,}` or `{n,m}`; JavaScript takes any other as a character.
    fn is_quantifier(&self) -> bool {
        let mut ahead = self.rest.clone();
        let digits = |ahead: &mut Peekable<Chars<'_>>| {
            let mut count = 0;
            while ahead.next_if(char::is_ascii_digit).is_some() {
                count += 1;
            }
            count
        };
        if digits(&mut ahead) == 0 {
            return false;
        }
        if ahead.next_if_eq(&',').is_some() {
            digits(&mut ahead);
        }
        ahead.next() == Some('}')
    }

    fn quantifier(&mut self) {
        self.out.push('{');
        for c in self.rest.by_ref() {
            self.out.push(c);
            if c == '}' {
                return;
            }
        }
    }

    fn group(&mut self) -> Result<(), PatternError> {
        self.out.push('(');
        if self.rest.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        self.out.push('?');
        let mut ahead = self.rest.clone();
        match (ahead.next(), ahead.next()) {
            (Some(':'), _) | (Some('<'), Some('A'..='Z' | 'a'..='z' | '_')) => Ok(()),
            (Some('=' | '!'), _) | (Some('<'), Some('=' | '!')) => {
                Err(PatternError::Unsupported(Gap::LookAround))
            }
            (Some('a'..='z' | '-'), _) => Err(PatternError::Unsupported(Gap::PatternFlags)),
            _ => Err(malformed("unknown kind of group")),
        }
    }

    fn class(&mut self) -> Result<(), PatternError> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        if self.rest.next_if_eq(&']').is_some() {
            // An empty class matches nothing, its negation everything; the engine has no spelling for either.
            self.out.push_str(if negated { "[" } else { "[^" });
            self.out.push_str(EVERYTHING);
            self.out.push(']');
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        let mut dash = false;
        loop {
            let c = self.rest.next().ok_or_else(|| malformed("unclosed character class"))?;
            match c {
                ']' => break,
                '\\' => self.escape(Place::Class)?,
                // Two raw dashes would be the engine's operator for difference.
                '-' if !dash => self.out.push('-'),
                '[' | '&' | '~' | '-' | '^' => self.literal(c),
                other => self.out.push(other),
            }
            dash = c == '-';
        }
        self.out.push(']');
        Ok(())
    }

    fn escape(&mut self, place: Place) -> Result<(), PatternError> {
        let c = self.rest.next().ok_or_else(|| malformed("a backslash ends the pattern"))?;
        match c {
            'd' => self.set(DIGIT, ""),
            'D' => self.set(DIGIT, "^"),
            'w' => self.set(WORD, ""),
            'W' => self.set(WORD, "^"),
            's' => self.set(SPACE, ""),
            'S' => self.set(SPACE, "^"),
            'b' if place == Place::Class => self.out.push_str(r"\x08"),
            'b' => self.out.push_str(r"(?-u:\b)"),
            'B' if place == Place::Outside => self.out.push_str(r"(?-u:\B)"),
            't' => self.code(0x09),
            'n' => self.code(0x0a),
            'v' => self.code(0x0b),
            'f' => self.code(0x0c),
            'r' => self.code(0x0d),
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => self.code(0),
            '1'..='9' | 'k' => return Err(PatternError::Unsupported(Gap::BackReference)),
            'p' | 'P' => return Err(PatternError::Unsupported(Gap::UnicodeProperty)),
            'c' => {
                let letter = self.rest.next().filter(char::is_ascii_alphabetic);
                let letter = letter.ok_or_else(|| malformed("`\\c` needs a letter"))?;
                self.code(u32::from(letter) % 32);
            }
            'x' => {
                let code = self.hex(2)?;
                self.code(code);
            }
            'u' => self.unicode()?,
            other if other.is_ascii_alphanumeric() => {
                return Err(malformed(&format!("unknown escape `\\{other}`")));
            }
            other => self.literal(other),
        }
        Ok(())
    }

    fn unicode(&mut self) -> Result<(), PatternError> {
        if self.rest.next_if_eq(&'{').is_some() {
            let mut code = 0_u32;
            loop {
                match self.rest.next() {
                    Some('}') => break,
                    Some(c) => {
                        let digit =
                            c.to_digit(16).ok_or_else(|| malformed("`\\u{}` needs hexadecimal digits"))?;
                        code = code.saturating_mul(16).saturating_add(digit);
                    }
                    None => return Err(malformed("unclosed `\\u{`")),
                }
            }
            self.code(code);
            return Ok(());
        }
        let first = self.hex(4)?;
        let mut ahead = self.rest.clone();
        let paired =
            (0xd800..0xdc00).contains(&first) && ahead.next() == Some('\\') && ahead.next() == Some('u');
        if !paired {
            self.code(first);
            return Ok(());
        }
        self.rest = ahead;
        let second = self.hex(4)?;
        self.code(0x10000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff));
        Ok(())
    }

    fn hex(&mut self, digits: usize) -> Result<u32, PatternError> {
        let mut code = 0;
        for _ in 0..digits {
            let digit = self.rest.next().and_then(|c| c.to_digit(16));
            code = code * 16 + digit.ok_or_else(|| malformed("an escape needs more hexadecimal digits"))?;
        }
        Ok(code)
    }

    /// A class of its own works outside and, nested, inside a class.
    fn set(&mut self, set: &str, negation: &str) {
        self.out.push('[');
        self.out.push_str(negation);
        self.out.push_str(set);
        self.out.push(']');
    }

    fn code(&mut self, code: u32) {
        self.out.push_str(&format!(r"\u{{{code:x}}}"));
    }

    fn literal(&mut self, c: char) {
        // Only what the engine treats as special: it reads an escaped `<` as the start of a word.
        if META.contains(c) {
            self.out.push('\\');
        }
        self.out.push(c);
    }
}

/// Where an escape stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Class,
}
