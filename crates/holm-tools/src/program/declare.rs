//! The declaration of a program for the kernel, corrected by its sidecar. What the program says
//! about itself is only text; needs come from the sidecar alone (`registry/sidecar.rs`), and the
//! level is at least what these needs make possible. Replaced code gets none of what its sidecar
//! asks for.

use holm_grants::{AllowanceKind, GrantKind, Level, NeedTemplate};
use holm_guards::plausibility::{EmptyOutput, ErrorText};
use holm_kernel::{ToolSpec, Yields};

use super::interface::ProgramInterface;
use crate::registry::{PinStatus, ToolSidecar};

/// The declaration of a program, corrected by its sidecar. Replaced code gets none of what
/// its sidecar asks for.
pub(super) fn declaration(
    nature: &ProgramInterface,
    name: &str,
    sidecar: Option<&ToolSidecar>,
    standing: PinStatus,
) -> ToolSpec {
    let (own_name, about, schema) = match nature {
        ProgramInterface::Described(program) => {
            (program.name(), program.description.clone(), program.schema())
        }
        ProgramInterface::Helped(description) => {
            (name.to_owned(), description.about.clone(), description.schema.clone())
        }
    };
    let plain = ToolSidecar::default();
    let sidecar = sidecar.unwrap_or(&plain);
    let asks = match standing {
        PinStatus::Confirmed => sidecar.asks.clone(),
        PinStatus::Replaced => Vec::new(),
    };
    let tool = ToolSpec::new(
        sidecar.name.clone().unwrap_or(own_name),
        sidecar.description.clone().unwrap_or(about),
        schema,
    );
    let level = asks.iter().map(level_of).max().unwrap_or(Level::ReadOnly).max(Level::ReadOnly);
    ToolSpec {
        level: sidecar.level.map_or(level, |said| said.max(level)),
        yields: Yields {
            untrusted: true,
            private: asks
                .iter()
                .any(|ask| matches!(ask.kind(), GrantKind::Read | GrantKind::Env | GrantKind::Secret)),
            egress: asks.iter().any(|ask| matches!(ask.kind(), GrantKind::Fetch | GrantKind::Secret)),
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
fn level_of(ask: &NeedTemplate) -> Level {
    match ask.kind() {
        GrantKind::Read | GrantKind::Env | GrantKind::Fetch => Level::ReadOnly,
        GrantKind::Write => Level::Write,
        GrantKind::Exec | GrantKind::Secret | GrantKind::Spawn | GrantKind::Tool => Level::Execute,
    }
}
