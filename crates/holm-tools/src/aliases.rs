//! Other names for tools and arguments, which models learned elsewhere, and the names that they
//! stand for here. This is only a table; the kernel translates a call with such a name instead of
//! refusing it.
//!
//! A tool that really has the name is never taken for another one, and an argument that a tool
//! declares keeps its meaning. So an alias must mean exactly what the real name means. An argument
//! is ignored only where the call does the same without it, and none may open more. The tools
//! themselves are in `files/`, `shell/` and `conversation/`; a new argument of a tool belongs there.

use holm_kernel::{Alias, ArgumentDialect};

use crate::shell::OUTPUT_FOLDER;

/// One of our tools, its other names, and the other names of its arguments.
struct ToolAliases {
    tool: &'static str,
    names: &'static [&'static str],
    /// The written name and the real one. `list.name` is a name in the objects
    /// of the argument `list`.
    arguments: &'static [(&'static str, &'static str)],
    /// Written names whose values need a translation too.
    values: &'static [(&'static str, ValueForm)],
}

/// An [`ArgumentDialect`] that a constant can hold.
#[derive(Clone, Copy)]
enum ValueForm {
    Ignored,
    Unsupported(&'static str),
    MillisecondsFrom(u64),
    Argv,
    Largest,
    Words(&'static [(&'static str, &'static str)]),
    Beginnings(&'static [(&'static str, &'static str)]),
}

impl From<ValueForm> for ArgumentDialect {
    fn from(form: ValueForm) -> Self {
        match form {
            ValueForm::Ignored => Self::Ignored,
            ValueForm::Unsupported(text) => Self::Unsupported(text.into()),
            ValueForm::MillisecondsFrom(least) => Self::MillisecondsFrom(least),
            ValueForm::Argv => Self::Argv,
            ValueForm::Largest => Self::Largest,
            ValueForm::Words(words) => Self::Words(owned(words)),
            ValueForm::Beginnings(all) => Self::Beginnings(owned(all)),
        }
    }
}

fn owned(pairs: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    pairs.iter().map(|(written, meant)| ((*written).into(), (*meant).into())).collect()
}

/// Other ways to write the folder with long outputs of commands.
const OUTPUTS: ValueForm = ValueForm::Beginnings(&[("~/out", OUTPUT_FOLDER), ("${HOME}/out", OUTPUT_FOLDER)]);

const TABLE: &[ToolAliases] = &[
    ToolAliases {
        tool: "read",
        names: &["Read", "read_file", "ReadFile", "view", "view_file"],
        arguments: PATH,
        values: &[("path", OUTPUTS)],
    },
    ToolAliases {
        tool: "list",
        names: &["LS", "ls", "list_dir", "list_directory", "list_files"],
        arguments: FOLDER,
        values: &[],
    },
    ToolAliases {
        tool: "glob",
        names: &["Glob", "find_files", "file_search"],
        arguments: &[
            ("query", "pattern"),
            ("glob", "pattern"),
            ("glob_pattern", "pattern"),
            ("directory", "path"),
            ("dir", "path"),
            ("dir_path", "path"),
        ],
        values: &[("path", OUTPUTS)],
    },
    ToolAliases {
        tool: "grep",
        names: &["Grep", "grep_files", "grep_search", "search_files", "search_file_content", "ripgrep", "rg"],
        arguments: &[
            ("query", "pattern"),
            ("regex", "pattern"),
            ("include", "glob"),
            ("include_pattern", "glob"),
            ("file_pattern", "glob"),
            ("directory", "path"),
            ("dir", "path"),
            ("dir_path", "path"),
            ("file_path", "path"),
            ("filePath", "path"),
            ("-i", "ignore_case"),
            ("case_insensitive", "ignore_case"),
            ("output_mode", "show"),
            ("type", "glob"),
            ("-A", "context"),
            ("-B", "context"),
            ("-C", "context"),
            ("head_limit", "limit"),
        ],
        values: &[
            ("path", OUTPUTS),
            ("output_mode", ValueForm::Words(OUTPUT_MODES)),
            ("type", ValueForm::Words(FILE_TYPES)),
            // Lines have their numbers anyway, and the context is the same on both sides.
            ("-n", ValueForm::Ignored),
            ("-A", ValueForm::Largest),
            ("-B", ValueForm::Largest),
            ("-C", ValueForm::Largest),
        ],
    },
    ToolAliases {
        tool: "write",
        names: &["Write", "write_file", "WriteFile", "create_file"],
        arguments: &[
            ("file_path", "path"),
            ("filePath", "path"),
            ("filename", "path"),
            ("file", "path"),
            ("contents", "content"),
            ("text", "content"),
            ("file_text", "content"),
        ],
        values: &[],
    },
    ToolAliases {
        tool: "edit",
        names: &[
            "Edit",
            "MultiEdit",
            "multi_edit",
            "multiedit",
            "str_replace",
            "edit_file",
            "replace",
            "replace_in_file",
        ],
        arguments: &[
            ("file_path", "path"),
            ("filePath", "path"),
            ("filename", "path"),
            ("file", "path"),
            ("old_string", "old"),
            ("oldString", "old"),
            ("old_str", "old"),
            ("old_text", "old"),
            ("new_string", "new"),
            ("newString", "new"),
            ("new_str", "new"),
            ("new_text", "new"),
            ("replace_all", "all"),
            ("replaceAll", "all"),
            ("edits.old_string", "old"),
            ("edits.oldString", "old"),
            ("edits.old_str", "old"),
            ("edits.old_text", "old"),
            ("edits.new_string", "new"),
            ("edits.newString", "new"),
            ("edits.new_str", "new"),
            ("edits.new_text", "new"),
            ("edits.replace_all", "all"),
            ("edits.replaceAll", "all"),
        ],
        values: &[],
    },
    ToolAliases {
        tool: "patch",
        names: &["apply_patch", "ApplyPatch", "apply_diff"],
        arguments: &[
            ("input", "diff"),
            ("patch", "diff"),
            ("patchText", "diff"),
            ("patch_text", "diff"),
            ("files", "paths"),
            ("path", "paths"),
        ],
        values: &[],
    },
    ToolAliases {
        tool: "shell",
        names: &[
            "bash",
            "Bash",
            "exec_command",
            "shell_command",
            "run_command",
            "execute_command",
            "run_shell_command",
            "run_terminal_cmd",
        ],
        arguments: &[
            ("command", "script"),
            ("cmd", "script"),
            ("timeout", "seconds"),
            ("timeout_ms", "seconds"),
            ("cwd", "folder"),
            ("workdir", "folder"),
            ("working_directory", "folder"),
            ("directory", "folder"),
            ("dir_path", "folder"),
        ],
        values: SHELL_VALUES,
    },
    ToolAliases {
        tool: "todo",
        names: &["TodoWrite", "todowrite", "todo_write", "write_todos", "update_plan"],
        arguments: &[
            ("todos", "items"),
            ("plan", "items"),
            ("items.content", "text"),
            ("items.step", "text"),
            ("items.description", "text"),
            ("items.status", "progress"),
        ],
        values: &[("items.status", ValueForm::Words(PROGRESS))],
    },
];

/// Seconds from this number up would be a quarter of an hour and more, longer than a command can
/// have: a model that writes them means milliseconds.
const LEAST_MILLISECONDS: u64 = 1_000;

const SHELL_VALUES: &[(&str, ValueForm)] = &[
    ("command", ValueForm::Argv),
    ("cmd", ValueForm::Argv),
    ("timeout", ValueForm::MillisecondsFrom(LEAST_MILLISECONDS)),
    ("timeout_ms", ValueForm::MillisecondsFrom(0)),
    // Words about the call for a reader, and wishes about the form of the result.
    ("description", ValueForm::Ignored),
    ("explanation", ValueForm::Ignored),
    ("justification", ValueForm::Ignored),
    ("max_output_tokens", ValueForm::Ignored),
    ("yield_time_ms", ValueForm::Ignored),
    ("login", ValueForm::Ignored),
    ("run_in_background", ValueForm::Unsupported(BACKGROUND)),
    ("is_background", ValueForm::Unsupported(BACKGROUND)),
    ("tty", ValueForm::Unsupported("not run: commands have no terminal; call again without `tty`")),
    ("with_escalated_permissions", ValueForm::Unsupported(ESCALATED)),
    ("dangerouslyDisableSandbox", ValueForm::Unsupported(ESCALATED)),
];

const BACKGROUND: &str = "not run: commands cannot run in the background; call again without that \
    argument, with enough `seconds`";

const ESCALATED: &str =
    "not run: a call cannot lift the limits of commands; call again without that argument";

const OUTPUT_MODES: &[(&str, &str)] = &[
    ("content", "lines"),
    ("files_with_matches", "files"),
    ("count", "counts"),
    ("lines", "lines"),
    ("files", "files"),
    ("counts", "counts"),
];

/// ripgrep's types of files, as patterns. Others are refused: without its
/// pattern, a search would find too much.
const FILE_TYPES: &[(&str, &str)] = &[
    ("c", "*.{c,h}"),
    ("cpp", "*.{C,cc,cpp,cxx,H,h,hh,hpp,hxx,inl}"),
    ("css", "*.{css,scss}"),
    ("go", "*.go"),
    ("html", "*.{html,htm,ejs}"),
    ("java", "*.{java,jsp,jspx,properties}"),
    ("js", "*.{js,jsx,cjs,mjs,vue}"),
    ("json", "*.json"),
    ("md", "*.{md,markdown,mdown,mdwn,mdx,mkd,mkdn}"),
    ("py", "*.{py,pyi}"),
    ("rust", "*.rs"),
    ("toml", "*.toml"),
    ("ts", "*.{ts,tsx,cts,mts}"),
    ("yaml", "*.{yaml,yml}"),
];

const PROGRESS: &[(&str, &str)] = &[
    ("pending", "pending"),
    ("todo", "pending"),
    ("not_started", "pending"),
    ("in_progress", "in_progress"),
    ("in-progress", "in_progress"),
    ("completed", "completed"),
    ("done", "completed"),
];

const PATH: &[(&str, &str)] = &[
    ("file_path", "path"),
    ("absolute_path", "path"),
    ("filePath", "path"),
    ("filename", "path"),
    ("file", "path"),
    ("target_file", "path"),
];

const FOLDER: &[(&str, &str)] =
    &[("directory", "path"), ("dir", "path"), ("folder", "path"), ("dir_path", "path")];

/// The aliases for a run. Each tool is also listed under its own name, for its arguments.
///
/// ```
/// let aliases = holm_tools::aliases();
/// let edit = aliases.iter().find(|alias| alias.name == "str_replace").unwrap();
/// assert_eq!((edit.tool.as_str(), edit.arguments["old_string"].as_str()), ("edit", "old"));
/// ```
#[must_use]
pub fn aliases() -> Vec<Alias> {
    let alias = |row: &ToolAliases, name: &str| Alias {
        name: name.to_owned(),
        tool: row.tool.to_owned(),
        arguments: owned(row.arguments),
        values: row.values.iter().map(|(written, form)| ((*written).into(), (*form).into())).collect(),
    };
    let own = |row: &'static ToolAliases| std::iter::once(row.tool).chain(row.names.iter().copied());
    TABLE.iter().flat_map(|row| own(row).map(move |name| alias(row, name))).collect()
}

#[cfg(test)]
mod tests;
