use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use super::{FilePath, PathPattern};
use crate::error::PathError;

fn pattern(text: &str) -> PathPattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn admits(text: &str, path: &str, expect: bool) {
    assert_eq!(pattern(text).admits(&path.parse().unwrap()), expect, "{text} on {path}");
}

fn contains(a: &str, b: &str, expect: bool) {
    assert_eq!(pattern(a).contains(&pattern(b)), expect, "{a} contains {b}");
}

#[test]
fn each_form_of_pattern_admits_what_the_table_says() {
    admits("src/lib.rs", "src/lib.rs", true);
    admits("src/lib.rs", "src/lib.rs/x", false);
    admits("src/*.rs", "src/lib.rs", true);
    admits("src/*.rs", "src/net/lib.rs", false);
    for subtree in ["src/**", "src/"] {
        admits(subtree, "src", true);
        admits(subtree, "src/a/b", true);
        admits(subtree, "srcx", false);
    }
    admits("**/.env", ".env", true);
    admits("**/.env", "a/b/.env", true);
    admits("**/.env", "a/.env.local", false);
    admits("a/**/b", "a/b", true);
    admits("a/**/b", "a/x/y/b", true);
    admits("*", ".hidden", true);
    admits("*", ".", false);
    admits(".", ".", true);
    admits(".", "a", false);
    admits("./", "a/b", true);
    admits("**", ".", true);
}

#[test]
fn relative_and_absolute_never_meet() {
    admits("**", "/etc/passwd", false);
    admits("/", "etc/passwd", false);
    admits("/", "/etc/passwd", true);
    admits("/", "/", true);
    admits("/.", "/", true);
    admits("/.", "/etc", false);
    contains("/", "**", false);
    contains("**", "/", false);
    contains("/", "/.", true);
    contains("/.", "/", false);
}

#[test]
fn containment_sees_through_different_spellings() {
    contains("src/", "src/**", true);
    contains("src/**", "src/", true);
    contains("**/*", "*/**", true);
    contains("*/**", "**/*", true);
    contains("**", "**/*", true);
    contains("**/*", "**", false);
    contains("a/**/*/b", "a/*/**/b", true);
    contains("**/a/**", "**/a/**/a/**", true);
    contains("**/a/**/a/**", "**/a/**", false);
    contains("src/*", "src/*.rs", true);
    contains("src/*.rs", "src/*", false);
    contains("*.rs", "**", false);
    contains("**/*/y", "x/**/y", true);
}

#[test]
fn literal_stars_are_not_wildcards() {
    let path: FilePath = "a/*/**".parse().unwrap();
    let exact = PathPattern::exactly(&path).unwrap();
    assert_eq!(exact.to_string(), "a/[*]/[*][*]");
    assert!(exact.admits(&path));
    assert!(!exact.admits(&"a/b/c".parse().unwrap()));
    assert!(pattern("a/").contains(&exact));
    assert_eq!(pattern(&exact.to_string()), exact);
}

#[test]
fn patterns_print_as_they_read() {
    for text in [
        "src/**",
        "out/",
        ".",
        "./",
        "/",
        "/.",
        "/usr/share/",
        "**/.env",
        "a*b*c/[*]",
        "[slug]/page.tsx",
        "*",
    ] {
        assert_eq!(pattern(text).to_string(), text);
    }
    for (text, canonical) in [("a/**/**/b", "a/**/b"), ("a/**/", "a/**"), ("**/**", "**")] {
        assert_eq!(pattern(text).to_string(), canonical);
    }
}

#[test]
fn patterns_that_are_not_in_normal_form_are_refused() {
    let check =
        |text: &str, error: PathError| assert_eq!(text.parse::<PathPattern>(), Err(error), "{text:?}");
    check("", PathError::Empty);
    check("a//b", PathError::EmptyComponent);
    check("//a", PathError::EmptyComponent);
    check("a/./b", PathError::DotComponent);
    check("../a", PathError::DotComponent);
    check("a/..", PathError::DotComponent);
    check("/..", PathError::DotComponent);
    check("a\\b", PathError::Backslash);
    check("a\0b", PathError::Hidden { code: 0 });
    check("a\u{202e}b", PathError::Hidden { code: 0x202e });
    check("a**b", PathError::DeepInside);
    check("***", PathError::DeepInside);
    check("~/x", PathError::Home);
    check(&"a".repeat(256), PathError::ComponentTooLong { max: 255 });
    check(&"a/".repeat(257), PathError::TooDeep { max: 256 });
    check(&"a".repeat(4097), PathError::TooLong { max: 4096 });
}

