//! Holds every row of the table of programs that run others, and what deny rules must not find.

use crate::shell::rules::{RunnerKind, records_in_repository, rows};
use crate::shell::{CommandRule, CommandRules, CommandRuling, ShellScript};

fn judge(rules: &CommandRules, text: &str) -> CommandRuling {
    match ShellScript::read(text) {
        Ok(script) => rules.judge(&script),
        Err(why) => rules.judge_unreadable(why),
    }
}

fn denying() -> CommandRules {
    CommandRules::new(["touch"], []).expect("rules")
}

fn allowing(rules: &[&str]) -> CommandRules {
    CommandRules::new([], rules.iter().copied()).expect("rules")
}

/// Scripts in which a program runs `touch f` in one of its ways.
fn scripts(name: &str, way: RunnerKind) -> Vec<String> {
    match way {
        RunnerKind::Words => vec![format!("{name} touch f"), format!("{name} -x --y=z 5 /usr/bin/touch f")],
        RunnerKind::Behind(marks) => marks.iter().map(|mark| format!("{name} a {mark} touch f")).collect(),
        RunnerKind::Script => vec![format!("{name} 'touch f'"), format!("{name} -c 'true; touch f'")],
        RunnerKind::Variables => {
            vec![format!("{name} PAGER='touch f' x"), format!("{name} 'PS4=$(touch f)' x")]
        }
        RunnerKind::Options(options) => {
            let joined = |option: &str| if option.starts_with("--") { "=" } else { "" };
            let spelled = |option: &&str| {
                [
                    format!("{name} {option} 'touch f' x"),
                    format!("{name} {option}{}'touch f' x", joined(option)),
                ]
            };
            // A long option with one dash takes its value behind an equals sign.
            let is_odd = |option: &&&str| option.len() > 2 && !option.starts_with("--");
            let odd = options.iter().filter(is_odd).map(|option| format!("{name} {option}='touch f' x"));
            let usual = options.iter().filter(|option| !is_odd(option)).flat_map(spelled);
            odd.chain(usual).collect()
        }
        RunnerKind::AnyOption => vec![
            format!("{name} --x='touch f' y"),
            format!("{name} -x 'touch f' y"),
            format!("{name} -x'touch f' y"),
            format!("{name} y '!touch f'"),
        ],
        RunnerKind::Input => vec![format!("echo touch f | {name}")],
        RunnerKind::Feeds => {
            vec![format!("echo touch f | {name} -x env"), format!("echo -c touch | {name} -x sh")]
        }
        RunnerKind::Language => {
            vec![format!("{name} -e 'run(\"touch f\")'"), format!("{name} <<< 'run(\"touch f\")'")]
        }
        RunnerKind::Obeys => {
            vec![format!("{name} <<< '!touch f'"), format!("echo '.shell touch f' | {name}")]
        }
    }
}

#[test]
fn a_deny_rule_finds_its_command_under_every_program_of_the_table() {
    let missed: Vec<_> = rows()
        .flat_map(|(name, way)| scripts(name, way).into_iter().map(move |text| (way, text)))
        .filter(|(way, text)| match (judge(&denying(), text), way) {
            (CommandRuling::Denied(_), _) => false,
            // What they run is in their input, or in a language of their own.
            (
                CommandRuling::Unclear(_),
                RunnerKind::Input | RunnerKind::Feeds | RunnerKind::Language | RunnerKind::Obeys,
            ) => false,
            _ => true,
        })
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(rows().count() > 250, "{}", rows().count());
}

/// The rule names the program, and nothing names what it runs.
#[test]
fn an_allow_rule_covers_no_program_of_the_table_without_what_it_runs() {
    let passed: Vec<_> = rows()
        .filter(|(_, way)| !matches!(way, RunnerKind::AnyOption | RunnerKind::Language | RunnerKind::Obeys))
        .flat_map(|(name, way)| scripts(name, way).into_iter().map(move |text| (name, text)))
        .filter(|(name, text)| {
            // Of builtins such as `declare` there is no rule.
            if name.parse::<CommandRule>().is_err() {
                return false;
            }
            let (star, bare) = (format!("{name} *"), name.to_string());
            let rules = allowing(&[&star, &bare, "echo"]);
            judge(&rules, text) == CommandRuling::Allowed
        })
        .collect();
    assert!(passed.is_empty(), "{passed:#?}");
}

#[test]
fn a_program_that_obeys_its_input_is_covered_only_with_what_it_runs() {
    for name in ["bash", "sh", "python3", "perl", "node", "ed", "sqlite3", "gdb", "at", "crontab", "m4"] {
        let rules = allowing(&[name, "echo"]);
        assert_eq!(judge(&rules, &format!("echo x | {name}")), CommandRuling::Ask, "{name}");
    }
    assert_eq!(judge(&allowing(&["bash x.sh"]), "bash x.sh"), CommandRuling::Allowed);
    assert_eq!(judge(&allowing(&["python3 x.py"]), "python3 x.py"), CommandRuling::Allowed);
}

