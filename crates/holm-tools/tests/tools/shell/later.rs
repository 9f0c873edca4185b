//! What a command leaves behind that the user's own git, editor and shell would run later, outside of the jail.

use std::fs;
use std::path::Path;
use std::process::Command;

use holm_grants::GrantSet;
use holm_guards::json::Json;
use holm_tools::root::DenyRules;

use super::cell::{Cell, WAYS, as_user, run};

/// Makes a folder a git repository that runs something at each step of git's.
const ARM: &str = r#"
arm() {
    mkdir -p "$1/objects" "$1/refs" "$1/hooks"
    echo 'ref: refs/heads/main' > "$1/HEAD"
    printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = "touch %s; false"\n' "$CELL/out/ran" > "$1/config"
    printf '[core]\n\tpager = touch %s\n[diff]\n\texternal = touch %s\n' "$CELL/out/ran" "$CELL/out/ran" >> "$1/config"
    if [ -n "$2" ]; then printf '[core]\n\tworktree = %s\n' "$2" >> "$1/config"; fi
    for hook in pre-commit post-commit post-index-change reference-transaction commit-msg; do
        printf '#!/bin/sh\ntouch %s\n' "$CELL/out/ran" > "$1/hooks/$hook"
        chmod +x "$1/hooks/$hook"
    done
}
"#;

/// What a user does every day in a folder, with the marker that tells whether anything of a command's ran.
pub(super) fn everyday(cell: &Cell, folder: &str) -> bool {
    let folder = cell.path(folder);
    for args in [
        &["status"][..],
        &["status", "--short", "--branch"],
        &["add", "-A"],
        &["diff", "HEAD"],
        &["-c", "user.name=u", "-c", "user.email=u@h", "commit", "-q", "--allow-empty", "-m", "x"],
        &["log", "-1"],
        &["submodule", "status"],
    ] {
        git(cell, &folder, args);
    }
    let marker = cell.path("out/ran");
    let ran = marker.exists();
    let _ = fs::remove_file(marker);
    ran
}

