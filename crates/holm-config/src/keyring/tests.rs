use linux_keyutils::{KeyRing, KeyRingIdentifier};
use secrecy::ExposeSecret as _;

use super::*;

#[test]
fn a_key_is_kept_for_one_folder_and_can_be_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let (mine, other) =
        (SystemKeyring::of(&folder.path().join("a")), SystemKeyring::of(&folder.path().join("b")));
    match mine.set("openai", &" canary-1 \n".into()) {
        Ok(()) => {}
        // A container may forbid the kernel's keyring; then that is said, and where the key goes instead.
        Err(error @ KeyringError::Refused(_)) => {
            assert!(error.to_string().contains("without --keyring"), "{error}");
            let kernels = KeyRing::get_persistent(KeyRingIdentifier::Session);
            assert!(kernels.is_err(), "the kernel gives a keyring, so a key must be kept: {error}");
            assert!(mine.get("openai").is_err() || mine.get("openai").is_ok_and(|key| key.is_none()));
            return;
        }
        Err(error) => panic!("{error}"),
    }
    mine.set("openai", &"canary-2".into()).unwrap();
    assert_eq!(mine.get("openai").unwrap().unwrap().expose_secret(), "canary-2");
    assert!(other.get("openai").unwrap().is_none() && mine.get("mistral").unwrap().is_none());
    assert!(mine.remove("openai").unwrap());
    assert!(!other.remove("openai").unwrap());
}

#[test]
fn what_is_no_key_is_refused_without_being_shown() {
    let folder = tempfile::tempdir().unwrap();
    let keyring = SystemKeyring::of(folder.path());
    for bad in ["", " \n", "canary\ncanary"] {
        assert_eq!(keyring.set("openai", &bad.into()), Err(KeyringError::NoKey));
    }
    assert!(!format!("{keyring:?}{}", KeyringError::NoKey).contains("canary"));
}
