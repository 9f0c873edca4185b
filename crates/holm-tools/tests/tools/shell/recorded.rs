//! What a command records in a repository at paths that it cannot write itself, and what the user's own
//! git would then write there and run. Each case has a twin that shows that ordinary work passes.

use std::fs;
use std::process::Command;

use holm_guards::json::Json;
use holm_tools::root::DenyRules;

use super::cell::{Cell, WAYS, as_user, run, until};

/// Writes a hook that leaves a marker as an object, and keeps its name.
const PLANT: &str = r#"printf '#!/bin/sh\ntouch %s\n' "$CELL/out/ran" > $HOME/hook; B=$(git hash-object -w $HOME/hook)
"#;

/// A project with hooks in the work tree, which do nothing.
fn project(cell: &Cell) {
    cell.write("work/.githooks/pre-commit", "#!/bin/sh\nexit 0\n");
    cell.write("work/README.md", "first\n");
    let setup = "chmod +x .githooks/pre-commit; git init -q -b main .; git config user.name u; git config user.email u@h; \
                 git config core.hooksPath .githooks; git add -A; git commit -q -m first";
    cell.outside("sh", &["-c", setup]);
}

/// Runs a script with `.git` named by the call.
async fn call(cell: &Cell, script: &str) -> String {
    let shell = cell.shell().denials(DenyRules::of_commands());
    let write = Json::from([".", ".git"].map(Json::from).to_vec());
    let arguments = Json::object([("script", script.into()), ("write", write)]);
    run(&shell.script_tool(), &arguments).await.text
}

/// A script of the user's, outside of any jail, with all that it prints.
fn user(cell: &Cell, script: &str) -> String {
    let mut command = as_user(Command::new("sh"));
    command.args(["-c", script]).current_dir(cell.path("work")).env("HOME", cell.path("home"));
    let output = command.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// Whether a planted hook has run.
fn ran(cell: &Cell) -> bool {
    cell.path("out/ran").exists()
}

/// Checks that nothing planted runs in what the user does, and that the result names the path.
async fn held(plant: &str, does: &str, names: &str) {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        let said = call(&cell, &format!("{PLANT}{plant}")).await;
        let _ = fs::remove_file(cell.path("out/ran"));
        let did = user(&cell, does);
        assert!(!ran(&cell), "{way:?}: {said}\n{did}");
        assert!(said.contains(names), "{way:?}: {said}");
    }
}

#[tokio::test]
async fn the_traps_of_these_tests_work_where_no_one_undoes_them() {
    let index = "git update-index --add --cacheinfo 100755,$B,.githooks/post-index-change; ";
    let submodule = format!("{ARM} cp evil sub/.git/config");
    let mut traps = vec![
        (format!("{index} git commit -q -m x; git checkout ."), "git status"),
        (
            "git worktree add -q wt; cp $HOME/hook wt/.githooks/post-index-change; chmod +x wt/.githooks/*"
                .into(),
            "cd wt && git status",
        ),
        (format!("{index} git -c core.hooksPath=/dev/null stash -q"), "git stash pop"),
        (submodule, "git status"),
        (STEPS.into(), "git rebase --continue"),
    ];
    traps.extend(OTHER_NAMES.iter().map(|(plant, does, _)| (format!("{EVIL}{plant}"), *does)));
    for (plant, does) in traps {
        let cell = Cell::new(WAYS[0]);
        project(&cell);
        let made = user(&cell, &format!("CELL={}; {PLANT}{plant}", cell.path("").display()));
        let _ = fs::remove_file(cell.path("out/ran"));
        let did = user(&cell, does);
        assert!(ran(&cell), "{plant}: {made}\n{did}");
    }
}

#[tokio::test]
async fn a_hook_that_a_command_commits_does_not_reach_the_disk() {
    let plant = "git update-index --add --cacheinfo 100755,$B,.githooks/pre-commit; \
                 git -c core.hooksPath=/dev/null commit -q -m work";
    held(plant, "git status; git checkout .; echo 1 >> README.md; git commit -qam user", "branch main").await;
    let plant = "git update-index --add --cacheinfo 100755,$B,.githooks/post-checkout";
    held(plant, "git checkout .; git switch -qc other", ".githooks/post-checkout was staged").await;
}

