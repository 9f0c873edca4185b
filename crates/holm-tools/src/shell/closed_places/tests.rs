use std::fs;

use super::*;

fn places(folder: &Path) -> ClosedPlaces {
    ClosedPlaces::new(folder, &DenyRules::of_commands())
}

/// A workspace with secrets, and with files that only look like them.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("app/.ssh")).unwrap();
    for name in [".env", ".env.example", "id_rsa", "id_rsa.pub", "README.md", "app/.env", "app/.ssh/config"] {
        fs::write(folder.path().join(name), "x").unwrap();
    }
    folder
}

#[test]
fn a_command_that_only_reads_closed_files_is_refused_with_the_reason() {
    let folder = workspace();
    let check = |text: &str, at: &str, expect: Option<&str>| {
        let script = ShellScript::read(text).unwrap();
        let expect = expect.map(|named| {
            let (word, rule) = named.split_once(' ').unwrap();
            format!(
                "`{word}` is closed to commands, because it may hold secrets (deny list: {rule}); no answer and \
                 no grant opens it"
            )
        });
        assert_eq!(places(folder.path()).refusal(&script, at), expect, "{text}");
    };
    check("cat .env", ".", Some(".env path:**/.env"));
    check("cat ./app/../.env", ".", Some("./app/../.env path:**/.env"));
    check("head -n 5 '.env'", "app", Some(".env path:**/.env"));
    check("cp id_rsa x", ".", Some("id_rsa path:**/id_rsa*"));
    check("cat app/.ssh/config", ".", Some("app/.ssh/config path:**/.ssh/"));
    check("cat ~/.ssh/config", ".", Some("~/.ssh/config path:**/.ssh/"));
    check("cat /home/someone/.aws/credentials", ".", Some("/home/someone/.aws/credentials path:**/.aws/"));
    for open in [
        "cat README.md",
        "cat .env.example id_rsa.pub",
        "cp .env.example .env",
        "cat .env README.md",
        "cat .env; cargo test",
        "cat app/.envrc",
        "cat > .env",
        "cat /tmp/mine/.env",
        "cat",
        "ls .env",
        "git add .env",
    ] {
        check(open, ".", None);
    }
}

#[test]
fn a_result_names_the_closed_files_that_the_command_was_told_to_read() {
    let folder = workspace();
    let check = |text: &str, failed: bool, expect: &[&str]| {
        let script = ShellScript::read(text).unwrap();
        let notes = places(folder.path()).notes(&script, text, folder.path(), failed);
        let words: Vec<&str> = notes.iter().map(|note| note.split('`').nth(1).unwrap()).collect();
        assert_eq!(words, expect, "{text}");
    };
    check("cat .env | wc -l", false, &[".env"]);
    check("cat .env || cat app/.env", false, &[".env", "app/.env"]);
    check("grep -q .env .gitignore && ls", false, &[]);
    check("cargo test", true, &[]);
    check("python3 x.py --file=.env", true, &[".env"]);
    check("wc -l < .env", true, &[".env"]);
    check("ssh -i \"$HOME/.ssh/key\" host", true, &["$HOME/.ssh/key"]);
}
