//! The desktop's keyring, with a real one: a bus, GNOME's keyring and libsecret's program.

use std::{fs, process::Command};

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
