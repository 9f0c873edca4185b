//! Tests `holm mcp-server` with the clients of other authors. `scripts/setup conformance` installs
//! them.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use holm_testkit::double::Act;
use serde_json::{Value, json};

use crate::stage::{MODEL, Ran, Stage};

/// Where they are.
fn home() -> PathBuf {
    let cache = || {
        std::env::var_os("XDG_CACHE_HOME")
            .map_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache"), PathBuf::from)
    };
    let home = std::env::var_os("HOLM_MCP_PEERS").map_or_else(|| cache().join("holm/mcp"), PathBuf::from);
    let there = home.join("holm-versions").is_file();
    assert!(there, "{} has no peers: run scripts/setup conformance", home.display());
    home.canonicalize().unwrap()
}

const NPM: &str = r"
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
const { url, command, args, cwd, token } = JSON.parse(process.argv[1]);
const headers = { Authorization: `Bearer ${token}` };
const transport = url
    ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    : new StdioClientTransport({ command, args, cwd, env: process.env });
const client = new Client({ name: 'npm', version: '1' });
await client.connect(transport);
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const read = await client.callTool({ name: 'read', arguments: { path: 'notes.txt' } });
const uris = (await client.listResources()).resources.map((resource) => resource.uri);
const session = await client.readResource({ uri: 'holm://session/tide' });
const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
const prompt = await client.getPrompt({ name: prompts[0], arguments: { task: 'Now.' } });
console.log(JSON.stringify({
    tools, read: read.content[0].text, uris, session: session.contents[0].text, prompts,
    prompt: prompt.messages.map((message) => message.content.text),
}));
await client.close();
";

const PYTHON: &str = r#"
import asyncio, json, os, sys
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
told = json.loads(sys.argv[1])
async def main():
    if told["url"]:
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {told['token']}"})
        server = streamable_http_client(told["url"], http_client=http)
    else:
        server = StdioServerParameters(command=told["command"], args=told["args"], cwd=told["cwd"], env=dict(os.environ))
    async with Client(server) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        read = await client.call_tool("read", {"path": "notes.txt"})
        uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
        session = await client.read_resource('holm://session/tide')
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        prompt = await client.get_prompt(prompts[0], {"task": "Now."})
        print(json.dumps({
            "tools": tools, "read": read.content[0].text, "uris": uris, "session": session.contents[0].text,
            "prompts": prompts, "prompt": [message.content.text for message in prompt.messages],
        }))
asyncio.run(main())
"#;

/// A stage with a session in its store and a skill, and what the server is started with.
fn stage() -> (Stage, Vec<&'static str>) {
    let stage = Stage::new([Act::says("The tide comes at noon.")]).file("notes.txt", "one\n");
    stage.run(&["-p", "When does the tide come?", "--session", "tide"]).says("The tide comes at noon.\n");
    let folder = stage.work().join(".holm/skills/tides");
    fs::create_dir_all(&folder).unwrap();
    let skill = "---\nname: tides\ndescription: Reads tide tables.\n---\nLook at the moon.\n";
    fs::write(folder.join("SKILL.md"), skill).unwrap();
    stage.agrees(["tool", "trust", ".holm/skills"]);
    let words = ["mcp-server", "--tools", "--sessions"];
    (stage, words.into())
}

fn client(stage: &Stage, mut command: Command, told: &Value) -> Value {
    stage.dress(command.arg(told.to_string()).current_dir(home()));
    let ran = Ran::of(&command.output().unwrap());
    serde_json::from_str(ran.out.trim()).unwrap_or_else(|_| panic!("{ran:?}"))
}

fn npm() -> Command {
    let mut command = Command::new(home().join("node_modules/.bin/node"));
    command.args(["--input-type=module", "-e", NPM]);
    command
}

fn python() -> Command {
    let mut command = Command::new(home().join("python/bin/python3"));
    command.args(["-c", PYTHON]);
    command
}

/// What every client must find.
fn check(found: &Value) {
    let has = |list: &str, word: &str| found[list].as_array().unwrap().iter().any(|one| one == word);
    assert!(has("tools", "ask_holm") && has("tools", "read"), "{found}");
    assert!(found["read"].as_str().unwrap().contains("one"), "{found}");
    assert!(has("uris", "holm://session/tide"), "{found}");
    assert!(found["session"].as_str().unwrap().contains("The tide comes at noon."), "{found}");
    assert_eq!(found["prompts"], json!(["tides"]), "{found}");
    assert_eq!(found["prompt"], json!(["Look at the moon.", "Now."]), "{found}");
}

#[test]
fn clients_of_other_people_use_holm_over_standard_streams() {
    for peer in [npm, python] {
        let (stage, words) = stage();
        let args = words.into_iter().chain(["--", "--grant", "read:notes.txt", "--model", MODEL]);
        let args: Vec<&str> = args.collect();
        let told = json!({
            "url": null, "command": env!("CARGO_BIN_EXE_holm"), "args": args, "cwd": stage.work(), "token": "",
        });
        check(&client(&stage, peer(), &told));
    }
}

/// A server over HTTP. Dropped, it is gone.
struct Serving {
    server: Child,
    url: String,
}

impl Serving {
    fn of(stage: &Stage, words: &[&str]) -> Self {
        let more = ["--http", "0", "--", "--grant", "read:notes.txt", "--model", MODEL];
        let mut command = stage.command(words.iter().chain(&more));
        command.env("HOLM_MCP_TOKEN", "sesame").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { server, url: url.trim().to_owned() }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn clients_of_other_people_use_holm_over_http() {
    let (stage, words) = stage();
    let serving = Serving::of(&stage, &words);
    for peer in [npm, python] {
        let told =
            json!({ "url": serving.url, "command": null, "args": null, "cwd": null, "token": "sesame" });
        check(&client(&stage, peer(), &told));
    }
}
