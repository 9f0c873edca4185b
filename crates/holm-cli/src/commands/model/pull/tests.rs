use super::*;

fn read(text: &str, hash: Option<&str>) -> Result<DownloadSource, CommandError> {
    DownloadSource::read(text, hash, &|name: &str| {
        (name == "HF_ENDPOINT").then(|| "http://127.0.0.1:9/".to_owned())
    })
}

#[test]
fn names_addresses_and_repositories_lead_to_files() {
    let check = |text: &str, url: &str, file: &str| {
        let source = read(text, None).unwrap();
        assert_eq!((source.url.to_string().as_str(), source.file.as_str()), (url, file), "{text}");
    };
    check("hf:a/b/c/d.gguf", "http://127.0.0.1:9/a/b/resolve/main/c/d.gguf", "d.gguf");
    check(
        "https://models.example/x/Small-1.Q4_1.gguf",
        "https://models.example/x/Small-1.Q4_1.gguf",
        "Small-1.Q4_1.gguf",
    );
    let small = read("smollm2", None).unwrap();
    assert_eq!(small.file, "SmolLM2-135M-Instruct.Q4_1.gguf");
    assert!(small.hash.is_some(), "the default is pinned");
}

#[test]
fn what_cannot_be_fetched_is_refused_before_anything_is_asked() {
    let check = |text: &str, hash: Option<&str>, expect: &str| {
        let trouble = read(text, hash).unwrap_err();
        assert_eq!(trouble.exit, CommandExit::Usage, "{text}");
        assert!(trouble.to_string().contains(expect), "{text}: {trouble}");
    };
    check("nobody", None, "known names are smollm2");
    check("hf:only/two", None, "hf:OWNER/REPOSITORY/FILE");
    check("http://models.example/x.gguf", None, "use https, or --sha256");
    check("https://models.example/x.bin", None, "plain name of a .gguf file");
    check("https://models.example/.gguf", None, "plain name of a .gguf file");
    check("https://models.example/a%2f..gguf", None, "plain name");
    check("ftp://models.example/x.gguf", None, "cannot fetch from there");
    check("https://models.example/x.gguf", Some("abc"), "64 digits");
}

#[test]
fn how_far_it_is_can_be_read() {
    let second = Duration::from_secs(1);
    assert_eq!(
        progress(49_000_000, Some(98_000_000), 7_000_000, second),
        "49.0 MB of 98.0 MB (50 %), 7.0 MB/s, about 7 s left"
    );
    assert_eq!(progress(0, Some(98_000_000), 0, Duration::ZERO), "0.0 MB of 98.0 MB (0 %)");
    assert_eq!(progress(1_250_000, None, 1, second), "1.2 MB");
}

#[test]
fn a_part_is_gone_on_with_only_where_its_version_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let mut part = PartialDownload::open(folder.path(), "x.gguf").unwrap();
    assert_eq!((part.length(), part.tag()), (0, None));
    part.begin(0, Some("\"v1\"")).unwrap();
    part.write(b"abcdef").unwrap();
    let Err(busy) = PartialDownload::open(folder.path(), "x.gguf") else { panic!("two had it at once") };
    assert!(busy.to_string().contains("another process"), "{busy}");
    drop(part);
    let mut part = PartialDownload::open(folder.path(), "x.gguf").unwrap();
    assert_eq!((part.length(), part.tag().as_deref()), (6, Some("\"v1\"")));
    part.begin(2, None).unwrap();
    part.write(b"XY").unwrap();
    assert_eq!((part.length(), part.tag()), (4, None));
    let place = folder.path().join("x.gguf");
    part.place(&place).unwrap();
    assert_eq!(fs::read(&place).unwrap(), b"abXY");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}