/// Git as the user, whether it succeeds or not.
pub(super) fn git(cell: &Cell, folder: &Path, args: &[&str]) -> (bool, String) {
    let mut command = as_user(Command::new("git"));
    command.args(args).current_dir(folder).env("HOME", cell.path("out")).env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// A project with one commit, and a submodule that was never initialised.
pub(super) fn project(cell: &Cell) {
    let setup = "git init -q -b main .; echo x > a.txt; mkdir sub; \
                 git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub; \
                 git add a.txt; git -c user.name=u -c user.email=u@h commit -q -m first";
    cell.outside("sh", &["-c", setup]);
}

#[tokio::test]
async fn the_traps_of_these_tests_work_where_nobody_disarms_them() {
    let cell = Cell::new(WAYS[0]);
    project(&cell);
    let script = format!("CELL='{}'; {ARM} arm sub/.git; arm bare .", cell.path("").display());
    cell.outside("sh", &["-c", &script]);
    assert!(everyday(&cell, "work"), "git goes from the root into the submodule");
    assert!(everyday(&cell, "work/bare"), "git takes the folder for a repository");
}

#[tokio::test]
async fn a_repository_that_a_command_makes_runs_nothing_when_the_user_calls_git() {
    // Where it is made, how, where the user calls git, and what the result says was disabled.
    let cases: &[(&str, &[&str], &str, &str)] = &[
        ("in a submodule without one", &["arm sub/.git"], "", ""),
        ("at the top, under no name", &["arm . ."], "", "core.fsmonitor"),
        ("under no name", &["arm bare ."], "bare", "core.fsmonitor"),
        ("in a folder", &["mkdir n; arm n/.git"], "n", "core.fsmonitor"),
        ("by a link", &["arm there/x; mkdir l; ln -s ../there/x l/.git"], "l", ".git"),
        (
            "by a link to the home of commands",
            &["arm $HOME/x; mkdir lh; ln -s $HOME/x lh/.git"],
            "lh",
            ".git",
        ),
        (
            "by a file that names the home",
            &["arm $HOME/y; mkdir fh; echo \"gitdir: $HOME/y\" > fh/.git"],
            "fh",
            ".git",
        ),
        (
            "by a file with a detour",
            &["mkdir -p d1/d2 fd; arm there/z; ln -s d1/d2 dl; echo 'gitdir: ../dl/../there/z' > fd/.git"],
            "fd",
            ".git",
        ),
        (
            "by a file that names a folder",
            &["arm there/w; mkdir fw; echo 'gitdir: ../there/w' > fw/.git"],
            "fw",
            "core.fsmonitor",
        ),
        ("in a closed folder", &["mkdir c; arm c/.git; chmod 311 c/.git c"], "c", "core.fsmonitor"),
        (
            "in a folder that cannot be changed",
            &["mkdir r; arm r/.git; chmod 555 r/.git/hooks r/.git r"],
            "r",
            "core.fsmonitor",
        ),
        (
            "in two steps",
            &["mkdir t; arm t/.git; rm t/.git/HEAD", "echo 'ref: refs/heads/main' > t/.git/HEAD"],
            "t",
            "",
        ),
        ("in two steps, under no name", &["arm u .; rmdir u/refs", "mkdir u/refs"], "u", ""),
        (
            "with hooks elsewhere",
            &["mkdir h; arm h/.git; mv h/.git/hooks h/hk; ln -s ../hk h/.git/hooks; : > h/.git/config"],
            "h",
            "hooks",
        ),
        (
            "with a configuration elsewhere",
            &["mkdir k; arm k/.git; mv k/.git/config k/c; ln -s ../c k/.git/config; rm -r k/.git/hooks"],
            "k",
            "config",
        ),
        (
            "with included settings",
            &[
                "mkdir i; arm i/.git; mv i/.git/config i/.git/c; rm -r i/.git/hooks; printf '[include]\\n\\tpath = c\\n' > i/.git/config",
            ],
            "i",
            "include.path",
        ),
        (
            "with a shared part",
            &[
                "mkdir m; arm m/cc; arm m/.git; rm -r m/.git/hooks m/.git/objects m/.git/refs m/cc/HEAD; : > m/.git/config; echo ../cc > m/.git/commondir",
            ],
            "m",
            "commondir",
        ),
        (
            "with settings on one line",
            &[
                "mkdir o; arm o/.git; rm -r o/.git/hooks; printf '[core]bare=false\\n[core] fsmonitor=\"touch %s;\\\\\\n false\"' \"$CELL/out/ran\" > o/.git/config",
            ],
            "o",
            "core.fsmonitor",
        ),
        (
            "of a work tree",
            &[
                "mkdir w; arm w/.git; rm -r w/.git/hooks; mv w/.git/config w/.git/config.worktree; printf '[core]\\n\\trepositoryformatversion = 1\\n[extensions]\\n\\tworktreeConfig = true\\n' > w/.git/config",
            ],
            "w",
            "core.fsmonitor",
        ),
        ("deep down", &["mkdir -p p/q/s; arm p/q/s/.git"], "p/q/s", "core.fsmonitor"),
        (
            "with the other names taken",
            &[
                "mkdir x; arm x/.git; cd x/.git; for f in config hooks/pre-commit hooks/post-commit; do : > $f.disabled; for n in $(seq 1 200); do : > $f.disabled-$n; done; done",
            ],
            "x",
            "core.fsmonitor",
        ),
        ("that fails", &["mkdir e; arm e/.git; exit 3"], "e", "core.fsmonitor"),
    ];
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        let shell = cell.shell().denials(DenyRules::of_commands());
        for (what, steps, folder, told) in cases {
            let mut said = String::new();
            for step in *steps {
                said.push_str(&cell.sh(&shell, &format!("{ARM} {step}")).await.text);
            }
            assert!(said.contains(told), "{way:?}: {what}: {said}");
            let ran = everyday(&cell, &format!("work/{folder}")) || everyday(&cell, "work");
            assert!(!ran, "{way:?}: {what}: {said}");
        }
        // So that the folder can be removed by a user without rights.
        cell.outside("sh", &["-c", "chmod u+rwx c r"]);
    }
}

