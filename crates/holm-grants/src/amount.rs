//! Amounts as people write them (`0.50usd`, `30s`, `64MiB`), read into whole numbers without
//! floating point, and printed back.
//!
//! It knows units only; which kinds exist and what may be done with them is in `allowance.rs`. One
//! number has one printed form, and that form must read back to the same number: texts are stored
//! and compared.

use core::fmt;

use crate::allowance::AllowanceKind;
use crate::error::AllowanceError;

/// Billionths in one dollar, and how many decimals they are.
const NANOS: u64 = 1_000_000_000;
const NANO_DIGITS: usize = 9;

/// Units of time in milliseconds, largest first.
const TIME: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
/// Units of size in bytes, largest first.
const SIZE: [(&str, u64); 5] =
    [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// Reads the amount of a kind.
pub(crate) fn parse(kind: AllowanceKind, text: &str) -> Result<u64, AllowanceError> {
    let bad = |hint| AllowanceError::BadAmount { hint };
    match kind {
        AllowanceKind::Spend => {
            dollars(text).ok_or(bad("dollars with up to nine decimals, for example 0.50usd"))?
        }
        AllowanceKind::Time => {
            with_unit(text, &TIME).ok_or(bad("a number with ms, s, m or h, for example 30s"))?
        }
        AllowanceKind::Mem | AllowanceKind::Output => {
            with_unit(text, &SIZE).ok_or(bad("a number with B, KiB, MiB, GiB or TiB, for example 64MiB"))?
        }
        AllowanceKind::Fuel => scaled(text).ok_or(bad("a number, for example 1e9"))?,
        AllowanceKind::Calls => digits(text).ok_or(bad("a number, for example 10"))?,
    }
    .ok_or(AllowanceError::TooLarge)
}

/// Prints the amount of a kind in its one form: the largest unit that leaves no rest.
pub(crate) fn print(f: &mut fmt::Formatter<'_>, kind: AllowanceKind, amount: u64) -> fmt::Result {
    match kind {
        AllowanceKind::Spend => print_dollars(f, amount),
        AllowanceKind::Time => print_unit(f, amount, &TIME),
        AllowanceKind::Mem | AllowanceKind::Output => print_unit(f, amount, &SIZE),
        AllowanceKind::Fuel => print_scaled(f, amount),
        AllowanceKind::Calls => write!(f, "{amount}"),
    }
}

/// A whole number; the outer absence is a wrong text, the inner one a number that does not fit.
fn digits(text: &str) -> Option<Option<u64>> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok())
}

fn dollars(text: &str) -> Option<Option<u64>> {
    let number = text.strip_suffix("usd")?;
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    if decimals.len() > NANO_DIGITS {
        return None;
    }
    let missing = u32::try_from(NANO_DIGITS.saturating_sub(decimals.len())).ok()?;
    let (whole, decimals) = (digits(whole)?, digits(decimals)?);
    Some(whole.and_then(|whole| {
        let nanos = decimals?.checked_mul(10_u64.checked_pow(missing)?)?;
        whole.checked_mul(NANOS)?.checked_add(nanos)
    }))
}

fn print_dollars(f: &mut fmt::Formatter<'_>, nanos: u64) -> fmt::Result {
    // Cents always, further decimals only if there are any.
    let mut decimals = nanos % NANOS;
    let mut width = NANO_DIGITS;
    while width > 2 && decimals.is_multiple_of(10) {
        decimals /= 10;
        width -= 1;
    }
    write!(f, "{}.{decimals:0width$}usd", nanos / NANOS)
}

fn with_unit(text: &str, units: &[(&str, u64)]) -> Option<Option<u64>> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(end);
    let (_, size) = units.iter().find(|(name, _)| *name == unit)?;
    Some(digits(number)?.and_then(|number| number.checked_mul(*size)))
}

fn print_unit(f: &mut fmt::Formatter<'_>, amount: u64, units: &[(&str, u64)]) -> fmt::Result {
    // Nothing is written in the smallest unit; it divides by all of them.
    let fits = |size: u64| amount != 0 && amount.is_multiple_of(size);
    let Some((name, size)) = units.iter().find(|(_, size)| fits(*size)).or(units.last()) else {
        return write!(f, "{amount}");
    };
    write!(f, "{}{name}", amount / size)
}

fn scaled(text: &str) -> Option<Option<u64>> {
    let Some((number, exponent)) = text.split_once('e') else { return digits(text) };
    let (number, exponent) = (digits(number)?, digits(exponent)?);
    Some(number.and_then(|number| {
        let exponent = u32::try_from(exponent?).ok()?;
        number.checked_mul(10_u64.checked_pow(exponent)?)
    }))
}

fn print_scaled(f: &mut fmt::Formatter<'_>, amount: u64) -> fmt::Result {
    // From a thousand on, zeros are easier to misread than an exponent.
    let (mut number, mut exponent) = (amount, 0);
    while number != 0 && number.is_multiple_of(10) {
        number /= 10;
        exponent += 1;
    }
    if exponent < 3 { write!(f, "{amount}") } else { write!(f, "{number}e{exponent}") }
}
