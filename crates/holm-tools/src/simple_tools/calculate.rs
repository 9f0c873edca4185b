//! The `calculate` tool: exact arithmetic. A small model can write an expression
//! but cannot evaluate it.
//!
//! It calculates with fractions and never with floating-point numbers, so a result is exact until
//! it is shown. Whether a result answers the question is decided in `answer.rs`. Length and nesting
//! of an expression are bounded.

use holm_grants::Level;
use holm_runtime::{ClosureTool, tool as make};
use schemars::JsonSchema;
use serde::Deserialize;

/// Brackets within brackets: people write five.
const DEEPEST: u32 = 32;
/// Characters of an expression.
const LONGEST: usize = 500;
/// Words that people and small models write for a sign.
const SIGNS: [(&str, &str); 6] = [
    ("divided by", "/"),
    ("multiplied by", "*"),
    ("plus", "+"),
    ("minus", "-"),
    ("times", "*"),
    ("over", "/"),
];
/// Digits after the decimal point that are shown; the last is rounded.
const DIGITS: u32 = 10;

#[derive(Debug, Deserialize, JsonSchema)]
struct CalculateArguments {
    expression: String,
}

pub(super) fn tool() -> ClosureTool<impl JsonSchema> {
    let text = "Calculates with numbers: adds, subtracts, multiplies and divides, such as 12 * (3 + 4).";
    make("calculate", text, |arguments: CalculateArguments| async move { told(&arguments.expression) })
        .level(Level::None)
}

/// The expression and its result.
pub(super) fn told(expression: &str) -> Result<String, String> {
    let lower = expression.trim().trim_end_matches(['=', '?', '.']).trim().to_lowercase();
    let expression = SIGNS.iter().fold(lower, |text, (word, sign)| text.replace(word, sign));
    let expression = expression.as_str();
    if expression.len() > LONGEST {
        return Err(format!("an expression has at most {LONGEST} characters"));
    }
    let value = evaluate(expression).map_err(|why| format!("`{expression}` cannot be calculated: {why}"))?;
    Ok(format!("{expression} = {}", value.shown()))
}

/// A fraction in its lowest terms, with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ExactFraction {
    upper: i128,
    lower: i128,
}

/// The message for numbers that are too large.
const TOO_LARGE: &str = "the numbers are too large";

impl ExactFraction {
    fn new(upper: i128, lower: i128) -> Result<Self, &'static str> {
        if lower == 0 {
            return Err("nothing can be divided by zero");
        }
        let common =
            i128::try_from(gcd(upper.unsigned_abs(), lower.unsigned_abs())).map_err(|_| TOO_LARGE)?;
        let common = if lower < 0 { -common } else { common };
        let part = |value: i128| value.checked_div(common).ok_or(TOO_LARGE);
        Ok(Self { upper: part(upper)?, lower: part(lower)? })
    }

    fn combined(self, sign: char, other: Self) -> Result<Self, &'static str> {
        let times = |one: i128, two: i128| one.checked_mul(two).ok_or(TOO_LARGE);
        let (left, right) = (times(self.upper, other.lower)?, times(other.upper, self.lower)?);
        match sign {
            '+' => Self::new(left.checked_add(right).ok_or(TOO_LARGE)?, times(self.lower, other.lower)?),
            '-' => Self::new(left.checked_sub(right).ok_or(TOO_LARGE)?, times(self.lower, other.lower)?),
            '/' => Self::new(left, right),
            _ => Self::new(times(self.upper, other.upper)?, times(self.lower, other.lower)?),
        }
    }

    fn shown(self) -> String {
        let sign = if self.upper < 0 { "-" } else { "" };
        let (upper, lower) = (self.upper.unsigned_abs(), self.lower.unsigned_abs());
        let scale = 10_u128.pow(DIGITS);
        let (mut whole, rest) = (upper / lower, upper % lower);
        let scaled = rest.checked_mul(scale).and_then(|scaled| scaled.checked_add(lower / 2));
        let scaled = scaled.map(|scaled| scaled / lower);
        let Some(mut part) = scaled else { return format!("{sign}{whole}") };
        if part == scale {
            (whole, part) = (whole + 1, 0);
        }
        let width = usize::try_from(DIGITS).unwrap_or(0);
        let digits = format!("{part:0width$}");
        let digits = digits.trim_end_matches('0');
        let exact = (rest * scale).is_multiple_of(lower);
        let mark = if exact { "" } else { " (rounded)" };
        if digits.is_empty() {
            format!("{sign}{whole}{mark}")
        } else {
            format!("{sign}{whole}.{digits}{mark}")
        }
    }
}

