use std::sync::Arc;

use holm_kernel::{Block, Source};
use holm_runtime::{BlobStore, MemoryBlobStore};
use serde_json::{Value, json};

use super::{Bench, call, fails, job, succeeds};
use crate::{
    files::{FileToolContext, tools},
    root::WorkspaceRoot,
};

#[tokio::test]
async fn lines_have_numbers_and_pages_say_how_to_go_on() {
    let bench = Bench::new();
    bench.put("five.txt", "one\ntwo\nthree\nfour\nfive\n");
    let check = async |arguments: Value, expect: &str| {
        assert_eq!(bench.call("read", arguments).await.text, expect);
    };
    let whole = "     1\tone\n     2\ttwo\n     3\tthree\n     4\tfour\n     5\tfive";
    check(json!({ "path": "five.txt" }), whole).await;
    check(json!({ "path": "five.txt", "offset": 4 }), "     4\tfour\n     5\tfive").await;
    let middle = "     2\ttwo\n     3\tthree\n[lines 2 to 3 of 5; continue with offset 4]";
    check(json!({ "path": "five.txt", "offset": 2, "limit": 2 }), middle).await;
    fails(
        &bench.call("read", json!({ "path": "five.txt", "offset": 6 })).await,
        "line 6 does not exist; the file has 5 lines",
    );
    bench.put("empty", "");
    check(json!({ "path": "empty" }), "[the file is empty]").await;
    bench.put("open", "no end");
    check(json!({ "path": "open" }), "     1\tno end").await;
}

#[tokio::test]
async fn pages_of_a_long_file_put_together_are_the_file() {
    let bench = Bench::new();
    let lines: Vec<String> =
        (0..9_000).map(|number| format!("line {number} {}", "x".repeat(number % 90))).collect();
    bench.put("long.txt", lines.join("\n"));
    let (mut seen, mut offset) = (Vec::new(), 1);
    for page in 0.. {
        assert!(page < 100, "it never ends");
        let text = bench.call("read", json!({ "path": "long.txt", "offset": offset })).await.text;
        assert!(text.len() <= 40_000, "{}", text.len());
        let numbered = text.lines().filter_map(|line| line.split_once('\t'));
        seen.extend(numbered.map(|(_, line)| line.to_owned()));
        let Some((_, next)) = text.rsplit_once("continue with offset ") else { break };
        offset = next.trim_end_matches(']').parse().unwrap();
    }
    assert_eq!(seen, lines);
}

#[tokio::test]
async fn a_line_that_is_data_is_cut_and_that_is_said() {
    let bench = Bench::new();
    bench.put("long", "é".repeat(100_000));
    let text = bench.call("read", json!({ "path": "long" })).await.text;
    assert!(text.len() < 5_000 && text.ends_with("… [196000 more bytes in this line]"), "{}", text.len());
}

#[tokio::test]
async fn encodings_are_told_and_what_is_no_text_is_refused() {
    let bench = Bench::new();
    let check = async |bytes: &[u8], expect: Result<&str, &str>| {
        bench.put("file", bytes);
        let output = bench.call("read", json!({ "path": "file" })).await;
        match expect {
            Ok(expect) => succeeds(&output, expect),
            Err(expect) => fails(&output, expect),
        }
    };
    check("grüß".as_bytes(), Ok("\tgrüß")).await;
    check(b"\xef\xbb\xbfgr\xc3\xbc\xc3\x9f", Ok("\tgrüß\n[the file is encoded as UTF-8 with")).await;
    check(b"\xff\xfeg\0r\0\xfc\0\xdf\0", Ok("\tgrüß\n[the file is encoded as UTF-16 (little")).await;
    check(b"\xfe\xff\0g\0r\0\xfc\0\xdf", Ok("\tgrüß\n[the file is encoded as UTF-16 (big")).await;
    check(b"gr\xfc\xdf", Ok("\tgrüß\n[the file is encoded as Windows-1252")).await;
    check(b"\x7fELF\x02\x01\x01\0\0\0", Err("is a binary file")).await;
    check(b"\xff\xfe\0\0g\0\0\0", Err("is a binary file")).await;
    check(b"\xff\xfe\x00\xd8", Err("is a binary file")).await;
    check(&[1, 2, 3, 4, 5, 0xff, 0xfe, 7, 6], Err("is a binary file")).await;
}