#[tokio::test]
async fn a_commit_that_touches_no_protected_path_stays_where_it_is() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        let said = call(
            &cell,
            "echo a > a.txt; git add -A; git commit -q -m one; git tag v1; git switch -qc next; echo b > b.txt; git add -A; \
             git commit -q -m two; git switch -q main; git merge -q next; echo c >> a.txt; git stash -q; git stash pop -q; \
             git rebase -q HEAD~1; git log --format=%s",
        )
        .await;
        assert!(said.contains("two\none\nfirst"), "{way:?}: {said}");
        assert!(!said.contains("Holm"), "{way:?}: {said}");
        assert_eq!(
            user(&cell, "git log --format=%s; git status --short; git tag; git for-each-ref refs/holm"),
            "two\none\nfirst\n M a.txt\nv1\n"
        );
    }
}

#[tokio::test]
async fn a_commit_with_the_users_own_change_of_a_protected_file_stays() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        cell.write("work/.githooks/pre-commit", "#!/bin/sh\n# by the user\nexit 0\n");
        cell.write("work/.vscode/settings.json", "{}\n");
        let said = call(&cell, "git add -A; git commit -q -m mine; git log --format=%s -1").await;
        assert!(said.contains("mine") && !said.contains("Holm"), "{way:?}: {said}");
        assert_eq!(user(&cell, "git log --format=%s; git status --short"), "mine\nfirst\n");
    }
}

#[tokio::test]
async fn a_hook_in_a_commit_of_another_branch_is_taken_out_of_it() {
    let plant = "git switch -qc feature; echo f > f.txt; git add f.txt; git -c core.hooksPath=/dev/null commit -q -m feature; \
                 export GIT_INDEX_FILE=$HOME/i; git read-tree main; git update-index --add --cacheinfo 100755,$B,.githooks/post-checkout; \
                 T=$(git write-tree); C=$(git commit-tree -p main -m tidy $T); git update-ref refs/heads/main $C";
    held(plant, "git switch main; git switch feature; git switch main", "branch main: commit").await;
    // One that a later commit removes again would come back in a rebase.
    let plant = "git switch -qc feature; git update-index --add --cacheinfo 100755,$B,.githooks/post-checkout; git commit -q -m 1; \
                 git update-index --force-remove .githooks/post-checkout; git commit -q -m 2; git switch -q main";
    held(plant, "git switch feature; git checkout HEAD~1; git switch -q main", "branch feature: commit")
        .await;
}

#[tokio::test]
async fn a_branch_of_the_users_with_protected_files_can_be_used() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        user(
            &cell,
            "git switch -qc editor; mkdir .vscode; echo 1 > .vscode/a.json; git add -A; git commit -qm one; \
             echo 2 > .vscode/a.json; git commit -qam two; git switch -q main",
        );
        let said = call(
            &cell,
            "git branch copy editor; git branch old editor~1; git tag t editor; git worktree add -q wt editor~1; \
             git worktree add -q -b more wt2 editor; cd wt2; echo x > x.txt; git add x.txt; git commit -q -m more; git log --format=%s -1",
        )
        .await;
        assert!(!said.contains("Holm") && said.contains("more"), "{way:?}: {said}");
        assert_eq!(
            user(
                &cell,
                "git log --format=%s -2 more; git show old:.vscode/a.json; cat wt/.vscode/a.json wt2/.vscode/a.json"
            ),
            "more\ntwo\n1\n1\n2\n"
        );
    }
}

