//! Ids of calls. Providers may omit or repeat them, but a result must answer exactly one call.

use alloc::{format, string::String};

/// A free id for call number `number`: `call_7`, or `call_7_2` if a provider
/// uses such names itself.
pub(crate) fn unique_id(is_taken: impl Fn(&str) -> bool, number: u64) -> String {
    let plain = format!("call_{number}");
    if !is_taken(&plain) {
        return plain;
    }
    let numbered = (2_u64..).map(|suffix| format!("{plain}_{suffix}")).find(|id| !is_taken(id));
    numbered.unwrap_or(plain)
}
