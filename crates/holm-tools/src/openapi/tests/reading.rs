//! Documents, schemas and the requests that arguments make.

use holm_grants::Level;
use holm_guards::json::Json;
use holm_guards::schema::CompiledSchema;

use super::{Keys, document, tools, tools_with};
use crate::catalogue::SchemaDisclosure;
use crate::openapi::document::{OpenApiDocument, as_json};
use crate::openapi::operation::OperationReader;
use crate::openapi::request::OpenApiRequest;
use crate::openapi::{OpenApiNaming, OpenApiTools};

const PETS: &str = r##"{
  "openapi": "3.0.3",
  "info": {"title": "Pets", "version": "1"},
  "servers": [{"url": "https://{region}.example.com/v1/", "variables": {"region": {"default": "eu"}}}],
  "paths": {
    "/pets/{petId}": {
      "parameters": [{"name": "petId", "in": "path", "required": true, "schema": {"type": "integer"}}],
      "get": {"operationId": "getPet", "summary": "Looks at a pet", "tags": ["pets"], "responses": {}},
      "put": {
        "operationId": "putPet",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}
      }
    },
    "/pets": {
      "get": {
        "operationId": "listPets",
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"name": "tag[]", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
          {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
          {"name": "body", "in": "query", "schema": {"type": "string"}},
          {"name": "crumb", "in": "cookie", "schema": {"type": "string"}}
        ]
      },
      "post": {"requestBody": {"required": true, "content": {"multipart/form-data": {}}}},
      "trace": {"operationId": "never"}
    }
  },
  "components": {
    "parameters": {"limit": {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 0, "exclusiveMinimum": true}}},
    "schemas": {
      "Pet": {
        "type": "object",
        "required": ["name", "id"],
        "properties": {
          "id": {"type": "integer", "readOnly": true},
          "name": {"type": "string", "nullable": true, "enum": ["a", "b"], "example": "a"},
          "mother": {"$ref": "#/components/schemas/Pet"},
          "far": {"$ref": "other.json#/x"}
        }
      }
    }
  }
}"##;

fn declared(tools: &OpenApiTools, name: &str) -> (Json, String, Level) {
    let offer = tools.offers.iter().find(|offer| offer.tool.declaration().name == name);
    let spec = offer.unwrap_or_else(|| panic!("no tool {name}")).tool.declaration();
    (spec.schema.clone(), spec.needs[0].to_string(), spec.level)
}

#[test]
fn operations_are_tools_with_resolved_schemas_exact_needs_and_the_level_of_their_method() {
    let found = tools(PETS).unwrap();
    let mut names: Vec<&str> =
        found.offers.iter().map(|offer| offer.tool.declaration().name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["shop_getPet", "shop_listPets", "shop_putPet"]);
    assert_eq!(found.notes.len(), 1);
    assert!(found.notes[0].contains("POST /pets: its body is multipart/form-data"), "{:?}", found.notes);

    let (_, need, level) = declared(&found, "shop_getPet");
    assert_eq!((need.as_str(), level), ("fetch:https://eu.example.com/v1/pets/{petId}", Level::ReadOnly));
    let (schema, need, level) = declared(&found, "shop_putPet");
    assert_eq!((need.as_str(), level), ("fetch:https://eu.example.com/v1/pets/{petId}", Level::Execute));
    let expect = r#"{"additionalProperties":false,"properties":{"body":{"description":"The body of the request (application/json).","properties":{"far":{"description":"x (not in this document)"},"mother":{"description":"Pet (not shown in full)","type":"object"},"name":{"enum":["a","b",null],"type":["string","null"]}},"required":["name"],"type":"object"},"petId":{"type":"integer"}},"required":["petId","body"],"type":"object"}"#;
    assert_eq!(schema.canonical(), expect);
    let (schema, ..) = declared(&found, "shop_listPets");
    let shown = r#"{"additionalProperties":false,"properties":{"X-Trace":{"type":"string"},"limit":{"exclusiveMinimum":0,"type":"integer"},"query_body":{"type":"string"},"tag":{"items":{"type":"string"},"type":"array"}},"type":"object"}"#;
    assert_eq!(schema.canonical(), shown);
    let offer = &found.offers[0];
    assert_eq!(offer.disclosure, SchemaDisclosure::Full);
    assert!(found.offers.iter().any(|offer| offer.keywords == ["petId", "pets"]));
}

