use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use holm_grants::GrantSet;

use crate::root::{
    DenyRules, MissingFolderPolicy, WorkspaceRoot, WorkspaceRootError,
    autorun::{AutorunHandling, table},
};

/// A path that a row of the table is about.
fn example(pattern: &str) -> String {
    let name = pattern.replace('*', "x");
    if name.ends_with('/') { format!("{name}inner") } else { name }
}

fn writes(root: &WorkspaceRoot, path: &str) -> Result<(), WorkspaceRootError> {
    root.place_to_write(&root.path(path).unwrap(), MissingFolderPolicy::Made).map(drop)
}

#[test]
fn every_row_of_the_table_is_held_as_it_says_at_any_depth() {
    let folder = tempfile::tempdir().unwrap();
    let root = WorkspaceRoot::open(folder.path()).unwrap();
    for row in table() {
        for path in [example(row.pattern), format!("deep/down/{}", example(row.pattern).to_uppercase())] {
            let is_held = writes(&root, &path).is_err();
            // Settings of npm may hold keys, so file tools have never written them.
            let expect = row.handling == AutorunHandling::Protected || row.pattern == ".npmrc";
            assert_eq!(is_held, expect, "{path}");
        }
    }
    for ordinary in ["Makefile", "build.rs", "package.json", "conftest.py", ".gitattributes", ".editorconfig"]
    {
        assert_eq!(writes(&root, ordinary), Ok(()), "{ordinary}");
    }
}

#[test]
fn a_grant_that_names_the_file_opens_it_and_the_refusal_says_which() {
    let folder = tempfile::tempdir().unwrap();
    let root = WorkspaceRoot::open(folder.path()).unwrap();
    let check = |path: &str, expect: &str| {
        let Err(WorkspaceRootError::Autorun { grant, .. }) = writes(&root, path) else {
            panic!("{path} is not held")
        };
        assert_eq!(grant, expect);
        let named = |grant: &str| root.clone().naming(&GrantSet::parse([grant]).unwrap());
        assert_eq!(writes(&named(&format!("write:{grant}")), path), Ok(()), "{grant}");
        for wide in ["write:**", "write:./", "read:.vscode/**", "write:other/**"] {
            assert!(writes(&named(wide), path).is_err(), "{wide}");
        }
    };
    check(".vscode/tasks.json", ".vscode/**");
    check("app/.vscode/deep/x", "app/.vscode/**");
    check("a/.pre-commit-config.yaml", "a/.pre-commit-config.yaml");
    check(".config/mise/config.toml", ".config/mise/**");
    let named = DenyRules::usual().naming(&GrantSet::parse(["write:app/.vscode/**"]).unwrap());
    assert!(named.writing(&".vscode/x".parse().unwrap()).is_some(), "only the one that is named");
    assert!(named.writing(&"app/.git/x".parse().unwrap()).is_some(), "a grant opens no other rule");
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(args);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    assert!(command.status().unwrap().success(), "{args:?}");
}

#[test]
fn what_the_configuration_of_git_names_is_written_by_no_file_tool() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let work = base.join("work");
    git(&base, &["init", "-q", "work"]);
    for file in
        ["tools/conv.py", "tools/watch.sh", "tools/hook.sh", "tools/free.sh", "nested/in/x", "src/x.rs"]
    {
        fs::create_dir_all(work.join(file).parent().unwrap()).unwrap();
        fs::write(work.join(file), "").unwrap();
    }
    git(&work, &["config", "core.hooksPath", "ci/hooks"]);
    git(&work, &["config", "diff.x.textconv", "python3 tools/conv.py"]);
    git(&work, &["config", "core.fsmonitor", "tools/watch.sh"]);
    git(&work, &["config", "alias.go", "!./tools/hook.sh now"]);
    git(&work, &["config", "include.path", "../more.inc"]);
    fs::write(work.join("more.inc"), "[includeIf \"gitdir:x\"]\n\tpath = deep/most.inc\n").unwrap();
    git(&work, &["init", "-q", "nested"]);
    git(&work.join("nested"), &["config", "core.hooksPath", "in"]);
    let root = WorkspaceRoot::open(&work).unwrap();
    for held in [
        "ci/hooks/pre-commit",
        "tools/conv.py",
        "tools/watch.sh",
        "tools/hook.sh",
        "more.inc",
        "deep/most.inc",
        "nested/in/x",
    ] {
        assert!(matches!(writes(&root, held), Err(WorkspaceRootError::Protected { .. })), "{held}");
    }
    for free in ["tools/free.sh", "src/x.rs", "ci/other.sh", "in/x", "nested/y"] {
        assert_eq!(writes(&root, free), Ok(()), "{free}");
    }
    let guests = root.denials().unwrap();
    let hits =
        |path: &str| guests.hitting(&holm_grants::AccessRequest::Write(path.parse().unwrap())).is_some();
    assert!(hits("ci/hooks/pre-commit") && hits("tools/conv.py") && !hits("tools/free.sh"));
    // A part of the repository is the root: its hooks lie in there all the same.
    let part = WorkspaceRoot::open(&work.join("tools")).unwrap();
    assert!(writes(&part, "conv.py").is_err() && writes(&part, "free.sh").is_ok());
}

