//! Tests the desktop keyring with a real one: a bus, GNOME's keyring and libsecret's program.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf, process::Command};

use holm_testkit::double::Act;

use crate::stage::{KEY, MODEL, Ran, Stage};

/// What a person does on a desktop, one line after the other. The keyring is there once it keeps something.
const SCRIPT: &str = r#"
printf '\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 || exit 90
tries=0
until printf x | timeout 10 secret-tool store --label=probe probe probe 2>/dev/null; do
    tries=$((tries + 1)); [ "$tries" -lt 100 ] || exit 91
    sleep 0.1
done
"$HOLM" keys add openai --keyring <"$TYPED" || exit 92
"$HOLM" keys list
"$HOLM" run --model "$MODEL" -p Hi. || exit 93
secret-tool lookup holm-folder "$HOLM_DATA" holm-key openai | cmp -s - "$TYPED" && echo 'the desktop has it'
"$HOLM" keys remove openai || exit 94
secret-tool lookup holm-folder "$HOLM_DATA" holm-key openai || echo 'the desktop has forgotten it'
"$HOLM" run --model "$MODEL" -p Hi. 2>/dev/null
echo "then it ends with $?"
"#;

#[test]
fn a_key_in_the_desktops_keyring_is_used_and_forgotten_and_written_nowhere() {
    for program in ["dbus-run-session", "gnome-keyring-daemon", "secret-tool"] {
        let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
        let missing = "install dbus-daemon, gnome-keyring and libsecret-tools, as `scripts/setup test` does";
        assert!(found.status.success(), "there is no {program}; {missing}");
    }
    let stage = Stage::new([Act::says("Here.")]);
    let home = stage.work().join("../home");
    let typed = stage.work().join("../typed");
    fs::create_dir(&home).unwrap();
    fs::write(&typed, KEY).unwrap();
    let mut command = Command::new("dbus-run-session");
    command.args(["--", "sh", "-c", SCRIPT]).current_dir(stage.work()).env_clear();
    stage.dress(&mut command);
    command.env_remove("OPENAI_API_KEY").env("HOME", &home).env("XDG_RUNTIME_DIR", &home);
    command.env("HOLM", env!("CARGO_BIN_EXE_holm")).env("TYPED", &typed).env("MODEL", MODEL);
    let ran = Ran::of(&command.output().unwrap());
    let expect =
        "openai  keyring\nHere.\nthe desktop has it\nthe desktop has forgotten it\nthen it ends with 5\n";
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), expect), "{ran:?}");
    assert!(!ran.err.contains(KEY), "{ran:?}");
    let left = stage.left_behind();
    assert!(
        !left.windows(KEY.len()).any(|window| window == KEY.as_bytes()),
        "the key is in no file of Holm's"
    );
}

/// A desktop whose keyring is a folder: it notes what it is asked, and takes and forgets nothing while a file `refuses` lies there.
const FOLDER: &str = r#"#!/bin/sh
folder=${0%/*}
for last; do :; done
printf '%s %s\n' "$1" "$last" >>"$folder/asked"
case "$1" in
store)
    IFS= read -r key
    [ -e "$folder/refuses" ] && exit 1
    printf '%s' "$key" >"$folder/$last" ;;
lookup)
    [ -e "$folder/$last" ] || exit 1
    IFS= read -r key <"$folder/$last"
    printf '%s' "$key" ;;
clear)
    [ -e "$folder/refuses" ] && exit 1
    [ -e "$folder/$last" ] || exit 1
    rm "$folder/$last" ;;
esac
"#;

/// A person at that desktop.
struct Desk {
    stage: Stage,
    folder: PathBuf,
}

impl Desk {
    fn new(acts: impl IntoIterator<Item = Act>) -> Self {
        let stage = Stage::new(acts);
        let folder = stage.work().join("../desktop");
        fs::create_dir(&folder).unwrap();
        let folder = folder.canonicalize().unwrap();
        let program = folder.join("secret-tool");
        fs::write(&program, FOLDER).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { stage, folder }
    }

    /// The command, with this on standard input and without a key in its environment.
    fn command(&self, args: &[&str], typed: &str) -> Command {
        let file = self.folder.join("typed");
        fs::write(&file, typed).unwrap();
        let path = format!("{}:{}", self.folder.display(), std::env::var("PATH").unwrap());
        let mut command = self.stage.command(args);
        command.env_remove("OPENAI_API_KEY").stdin(fs::File::open(&file).unwrap());
        command.env("PATH", path).env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/none");
        command
    }

    fn holm(&self, args: &[&str], typed: &str) -> Ran {
        Ran::of(&self.command(args, typed).output().unwrap())
    }

    fn adds(&self, provider: &str, key: &str) -> Ran {
        self.holm(&["keys", "add", provider, "--keyring"], key)
    }

    /// What it was asked for since it was last looked.
    fn asked(&self) -> String {
        let file = self.folder.join("asked");
        let asked = fs::read_to_string(&file).unwrap_or_default();
        fs::write(&file, "").unwrap();
        asked
    }
}

#[test]
fn a_keyring_is_asked_for_the_provider_that_is_used_and_for_no_other() {
    let desk = Desk::new([Act::says("Here."), Act::says("Again.")]);
    for (provider, key) in [("openai", KEY), ("anthropic", "another-key-of-no-use")] {
        let added = desk.adds(provider, key);
        assert_eq!(added.code, Some(0), "{added:?}");
    }
    desk.asked();
    let run = ["run", "--model", MODEL, "-p", "Hi."];
    desk.holm(&run, "").says("Here.\n");
    assert_eq!(desk.asked(), "lookup openai\n");
    // Nor at all for one whose key is set.
    Ran::of(&desk.command(&run, "").env("OPENAI_API_KEY", KEY).output().unwrap()).says("Again.\n");
    assert_eq!(desk.asked(), "");
    // The run that needs the key reports that it is gone.
    fs::remove_file(desk.folder.join("openai")).unwrap();
    desk.holm(&run, "").fails(5, "store it again with `holm keys add openai`");
    assert_eq!(desk.asked(), "lookup openai\n");
}

#[test]
fn a_key_that_the_desktop_did_not_take_is_found_before_an_old_one_that_it_has() {
    let desk = Desk::new([Act::says("Here.")]);
    assert_eq!(desk.adds("openai", "an-old-key-of-no-use").code, Some(0));
    fs::write(desk.folder.join("refuses"), "").unwrap();
    let added = desk.adds("openai", KEY);
    if added.code == Some(1) {
        // A container may forbid the kernel's keyring; then that is said, with what to do, and nothing has changed.
        added.fails(1, "the keyring failed (");
        assert_eq!(fs::read_to_string(desk.folder.join("openai")).unwrap(), "an-old-key-of-no-use");
        return;
    }
    assert_eq!(added.code, Some(0), "{added:?}");
    desk.holm(&["run", "--model", MODEL, "-p", "Hi."], "").says("Here.\n");
    // Once the desktop takes keys again, what it has counts.
    fs::remove_file(desk.folder.join("refuses")).unwrap();
    assert_eq!(desk.adds("openai", "a-new-key").code, Some(0));
    assert_eq!(fs::read_to_string(desk.folder.join("openai")).unwrap(), "a-new-key");
    assert_eq!(desk.holm(&["keys", "remove", "openai"], "").code, Some(0));
}
