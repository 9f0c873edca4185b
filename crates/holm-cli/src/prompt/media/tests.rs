use super::*;

#[test]
fn a_type_may_stand_before_the_path() {
    let check = |text: &str, kind: Option<&str>, path: &str| {
        let expect = PromptAttachment { kind: kind.map(str::to_owned), path: path.into() };
        assert_eq!(text.parse(), Ok(expect), "{text}");
    };
    check("a.png", None, "a.png");
    check("image/PNG;a b.bin", Some("image/png"), "a b.bin");
    check("dir/a;b.png", None, "dir/a;b.png");
    check("image/;x", None, "image/;x");
    assert!("".parse::<PromptAttachment>().is_err() && "image/png;".parse::<PromptAttachment>().is_err());
}

#[test]
fn files_are_known_by_their_first_bytes_whatever_they_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let check = |bytes: &[u8], expect: &str| {
        std::fs::write(folder.path().join("a.bin"), bytes).unwrap();
        let block = "a.bin".parse::<PromptAttachment>().unwrap().read(folder.path()).unwrap();
        let (media, is_picture) = match block {
            Block::Image(media) => (media, true),
            Block::File(media) => (media, false),
            other => panic!("{other:?}"),
        };
        assert_eq!((media.media_type.as_str(), is_picture), (expect, expect.starts_with("image/")));
        assert_eq!(media.source, Source::Base64(STANDARD.encode(bytes)));
        assert_eq!(media.name.as_deref(), Some("a.bin"));
    };
    check(b"\x89PNG\r\n\x1a\nrest", "image/png");
    check(b"\xff\xd8\xff\xe0rest", "image/jpeg");
    check(b"GIF89a", "image/gif");
    check(b"RIFF1234WEBPVP8 ", "image/webp");
    check(b"RIFF1234WAVEfmt ", "audio/wav");
    check(b"%PDF-1.7", "application/pdf");
    check(b"ID3\x04", "audio/mpeg");
    check(b"1234ftypM4A ", "audio/mp4");
}

#[test]
fn what_cannot_be_shown_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let check = |bytes: Option<&[u8]>, exit: CommandExit, expect: &str| {
        let path = folder.path().join("a.bin");
        match bytes {
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let error = "a.bin".parse::<PromptAttachment>().unwrap().read(folder.path()).unwrap_err();
        assert!(error.exit == exit && error.to_string().contains(expect), "{error}");
    };
    check(Some(b"plain words"), CommandExit::Usage, "to add a text file, use -f");
    check(Some(b"\x00\xff\x00"), CommandExit::Usage, "say what it is: --media \"audio/aac;a.bin\"");
    check(Some(b""), CommandExit::Usage, "is empty");
    check(None, CommandExit::Missing, "there is no file a.bin");
}