#[tokio::test]
async fn a_workspace_without_a_repository_does_not_become_one_that_runs_something() {
    for way in WAYS {
        let cell = Cell::new(way);
        let shell = cell.shell().denials(DenyRules::of_commands());
        let said = cell.sh(&shell, &format!("{ARM} arm . .; arm .git")).await.text;
        // `HEAD` is renamed while the command runs, so a command that never ends cannot leave it.
        assert!(!cell.path("work/HEAD").exists(), "{way:?}: {said}");
        assert!(!everyday(&cell, "work"), "{way:?}: {said}");
    }
}

#[tokio::test]
async fn repositories_that_git_makes_by_itself_keep_working_and_are_told() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        let shell = cell.shell().denials(DenyRules::of_commands());
        let script = "git init -q -b main new && cd new && git config user.name n && git config user.email n@h && \
                      echo y > b.txt && git add b.txt && git commit -q -m second && cd .. && \
                      git clone -q new copy && git -C copy log --oneline && git clone -q --bare new copy.git";
        let output = cell.sh(&shell, script).await;
        assert!(output.text.contains("second"), "{way:?}: {}", output.text);
        for place in ["new", "copy", "copy.git"] {
            assert!(output.text.contains(&format!("new repository: {place}]")), "{way:?}: {}", output.text);
        }
        assert!(!output.text.contains("disabled"), "{way:?}: {}", output.text);
        let (worked, text) = git(&cell, &cell.path("work/copy"), &["log", "--oneline"]);
        assert!(worked && text.contains("second"), "{way:?}: {text}");
        let (worked, text) = git(&cell, &cell.path("work/new"), &["status", "--short"]);
        assert!(worked && text.is_empty(), "{way:?}: {text}");
        // The second command finds them there and has nothing to tell.
        let again = cell.sh(&shell, "git -C new status --short").await;
        assert_eq!(again.text, "[no output; exit status 0]", "{way:?}");
    }
}

#[tokio::test]
async fn what_is_disabled_lies_beside_the_repository_which_goes_on_working() {
    let cell = Cell::new(WAYS[0]);
    let shell = cell.shell().denials(DenyRules::of_commands());
    let script = "git init -q -b main n && cd n && git config user.name n && git config core.editor ./evil && \
                  git config user.email n@h && echo '#!/bin/sh' > .git/hooks/pre-commit && git commit -q --allow-empty -m x";
    let output = cell.sh(&shell, script).await;
    assert!(output.text.contains("n: Holm disabled"), "{}", output.text);
    assert!(output.text.contains("core.editor, hooks/pre-commit;"), "{}", output.text);
    let read = |name: &str| fs::read_to_string(cell.path(&format!("work/n/.git/{name}"))).unwrap_or_default();
    assert!(!read("config").contains("evil") && read("config").contains("n@h"), "{}", read("config"));
    assert!(read("config.disabled").contains("evil") && read("hooks/pre-commit.disabled").contains("#!"));
    let (worked, text) = git(&cell, &cell.path("work/n"), &["log", "--format=%an"]);
    assert!(worked && text == "n\n", "{text}");
}

