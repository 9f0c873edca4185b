//! What a command must never achieve, no matter what was approved.

use std::time::{Duration, Instant};

use holm_grants::{DenialSet, Mode};
use holm_guards::json::Json;
use holm_jail::JailLimits;
use holm_kernel::{Outcome, Proposal};
use holm_runtime::BoxFuture;
use holm_tools::root::DenyRules;
use holm_tools::shell::{ApprovalAnswer, ApprovalAsker, ApprovalGate, ApprovalOffer, CommandRules};

use crate::shell::cell::{CANARY, Cell, Step, WAYS, Yes, job, run, until};

#[tokio::test]
async fn a_command_sees_the_workspace_and_nothing_else() {
    const CASES: &[(&str, &str)] = &[
        ("a file outside", "cat $CELL/out/secret"),
        ("a file above", "cat ../out/secret"),
        ("through a link", "ln -s $CELL/out l; cat l/secret"),
        ("the parent's environment", "env; cat /proc/*/environ"),
        ("the network", "exec 3<>/dev/tcp/127.0.0.1/22 && cat <&3"),
        ("a file written outside", "echo x > $CELL/out/new"),
        ("the home of the user", "ls /root; cat /etc/shadow"),
    ];
    for way in WAYS {
        let cell = Cell::new(way);
        let shell = cell.shell();
        assert_eq!(cell.sh(&shell, "echo here > a; cat a").await.text, "here\n[exit status 0]", "{way:?}");
        for (name, script) in CASES {
            let said = cell.sh(&shell, script).await.text;
            assert!(!said.contains(CANARY) && !said.contains("CARGO_"), "{way:?}: {name}: {said}");
        }
        assert!(!cell.path("out/new").exists());
        let env = cell.sh(&shell, "env").await.text;
        let mut names: Vec<&str> =
            env.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
        names.retain(|name| !["PWD", "SHLVL", "_", "OLDPWD", "CELL"].contains(name));
        names.sort_unstable();
        let editors = ["EDITOR", "GIT_EDITOR", "VIMINIT", "VISUAL"];
        assert_eq!(names.iter().filter(|name| editors.contains(name)).count(), editors.len());
        names.retain(|name| !editors.contains(name));
        assert_eq!(
            names,
            ["GIT_PAGER", "GIT_TERMINAL_PROMPT", "HOME", "LANG", "PAGER", "PATH", "TERM", "TMPDIR"]
        );
    }
}

#[tokio::test]
async fn holms_own_files_and_the_deny_list_hold_inside_the_jail() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("work/.env", CANARY);
        cell.write("work/sub/.env", CANARY);
        cell.write("work/fixed.txt", "fixed");
        cell.write("work/.holm/tools/x.sh", "echo");
        cell.write("work/settings.json", "{}");
        cell.write("work/.env.production", CANARY);
        cell.write("work/id_rsa", CANARY);
        cell.write("work/.env.example", "an example");
        let usual = cell.shell().denials(holm_tools::root::DenyRules::of_commands());
        let said = cell.sh(&usual, "cat .env .env.production id_rsa; cat .env.example").await.text;
        assert!(!said.contains(CANARY) && said.contains("an example"), "{way:?}: {said}");
        let denials =
            DenialSet::parse(["path:**/.env", "write:fixed.txt", "path:**/.env.*", "path:id_rsa"]).unwrap();
        let shell = cell.shell().denials(denials).protect("settings.json").protect("not-there.json");
        let said = cell.sh(&shell, "cat .env sub/.env; grep -r canary . ; cp .env e; cat e").await.text;
        assert!(!said.contains(CANARY), "{way:?}: {said}");
        let script = "for f in .env sub/.env fixed.txt .holm/tools/x.sh settings.json; do echo y > $f; rm -f $f; done; \
                      echo z > .holm/tools/new.sh; echo z > not-there.json; mv .holm h";
        cell.sh(&shell, script).await;
        for (name, text) in [
            ("work/.env", CANARY),
            ("work/sub/.env", CANARY),
            ("work/fixed.txt", "fixed"),
            ("work/.holm/tools/x.sh", "echo"),
            ("work/settings.json", "{}"),
        ] {
            assert_eq!(std::fs::read_to_string(cell.path(name)).unwrap(), text, "{way:?}: {name}");
        }
        assert!(
            !cell.path("work/.holm/tools/new.sh").exists() && !cell.path("work/not-there.json").is_file()
        );
    }
}

