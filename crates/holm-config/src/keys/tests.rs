use super::*;

#[cfg(unix)]
#[test]
fn keys_are_kept_for_their_owner_alone_and_can_be_forgotten() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let mut keys = KeyFile::load(&path).unwrap();
    keys.set("openai", &" canary-1 \n".into()).unwrap();
    keys.set("mistral", &"canary-2".into()).unwrap();
    keys.set("openai", &"canary-3".into()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let mut again = KeyFile::load(&path).unwrap();
    let held: Vec<(&str, &str)> = again.iter().map(|(name, key)| (name, key.expose_secret())).collect();
    assert_eq!(held, [("mistral", "canary-2"), ("openai", "canary-3")]);
    assert!(again.remove("openai").unwrap() && !again.remove("openai").unwrap());
    assert_eq!(KeyFile::load(&path).unwrap().names().collect::<Vec<_>>(), ["mistral"]);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let error = KeyFile::load(&path).unwrap_err();
    assert_eq!(error.problem, ConfigProblem::Shared);
    assert_eq!(error.fix(), format!("chmod 600 {}", path.display()));
}

#[cfg(unix)]
#[test]
fn nothing_of_a_key_is_in_a_message() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let mut keys = KeyFile::load(&path).unwrap();
    for bad in ["", "  ", "canary\ncanary", "canary\u{1b}[2J"] {
        let error = keys.set("openai", &bad.into()).unwrap_err();
        assert!(!format!("{error}{error:?}").contains("canary"), "{error}");
    }
    for broken in [
        "{\"version\":1,\"keys\":{\"a\":canary}}",
        "\"canary\"",
        "{\"version\":9,\"keys\":{\"a\":\"canary\"}}",
    ] {
        fs::write(&path, broken).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let error = KeyFile::load(&path).unwrap_err();
        assert!(!format!("{error}{error:?}").contains("canary"), "{error}");
    }
    // What is there is not lost because something that is damaged was met.
    assert!(path.exists());
}

#[test]
fn a_key_lies_in_the_file_or_in_the_keyring_and_never_in_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let mut keys = KeyFile::load(&path).unwrap();
    keys.set("openai", &"canary-1".into()).unwrap();
    keys.set_in_keyring("openai").unwrap();
    keys.set_in_keyring("mistral").unwrap();
    assert!(!fs::read_to_string(&path).unwrap().contains("canary"));
    let mut again = KeyFile::load(&path).unwrap();
    assert_eq!(
        (again.names().count(), again.in_keyring().collect::<Vec<_>>()),
        (0, vec!["mistral", "openai"])
    );
    again.set("openai", &"canary-2".into()).unwrap();
    assert_eq!(again.in_keyring().collect::<Vec<_>>(), ["mistral"]);
    assert!(again.remove("mistral").unwrap() && !again.remove("mistral").unwrap());
    assert_eq!(KeyFile::load(&path).unwrap().in_keyring().count(), 0);
}
