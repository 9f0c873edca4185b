//! What commands reach: the hosts that their call was granted, through a proxy of ours, and nothing else.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use holm_grants::{DenialSet, Mode};
use holm_guards::json::Json;
use holm_kernel::Outcome;
use holm_net::{Connector, HostName, HostResolver, ListenerRegistry, ResolveFuture};
use holm_tools::program::ProgramLoader;
use holm_tools::registry::{AllowAllGate, SourceRank, ToolFolder, ToolFolders, ToolRegistry};
use holm_tools::shell::WorkspaceShell;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::shell::cell::{Cell, Step, WAYS, Yes, run};

/// `inside.example` leads to a private address, every other name to this machine.
#[derive(Default)]
struct Names(AtomicUsize);

impl HostResolver for Names {
    fn resolve<'a>(&'a self, name: &'a HostName) -> ResolveFuture<'a> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let inside = name.as_str() == "inside.example";
        Box::pin(async move { Ok(vec![IpAddr::from(if inside { [10, 1, 2, 3] } else { [127, 0, 0, 2] })]) })
    }
}

/// Serves the files of a folder to every client, and records the requests.
struct Site {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    async fn of(folder: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (folder, log) = (folder.clone(), Arc::clone(&log));
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
                        if stream.read_buf(&mut head).await.unwrap_or(0) == 0 {
                            return;
                        }
                    }
                    let head = String::from_utf8_lossy(&head).into_owned();
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    log.lock().unwrap().push(head);
                    let file =
                        folder.join(path.split('?').next().unwrap_or_default().trim_start_matches('/'));
                    let answer = match std::fs::read(&file) {
                        Ok(body) => {
                            let length = body.len();
                            [
                                format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n").into_bytes(),
                                body,
                            ]
                            .concat()
                        }
                        Err(_) => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec(),
                    };
                    let _ = stream.write_all(&answer).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { address, asked }
    }

    fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn shell(cell: &Cell, names: &Arc<Names>) -> WorkspaceShell {
    cell.shell().network(Connector::new(Arc::<Names>::clone(names)))
}

async fn with_hosts(shell: &WorkspaceShell, script: &str, hosts: &[&str]) -> holm_kernel::ToolOutput {
    let hosts: Vec<Json> = hosts.iter().map(|host| Json::from(*host)).collect();
    let arguments = Json::object([("script", script.into()), ("fetch", Json::from(hosts))]);
    run(&shell.script_tool(), &arguments).await
}

/// Plays a call that is refused a host, and then what its result says to do: two approvals, the second with the host.
async fn two_approvals(cell: &Cell, script: &str, exec: &[&str], site: &Site) -> String {
    let shell = shell(cell, &Arc::default());
    let yes = Yes::default();
    let more: &[(&str, &[&str])] = if exec.is_empty() { &[] } else { &[("exec", exec), ("read", exec)] };
    let calls = [Step::sh(script, more), Step::Heed];
    let (mut session, seen) = cell.session(&shell, Mode::Default, &[], yes.clone(), calls).await;
    session.prompt("go").await.unwrap();
    let questions = yes.0.lock().unwrap();
    assert_eq!(questions.len(), 2, "two approvals: {} {}", seen.turn(1), seen.turn(2));
    let grant = format!("fetch:{}", site.origin());
    assert!(seen.turn(1).contains(&format!("missing grant {grant};")), "{}", seen.turn(1));
    let missing = &questions[1].missing;
    assert!(missing.iter().any(|need| need.starts_with(&grant)), "it is asked for: {missing:?}");
    seen.turn(2)
}

