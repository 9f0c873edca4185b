//! `holm serve` in its own process, and a client that calls it over HTTP.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    patience::{PATIENCE, until_seen},
    stage::{MODEL, Stage, TOOLS},
};

/// A server that runs, ended with the test.
pub(crate) struct Served {
    child: Child,
    address: String,
    /// The token of the user who started it.
    pub(crate) token: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Served {
    /// Starts a server on a stage, with these options for every session.
    pub(crate) fn start(stage: &Stage, options: &[&str]) -> Self {
        Self::over(stage, &stage.data(), &[], options)
    }

    /// Starts a server whose agents have the tools that are offered by default.
    pub(crate) fn by_default(stage: &Stage) -> Self {
        let data = stage.data();
        let mut command = Self::command(stage, &data, &[], &[]);
        command.env_remove(TOOLS);
        Self::run(command, &data)
    }

    /// Starts a server with these variables too.
    pub(crate) fn with_env(stage: &Stage, env: &[(&str, &str)]) -> Self {
        let data = stage.data();
        let mut command = Self::command(stage, &data, &[], &[]);
        command.envs(env.iter().copied());
        Self::run(command, &data)
    }

    /// Starts a server over a data folder, with these options of its own and these for every session.
    pub(crate) fn over(stage: &Stage, data: &Path, own: &[&str], options: &[&str]) -> Self {
        Self::run(Self::command(stage, data, own, options), data)
    }

    fn command(stage: &Stage, data: &Path, own: &[&str], options: &[&str]) -> Command {
        let begins = ["serve", "--data", data.to_str().unwrap(), "--listen", "127.0.0.1:0"];
        let every = ["--", "--model", MODEL, "--tools", "native"];
        stage.command(begins.iter().chain(own).chain(&every).chain(options))
    }

    fn run(mut command: Command, data: &Path) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line}")).to_owned();
        let token = fs::read_to_string(data.join("server/token")).unwrap().trim().to_owned();
        Self { child, address, token }
    }

    /// Its address, as a URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until what a session was asked for has ended.
    #[track_caller]
    pub(crate) fn wait(&self, session: &str) {
        self.until("its end", &format!("/api/sessions/{session}"), |reply| reply.json()["state"] == "idle");
    }

    /// Waits until what is found at a path is as it should be.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, path: &str, is: impl Fn(&Reply) -> bool) {
        until_seen(what, || self.get(path), is);
    }

    /// Stops it in order, as a service manager does.
    pub(crate) fn stop(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
    }

    /// Issues a token for a user.
    pub(crate) fn issue(&self, user: &str, role: &str) -> String {
        let made = self.post("/api/tokens", &json!({ "user": user, "role": role }));
        assert_eq!(made.status, 201, "{made:?}");
        made.json()["token"].as_str().unwrap().to_owned()
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send(&self.token, "GET", path, &[], None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(&self.token, "POST", path, &[], Some(&body.to_string()))
    }

    /// Asks for something that goes on: what comes is read from the connection.
    pub(crate) fn watch(&self, path: &str) -> TcpStream {
        self.ask(&self.token, "GET", path, &[], None)
    }

    pub(crate) fn send(
        &self,
        token: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Reply {
        let mut stream = self.ask(token, method, path, headers, body);
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Reply { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn ask(
        &self,
        token: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> TcpStream {
        let address = &self.address;
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n"
        );
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        if let Some(body) = body {
            text += &format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        }
        text += "\r\n";
        text += body.unwrap_or_default();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// As [`send`](Self::send), of a value.
    pub(crate) fn send_json(
        &self,
        token: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Reply {
        self.send(token, method, path, headers, Some(&body.to_string()))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn etag(&self) -> String {
        let line = self.head.lines().find_map(|line| line.strip_prefix("etag: "));
        line.unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }
}
