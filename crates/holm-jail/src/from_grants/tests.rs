use std::path::Path;

use holm_grants::GrantSet;

use crate::error::JailError;
use crate::jail::Jail;
use crate::order::RootAccess;

fn jail(grants: &[&str]) -> Result<Jail, JailError> {
    let environment = [("LANG", "C"), ("LC_ALL", "C"), ("SECRET", "canary")];
    let environment = environment.map(|(name, value)| (name.into(), value.into()));
    Jail::from_grants(Path::new("/nowhere/w"), &GrantSet::parse(grants.iter().copied()).unwrap(), environment)
}

fn check(grant: &str, path: &str, access: RootAccess) {
    let roots = jail(&[grant]).unwrap().settled();
    let got: Vec<_> = roots.iter().map(|root| (root.path.to_str().unwrap(), root.access)).collect();
    assert_eq!(got, [(path, access)], "{grant}");
}

#[test]
fn a_grant_for_a_file_or_a_folder_becomes_a_root() {
    check("read:src/", "/nowhere/w/src", RootAccess::Read);
    check("read:src/**", "/nowhere/w/src", RootAccess::Read);
    check("read:src/lib.rs", "/nowhere/w/src/lib.rs", RootAccess::Read);
    check("read:**", "/nowhere/w", RootAccess::Read);
    check("read:./", "/nowhere/w", RootAccess::Read);
    check("read:/srv/data/", "/srv/data", RootAccess::Read);
    check("exec:./run.sh", "/nowhere/w/run.sh", RootAccess::Exec);
    check("exec:/opt/tool", "/opt/tool", RootAccess::Exec);
}

#[test]
fn a_grant_that_the_kernel_cannot_hold_is_refused_and_not_widened() {
    for grant in ["read:src/*.rs", "read:**/x", "read:*", "read:.", "read:a/*/b/", "exec:git*"] {
        assert!(matches!(jail(&[grant]), Err(JailError::NotARoot { .. })), "{grant}");
    }
    assert!(matches!(jail(&["exec:no-such-program"]), Err(JailError::NoProgram(_))));
}

#[test]
fn writing_needs_reading_and_the_missing_grant_is_named() {
    let missing = jail(&["write:out/"]).unwrap_err();
    assert_eq!(
        missing.to_string(),
        "write:out/ would also let the program read there; missing grant read:out/"
    );
    let both = jail(&["write:out/", "read:**"]).unwrap().settled();
    assert_eq!(
        both.iter().map(|root| root.access).collect::<Vec<_>>(),
        [RootAccess::Read, RootAccess::Write]
    );
}

#[test]
fn only_granted_variables_are_seen_and_no_grant_opens_the_network() {
    let jail = jail(&["env:LC_*", "fetch:*://*:*"]).unwrap();
    assert_eq!(jail, Jail::new().cwd("/nowhere/w").env("LC_ALL", "C"));
}