#[tokio::test]
async fn npm_install_from_a_registry_takes_two_approvals() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("served/package/package.json", r#"{"name":"dep","version":"1.0.0","main":"index.js"}"#);
        cell.write("served/package/index.js", "module.exports = 'from the registry';\n");
        archive(&cell.path("served"), "package", "dep.tgz");
        let site = Site::of(cell.path("served")).await;
        let about = format!(
            r#"{{"name":"dep","dist-tags":{{"latest":"1.0.0"}},"versions":{{"1.0.0":{{"name":"dep","version":"1.0.0","main":"index.js","dist":{{"tarball":"{}/dep.tgz"}}}}}}}}"#,
            site.origin()
        );
        cell.write("served/dep", &about);
        cell.write("work/package.json", r#"{"name":"app","version":"1.0.0"}"#);
        let script = format!(
            "npm install dep --registry {} --no-audit --no-fund && node -e \"console.log(require('dep'))\"",
            site.origin()
        );
        let told = two_approvals(&cell, &script, &[], &site).await;
        assert!(told.contains("from the registry"), "{way:?}: {told}");
        assert!(cell.path("work/node_modules/dep/index.js").exists(), "{way:?}");
    }
}

#[tokio::test]
async fn cargo_build_with_a_registry_takes_two_approvals() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write(
            "served/dep-1.0.0/Cargo.toml",
            "[package]\nname = \"dep\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
        );
        cell.write(
            "served/dep-1.0.0/src/lib.rs",
            "pub fn said() -> &'static str { \"from the registry\" }\n",
        );
        archive(&cell.path("served"), "dep-1.0.0", "dep.crate");
        let site = Site::of(cell.path("served")).await;
        let sum = Sha256::digest(std::fs::read(cell.path("served/dep.crate")).unwrap());
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        cell.write("served/index/config.json", &format!(r#"{{"dl":"{}/{{crate}}.crate"}}"#, site.origin()));
        let line = format!(
            r#"{{"name":"dep","vers":"1.0.0","deps":[],"cksum":"{sum}","features":{{}},"yanked":false}}"#
        );
        cell.write("served/index/3/d/dep", &format!("{line}\n"));
        cell.write(
            "work/Cargo.toml",
            "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ndep = \"1\"\n",
        );
        let source = format!(
            "[source.crates-io]\nreplace-with = \"near\"\n[source.near]\nregistry = \"sparse+{}/index/\"\n",
            site.origin()
        );
        cell.write("work/.cargo/config.toml", &source);
        cell.write("work/src/main.rs", "fn main() { println!(\"{}\", dep::said()); }\n");
        let exec = cargo_homes();
        let exec: Vec<&str> = exec.iter().map(String::as_str).collect();
        let told = two_approvals(&cell, "cargo build && target/debug/tiny", &exec, &site).await;
        assert!(told.contains("from the registry"), "{way:?}: {told}");
    }
}

#[tokio::test]
async fn git_clone_takes_two_approvals() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.outside("git", &["init", "-q", "-b", "main", "origin"]);
        let (name, mail) = ("user.name=A", "user.email=a@example.com");
        let commit = ["-C", "origin", "-c", name, "-c", mail, "commit", "-q", "--allow-empty", "-m", "first"];
        cell.outside("git", &commit);
        cell.outside("git", &["-C", "origin", "update-server-info"]);
        let site = Site::of(cell.path("work/origin/.git")).await;
        // A clone makes a git folder, which no command may make elsewhere than in a home of its own.
        let script = format!(
            "git clone -q {}/ \"$HOME/copy\" && git -C \"$HOME/copy\" log --format=%s",
            site.origin()
        );
        let told = two_approvals(&cell, &script, &[], &site).await;
        assert!(told.contains("first"), "{way:?}: {told}");
    }
}

