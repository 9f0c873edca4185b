//! Numbers as text, compared exactly and without floats.
//!
//! A float would round `9007199254740993` and `0.1`; both occur in identifiers and prices. Every
//! operation here works on the decimal digits and costs at most one pass over them, for any
//! exponent. The text is never changed, because canonical JSON with it is hashed. Numbers in prose
//! are found in `skill/source/number.rs`.
//!
//! The text of a number is recognised in `json/parse.rs`, and schemas compare numbers with this
//! file (`schema/check/scalar.rs`).

use alloc::boxed::Box;
use alloc::string::ToString;
use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

use super::parse::number_length;

/// Exponents beyond this magnitude are all treated as this one, so that sums
/// of exponents cannot overflow.
const EXPONENT_LIMIT: i64 = 1_000_000_000_000_000_000;

/// The most significant digits of a divisor: more would overflow
/// the `u64` arithmetic of [`JsonNumber::is_multiple_of`].
const DIVISOR_DIGITS: i64 = 18;

/// A JSON number that keeps the text it was written with.
///
/// `==` compares the text; [`cmp_value`](JsonNumber::cmp_value) compares the exact decimal values.
///
/// ```
/// use core::cmp::Ordering;
/// use holm_guards::json::JsonNumber;
///
/// let price: JsonNumber = "1.50".parse()?;
/// assert_eq!(price.as_str(), "1.50");
/// assert_eq!(price.cmp_value(&"15e-1".parse()?), Ordering::Equal);
/// # Ok::<(), holm_guards::json::JsonNumberError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JsonNumber(Box<str>);

impl JsonNumber {
    /// Wraps a text that the parser has already validated.
    pub(super) fn from_checked(text: &str) -> Self {
        Self(text.into())
    }

    /// The number as it was written.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        &self.0
    }

    /// The value as a signed integer, if it is whole and fits; `1.0` and `1e2` are whole.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        if let Ok(value) = self.0.parse() {
            return Some(value);
        }
        let decimal = self.decimal();
        let magnitude = i128::from(decimal.to_u64()?);
        i64::try_from(if decimal.negative { -magnitude } else { magnitude }).ok()
    }

    /// The value as an unsigned integer, if it is whole, not negative and fits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        if let Ok(value) = self.0.parse() {
            return Some(value);
        }
        let decimal = self.decimal();
        let magnitude = decimal.to_u64()?;
        if decimal.negative && magnitude != 0 { None } else { Some(magnitude) }
    }

    /// Whether the value is whole, as JSON Schema's `integer` means it.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        if !self.0.contains(['.', 'e', 'E']) {
            return true;
        }
        let decimal = self.decimal();
        decimal.is_zero() || decimal.count() <= decimal.exponent
    }

    /// Whether the value is below zero; `-0` is not.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.0.starts_with('-') && !self.decimal().is_zero()
    }

    /// Whether the value is zero, however it is written.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.decimal().is_zero()
    }

    /// Compares the exact values. Exponents beyond ±10¹⁸ count as ±10¹⁸.
    #[must_use]
    pub fn cmp_value(&self, other: &JsonNumber) -> Ordering {
        if self.0 == other.0 {
            return Ordering::Equal;
        }
        // Nearly every number in a call is a small integer.
        if let (Ok(a), Ok(b)) = (self.0.parse::<i64>(), other.0.parse::<i64>()) {
            return a.cmp(&b);
        }
        let (a, b) = (self.decimal(), other.decimal());
        match (a.sign(), b.sign()) {
            (x, y) if x != y => x.cmp(&y),
            (0, _) => Ordering::Equal,
            (sign, _) => {
                let magnitude = a.exponent.cmp(&b.exponent).then_with(|| a.digits().cmp(b.digits()));
                if sign < 0 { magnitude.reverse() } else { magnitude }
            }
        }
    }

    /// Whether the value is a whole multiple of `divisor`, decided exactly.
    ///
    /// `None` if the divisor is zero or has more than 18 significant digits.
    #[must_use]
    pub fn is_multiple_of(&self, divisor: &JsonNumber) -> Option<bool> {
        let (dividend, divisor_digits) = (self.decimal(), divisor.decimal());
        if divisor_digits.is_zero() || divisor_digits.count() > DIVISOR_DIGITS {
            return None;
        }
        if dividend.is_zero() {
            return Some(true);
        }
        // With dividend = A·10^x and divisor = B·10^y: A has no trailing zero, so for x < y the
        // quotient is not an integer.
        let shift = dividend.scale().saturating_sub(divisor_digits.scale());
        let Ok(shift) = u64::try_from(shift) else { return Some(false) };
        let modulus = divisor_digits.digits().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit));
        let remainder =
            dividend.digits().fold(0_u64, |remainder, digit| (remainder * 10 + u64::from(digit)) % modulus);
        Some(multiply_mod(remainder, power_of_ten(shift, modulus), modulus) == 0)
    }

    /// Splits the text into sign, digits and exponent without copying it.
    fn decimal(&self) -> Decimal<'_> {
        let (negative, text) = self.0.strip_prefix('-').map_or((false, &*self.0), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (integer_part, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let point = if integer_part == "0" {
            let zeros = fraction.len() - fraction.trim_start_matches('0').len();
            -to_i64(zeros)
        } else {
            to_i64(integer_part.len())
        };
        Decimal {
            negative,
            significant: mantissa.trim_matches(['0', '.']),
            exponent: read_exponent(exponent).saturating_add(point),
        }
    }
}