/// The path attacks that text alone can show. Links, races and devices are up to the code
/// that opens the file.
#[test]
fn every_path_attack_is_refused_or_taken_literally() {
    let refused = |name: &str, text: &str, error: PathError| {
        assert_eq!(text.parse::<FilePath>(), Err(error), "{name}");
    };
    refused("plain parent", "../etc/passwd", PathError::Escapes);
    refused("parent after a folder", "a/../../etc", PathError::Escapes);
    refused("parent of the root", "/../etc", PathError::Escapes);
    refused("parent behind dots and slashes", ".//./a/./..//../b", PathError::Escapes);
    refused("backslash parent", "..\\etc", PathError::Backslash);
    refused("backslash inside", "a\\..\\b", PathError::Backslash);
    refused("nul", "a\0.txt", PathError::Hidden { code: 0 });
    refused("newline", "a\nb", PathError::Hidden { code: 10 });
    refused("terminal escape", "a\u{1b}[2Jb", PathError::Hidden { code: 0x1b });
    refused("right to left override", "a\u{202e}gpj.exe", PathError::Hidden { code: 0x202e });
    refused("zero width space", ".e\u{200b}nv", PathError::Hidden { code: 0x200b });
    refused("empty", "", PathError::Empty);
    refused("home", "~/.ssh/id_rsa", PathError::Home);
    refused("home alone", "~", PathError::Home);
    refused("5,000 characters", &"a".repeat(5000), PathError::TooLong { max: 4096 });
    refused("300 components", &"a/".repeat(300), PathError::TooDeep { max: 256 });
    refused("long component", &"a".repeat(256), PathError::ComponentTooLong { max: 255 });
    for name in ["root", "cwd", "fd/3", "environ", "mem", ""] {
        refused("process link", &format!("/proc/self/{name}"), PathError::Alias);
        refused("process link by number", &format!("/proc/1/{name}"), PathError::Alias);
    }
    refused("thread link", "/proc/thread-self/root", PathError::Alias);
    refused("process link behind dots", "/proc/./x/../self/root", PathError::Alias);
    refused("descriptor", "/dev/fd/3", PathError::Alias);
    refused("standard input", "/dev/stdin", PathError::Alias);

    let literal = |name: &str, text: &str, shown: &str| {
        let path: FilePath = text.parse().unwrap();
        assert_eq!(path.to_string(), shown, "{name}");
        assert_eq!(path.to_string().parse(), Ok(path.clone()), "{name} reads back");
        assert!(path.is_absolute() || pattern("**").admits(&path), "{name} stays beneath the root");
    };
    literal("encoded parent is a name", "%2e%2e/etc", "%2e%2e/etc");
    literal("doubly encoded parent is a name", "%252e%252e/etc", "%252e%252e/etc");
    literal("full-width dots are a name", "．．/etc", "．．/etc");
    literal("three dots are a name", ".../etc", ".../etc");
    literal("trailing slash", "out/", "out");
    literal("trailing dot component", "out/.", "out");
    literal("trailing dot is kept", "a.", "a.");
    literal("doubled slashes", "a//b", "a/b");
    literal("dot components", "a/./b", "a/b");
    literal("parent that stays beneath", "a/../b", "b");
    literal("all the way back", "a/..", ".");
    literal("absolute", "/etc/passwd", "/etc/passwd");
    literal("tilde inside", "a/~", "a/~");
    literal("tilde in a name", "~notes", "~notes");
    literal("wildcards", "**/*", "**/*");
    literal("braces", "{path}", "{path}");
    literal("process folder itself", "/proc/cpuinfo", "/proc/cpuinfo");
}

#[test]
fn normal_forms_of_unicode_are_different_files() {
    let composed = pattern("caf\u{e9}");
    assert!(!composed.admits(&"cafe\u{301}".parse().unwrap()));
    assert!(!pattern("src/").admits(&"SRC/x".parse().unwrap()));
}

#[test]
fn a_path_beneath_the_workspace_becomes_relative() {
    let root: FilePath = "/home/me/ws".parse().unwrap();
    for (path, expect) in [
        ("/home/me/ws/a/b", "a/b"),
        ("/home/me/ws", "."),
        ("/home/me/wsx/a", "/home/me/wsx/a"),
        ("/etc/passwd", "/etc/passwd"),
        ("home/me/ws/a", "home/me/ws/a"),
    ] {
        assert_eq!(path.parse::<FilePath>().unwrap().rebased(&root).to_string(), expect);
    }
}

