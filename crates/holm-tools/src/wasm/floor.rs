//! The minimum level of a tool, by what it asks for. Its own claim can only raise the level.

use holm_grants::{Kind, Level, Template};
use holm_kernel::Yields;

/// The minimum level of a tool that asks for these.
///
/// A guest without needs can only compute, no matter what it claims. A guest that may fetch may
/// also send, so it counts as one that changes things.
pub(super) fn level(asks: &[Template]) -> Level {
    least_level(asks.iter().map(Template::kind))
}

/// The least level of a tool that holds grants of these kinds.
pub fn least_level(kinds: impl IntoIterator<Item = Kind>) -> Level {
    let of = |kind: Kind| match kind {
        Kind::Read | Kind::Env => Level::ReadOnly,
        Kind::Write | Kind::Fetch | Kind::Secret => Level::Write,
        Kind::Exec | Kind::Spawn | Kind::Tool => Level::Execute,
    };
    kinds.into_iter().map(of).max().unwrap_or(Level::None)
}

/// The data that enters and leaves through such a tool.
pub(super) fn yields(asks: &[Template]) -> Yields {
    let fetches = asks.iter().any(|ask| ask.kind() == Kind::Fetch);
    let private = asks.iter().any(|ask| matches!(ask.kind(), Kind::Read | Kind::Env | Kind::Secret));
    Yields { untrusted: fetches, egress: fetches, private }
}

/// Whether a sandbox could grant it.
pub(super) fn is_possible(ask: &Template) -> bool {
    match ask.kind() {
        Kind::Read | Kind::Write | Kind::Fetch | Kind::Env | Kind::Secret => true,
        Kind::Exec | Kind::Spawn | Kind::Tool => false,
    }
}
