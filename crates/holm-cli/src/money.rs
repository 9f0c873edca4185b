//! Reads and prints amounts of money as people write them, without a float in between. It computes
//! no costs: prices are in `holm-wire/src/catalogue/`, and the kernel counts what a run spends.

use holm::kernel::{NanoUsd, Usage};

/// Nano-dollars in a dollar.
const DOLLAR: u64 = 1_000_000_000;

/// Reads `0.50`, `2`, `$0.05` or `0.5usd`.
pub(crate) fn parse(text: &str) -> Result<NanoUsd, String> {
    let wrong = || format!("`{text}` is not an amount in US dollars; write it like 0.50");
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

/// Whether an amount covers everything that was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CostCompleteness {
    /// The amount is complete, every price is known.
    #[default]
    Whole,
    /// A model without a known price answered, which never counts as free.
    InPart,
}

impl CostCompleteness {
    /// As it is after one more reply.
    pub(crate) fn after(self, usage: Usage, cost: Option<NanoUsd>) -> Self {
        // A script has no provider that reports tokens, and none that is paid.
        if cost.is_none() && usage.total() > usage.estimated { Self::InPart } else { self }
    }

    /// Says what was spent, as far as that is known; `~` where some of it is an estimate.
    pub(crate) fn show(self, spent: NanoUsd, usage: Usage) -> String {
        let about = if usage.is_estimated() && spent > NanoUsd::ZERO { "~" } else { "" };
        match self {
            Self::Whole => format!("{about}{}", show(spent)),
            Self::InPart if spent == NanoUsd::ZERO => "price not known".to_owned(),
            Self::InPart => format!("{about}{} + unpriced", show(spent)),
        }
    }
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
