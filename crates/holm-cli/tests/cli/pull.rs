//! Tests `holm model pull` with a local server that is slow, disconnects, lies, or redirects.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, Mutex},
    thread,
};

use crate::{
    patience::until,
    stage::{Ran, Stage},
};

/// A file whose head holds together, and that is large enough to come in pieces.
fn model() -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(3_u64.to_le_bytes());
    for (key, value) in
        [("general.architecture", "llama"), ("general.name", "Tiny"), ("general.license", "apache-2.0")]
    {
        for (text, kind) in [(key, Some(8_u32)), (value, None)] {
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text.as_bytes());
            bytes.extend(kind.into_iter().flat_map(u32::to_le_bytes));
        }
    }
    let filled = (0..300_000_u32).map(|at| u8::try_from(at % 251).unwrap());
    bytes.extend(filled);
    bytes
}

/// What was asked, in small letters.
#[derive(Debug, Clone)]
struct Asked {
    path: String,
    head: String,
}

impl Asked {
    /// The first byte that is wanted.
    fn from(&self) -> Option<usize> {
        let (_, rest) = self.head.split_once("\nrange: bytes=")?;
        rest.split('-').next()?.parse().ok()
    }
}

/// A server that answers as it is told.
struct Server {
    base: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    fn start(answer: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (log, answer) = (Arc::clone(&asked), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, log, answer) = (stream.unwrap(), Arc::clone(&log), Arc::clone(&answer));
                thread::spawn(move || {
                    let mut head = String::new();
                    let mut lines = BufReader::new(stream.try_clone().unwrap());
                    while lines.read_line(&mut head).is_ok_and(|count| count > 2) {}
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    let asked = Asked { path, head: head.to_lowercase().replace('\r', "") };
                    log.lock().unwrap().push(asked.clone());
                    answer(&asked, &mut stream);
                });
            }
        });
        Self { base, asked }
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// Answers as a good server does: all of it, or what is behind a byte.
fn well(bytes: &[u8], asked: &Asked, out: &mut TcpStream) {
    let rest = asked.from().filter(|from| *from < bytes.len());
    let (status, from) = rest.map_or(("200 OK", 0), |from| ("206 Partial Content", from));
    let range = rest.map_or_else(String::new, |from| {
        format!("content-range: bytes {from}-{}/{}\r\n", bytes.len() - 1, bytes.len())
    });
    send(out, status, &range, bytes.len() - from, &bytes[from..]);
}

fn send(out: &mut TcpStream, status: &str, headers: &str, length: usize, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\netag: \"one\"\r\nconnection: close\r\n{headers}\r\n"
    );
    // In some tests the client disconnects in the middle.
    let _ = out.write_all(head.as_bytes()).and_then(|()| out.write_all(body));
}

/// A stage, and a folder for models.
struct Shelf {
    stage: Stage,
    folder: tempfile::TempDir,
}

impl Shelf {
    fn new() -> Self {
        Self { stage: Stage::new([]), folder: tempfile::tempdir().unwrap() }
    }

