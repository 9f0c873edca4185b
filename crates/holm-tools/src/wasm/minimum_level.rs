//! The minimum level of a tool, by what it asks for. Its own claim can only raise the level.

use holm_grants::{GrantKind, Level, NeedTemplate};
use holm_kernel::Yields;

/// The minimum level of a tool that asks for these.
///
/// A guest without needs can only compute, no matter what it claims. A guest that may fetch may
/// also send, so it counts as one that changes things.
pub(super) fn level(asks: &[NeedTemplate]) -> Level {
    least_level(asks.iter().map(NeedTemplate::kind))
}

/// The least level of a tool that holds grants of these kinds.
pub fn least_level(kinds: impl IntoIterator<Item = GrantKind>) -> Level {
    let of = |kind: GrantKind| match kind {
        GrantKind::Read | GrantKind::Env => Level::ReadOnly,
        GrantKind::Write | GrantKind::Fetch | GrantKind::Secret => Level::Write,
        GrantKind::Exec | GrantKind::Spawn | GrantKind::Tool => Level::Execute,
    };
    kinds.into_iter().map(of).max().unwrap_or(Level::None)
}

/// The data that enters and leaves through such a tool.
pub(super) fn yields(asks: &[NeedTemplate]) -> Yields {
    let fetches = asks.iter().any(|ask| ask.kind() == GrantKind::Fetch);
    let private =
        asks.iter().any(|ask| matches!(ask.kind(), GrantKind::Read | GrantKind::Env | GrantKind::Secret));
    Yields { untrusted: fetches, egress: fetches, private }
}

/// Whether a sandbox could grant it.
pub(super) fn is_possible(ask: &NeedTemplate) -> bool {
    match ask.kind() {
        GrantKind::Read | GrantKind::Write | GrantKind::Fetch | GrantKind::Env | GrantKind::Secret => true,
        GrantKind::Exec | GrantKind::Spawn | GrantKind::Tool => false,
    }
}
