use std::{fs, thread};

use super::Placeholders;

#[test]
fn many_jobs_that_protect_one_missing_path_at_once_all_stand_on_it() {
    let folder = tempfile::tempdir().unwrap();
    // A link on the way is refused, and temporary folders may lie behind one.
    let real = folder.path().canonicalize().unwrap();
    for name in [".git/hooks", ".git/config"] {
        let path = real.join(name);
        for _ in 0..20 {
            thread::scope(|jobs| {
                for _ in 0..16 {
                    jobs.spawn(|| {
                        let mut held = Placeholders { made: Vec::new(), locks: Vec::new() };
                        held.stand(&path).unwrap();
                        assert!(path.exists(), "nobody takes away what another stands on");
                    });
                }
            });
            // Whoever made it may have left before the others; then it stays, and the next ones find it.
            let _ = fs::remove_dir_all(real.join(".git"));
        }
    }
}

#[test]
fn a_placeholder_goes_with_the_only_job_that_needs_it() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let path = real.join(".git/config");
    let mut held = Placeholders { made: Vec::new(), locks: Vec::new() };
    held.stand(&path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
    drop(held);
    assert!(!real.join(".git").exists());
}

#[test]
fn a_pipe_in_a_protected_place_is_not_waited_for_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    for name in [".bashrc", "holm.toml", ".git", ".holm"] {
        let path = real.join(name);
        let pipe = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, pipe, 0).unwrap();
        let mut held = Placeholders { made: Vec::new(), locks: Vec::new() };
        held.stand(&path).unwrap();
        drop(held);
        assert!(path.symlink_metadata().is_ok(), "{name}");
    }
    // One that somebody outside put where a placeholder was is neither read nor taken away.
    let path = real.join(".profile");
    let mut held = Placeholders { made: Vec::new(), locks: Vec::new() };
    held.stand(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let pipe = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, pipe, 0).unwrap();
    drop(held);
    assert!(path.symlink_metadata().is_ok(), "it is somebody's");
}