#[tokio::test]
async fn files_that_editors_and_hook_managers_run_are_not_recorded() {
    for (plant, names) in [
        (
            "git update-index --add --cacheinfo 100644,$B,.vscode/tasks.json; git update-index --add --cacheinfo 100755,$B,.husky/pre-commit; git commit -q -m w",
            &[".vscode/tasks.json", ".husky/pre-commit"][..],
        ),
        (
            "printf 'diff --git a/.vscode/tasks.json b/.vscode/tasks.json\\nnew file mode 100644\\n--- /dev/null\\n+++ b/.vscode/tasks.json\\n@@ -0,0 +1 @@\\n+{}\\n' | git apply --cached; git commit -q -m v",
            &[".vscode/tasks.json"],
        ),
        (
            "git update-index --add --cacheinfo 120000,$(printf elsewhere | git hash-object -w --stdin),.vscode; git commit -q -m l",
            &[".vscode"],
        ),
        (
            "git update-index --add --cacheinfo 100644,$B,app/x.code-workspace; git commit -q -m l",
            &["app/x.code-workspace"],
        ),
    ] {
        for way in WAYS {
            let cell = Cell::new(way);
            project(&cell);
            let said = call(&cell, &format!("{PLANT}{plant}")).await;
            user(&cell, "git stash; git checkout .; git reset -q --hard");
            for name in names {
                assert!(!cell.path(&format!("work/{name}")).exists(), "{way:?}: {name}: {said}");
                assert!(said.contains(name), "{way:?}: {name}: {said}");
            }
            assert!(said.contains("refs/holm/held/"), "{way:?}: {said}");
            let kept = user(
                &cell,
                "git for-each-ref --format='%(objectname)' refs/holm/held | xargs git show --stat",
            );
            assert!(kept.contains(names[0]), "{way:?}: the commit is kept: {kept}");
        }
    }
}

#[tokio::test]
async fn a_grant_that_names_a_file_lets_git_record_it() {
    let cell = Cell::new(WAYS[0]);
    project(&cell);
    let grants = holm_grants::GrantSet::parse(["write:.vscode/**"]).unwrap();
    let shell = cell.shell().denials(DenyRules::usual().naming(&grants).for_commands());
    let write = Json::from([".", ".git"].map(Json::from).to_vec());
    let script = "B=$(echo {} | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$B,.vscode/a.json; git commit -q -m w";
    let said =
        run(&shell.script_tool(), &Json::object([("script", script.into()), ("write", write)])).await.text;
    assert!(!said.contains("Holm"), "{said}");
    assert_eq!(user(&cell, "git show HEAD:.vscode/a.json"), "{}\n");
}

#[tokio::test]
async fn a_hook_that_status_does_not_show_is_not_written_by_a_pull() {
    let upstream = "git clone -q --bare . ../out/origin.git; git remote add origin ../out/origin.git; git fetch -q; \
                    git branch -q -u origin/main; git clone -q ../out/origin.git ../out/other; cd ../out/other; \
                    git -c user.name=o -c user.email=o@h commit -q --allow-empty -m upstream; git push -q";
    let plant = "echo n > n.txt; git add n.txt; for h in post-rewrite post-checkout post-commit; do \
                 git update-index --add --cacheinfo 100755,$B,.githooks/$h; done; git -c core.hooksPath=/dev/null commit -q -m work; \
                 git update-index --skip-worktree .githooks/post-rewrite .githooks/post-checkout .githooks/post-commit; git status --short";
    for way in WAYS {
        for (plant, is_held) in [
            (format!("{PLANT}{plant}"), true),
            ("echo n > n.txt; git add n.txt; git commit -q -m work".into(), false),
        ] {
            let cell = Cell::new(way);
            project(&cell);
            user(&cell, upstream);
            let said = call(&cell, &plant).await;
            let did = user(&cell, "git stash -q -u; git pull -q --rebase; git log --format=%s");
            assert!(!ran(&cell), "{way:?}: {said}\n{did}");
            assert_eq!(said.contains(".githooks/post-checkout"), is_held, "{way:?}: {said}");
            assert_eq!(did.contains("work\nupstream"), !is_held, "{way:?}: {did}\n{said}");
        }
    }
}

#[tokio::test]
async fn hooks_that_a_command_puts_into_a_new_work_tree_are_disabled() {
    let plant = "git worktree add -q wt; for h in pre-commit post-checkout post-index-change; do cp $HOME/hook wt/.githooks/$h; done; \
                 chmod +x wt/.githooks/*; mkdir wt/.vscode; echo x > wt/.vscode/tasks.json";
    let does = "cd wt && git status && git commit -q --allow-empty -m 1; test -e .vscode/tasks.json && touch ../../out/ran";
    held(plant, does, "wt/.githooks/post-index-change").await;
}