#[test]
fn what_a_program_runs_is_covered_by_a_rule_of_its_own() {
    let rules = allowing(&[
        "timeout *",
        "env *",
        "nice *",
        "nohup *",
        "setsid *",
        "stdbuf *",
        "busybox *",
        "bash *",
        "uv run *",
        "find *",
        "git status",
        "ls -l",
        "git *",
        "tar *",
        "xargs *",
        "sudo *",
    ]);
    for text in [
        "timeout 5 git status",
        "timeout -k 1 -s KILL --foreground 5 git status src",
        "timeout 5 nice -n 3 env git status",
        "nohup ls -l",
        "setsid -w ls -l src",
        "stdbuf -oL -e 0 ls -l",
        "busybox ls -l",
        "bash -c 'git status; ls -l'",
        "uv run ls -l",
        "find . -name x -delete",
        "git commit -c HEAD",
        "git push -u origin main",
        "tar -xzf a.tgz",
    ] {
        assert_eq!(judge(&rules, text), CommandRuling::Allowed, "{text}");
    }
    for text in [
        "timeout 5 touch f",
        "timeout --unknown 5 git status",
        "timeout 5 env A=b git status",
        "timeout 5",
        "env A=b git status",
        "env -S 'git status'",
        "nice --adjustment=3 touch f",
        "nohup touch f",
        "busybox sh -c 'touch f'",
        "bash -c 'git status; touch f'",
        "bash -c 'ls -l' touch",
        "bash -ec 'git status'",
        "bash x.sh",
        "bash",
        "uv run touch f",
        "uv run --with x ls",
        "find . -exec touch f ';'",
        "find . -ok ls ';'",
        "find . -exec ls ';' -exec touch f ';'",
        "git -c core.pager=./x log",
        "git -C . -c alias.x='!touch f' x",
        "git --exec-path=. log",
        "git rebase -x 'touch f' main",
        "git rebase --exec='touch f' main",
        "git submodule foreach 'touch f'",
        "git bisect run touch f",
        "git grep -O./x y",
        "git clone -u ./x . y",
        "git clone ext::sh y",
        "tar --to-command=./x -xf a",
        "tar -xI ./x -f a",
        "xargs ls -l",
        "sudo ls -l",
    ] {
        assert_eq!(judge(&rules, text), CommandRuling::Ask, "{text}");
    }
}

#[test]
fn a_rule_that_names_what_a_program_runs_covers_that() {
    for (rule, text) in [
        ("timeout 60 cargo test *", "timeout 60 cargo test -p x"),
        ("env cargo test", "env cargo test"),
        ("bash scripts/test.sh *", "bash scripts/test.sh --all"),
        ("uv run pytest *", "uv run pytest -x tests"),
        ("xargs ls", "xargs ls"),
        ("watch ls", "watch ls"),
        ("sudo systemctl restart x", "sudo systemctl restart x"),
    ] {
        assert_eq!(judge(&allowing(&[rule]), text), CommandRuling::Allowed, "{rule}: {text}");
    }
    for (rule, text) in [
        ("timeout 60 env *", "timeout 60 env touch f"),
        ("timeout 60 bash *", "timeout 60 bash -c 'touch f'"),
        ("xargs env", "xargs env"),
        ("xargs ls", "xargs ls -R"),
        ("script x --command", "script x --command='touch f'"),
        ("bash scripts/test.sh", "bash scripts/test.sh more"),
        ("tar x --to-command", "tar x --to-command=./x"),
    ] {
        assert_eq!(judge(&allowing(&[rule]), text), CommandRuling::Ask, "{rule}: {text}");
    }
}

#[test]
fn a_value_runs_only_where_something_could_run_it() {
    for text in [
        "x=touch; echo ${x^^}",
        "x='touch f'; echo \"$x\"",
        "msg='run $(touch f) later'; git commit -m done",
        "local_name=touch; [ -n \"$local_name\" ] && echo yes",
        "for tool in touch cp; do echo \"$tool\"; done",
        "PS4='+ $LINENO '; set -x; make",
        "declare x=touch; echo $x",
        "read -r x <<< touch; echo $x",
        "export PATH=/x:$PATH; cargo test",
        "tool=touch; if command -v \"$tool\"; then echo yes; fi",
        "command -v touch",
    ] {
        assert_eq!(judge(&denying(), text), CommandRuling::Ask, "{text}");
    }
    for text in [
        "x=touch; $x f",
        "x=touch; ${x,,} f",
        "x='touch f'; eval \"$x\"",
        "x='touch f'; eval 'tar --to-command=\"$x\" -xf a'",
        "x='touch f'; tar --to-command=\"$x\" -xf a",
        "eval 'x=\"touch f\"'; tar --to-command=\"$x\" -xf a",
        "x='touch f'; mapfile -C \"$x #\" -c 1 a < in",
        "x='touch f'; git -c core.pager=\"$x\" log",
        "x=touch; env $x f",
        "x=touch; timeout 5 \"$x\" f",
        "CC='touch f' make",
        "CC='touch f'; export CC; make",
        "set -a; CC='touch f'; make",
        "declare -x CC='touch f'; make",
        "export 'CC=touch f'; make",
        "command touch f",
        "for x in touch; do $x f; done",
    ] {
        assert!(
            matches!(judge(&denying(), text), CommandRuling::Denied(_) | CommandRuling::Unclear(_)),
            "{text}"
        );
    }
}

