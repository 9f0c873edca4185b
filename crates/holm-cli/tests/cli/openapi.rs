//! OpenAPI documents in tool folders: from the file to the call, with a key that nothing shows.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    thread,
};

use holm_testkit::double::{Act, Seen};

use crate::stage::Stage;

/// The key of the API. It has no shape by which it could be guessed.
const API_KEY: &str = "sesame-for-the-shop";

/// A shop on this machine, which also serves its own document. It records the lines of its requests.
pub(crate) struct Shop {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Shop {
    pub(crate) fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, asked) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<String>>>::default());
        let log = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let mut reader = BufReader::new(&stream);
                let mut lines = Vec::new();
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) <= 2 {
                        break;
                    }
                    lines.push(line.trim().to_owned());
                }
                let header = |name: &str| {
                    let found = lines.iter().filter_map(|line| line.split_once(": "));
                    found
                        .clone()
                        .find(|(known, _)| known.eq_ignore_ascii_case(name))
                        .map(|(_, value)| value.to_owned())
                };
                let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let first = lines.first().cloned().unwrap_or_default();
                let key = header("x-key").unwrap_or_default();
                let body = String::from_utf8(body).unwrap();
                log.lock().unwrap().push(format!("{first} {body}"));
                let answer = match first.split(' ').nth(1).unwrap_or_default() {
                    "/openapi.json" => document(&format!("http://{address}")),
                    _ => format!(r#"{{"said": "{first}", "key": "{key}"}}"#),
                };
                let status =
                    if key == API_KEY || first.contains("openapi") { "200 OK" } else { "401 Unauthorized" };
                let _ = write!(
                    &stream,
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{answer}",
                    answer.len()
                );
            }
        });
        Self { address, asked }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn document(server: &str) -> String {
    format!(
        r#"{{"openapi": "3.1.0", "info": {{"title": "Shop", "version": "1"}}, "servers": [{{"url": "{server}"}}],
        "components": {{"securitySchemes": {{"key": {{"type": "apiKey", "in": "header", "name": "X-Key"}}}}}},
        "paths": {{"/items/{{item}}": {{
            "parameters": [{{"name": "item", "in": "path", "required": true, "schema": {{"type": "string"}}}}],
            "get": {{"operationId": "getItem", "summary": "Looks at an item."}},
            "post": {{"operationId": "order", "summary": "Orders an item.",
                "requestBody": {{"content": {{"application/json": {{"schema": {{"type": "object"}}}}}}}}}},
            "put": {{"operationId": "upload", "requestBody": {{"required": true, "content": {{"multipart/form-data": {{}}}}}}}}
        }}}}}}"#
    )
}

fn put(stage: &Stage, name: &str, text: &str) {
    let tools = stage.data().join("tools");
    fs::create_dir_all(&tools).unwrap();
    fs::write(tools.join(name), text).unwrap();
}