    fn pull(&self, args: &[&str]) -> Ran {
        let mut command = self.stage.command([&["model", "pull"], args].concat());
        Ran::of(&command.env("HOLM_MODELS", self.folder.path()).output().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// All files, in order.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[track_caller]
    fn holds_the_model_alone(&self) {
        assert_eq!(self.names(), ["tiny.gguf"]);
        assert!(fs::read(self.path("tiny.gguf")).unwrap() == model(), "these are other bytes");
    }
}

#[test]
fn a_file_is_fetched_checked_shown_and_put_in_place() {
    let server = Server::start(|asked, out| well(&model(), asked, out));
    let shelf = Shelf::new();
    let ran = shelf.pull(&[&format!("{}/some/tiny.gguf", server.base)]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("model Tiny") && ran.out.contains("licence: apache-2.0"), "{ran:?}");
    assert!(ran.out.contains("not verified"), "{ran:?}");
    assert!(ran.out.contains("holm run --model local/tiny"), "{ran:?}");
    assert!(ran.err.contains("0.0 MB of 0.3 MB"), "{ran:?}");
    shelf.holds_the_model_alone();
    let again = shelf.pull(&[&format!("{}/some/tiny.gguf", server.base)]);
    assert!(again.code == Some(0) && again.out.contains("already exists"), "{again:?}");
    assert_eq!(server.asked().len(), 1, "nothing is fetched twice");
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

#[test]
fn killed_in_the_middle_it_leaves_no_half_file_and_goes_on_the_next_time() {
    // The first answer stops half-way and stays open; later ones are good.
    let server = Server::start(|asked, out| {
        if asked.from().is_some() {
            return well(&model(), asked, out);
        }
        send(out, "200 OK", "", model().len(), &model()[..100_000]);
        until("the other side hangs up", || {
            out.write_all(&[]).is_err() || out.peer_addr().is_err() || hung_up(out)
        });
    });
    let shelf = Shelf::new();
    let url = format!("{}/tiny.gguf", server.base);
    let mut command = shelf.stage.command(["model", "pull", &url]);
    let mut child = command.env("HOLM_MODELS", shelf.folder.path()).stderr(Stdio::null()).spawn().unwrap();
    until("something has come", || length(&shelf.path("tiny.gguf.part")) > 0);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(
        shelf.names(),
        ["tiny.gguf.part", "tiny.gguf.part.tag"],
        "no half file looks like a whole one"
    );
    let have = length(&shelf.path("tiny.gguf.part"));
    let ran = shelf.pull(&[&url]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let last = server.asked().pop().unwrap();
    assert_eq!(last.from(), usize::try_from(have).ok(), "{last:?}");
    assert!(last.head.contains("if-range: \"one\""), "{last:?}");
    shelf.holds_the_model_alone();
}

fn hung_up(out: &TcpStream) -> bool {
    out.set_nonblocking(true).unwrap();
    matches!(out.peek(&mut [0]), Ok(0))
        || matches!(out.peek(&mut [0]), Err(error) if error.kind() != std::io::ErrorKind::WouldBlock)
}

#[test]
fn what_breaks_off_is_kept_and_gone_on_with() {
    let server = Server::start(|asked, out| match asked.from() {
        Some(_) => well(&model(), asked, out),
        None => send(out, "200 OK", "", model().len(), &model()[..70_000]),
    });
    let shelf = Shelf::new();
    let url = format!("{}/tiny.gguf", server.base);
    let ran = shelf.pull(&[&url]);
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(
        ran.err.contains("was interrupted") && ran.err.contains("tiny.gguf.part has the received part"),
        "{ran:?}"
    );
    assert!(!shelf.path("tiny.gguf").exists());
    assert_eq!(shelf.pull(&[&url]).code, Some(0));
    assert_eq!(server.asked()[1].from(), Some(70_000));
    shelf.holds_the_model_alone();
}

#[test]
fn another_file_than_the_wanted_one_is_thrown_away() {
    let server = Server::start(|asked, out| match asked.path.as_str() {
        "/page.gguf" => send(out, "200 OK", "", 15, b"<html>no</html>"),
        _ => well(&model(), asked, out),
    });
    let shelf = Shelf::new();
    let ran = shelf.pull(&[&format!("{}/tiny.gguf", server.base), "--sha256", &"0".repeat(64)]);
    ran.fails_after_notes(5, "wrong file");
    assert_eq!(shelf.names(), [""; 0]);
    let ran = shelf.pull(&[&format!("{}/page.gguf", server.base)]);
    ran.fails_after_notes(5, "not a GGUF file");
    assert_eq!(shelf.names(), [""; 0]);
}

#[test]
fn a_server_without_ranges_sends_all_of_it_again() {
    let server = Server::start(|_, out| send(out, "200 OK", "", model().len(), &model()));
    let shelf = Shelf::new();
    fs::write(shelf.path("tiny.gguf.part"), "something old").unwrap();
    fs::write(shelf.path("tiny.gguf.part.tag"), "\"old\"").unwrap();
    assert_eq!(shelf.pull(&[&format!("{}/tiny.gguf", server.base)]).code, Some(0));
    assert_eq!(server.asked()[0].from(), Some(13));
    shelf.holds_the_model_alone();
}

#[test]
fn where_nothing_is_left_to_fetch_the_file_is_whole_or_begun_anew() {
    let server = Server::start(|asked, out| match asked.from() {
        Some(_) => {
            let range = format!("content-range: bytes */{}\r\n", model().len());
            send(out, "416 Range Not Satisfiable", &range, 0, b"");
        }
        None => well(&model(), asked, out),
    });
    for (part, requests) in [(model(), 1), (vec![7; 400_000], 2)] {
        let shelf = Shelf::new();
        fs::write(shelf.path("tiny.gguf.part"), part).unwrap();
        fs::write(shelf.path("tiny.gguf.part.tag"), "\"one\"").unwrap();
        let before = server.asked().len();
        let ran = shelf.pull(&[&format!("{}/tiny.gguf", server.base)]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(server.asked().len() - before, requests);
        shelf.holds_the_model_alone();
    }
}

#[test]
fn a_hub_leads_to_the_file_and_says_its_hash_and_nothing_private_is_reached() {
    let server = Server::start(|asked, out| match asked.path.as_str() {
        "/owner/good/resolve/main/tiny.gguf" => {
            let hash = holm_tools::trust::ContentHash::of(&model());
            let headers = format!("location: /store/1\r\nx-linked-etag: \"{hash}\"\r\n");
            send(out, "302 Found", &headers, 0, b"");
        }
        "/owner/lies/resolve/main/tiny.gguf" => {
            let headers = format!("location: /store/1\r\nx-linked-etag: \"{}\"\r\n", "a".repeat(64));
            send(out, "302 Found", &headers, 0, b"");
        }
        "/owner/inside/resolve/main/tiny.gguf" => {
            send(out, "302 Found", "location: http://10.0.0.1/tiny.gguf\r\n", 0, b"");
        }
        "/owner/round/resolve/main/tiny.gguf" => {
            send(out, "302 Found", "location: /owner/round/resolve/main/tiny.gguf\r\n", 0, b"");
        }
        "/store/1" => well(&model(), asked, out),
        _ => send(out, "404 Not Found", "", 0, b""),
    });
    let shelf = Shelf::new();
    let pull = |name: &str| {
        let mut command = shelf.stage.command(["model", "pull", &format!("hf:owner/{name}/tiny.gguf")]);
        command.env("HOLM_MODELS", shelf.folder.path()).env("HF_ENDPOINT", &server.base);
        Ran::of(&command.output().unwrap())
    };
    pull("none").fails_after_notes(6, "file not found");
    pull("inside").fails_after_notes(5, "refused");
    pull("round").fails_after_notes(5, "more than 8 times");
    pull("lies").fails_after_notes(5, "wrong file");
    let ran = pull("good");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("(checked)"), "{ran:?}");
    shelf.holds_the_model_alone();
}
