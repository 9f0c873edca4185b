//! Tests what works where nothing can be written: on a full disk, and in a read-only folder.

use std::{fs, path::Path, process::Command};

use holm_testkit::double::Act;

use crate::stage::{Ran, Stage};

/// Commands that only read.
const READERS: [&[&str]; 21] = [
    &["session", "list"],
    &["session", "show", "one"],
    &["session", "show", "one", "--json"],
    &["session", "search", "Hello"],
    &["session", "export", "one"],
    &["session", "replay", "one"],
    &["usage"],
    &["log", "one"],
    &["trust"],
    &["trust", "suggest"],
    &["trust", "--explain", "read {\"path\":\"notes.txt\"}"],
    &["agent", "list"],
    &["agent", "show", "default"],
    &["tool", "list"],
    &["tool", "show", "read"],
    &["skill", "list"],
    &["config", "show"],
    &["keys", "list"],
    &["job", "list"],
    &["mcp", "list"],
    &["paths"],
];

/// A stage with one session.
fn stage() -> Stage {
    let stage = Stage::new([Act::says("Here.")]).file("notes.txt", "a note\n");
    stage.run(&["-p", "Hello there.", "--session", "one"]).says("Here.\n");
    stage
}

/// The command in a view of the machine that bubblewrap makes.
fn within(stage: &Stage, view: &[&str], line: &[&str]) -> Ran {
    let mut command = Command::new("bwrap");
    command.args(["--dev-bind", "/", "/"]).args(view).arg("--").args(line);
    command.current_dir(stage.work()).env_clear();
    stage.dress(&mut command);
    command.env_remove(crate::stage::TOOLS).env("HOLM_QUIET", "1");
    Ran::of(&command.output().unwrap())
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The command where the data folder is read-only.
fn read_only(stage: &Stage, args: &[&str]) -> Ran {
    let data = text(&stage.data());
    within(stage, &["--ro-bind", &data, &data], &[&[env!("CARGO_BIN_EXE_holm")], args].concat())
}

/// The command where the disk of the data folder is full.
fn full(stage: &Stage, args: &[&str]) -> Ran {
    let (data, saved) = (text(&stage.data()), text(&stage.data().with_file_name("saved")));
    if !Path::new(&saved).exists() {
        let copied = Command::new("cp").args(["-a", &data, &saved]).status().unwrap();
        assert!(copied.success());
    }
    let script = r#"cp -a "$1/." "$2" && dd if=/dev/zero of="$2/fill" bs=4k status=none 2>/dev/null
        shift 2; exec "$@""#;
    let line = ["sh", "-c", script, "sh", &saved, &data, env!("CARGO_BIN_EXE_holm")];
    within(stage, &["--size", "4194304", "--perms", "0700", "--tmpfs", &data], &[&line[..], args].concat())
}

#[test]
fn commands_that_only_read_work_in_a_read_only_folder_and_on_a_full_disk() {
    let stage = stage();
    for args in READERS {
        let (read_only, full) = (read_only(&stage, args), full(&stage, args));
        // Last, because it may bring the lists up to date.
        let usual = stage.holm(args);
        assert_eq!(usual.code, Some(0), "{args:?}: {usual:?}");
        for there in [read_only, full] {
            assert_eq!((there.code, &there.out), (usual.code, &usual.out), "{args:?}: {there:?}");
        }
    }
}

#[test]
fn the_doctor_says_that_nothing_can_be_saved_and_what_to_do() {
    let stage = stage();
    let there = read_only(&stage, &["doctor"]);
    assert_eq!(there.code, Some(3), "{there:?}");
    let row = |ran: &Ran, what: &str| {
        let is_it = |line: &&str| line.split_whitespace().nth(1) == Some(what);
        ran.out.lines().find(is_it).unwrap_or_else(|| panic!("{what}: {ran:?}")).to_owned()
    };
    let disk = row(&there, "disk");
    assert!(disk.starts_with("bad") && disk.contains("cannot be written (read-only file system)"), "{disk}");
    assert!(disk.contains("make it writable, or name another folder with --data"), "{disk}");
    assert!(row(&there, "database").starts_with("good"), "{there:?}");
    let there = full(&stage, &["doctor"]);
    let disk = row(&there, "disk");
    assert!(
        disk.starts_with("bad") && disk.contains(" is full (") && disk.contains("free some space"),
        "{disk}"
    );
    assert!(row(&there, "database").starts_with("good"), "{there:?}");
    assert!(row(&stage.holm(["doctor"]), "disk").contains(" are free for "));
}

#[test]
fn on_a_full_disk_nothing_is_asked_before_that_is_said() {
    let stage = Stage::new([]).unasked();
    let (data, holm) = (text(&stage.data()), env!("CARGO_BIN_EXE_holm"));
    let fill = format!("dd if=/dev/zero of={data}/fill bs=4k status=none 2>/dev/null");
    let line = format!(
        "bwrap --dev-bind / / --size 4194304 --perms 0700 --tmpfs {data} -- sh -c '{fill}; {holm} run --model {} -p Hi'",
        crate::stage::MODEL
    );
    let (code, screen) = crate::terminal::pressing(&stage, &line, &["Your choice"], &["1\n"]);
    assert!(code != Some(0) && screen.contains(" is full ("), "{screen}");
    assert!(!screen.contains("What may agents do"), "{screen}");
}

#[test]
fn the_doctor_tries_what_a_jail_needs_also_for_root() {
    let stage = stage();
    let script = r#"echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" doctor"#;
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", script, env!("CARGO_BIN_EXE_holm")]);
    command.current_dir(stage.work()).env_clear();
    stage.dress(&mut command);
    let there = Ran::of(&command.output().unwrap());
    assert!(there.out.contains("user.max_user_namespaces is 0"), "{there:?}");
    assert!(!there.out.contains("user namespaces work"), "{there:?}");
}

#[test]
fn a_command_that_writes_says_what_where_and_what_to_do() {
    let stage = stage();
    let data = text(&stage.data().canonicalize().unwrap());
    let run = ["run", "--model", crate::stage::MODEL, "-p", "Hi."];
    for (args, what) in [
        (&run[..], "holm.db: "),
        (&["trust", "edit"], "folders.toml: "),
        (&["session", "edit", "one", "--title", "New"], "holm.db: "),
    ] {
        let there = read_only(&stage, args);
        assert_eq!(there.code, Some(1), "{args:?}: {there:?}");
        assert!(there.err.contains(what), "{args:?}: {there:?}");
        let hint = format!("hint: nothing can be saved in {data} (read-only file system); make it writable");
        assert!(there.err.contains(&hint), "{args:?}: {there:?}");
        let there = full(&stage, args);
        assert_eq!(there.code, Some(1), "{args:?}: {there:?}");
        assert!(there.err.contains(&format!("hint: the disk of {data} is full (")), "{args:?}: {there:?}");
    }
    assert!(stage.holm(["session", "list"]).out.contains("one"), "and nothing is lost");
}

#[test]
fn a_data_folder_that_cannot_be_made_is_needed_by_no_reader() {
    let stage = stage();
    let above = stage.data().with_file_name("above");
    fs::create_dir(&above).unwrap();
    let (place, data) = (text(&above), text(&above.join("data/holm")));
    let there = |args: &[&str]| {
        let line = [&[env!("CARGO_BIN_EXE_holm"), "--data", &data], args].concat();
        within(&stage, &["--ro-bind", &place, &place], &line)
    };
    for args in READERS.iter().filter(|args| !args.contains(&"one")) {
        let ran = there(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {ran:?}");
    }
    there(&["run", "--model", crate::stage::MODEL, "-p", "Hi."]).fails(1, "cannot create the folder ");
    assert!(there(&["doctor"]).out.contains("cannot be written (read-only file system)"));
}

#[test]
fn commands_that_only_look_create_nothing() {
    let stage = Stage::new([]);
    let data = stage.data().with_file_name("above").join("data");
    // `holm paths` makes the folders that users copy files into.
    let is_looking = |args: &&&[&str]| !args.contains(&"one") && !args.contains(&"paths");
    let more: [&[&str]; 4] = [&["check"], &["doctor"], &["trust", "--list"], &["hooks", "list"]];
    for args in READERS.iter().filter(is_looking).chain(&more) {
        let ran = stage.holm([&["--data", data.to_str().unwrap()], *args].concat());
        assert!(!data.parent().unwrap().exists(), "{args:?}: {ran:?}");
    }
}

#[test]
fn a_key_that_cannot_be_saved_is_told_with_what_to_do() {
    let stage = stage();
    let data = text(&stage.data());
    let line = ["sh", "-c", "echo key | \"$0\" keys add openai", env!("CARGO_BIN_EXE_holm")];
    let there = within(&stage, &["--ro-bind", &data, &data], &line);
    assert_eq!(there.code, Some(1), "{there:?}");
    assert_eq!(there.err.matches("hint: ").count(), 1, "{there:?}");
    assert!(there.err.contains("hint: nothing can be saved in "), "{there:?}");
}
