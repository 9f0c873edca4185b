//! Frames of MCP: what a hostile client sends to Holm's server, what a hostile server answers, and what a file of another
//! program holds.

use std::io::Cursor;
use std::time::Duration;

use holm_mcp::server::{CallRights, McpServerHandler, serve_stdio};
use holm_mcp::{ServerName, ToolDefinition, ToolDefinitionError, client::output, import};
use holm_runtime::{Toolbox, tool_fn};
use rmcp::model::{JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult};
use serde_json::Value;
use tokio::io::AsyncReadExt;

/// How long a client's frames may take: they end, so the server does.
const PATIENCE: Duration = Duration::from_secs(8);

/// A client is answered in whole messages, no more often than it asked, and the server ends with the stream. A tool that is
/// taken is within its bounds and the same when it is taken again; names of servers hold.
pub fn mcp(data: &[u8]) {
    served(data);
    for line in data.split(|byte| *byte == b'\n') {
        heard(line);
    }
    if let Ok(text) = core::str::from_utf8(data)
        && let Ok(imported) = import(text, &|_| None)
    {
        for spec in imported.servers {
            let name: ServerName = spec.name.as_str().parse().expect("a name that was taken");
            assert!(!name.as_str().contains('_'), "{name} reaches into another's names");
        }
    }
}

/// The bytes as a client's.
fn served(data: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let said = runtime.block_on(async {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let serving = tokio::spawn(serve_stdio(exposed(), Cursor::new(data.to_vec()), ours));
        let mut said = Vec::new();
        let read = tokio::time::timeout(PATIENCE, theirs.read_to_end(&mut said)).await;
        assert!(read.is_ok(), "the client is gone and the server is still there");
        // Why it ended is the client's business.
        drop(serving.await.expect("no panic"));
        said
    });
    let asked = data.split(|byte| *byte == b'\n').count();
    let lines: Vec<&[u8]> = said.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let mut answers = 0;
    for line in lines {
        let message: Value = serde_json::from_slice(line).expect("a whole message");
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        answers += usize::from(message.get("result").is_some() || message.get("error").is_some());
    }
    assert!(answers <= asked, "{answers} answers to {asked} lines");
}

fn exposed() -> McpServerHandler {
    let schema = holm_guards::json::Json::object([("type", "object".into())]);
    let tool = holm_kernel::ToolSpec::new("say", "Says it again.", schema).level(holm_grants::Level::None);
    let say = tool_fn(tool, |job| async move { holm_kernel::ToolOutput::text(&*job.arguments) });
    McpServerHandler::new().tools(Toolbox::new().with(say), CallRights::default())
}

/// One line as a server's: the message that it is, or the error of the question that it names, or nothing.
fn heard(mut line: &[u8]) {
    // A mark of the order of bytes is passed over, which the plain reader does not do.
    while let Some(rest) = line.strip_prefix("\u{feff}".as_bytes()) {
        line = rest;
    }
    let (message, plain) =
        (holm_mcp::client::heard(line), serde_json::from_slice::<ServerJsonRpcMessage>(line));
    let response = match (message, plain) {
        (Some(message), Ok(plain)) => {
            assert_eq!(format!("{message:?}"), format!("{plain:?}"), "a message is what it was");
            let JsonRpcMessage::Response(response) = plain else { return };
            response
        }
        (Some(JsonRpcMessage::Error(error)), Err(_)) => {
            assert!(error.id.is_some(), "nobody's error");
            assert!(error.error.message.starts_with("its answer cannot be read"), "{error:?}");
            return;
        }
        (None, Err(_)) => return unheard(line),
        (message, plain) => panic!("{message:?} is not {plain:?}"),
    };
    match response.result {
        ServerResult::ListToolsResult(listed) => {
            for tool in &listed.tools {
                taken(tool);
            }
        }
        ServerResult::CallToolResult(result) => drop(output(result)),
        _ => {}
    }
}

/// Nobody waits for what was heard as nothing: where it is an object with an id, it is a question, or its id is none.
fn unheard(line: &[u8]) {
    let Ok(Value::Object(members)) = serde_json::from_slice(line) else { return };
    let is_question = members.contains_key("method");
    let id = members.get("id").cloned().unwrap_or_default();
    let is_id = serde_json::from_value::<RequestId>(id).is_ok();
    // Of longer names and ids no note is taken.
    assert!(is_question || !is_id || line.len() > 256, "somebody waits for {members:?}");
}

fn taken(tool: &rmcp::model::Tool) {
    match ToolDefinition::take(tool) {
        Ok(known) => {
            assert!(!known.name.is_empty() && known.name.len() <= 128, "{}", known.name);
            assert!(known.description.len() <= 16 << 10, "{} bytes", known.description.len());
            assert!(!known.description.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "hidden signs");
            assert_eq!(ToolDefinition::take(tool).as_ref(), Ok(&known), "taken twice is taken once");
        }
        Err(
            ToolDefinitionError::Name(_)
            | ToolDefinitionError::TooLong { .. }
            | ToolDefinitionError::Schema { .. }
            | ToolDefinitionError::Hidden(_)
            | ToolDefinitionError::Twice(_)
            | ToolDefinitionError::TooMany(_)
            | ToolDefinitionError::Endless(_),
        ) => {}
    }
}