#[test]
fn programs_that_hooks_and_settings_call_are_written_by_no_file_tool_also_missing_ones() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().canonicalize().unwrap();
    git(&work, &["init", "-q", "."]);
    let files = [
        (".husky/_/pre-commit", "#!/usr/bin/env sh\n. \"${0%/*}/h\"\n"),
        (".husky/pre-commit", "sh scripts/check.sh\nnode scripts/check.js\ncd deep && ./in.sh\nmake lint\n"),
        (".husky/README.md", "Run sh scripts/readme.sh\n"),
        ("scripts/check.sh", ". scripts/lib.sh\n\"$(dirname \"$0\")/beside.sh\"\nnpx eslint src/x.js\n"),
        ("scripts/lib.sh", "scripts/last.sh\n"),
        ("scripts/check.js", "require('./other.js')\n"),
        ("scripts/beside.sh", "true\n"),
        ("scripts/last.sh", "true\n"),
        ("deep/in.sh", "true\n"),
        (
            ".git/hooks/post-commit",
            "#!/bin/sh\n[ -x ci/local ] && ci/local\nnode_modules/.bin/lint\nsphinx-build docs out/html\n",
        ),
    ];
    for (name, text) in files {
        fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
        fs::write(work.join(name), text).unwrap();
    }
    git(&work, &["config", "core.hooksPath", ".husky/_"]);
    git(&work, &["config", "filter.f.clean", "./tools/clean %f"]);
    git(&work, &["config", "filter.g.clean", "sh clean.sh"]);
    git(&work, &["config", "core.editor", "tools/ed"]);
    git(&work, &["config", "branch.x.vscode-merge-base", "origin/main"]);
    git(&work, &["config", "url.git@h:.insteadOf", "https://h.example/"]);
    git(&work, &["config", "diff.external", "way/ext"]);
    fs::create_dir(work.join("real")).unwrap();
    symlink("real", work.join("way")).unwrap();
    let root = WorkspaceRoot::open(&work).unwrap();
    for held in [
        "scripts/check.sh",
        "scripts/check.js",
        "scripts/lib.sh",
        "scripts/beside.sh",
        "scripts/last.sh",
        "deep/in.sh",
        "ci/local",
        "tools/clean",
        "clean.sh",
        "tools/ed",
        "real/ext",
        "way",
    ] {
        assert!(matches!(writes(&root, held), Err(WorkspaceRootError::Protected { .. })), "{held}");
    }
    let free = [
        "scripts/readme.sh",
        "scripts/other.js",
        "src/x.js",
        "node_modules/.bin/lint",
        "out/html",
        "origin/main",
        "Makefile",
        "real/other",
    ];
    for free in free {
        assert_eq!(writes(&root, free), Ok(()), "{free}");
    }
    let guests = root.denials().unwrap();
    let hits =
        |path: &str| guests.hitting(&holm_grants::AccessRequest::Write(path.parse().unwrap())).is_some();
    assert!(hits("way") && hits("real/ext") && hits("ci/local") && !hits("real/other"));
}

#[test]
fn hooks_that_are_looked_for_in_the_whole_workspace_are_held_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q", "."]);
    git(folder.path(), &["config", "core.hooksPath", "."]);
    let root = WorkspaceRoot::open(folder.path()).unwrap();
    assert!(writes(&root, "pre-commit").is_err() && writes(&root, "README.md").is_ok());
}
