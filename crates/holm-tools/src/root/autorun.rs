//! Files of a project whose code everyday tools run without asking: at `cd`, when an editor opens
//! the folder, at `git commit`. This one table serves file tools, guests and commands;
//! `docs/threat-model.md` explains each decision. It only lists names: `deny_rules.rs` turns
//! protected ones into denials, and `shell/changes.rs` reports the others.
//!
//! Code that runs because the user asks to build, test or install (`Makefile`, `build.rs`,
//! `package.json`) is ordinary code and is not listed here.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A file or a folder that a tool runs or obeys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AutorunFile {
    /// Its name at any depth: at most one `*` in the last component, a slash at the end of a folder.
    pub(crate) pattern: &'static str,
    /// Which tool runs it, and when.
    pub(crate) runner: &'static str,
    pub(crate) handling: AutorunHandling,
}

/// How a write to such a file is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AutorunHandling {
    /// It needs a grant that names the file.
    Protected,
    /// It is an ordinary write. A command that makes or changes the file says so in its result.
    Reported,
}

const GIT_HOOKS: &str = "git hooks run it at commit";
const REBASES: &str = "git rebase --continue runs its exec lines";
const OTHER_CONTROL: &str = "darcs and pijul run its hooks";
const EDITORS: &str = "editors obey it when they open the folder";
const SHELLS: &str = "shells run it when they enter the folder";
const SESSIONS: &str = "a login or a program of the user runs it when it starts";
const CONSOLES: &str = "consoles and debuggers run it when they start here";
const AGENTS: &str = "other agents follow it when they start here";
const READERS: &str = "other agents read it as instructions";
const PACKAGES: &str = "it can replace the program that a package manager starts";
const SERVERS: &str = "a build server runs it once it is pushed";

/// Names that a tool is known to look for stand here in full: a jail keeps commands from creating
/// them. What only a star covers is disabled when the command has ended.
const PROTECTED: &[(&str, &[&str])] = &[
    (
        GIT_HOOKS,
        &[
            ".husky/",
            ".pre-commit-config.yaml",
            "lefthook.yml",
            "lefthook.yaml",
            "lefthook.toml",
            "lefthook.json",
            "lefthook.jsonc",
            "lefthook.*",
            ".lefthook.yml",
            ".lefthook.yaml",
            ".lefthook.toml",
            ".lefthook.json",
            ".lefthook.jsonc",
            ".lefthook.*",
            "lefthook-local.yml",
            "lefthook-local.yaml",
            "lefthook-local.toml",
            "lefthook-local.json",
            "lefthook-local.jsonc",
            "lefthook-local.*",
            ".lefthook-local.yml",
            ".lefthook-local.yaml",
            ".lefthook-local.toml",
            ".lefthook-local.json",
            ".lefthook-local.jsonc",
            ".lefthook-local.*",
            ".config/lefthook.yml",
            ".config/lefthook.yaml",
            ".config/lefthook.toml",
            ".config/lefthook.json",
            ".config/lefthook.jsonc",
            ".config/lefthook-local.yml",
            ".config/lefthook-local.yaml",
            ".config/lefthook-local.toml",
            ".config/lefthook-local.json",
            ".config/lefthook-local.jsonc",
            ".overcommit.yml",
            ".local-overcommit.yml",
            ".lintstagedrc",
            ".lintstagedrc.json",
            ".lintstagedrc.yaml",
            ".lintstagedrc.yml",
            ".lintstagedrc.mjs",
            ".lintstagedrc.js",
            ".lintstagedrc.cjs",
            ".lintstagedrc.mts",
            ".lintstagedrc.ts",
            ".lintstagedrc.cts",
            ".lintstagedrc.*",
            "lint-staged.config.mjs",
            "lint-staged.config.js",
            "lint-staged.config.cjs",
            "lint-staged.config.mts",
            "lint-staged.config.ts",
            "lint-staged.config.cts",
            "lint-staged.config.*",
        ],
    ),
    (OTHER_CONTROL, &["_darcs/prefs/defaults", ".pijul/config"]),
    (
        EDITORS,
        &[
            ".vscode/",
            "*.code-workspace",
            ".idea/",
            ".fleet/",
            ".zed/",
            ".helix/",
            ".theia/",
            ".vim/",
            ".vimrc",
            ".gvimrc",
            ".exrc",
            ".nvimrc",
            ".nvim.lua",
            ".lvimrc",
            ".local.vimrc",
            ".dir-locals.el",
            ".dir-locals-2.el",
            ".project",
            ".externalToolBuilders/",
            ".devcontainer/",
            ".devcontainer.json",
        ],
    ),
    (
        SHELLS,
        &[
            ".envrc",
            ".autoenv",
            ".autoenv.zsh",
            ".autoenv_leave.zsh",
            ".rvmrc",
            "mise.toml",
            ".mise.toml",
            "mise.local.toml",
            ".mise.local.toml",
            "mise.*.toml",
            ".mise.*.toml",
            ".mise/",
            ".config/mise/",
            ".config/mise.toml",
        ],
    ),
    (
        SESSIONS,
        &[
            ".config/autostart/",
            ".config/autostart-scripts/",
            ".config/plasma-workspace/",
            ".config/systemd/",
            ".local/share/systemd/",
            ".local/share/dbus-1/",
            ".config/environment.d/",
            ".pam_environment",
            ".xprofile",
            ".xsession",
            ".xsessionrc",
            ".xinitrc",
            ".bash_aliases",
            ".bash_completion",
            ".inputrc",
            ".oh-my-zsh/",
            ".kshrc",
            ".cshrc",
            ".tcshrc",
            ".config/zsh/",
            ".config/direnv/",
            ".config/tmux/",
            ".tmux.conf",
            ".config/nvim/",
            ".config/emacs/",
            ".emacs",
            ".emacs.d/",
            ".hgrc",
            ".config/hg/",
            ".config/jj/",
            ".local/bin/",
        ],
    ),
    (
        CONSOLES,
        &[
            ".Rprofile",
            ".irbrc",
            ".pryrc",
            ".ghci",
            ".gdbinit",
            ".lldbinit",
            ".pdbrc",
            ".iex.exs",
            ".octaverc",
        ],
    ),
    (
        AGENTS,
        &[
            ".claude/",
            ".mcp.json",
            ".codex/",
            ".cursor/",
            ".gemini/",
            ".windsurf/",
            ".continue/",
            ".roo/",
            ".kiro/",
            ".opencode/",
            "opencode.json",
            "opencode.jsonc",
            ".aider.conf.yml",
            ".qwen/",
            ".amazonq/",
            ".factory/",
            ".crush.json",
            "crush.json",
            ".github/hooks/",
        ],
    ),
];