#[tokio::test]
async fn a_host_that_was_not_granted_is_refused_by_its_name_and_never_looked_up() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("served/page", "a page");
        let site = Site::of(cell.path("served")).await;
        let names = Arc::<Names>::default();
        let shell = shell(&cell, &names);
        for (script, grant) in [
            ("curl -sS http://other.example/page", "fetch:http://other.example"),
            ("curl -sS http://other.example:8080/page", "fetch:http://other.example:8080"),
            ("curl -sS https://other.example/page", "fetch:https://other.example"),
            ("curl -sSp http://other.example/page", "fetch:http://other.example"),
            ("curl -sS https://user:word@other.example:8443/page", "fetch:https://other.example:8443"),
        ] {
            let output = with_hosts(&shell, script, &[&site.origin()]).await;
            assert!(
                output.text.contains(&format!("missing grant {grant}")),
                "{way:?}: {script}: {}",
                output.text
            );
            assert!(!output.text.contains("user:word"), "{way:?}: {}", output.text);
        }
        assert_eq!(names.0.load(Ordering::Relaxed), 0, "{way:?}: nothing was looked up");
        let script = format!("curl -sS {}/page", site.origin());
        let output = with_hosts(&shell, &script, &[&site.origin()]).await;
        assert_eq!(
            (output.outcome, output.text.as_str()),
            (Outcome::Succeeded, "a page\n[exit status 0]"),
            "{way:?}"
        );
        let head = site.asked().pop().unwrap().to_lowercase();
        assert!(head.starts_with("get /page http/1.1\r\n") && !head.contains("proxy"), "{way:?}: {head}");
        // What was granted to one call is not there for the next.
        let output = with_hosts(&shell, &script, &[]).await;
        assert!(output.text.contains(&format!("fetch:{}", site.origin())), "{way:?}: {}", output.text);
        assert_eq!(site.asked().len(), 1, "{way:?}");
    }
}

#[tokio::test]
async fn what_names_a_path_opens_nothing_for_a_command_and_the_result_says_so() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("served/secret", "a secret");
        cell.write("served/pub/a", "a page");
        let site = Site::of(cell.path("served")).await;
        let shell = shell(&cell, &Arc::default());
        for path in ["/pub/a", "/pub/", "/pub;a"] {
            for wanted in ["/secret", "/pub/a"] {
                let script = format!("curl -sS {}{wanted}", site.origin());
                let named = format!("{}{path}", site.origin());
                let output = with_hosts(&shell, &script, &[&named]).await;
                let known = format!("{} has no effect here", named.trim_end_matches('/'));
                assert!(output.text.contains(&known), "{way:?}: {path}: {}", output.text);
                let grant = format!("missing grant fetch:{}", site.origin());
                assert!(output.text.contains(&grant), "{way:?}: {path}: {}", output.text);
            }
        }
        assert_eq!(site.asked().len(), 0, "{way:?}");
    }
}

#[tokio::test]
async fn a_granted_name_leads_to_no_private_address_and_to_no_door_of_our_own() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("served/page", "a page");
        let site = Site::of(cell.path("served")).await;
        let listeners = ListenerRegistry::default();
        let own = Site::of(cell.path("served")).await;
        let _door = listeners.register(own.address);
        let connector = Connector::new(Arc::new(Names::default())).with_listeners(listeners);
        let denials = DenialSet::parse(["fetch:http://denied.example"]).unwrap();
        let shell = cell.shell().network(connector).denials(denials);
        let port = site.address.port();
        let (there, own_door) = (format!("http://there.example:{port}"), own.origin());
        let both = [there.clone(), site.origin()];
        for (host, also, said) in [
            ("http://inside.example", None, "missing grant fetch:http://10.1.2.3"),
            (&there, None, "(it led to 127.0.0.2)"),
            (&own_door, None, "is a listener of this Holm"),
            ("http://denied.example", None, "no grant opens it"),
            (&there, Some(&both[1]), "a page"),
        ] {
            let hosts: Vec<&str> = std::iter::once(host).chain(also.map(String::as_str)).collect();
            let output = with_hosts(&shell, &format!("curl -sS {host}/page"), &hosts).await;
            assert!(output.text.contains(said), "{way:?}: {host}: {}", output.text);
        }
        // These can never be granted, so the result does not suggest asking for them.
        for address in ["169.254.169.254", "metadata.google.internal", "0.0.0.0", "[::]"] {
            let output = with_hosts(&shell, &format!("curl -sS http://{address}/"), &[&site.origin()]).await;
            assert!(!output.text.contains("call again"), "{way:?}: {address}: {}", output.text);
            assert!(output.text.contains("refused"), "{way:?}: {address}: {}", output.text);
        }
        assert_eq!((site.asked().len(), own.asked().len()), (1, 0), "{way:?}");
    }
}

