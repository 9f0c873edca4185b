//! What is new, changed, linked or written by others is not used.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use super::{ContentHash, FolderSurvey, LinkedPathError, TrustError, TrustLedger, TrustStatus, place};
use crate::registry::{ToolFileGate as _, TrustGate};

/// A folder with two programs, one of them in a folder of its own.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("more")).expect("a folder");
    fs::write(folder.path().join("a.sh"), "echo a").expect("a file");
    fs::write(folder.path().join("more/b.sh"), "echo b\u{1b}[2J").expect("a file");
    folder
}

fn real(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().canonicalize().expect("a real path").join(name)
}

#[test]
fn nothing_of_a_new_folder_is_used_until_it_is_trusted() {
    let folder = folder();
    let survey = FolderSurvey::of(folder.path()).expect("a survey");
    let mut ledger = TrustLedger::in_memory();
    let questions = survey.questions(&ledger);
    assert_eq!(questions.len(), 2);
    assert!(questions.iter().all(|question| question.standing == TrustStatus::Unknown));
    assert_eq!(questions[1].head, "echo b\\u{1b}[2J", "a person sees what is hidden");
    assert!(matches!(ledger.read(&real(&folder, "a.sh")), Err(TrustError::Unknown { .. })));

    ledger.trust(&survey).expect("recorded");
    assert!(survey.questions(&ledger).is_empty());
    assert_eq!(&**ledger.read(&real(&folder, "a.sh")).expect("trusted").bytes(), b"echo a");
}

#[test]
fn a_change_asks_again_for_what_changed_alone() {
    let folder = folder();
    let mut ledger = TrustLedger::in_memory();
    ledger.trust(&FolderSurvey::of(folder.path()).expect("a survey")).expect("recorded");
    fs::write(real(&folder, "a.sh"), "echo A").expect("a change");
    fs::write(real(&folder, "new.sh"), "echo new").expect("a new file");

    assert!(matches!(ledger.read(&real(&folder, "a.sh")), Err(TrustError::Changed { .. })));
    assert!(matches!(ledger.read(&real(&folder, "new.sh")), Err(TrustError::Unknown { .. })));
    assert!(ledger.read(&real(&folder, "more/b.sh")).is_ok(), "what did not change stays trusted");
    let survey = FolderSurvey::of(folder.path()).expect("a survey");
    let asked: Vec<_> = survey.questions(&ledger).into_iter().map(|one| (one.path, one.standing)).collect();
    assert_eq!(
        asked,
        [(real(&folder, "a.sh"), TrustStatus::Changed), (real(&folder, "new.sh"), TrustStatus::Unknown)]
    );
}

#[test]
fn the_same_bytes_elsewhere_are_not_trusted() {
    let (one, other) = (folder(), folder());
    let mut ledger = TrustLedger::in_memory();
    ledger.trust(&FolderSurvey::of(one.path()).expect("a survey")).expect("recorded");
    assert!(matches!(ledger.read(&real(&other, "a.sh")), Err(TrustError::Unknown { .. })));
}

#[test]
fn links_pipes_and_devices_are_never_trusted() {
    let folder = folder();
    symlink("/etc/passwd", real(&folder, "link")).expect("a link");
    symlink("nowhere", real(&folder, "dangling")).expect("a link");
    symlink("/etc", real(&folder, "linked")).expect("a link");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        real(&folder, "pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("a pipe");
    let survey = FolderSurvey::of(folder.path()).expect("a survey");
    assert_eq!(survey.files().len(), 2);
    let mut skipped: Vec<_> = survey.skipped().iter().map(|one| one.path.clone()).collect();
    skipped.sort();
    assert_eq!(skipped, ["dangling", "link", "linked", "pipe"].map(|name| real(&folder, name)));

    // Not even where the record names the path and the content that the link leads to.
    let mut ledger = TrustLedger::in_memory();
    let target = fs::read("/etc/passwd").expect("a file");
    ledger.trust_file(&real(&folder, "link"), ContentHash::of(&target)).expect("recorded");
    assert!(matches!(ledger.read(&real(&folder, "link")), Err(TrustError::NotPlain { .. })));
}

#[test]
fn the_record_survives_and_two_processes_do_not_lose_each_others_entries() {
    let (folder, home) = (folder(), tempfile::tempdir().expect("a folder"));
    let file = home.path().join("trust.json");
    let mut one = TrustLedger::open(&file).expect("no record yet");
    let mut other = TrustLedger::open(&file).expect("no record yet");
    one.trust(&FolderSurvey::of(folder.path()).expect("a survey")).expect("recorded");
    other.trust_file(&home.path().join("x"), ContentHash::of(b"x")).expect("recorded");

    let again = TrustLedger::open(&file).expect("a record");
    assert_eq!(again.iter().len(), 3);
    assert!(again.read(&real(&folder, "a.sh")).is_ok());
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);

    other.forget(&folder.path().canonicalize().expect("a real path")).expect("recorded");
    assert_eq!(TrustLedger::open(&file).expect("a record").iter().len(), 1);
}

#[test]
fn a_record_that_others_could_have_written_is_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("trust.json");
    fs::write(&file, r#"{"version":1,"files":{}}"#).expect("a file");
    for mode in [0o620, 0o602, 0o666] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("a mode");
        assert_eq!(
            TrustLedger::open(&file).expect_err("exposed"),
            TrustError::Exposed(file.clone()),
            "{mode:o}"
        );
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a mode");
    assert!(TrustLedger::open(&file).is_ok());
}