#[tokio::test]
async fn a_program_of_the_workspace_takes_no_other_programs_place() {
    for way in WAYS {
        let cell = Cell::new(way);
        for name in ["work/bin/planted", "work/planted"] {
            cell.write(name, "#!/bin/sh\necho planted\n");
        }
        let said = cell.sh(&cell.shell(), "planted; echo $PATH").await.text;
        assert!(!said.lines().any(|line| line == "planted"), "{way:?}: {said}");
        assert!(!said.contains("/work"), "{way:?}: {said}");
        // By its path it is what was meant.
        let said = cell.sh(&cell.shell(), "./bin/planted").await.text;
        assert!(said.contains("planted"), "{way:?}: {said}");
    }
}

#[tokio::test]
async fn what_git_would_run_is_opened_by_no_name_and_in_no_repository() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.outside("git", &["init", "-q", "."]);
        cell.outside("git", &["init", "-q", "vendor/x"]);
        cell.outside("git", &["init", "-q", "--bare", "store"]);
        cell.outside("git", &["init", "-q", "--bare", ".git/modules/m"]);
        cell.write("work/sub/.git", "gitdir: ../.git/modules/m\n");
        cell.write("work/hook", "#!/bin/sh\n");
        let shell = cell.shell();
        let places = ["vendor/x/.git/", "store/", ".git/modules/m/", ".git/"];
        let evil = "for p in .git vendor/x/.git store .git/modules/m; do cp hook $p/hooks/pre-commit; \
                    echo evil >> $p/config; echo evil > $p/config.worktree; echo evil > $p/commondir; \
                    mv $p/config $p/c; mv $p/hooks $p/h; done; echo 'gitdir: evil' > sub/.git; mv sub s; mv vendor v";
        let list =
            |items: &[&str]| Json::from(items.iter().map(|item| Json::from(*item)).collect::<Vec<_>>());
        for write in [
            &["."][..],
            &[".", ".git"],
            &[".git/hooks"],
            &[".git/config"],
            &[".", ".git/hooks", "vendor/x/.git/hooks", "store/config", ".git/modules/m/hooks"],
            &[".", "vendor/x/.git", "store", ".git/modules"],
        ] {
            let arguments = Json::object([("script", evil.into()), ("write", list(write))]);
            let said = run(&shell.script_tool(), &arguments).await.text;
            for place in places {
                let read = |name: &str| std::fs::read_to_string(cell.path(&format!("work/{place}{name}")));
                assert!(
                    read("config").is_ok_and(|text| !text.contains("evil")),
                    "{way:?}: {write:?}: {place}: {said}"
                );
                assert!(read("hooks/pre-commit").is_err(), "{way:?}: {write:?}: {place}: {said}");
                for name in ["config.worktree", "commondir"] {
                    assert!(read(name).is_err(), "{way:?}: {write:?}: {place}{name}: {said}");
                }
            }
            let pointer = std::fs::read_to_string(cell.path("work/sub/.git")).unwrap();
            assert!(!pointer.contains("evil"), "{way:?}: {write:?}: {said}");
        }
        let arguments =
            Json::object([("script", "echo ok > vendor/x/.git/free".into()), ("write", list(&["."]))]);
        let said = run(&shell.script_tool(), &arguments).await.text;
        assert!(cell.path("work/vendor/x/.git/free").exists(), "{way:?}: the rest can be written: {said}");
    }
}