const REPORTED: &[(&str, &[&str])] = &[
    (
        READERS,
        &[
            "AGENTS.md",
            "CLAUDE.md",
            "CLAUDE.local.md",
            "GEMINI.md",
            ".cursorrules",
            ".windsurfrules",
            ".clinerules",
            ".goosehints",
            ".github/copilot-instructions.md",
        ],
    ),
    (
        PACKAGES,
        &[
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            ".yarn/releases/",
            ".yarn/plugins/",
            ".pnpmfile.cjs",
            "bunfig.toml",
            ".cargo/config",
            ".cargo/config.toml",
            "rust-toolchain",
            "rust-toolchain.toml",
            ".mvn/",
            "gradle/wrapper/",
            ".bundle/config",
            ".bazelrc",
            ".tool-versions",
        ],
    ),
    (SHELLS, &["flake.nix", "shell.nix", "devenv.nix"]),
    (REBASES, &["rebase-merge/git-rebase-todo"]),
    (
        SERVERS,
        &[
            ".github/workflows/",
            ".github/actions/",
            ".gitlab-ci.yml",
            ".circleci/",
            "Jenkinsfile",
            "azure-pipelines.yml",
            "bitbucket-pipelines.yml",
            ".drone.yml",
            ".woodpecker.yml",
            ".woodpecker/",
            ".buildkite/",
            ".forgejo/workflows/",
            ".gitea/workflows/",
        ],
    ),
];

pub(crate) fn table() -> impl Iterator<Item = AutorunFile> {
    let rows = |lists: &'static [(&'static str, &'static [&'static str])], handling| {
        lists.iter().flat_map(move |(runner, patterns)| {
            patterns.iter().map(move |pattern| AutorunFile { pattern, runner, handling })
        })
    };
    rows(PROTECTED, AutorunHandling::Protected).chain(rows(REPORTED, AutorunHandling::Reported))
}

/// The patterns of protected files.
pub(crate) fn protected() -> impl Iterator<Item = &'static str> {
    table().filter(|row| row.handling == AutorunHandling::Protected).map(|row| row.pattern)
}

/// The patterns of protected files that tools obey in any folder: those of a login
/// count in a home alone.
pub(crate) fn protected_in_projects() -> impl Iterator<Item = &'static str> {
    let is_protected = |row: &AutorunFile| row.handling == AutorunHandling::Protected;
    table().filter(move |row| is_protected(row) && row.runner != SESSIONS).map(|row| row.pattern)
}

/// The patterns with a star among them, each with a name that fits it.
pub(crate) fn starred_in_projects() -> impl Iterator<Item = (&'static str, String)> {
    let starred = protected_in_projects().filter(|pattern| pattern.contains('*'));
    starred.map(|pattern| (pattern, pattern.replace('*', "x")))
}

/// Whether a row could be about a file of this name: cheap, for walks over many files.
pub(crate) fn may_list(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let last = |pattern: &'static str| pattern.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    index().exact.contains_key(&name) || index().starred.iter().any(|row| fits_name(last(row.pattern), &name))
}