#[test]
fn a_text_that_the_shell_expands_again_is_searched() {
    for text in [
        "PS4='$(touch f)'; set -x; true",
        "PS4='it is `touch f`'; set -x; true",
        "PS4=\"it's \"'$(touch f)'; set -x; true",
        "export PS4='$(touch f)'; bash -x s.sh",
        "declare 'PS4=$(touch f)'; set -x; true",
        "PS4+='$(touch f)'; set -x; true",
        "read PS4 <<< '$(touch f)'; set -x; true",
        "printf -v PS4 '%s' '$(touch f)'; set -x; true",
        "for PS4 in '$(touch f)'; do set -x; true; done",
        "x='$(touch f)'; echo \"${x@P}\"",
        "set -- '$(touch f)'; echo ${1@P}",
        "x='it'\\''s $(touch f)'; echo \"${x@P}\"",
        "PS4=$x; set -x; true",
        "jobs -x touch f",
        "jobs -x /usr/bin/touch f",
    ] {
        let ruling = judge(&denying(), text);
        assert!(matches!(ruling, CommandRuling::Denied(_) | CommandRuling::Unclear(_)), "{text}: {ruling:?}");
    }
}

#[test]
fn a_name_that_is_no_command_is_not_found() {
    for text in [
        "install -s a touch",
        "install a touch",
        "tar -xf touch",
        "rg touch src",
        "sort touch",
        "find . -name touch",
        "find . -name touch -print",
        "make touch",
        "cargo test touch",
        "npm install touch",
        "cmake --build touch",
        "vim touch",
        "less touch",
        "rsync -a touch b",
        "docker ps touch",
        "jobs",
        "printf '%s' touch",
        "echo ${x@Q}",
    ] {
        assert_eq!(judge(&denying(), text), CommandRuling::Ask, "{text}");
    }
    for text in [
        "install --strip-program=touch -s a f",
        "install --strip-program touch -s a f",
        "install --strip-prog=touch -s a f",
        "tar cIf 'touch f' a.tar b",
        "gcc -wrapper touch,f a.c",
        "sort --compress-prog=touch x",
        "find . -execdir touch f ';'",
        "cmake -E env touch f",
        "cmake -E chdir d touch f",
    ] {
        assert!(
            matches!(judge(&denying(), text), CommandRuling::Denied(_)),
            "{text}: {:?}",
            judge(&denying(), text)
        );
    }
}

#[test]
fn git_opens_its_folder_by_itself_only_where_it_records_and_discards_nothing() {
    let records = |text: &str| records_in_repository(&ShellScript::read(text).unwrap());
    for text in [
        "git commit -m x",
        "cd src && git add -A && git -c user.name=a -c user.email=b commit -qm 'a b' && git log --oneline",
        "git commit -m \"$(cat <<'END'\nfirst\nEND\n)\"",
        "git switch -c side",
        "git checkout -q -b side",
        "/usr/bin/git --no-pager tag v1",
        "git commit -m 'by A <a@b> -> c' 2>&1 | tail -3; git status >/dev/null",
    ] {
        assert!(records(text), "{text}");
    }
    for text in [
        "git status",
        "git reset --hard",
        "git add -A; git reset --hard",
        "git checkout -- .",
        "git switch main",
        "git switch -f -c side",
        "git commit -m x; git stash clear",
        "git -C sub commit -m x",
        "git add -A; python3 p.py",
        "git -c core.hooksPath=h commit -m x",
        "git commit -m x; echo evil > .git/zz",
        "git $what",
        "GIT_DIR=elsewhere git commit -m x",
        "git checkout -b $name",
        "git tag v1; git grep '-Otouch .git/x #' text",
        "git tag v1; git grep \"$pattern\" .",
        "git --exec-path=./programs commit -m x",
        "git tag v1; git log --output=.git/refs/heads/x",
        "git tag v1; git diff --outp=.git/x",
        "echo git commit",
    ] {
        assert!(!records(text), "{text}");
    }
}