#[test]
fn settings_choose_operations_their_server_and_those_that_only_look() {
    let sidecar = "name = 'p'\nlevel = 'write'\n[api]\nserver = 'http://127.0.0.1:81'\nonly = ['PUT /pets/*', 'list*']\nreads = ['putPet']\n";
    let found = tools_with(PETS, sidecar, Keys::default()).unwrap();
    assert_eq!(found.offers.len(), 2);
    let (_, need, level) = declared(&found, "p_putPet");
    assert_eq!((need.as_str(), level), ("fetch:http://127.0.0.1:81/pets/{petId}", Level::Write));
    // As agents-exe names them.
    let exe = crate::openapi::OpenApiToolbox::new(
        "localhost81",
        super::net(),
        std::sync::Arc::new(Keys::default()),
    )
    .naming(OpenApiNaming::AgentsExe)
    .filter(|_, method, _| method == "PUT")
    .tools(PETS.as_bytes())
    .unwrap();
    let (schema, need, _) = declared(&exe, "openapi_localhost81_putPet");
    assert!(schema.get("properties").unwrap().get("b").is_some());
    assert_eq!(need, "fetch:https://eu.example.com/v1/pets/{p_petId}");
}

#[test]
fn long_names_are_cut_and_stay_different() {
    let long = "x".repeat(70);
    let paths = format!(
        r#"{{"/a": {{"get": {{"operationId": "{long}a"}}}}, "/b": {{"get": {{"operationId": "{long}b"}}}}}}"#
    );
    let found = tools(&document("https://x.example", &paths)).unwrap();
    let names: Vec<&str> = found.offers.iter().map(|offer| offer.tool.declaration().name.as_str()).collect();
    let is_short = |name: &&str| name.starts_with("shop_xxx") && name.len() == 60;
    assert!(names.iter().all(is_short) && names[0] != names[1], "{names:?}");
}

