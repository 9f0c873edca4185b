use super::{SuspectedDenial, suspect};
use crate::engine::JailEngine;
use crate::jail::{Jail, JailNetwork, JailTask};

fn guesses(network: JailNetwork, written: &str) -> Vec<String> {
    let jail = Jail::new().read("/etc").write("/usr").cwd("/usr").network(network);
    let order = jail.order(&JailEngine::Landlock, &JailTask::new("/bin/true")).unwrap();
    let told = suspect(&order, written.as_bytes());
    told.into_iter()
        .map(|suspicion| match suspicion {
            SuspectedDenial::File(request) => request.to_string(),
            SuspectedDenial::Network(host) => format!("network {}", host.unwrap_or_default()),
        })
        .collect()
}

fn check(line: &str, expect: &str) {
    let expect: Vec<_> = if expect.is_empty() { Vec::new() } else { vec![expect.to_owned()] };
    assert_eq!(guesses(JailNetwork::None, line), expect, "{line}");
}

#[test]
fn a_refused_file_is_found_in_the_shapes_that_programs_use() {
    check("cat: /root/secret: Permission denied", "read:/root/secret");
    check("touch: cannot touch '/root/x': Permission denied", "write:/root/x");
    check("mkdir: cannot create directory \u{2018}/srv/x\u{2019}: Read-only file system", "write:/srv/x");
    check("sh: 1: cannot create /etc/x: Permission denied", "write:/etc/x");
    check("/usr/bin/dash: 1: cannot create /etc/x: Permission denied", "write:/etc/x");
    check("Error: EACCES: permission denied, open '/root/.npmrc'", "read:/root/.npmrc");
    check("PermissionError: [Errno 13] Permission denied: '/root/a b'", "read:/root/a b");
    check("cp: cannot create regular file '../root/x': Permission denied", "write:/root/x");
}

#[test]
fn a_protected_place_is_named_as_a_whole() {
    check("fatal: Unable to create '/usr/.git/index.lock': Read-only file system", "write:/usr/.git");
    check("error: could not lock config file .git/config: Permission denied", "write:/usr/.git");
}

#[test]
fn a_hidden_file_looks_missing_and_a_missing_one_is_no_matter_of_grants() {
    check("cat: /root: No such file or directory", "read:/root");
    check("cat: /no/such/file: No such file or directory", "");
    check("cat: /usr/no-such-file: No such file or directory", "");
    check("cat: /root/no-such-file: No such file or directory", "");
    check("/usr/bin/bash: line 1: /root/no-such-file: No such file or directory", "write:/root/no-such-file");
    check("bash: line 3: /root/no-such-file: Permission denied", "write:/root/no-such-file");
    check("bash: line 1: /no/such/file: No such file or directory", "");
    check("bash: line 1: /usr/lib/no-such-file: No such file or directory", "");
}

#[test]
fn a_refused_connection_is_found_unless_the_network_is_open() {
    let line = "curl: (6) Could not resolve host: api.example.com";
    check(line, "network api.example.com");
    check("npm error code EAI_AGAIN getaddrinfo EAI_AGAIN registry.npmjs.org", "network registry.npmjs.org");
    check("ping: socket: Operation not permitted", "network ");
    assert!(guesses(JailNetwork::Open, line).is_empty());
}

#[test]
fn ordinary_lines_and_granted_files_raise_no_suspicion() {
    check("", "");
    check("all 12 tests passed in /root/x", "");
    check("/usr/x: Permission denied", "");
    check("Permission denied", "");
}

#[test]
fn a_flood_of_complaints_costs_little_and_says_each_thing_once() {
    let flood = "cat: /root/a: Permission denied\n".repeat(100_000);
    assert_eq!(guesses(JailNetwork::None, &flood), ["read:/root/a"]);
    let many: String = (0..1000).map(|n| format!("cat: /root/{n}: Permission denied\n")).collect();
    assert_eq!(guesses(JailNetwork::None, &many).len(), 8);
}
