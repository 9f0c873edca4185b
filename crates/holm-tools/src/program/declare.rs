//! The declaration of a program for the kernel.

use holm_grants::{AllowanceKind, Kind, Level, Template};
use holm_guards::plausibility::{EmptyOutput, ErrorText};
use holm_kernel::{Tool as Declaration, Yields};

use super::ask::Nature;
use crate::registry::{Sidecar, Standing};

/// The declaration of a program, corrected by its sidecar. Replaced code gets none of what its sidecar asks for.
pub(super) fn declaration(
    nature: &Nature,
    name: &str,
    sidecar: Option<&Sidecar>,
    standing: Standing,
) -> Declaration {
    let (own_name, about, schema) = match nature {
        Nature::Described(program) => (program.name(), program.description.clone(), program.schema()),
        Nature::Helped(description) => {
            (name.to_owned(), description.about.clone(), description.schema.clone())
        }
    };
    let plain = Sidecar::default();
    let sidecar = sidecar.unwrap_or(&plain);
    let asks = match standing {
        Standing::Confirmed => sidecar.asks.clone(),
        Standing::Replaced => Vec::new(),
    };
    let tool = Declaration::new(
        sidecar.name.clone().unwrap_or(own_name),
        sidecar.description.clone().unwrap_or(about),
        schema,
    );
    let level = asks.iter().map(level_of).max().unwrap_or(Level::ReadOnly).max(Level::ReadOnly);
    Declaration {
        level: sidecar.level.map_or(level, |said| said.max(level)),
        yields: Yields {
            untrusted: true,
            private: asks.iter().any(|ask| matches!(ask.kind(), Kind::Read | Kind::Env | Kind::Secret)),
            egress: asks.iter().any(|ask| matches!(ask.kind(), Kind::Fetch | Kind::Secret)),
        },
        needs: asks,
        empty: sidecar.empty.unwrap_or(EmptyOutput::Allowed),
        error_text: sidecar.error_text.unwrap_or(ErrorText::Refused),
        repeat: sidecar.repeat.unwrap_or_default(),
        postconditions: sidecar.postconditions.clone(),
        result_limit: sidecar.result_limit,
        timeout_ms: sidecar.limits.limit(AllowanceKind::Time),
        ..tool
    }
}

/// How much a power can change.
fn level_of(ask: &Template) -> Level {
    match ask.kind() {
        Kind::Read | Kind::Env | Kind::Fetch => Level::ReadOnly,
        Kind::Write => Level::Write,
        Kind::Exec | Kind::Secret | Kind::Spawn | Kind::Tool => Level::Execute,
    }
}