#[tokio::test]
async fn hooks_of_the_users_in_a_new_work_tree_go_on_working() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        let said = call(
            &cell,
            "git worktree add -q wt; cd wt; echo x > x.txt; git add x.txt; git commit -q -m in-tree",
        )
        .await;
        assert!(said.contains("new repository: wt") && !said.contains("Holm"), "{way:?}: {said}");
        assert!(cell.path("work/wt/.githooks/pre-commit").exists(), "{way:?}: {said}");
        assert_eq!(user(&cell, "cd wt; git status --short; git log --format=%s -1"), "in-tree\n");
    }
}

#[tokio::test]
async fn a_stash_with_a_hook_is_taken_out_and_the_users_own_stays() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        user(&cell, "echo mine >> README.md; git stash -q");
        let plant = "export GIT_INDEX_FILE=$HOME/i; git read-tree stash; git update-index --add --cacheinfo 100755,$B,.githooks/post-index-change; \
                     T=$(git write-tree); C=$(git commit-tree -p HEAD -p stash^2 -m 'WIP on main' $T); git stash store -m 'WIP on main' $C; git stash list";
        let said = call(&cell, &format!("{PLANT}{plant}")).await;
        assert!(said.contains("the stash: commit"), "{way:?}: {said}");
        let did = user(&cell, "git stash list; git stash pop; git status --short");
        assert!(!ran(&cell), "{way:?}: {said}\n{did}");
        assert!(
            did.contains("stash@{0}") && !did.contains("stash@{1}") && did.contains(" M README.md"),
            "{way:?}: {did}\n{said}"
        );
        assert_eq!(fs::read_to_string(cell.path("work/README.md")).unwrap(), "first\nmine\n");
    }
}

#[tokio::test]
async fn a_program_beside_a_git_command_does_not_get_the_repository() {
    let program = "import subprocess as s, os\ns.run(['git', 'worktree', 'add', '-q', 'wt'])\nos.makedirs('wt/.githooks', exist_ok=True)\n\
                   for h in ('pre-commit', 'post-index-change'):\n  f = 'wt/.githooks/' + h\n  open(f, 'w').write('#!/bin/sh\\ntouch ' + os.environ['CELL'] + '/out/ran\\n')\n  os.chmod(f, 0o755)\n";
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        cell.write("work/p.py", program);
        let shell = cell.shell().denials(DenyRules::of_commands());
        let granted = |script: &str| {
            let tool = shell.script_tool();
            let mut job = super::cell::job(&tool, &Json::object([("script", script.into())]));
            job.grants =
                std::sync::Arc::new(holm_grants::GrantSet::parse(["read:**", "write:**", "exec:*"]).unwrap());
            holm_runtime::Tool::run(&tool, job)
        };
        let said = granted("git add -A; python3 p.py").await.text;
        let did = user(&cell, "cd wt && git status --short");
        assert!(!ran(&cell), "{way:?}: {said}\n{did}");
        assert!(!cell.path("work/.git/worktrees").exists(), "{way:?}: {said}");
        let said =
            granted("git add README.md p.py && git commit -q -m plain && git log --format=%s -1").await.text;
        assert!(said.contains("plain"), "{way:?}: {said}");
    }
}

/// Adds a submodule, and keeps settings for it that run something.
const ARM: &str = r#"git init -q sub; cd sub; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 1; S=$(git rev-parse HEAD); cd ..;
                 printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch %s; false"\n' "$CELL/out/ran" > evil;
                 git update-index --add --cacheinfo 160000,$S,sub; "#;

/// Puts a step that runs something into a rebase.
const STEPS: &str = r#"mkdir -p .git/rebase-merge; H=$(git rev-parse HEAD); echo refs/heads/main > .git/rebase-merge/head-name
                  echo $H > .git/rebase-merge/onto; echo $H > .git/rebase-merge/orig-head; : > .git/rebase-merge/interactive
                  echo 1 > .git/rebase-merge/end; echo 1 > .git/rebase-merge/msgnum
                  echo "exec touch $CELL/out/ran" > .git/rebase-merge/git-rebase-todo; "#;

