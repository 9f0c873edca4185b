use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use holm_mcp::NamedFileAccess;
use holm_tools::registry::PinStatus;

use super::{came_back, named, pins, search, value};
use crate::holm_paths::HolmPaths;

#[test]
fn a_line_means_what_its_field_says() {
    let check = |line: &str, kind: &str, expect: Option<Value>| {
        assert_eq!(value(line, &json!({ "type": kind })), expect, "{line} as {kind}");
    };
    check("3", "integer", Some(json!(3)));
    check("3", "string", Some(json!("3")));
    check("true", "boolean", Some(json!(true)));
    check("perhaps", "boolean", Some(json!("perhaps")));
    check("", "string", None);
}

#[tokio::test]
async fn a_browser_that_comes_back_is_told_apart_from_others() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let waiting = tokio::spawn(async move { came_back(Ok(listener), "http://here/callback").await.unwrap() });
    for (target, expect) in [("/favicon.ico", "404"), ("/callback?code=1&state=2", "200")] {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(format!("GET {target} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains(expect), "{answer}");
    }
    assert_eq!(waiting.await.unwrap(), "http://here/callback?code=1&state=2");
}

#[test]
fn programs_come_before_what_version_managers_put_in_front_of_them() {
    let path = std::ffi::OsStr::new("/home/me/.pyenv/shims:/opt/bin:/usr/bin");
    let expect = ["/opt/bin", "/usr/bin", "/home/me/.pyenv/shims"].map(std::path::PathBuf::from);
    assert_eq!(search(Some(path)), expect);
    assert!(search(None).is_empty());
}

#[test]
fn servers_of_one_name_are_told_apart_by_the_place_of_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let places = |work: &str| HolmPaths::at(folder.path().join("data"), folder.path().join(work));
    let (one, other) = (places("one"), places("other"));
    for place in [&one, &other] {
        std::fs::create_dir_all(place.project_tools()).unwrap();
        std::fs::create_dir_all(place.tools()).unwrap();
    }
    let tool = std::path::Path::new("mcp:sea:fish");
    let standing =
        |places: &HolmPaths, file: &std::path::Path, hash: u8| pins(places, file).standing(tool, &[hash; 32]);
    let files = [
        (&one, one.tools().join("sea.mcp.json")),
        (&one, one.project_tools().join("sea.mcp.json")),
        (&other, other.project_tools().join("sea.mcp.json")),
    ];
    for (number, (places, file)) in (1_u8..).zip(&files) {
        assert_eq!(standing(places, file, number), PinStatus::Confirmed, "the first of {}", file.display());
        assert_eq!(standing(places, file, 0), PinStatus::Replaced, "{}", file.display());
    }
    assert_eq!(named(&one, &files[0].1), NamedFileAccess::Anywhere);
    assert!(matches!(named(&one, &files[1].1), NamedFileAccess::Within { .. }));
}
