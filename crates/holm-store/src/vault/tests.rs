use super::*;

#[test]
fn what_is_sealed_opens_in_its_place_only() {
    let vault = KeyVault::new(&MasterKey::new([1; 32]));
    let (key, wrapped) = vault.new_key("run").unwrap();
    let sealed = key.seal("record", 3, b"text").unwrap();
    let again = vault.key("run", &wrapped).unwrap();
    assert_eq!(again.open("record", 3, &sealed).unwrap(), b"text");
    assert_eq!(again.open("record", 4, &sealed), None, "another record");
    assert_eq!(again.open("title", 3, &sealed), None, "another kind");
    assert!(vault.key("other", &wrapped).is_err(), "another run");
    assert!(KeyVault::new(&MasterKey::new([2; 32])).key("run", &wrapped).is_err(), "another master");
}

#[test]
fn every_changed_bit_is_found() {
    let vault = KeyVault::new(&MasterKey::new([1; 32]));
    let (key, _) = vault.new_key("run").unwrap();
    let sealed = key.seal("record", 0, b"some text").unwrap();
    for at in 0..sealed.len() {
        let mut damaged = sealed.clone();
        damaged[at] ^= 1;
        assert_eq!(key.open("record", 0, &damaged), None, "byte {at}");
        assert_eq!(key.open("record", 0, &sealed[..at]), None, "cut at {at}");
    }
}

#[test]
fn the_same_text_is_never_sealed_to_the_same_bytes() {
    let vault = KeyVault::new(&MasterKey::new([1; 32]));
    let (key, _) = vault.new_key("run").unwrap();
    assert_ne!(key.seal("record", 0, b"x").unwrap(), key.seal("record", 0, b"x").unwrap());
}

#[test]
fn a_store_knows_its_key_again() {
    let vault = KeyVault::new(&MasterKey::new([1; 32]));
    let check = vault.check().unwrap();
    assert!(vault.knows(&check));
    assert!(!KeyVault::new(&MasterKey::new([2; 32])).knows(&check));
}

#[test]
fn names_are_hidden_and_stable() {
    let vault = KeyVault::new(&MasterKey::new([1; 32]));
    assert_eq!(vault.name("abc"), vault.name("abc"));
    assert_ne!(vault.name("abc"), KeyVault::new(&MasterKey::new([2; 32])).name("abc"));
    assert!(!vault.name("abc").contains("abc"));
}
