use crate::{TOOL, work};

/// Runs a call in a folder with some files; paths come back without the folder.
fn grep(words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap().to_owned();
    let files: [(&str, &[u8]); 5] = [
        ("a.rs", b"fn main() {\n    call();\n}\n"),
        ("b.txt", b"Call me\nnobody calls\n\ncall\n"),
        ("bin", b"call\0call\n"),
        ("skip/c.rs", b"call\n"),
        (".gitignore", b"skip\n"),
    ];
    for (path, bytes) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let (pattern, options) = words.split_first().unwrap();
    let line = options.iter().copied().chain([*pattern, root.as_str()]).map(str::to_owned);
    let mut out = Vec::new();
    match TOOL.call(line).and_then(|values| work(&values, &mut out)) {
        Ok(()) => String::from_utf8(out).unwrap().replace(&format!("{root}/"), ""),
        Err(fault) => format!("! {fault}"),
    }
}

#[track_caller]
fn check(words: &[&str], expect: &str) {
    assert_eq!(grep(words).trim_end(), expect, "{words:?}");
}

#[test]
fn lines_are_found_with_their_places() {
    check(&["call"], "a.rs:2:    call();\nb.txt:2:nobody calls\nb.txt:4:call");
    check(&["call", "-i", "-w"], "a.rs:2:    call();\nb.txt:1:Call me\nb.txt:4:call");
    check(&["call()", "--fixed"], "a.rs:2:    call();");
    check(&["^call$"], "b.txt:4:call");
    check(&["none"], "nothing matches none");
}

#[test]
fn files_and_counts_can_be_shown_instead() {
    check(&["call", "--show=files"], "a.rs\nb.txt");
    check(&["call", "--show=count"], "a.rs:1\nb.txt:2");
    check(&["call", "--show=files", "-g", "*.rs"], "a.rs");
    check(&["call", "--show=files", "--ignored"], "a.rs\nb.txt\nskip/c.rs");
}

#[test]
fn context_stands_around_matches() {
    check(&["main", "-C1"], "a.rs:1:fn main() {\na.rs-2-    call();");
    check(&["main.*call", "-U"], "a.rs:1:fn main() {\na.rs:2:    call();");
}

#[test]
fn there_is_an_end_to_it() {
    check(&["call", "--limit=1"], "a.rs:2:    call();\n[cut after 1 matches; there may be more]");
    assert!(grep(&["("]).starts_with("! this is no regular expression: "));
}
