//! What the configuration of git and hooks name: behind links, one step further, and before it exists.
//! The user's own git runs it later, outside of the jail.

use std::fs;
use std::path::Path;

use holm_tools::root::DenyRules;

use super::cell::{Cell, WAYS, until};
use super::later::{everyday, git, project};

/// Writes a program that leaves a marker, into a file.
const EVIL: &str = r#"
evil() { mkdir -p "$(dirname "$1")"; printf '#!/bin/sh\ntouch %s\ncat "$1" 2>/dev/null\n' "$CELL/out/ran" > "$1"; chmod +x "$1"; }
"#;

/// What the user set up, what a command then does, and a word of the result.
struct Case {
    what: &'static str,
    setup: &'static str,
    attack: &'static str,
    says: &'static str,
}

/// A project with one file that has a filter and a text conversion.
fn prepare(cell: &Cell, setup: &str) {
    project(cell);
    cell.write("work/x.bin", "x");
    cell.write("work/.gitattributes", "*.bin diff=conv filter=f\n");
    let none = "none() { mkdir -p \"$(dirname \"$1\")\"; printf '#!/bin/sh\\nexit 0\\n' > \"$1\"; chmod +x \"$1\"; }";
    let commit = "git add -A; git -c user.name=u -c user.email=u@h commit -q -m second";
    cell.outside("sh", &["-c", &format!("{none}; {setup}; {commit}; echo y > x.bin")]);
}

async fn check(cases: &[Case]) {
    for way in WAYS {
        for Case { what, setup, attack, says } in cases {
            let cell = Cell::new(way);
            prepare(&cell, setup);
            let shell = cell.shell().denials(DenyRules::of_commands());
            let said = cell.sh(&shell, &format!("{EVIL} {attack}; echo z > free.txt")).await.text;
            assert!(!everyday(&cell, "work"), "{way:?}: {what}: {said}");
            assert!(said.contains(says), "{way:?}: {what}: {said}");
            assert!(cell.path("work/free.txt").exists(), "{way:?}: {what}: {said}");
        }
    }
}

#[tokio::test]
async fn the_traps_of_these_tests_work_where_nothing_is_held() {
    for (setup, attack) in [
        (
            "ln -s tools/hooks .githooks; git config core.hooksPath .githooks",
            "rm .githooks; evil .githooks/pre-commit",
        ),
        ("git config diff.conv.textconv tools/conv", "evil tools/conv"),
        (
            "none scripts/check; mkdir -p .husky/_; printf '#!/bin/sh\\nsh .husky/pre-commit\\n' > .husky/_/pre-commit; \
          chmod +x .husky/_/pre-commit; echo 'sh scripts/check' > .husky/pre-commit; git config core.hooksPath .husky/_",
            "evil scripts/check",
        ),
    ] {
        let cell = Cell::new(WAYS[0]);
        prepare(&cell, setup);
        let script = format!("CELL='{}'; {EVIL} {attack}", cell.path("").display());
        cell.outside("sh", &["-c", &script]);
        assert!(everyday(&cell, "work"), "{attack}");
    }
}

