//! The syntax of ECMAScript's regular expressions, as far as it can be matched in linear time.
//!
//! It only reads: `schema/pattern/program.rs` compiles and `schema/pattern/search.rs` matches.
//! Look-around, back-references, flags and Unicode properties are reported as unsupported and never
//! read as something else. Nesting is bounded, because reading is recursive.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::iter::Peekable;
use core::str::Chars;

use super::PatternError;
use super::node::{
    CharRange, CharSet, DIGIT, LINE_ENDS, PatternAssertion, PatternNode, PatternTree, SPACE, WORD, others,
};
use crate::schema::SupportGap;

/// How deep groups and quantifiers may nest; reading and compiling them is recursive.
const NEST_LIMIT: u32 = 64;

pub(super) fn parse(text: &str) -> Result<PatternTree, PatternError> {
    let mut parser =
        PatternParser { rest: text.chars().peekable(), ranges: Vec::new(), names: Vec::new(), depth: 0 };
    let root = parser.choice()?;
    if parser.rest.next().is_some() {
        return Err(malformed("unopened group"));
    }
    Ok(PatternTree { root, ranges: parser.ranges })
}

fn malformed(reason: &str) -> PatternError {
    PatternError::Malformed(reason.to_string())
}

struct PatternParser<'a> {
    rest: Peekable<Chars<'a>>,
    ranges: Vec<CharRange>,
    names: Vec<String>,
    depth: u32,
}

/// The meaning of an escape.
enum PatternEscape {
    Char(char),
    Set(Vec<CharRange>),
    Look(PatternAssertion),
}

/// The context of an escape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EscapeContext {
    Outside,
    Class,
}