#[tokio::test]
async fn what_the_configuration_of_git_names_in_the_workspace_is_not_written_by_a_command() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        for name in ["hooks/pre-commit", "tools/conv.sh", "tools/hook.sh", "tools/linked.sh", "tools/call.sh"]
        {
            cell.write(&format!("work/{name}"), "#!/bin/sh\nexit 0\n");
        }
        cell.write("work/more.inc", "[user]\n\tname = u\n");
        cell.write("work/x.bin", "x");
        cell.write("work/.gitattributes", "*.bin diff=conv filter=f\n");
        let setup = "git config core.hooksPath hooks; git config include.path ../more.inc; \
                     git config diff.conv.textconv 'sh tools/conv.sh'; git config filter.f.clean './tools/hook.sh'; \
                     ln -s ../../tools/linked.sh .git/hooks/post-commit; \
                     printf '#!/bin/sh\\n\"$(git rev-parse --show-toplevel)/tools/call.sh\"\\n' > .git/hooks/pre-push; \
                     chmod +x tools/* hooks/* .git/hooks/pre-push";
        cell.outside("sh", &["-c", setup]);
        let evil = "for f in hooks/pre-commit hooks/new tools/conv.sh tools/hook.sh tools/linked.sh tools/call.sh; do \
                    printf '#!/bin/sh\\ntouch %s\\n' \"$CELL/out/ran\" > $f; chmod +x $f; rm -f $f; done; \
                    printf '[core]\\n\\tfsmonitor = touch %s\\n' \"$CELL/out/ran\" > more.inc; \
                    mv hooks h; mv tools t; echo y > free.txt; echo y > other.sh";
        let shell = cell.shell().denials(DenyRules::of_commands());
        for write in [&["."][..], &[".", ".git"], &[".", "hooks", "tools"]] {
            let list = Json::from(write.iter().map(|item| Json::from(*item)).collect::<Vec<_>>());
            let arguments = Json::object([("script", evil.into()), ("write", list)]);
            let said = run(&shell.script_tool(), &arguments).await.text;
            assert!(!everyday(&cell, "work"), "{way:?}: {write:?}: {said}");
            for name in
                ["hooks/pre-commit", "tools/conv.sh", "tools/hook.sh", "tools/linked.sh", "tools/call.sh"]
            {
                let text = fs::read_to_string(cell.path(&format!("work/{name}"))).unwrap();
                assert_eq!(text, "#!/bin/sh\nexit 0\n", "{way:?}: {name}: {said}");
            }
            assert!(cell.path("work/free.txt").exists(), "{way:?}: the rest can be written: {said}");
        }
    }
}

#[tokio::test]
async fn settings_of_other_version_control_are_held_and_disabled() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("work/old/.hg/requires", "x\n");
        cell.write("work/older/.hg/hgrc", "[paths]\ndefault = https://h/x\n");
        let shell = cell.shell().denials(DenyRules::of_commands());
        let script = "for d in old older new plain; do mkdir -p $d/.hg; done; \
                      for d in old older new; do printf '[hooks]\\npre-status = touch x\\n' > $d/.hg/hgrc; done; \
                      printf '[paths]\\ndefault = https://h/y\\n' > plain/.hg/hgrc; \
                      mkdir -p j/.jj/repo; echo x > j/.jj/repo/config.toml; echo y > old/.hg/free";
        let said = cell.sh(&shell, script).await.text;
        let read = |name: &str| fs::read_to_string(cell.path(&format!("work/{name}"))).ok();
        assert_eq!(read("old/.hg/hgrc"), None, "{way:?}: {said}");
        assert_eq!(read("older/.hg/hgrc").as_deref(), Some("[paths]\ndefault = https://h/x\n"), "{way:?}");
        assert_eq!(read("new/.hg/hgrc"), None, "{way:?}: {said}");
        assert!(read("new/.hg/hgrc.disabled").is_some(), "{way:?}: {said}");
        assert!(read("plain/.hg/hgrc").is_some(), "{way:?}: {said}");
        assert_eq!(read("j/.jj/repo/config.toml"), None, "{way:?}: {said}");
        assert!(read("old/.hg/free").is_some(), "{way:?}: the rest can be written: {said}");
        assert!(
            said.contains("new: Holm disabled") && said.contains("new repository: plain]"),
            "{way:?}: {said}"
        );
    }
}

/// Files that everyday tools run without asking: one of each group.
const PROTECTED: [&str; 22] = [
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    ".nvim.lua",
    ".dir-locals.el",
    ".devcontainer/devcontainer.json",
    ".husky/pre-commit",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook-local.yml",
    ".lefthook-local.toml",
    "lefthook.unheard-of",
    ".lintstagedrc.json",
    "lint-staged.config.mjs",
    "x.code-workspace",
    "mise.toml",
    "mise.local.toml",
    "mise.test.toml",
    ".mise.local.toml",
    ".Rprofile",
    ".claude/settings.json",
    ".mcp.json",
];

/// Files that are written like others, and told of.
const REPORTED: [&str; 6] = [
    "AGENTS.md",
    ".cargo/config.toml",
    ".yarnrc.yml",
    ".github/workflows/ci.yml",
    "rust-toolchain.toml",
    "flake.nix",
];

