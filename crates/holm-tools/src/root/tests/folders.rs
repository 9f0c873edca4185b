use std::path::Path;

use holm_grants::{AccessRequest, CallNeed, Grant};

use super::stage::Stage;
use crate::root::{ProtectionLevel, WorkspaceRoot, WorkspaceRootError};

#[test]
fn a_root_is_a_folder_that_exists() {
    let stage = Stage::new();
    assert!(matches!(
        WorkspaceRoot::open(&stage.inside().join("nowhere")),
        Err(WorkspaceRootError::Missing { .. })
    ));
    assert!(WorkspaceRoot::open(&stage.inside().join("ok.txt")).is_err());
    assert!(WorkspaceRoot::open(&stage.inside().join("a")).is_ok());
}

#[test]
fn a_folder_outside_the_root_needs_no_protection() {
    let stage = Stage::new();
    let root = WorkspaceRoot::open(&stage.inside()).unwrap();
    let before = root.rules().clone();
    let root = root.protect(&stage.base().join("data"), ProtectionLevel::Everything).unwrap();
    assert_eq!(*root.rules(), before);
    // Also through a link, and where it does not exist yet.
    let root = root.protect(&stage.inside().join("here/new/data"), ProtectionLevel::Everything).unwrap();
    assert!(root.rules().reading(&"new/data/x".parse().unwrap()).is_some());
    let root = root.protect(&stage.inside(), ProtectionLevel::Writes).unwrap();
    assert!(root.rules().writing(&"anything".parse().unwrap()).is_some());
    assert!(
        WorkspaceRoot::open(Path::new("/"))
            .unwrap()
            .protect(Path::new("relative/x"), ProtectionLevel::Writes)
            .is_ok()
    );
}

#[test]
fn a_permit_holds_what_was_granted_and_names_what_was_not() {
    let stage = Stage::new();
    let root = WorkspaceRoot::open(&stage.inside()).unwrap();
    let absolute = stage.inside().canonicalize().unwrap().join("a/ok.txt");
    let request = |text: &str| CallNeed::Request(text.parse::<AccessRequest>().unwrap());
    let needs = [
        request("read:ok.txt"),
        request(&format!("read:{}", absolute.display())),
        CallNeed::Grant("read:a/b/**".parse::<Grant>().unwrap()),
        request("write:new[1].txt"),
    ];
    let permit = root.permit(&needs);
    let check = |path: &str, read: bool, write: bool| {
        let path = root.path(path).unwrap();
        assert_eq!((permit.read(&path).is_ok(), permit.write(&path).is_ok()), (read, write), "{path}");
    };
    check("ok.txt", true, false);
    check("a/ok.txt", true, false);
    check("a/b/ok.txt", true, false);
    check("a/b", true, false);
    check("a", false, false);
    check("new[1].txt", false, true);
    check("new1.txt", false, false);
    let star = permit.read(&"a*".parse().unwrap()).unwrap_err();
    assert_eq!(star, WorkspaceRootError::NotGranted { need: "read:a[*]".into() });
    assert!(root.permit(&[]).read(&"ok.txt".parse().unwrap()).is_err(), "no needs, no power");
}