impl fmt::Display for JsonNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for JsonNumber {
    type Err = JsonNumberError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_number = number_length(text.as_bytes()).is_ok_and(|length| length == text.len());
        if is_number { Ok(Self::from_checked(text)) } else { Err(JsonNumberError) }
    }
}

impl From<u64> for JsonNumber {
    fn from(value: u64) -> Self {
        Self(value.to_string().into())
    }
}

impl From<i64> for JsonNumber {
    fn from(value: i64) -> Self {
        Self(value.to_string().into())
    }
}

/// The text is not a JSON number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a JSON number; write it like 12, -0.5 or 6e23")]
pub struct JsonNumberError;

/// ± 0.DIGITS × 10^exponent, borrowed from the number's text.
struct Decimal<'a> {
    negative: bool,
    /// From the first to the last nonzero digit; may contain the decimal point. Empty for zero.
    significant: &'a str,
    exponent: i64,
}

impl Decimal<'_> {
    const fn is_zero(&self) -> bool {
        self.significant.is_empty()
    }

    const fn sign(&self) -> i8 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    fn digits(&self) -> impl Iterator<Item = u8> + '_ {
        self.significant.bytes().filter(|byte| *byte != b'.').map(|byte| byte - b'0')
    }

    /// How many significant digits there are.
    fn count(&self) -> i64 {
        to_i64(self.significant.len()) - i64::from(self.significant.contains('.'))
    }

    /// The power of ten that the digits, read as one whole number, are multiplied by.
    fn scale(&self) -> i64 {
        self.exponent.saturating_sub(self.count())
    }

    /// The magnitude as an integer, if it is whole and fits.
    fn to_u64(&self) -> Option<u64> {
        if self.is_zero() {
            return Some(0);
        }
        let zeros = u32::try_from(self.scale()).ok()?;
        let significand =
            self.digits().try_fold(0_u64, |sum, digit| sum.checked_mul(10)?.checked_add(digit.into()))?;
        significand.checked_mul(10_u64.checked_pow(zeros)?)
    }
}

fn to_i64(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(EXPONENT_LIMIT)
}

/// Reads the digits after `e`, clamped to [`EXPONENT_LIMIT`].
fn read_exponent(text: &str) -> i64 {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, text.trim_start_matches('-')),
        Some(b'+') => (false, text.trim_start_matches('+')),
        _ => (false, text),
    };
    let magnitude = digits.bytes().fold(0_i64, |sum, byte| {
        sum.saturating_mul(10).saturating_add(i64::from(byte.wrapping_sub(b'0'))).min(EXPONENT_LIMIT)
    });
    if negative { -magnitude } else { magnitude }
}

fn multiply_mod(a: u64, b: u64, modulus: u64) -> u64 {
    let product = u128::from(a) * u128::from(b) % u128::from(modulus);
    u64::try_from(product).unwrap_or(0)
}

/// 10^exponent modulo `modulus` by repeated squaring.
fn power_of_ten(mut exponent: u64, modulus: u64) -> u64 {
    let (mut result, mut base) = (1 % modulus, 10 % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply_mod(result, base, modulus);
        }
        base = multiply_mod(base, base, modulus);
        exponent >>= 1;
    }
    result
}
