//! The declaration of a program for the kernel, corrected by its sidecar. What the program says
//! about itself is only text; needs come from the sidecar (`registry/sidecar.rs`), or without one
//! from the names of its arguments (`proposed_needs.rs`). The level is at least what these needs
//! make possible. Replaced code gets none of what its sidecar asks for.

use holm_grants::{AllowanceKind, GrantKind, Level, NeedTemplate};
use holm_guards::json::Json;
use holm_guards::plausibility::{EmptyOutput, ErrorText};
use holm_kernel::{ToolSpec, Yields};

use super::interface::ProgramInterface;
use crate::proposed_needs::{FileUse, PathOrigin, proposed_needs};
use crate::registry::{PinStatus, ToolSidecar};

/// The declaration of a program, corrected by its sidecar. Replaced code gets none of what
/// its sidecar asks for. `usual` is what every program of its folder needs that has no sidecar.
pub(super) fn declaration(
    nature: &ProgramInterface,
    name: &str,
    sidecar: Option<&ToolSidecar>,
    usual: &[NeedTemplate],
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
    let asks = match (standing, sidecar) {
        (PinStatus::Confirmed, Some(sidecar)) => sidecar.asks.clone(),
        (PinStatus::Confirmed, None) => proposed(name, &about, &schema, usual),
        (PinStatus::Replaced, _) => Vec::new(),
    };
    let plain = ToolSidecar::default();
    let sidecar = sidecar.unwrap_or(&plain);
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

/// Words in a name or description that mean that files are changed.
const CHANGES: [&str; 6] = ["write", "writes", "edit", "create", "save", "generate"];

/// What a program without a sidecar needs: what is usual in its folder, and the files and pages that
/// its arguments name. A program that changes files may make others beside those that it is given, so
/// it asks for the workspace.
fn proposed(name: &str, about: &str, schema: &Json, usual: &[NeedTemplate]) -> Vec<NeedTemplate> {
    let words = format!("{name} {about}").to_lowercase();
    let changes = words.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| CHANGES.contains(&word));
    let named = proposed_needs(schema, FileUse::Reads, PathOrigin::Machine);
    let has_files = named.iter().any(|need| need.kind() == GrantKind::Read);
    let mut needs = usual.to_vec();
    needs.extend(named);
    if changes && has_files {
        needs.extend("write:**".parse::<NeedTemplate>().ok());
    }
    needs
}

/// How much a power can change.
fn level_of(ask: &NeedTemplate) -> Level {
    match ask.kind() {
        GrantKind::Read | GrantKind::Env | GrantKind::Fetch => Level::ReadOnly,
        GrantKind::Write => Level::Write,
        GrantKind::Exec | GrantKind::Secret | GrantKind::Spawn | GrantKind::Tool => Level::Execute,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_a_sidecar_asks_for_the_files_that_it_is_given() {
        let schema = Json::parse(r#"{"properties":{"filepath":{"type":"string"}},"required":["filepath"]}"#);
        let (schema, usual) = (schema.unwrap(), ["read:**".parse().unwrap()]);
        let check = |name: &str, about: &str, schema: &Json, expect: &[&str]| {
            let needs: Vec<String> =
                proposed(name, about, schema, &usual).iter().map(ToString::to_string).collect();
            assert_eq!(needs, expect, "{name}");
        };
        check("read-file", "Reads a file", &schema, &["read:**", "read:{filepath}"]);
        check("write-file", "Writes a file", &schema, &["read:**", "read:{filepath}", "write:**"]);
        check("create-issue", "Creates an issue", &Json::parse("{}").unwrap(), &["read:**"]);
    }
}
