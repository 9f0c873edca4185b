//! Takes the first request of a program that offers tools to a model.

use std::{
    io::{BufRead as _, BufReader, ErrorKind, Read as _},
    net::{TcpListener, TcpStream},
    process::{Child, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use crate::program::{Home, Program};

/// How long a first request may take.
const LONGEST: Duration = Duration::from_secs(120);
/// The most bytes of a request.
const MOST_BYTES: u64 = 64 << 20;

/// The body of the first request with tools. Requests without any, such as one for a title, are not counted.
pub fn first_request(program: &Program) -> Result<Vec<u8>, String> {
    let home = Home::new()?;
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    listener.set_nonblocking(true).map_err(|error| error.to_string())?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    let mut command = home.command(&program.path);
    program.ask(&mut command, port);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let body = wait(&listener, &mut child);
    let _ = child.kill();
    let _ = child.wait();
    body
}

fn wait(listener: &TcpListener, child: &mut Child) -> Result<Vec<u8>, String> {
    let began = Instant::now();
    let (tell, bodies) = mpsc::channel();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                let tell = tell.clone();
                thread::spawn(move || {
                    if let Some(body) = posted(&stream) {
                        // Only the first one with tools counts; no test waits for another.
                        let _ = tell.send(body);
                    }
                    // The connection stays open without an answer until the program is ended.
                    thread::sleep(LONGEST);
                });
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(Duration::from_millis(1)),
            Err(error) => return Err(error.to_string()),
        }
        if let Some(body) = bodies.try_iter().find(|body| has_tools(body)) {
            return Ok(body);
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(format!("it ended with {status} and asked nothing"));
        }
        if began.elapsed() > LONGEST {
            return Err("it asked nothing".into());
        }
    }
}

fn has_tools(body: &[u8]) -> bool {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

/// The body of a POST with a length, which all of them send.
fn posted(stream: &TcpStream) -> Option<Vec<u8>> {
    stream.set_nonblocking(false).ok()?;
    stream.set_read_timeout(Some(LONGEST)).ok()?;
    let mut reader = BufReader::new(stream);
    let (mut line, mut length, mut is_post) = (String::new(), 0, false);
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        is_post |= line.starts_with("POST ");
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = Vec::new();
    reader.take(length.min(MOST_BYTES)).read_to_end(&mut body).ok()?;
    is_post.then_some(body)
}