/// Runs a command, and lets the user act once it has made the file `ready`.
async fn meanwhile(cell: &Cell, script: &str, does: &str) -> (String, String) {
    let act = async {
        until("the command is ready", || cell.path("work/ready").exists()).await;
        user(cell, does)
    };
    tokio::join!(call(cell, script), act)
}

#[tokio::test]
async fn a_submodule_that_a_running_command_adds_runs_nothing_at_the_top() {
    for (last, told) in [
        ("cp evil sub/.git/config; sleep 1; touch ready; sleep 3", "core.fsmonitor"),
        (
            "mv sub late; sleep 1; cp evil late/.git/config; mv late sub; sleep 1; touch ready; sleep 3",
            "core.fsmonitor",
        ),
        (
            "(while :; do cp -f --remove-destination evil sub/.git/config; done) & sleep 5; touch ready; sleep 60",
            "stopped: it brought back",
        ),
    ] {
        for way in WAYS {
            let cell = Cell::new(way);
            project(&cell);
            let is_ended = last.contains("while");
            let (said, did) = if is_ended {
                (call(&cell, &format!("{ARM}{last}")).await, String::new())
            } else {
                meanwhile(&cell, &format!("{ARM}{last}"), "git status; git status --short; git diff").await
            };
            assert!(!ran(&cell), "{way:?}: {last}: {said}\n{did}");
            assert!(said.contains(told), "{way:?}: {last}: {said}");
            assert_eq!(cell.path("work/ready").exists(), !is_ended, "{way:?}: {last}: {said}");
        }
    }
}

#[tokio::test]
async fn a_submodule_with_ordinary_settings_can_be_added_and_looked_at_meanwhile() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        let script = "git init -q sub; cd sub; git config user.name a; git config user.email a@b; git commit -q --allow-empty -m inner; cd ..; \
                      git add sub 2>&1; sleep 0.2; touch ready; sleep 1; git -C sub log --format=%s; git commit -q -m outer; git log --format=%s -1";
        let (said, did) = meanwhile(&cell, script, "git status --short").await;
        assert!(said.contains("inner\nouter") && !said.contains("Holm"), "{way:?}: {said}");
        assert!(did.contains("A  sub"), "{way:?}: {did}");
    }
}

#[tokio::test]
async fn steps_that_a_running_command_plants_are_not_run_by_the_user() {
    let plant = format!("{STEPS} sleep 1; touch ready; sleep 3");
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        let (said, did) = meanwhile(&cell, &plant, "git rebase --continue").await;
        assert!(!ran(&cell), "{way:?}: {said}\n{did}");
        assert!(said.contains("git-rebase-todo (it runs commands)"), "{way:?}: {said}");
        assert!(!said.contains("[new: .git/rebase-merge/git-rebase-todo"), "{way:?}: {said}");
    }
}

#[tokio::test]
async fn a_rebase_that_runs_a_command_after_each_commit_comes_to_its_end() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        user(&cell, "for n in 1 2 3; do echo $n > $n.txt; git add $n.txt; git commit -qm $n; done");
        let said = call(
            &cell,
            "git rebase -q -x 'sleep 0.6; test -e README.md' HEAD~3 && echo done; git log --format=%s -3",
        )
        .await;
        assert!(said.contains("done\n3\n2\n1") && !said.contains("Holm"), "{way:?}: {said}");
        assert_eq!(user(&cell, "git status --short; git log --format=%s -1"), "3\n", "{way:?}: {said}");
    }
}