#[tokio::test]
async fn a_picture_is_a_block_by_its_bytes_and_not_by_its_name() {
    let bench = Bench::new();
    let check = async |bytes: &[u8], expect: &str| {
        bench.put("file.txt", bytes);
        let output = bench.call("read", json!({ "path": "file.txt" })).await;
        succeeds(&output, expect);
        let [Block::Image(media)] = output.parts.as_slice() else { panic!("{:?}", output.parts) };
        assert_eq!(media.media_type, expect);
        assert!(matches!(&media.source, Source::Base64(data) if !data.is_empty()));
    };
    check(b"\x89PNG\r\n\x1a\nrest", "image/png").await;
    check(b"\xff\xd8\xff\xe0rest", "image/jpeg").await;
    check(b"GIF89arest", "image/gif").await;
    check(b"RIFF\x01\x02\x03\x04WEBPrest", "image/webp").await;
    bench.put("big.png", [b"\x89PNG\r\n\x1a\n".as_slice(), &vec![0; 6 << 20]].concat());
    fails(&bench.call("read", json!({ "path": "big.png" })).await, "can be shown");
    bench.put("fake.png", "no picture");
    succeeds(&bench.call("read", json!({ "path": "fake.png" })).await, "no picture");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_was_too_large_is_read_by_its_reference_piece_by_piece() {
    let blobs = Arc::new(MemoryBlobStore::new());
    let whole = "äöü\n".repeat(40_000);
    let reference = blobs.put("run", whole.as_bytes()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let tools = tools(FileToolContext::new(WorkspaceRoot::open(folder.path()).unwrap()).blobs(blobs));
    let read = async |arguments: Value| call(&tools, "read", job(&arguments, &[])).await;
    let (mut seen, mut offset) = (String::new(), 0_u64);
    for piece in 0.. {
        assert!(piece < 100, "it never ends");
        let output = read(json!({ "reference": reference, "offset": offset })).await;
        succeeds(&output, "");
        let Some((text, next)) = output.text.rsplit_once("\n[bytes ") else {
            seen += &output.text;
            break;
        };
        seen += text;
        offset = next.rsplit_once("offset ").unwrap().1.trim_end_matches(']').parse().unwrap();
    }
    assert!(seen == whole, "the pieces are not the whole: {} of {} bytes", seen.len(), whole.len());
    succeeds(&read(json!({ "reference": reference, "offset": 9_999_999 })).await, "ends before byte 9999999");
    fails(&read(json!({ "reference": "0".repeat(64) })).await, "no result");
    for bad in ["", "../../etc/passwd", "zz", &"g".repeat(64)] {
        fails(&read(json!({ "reference": bad })).await, "64 digits");
    }
    fails(&read(json!({ "reference": reference, "path": "x" })).await, "not both");
    fails(&read(json!({})).await, "give the path");
    fails(
        &Bench::new().call("read", json!({ "reference": reference })).await,
        "does not store large results",
    );
}

#[tokio::test]
async fn long_outputs_of_commands_are_read_and_searched_by_their_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["work", "out"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("out/3.txt"), "one\ntwo\nthree\n").unwrap();
    std::fs::write(folder.path().join("secret"), "canary").unwrap();
    let desk = FileToolContext::new(WorkspaceRoot::open(&folder.path().join("work")).unwrap());
    let tools = super::tools(desk.outputs(&folder.path().join("out")).unwrap());
    let call = async |tool: &str, arguments: serde_json::Value, grant: &str| {
        super::call(&tools, tool, super::job(&arguments, &[grant])).await
    };
    succeeds(&call("read", json!({ "path": "$HOME/out/3.txt", "offset": 2 }), "read:**").await, "2\ttwo");
    let found = call("grep", json!({ "pattern": "thr", "path": "$HOME/out/3.txt" }), "read:**").await;
    succeeds(&found, "$HOME/out/3.txt:3:three");
    let found = call("grep", json!({ "pattern": "thr", "path": "$HOME/out" }), "read:**").await;
    succeeds(&found, "$HOME/out/3.txt:3:three");
    let found = call("glob", json!({ "pattern": "*.txt", "path": "$HOME/out" }), "read:**").await;
    succeeds(&found, "$HOME/out/3.txt");
    fails(&call("glob", json!({ "pattern": "*", "path": "$HOME/out" }), "read:src/**").await, "not granted");
    fails(&call("read", json!({ "path": "$HOME/out/4.txt" }), "read:**").await, "4.txt");
    fails(&call("read", json!({ "path": "$HOME/out/../secret" }), "read:**").await, "");
    fails(&call("read", json!({ "path": "$HOME/out/3.txt" }), "read:src/**").await, "not granted");
}