#[tokio::test]
async fn what_goes_past_the_proxy_reaches_nothing() {
    const SCRIPT: &str = r#"
        curl -sS --noproxy '*' --max-time 5 http://127.0.0.2:$1/page
        unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
        curl -sS --max-time 5 http://127.0.0.2:$1/page
        curl -sS --max-time 5 http://example.com/
        exec 3<>/dev/tcp/127.0.0.2/$1 && printf 'GET /page HTTP/1.0\r\n\r\n' >&3 && cat <&3
        echo through > /dev/udp/127.0.0.2/$1
        getent hosts example.com && echo resolved
        exit 1
    "#;
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("served/page", "a page");
        let site = Site::of(cell.path("served")).await;
        let names = Arc::<Names>::default();
        let script = SCRIPT.replace("$1", &site.address.port().to_string());
        let output = with_hosts(&shell(&cell, &names), &script, &[&site.origin()]).await;
        assert!(
            !output.text.contains("a page") && !output.text.contains("resolved"),
            "{way:?}: {}",
            output.text
        );
        assert!(output.text.contains("use the proxy"), "{way:?}: {}", output.text);
        assert_eq!((site.asked().len(), names.0.load(Ordering::Relaxed)), (0, 0), "{way:?}");
    }
}

#[tokio::test]
async fn a_tunnel_carries_what_was_granted_and_the_next_exchange_is_asked_about_again() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("served/page", "a page");
        let site = Site::of(cell.path("served")).await;
        let shell = shell(&cell, &Arc::default());
        let script = format!("curl -sSp {}/page", site.origin());
        let output = with_hosts(&shell, &script, &[&site.origin()]).await;
        assert_eq!(output.text, "a page\n[exit status 0]", "{way:?}");
        // Two requests on one connection: the second goes to the server of the first or nowhere.
        let both = format!(
            "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET {0}/page HTTP/1.1\\r\\n\\r\\nGET http://other.example/page HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3",
            site.origin()
        );
        let output = with_hosts(&shell, &both, &[&site.origin()]).await;
        assert!(output.text.contains("a page"), "{way:?}: {}", output.text);
        assert!(
            !site.asked().iter().any(|head| head.contains("other.example")),
            "{way:?}: {:?}",
            site.asked()
        );
        for odd in [
            "GET /page HTTP/1.1",
            "GET ftp://a.example/ HTTP/1.1",
            "GET https://a.example/ HTTP/1.1",
            "CONNECT a.example HTTP/1.1",
            "CONNECT u@a.example:443 HTTP/1.1",
            "nonsense",
        ] {
            let script = format!("exec 3<>/dev/tcp/127.0.0.1/3128; printf '{odd}\\r\\n\\r\\n' >&3; cat <&3");
            let output = with_hosts(&shell, &script, &[&site.origin()]).await;
            assert!(output.text.contains("400 Bad Request"), "{way:?}: {odd}: {}", output.text);
        }
    }
}