#[test]
fn paths_are_ordered_by_their_components() {
    let mut paths: Vec<FilePath> =
        ["/a", "a.b", "a", "a/b", ".", "/", "a b"].iter().map(|text| text.parse().unwrap()).collect();
    paths.sort();
    let shown: Vec<String> = paths.iter().map(ToString::to_string).collect();
    assert_eq!(shown, [".", "a", "a/b", "a b", "a.b", "/", "/a"]);
    let deep: FilePath = "/a/b/c".parse().unwrap();
    assert_eq!(deep.components().rev().collect::<Vec<_>>(), ["c", "b", "a"]);
}

/// Every sequence of at most `longest` of the given items, joined by slashes; the empty one first.
fn sequences(items: &[&str], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for i in from..to {
            for item in items {
                let slash = if all[i].is_empty() { "" } else { "/" };
                all.push(format!("{}{slash}{item}", all[i]));
            }
        }
        from = to;
    }
    all
}

/// Matches component by component in every possible way; too slow for anything but a reference.
fn matches_slowly(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], rest) => rest.is_empty(),
        (["**", after @ ..], []) => matches_slowly(after, path),
        (["**", after @ ..], [_, tail @ ..]) => matches_slowly(after, path) || matches_slowly(pattern, tail),
        (["*", after @ ..], [_, tail @ ..]) => matches_slowly(after, tail),
        ([name, after @ ..], [first, tail @ ..]) => name == first && matches_slowly(after, tail),
        ([_, ..], []) => false,
    }
}

#[test]
fn matching_agrees_with_trying_every_way() {
    let paths = sequences(&["a", "z"], 6);
    for text in sequences(&["a", "*", "**"], 4).into_iter().filter(|text| !text.is_empty()) {
        let parsed = pattern(&text);
        let steps: Vec<&str> = text.split('/').collect();
        for path in &paths {
            let components: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
            let file: FilePath = format!("./{path}").parse().unwrap();
            assert_eq!(parsed.admits(&file), matches_slowly(&steps, &components), "{text} on {file}");
        }
    }
}

/// The hardest member of a pattern has one foreign letter per `*` and, for a `**`, no component or
/// more foreign ones than the other pattern can count. Were the paths too short to show a
/// difference, the two answers would differ.
#[test]
fn containment_agrees_with_enumeration_for_every_small_pair() {
    let root = |text: String| if text.is_empty() { String::from(".") } else { text };
    let paths: Vec<FilePath> = sequences(&["a", "z", "az", "za", "zaz"], 4)
        .into_iter()
        .map(|text| root(text).parse().unwrap())
        .collect();
    let rows: Vec<(PathPattern, Vec<bool>)> = sequences(&["a", "*", "a*", "*a", "*a*", "**"], 3)
        .into_iter()
        .map(|text| {
            let pattern = pattern(&root(text));
            let row = paths.iter().map(|path| pattern.admits(path)).collect();
            (pattern, row)
        })
        .collect();
    for (a, in_a) in &rows {
        for (b, in_b) in &rows {
            let enumerated = in_a.iter().zip(in_b).all(|(a, b)| *a || !*b);
            assert_eq!(a.contains(b), enumerated, "{a} contains {b}");
        }
    }
}

/// Longer patterns with fewer shapes, where runs of wildcards on both sides interleave.
#[test]
fn containment_agrees_with_enumeration_where_wildcards_interleave() {
    let root = |text: String| if text.is_empty() { String::from(".") } else { text };
    let paths: Vec<FilePath> =
        sequences(&["a", "z"], 8).into_iter().map(|text| root(text).parse().unwrap()).collect();
    let rows: Vec<(PathPattern, Vec<bool>)> = sequences(&["a", "*", "**"], 5)
        .into_iter()
        .map(|text| {
            let pattern = pattern(&root(text));
            let row = paths.iter().map(|path| pattern.admits(path)).collect();
            (pattern, row)
        })
        .collect();
    for (a, in_a) in &rows {
        for (b, in_b) in &rows {
            let enumerated = in_a.iter().zip(in_b).all(|(a, b)| *a || !*b);
            assert_eq!(a.contains(b), enumerated, "{a} contains {b}");
        }
    }
}

#[test]
fn hostile_patterns_are_decided_in_bounded_work() {
    let deep = pattern(&format!("{}b", "**/a*a/".repeat(100)));
    let wide = pattern(&"a*".repeat(120));
    let path: FilePath = vec!["aaaaaaaaaaaaaa"; 250].join("/").parse().unwrap();
    assert!(!deep.admits(&path));
    assert!(!deep.contains(&wide));
    assert!(deep.contains(&deep));
}
