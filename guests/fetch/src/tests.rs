use crate::{HttpExchange, GuestFetchRequest, GuestFetchResponse, TOOL, work};

/// A server in memory: paths with their answers, and the requests that came.
struct Server {
    answers: Vec<(&'static str, u16, &'static str, &'static str)>,
    asked: Vec<String>,
}

impl HttpExchange for Server {
    fn send(&mut self, request: &GuestFetchRequest, most: usize) -> Result<GuestFetchResponse, String> {
        let headers =
            request.headers.iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>();
        let url = format!("{}://{}{}", request.scheme, request.authority, request.path);
        self.asked.push(format!("{} {url}{headers}", request.method));
        let found = self.answers.iter().find(|(path, ..)| *path == url);
        let (_, status, location, body) = found.ok_or("connection refused")?;
        let headers = vec![("location".to_owned(), (*location).to_owned())];
        let headers = if location.is_empty() { Vec::new() } else { headers };
        let body: Vec<u8> = body.bytes().take(most).collect();
        Ok(GuestFetchResponse { status: *status, headers, cut: body.len() == most, body })
    }
}

fn fetch(words: &[&str]) -> (Result<String, String>, Vec<String>) {
    let answers = vec![
        ("https://a.example/", 200, "", "home"),
        ("https://a.example/x?q=1", 302, "/", ""),
        ("https://a.example/away", 301, "https://b.example/", ""),
        ("https://a.example/loop", 302, "loop", ""),
        ("https://a.example/post", 307, "/", ""),
        ("https://b.example/", 404, "", "nothing here"),
    ];
    let mut server = Server { answers, asked: Vec::new() };
    let mut out = Vec::new();
    let line = words.iter().map(|&word| word.to_owned());
    let done = TOOL.call(line).and_then(|values| work(&values, &mut server, &mut out));
    let said = done.map(|()| String::from_utf8(out).unwrap()).map_err(|fault| fault.to_string());
    (said, server.asked)
}

#[test]
fn a_page_is_shown() {
    assert_eq!(fetch(&["https://a.example"]).0.as_deref(), Ok("HTTP 200\n\nhome\n"));
    assert_eq!(fetch(&["https://a.example/#part"]).0.as_deref(), Ok("HTTP 200\n\nhome\n"));
    assert_eq!(
        fetch(&["--limit=2", "https://a.example"]).0.as_deref(),
        Ok("HTTP 200\n\nho\n[cut after 2 bytes]\n")
    );
    assert_eq!(fetch(&["https://b.example"]).0.as_deref(), Ok("HTTP 404\n\nnothing here\n"));
    assert_eq!(fetch(&["-f", "https://b.example"]).0.unwrap_err(), "the server answered 404");
}

#[test]
fn redirections_are_followed_without_telling_strangers() {
    let (said, asked) = fetch(&["-H", "X-Key: 1", "https://a.example/x?q=1"]);
    assert_eq!(said.as_deref(), Ok("HTTP 200\n\nhome\n"));
    assert_eq!(asked, ["GET https://a.example/x?q=1 X-Key=1", "GET https://a.example/ X-Key=1"]);
    let (_, asked) = fetch(&["-H", "X-Key: 1", "https://a.example/away"]);
    assert_eq!(asked, ["GET https://a.example/away X-Key=1", "GET https://b.example/"]);
    let (said, asked) = fetch(&["https://a.example/loop"]);
    assert!(said.unwrap().starts_with("HTTP 302\nlocation: loop"));
    assert_eq!(asked.len(), 6);
    let (_, asked) = fetch(&["-X", "POST", "-d", "x", "https://a.example/post"]);
    assert_eq!(asked, ["POST https://a.example/post", "POST https://a.example/"]);
}

#[test]
fn what_cannot_be_fetched_says_why() {
    let error = |words: &[&str]| fetch(words).0.unwrap_err();
    assert_eq!(error(&["https://c.example"]), "could not fetch https://c.example/: connection refused");
    assert_eq!(error(&["file:///etc/passwd"]), "file is not fetched, only http and https");
    assert_eq!(error(&["nowhere"]), "'nowhere' does not begin with https://");
    assert_eq!(
        error(&["https://user@a.example"]),
        "'https://user@a.example' names no host that can be asked"
    );
    assert_eq!(error(&["-H", "bad", "https://a.example"]), "'bad' is no header: Name: value");
}