#[test]
fn a_damaged_record_is_said_to_be_damaged() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("trust.json");
    for text in ["", "{", r#"{"version":2,"files":{}}"#, r#"{"version":1,"files":{"/a":"ff"}}"#, "[]"] {
        fs::write(&file, text).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a mode");
        assert!(matches!(TrustLedger::open(&file), Err(TrustError::Damaged { .. })), "{text}");
    }
}

#[test]
fn a_hash_is_64_lower_case_hex_digits() {
    let check = |text: &str, expect: bool| {
        assert_eq!(text.parse::<ContentHash>().is_ok(), expect, "{text}");
    };
    check(&"0f".repeat(32), true);
    check(&"0F".repeat(32), false);
    check(&"0f".repeat(31), false);
    check(&"0f".repeat(33), false);
    check(&format!("{}é", "0".repeat(62)), false);
    check("", false);
}

#[test]
fn what_was_trusted_along_with_a_file_is_remembered_as_such_and_forgotten_by_its_own_path() {
    let folder = folder();
    let (record, lead) = (real(&folder, "trust.json"), real(&folder, "hooks.json"));
    let (one, other) = (real(&folder, "a.sh"), real(&folder, "more/b.sh"));
    let hash = ContentHash::of(b"seen");
    let files = [lead.clone(), one.clone(), other.clone()].map(|path| (path, hash));
    TrustLedger::open(&record).expect("a record").trust_along(&lead, files).expect("recorded");

    let mut ledger = TrustLedger::open(&record).expect("the same record");
    assert!(ledger.along(&lead).eq([one.as_path(), other.as_path()]), "without the file itself");
    assert!(ledger.knows(&one) && ledger.standing(&one, &hash) == TrustStatus::Trusted);
    ledger.forget(&one).expect("forgotten");
    assert!(!ledger.knows(&one) && ledger.along(&lead).eq([other.as_path()]));
    ledger.forget(&lead).expect("forgotten");
    assert_eq!(ledger.along(&lead).count(), 0);
    assert!(ledger.knows(&other), "whoever forgets the file looks at what goes along with it first");
}

#[test]
fn a_file_is_placed_by_its_names_below_the_real_project_and_by_no_link() {
    let folder = folder();
    let project = real(&folder, "");
    symlink(&project, real(&folder, "way")).expect("a link");
    symlink("more", real(&folder, "linked")).expect("a link");
    symlink("a.sh", real(&folder, "b.sh")).expect("a link");
    symlink("b.sh", real(&folder, "more").join("c.sh")).expect("a link");
    let at = |name: &str| project.join(name);
    let linked = |name: &str| Err(LinkedPathError { path: at(name) });
    for (root, path, expect) in [
        (at(""), "a.sh", Ok(at("a.sh"))),
        (at(""), "more/../more/./b.sh", Ok(at("more/b.sh"))),
        (at("more"), "../a.sh", Ok(at("a.sh"))),
        (at("more"), "../more/b.sh", Ok(at("more/b.sh"))),
        (at("more"), "../more/c.sh", linked("more/c.sh")),
        (at(""), "none/yet.sh", Ok(at("none/yet.sh"))),
        (at(""), "linked/b.sh", linked("linked")),
        (at(""), "b.sh", linked("b.sh")),
        // A link on the way to the project is not an attack.
        (at("way"), "a.sh", Ok(at("a.sh"))),
        (at("way"), "linked/b.sh", linked("linked")),
    ] {
        assert_eq!(place(&root, std::path::Path::new(path)), expect, "{path} in {}", root.display());
        assert_eq!(place(&root, &root.join(path)), expect, "the whole path");
    }
    // Elsewhere, a link on the way is not an attack either, also for a path that
    // starts from the project.
    for path in ["../way/a.sh", "../more/../way/a.sh"] {
        assert_eq!(place(&at("more"), std::path::Path::new(path)), Ok(at("a.sh")), "{path}");
    }
    assert_eq!(place(&at("more"), std::path::Path::new("../way/b.sh")), linked("b.sh"));
    // A file above the project: its own name counts.
    assert_eq!(place(&at("more"), &at("b.sh")), linked("b.sh"));
    let told = LinkedPathError { path: "/x".into() }.to_string();
    assert!(LinkedPathError::is_said_in(&told) && told.starts_with("/x is a link"), "{told}");
}

#[test]
fn a_gate_lets_nothing_in_through_a_link_below_its_project() {
    let (one, other, home) = (folder(), folder(), tempfile::tempdir().expect("a folder"));
    let record = home.path().join("trust.json");
    let survey = FolderSurvey::of(&real(&one, "more")).expect("a survey");
    TrustLedger::open(&record).expect("a record").trust(&survey).expect("recorded");
    symlink(real(&one, "more"), real(&other, "tools")).expect("a link");
    let hash = ContentHash::of("echo b\u{1b}[2J".as_bytes());
    let ask = |project: &tempfile::TempDir, path: &str| {
        let project = project.path();
        TrustGate::new(&record, project).admits(&project.join(path), hash.as_bytes())
    };
    assert_eq!(ask(&one, "more/b.sh"), Ok(()));
    assert!(ask(&other, "more/b.sh").is_err_and(|why| why.contains("you have not trusted it")));
    assert!(ask(&other, "tools/b.sh").is_err_and(|why| LinkedPathError::is_said_in(&why)));
}