fn gcd(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.max(1)
}

fn evaluate(expression: &str) -> Result<ExactFraction, String> {
    // Commas part thousands, as people write them.
    let text: Vec<char> = expression.chars().filter(|c| !c.is_whitespace() && *c != ',').collect();
    let mut reader = ExpressionReader { text, at: 0 };
    let value = reader.sum(0)?;
    match reader.peek() {
        None => Ok(value),
        Some(other) => Err(format!("`{other}` is not expected there")),
    }
}

struct ExpressionReader {
    text: Vec<char>,
    at: usize,
}

impl ExpressionReader {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn sum(&mut self, depth: u32) -> Result<ExactFraction, String> {
        let mut value = self.product(depth)?;
        while let Some(sign @ ('+' | '-' | '−')) = self.peek() {
            self.at += 1;
            let sign = if sign == '+' { '+' } else { '-' };
            value = value.combined(sign, self.product(depth)?)?;
        }
        Ok(value)
    }

    fn product(&mut self, depth: u32) -> Result<ExactFraction, String> {
        let mut value = self.factor(depth)?;
        while let Some(sign @ ('*' | '/' | 'x' | '×' | '·' | '÷' | ':')) = self.peek() {
            self.at += 1;
            let sign = if matches!(sign, '/' | '÷' | ':') { '/' } else { '*' };
            value = value.combined(sign, self.factor(depth)?)?;
        }
        Ok(value)
    }

    fn factor(&mut self, depth: u32) -> Result<ExactFraction, String> {
        if depth > DEEPEST {
            return Err("there are too many brackets".into());
        }
        match self.peek() {
            Some('-' | '−') => {
                self.at += 1;
                Ok(ExactFraction { upper: 0, lower: 1 }.combined('-', self.factor(depth + 1)?)?)
            }
            Some('+') => {
                self.at += 1;
                self.factor(depth + 1)
            }
            Some('(') => {
                self.at += 1;
                let value = self.sum(depth + 1)?;
                if self.peek() != Some(')') {
                    return Err("a bracket is not closed".into());
                }
                self.at += 1;
                Ok(value)
            }
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Result<ExactFraction, String> {
        let (mut upper, mut lower, mut digits) = (0_i128, 1_i128, 0_u32);
        let mut behind = false;
        while let Some(c) = self.peek() {
            match (c, c.to_digit(10)) {
                (_, Some(digit)) => {
                    let next = upper.checked_mul(10).and_then(|upper| upper.checked_add(i128::from(digit)));
                    upper = next.ok_or(TOO_LARGE)?;
                    if behind {
                        lower = lower.checked_mul(10).ok_or(TOO_LARGE)?;
                    }
                    digits += 1;
                }
                ('.', None) if !behind => behind = true,
                _ => break,
            }
            self.at += 1;
        }
        match (digits, self.peek()) {
            (0, Some(other)) => Err(format!("`{other}` is not a number")),
            (0, None) => Err("a number is missing at the end".into()),
            (_, Some('%')) => {
                self.at += 1;
                Ok(ExactFraction::new(upper, lower.checked_mul(100).ok_or(TOO_LARGE)?)?)
            }
            _ => Ok(ExactFraction::new(upper, lower)?),
        }
    }
}
