use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::{CallNeed, NeedTemplate, TemplateError};

fn template(text: &str) -> NeedTemplate {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Fills every argument called `v` with the values, leaving all others absent.
fn fill(text: &str, values: &[&str]) -> Result<Vec<CallNeed>, TemplateError> {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    template(text)
        .needs(|name| if name == "v" { values.iter().map(String::as_str).collect() } else { vec![] })
}

fn needs(text: &str, values: &[&str], expect: &[&str]) {
    let got = fill(text, values).unwrap_or_else(|error| panic!("{text} with {values:?}: {error}"));
    assert_eq!(got.iter().map(ToString::to_string).collect::<Vec<_>>(), expect, "{text} with {values:?}");
}

fn refused(text: &str, value: &str) {
    let got = fill(text, &[value]);
    assert!(got.is_err(), "{text} with {value:?} gave {got:?}");
}

#[test]
fn an_argument_names_one_thing() {
    needs("read:{v}", &["src/lib.rs"], &["read:src/lib.rs"]);
    needs("read:{v}", &["a/../b"], &["read:b"]);
    needs("read:{v}", &["/etc/hosts"], &["read:/etc/hosts"]);
    needs("write:out/{v}", &["a/b.txt"], &["write:out/a/b.txt"]);
    needs("write:out/{v}.txt", &["a"], &["write:out/a.txt"]);
    needs("fetch:{v}", &["HTTPS://Example.com"], &["fetch:https://example.com/"]);
    needs("fetch:https://{v}/api", &["a.example"], &["fetch:https://a.example/api"]);
    needs("fetch:https://h.example/r/{v}", &["a/../b c"], &["fetch:https://h.example/r/a%2F..%2Fb%20c"]);
    needs("fetch:http://localhost:{v}", &["8080"], &["fetch:http://localhost:8080/"]);
    needs("exec:{v}", &["git"], &["exec:git"]);
    needs("exec:./bin/{v}", &["run"], &["exec:./bin/run"]);
    needs("exec:./{v}", &["run"], &["exec:./run"]);
    needs("secret:github@{v}", &["API.github.com"], &["secret:github@api.github.com"]);
    needs("tool:mcp_{v}", &["x"], &["tool:mcp_x"]);
    needs("env:{v}", &["LANG"], &["env:LANG"]);
    needs("spawn:{v}", &["helper"], &["spawn:helper"]);
}

#[test]
fn what_fills_a_slot_is_never_a_pattern() {
    needs("read:{v}", &["**"], &["read:**"]);
    assert!(matches!(fill("read:{v}", &["**"]).unwrap().as_slice(), [CallNeed::Request(_)]));
    needs("read:{v}/", &["*"], &["read:[*]/"]);
    needs("read:{v}/**", &["**"], &["read:[*][*]/**"]);
    needs("read:{v}", &["{v}"], &["read:{v}"]);
    needs("read:a{v}b", &["*"], &["read:a*b"]);
    assert!(matches!(fill("read:a{v}b", &["*"]).unwrap().as_slice(), [CallNeed::Request(_)]));
    needs("tool:{v}", &["*"], &["tool:*"]);
    assert!(matches!(fill("tool:{v}", &["*"]).unwrap().as_slice(), [CallNeed::Request(_)]));
    refused("fetch:https://{v}", "*");
    refused("fetch:{v}", "*://*");
}

#[test]
fn a_value_cannot_leave_its_place() {
    for value in ["../x", "..", "a/../../x", "/etc/passwd", "/", "", "a\\b", "a\0", "~/x"] {
        refused("write:out/{v}", value);
        refused("write:out/{v}/log", value);
    }
    for value in ["../x", "a/b", "a/..", ".", "..", "./a", "a/", "/a", "", "a\\b"] {
        refused("write:out/x{v}", value);
        refused("write:out/{v}.txt", value);
        refused("exec:./bin/x{v}", value);
    }
    for value in [
        "evil.example/",
        "evil.example#",
        "evil.example?",
        "u@evil.example",
        "evil.example:1",
        "a\\b",
        "",
        "..",
    ] {
        refused("fetch:https://{v}/api", value);
    }
    for value in ["..", ".", ""] {
        refused("fetch:https://h.example/r/{v}", value);
    }
    for value in ["../sh", "/bin/sh", "", "a b", "x\n"] {
        refused("exec:tool-{v}", value);
    }
    for value in ["a@evil.example", "evil.example/x", ""] {
        refused("secret:github@{v}", value);
    }
    for value in ["/bin/sh", "../x", "."] {
        refused("exec:./{v}", value);
    }
    refused("read:/dev/{v}", "fd/3");
    refused("read:{v}", "../x");
}

#[test]
fn a_whole_folder_is_needed_where_the_template_says_so() {
    needs("read:{v}/", &["src"], &["read:src/"]);
    needs("read:{v}/**/*.rs", &["src"], &["read:src/**/*.rs"]);
    needs("read:{v}/", &["."], &["read:./"]);
    needs("read:{v}/", &["/usr/share"], &["read:/usr/share/"]);
    needs("read:/srv/{v}/", &["a"], &["read:/srv/a/"]);
    assert!(matches!(fill("read:{v}/", &["src"]).unwrap().as_slice(), [CallNeed::Grant(_)]));
}

#[test]
fn a_template_without_arguments_is_a_fixed_need() {
    needs("exec:git", &[], &["exec:git"]);
    needs("read:src/**", &[], &["read:src/**"]);
    needs("read:a.txt", &[], &["read:a.txt"]);
    needs("fetch:https://api.example.com", &[], &["fetch:https://api.example.com"]);
    assert!(matches!(fill("exec:git", &[]).unwrap().as_slice(), [CallNeed::Request(_)]));
    assert!(matches!(fill("env:LC_*", &[]).unwrap().as_slice(), [CallNeed::Grant(_)]));
}

#[test]
fn absence_is_decided_by_the_author_and_refused_by_default() {
    assert_eq!(fill("read:{path}", &[]), Err(TemplateError::Missing { name: String::from("path") }));
    needs("read:{path?}", &[], &[]);
    needs("read:{path=.}", &[], &["read:."]);
    needs("read:{path=src}/", &[], &["read:src/"]);
    needs("read:{v?}", &["a"], &["read:a"]);
}

#[test]
fn the_root_of_a_sandboxed_tool_is_the_workspace() {
    let check = |value: &str, expect: &str| {
        let workspace = "/home/me/project".parse().ok();
        let got = template("read:{v:workspace}").needs_in(workspace.as_ref(), |_| vec![value]).unwrap();
        assert_eq!(got.iter().map(ToString::to_string).collect::<Vec<_>>(), [expect], "{value}");
    };
    check("/src/a.txt", "read:src/a.txt");
    check("src/a.txt", "read:src/a.txt");
    check("//a", "read:a");
    check("/", "read:.");
    check("/home/me/project/a", "read:a");
    check("/home/me/project", "read:.");
    check("/home/me/projects/a", "read:home/me/projects/a");
    needs("read:{v:workspace}/", &["/sub"], &["read:sub/"]);
    needs("read:{x:workspace=.}/", &[], &["read:./"]);
    refused("read:{v:workspace}", "/../etc/passwd");
    let read = template("read:{a}/{b:workspace}");
    assert_eq!(read.workspace_paths().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn a_list_of_values_is_a_list_of_needs() {
    needs("read:{v}", &["a", "b"], &["read:a", "read:b"]);
    let two: NeedTemplate = template("write:{a}/{b}");
    let got = two.needs(|name| if name == "a" { vec!["x", "y"] } else { vec!["1", "2"] }).unwrap();
    assert_eq!(
        got.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["write:x/1", "write:x/2", "write:y/1", "write:y/2"]
    );
    assert_eq!(two.arguments().collect::<Vec<_>>(), ["a", "b"]);
    let many = vec!["x"; 17];
    assert_eq!(two.needs(|_| many.clone()), Err(TemplateError::TooManyNeeds { max: 256 }));
    assert!(fill("read:{v}", &["a", "../b"]).is_err(), "one bad value refuses the call");
}

#[test]
fn templates_print_as_they_read() {
    for text in [
        "read:{path}",
        "read:{path:workspace}",
        "read:{path:workspace=.}/",
        "read:{path?}",
        "read:{path=.}/**",
        "write:out/{a.b}-{c}.txt",
        "exec:git",
        "fetch:{url}",
    ] {
        let template = template(text);
        assert_eq!(template.to_string(), text);
        let json = serde_json::to_string(&template).unwrap();
        assert_eq!(serde_json::from_str::<NeedTemplate>(&json).unwrap(), template);
    }
}

#[test]
fn an_authors_mistake_shows_at_registration() {
    for text in [
        "read:{path",
        "read:path}",
        "read:{}",
        "read:{a b}",
        "read:{{a}}",
        "read:{?}",
        "read:*{a}",
        "read:../{a}",
        "read:./{a}",
        "read:a//{b}",
        "read:{a=../x}",
        "write:**x/{a}",
        "read:/proc/{pid}/environ",
        "tool:{a}*",
        "fetch:ftp://{host}/",
        "fetch:{base}/v1",
        "{kind}:x",
        "time:{s}",
        "read:",
        "exec:{a}{b}{c}{d}{e}{f}{g}{h}{i}",
    ] {
        assert!(text.parse::<NeedTemplate>().is_err(), "{text}");
    }
    let long = alloc::format!("read:{}", "a/".repeat(600));
    assert_eq!(long.parse::<NeedTemplate>(), Err(TemplateError::TooLong { max: 1024 }));
}

#[test]
fn a_wrong_argument_is_named_once() {
    let template: NeedTemplate = "read:{path}".parse().unwrap();
    let told = |value: &'static str| template.needs(|_| [value]).unwrap_err().to_string();
    assert_eq!(told("../x"), "argument path: leaves the folder with ..; use a path inside it");
    assert_eq!(told(""), "argument path: empty; write . for the workspace root");
    let program: NeedTemplate = "exec:{program}".parse().unwrap();
    let told = program.needs(|_| [""]).unwrap_err().to_string();
    assert_eq!(told, "argument program: nothing after exec:; write a name, for example exec:git");
}

#[test]
fn a_space_behind_the_colon_is_a_mistake_in_a_template_too() {
    let error = "read: {path}".parse::<NeedTemplate>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "white space after the colon; write read: and the value without a space between them"
    );
    let search: NeedTemplate = "read:{folder}/**".parse().unwrap();
    assert!(search.needs(|_| [" odd"]).is_err(), "it could not be read back");
    assert!(search.needs(|_| ["a/ odd"]).is_ok());
}

#[test]
fn a_patch_needs_every_file_that_it_names() {
    let git = "diff --git a/src/x.rs b/src/x.rs\n--- a/src/x.rs\n+++ b/src/x.rs\n@@ -1 +1 @@\n-x\n+y\n\
               --- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+z\n--- a/old.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n";
    needs("write:{v:files?}", &[git], &["write:src/x.rs", "write:new.rs", "write:old.rs"]);
    needs("read:{v:files}", &["--- a/x\n+++ a/x\n@@ @@\n-1\n+2\n"], &["read:a/x"]);
    needs("read:{v:files}", &["--- one\n+++ two\n@@ @@\n-1\n+2\n"], &["read:one", "read:two"]);
    let sections = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@ def f():\n-x\n+y\n\
                    *** Add File: c.py\n+--- d.py\n*** Delete File: /etc/e.py\n*** End Patch\n";
    let expect = ["write:a.py", "write:b.py", "write:c.py", "write:/etc/e.py"];
    needs("write:{v:files}", &[sections], &expect);
    // A name in the text of a change is no file.
    needs("write:{v:files}", &["--- x\n+++ x\n@@ @@\n-*** Add File: y\n++++ z\n"], &["write:x"]);
    needs("write:{v:files?}", &["@@ -1 +1 @@\n-a\n+b\n"], &[]);
    assert!(fill("write:{v:files}", &["@@ -1 +1 @@\n-a\n+b\n"]).is_err());
    refused("write:{v:files}", "*** Begin Patch\n*** Add File: ../x\n+a\n*** End Patch");
    refused("write:{v:files}", "--- x\n+++ ../../etc/x\n@@ @@\n");
    for text in ["write:{v:files}", "write:{v:files?}", "read:{v:files=.}"] {
        assert_eq!(template(text).to_string(), text);
        assert_eq!(template(text).arguments().collect::<Vec<_>>(), ["v"]);
    }
}

#[test]
fn an_absolute_path_in_the_workspace_is_a_relative_need() {
    let workspace = "/home/me/project".parse().unwrap();
    for (text, value, relative, absolute) in [
        ("read:{v}", "/home/me/project/a.rs", "read:a.rs", "read:/home/me/project/a.rs"),
        ("read:{v}/**", "/home/me/project/src", "read:src/**", "read:/home/me/project/src/**"),
        ("read:{v}/**", "/home/me/project", "read:**", "read:/home/me/project/**"),
        ("read:{v}/**", "/home/me/project/x/..", "read:**", "read:/home/me/project/**"),
    ] {
        let need = fill(text, &[value]).unwrap().remove(0).rebased(&workspace);
        assert_eq!(need.to_string(), relative);
        assert_eq!(need.spelled_from_root(&workspace).unwrap().to_string(), absolute);
    }
    for value in ["/home/me/project-2", "/home/me", "/", "/home/me/project/../other"] {
        let need = fill("read:{v}/**", &[value]).unwrap().remove(0);
        assert_eq!(need.rebased(&workspace), need, "{value}");
        assert_eq!(need.spelled_from_root(&workspace), None, "{value}");
    }
}