#[tokio::test]
async fn a_link_on_the_way_to_what_git_names_is_put_back() {
    check(&[
        Case {
            what: "the folder of hooks is a link",
            setup: "none tools/hooks/pre-commit; ln -s tools/hooks .githooks; git config core.hooksPath .githooks",
            attack: "rm .githooks; evil .githooks/pre-commit",
            says: ".githooks leads to a protected path: commands cannot replace this link. Holm put it back",
        },
        Case {
            what: "a folder above the hooks is a link",
            setup: "none build/hooks/pre-commit; ln -s build tools; git config core.hooksPath tools/hooks",
            attack: "rm tools; evil tools/hooks/pre-commit",
            says: "tools leads to a protected path",
        },
        Case {
            what: "two links in a row",
            setup: "none tools/hooks/pre-commit; ln -s tools mid; ln -s mid/hooks .githooks; \
                    git config core.hooksPath .githooks",
            attack: "rm mid; evil mid/hooks/pre-commit",
            says: "mid leads to a protected path",
        },
        Case {
            what: "the link leads elsewhere",
            setup: "none tools/hooks/pre-commit; ln -s tools/hooks .githooks; git config core.hooksPath .githooks",
            attack: "evil other/pre-commit; rm .githooks; ln -s other .githooks",
            says: ".githooks leads to a protected path",
        },
        Case {
            what: "a link in a folder that is moved",
            setup: "mkdir -p a/b; none tools/hooks/pre-commit; ln -s ../../tools a/b/t; git config core.hooksPath a/b/t/hooks",
            attack: "mv a old; evil other/b/t/hooks/pre-commit; ln -s other a",
            says: "a is on the way to a protected path",
        },
        Case {
            what: "a program behind a link",
            setup: "none tools/conv; ln -s tools scripts; git config diff.conv.textconv scripts/conv",
            attack: "rm scripts; evil scripts/conv",
            says: "scripts leads to a protected path",
        },
        Case {
            what: "a hook that is a link through a link",
            setup: "none tools/pc.sh; ln -s tools scripts; ln -s ../../scripts/pc.sh .git/hooks/pre-commit",
            attack: "rm scripts; evil scripts/pc.sh",
            says: "scripts leads to a protected path",
        },
        Case {
            what: "husky is a link",
            setup: "none conf/husky/pre-commit; ln -s conf/husky .husky; git config core.hooksPath .husky",
            attack: "rm .husky; evil .husky/pre-commit",
            says: ".husky leads to a protected path",
        },
        Case {
            what: "the link leads nowhere yet",
            setup: "ln -s tools/hooks .githooks; git config core.hooksPath .githooks",
            attack: "evil tools/hooks/pre-commit",
            says: "tools/hooks",
        },
    ])
    .await;
}

#[tokio::test]
async fn links_stay_as_they_were_and_the_users_own_work_passes() {
    for way in WAYS {
        let cell = Cell::new(way);
        prepare(
            &cell,
            "none tools/hooks/pre-commit; ln -s tools/hooks .githooks; git config core.hooksPath .githooks; \
             ln -s tools way; ln -s ../../way/hooks/pre-commit .git/hooks/post-merge",
        );
        let shell = cell.shell().denials(DenyRules::of_commands());
        let said = cell.sh(&shell, "cat .githooks/pre-commit >/dev/null; echo y > tools/free").await.text;
        assert_eq!(said, "[no output; exit status 0]", "{way:?}");
        // In one step, because Holm looks while the command still runs.
        cell.sh(&shell, &format!("{EVIL} evil other/pre-commit; rm .githooks; mv other .githooks")).await;
        assert_eq!(fs::read_link(cell.path("work/.githooks")).unwrap(), Path::new("tools/hooks"), "{way:?}");
        assert!(cell.path("work/.githooks.disabled/pre-commit").exists(), "{way:?}: nothing is lost");
        cell.sh(&shell, &format!("{EVIL} rm way; evil way/hooks/pre-commit")).await;
        assert!(cell.path("work/.git/hooks/post-merge").is_symlink(), "{way:?}: a hook of the user's stays");
        // A link that is only gone is told, and its name is held from then on.
        let said = cell.sh(&shell, "rm .githooks").await.text;
        assert!(said.contains(".githooks: this link to a protected path is gone"), "{way:?}: {said}");
        let said = cell.sh(&shell, &format!("{EVIL} evil .githooks/pre-commit")).await.text;
        assert!(!everyday(&cell, "work"), "{way:?}: {said}");
    }
}

