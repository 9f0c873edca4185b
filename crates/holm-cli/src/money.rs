//! Amounts as people write them, without a float in between.

use holm::kernel::NanoUsd;

/// Nano-dollars in a dollar.
const DOLLAR: u64 = 1_000_000_000;

/// Reads `0.50`, `2`, `$0.05` or `0.5usd`.
pub(crate) fn parse(text: &str) -> Result<NanoUsd, String> {
    let wrong = || format!("`{text}` is no amount in US dollars; write it like 0.50");
    let number = text.trim().trim_start_matches('$');
    let number = number.strip_suffix("usd").or_else(|| number.strip_suffix("USD")).unwrap_or(number).trim();
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && part.is_empty()) || !digits(whole) || !digits(part) || part.len() > 9 {
        return Err(wrong());
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| wrong())? };
    let part: u64 = format!("{part:0<9}").parse().map_err(|_| wrong())?;
    whole.checked_mul(DOLLAR).and_then(|whole| whole.checked_add(part)).map(NanoUsd::new).ok_or_else(wrong)
}

/// Writes an amount with as many digits as it needs, and at least two.
pub(crate) fn show(amount: NanoUsd) -> String {
    let (whole, part) = (amount.value() / DOLLAR, amount.value() % DOLLAR);
    let part = format!("{part:09}");
    let kept = part.trim_end_matches('0').len().max(2);
    format!("${whole}.{}", part.get(..kept).unwrap_or(&part))
}

#[cfg(test)]
mod tests;
