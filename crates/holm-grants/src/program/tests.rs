use alloc::string::ToString;

use super::{ProgramPattern, ProgramRef};
use crate::error::{GrantError, PathError};

fn check(pattern: &str, program: &str, expect: bool) {
    let parsed: ProgramPattern = pattern.parse().unwrap();
    assert_eq!(parsed.admits(&program.parse().unwrap()), expect, "{pattern} on {program}");
    assert_eq!(parsed.to_string().parse(), Ok(parsed), "{pattern} prints as it reads");
}

#[test]
fn a_name_and_a_path_never_stand_for_each_other() {
    check("git", "git", true);
    check("git", "./git", false);
    check("git", "/usr/bin/git", false);
    check("*", "git", true);
    check("*", "./git", false);
    check("./**", "scripts/build.sh", true);
    check("./", "./run.sh", true);
    check("./**", "/bin/sh", false);
    check("/usr/bin/*", "/usr/bin/git", true);
    check("/usr/bin/*", "/usr/bin/../../bin/sh", false);
    check("scripts/*.sh", "./scripts/test.sh", true);
}

#[test]
fn a_path_prints_so_that_it_cannot_be_read_as_a_name() {
    for (text, shown) in [("./run.sh", "./run.sh"), ("a/b", "./a/b"), ("/bin/sh", "/bin/sh"), ("git", "git")]
    {
        assert_eq!(text.parse::<ProgramRef>().unwrap().to_string(), shown);
        assert_eq!(text.parse::<ProgramPattern>().unwrap().to_string(), shown);
    }
}

#[test]
fn a_root_is_no_program() {
    for text in ["./", "/", "a/..", "/."] {
        assert_eq!(text.parse::<ProgramRef>(), Err(GrantError::Path(PathError::Empty)), "{text}");
    }
    assert_eq!("./.".parse::<ProgramPattern>(), Err(GrantError::Path(PathError::Empty)));
}

#[test]
fn a_denied_name_is_denied_in_every_folder_and_spelling() {
    let rm: ProgramPattern = "rm".parse().unwrap();
    for program in ["rm", "RM", "/bin/rm", "./rm", "tools/Rm."] {
        assert!(rm.denies(&program.parse().unwrap()), "{program}");
    }
    let shouted: ProgramPattern = "RM".parse().unwrap();
    assert!(shouted.denies(&"/bin/rm".parse().unwrap()));
    for program in ["rmdir", "/bin/rmdir", "rm/x"] {
        assert!(!rm.denies(&program.parse().unwrap()), "{program}");
    }
}