#[tokio::test]
async fn a_program_reaches_the_hosts_that_its_sidecar_asks_for_and_a_call_was_granted() {
    const GET: &str = "#!/bin/sh\ncase \"$1\" in\n\
        describe) echo '{\"slug\":\"get\",\"description\":\"Gets.\",\"args\":[{\"name\":\"url\",\"mode\":\"positional\",\"arity\":\"single\"}]}' ;;\n\
        run) exec curl -sS --fail \"$2\" ;;\nesac\n";
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("served/page", "a page");
        let site = Site::of(cell.path("served")).await;
        cell.write("tools/get.sh", GET);
        cell.write("tools/get.toml", &format!("asks = ['fetch:{}']\n", site.origin()));
        let programs = ProgramLoader::new(cell.launcher(), cell.engine(), cell.path("work"))
            .network(Connector::new(Arc::new(Names::default())));
        let registry = ToolRegistry::new();
        let folder = ToolFolder::new(cell.path("tools"), SourceRank::User, AllowAllGate);
        ToolFolders::new(&registry).loader(programs).folder(folder).load().await;
        let snapshot = registry.snapshot();
        let tool = snapshot.find("get").unwrap_or_else(|| panic!("{way:?}: {:?}", snapshot.problems()));
        let call = |url: &str| Json::object([("url", url.into())]);
        let output = run(&**tool, &call(&format!("{}/page", site.origin()))).await;
        assert_eq!(output.text, "a page", "{way:?}");
        let output = run(&**tool, &call("http://other.example/")).await;
        assert!(output.text.contains("missing grant fetch:http://other.example"), "{way:?}: {}", output.text);
        // A call that was granted nothing has no network.
        let mut job = crate::shell::cell::job(&**tool, &call(&format!("{}/page", site.origin())));
        job.needs = Vec::new().into();
        let output = tool.run(job).await;
        assert_eq!(output.outcome, Outcome::Failed, "{way:?}: {}", output.text);
        assert_eq!(site.asked().len(), 1, "{way:?}");
    }
}

#[tokio::test]
async fn where_nobody_has_a_network_of_their_own_a_host_is_refused_and_the_rest_works() {
    let cell = Cell::without_namespaces();
    let shell = shell(&cell, &Arc::default());
    let output = with_hosts(&shell, "echo here", &[]).await;
    assert_eq!(output.text, "here\n[exit status 0]");
    let output = with_hosts(&shell, "touch ran", &["https://granted.example"]).await;
    assert!(output.text.contains("no network of its own can be made"), "{}", output.text);
    assert!(!cell.path("work/ran").exists(), "nothing ran");
}

#[tokio::test]
async fn a_server_of_the_command_itself_is_reached_past_the_proxy() {
    const SCRIPT: &str = "python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 &
        for try in $(seq 40); do sleep 0.25; curl -sf localhost:8123/page && curl -sf 127.0.0.1:8123/page && break; done";
    for way in WAYS {
        let cell = Cell::new(way);
        cell.write("work/page", "served");
        let output = with_hosts(&shell(&cell, &Arc::default()), SCRIPT, &[]).await;
        assert_eq!(output.text, "servedserved\n[exit status 0]", "{way:?}");
    }
}

#[tokio::test]
async fn without_a_way_to_the_network_no_host_can_be_asked_for() {
    let cell = Cell::new(WAYS[0]);
    let tool = cell.shell().script_tool();
    let declared = holm_runtime::Tool::declaration(&tool);
    assert!(!declared.needs.iter().any(|need| need.to_string().starts_with("fetch")));
    let output = cell.sh(&cell.shell(), "curl -sS http://127.0.0.1:1/ http://example.com/").await;
    assert!(output.text.contains("commands have none"), "{}", output.text);
}

/// Packs a folder as registries want it.
fn archive(folder: &Path, name: &str, file: &str) {
    let mut tar = std::process::Command::new("tar");
    tar.arg("-C").arg(folder).arg("-czf").arg(folder.join(file)).arg(name);
    assert!(tar.status().unwrap().success(), "tar");
}

/// Folders whose programs a build needs, where the system has no cargo of its own.
fn cargo_homes() -> Vec<String> {
    let system = ["/usr/local/bin", "/usr/bin", "/bin"];
    let has = |folder: &Path| folder.join("cargo").is_file();
    if system.iter().any(|folder| has(Path::new(folder))) {
        return Vec::new();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).find(|folder| has(folder)).expect("cargo on the PATH");
    // `.cargo` beside `.rustup` in a home, `cargo` beside `rustup` for all users of a machine.
    let cargo = found.parent().expect("bin lies in the home of cargo");
    let name = cargo.file_name().expect("a name").to_string_lossy();
    let rustup = cargo.with_file_name(name.replace("cargo", "rustup"));
    [cargo, &rustup].map(|folder| folder.to_string_lossy().into_owned()).to_vec()
}