#[tokio::test]
async fn an_object_with_the_content_of_another_is_not_written_by_git() {
    let forge = r#"import hashlib, os, subprocess, sys, zlib
old = subprocess.check_output(['git', 'rev-parse', 'HEAD:.githooks/pre-commit'], text=True).strip()
text = b'#!/bin/sh\ntouch ' + os.environ['CELL'].encode() + b'/out/ran\n'
path = '.git/objects/' + old[:2] + '/' + old[2:]
os.makedirs(os.path.dirname(path), exist_ok=True)
if os.path.exists(path): os.remove(path)
open(path, 'wb').write(zlib.compress(b'blob %d\0' % len(text) + text))
"#;
    // Loose objects, and packed ones that a loose one would follow if the pack were gone.
    for (before, more) in [("true", ":"), ("git gc -q", "rm -f .git/objects/pack/*")] {
        for way in WAYS {
            let cell = Cell::new(way);
            project(&cell);
            cell.write("work/forge.py", forge);
            user(&cell, before);
            let said = call(&cell, &format!("{more}; python3 forge.py")).await;
            assert!(said.contains("content is not what their names say"), "{way:?}: {before}: {said}");
            let did =
                user(&cell, "rm .githooks/pre-commit; git checkout .; git commit -q --allow-empty -m x");
            assert!(!ran(&cell), "{way:?}: {before}: {said}\n{did}");
        }
    }
}

#[tokio::test]
async fn files_by_which_git_reads_another_history_are_disabled() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        let script = "mkdir -p o/info; echo $PWD/o > .git/objects/info/alternates; git commit-graph write --reachable 2>&1; \
                      O=$(git rev-parse HEAD:README.md); git update-ref refs/replace/$O $(echo x | git hash-object -w --stdin); ls .git/objects/info";
        let said = call(&cell, script).await;
        for gone in [".git/objects/info/commit-graph", ".git/objects/info/alternates"] {
            assert!(!cell.path(&format!("work/{gone}")).exists(), "{way:?}: {gone}: {said}");
        }
        assert!(said.contains("commands cannot replace objects of git"), "{way:?}: {said}");
        assert_eq!(
            user(&cell, "git show HEAD:README.md; git for-each-ref refs/replace; git fsck 2>&1"),
            "first\n",
            "{way:?}: {said}"
        );
    }
}

#[tokio::test]
async fn a_command_can_collect_garbage_and_add_many_objects() {
    for way in WAYS {
        let cell = Cell::new(way);
        project(&cell);
        user(&cell, "git gc -q; echo more > more.txt; git add -A; git commit -qm second");
        let script = "for n in $(seq 300); do echo $n > f$n.txt; done; git add -A; git commit -q -m many; git gc -q 2>/dev/null; git log --format=%s -1";
        let said = call(&cell, script).await;
        assert!(said.contains("many") && !said.contains("names say"), "{way:?}: {said}");
        let did = user(&cell, "git fsck --full 2>&1; git status --short; git log --format=%s");
        assert!(did.ends_with("many\nsecond\nfirst\n") && !did.contains("error"), "{way:?}: {did}\n{said}");
    }
}

/// Makes a commit with a hook that no ref names, and keeps its name.
const EVIL: &str = "export GIT_INDEX_FILE=$HOME/i; git read-tree HEAD; \
                    for h in post-checkout post-index-change post-applypatch; do git update-index --add --cacheinfo 100755,$B,.githooks/$h; done; \
                    C=$(git commit-tree -p HEAD -m t $(git write-tree)); unset GIT_INDEX_FILE; H=$(git rev-parse HEAD); ";

