//! Other names for tools and arguments, which models learned elsewhere, and the names that they
//! stand for here. This is only a table; the kernel translates a call with such a name instead of
//! refusing it.
//!
//! A tool that really has the name is never taken for another one, and an argument that a tool
//! declares keeps its meaning. So an alias must mean exactly what the real name means. The tools
//! themselves are in `files/` and `shell/`; a new argument of a tool belongs there.

use holm_kernel::Alias;

/// One of our tools, its other names, and the other names of its arguments.
struct ToolAliases {
    tool: &'static str,
    names: &'static [&'static str],
    /// The written name and the real one. `list.name` is a name in the objects
    /// of the argument `list`.
    arguments: &'static [(&'static str, &'static str)],
}

const TABLE: &[ToolAliases] = &[
    ToolAliases {
        tool: "read",
        names: &["Read", "read_file", "ReadFile", "view", "view_file"],
        arguments: PATH,
    },
    ToolAliases {
        tool: "list",
        names: &["LS", "ls", "list_dir", "list_directory", "list_files"],
        arguments: FOLDER,
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
        ],
    },
    ToolAliases {
        tool: "grep",
        names: &["Grep", "grep_search", "search_files", "ripgrep", "rg"],
        arguments: &[
            ("query", "pattern"),
            ("regex", "pattern"),
            ("include", "glob"),
            ("include_pattern", "glob"),
            ("file_pattern", "glob"),
            ("directory", "path"),
            ("dir", "path"),
            ("file_path", "path"),
            ("filePath", "path"),
            ("-i", "ignore_case"),
            ("case_insensitive", "ignore_case"),
            ("-C", "context"),
            ("head_limit", "limit"),
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
    },
    ToolAliases {
        tool: "edit",
        names: &["Edit", "MultiEdit", "str_replace", "edit_file", "replace", "replace_in_file"],
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
    },
    ToolAliases {
        tool: "shell",
        names: &["bash", "Bash", "run_command", "execute_command", "run_shell_command", "run_terminal_cmd"],
        arguments: &[
            ("command", "script"),
            ("cmd", "script"),
            // Some models mean milliseconds. The longest time that a command can have is then the result.
            ("timeout", "seconds"),
            ("timeout_ms", "seconds"),
            ("cwd", "folder"),
            ("workdir", "folder"),
            ("working_directory", "folder"),
        ],
    },
];

const PATH: &[(&str, &str)] = &[
    ("file_path", "path"),
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
        arguments: row
            .arguments
            .iter()
            .map(|(written, meant)| ((*written).into(), (*meant).into()))
            .collect(),
    };
    let own = |row: &'static ToolAliases| std::iter::once(row.tool).chain(row.names.iter().copied());
    TABLE.iter().flat_map(|row| own(row).map(move |name| alias(row, name))).collect()
}

#[cfg(test)]
mod tests;
