//! Tests `--offline` and counts every packet, in a separate network whose only route leads nowhere.

use std::process::{Command, Stdio};

use holm_testkit::double::Act;
use serde_json::json;

use crate::{
    local::models,
    stage::{Ran, Stage},
};

/// Runs a command line in a network of its own, with an address, a default route and a name server beyond it, and gives
/// what came of it and how many packets wanted to leave. Needs `unshare` (util-linux) and `ip` (iproute2).
fn counted(stage: &Stage, line: &str) -> (Ran, u64) {
    // Without IPv6, which sends a few packets of its own when a link comes up.
    let script = format!(
        "echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6; ip link set lo up && \
         ip link add way type veth peer name end && ip addr add 192.0.2.1/24 dev way && \
         ip link set end up && ip link set way up && ip route add default via 192.0.2.254 dev way && \
         ip neigh add 192.0.2.254 lladdr 02:00:00:00:00:01 dev way && \
         ip neigh add 192.0.2.53 lladdr 02:00:00:00:00:01 dev way && \
         echo 'nameserver 192.0.2.53' > {resolv} && mount --bind {resolv} /etc/resolv.conf || exit 99; \
         sent() {{ awk '$1 == \"way:\" {{ print $11 }}' /proc/net/dev; }}; \
         before=$(sent); {line}; code=$?; echo \"packets $(( $(sent) - before ))\" >&2; exit $code",
        resolv = stage.work().join("resolv.conf").display(),
    );
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--net", "--mount", "sh", "-c", &script]);
    command.current_dir(stage.work()).env_clear();
    stage.dress(&mut command);
    command.env("HOLM_MODELS", models()).stdin(Stdio::null());
    let ran =
        Ran::of(&command.output().unwrap_or_else(|error| panic!("unshare: {error}; install util-linux")));
    let packets =
        ran.err.lines().find_map(|line| line.strip_prefix("packets ")).and_then(|count| count.parse().ok());
    let packets =
        packets.unwrap_or_else(|| panic!("no count; install iproute2, and allow user namespaces: {ran:?}"));
    (ran, packets)
}

/// A script that wants to go out in every way that a run has.
fn goes_out() -> Stage {
    let call = |id: u32, tool: &str, arguments: serde_json::Value| {
        let arguments = arguments.to_string();
        serde_json::json!({ "replied": { "blocks": [{ "tool_call": {
            "id": id.to_string(), "name": tool, "arguments": arguments } }], "stop": "tool_use" } })
    };
    let results = [
        call(1, "fetch", serde_json::json!({ "url": "http://93.184.216.34/" })),
        call(2, "fetch", serde_json::json!({ "url": "https://somewhere.example/" })),
        serde_json::json!({ "replied": { "blocks": [{ "text": "done" }] } }),
    ];
    Stage::new([]).file("script.json", &serde_json::json!({ "results": results }).to_string())
}

const GOES_OUT: &str = "run --script script.json -p Go. --grant fetch:http://93.184.216.34 --grant 'fetch:https://*' \
                        --mode full --output stream-json";

#[test]
fn offline_no_packet_leaves_the_machine_whatever_is_granted() {
    let holm = env!("CARGO_BIN_EXE_holm");
    let stage = goes_out();
    let (ran, packets) = counted(&stage, &format!("{holm} {GOES_OUT}"));
    assert!(packets > 0, "without the flag packets leave, so the count means something: {ran:?}");
    let (ran, packets) = counted(&stage, &format!("{holm} {GOES_OUT} --offline"));
    assert_eq!((packets, ran.code), (0, Some(0)), "{ran:?}");
    assert!(ran.out.contains("is not on this machine, and Holm is offline"), "{ran:?}");
}

#[test]
fn nobody_is_told_anything_by_a_command_that_needs_no_network() {
    let script = json!({ "results": [{ "replied": { "blocks": [{ "text": "done" }] } }] });
    let stage = Stage::new([]).file("script.json", &script.to_string());
    for line in [
        "--version",
        "run --script script.json -p Hi.",
        "tool list",
        "session list",
        "check",
        "doctor --json",
        "paths",
        "config show",
        "nonsense",
    ] {
        let (ran, packets) = counted(&stage, &format!("{} {line}", env!("CARGO_BIN_EXE_holm")));
        assert_eq!(packets, 0, "{line}: {ran:?}");
    }
}

#[test]
fn offline_no_server_and_no_hook_with_an_open_network_is_started() {
    let call = Act::calls(&[("c1", "date", "{}")]);
    let stage = Stage::new([call, Act::says("Not today.")]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let started = stage.work().join("started");
    let entry = json!({ "command": "/usr/bin/touch", "args": [started], "network": "open",
        "grants": [format!("write:{}/", stage.work().display())] });
    std::fs::write(stage.data().join("tools/far.mcp.json"), entry.to_string()).unwrap();
    let hooks = json!({ "network": "open", "hooks": { "PreToolUse": [
        { "matcher": "*", "hooks": [{ "type": "command", "command": "exit 0" }] }] } });
    std::fs::write(stage.data().join("hooks.json"), hooks.to_string()).unwrap();
    let ran = stage.run(&["-p", "What day is it?", "--offline"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Not today.\n"), "{ran:?}");
    assert_eq!(ran.err.matches("it asks for an open network").count(), 2, "{ran:?}");
    assert!(!started.exists(), "{ran:?}");
    assert!(stage.double.requests()[1].text().contains("Holm is offline"), "the call was denied");
}

#[test]
fn the_small_model_works_where_there_is_no_network() {
    let stage = Stage::new([]).file("notes.txt", "one\ntwo\nthree\n");
    let line = format!(
        "{} run --offline -p 'How many lines does notes.txt have?' --grant 'read:**' --turns 4 --json",
        env!("CARGO_BIN_EXE_holm")
    );
    let (ran, packets) = counted(&stage, &line);
    assert_eq!(packets, 0, "{ran:?}");
    assert!(matches!(ran.code, Some(0 | 3 | 4)), "a small model may fail, but not otherwise: {ran:?}");
    assert!(ran.out.contains("\"usage\""), "{ran:?}");
}

#[test]
fn offline_a_provider_elsewhere_is_refused_before_it_is_asked() {
    let stage = Stage::new([]);
    let mut command =
        stage.command(["run", "--offline", "--model", "anthropic/claude-sonnet-4-5", "-p", "Hi."]);
    Ran::of(&command.env("ANTHROPIC_API_KEY", "k").output().unwrap())
        .fails(2, "--offline allows nothing else");
    // A model on this machine is allowed.
    let near = Stage::new([holm_testkit::double::Act::says("Here.")]);
    near.run(&["-p", "Hi.", "--offline"]).says("Here.\n");
    stage.holm(["run", "--offline", "--unconfined", "-p", "Hi."]).fails(2, "--unconfined");
}