#[tokio::test]
async fn what_the_host_hides_is_neither_seen_nor_changed() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("work/data/holm.db", CANARY);
        let shell =
            cell.shell().hide(&cell.path("work/data")).hide(&cell.path("work/none")).protect(".zshenv");
        let script =
            "cat data/*; ls data; echo x > data/new; rm -rf data; mv data d; echo x > .zshenv; echo free";
        let said = cell.sh(&shell, script).await.text;
        assert!(
            !said.contains(CANARY) && !said.contains("holm.db") && said.contains("free"),
            "{way:?}: {said}"
        );
        assert_eq!(std::fs::read_to_string(cell.path("work/data/holm.db")).unwrap(), CANARY, "{way:?}");
        assert!(
            !cell.path("work/data/new").exists() && !cell.path("work/.zshenv").exists(),
            "{way:?}: {said}"
        );
    }
}

#[tokio::test]
async fn deny_rules_hold_in_a_mode_that_asks_nothing() {
    let cell = Cell::new(WAYS[0]);
    let shell = cell.shell().rules(CommandRules::new(["touch"], []).unwrap());
    let calls = [
        Step::sh("sh -c 'touch x'", &[]),
        Step::sh("$T x", &[]),
        Step::Call("run_program", Json::parse(r#"{"program":"touch","args":["x"]}"#).unwrap()),
        Step::sh("echo free", &[]),
    ];
    let yes = Yes::default();
    let grants = ["read:**", "write:**", "exec:*", "exec:./**"];
    let (mut session, seen) = cell.session(&shell, Mode::Full, &grants, yes.clone(), calls).await;
    session.prompt("go").await.unwrap();
    assert!(yes.0.lock().unwrap().is_empty(), "nobody was asked");
    assert!(seen.turn(1).contains("forbids it"), "{}", seen.turn(1));
    assert!(seen.turn(2).contains("computed at run time"), "{}", seen.turn(2));
    assert!(seen.turn(3).contains("forbids it"), "{}", seen.turn(3));
    assert!(seen.turn(4).contains("free"), "{}", seen.turn(4));
    assert!(!cell.path("work/x").exists());
}

#[tokio::test]
async fn what_is_approved_is_what_runs() {
    let cell = Cell::new(WAYS[0]);
    let shell = cell.shell();
    let odd = "printf '%s' \"a  b\"\t'c\u{202e}d' \u{1b}x";
    let yes = Yes::default();
    let (mut session, seen) =
        cell.session(&shell, Mode::Default, &[], yes.clone(), [Step::sh(odd, &[])]).await;
    session.prompt("go").await.unwrap();
    let questions = yes.0.lock().unwrap();
    let shown = &questions[0].arguments;
    assert!(
        !shown.contains('\u{202e}') && !shown.contains('\u{1b}'),
        "hidden characters are written out: {shown}"
    );
    assert!(shown.contains("\\u{202e}") && shown.contains("\\u001b"), "{shown}");
    assert!(seen.turn(1).contains("a  bc"), "and what runs is what was sent: {}", seen.turn(1));
}

/// Approves every question.
struct Nods;

impl ApprovalAsker for Nods {
    fn ask(&self, _: Proposal, _: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        Box::pin(async { ApprovalAnswer::Once })
    }
}

#[tokio::test]
async fn what_no_screen_shows_does_not_run_whatever_is_said() {
    let cell = Cell::new(WAYS[0]);
    let blank = "\n".repeat(6_000);
    let hidden = format!("{blank}touch hidden\n{blank}");
    let word = Json::from("w".repeat(4_000));
    let words = Json::from([vec![Json::from("hidden")], vec![word; 9]].concat());
    let calls = [
        Step::sh(&hidden, &[]),
        Step::Call("run_program", Json::object([("program", "touch".into()), ("args", words)])),
        Step::sh("touch seen", &[]),
    ];
    let gate = ApprovalGate::new(Nods, CommandRules::default());
    let (mut session, seen) = cell.session(&cell.shell(), Mode::Default, &[], gate, calls).await;
    session.prompt("go").await.unwrap();
    for turn in [1, 2] {
        assert!(seen.turn(turn).contains("too long to show"), "{}", seen.turn(turn));
    }
    assert!(!cell.path("work/hidden").exists() && cell.path("work/seen").exists());
}

#[tokio::test]
async fn arguments_of_a_program_pass_no_shell() {
    for way in WAYS {
        let cell = Cell::new(way);
        let shell = cell.shell();
        let arguments = Json::parse(
            r#"{"program":"printf","args":["[%s]","$(touch x)","; touch x","a b","*"],"input":"y"}"#,
        );
        let output = run(&shell.argv_tool(), &arguments.unwrap()).await;
        assert_eq!(output.text, "[$(touch x)][; touch x][a b][*]\n[exit status 0]", "{way:?}");
        let output =
            run(&shell.argv_tool(), &Json::parse(r#"{"program":"cat","input":"typed"}"#).unwrap()).await;
        assert_eq!(output.text, "typed\n[exit status 0]");
        cell.write("work/hello.sh", "#!/bin/sh\necho hello\n");
        let own = run(&shell.argv_tool(), &Json::parse(r#"{"program":"./hello.sh"}"#).unwrap()).await;
        assert!(own.text.contains("hello") || own.outcome == Outcome::Failed, "{way:?}: {}", own.text);
        for (program, why) in
            [("no-such-program", "not found"), ("../out/secret", "No such"), ("/no/such", "No such")]
        {
            let mut job = job(&shell.argv_tool(), &Json::parse(r#"{"program":"true"}"#).unwrap());
            job.arguments = Json::object([("program", program.into())]).canonical().into();
            let output = holm_runtime::Tool::run(&shell.argv_tool(), job).await;
            assert_eq!(output.outcome, Outcome::Failed, "{program}: {why}: {}", output.text);
        }
    }
}

#[tokio::test]
async fn a_folder_that_the_model_chooses_opens_nothing() {
    let cell = Cell::new(WAYS[0]);
    cell.write("work/sub/a", "inside");
    std::os::unix::fs::symlink(cell.path("out"), cell.path("work/link")).unwrap();
    let shell = cell.shell();
    for (folder, expect) in
        [("sub", true), ("./sub", true), ("..", false), ("/", false), ("link", false), ("gone", false)]
    {
        let arguments = Json::object([("script", "ls; cat a secret".into()), ("folder", folder.into())]);
        let output = run(&shell.script_tool(), &arguments).await;
        assert_eq!(output.text.contains("inside"), expect, "{folder}: {}", output.text);
        assert!(!output.text.contains(CANARY), "{folder}: {}", output.text);
    }
}

#[tokio::test]
async fn time_output_and_cancelling_end_a_command_and_its_grandchildren() {
    for way in WAYS {
        let cell = Cell::new(way);
        let limits = JailLimits { wall: WALL, output: 100_000, ..JailLimits::default() };
        let shell = cell.shell().limits(limits);
        let began = Instant::now();
        let arguments = Json::parse(&format!(r#"{{"script":"{STAYS}","seconds":5}}"#)).unwrap();
        let output = run(&shell.script_tool(), &arguments).await;
        // Its own time, which leaves a slow machine enough to begin, and not the longest that there is.
        assert!(output.text.contains("timed out") && began.elapsed() < WALL / 2, "{}", output.text);
        nobody_stays(&cell).await;

        let output = cell.sh(&shell, "yes").await;
        assert!(
            output.text.contains("wrote too much") && output.text.len() < 3_000_000,
            "{}",
            output.text.len()
        );

        let arguments = Json::object([("script", STAYS.into())]);
        let job = job(&shell.script_tool(), &arguments);
        let stop = job.stop.clone();
        let tool = shell.script_tool();
        let running = holm_runtime::Tool::run(&tool, job);
        let (output, ()) = tokio::join!(running, async {
            until("it has begun", || cell.path("work/begun").exists()).await;
            stop.cancel();
        });
        assert!(output.text.contains("cancelled"), "{}", output.text);
        nobody_stays(&cell).await;
    }
}

/// The longest that a command may take here, far longer than any test needs.
const WALL: Duration = Duration::from_secs(300);

/// A command with a grandchild that goes its own way. All of them hold a lock for as long as they are there.
const STAYS: &str = "exec 9> held; flock 9 && touch begun; (setsid sleep 600 &); sleep 600";

/// Waits until no process is left of a command that has begun.
async fn nobody_stays(cell: &Cell) {
    std::fs::remove_file(cell.path("work/begun")).unwrap();
    let lock = std::fs::File::open(cell.path("work/held")).unwrap();
    until("nobody outlives the command", || lock.try_lock().is_ok()).await;
}

/// Packs every way out of an archive, and unpacks it as trustingly as it can be done.
const ARCHIVE: &str = r#"
import io, os, tarfile, zipfile
out = os.environ['CELL'] + 'out'
def member(name, **more):
    info = tarfile.TarInfo(name)
    for key, value in more.items():
        setattr(info, key, value)
    return info
cases = [
    ('up', [member('../out/up', size=1)]),
    ('up often', [member('a/../../out/often', size=1)]),
    ('absolute', [member(out + '/absolute', size=1)]),
    ('through a link', [member('l', type=tarfile.SYMTYPE, linkname=out), member('l/through', size=1)]),
    ('through a relative link', [member('r', type=tarfile.SYMTYPE, linkname='../out'), member('r/relative', size=1)]),
    ('over a link', [member('s', type=tarfile.SYMTYPE, linkname=out + '/secret'), member('s', size=1)]),
    ('mode through a link', [member('m', type=tarfile.SYMTYPE, linkname=out + '/secret'), member('m', mode=0o777, size=1)]),
    ('hard link', [member('h', type=tarfile.LNKTYPE, linkname=out + '/secret'), member('h', size=1)]),
    ('device', [member('d', type=tarfile.CHRTYPE, devmajor=1, devminor=5)]),
    ('size that lies', [member('p', size=1, pax_headers={'size': '99999999999'})]),
]
for name, members in cases:
    with tarfile.open('a.tar', 'w', format=tarfile.PAX_FORMAT) as tar:
        for info in members:
            tar.addfile(info, io.BytesIO(b'x') if info.isreg() else None)
    os.system('tar -xPf a.tar --overwrite 2>/dev/null; tar -xPf a.tar 2>/dev/null')
    try:
        with tarfile.open('a.tar') as tar:
            tar.extractall('.', filter='fully_trusted')
    except Exception:
        pass
with zipfile.ZipFile('a.zip', 'w') as archive:
    for name in ['../out/zip', out + '/zipped', 'l/zip']:
        archive.writestr(name, 'x')
with zipfile.ZipFile('a.zip') as archive:
    for info in archive.infolist():
        try:
            open(info.filename, 'wb').write(archive.read(info))
        except OSError:
            pass
print('unpacked', os.path.exists('a.zip'))
"#;

#[tokio::test]
async fn an_archive_is_unpacked_nowhere_but_in_the_workspace() {
    use std::os::unix::fs::MetadataExt as _;
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("work/unpack.py", ARCHIVE);
        let before = std::fs::metadata(cell.path("out/secret")).unwrap();
        let said = cell.sh(&cell.shell(), "/usr/bin/python3 unpack.py").await.text;
        assert!(said.contains("unpacked True"), "{way:?}: {said}");
        let names: Vec<_> = std::fs::read_dir(cell.path("out")).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "{way:?}: {names:?}");
        assert_eq!(std::fs::read_to_string(cell.path("out/secret")).unwrap(), CANARY, "{way:?}");
        let after = std::fs::metadata(cell.path("out/secret")).unwrap();
        assert_eq!((after.mode(), after.nlink()), (before.mode(), before.nlink()), "{way:?}");
        let made: Vec<_> = std::fs::read_dir(cell.path("")).unwrap().flatten().collect();
        assert_eq!(made.len(), 6, "{way:?}: nothing beside the workspace: {made:?}");
    }
}

#[tokio::test]
async fn a_folder_or_a_program_that_changes_after_the_approval_gains_nothing() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("work/sub/a", "inside");
        let shell = cell.shell();
        // The folder was real when the call was made, and is a link when it runs.
        let arguments = Json::object([("script", "cat secret".into()), ("folder", "sub".into())]);
        let approved = job(&shell.script_tool(), &arguments);
        std::fs::remove_dir_all(cell.path("work/sub")).unwrap();
        std::os::unix::fs::symlink(cell.path("out"), cell.path("work/sub")).unwrap();
        let output = holm_runtime::Tool::run(&shell.script_tool(), approved).await;
        assert_eq!(output.outcome, Outcome::Failed, "{way:?}: {}", output.text);
        assert!(!output.text.contains(CANARY), "{way:?}: {}", output.text);
        // The program was the workspace's own, and is a link to one outside when it runs.
        cell.write("work/mine", "#!/bin/sh\necho mine\n");
        let approved = job(&shell.argv_tool(), &Json::parse(r#"{"program":"./mine"}"#).unwrap());
        cell.write("out/theirs", &format!("#!/bin/sh\ncat {}\n", cell.path("out/secret").display()));
        std::fs::remove_file(cell.path("work/mine")).unwrap();
        std::os::unix::fs::symlink(cell.path("out/theirs"), cell.path("work/mine")).unwrap();
        let output = holm_runtime::Tool::run(&shell.argv_tool(), approved).await;
        assert!(!output.text.contains(CANARY), "{way:?}: {}", output.text);
    }
}

#[tokio::test]
async fn a_pipe_at_a_name_that_is_kept_holds_no_command_up() {
    for way in WAYS {
        let cell = Cell::new(way);
        let shell = cell.shell().denials(holm_tools::root::DenyRules::of_commands());
        for name in [".bashrc", "holm.toml", ".git", ".holm"] {
            cell.outside("mkfifo", &[name]);
            let said = cell.sh(&shell, "echo here").await.text;
            assert!(said.contains("here"), "{way:?}: {name}: {said}");
            cell.sh(&shell, &format!("rm -f {name}; echo evil > other; mv other {name}")).await;
            let kind = cell.path(&format!("work/{name}")).symlink_metadata().unwrap().file_type();
            assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kind), "{way:?}: {name} is what it was");
        }
    }
}

#[tokio::test]
async fn a_protected_name_that_a_command_makes_is_taken_away_and_told() {
    for way in WAYS {
        let cell = Cell::new(way);
        let before = names(&cell);
        let arguments = Json::object([
            ("script", "mkdir .holm; echo done".into()),
            ("write", Json::from(vec![Json::from(".")])),
        ]);
        let output = run(&cell.shell().script_tool(), &arguments).await;
        assert!(output.text.contains("done"), "{way:?}: {}", output.text);
        assert_eq!(output.outcome, Outcome::Failed, "{way:?}: {}", output.text);
        assert!(output.text.contains(".holm is protected"), "{way:?}: {}", output.text);
        assert_eq!(names(&cell), before, "{way:?}: {}", output.text);
    }
}

/// The names in the workspace.
fn names(cell: &Cell) -> Vec<String> {
    let entries = std::fs::read_dir(cell.path("work")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_link_named_like_a_secret_leads_to_nothing_that_can_be_read() {
    let alone = || (Cell::without_namespaces(), "Landlock alone".to_owned());
    let cells = WAYS.map(|way| (Cell::new(way), format!("{way:?}"))).into_iter().chain([alone()]);
    for (cell, way) in cells {
        cell.write("work/settings", "hidden words");
        cell.write("other/settings", "hidden words");
        cell.write("other/notes", "open words");
        let other = cell.path("other");
        std::os::unix::fs::symlink("settings", cell.path("work/.env")).unwrap();
        std::os::unix::fs::symlink(other.join("settings"), cell.path("work/.env.prod")).unwrap();
        let shell = cell.shell().denials(DenyRules::of_commands());
        let list =
            |items: &[&str]| Json::from(items.iter().map(|item| Json::from(*item)).collect::<Vec<_>>());
        let other = other.to_str().unwrap();
        let script = format!("cat .env settings .env.prod {other}/settings; cat {other}/notes");
        let arguments = Json::object([("script", script.as_str().into()), ("read", list(&[".", other]))]);
        let said = run(&shell.script_tool(), &arguments).await.text;
        assert!(said.contains("open words") && !said.contains("hidden words"), "{way}: {said}");
    }
}