/// Code that runs when the user says build or test.
const ORDINARY: [&str; 7] =
    ["Makefile", "build.rs", "package.json", "conftest.py", "setup.py", ".gitattributes", "tsconfig.json"];

#[tokio::test]
async fn what_everyday_tools_run_is_held_told_or_free_as_the_table_says() {
    for way in WAYS {
        for is_there in [false, true] {
            let cell = Cell::new(way);
            let all = PROTECTED.iter().chain(&REPORTED).chain(&ORDINARY);
            for name in all.clone().filter(|_| is_there) {
                cell.write(&format!("work/{name}"), "mine");
            }
            let names: Vec<&str> = all.copied().collect();
            let script = format!(
                "for f in {}; do mkdir -p $(dirname $f); echo evil > $f; done; true",
                names.join(" ")
            );
            let shell = cell.shell().denials(DenyRules::of_commands());
            let said = cell.sh(&shell, &script).await.text;
            let evil = |name: &str| {
                fs::read_to_string(cell.path(&format!("work/{name}"))).is_ok_and(|text| text == "evil\n")
            };
            for name in PROTECTED {
                assert!(!evil(name), "{way:?}: {name}: {said}");
            }
            for name in REPORTED.iter().chain(&ORDINARY) {
                assert!(evil(name), "{way:?}: {name}: {said}");
            }
            let state = if is_there { "changed" } else { "new" };
            for name in REPORTED {
                let first = name.split('/').next().unwrap();
                assert!(said.contains(&format!("[{state}: {first}")), "{way:?}: {name}: {said}");
            }
            for name in ORDINARY {
                assert!(!said.contains(&format!(": {name}")), "{way:?}: {name}: {said}");
            }
        }
    }
}

#[tokio::test]
async fn a_file_that_everyday_tools_run_is_told_of_where_a_command_makes_it_deeper_down() {
    let cell = Cell::new(WAYS[0]);
    let shell = cell.shell().denials(DenyRules::of_commands());
    let script = "mkdir -p app/.vscode app/src; echo x > app/.vscode/tasks.json; echo x > app/.vscode/more.json; \
                  echo x > app/.envrc; echo x > app/src/main.rs";
    let said = cell.sh(&shell, script).await.text;
    assert!(said.contains("[new: app/.vscode (editors obey it when they open the folder)]"), "{said}");
    assert!(said.contains("[new: app/.envrc (shells run it"), "{said}");
    assert_eq!(said.matches("[new").count(), 2, "{said}");
    let again = cell.sh(&shell, "echo y > app/.vscode/tasks.json; cat app/.vscode/tasks.json").await.text;
    assert!(again.contains('x') && !again.contains("[new"), "it is held from the next command on: {again}");
}

#[tokio::test]
async fn a_grant_that_names_a_file_opens_it_to_commands() {
    let cell = Cell::new(WAYS[0]);
    cell.write("work/.vscode/tasks.json", "mine");
    let named = DenyRules::usual().naming(&GrantSet::parse(["write:.vscode/**"]).unwrap());
    let shell = cell.shell().denials(named.for_commands());
    cell.sh(&shell, "echo asked > .vscode/tasks.json; mkdir .idea; echo evil > .idea/x").await;
    assert_eq!(fs::read_to_string(cell.path("work/.vscode/tasks.json")).unwrap(), "asked\n");
    assert!(!cell.path("work/.idea/x").exists());
}

#[tokio::test]
async fn links_by_the_names_of_the_table_do_not_keep_commands_from_running() {
    for way in WAYS {
        let cell = Cell::new(way);
        for name in ["conf/editor/tasks.json", "conf/secret"] {
            cell.write(&format!("work/{name}"), "mine");
        }
        cell.outside("sh", &["-c", "ln -s conf/editor .vscode; ln -s conf/secret .env; ln -s nowhere .idea"]);
        let shell = cell.shell().denials(DenyRules::of_commands());
        let script = "echo begun; cat .env conf/secret; echo evil > .vscode/tasks.json; echo evil > conf/editor/new; \
                      rm .vscode; mkdir .vscode; echo evil > .vscode/tasks.json";
        let said = cell.sh(&shell, script).await.text;
        assert!(said.contains("begun") && !said.contains("mine"), "{way:?}: {said}");
        let read = |name: &str| fs::read_to_string(cell.path(&format!("work/{name}"))).ok();
        assert_eq!(read("conf/editor/tasks.json").as_deref(), Some("mine"), "{way:?}: {said}");
        assert_eq!(read("conf/editor/new"), None, "{way:?}: {said}");
        assert!(said.contains("[.vscode leads to a protected path"), "{way:?}: {said}");
        assert_eq!(fs::read_link(cell.path("work/.vscode")).unwrap(), Path::new("conf/editor"), "{way:?}");
        let said = cell.sh(&shell, "mkdir nowhere; echo evil > nowhere/workspace.xml").await.text;
        assert!(!cell.path("work/.idea/workspace.xml").exists(), "{way:?}: {said}");
    }
}

