//! One provider format, written by hand: what a request body looks like for those that make one.

use serde_json::to_writer;

use crate::script;

/// Everything before the messages.
pub fn open(body: &mut Vec<u8>) {
    body.extend_from_slice(br#"{"model":"#);
    string(body, script::MODEL);
    body.extend_from_slice(br#","messages":[{"role":"system","content":"#);
    string(body, script::SYSTEM);
    body.extend_from_slice(b"}");
}

/// A user's message, with the comma before it.
pub fn user(body: &mut Vec<u8>, text: &str) {
    body.extend_from_slice(br#",{"role":"user","content":"#);
    string(body, text);
    body.extend_from_slice(b"}");
}

/// A model's plain answer.
pub fn answer(body: &mut Vec<u8>, text: &str) {
    body.extend_from_slice(br#",{"role":"assistant","content":"#);
    string(body, text);
    body.extend_from_slice(b"}");
}

/// A model's tool call.
pub fn call(body: &mut Vec<u8>, id: &str, name: &str, arguments: &str) {
    body.extend_from_slice(br#",{"role":"assistant","content":null,"tool_calls":[{"id":"#);
    string(body, id);
    body.extend_from_slice(br#","type":"function","function":{"name":"#);
    string(body, name);
    body.extend_from_slice(br#","arguments":"#);
    string(body, arguments);
    body.extend_from_slice(b"}}]}");
}

/// A tool's result.
pub fn result(body: &mut Vec<u8>, id: &str, text: &str) {
    body.extend_from_slice(br#",{"role":"tool","tool_call_id":"#);
    string(body, id);
    body.extend_from_slice(br#","content":"#);
    string(body, text);
    body.extend_from_slice(b"}");
}

fn string(body: &mut Vec<u8>, text: &str) {
    to_writer(body, text).expect("writing a string to memory cannot fail");
}
