//! Proposes the needs of a tool that names none, from the names of its arguments: a path is read
//! (and written, if the tool says that it changes things), and a URL is fetched.
//!
//! A proposal is a claim like any other: it becomes a need of each call, which the kernel checks
//! against what was granted. So a wrong one costs a question or a denial, and never opens anything.
//! A sidecar replaces it (`registry/sidecar.rs`).

use holm_grants::NeedTemplate;
use holm_guards::json::Json;

/// The last word of an argument that names a file or a folder.
const FILES: [&str; 5] = ["path", "filepath", "file", "filename", "pathname"];
const FOLDERS: [&str; 4] = ["dir", "directory", "folder", "cwd"];

/// The last word of an argument that names a page.
const PAGES: [&str; 2] = ["url", "uri"];

/// What the paths of a tool are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathOrigin {
    /// The tool sees the workspace as the root of all files.
    #[cfg(any(feature = "wasm", test))]
    WorkspaceIsRoot,
    /// The tool sees the files of the machine.
    Machine,
}

impl PathOrigin {
    /// The part of a slot that says so.
    const fn part(self) -> &'static str {
        match self {
            #[cfg(any(feature = "wasm", test))]
            Self::WorkspaceIsRoot => ":workspace",
            Self::Machine => "",
        }
    }
}

/// What a call does with the files that its arguments name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileUse {
    Reads,
    #[cfg(any(feature = "wasm", test))]
    ReadsAndWrites,
}

/// What an argument names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentMeaning {
    File,
    Folder,
    Page,
}

/// The needs that the arguments of a tool suggest; none if no argument names a file or a page.
pub(crate) fn proposed_needs(schema: &Json, file_use: FileUse, origin: PathOrigin) -> Vec<NeedTemplate> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(Json::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Json::as_object);
    let mut needs = Vec::new();
    for (name, property) in properties.into_iter().flatten() {
        let Some(meaning) = meaning(name, property) else { continue };
        let is_required = required.contains(&name.as_str());
        let slot = slot(name, property, meaning, origin, is_required);
        let texts = match (meaning, file_use) {
            (ArgumentMeaning::Page, _) => vec![format!("fetch:{slot}")],
            (ArgumentMeaning::File | ArgumentMeaning::Folder, FileUse::Reads) => vec![format!("read:{slot}")],
            #[cfg(any(feature = "wasm", test))]
            (ArgumentMeaning::File | ArgumentMeaning::Folder, FileUse::ReadsAndWrites) => {
                vec![format!("read:{slot}"), format!("write:{slot}")]
            }
        };
        needs.extend(texts.iter().filter_map(|text| text.parse().ok()));
    }
    needs
}

/// The braces of an argument. A folder that is not given is the workspace itself.
fn slot(
    name: &str,
    property: &Json,
    meaning: ArgumentMeaning,
    origin: PathOrigin,
    is_required: bool,
) -> String {
    let part = if meaning == ArgumentMeaning::Page { "" } else { origin.part() };
    let default = property.get("default").and_then(Json::as_str).unwrap_or(".");
    match (meaning, is_required) {
        (ArgumentMeaning::Folder, true) => format!("{{{name}{part}}}/"),
        (ArgumentMeaning::Folder, false) => format!("{{{name}{part}={default}}}/"),
        (ArgumentMeaning::File | ArgumentMeaning::Page, true) => format!("{{{name}{part}}}"),
        (ArgumentMeaning::File | ArgumentMeaning::Page, false) => format!("{{{name}{part}?}}"),
    }
}

/// What an argument names, by its name, type and description.
fn meaning(name: &str, property: &Json) -> Option<ArgumentMeaning> {
    let is = |kind: &str, of: &Json| of.get("type").and_then(Json::as_str) == Some(kind);
    let is_texts = is("array", property) && property.get("items").is_some_and(|items| is("string", items));
    if property.get("enum").is_some() || !(is("string", property) || is_texts) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let last = lower.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let about = property.get("description").and_then(Json::as_str).unwrap_or_default().to_lowercase();
    let is_folder = || about.contains("directory") || about.contains("folder");
    if PAGES.contains(&last) {
        Some(ArgumentMeaning::Page)
    } else if FOLDERS.contains(&last) || (last == "path" && is_folder() && !about.contains("file")) {
        Some(ArgumentMeaning::Folder)
    } else if FILES.contains(&last) {
        Some(ArgumentMeaning::File)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_name_files_and_pages_suggest_needs() {
        let check = |schema: &str, file_use: FileUse, origin: PathOrigin, expect: &[&str]| {
            let needs = proposed_needs(&Json::parse(schema).unwrap(), file_use, origin);
            let needs: Vec<String> = needs.iter().map(ToString::to_string).collect();
            assert_eq!(needs, expect, "{schema}");
        };
        let (reads, both) = (FileUse::Reads, FileUse::ReadsAndWrites);
        let (root, machine) = (PathOrigin::WorkspaceIsRoot, PathOrigin::Machine);
        let file = r#"{"properties":{"file_path":{"type":"string"},"limit":{"type":"integer"}},"required":["file_path"]}"#;
        check(file, reads, root, &["read:{file_path:workspace}"]);
        check(file, both, root, &["read:{file_path:workspace}", "write:{file_path:workspace}"]);
        check(file, reads, machine, &["read:{file_path}"]);
        let glob = r#"{"properties":{"pattern":{"type":"string"},
            "path":{"type":"string","description":"The directory to search in."}},"required":["pattern"]}"#;
        check(glob, reads, root, &["read:{path:workspace=.}/"]);
        let page = r#"{"properties":{"page-url":{"type":"string"},"user_agent":{"type":"string"}},"required":["page-url"]}"#;
        check(page, both, root, &["fetch:{page-url}"]);
        let many = r#"{"properties":{"files":{"type":"array","items":{"type":"string"}},
            "file":{"type":"array","items":{"type":"string"}},"output_dir":{"type":"string"}},"required":["output_dir"]}"#;
        check(many, reads, machine, &["read:{file?}", "read:{output_dir}/"]);
        let none = r#"{"properties":{"path":{"type":"boolean"},"file":{"enum":["a"],"type":"string"},"text":{"type":"string"}}}"#;
        check(none, both, root, &[]);
        check("{}", both, root, &[]);
    }
}