#[tokio::test]
async fn links_on_the_way_to_held_names_do_not_keep_commands_from_running() {
    for way in WAYS {
        let cell = Cell::new(way);
        for (name, text) in [("src/a.txt", "x"), ("old/.hg/requires", "x"), ("conf/hgrc", "mine")] {
            cell.write(&format!("work/{name}"), text);
        }
        cell.outside("sh", &["-c", "ln -s src .config; ln -s ../../conf/hgrc old/.hg/hgrc"]);
        let shell = cell.shell().denials(DenyRules::of_commands());
        let script = "echo begun; echo y > src/free; echo evil > conf/hgrc; rm -f old/.hg/hgrc; echo evil > old/.hg/hgrc";
        let said = cell.sh(&shell, script).await.text;
        assert!(said.contains("begun"), "{way:?}: {said}");
        let read = |name: &str| fs::read_to_string(cell.path(&format!("work/{name}"))).ok();
        assert_eq!(read("src/free").as_deref(), Some("y\n"), "{way:?}: {said}");
        assert_eq!(read("conf/hgrc").as_deref(), Some("mine"), "{way:?}: {said}");
        assert_eq!(read("old/.hg/hgrc").as_deref(), Some("mine"), "{way:?}: {said}");
    }
}

#[tokio::test]
async fn a_link_of_the_users_to_a_repository_stays_after_a_command() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.outside("git", &["init", "-q", "--bare", "../out/lib.git"]);
        cell.outside("sh", &["-c", "mkdir -p vendor/lib; ln -s \"$PWD/../out/lib.git\" vendor/lib/.git"]);
        let shell = cell.shell().denials(DenyRules::of_commands());
        let said = cell.sh(&shell, "echo y > vendor/lib/free").await.text;
        assert_eq!(said, "[no output; exit status 0]", "{way:?}");
        assert!(cell.path("work/vendor/lib/.git").is_symlink(), "{way:?}");
        let said = cell.sh(&shell, "rm vendor/lib/.git; ln -s $HOME vendor/lib/.git").await.text;
        assert!(said.contains("vendor/lib: Holm disabled"), "{way:?}: {said}");
        assert!(!cell.path("work/vendor/lib/.git").is_symlink(), "{way:?}: {said}");
    }
}

#[tokio::test]
async fn a_folder_elsewhere_that_was_granted_is_held_like_the_workspace() {
    for way in WAYS {
        let cell = Cell::new(way);
        for name in [".env", ".vscode/tasks.json"] {
            cell.write(&format!("other/{name}"), "mine");
        }
        let shell = cell.shell().denials(DenyRules::of_commands());
        let other = cell.path("other");
        let script = format!(
            "{ARM} cd {0}; cat .env; echo evil > .vscode/tasks.json; arm n/.git; echo x > free",
            other.display()
        );
        let list =
            |items: &[&str]| Json::from(items.iter().map(|item| Json::from(*item)).collect::<Vec<_>>());
        let other = other.to_str().unwrap();
        let arguments = Json::object([
            ("script", script.as_str().into()),
            ("read", list(&[".", other])),
            ("write", list(&[".", other])),
        ]);
        let said = run(&shell.script_tool(), &arguments).await.text;
        assert!(!said.contains("mine") && said.contains("core.fsmonitor"), "{way:?}: {said}");
        let read = |name: &str| fs::read_to_string(cell.path(&format!("other/{name}"))).ok();
        assert_eq!(read(".vscode/tasks.json").as_deref(), Some("mine"), "{way:?}: {said}");
        assert!(read("free").is_some() && !everyday(&cell, "other/n"), "{way:?}: {said}");
    }
}