/// The row for a path beneath the workspace, which may also be inside a folder of the
/// table. Case is ignored.
pub(crate) fn find(path: &str) -> Option<AutorunFile> {
    let names: Vec<String> = path.split('/').map(str::to_ascii_lowercase).collect();
    (1..=names.len()).find_map(|end| {
        let row = by_name(names.get(..end)?)?;
        let is_whole = end == names.len();
        (is_whole || row.pattern.ends_with('/')).then_some(row)
    })
}

/// All rows for a path: a file can match one row by its name and another by a star.
pub(crate) fn find_all(path: &str) -> Vec<AutorunFile> {
    let names: Vec<String> = path.split('/').map(str::to_ascii_lowercase).collect();
    let prefixes = (1..=names.len()).filter_map(|end| names.get(..end));
    prefixes
        .flat_map(|prefix| {
            let is_whole = prefix.len() == names.len();
            all_by_name(prefix).filter(move |row| is_whole || row.pattern.ends_with('/'))
        })
        .collect()
}

/// The row whose pattern the last names fit.
fn by_name(names: &[String]) -> Option<AutorunFile> {
    all_by_name(names).next()
}

fn all_by_name(names: &[String]) -> impl Iterator<Item = AutorunFile> {
    let exact = names.last().and_then(|last| index().exact.get(last)).into_iter().flatten();
    exact.chain(&index().starred).filter(move |row| fits(row.pattern, names)).copied()
}

/// The rows by their last names, so that a walk over many files stays cheap.
struct AutorunIndex {
    exact: BTreeMap<String, Vec<AutorunFile>>,
    starred: Vec<AutorunFile>,
}

fn index() -> &'static AutorunIndex {
    static INDEX: OnceLock<AutorunIndex> = OnceLock::new();
    INDEX.get_or_init(AutorunIndex::build)
}

impl AutorunIndex {
    fn build() -> Self {
        let mut index = Self { exact: BTreeMap::new(), starred: Vec::new() };
        for row in table() {
            let last = row.pattern.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if last.contains('*') {
                index.starred.push(row);
            } else {
                index.exact.entry(last.to_ascii_lowercase()).or_default().push(row);
            }
        }
        index
    }
}

fn fits(pattern: &str, names: &[String]) -> bool {
    let parts: Vec<&str> = pattern.trim_end_matches('/').split('/').collect();
    let Some(start) = names.len().checked_sub(parts.len()) else { return false };
    let tail = names.get(start..).unwrap_or_default();
    tail.iter().zip(parts).all(|(name, part)| fits_name(&part.to_ascii_lowercase(), name))
}

fn fits_name(part: &str, name: &str) -> bool {
    match part.split_once('*') {
        None => part == name,
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_its_name_at_any_depth_and_in_any_case() {
        let check = |path: &str, expect: Option<(&str, AutorunHandling)>| {
            assert_eq!(find(path).map(|row| (row.pattern, row.handling)), expect, "{path}");
        };
        check(".vscode", Some((".vscode/", AutorunHandling::Protected)));
        check("app/.VSCode/tasks.json", Some((".vscode/", AutorunHandling::Protected)));
        check("a/b/.pre-commit-config.yaml", Some((".pre-commit-config.yaml", AutorunHandling::Protected)));
        check("x.code-workspace", Some(("*.code-workspace", AutorunHandling::Protected)));
        check("lefthook.toml", Some(("lefthook.toml", AutorunHandling::Protected)));
        check("lefthook.other", Some(("lefthook.*", AutorunHandling::Protected)));
        check(".config/lefthook-local.yml", Some(("lefthook-local.yml", AutorunHandling::Protected)));
        check("mise.test.toml", Some(("mise.*.toml", AutorunHandling::Protected)));
        check(".github/workflows/ci.yml", Some((".github/workflows/", AutorunHandling::Reported)));
        check(".qwen/settings.json", Some((".qwen/", AutorunHandling::Protected)));
        check(".github/hooks/x.json", Some((".github/hooks/", AutorunHandling::Protected)));
        check("docs/AGENTS.md", Some(("AGENTS.md", AutorunHandling::Reported)));
        check("crates/x/.cargo/config.toml", Some((".cargo/config.toml", AutorunHandling::Reported)));
        for ordinary in [
            "Makefile",
            "build.rs",
            "package.json",
            "workflows/ci.yml",
            "config.toml",
            "vscode",
            "AGENTS.md/x",
        ] {
            check(ordinary, None);
        }
    }

    #[test]
    fn no_pattern_stands_in_the_table_twice() {
        let mut patterns: Vec<&str> = table().map(|row| row.pattern).collect();
        let all = patterns.len();
        patterns.sort_unstable();
        patterns.dedup();
        assert_eq!(patterns.len(), all);
        let stars = |pattern: &str| pattern.matches('*').count();
        assert!(table().all(|row| stars(row.pattern) <= 1), "one star a pattern is all that is matched");
    }
}