impl PatternParser<'_> {
    fn choice(&mut self) -> Result<PatternNode, PatternError> {
        let mut branches = alloc::vec![self.row()?];
        while self.rest.next_if_eq(&'|').is_some() {
            branches.push(self.row()?);
        }
        match branches.pop() {
            Some(only) if branches.is_empty() => Ok(only),
            last => {
                branches.extend(last);
                Ok(PatternNode::Choice(branches))
            }
        }
    }

    /// Everything up to the end of the branch, the group or the pattern.
    fn row(&mut self) -> Result<PatternNode, PatternError> {
        let mut row = Vec::new();
        while self.rest.peek().is_some_and(|c| !matches!(c, '|' | ')')) {
            let depth = self.depth;
            let mut node = self.atom()?;
            while let Some((min, max)) = self.quantifier()? {
                self.nest()?;
                node = PatternNode::Repeat { node: Box::new(node), min, max };
            }
            self.depth = depth;
            row.push(node);
        }
        Ok(PatternNode::Row(row))
    }

    fn atom(&mut self) -> Result<PatternNode, PatternError> {
        let Some(c) = self.rest.next() else { return Ok(PatternNode::Row(Vec::new())) };
        match c {
            '^' => Ok(PatternNode::Look(PatternAssertion::Start)),
            '$' => Ok(PatternNode::Look(PatternAssertion::End)),
            '.' => Ok(self.set(&others(LINE_ENDS))),
            '[' => self.class(),
            '(' => self.group(),
            '\\' => match self.escape(EscapeContext::Outside)? {
                PatternEscape::Char(c) => Ok(self.single(c)),
                PatternEscape::Set(ranges) => Ok(self.set(&ranges)),
                PatternEscape::Look(look) => Ok(PatternNode::Look(look)),
            },
            '*' | '+' | '?' => Err(malformed("nothing to repeat")),
            '{' if self.counted().is_some() => Err(malformed("nothing to repeat")),
            other => Ok(self.single(other)),
        }
    }

    fn nest(&mut self) -> Result<(), PatternError> {
        self.depth += 1;
        if self.depth > NEST_LIMIT {
            return Err(malformed("groups and quantifiers nest too deeply"));
        }
        Ok(())
    }

    /// How often the last part repeats; laziness makes no difference to whether there is a match.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        let found = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let mut ahead = self.rest.clone();
                ahead.next();
                core::mem::swap(&mut ahead, &mut self.rest);
                let Some(counts) = self.counted() else {
                    self.rest = ahead;
                    return Ok(None);
                };
                while self.rest.next_if(|c| *c != '}').is_some() {}
                counts?
            }
            _ => return Ok(None),
        };
        self.rest.next();
        self.rest.next_if_eq(&'?');
        if found.1.is_some_and(|max| max < found.0) {
            return Err(malformed("the counts of a quantifier are out of order"));
        }
        Ok(Some(found))
    }

    /// The counts after a brace, which is a quantifier only if it reads `{n}`, `{n,}` or `{n,m}`;
    /// JavaScript takes any other as a character. Consumes nothing.
    fn counted(&self) -> Option<Result<(u32, Option<u32>), PatternError>> {
        let mut ahead = self.rest.clone();
        let mut number = || {
            let mut digits = String::new();
            while let Some(digit) = ahead.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            (digits, ahead.next())
        };
        let (min, after) = number();
        let max = match (min.is_empty(), after) {
            (false, Some('}')) => Some(min.clone()),
            (false, Some(',')) => match number() {
                (max, Some('}')) => Some(max).filter(|max| !max.is_empty()),
                _ => return None,
            },
            _ => return None,
        };
        let read =
            |digits: &str| digits.parse().map_err(|_| malformed("the count of a quantifier is too large"));
        Some(read(&min).and_then(|min| Ok((min, max.map(|max| read(&max)).transpose()?))))
    }

    fn group(&mut self) -> Result<PatternNode, PatternError> {
        if self.rest.next_if_eq(&'?').is_some() {
            let kind = self.rest.next();
            match (kind, self.rest.peek()) {
                (Some(':'), _) => {}
                (Some('=' | '!'), _) | (Some('<'), Some('=' | '!')) => {
                    return Err(PatternError::Unsupported(SupportGap::LookAround));
                }
                (Some('<'), Some('A'..='Z' | 'a'..='z' | '_')) => self.group_name()?,
                (Some('a'..='z' | '-'), _) => {
                    return Err(PatternError::Unsupported(SupportGap::PatternFlags));
                }
                _ => return Err(malformed("unknown kind of group")),
            }
        }
        self.nest()?;
        let inside = self.choice()?;
        if self.rest.next() != Some(')') {
            return Err(malformed("unclosed group"));
        }
        Ok(inside)
    }

    fn group_name(&mut self) -> Result<(), PatternError> {
        let mut name = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$')) {
            name.push(c);
        }
        if self.rest.next() != Some('>') {
            return Err(malformed("unclosed name of a group"));
        }
        if self.names.contains(&name) {
            return Err(malformed("two groups have the same name"));
        }
        self.names.push(name);
        Ok(())
    }

    fn class(&mut self) -> Result<PatternNode, PatternError> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut ranges = Vec::new();
        while self.rest.next_if_eq(&']').is_none() {
            let first = self.member(&mut ranges)?;
            let mut ahead = self.rest.clone();
            let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
            if !is_range {
                continue;
            }
            self.rest.next();
            match (first, self.member(&mut ranges)?) {
                (Some(first), Some(last)) if first > last => {
                    return Err(malformed("the ends of a character range are out of order"));
                }
                (Some(first), Some(last)) => ranges.push((first, last)),
                // A set cannot be an end of a range; the dash is a character then.
                _ => ranges.push((u32::from('-'), u32::from('-'))),
            }
        }
        Ok(self.set(&if negated { others(&ranges) } else { ranges }))
    }

    /// Adds one member of a class. Returns its code if it is one character.
    fn member(&mut self, ranges: &mut Vec<CharRange>) -> Result<Option<u32>, PatternError> {
        let c = match self.rest.next() {
            None => return Err(malformed("unclosed character class")),
            Some('\\') => match self.escape(EscapeContext::Class)? {
                PatternEscape::Char(c) => c,
                PatternEscape::Set(set) => {
                    ranges.extend(set);
                    return Ok(None);
                }
                PatternEscape::Look(_) => return Ok(None),
            },
            Some(c) => c,
        };
        ranges.push((u32::from(c), u32::from(c)));
        Ok(Some(u32::from(c)))
    }

    fn escape(&mut self, context: EscapeContext) -> Result<PatternEscape, PatternError> {
        let c = self.rest.next().ok_or_else(|| malformed("a backslash ends the pattern"))?;
        let code = match c {
            'd' => return Ok(PatternEscape::Set(DIGIT.to_vec())),
            'D' => return Ok(PatternEscape::Set(others(DIGIT))),
            'w' => return Ok(PatternEscape::Set(WORD.to_vec())),
            'W' => return Ok(PatternEscape::Set(others(WORD))),
            's' => return Ok(PatternEscape::Set(SPACE.to_vec())),
            'S' => return Ok(PatternEscape::Set(others(SPACE))),
            'b' if context == EscapeContext::Outside => {
                return Ok(PatternEscape::Look(PatternAssertion::Boundary));
            }
            'B' if context == EscapeContext::Outside => {
                return Ok(PatternEscape::Look(PatternAssertion::NoBoundary));
            }
            'b' => 0x08,
            't' => 0x09,
            'n' => 0x0a,
            'v' => 0x0b,
            'f' => 0x0c,
            'r' => 0x0d,
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => 0,
            '1'..='9' | 'k' => return Err(PatternError::Unsupported(SupportGap::BackReference)),
            'p' | 'P' => return Err(PatternError::Unsupported(SupportGap::UnicodeProperty)),
            'c' => {
                let letter = self.rest.next().filter(char::is_ascii_alphabetic);
                u32::from(letter.ok_or_else(|| malformed("`\\c` needs a letter"))?) % 32
            }
            'x' => self.hex(2)?,
            'u' => self.unicode()?,
            other if other.is_ascii_alphanumeric() => {
                return Err(malformed(&format!("unknown escape `\\{other}`")));
            }
            other => u32::from(other),
        };
        char::from_u32(code)
            .map(PatternEscape::Char)
            .ok_or_else(|| malformed("an escape stands for no character"))
    }

    fn unicode(&mut self) -> Result<u32, PatternError> {
        if self.rest.next_if_eq(&'{').is_some() {
            let mut code = 0_u32;
            loop {
                match self.rest.next() {
                    Some('}') => return Ok(code),
                    Some(c) => {
                        let digit =
                            c.to_digit(16).ok_or_else(|| malformed("`\\u{}` needs hexadecimal digits"))?;
                        code = code.saturating_mul(16).saturating_add(digit);
                    }
                    None => return Err(malformed("unclosed `\\u{`")),
                }
            }
        }
        let first = self.hex(4)?;
        let mut ahead = self.rest.clone();
        let paired =
            (0xd800..0xdc00).contains(&first) && ahead.next() == Some('\\') && ahead.next() == Some('u');
        if !paired {
            return Ok(first);
        }
        self.rest = ahead;
        let second = self.hex(4)?;
        Ok(0x10000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff))
    }

    fn hex(&mut self, digits: usize) -> Result<u32, PatternError> {
        let mut code = 0;
        for _ in 0..digits {
            let digit = self.rest.next().and_then(|c| c.to_digit(16));
            code = code * 16 + digit.ok_or_else(|| malformed("an escape needs more hexadecimal digits"))?;
        }
        Ok(code)
    }

    fn single(&mut self, c: char) -> PatternNode {
        self.set(&[(u32::from(c), u32::from(c))])
    }

    fn set(&mut self, ranges: &[CharRange]) -> PatternNode {
        let from = self.ranges.len();
        self.ranges.extend(ranges);
        PatternNode::One(CharSet { from, to: self.ranges.len() })
    }
}