#[test]
fn an_api_is_called_with_a_key_that_nothing_shows_and_a_change_is_asked_about() {
    let look = Act::calls(&[("c1", "shop_getItem", r#"{"item":"a/b"}"#)]);
    let order = Act::calls(&[("c2", "shop_order", r#"{"item":"lamp","body":{"count":2}}"#)]);
    let stage = Stage::new([look, order, Act::says("Done.")]);
    let shop = Shop::open();
    let (url, key) = (format!("http://{}", shop.address), shop.address.to_string());
    put(&stage, "shop.openapi.json", &document(&url));
    let stored = stage.holm_with(API_KEY, ["keys", "add", &url]);
    assert!(stored.err.contains(&format!("stored the key of {key}; only this host gets it")), "{stored:?}");
    let listed = stage.holm(["tool", "list"]);
    assert!(listed.out.contains(&format!("fetch:{url}/items/{{item}}")), "{listed:?}");
    assert!(
        listed.err.contains("left out: PUT /items/{item}: its body is multipart/form-data"),
        "{listed:?}"
    );
    // The look runs, because its host was granted. The order changes something, and no user can be asked.
    let ran = stage.run(&["-p", "Order a lamp.", "--grant", &format!("fetch:{url}")]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    assert!(ran.err.contains("`shop_order` was denied"), "{ran:?}");
    assert_eq!(shop.asked(), ["GET /items/a%2Fb HTTP/1.1 "]);
    let seen = stage.double.requests().iter().map(Seen::text).collect::<String>();
    assert!(seen.contains("GET /items/a%2Fb") && !seen.contains(API_KEY), "{seen}");
    let everywhere = String::from_utf8_lossy(&stage.left_behind()).into_owned();
    assert_eq!(everywhere.matches(API_KEY).count(), 1, "it is in the file of keys only");
    let ran = stage.holm([
        "tool",
        "execute",
        "shop_order",
        r#"{"item":"lamp","body":{"count":2}}"#,
        "--yes",
        &format!("fetch:{url}"),
    ]);
    assert!(ran.code == Some(0) && !ran.out.contains(API_KEY), "{ran:?}");
    assert_eq!(shop.asked()[1], "POST /items/lamp HTTP/1.1 {\"count\":2}");
    // Without the key, the refusal says what to do.
    assert_eq!(stage.holm(["keys", "remove", &key]).code, Some(0));
    let ran = stage.holm([
        "tool",
        "execute",
        "shop_getItem",
        r#"{"item":"x"}"#,
        "--grant",
        &format!("fetch:{url}"),
    ]);
    assert!(
        ran.err.contains(&format!("holm keys add {key}"))
            || ran.out.contains(&format!("holm keys add {key}")),
        "{ran:?}"
    );
}

#[test]
fn a_document_of_an_address_is_fetched_once_and_broken_ones_say_why() {
    let (stage, shop) = (Stage::new([]), Shop::open());
    put(&stage, "far.openapi.json", &format!(r#"{{"document": "http://{}/openapi.json"}}"#, shop.address));
    for _ in 0..2 {
        let listed = stage.holm(["tool", "list"]);
        assert!(listed.out.contains("far_getItem"), "{listed:?}");
    }
    assert_eq!(shop.asked().len(), 1);
    // Once it is confirmed again, it is fetched again.
    let confirmed = stage.agrees(["tool", "confirm", "far.openapi.json"]);
    assert!(confirmed.out.contains("far.openapi.json is confirmed"), "{confirmed:?}");
    assert_eq!(stage.holm(["tool", "list"]).code, Some(0));
    assert_eq!(shop.asked().len(), 2);
    put(&stage, "old.openapi.json", r#"{"swagger": "2.0"}"#);
    put(&stage, "odd.openapi.yaml", "openapi: 3.1.0\npaths: {}\nservers: [{url: 'https://x.example'}]\n");
    put(&stage, "gone.openapi.json", r#"{"document": "http://127.0.0.1:1/openapi.json"}"#);
    put(&stage, "set.openapi.json", &document("https://x.example"));
    put(&stage, "set.openapi.toml", "[api]\nkey = 'abc'\n");
    let listed = stage.holm(["tool", "list"]);
    for expect in [
        "old.openapi.json: it is Swagger 2.0; convert it to OpenAPI 3.0 or 3.1 first",
        "odd.openapi.yaml: none of its operations can be a tool",
        "gone.openapi.json: cannot inspect it: cannot fetch the document http://127.0.0.1:1/openapi.json",
        "set.openapi.json: the sidecar is invalid: line 2: unknown field `key`",
    ] {
        assert!(listed.err.contains(expect), "{expect}: {}", listed.err);
    }
    stage.holm(["keys", "add", "nobody"]).fails(6, "unknown provider \"nobody\"");
}

#[test]
fn a_projects_document_is_no_tool_before_it_is_trusted() {
    let stage = Stage::new([]);
    let folder = stage.work().join(".holm/tools");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("shop.openapi.json"), document("https://x.example")).unwrap();
    fs::write(folder.join("shop.openapi.toml"), "[api]\nonly = ['getItem']\n").unwrap();
    let listed = stage.holm(["tool", "list"]);
    assert!(
        !listed.out.contains("shop_getItem") && listed.err.contains("you have not trusted it"),
        "{listed:?}"
    );
    stage.agrees(["tool", "trust"]);
    let listed = stage.holm(["tool", "list"]);
    assert!(listed.out.contains("shop_getItem") && !listed.out.contains("shop_order"), "{listed:?}");
}

#[test]
fn an_openapi_toolbox_of_agents_exe_has_the_names_that_its_prompt_uses_and_its_own_key() {
    let shop = Shop::open();
    let name = format!("openapi_{}", shop.address.to_string().replace(['.', ':'], ""));
    let tool = format!("{name}_getItem");
    let calls = [Act::calls(&[("c1", &tool, r#"{"p_item":"lamp"}"#)]), Act::says("Done.")];
    let stage = Stage::new(calls);
    let url = format!("http://{}", shop.address);
    let text = serde_json::json!({"tag": "OpenAIAgentDescription", "contents": {
        "slug": "buyer", "apiKeyId": "mine", "flavor": "OpenAIv1", "modelName": "small",
        "modelUrl": stage.double.base(holm::wire::Format::OpenaiChat),
        "announce": "Buys.", "systemPrompt": ["You buy."],
        "openApiToolboxes": [{"tag": "OpenAPIServer", "contents": {
            "SpecUrl": format!("{url}/openapi.json"), "BaseUrl": url, "Headers": {},
            "Filter": {"tag": "MethodEquals", "contents": "GET"},
            "Secrets": [{"source": {"tag": "ApiKey", "contents": "shop"}, "decoder": {"tag": "Clear", "contents": true},
                "serializer": {"tag": "Header", "contents": ["X-Key", null]}}],
        }}],
    }});
    let keys = serde_json::json!({"keys": [{"id": "mine", "value": crate::stage::KEY}, {"id": "shop", "value": API_KEY}]});
    let stage = stage.file("agent.json", &text.to_string()).file("agents-exe.keys", &keys.to_string());
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(stage.work().join("agents-exe.keys"), private).unwrap();
    stage.agrees(["tool", "trust", "."]);
    let mut run =
        stage.command(["run", "--agent", "agent.json", "-p", "Go.", "--grant", &format!("fetch:{url}")]);
    let ran = crate::stage::Ran::of(&run.output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    let asked = shop.asked();
    assert_eq!(asked, ["GET /openapi.json HTTP/1.1 ", "GET /items/lamp HTTP/1.1 "]);
    let requests = stage.double.requests();
    let offered: Vec<String> =
        requests[0].asked.as_ref().unwrap().tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(offered, [tool]);
    let seen = requests.iter().map(Seen::text).collect::<String>();
    assert!(seen.contains("GET /items/lamp") && !seen.contains(API_KEY), "{seen}");
    assert!(!String::from_utf8_lossy(&stage.left_behind()).contains(API_KEY));
}