#[tokio::test]
async fn a_replaced_link_is_put_back_while_the_command_still_runs() {
    let cell = Cell::new(WAYS[0]);
    prepare(
        &cell,
        "none tools/hooks/pre-commit; ln -s tools/hooks .githooks; git config core.hooksPath .githooks",
    );
    let shell = cell.shell().denials(DenyRules::of_commands());
    let script = format!("{EVIL} rm .githooks; evil .githooks/pre-commit; touch begun; sleep 20");
    let run = cell.sh(&shell, &script);
    let user = async {
        until("the command has begun", || cell.path("work/begun").exists()).await;
        until("the link is back", || cell.path("work/.githooks").is_symlink()).await;
        git(
            &cell,
            &cell.path("work"),
            &["-c", "user.name=u", "-c", "user.email=u@h", "commit", "-qm", "x", "--allow-empty"],
        );
        assert!(!cell.path("out/ran").exists());
    };
    tokio::select! {
        said = run => panic!("it ended early: {}", said.text),
        () = user => {}
    }
    // A command that does so again and again is ended.
    let script = format!("{EVIL} while :; do rm -rf .githooks; evil .githooks/pre-commit; sleep 0.1; done");
    let said = cell.sh(&shell, &script).await.text;
    assert!(said.contains("stopped: it brought back again and again"), "{said}");
}

#[tokio::test]
async fn scripts_that_hooks_of_husky_call_are_not_written() {
    const HUSKY: &str = "mkdir -p .husky/_; printf '#!/usr/bin/env sh\\n. \"${0%%/*}/h\"\\n' > .husky/_/pre-commit; \
        chmod +x .husky/_/pre-commit; printf 'n=$(basename \"$0\")\\ns=$(dirname \"$(dirname \"$0\")\")/$n\\nsh -e \"$s\" \"$@\"\\n' \
        > .husky/_/h; git config core.hooksPath .husky/_; none scripts/check.sh; none scripts/lib.sh; \
        printf 'sh scripts/check.sh\\n. scripts/lib.sh\\nif [ -x scripts/local ]; then scripts/local; fi\\n' > .husky/pre-commit";
    for attack in [
        "evil scripts/check.sh",
        "evil scripts/lib.sh",
        "evil scripts/local",
        "mv scripts s; evil scripts/check.sh",
    ] {
        check(&[Case { what: attack, setup: HUSKY, attack, says: "" }]).await;
    }
}

#[tokio::test]
async fn programs_that_settings_and_hooks_name_are_not_made_by_a_command() {
    check(&[
        Case {
            what: "a filter",
            setup: "git config filter.f.clean './tools/clean %f'",
            attack: "evil tools/clean",
            says: "tools/clean",
        },
        Case {
            what: "a conversion by a shell",
            setup: "git config diff.conv.textconv 'sh tools/conv.sh'",
            attack: "evil tools/conv.sh",
            says: "tools/conv.sh",
        },
        Case {
            what: "a program for differences",
            setup: "git config diff.external ./tools/ext",
            attack: "evil other/ext; mv other tools",
            says: "tools/ext",
        },
        Case {
            what: "an optional script of a hook",
            setup: "printf '#!/bin/sh\\n[ -x scripts/local ] && scripts/local\\nexit 0\\n' > .git/hooks/pre-commit; \
                    chmod +x .git/hooks/pre-commit",
            attack: "evil scripts/local",
            says: "scripts/local",
        },
        Case {
            what: "a script that a script of a hook reads",
            setup: "mkdir scripts; echo '. scripts/lib.sh' > scripts/check.sh; echo true > scripts/lib.sh; \
                    printf '#!/bin/sh\\nsh scripts/check.sh\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
            attack: "evil scripts/lib.sh",
            says: "",
        },
        Case {
            what: "a script in a folder that a hook enters",
            setup: "none scripts/check.sh; printf '#!/bin/sh\\ncd \"$(git rev-parse --show-toplevel)/scripts\" || exit 1\\n./check.sh\\n' \
                    > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
            attack: "evil scripts/check.sh",
            says: "",
        },
    ])
    .await;
}