#[test]
fn a_document_in_yaml_is_the_same_document() {
    let yaml = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\nservers:\n  - url: https://x.example\npaths:\n  /a:\n    get:\n      operationId: a\n      parameters:\n        - {name: f, in: query, schema: {type: number, minimum: 0.5}}\n";
    let found = tools(yaml).unwrap();
    let (schema, ..) = declared(&found, "shop_a");
    assert_eq!(schema.get("properties").unwrap().canonical(), r#"{"f":{"minimum":0.5,"type":"number"}}"#);
}

#[test]
fn what_is_wrong_with_a_document_is_one_sentence() {
    let check = |text: &str, sidecar: &str, expect: &str| {
        let error = tools_with(text, sidecar, Keys::default()).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    };
    let get = r#"{"/a": {"get": {"operationId": "a"}}}"#;
    let whole = document("https://x.example", get);
    check("{\n\"a\": ", "", "line 2: not valid JSON");
    check("a: [1", "", "line ");
    check("[]", "", "the member `openapi` is missing");
    check("{}", "", "the member `openapi` is missing");
    check(r#"{"swagger": "2.0"}"#, "", "it is Swagger 2.0; convert it");
    check(r#"{"openapi": "4.0.0"}"#, "", "its version is 4.0.0");
    check(
        r#"{"openapi": "3.0.0", "paths": []}"#,
        "[api]\nserver='https://x.example'",
        "`paths` has the wrong type",
    );
    check(r#"{"openapi": "3.0.0"}"#, "", "names no server; set `server` under [api]");
    check(&document("/v1", get), "", "the server /v1 cannot be used: it is relative");
    check(&document("ftp://x.example", get), "", "cannot be used");
    check(&document("https://x.example", "{}"), "", "none of its operations can be a tool");
    let cookie = r#"{"/a": {"get": {"parameters": [{"name": "c", "in": "cookie", "required": true}]}}}"#;
    check(
        &document("https://x.example", cookie),
        "",
        "GET /a: its parameter `c` is a cookie, which is not supported",
    );
    check(&whole, "asks = ['read:**']", "sets `asks`, which has no effect");
    check(&whole, "[api]\nauth.kind = 'header'", "`name` is missing");
    check(&whole, "[api]\nauth.kind = 'oauth'", "needs `token_url` and `client_id`");
    check(&whole, "[api.auth]\nkind = 'bearer'\nkey_env = 'API_KEY'", "`key_env` needs `server`");
    check(&whole, "[api]\nonly = ['a[']", "only: `a[` is not a pattern");
}

#[test]
fn references_and_depth_never_make_a_schema_larger_than_its_bound() {
    // Each level doubles: resolved in full it would have two to the power of forty parts.
    let mut schemas = String::from("\"S40\": {\"type\": \"string\"}");
    for level in 0..40 {
        let next = level + 1;
        schemas.push_str(&format!(
            ", \"S{level}\": {{\"type\": \"object\", \"properties\": {{\"a\": {{\"$ref\": \"#/components/schemas/S{next}\"}}, \"b\": {{\"$ref\": \"#/components/schemas/S{next}\"}}}}}}"
        ));
    }
    let deep = format!("{}1{}", "{\"allOf\": [".repeat(60), "]}".repeat(60));
    let text = format!(
        r##"{{"openapi": "3.1.0", "servers": [{{"url": "https://x.example"}}],
        "paths": {{
          "/a": {{"post": {{"operationId": "a", "requestBody": {{"content": {{"application/json": {{"schema": {{"$ref": "#/components/schemas/S0"}}}}}}}}}}}},
          "/b": {{"post": {{"operationId": "b", "requestBody": {{"$ref": "#/components/requestBodies/B"}}}}}},
          "/c": {{"post": {{"operationId": "c", "requestBody": {{"content": {{"application/json": {{"schema": {deep}}}}}}}}}}},
          "/d": {{"$ref": "#/paths/~1d"}}
        }},
        "components": {{"schemas": {{{schemas}}}, "requestBodies": {{"B": {{"$ref": "#/components/requestBodies/B"}}}}}}}}"##
    );
    let found = tools(&text).unwrap();
    let names: Vec<&str> = found.offers.iter().map(|offer| offer.tool.declaration().name.as_str()).collect();
    assert_eq!(names, ["shop_a", "shop_c"]);
    assert!(found.notes[0].contains("references lead in a circle"), "{:?}", found.notes);
    for offer in &found.offers {
        let schema = &offer.tool.declaration().schema;
        assert!(schema.canonical().len() < 40 * 1024, "{}", schema.canonical().len());
        CompiledSchema::compile(schema).unwrap();
    }
}

#[test]
fn values_stay_in_their_places_and_are_written_in_the_style_of_the_parameter() {
    let paths = r#"{"/f/{id}/x": {"post": {
        "operationId": "f",
        "parameters": [
          {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
          {"name": "many", "in": "query", "schema": {"type": "array"}},
          {"name": "csv", "in": "query", "explode": false, "schema": {"type": "array"}},
          {"name": "pipe", "in": "query", "style": "pipeDelimited", "schema": {"type": "array"}},
          {"name": "deep", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
          {"name": "json", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
          {"name": "X-List", "in": "header", "schema": {"type": "array"}}
        ],
        "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}}
    }}}"#;
    let text = document("https://x.example/v1", paths);
    let text = as_json(text.as_bytes()).unwrap();
    let parsed = OpenApiDocument::parse(&text).unwrap();
    let item = parsed.paths().unwrap()["/f/{id}/x"];
    let mut reader = OperationReader::new(&parsed, OpenApiNaming::Plain);
    let operation = reader.path_item("/f/{id}/x", item).remove(0).unwrap();
    let request = |arguments: &str| {
        OpenApiRequest::new(&operation, "https://x.example/v1", &Json::parse(arguments).unwrap())
    };
    let check = |arguments: &str, expect: &str| assert_eq!(request(arguments).unwrap().full_url(), expect);
    check(r#"{"id": "../a/?b=c#d%2e"}"#, "https://x.example/v1/f/..%2Fa%2F%3Fb%3Dc%23d%252e/x");
    check(r#"{"id": 7, "many": ["a b", "&c=d"]}"#, "https://x.example/v1/f/7/x?many=a%20b&many=%26c%3Dd");
    check(r#"{"id": "1", "csv": ["a,b", 2]}"#, "https://x.example/v1/f/1/x?csv=a%2Cb,2");
    check(r#"{"id": "1", "pipe": [1, true]}"#, "https://x.example/v1/f/1/x?pipe=1%7Ctrue");
    check(
        r#"{"id": "1", "deep": {"a": {"b": [1]}}}"#,
        "https://x.example/v1/f/1/x?deep%5Ba%5D%5Bb%5D%5B0%5D=1",
    );
    check(
        r#"{"id": "1", "json": {"a": "é"}}"#,
        "https://x.example/v1/f/1/x?json=%7B%22a%22%3A%22%C3%A9%22%7D",
    );
    let built = request(
        r#"{"id": "1", "X-List": ["a", "b"], "body": {"k": ["x", "y z"], "o": {"m": 1}, "n": null}}"#,
    );
    let built = built.unwrap();
    assert_eq!(built.headers, [("X-List".to_owned(), "a,b".to_owned())]);
    let (kind, body) = built.body.unwrap();
    assert_eq!(
        (kind.as_str(), body.as_str()),
        ("application/x-www-form-urlencoded", "k=x&k=y%20z&n=&o%5Bm%5D=1")
    );
    assert!(request("{}").unwrap_err().contains("the argument for {id} is missing"));
}