/// A nested repository with two commits, as the user made it.
fn nested(cell: &Cell) {
    let setup = "git init -q -b main sub && cd sub && echo a > a.txt && git add a.txt && \
                 git -c user.name=u -c user.email=u@h commit -q -m first && echo b > a.txt && \
                 git -c user.name=u -c user.email=u@h commit -q -a -m second && mkdir hooks.d";
    cell.outside("sh", &["-c", setup]);
}

#[tokio::test]
async fn a_command_leaves_nothing_in_a_git_folder_that_misleads_the_users_next_git() {
    // What the command leaves, and what the user then does.
    let cases: &[(&str, &str, &[&[&str]])] = &[
        (
            "a link that git writes the message to",
            "rm -f sub/.git/COMMIT_EDITMSG; ln -s $CELL/out/ran sub/.git/COMMIT_EDITMSG",
            &[&["commit", "-q", "--allow-empty", "-m", "x"]],
        ),
        (
            "a link that git logs to",
            "rm -f sub/.git/logs/HEAD; ln -s $CELL/out/ran sub/.git/logs/HEAD",
            &[&["commit", "-q", "--allow-empty", "-m", "x"]],
        ),
        (
            "a link in the place of a folder",
            "mv sub/.git/logs sub/l; mkdir -p sub/m; ln -s $CELL/out sub/.git/logs; ln -s ran sub/m/HEAD",
            &[&["commit", "-q", "--allow-empty", "-m", "x"]],
        ),
        (
            "steps that run a command",
            "cd sub/.git; mkdir rebase-merge; cd rebase-merge; git rev-parse HEAD > onto; cp onto orig-head; \
             echo refs/heads/main > head-name; : > interactive; echo \"exec touch $CELL/out/ran\" > git-rebase-todo; \
             echo 1 > end; echo 0 > msgnum; : > done",
            &[&["rebase", "--continue"]],
        ),
    ];
    for way in WAYS {
        for (what, script, does) in cases {
            let cell = Cell::new(way);
            nested(&cell);
            let shell = cell.shell().denials(DenyRules::of_commands());
            let said = cell.sh(&shell, script).await.text;
            assert!(said.contains("sub: Holm "), "{way:?}: {what}: {said}");
            for args in *does {
                let args = [&["-c", "user.name=u", "-c", "user.email=u@h"], *args].concat();
                git(&cell, &cell.path("work/sub"), &args);
            }
            assert!(!cell.path("out/ran").exists(), "{way:?}: {what}: {said}");
            assert!(!cell.path("out/HEAD").exists(), "{way:?}: {what}: {said}");
        }
    }
}

#[tokio::test]
async fn a_command_that_uses_git_in_a_nested_repository_is_not_disturbed() {
    for way in WAYS {
        let cell = Cell::new(way);
        nested(&cell);
        let shell = cell.shell().denials(DenyRules::of_commands());
        let first = "cd sub && git config -l >/dev/null; export GIT_AUTHOR_NAME=u GIT_AUTHOR_EMAIL=u@h \
                     GIT_COMMITTER_NAME=u GIT_COMMITTER_EMAIL=u@h; git checkout -q -b side HEAD~1 && echo c > a.txt && \
                     git commit -q -a -m third && git stash list && ! git rebase -q -X patience main";
        let said = cell.sh(&shell, first).await.text;
        assert!(said.contains("[exit status 0]") && !said.contains("Holm "), "{way:?}: {said}");
        let second = "cd sub; export GIT_COMMITTER_NAME=u GIT_COMMITTER_EMAIL=u@h GIT_EDITOR=true; echo d > a.txt; \
                      git add a.txt && git rebase --continue && git log --format=%s";
        let said = cell.sh(&shell, second).await.text;
        assert!(said.contains("third\nsecond\nfirst"), "{way:?}: {said}");
        assert!(!said.contains("Holm "), "{way:?}: {said}");
    }
}