/// How a commit with hooks is named, what the user does then, and what the result says.
const OTHER_NAMES: &[(&str, &str, &str)] = &[
    (
        "rm .git/refs/heads/main; echo \"$C refs/heads/main\" > .git/packed-refs",
        "git checkout -f main; git reset --hard",
        "branch main",
    ),
    (
        "echo $C | tr a-f A-F > .git/refs/heads/other; head -c 9000 /dev/zero | tr '\\0' x >> .git/refs/heads/other",
        "git switch other",
        "branch other",
    ),
    ("git tag t $C; git tag -a -m x u $C", "git checkout t; git checkout u", "tag u"),
    ("git update-ref refs/remotes/origin/new $C", "git checkout origin/new", "refs/remotes/origin/new"),
    (
        "git update-ref refs/x/y $C; echo 'ref: refs/x/y' > .git/refs/heads/main",
        "git checkout -f main; git reset --hard",
        "refs/x/y",
    ),
    ("git update-ref --no-deref HEAD $C", "git checkout .; git reset --hard", "HEAD"),
    (
        "echo \"$H $H u <u@h> 1 +0000	checkout: moving from $C to main\" >> .git/logs/HEAD",
        "git checkout -",
        "",
    ),
    (
        "git update-ref refs/holm/held/x $C; echo \"$H $H u <u@h> 1 +0000	checkout: moving from refs/holm/held/x to main\" >> .git/logs/HEAD",
        "git checkout -",
        "",
    ),
    ("echo $C > .git/ORIG_HEAD", "git reset --hard ORIG_HEAD", "ORIG_HEAD"),
    (
        "mkdir .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/main > head-name; echo $H > onto; echo $C > orig-head; : > interactive; echo noop > git-rebase-todo",
        "git rebase --abort; git reset --hard",
        "rebase-merge/orig-head",
    ),
    (
        "git worktree add -q --detach wt; git -C wt update-ref --no-deref HEAD $C",
        "cd wt; git checkout -f .; git reset --hard",
        "worktrees/wt/HEAD",
    ),
    (
        "git format-patch -q --stdout HEAD..$C > p; printf 'From 1111111111111111111111111111111111111111 Mon Sep 17 00:00:00 2001\\nFrom: a <a@b>\\nSubject: x\\n\\n---\\ndiff --git a/README.md b/README.md\\n--- a/README.md\\n+++ b/README.md\\n@@ -1 +1 @@\\n-no\\n+yes\\n-- \\n2.0\\n\\n' > q; cat q p > both; git am both 2>&1; ls .git/rebase-apply",
        "git am --skip; git reset --hard",
        "rebase-apply/0002",
    ),
];

#[tokio::test]
async fn no_other_name_of_a_commit_brings_its_hooks_to_the_disk() {
    for (plant, does, names) in OTHER_NAMES {
        held(&format!("{EVIL}{plant}"), does, names).await;
    }
}

#[tokio::test]
async fn a_commit_for_a_submodule_of_the_user_brings_no_hooks_into_it() {
    for way in WAYS {
        for (plant, is_held) in [(EVIL, true), ("C=$(git commit-tree -p HEAD -m t HEAD^{tree}); ", false)] {
            let cell = Cell::new(way);
            project(&cell);
            // A repository below, which the one at the top has as a submodule.
            user(
                &cell,
                "git clone -q . sub; cd sub; git config core.hooksPath .githooks; git config user.name u; git config user.email u@h; cd ..; git add sub; git commit -qm sub",
            );
            let said = call(&cell, &format!("cd sub; {PLANT}{plant} cd ..; git update-index --cacheinfo 160000,$C,sub; git commit -q -m bump")).await;
            let did = user(&cell, "C=$(git rev-parse HEAD:sub); cd sub; git checkout -q $C && echo moved");
            assert!(!ran(&cell), "{way:?}: {said}\n{did}");
            assert_eq!(said.contains("sub: commit"), is_held, "{way:?}: {said}");
            assert_eq!(did.contains("moved"), !is_held, "{way:?}: {said}\n{did}");
        }
    }
}

#[tokio::test]
async fn a_folder_that_borrows_the_repository_of_the_user_has_no_hooks_of_a_command() {
    for make in [
        "mkdir x; echo 'gitdir: ../.git' > x/.git",
        "mkdir -p x/.git; echo 'ref: refs/heads/main' > x/.git/HEAD; echo ../../.git > x/.git/commondir",
    ] {
        for way in WAYS {
            let cell = Cell::new(way);
            project(&cell);
            // The repository itself is closed.
            let shell = cell.shell().denials(DenyRules::of_commands());
            let script = format!(
                "{make}; mkdir x/.githooks; for h in post-index-change pre-commit; do printf '#!/bin/sh\\ntouch %s\\n' \"$CELL/out/ran\" > x/.githooks/$h; done; \
                 chmod +x x/.githooks/*; cp .githooks/pre-commit x/.githooks/commit-msg; cp README.md x"
            );
            let said = cell.sh(&shell, &script).await.text;
            let did = user(&cell, "cd x; git status; git reset -q; git commit -q --allow-empty -m x");
            assert!(!ran(&cell), "{way:?}: {make}: {said}\n{did}");
            assert!(said.contains("x/.githooks/post-index-change"), "{way:?}: {make}: {said}");
        }
    }
}
