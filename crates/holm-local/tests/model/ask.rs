//! How the tests ask.

use std::{path::PathBuf, sync::Arc};

use holm_guards::json::Json;
use holm_jail::JailLauncher;
use holm_kernel::{
    Block, Message, MessageId, Messages, ModelCallId, ModelResult, ModelSpec, Offer, Purpose, Reply, Request,
    Role, ToolSpec,
};
use holm_local::{LocalModel, LocalModelSettings};
use holm_runtime::{DeltaSink, ModelConnection, ModelRequest, NullDeltaSink};
use tokio_util::sync::CancellationToken;

/// The program that becomes launcher and worker.
pub(crate) const WORKER: &str = env!("CARGO_BIN_EXE_holm-local");
const FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// The default model's file, where set-up puts it.
pub(crate) fn file() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("HOLM_MODELS").unwrap_or_else(|| {
        let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
        cache.expect("HOME is set").join("holm/models")
    });
    let file = folder.join(FILE);
    assert!(file.is_file(), "{} is missing; run scripts/setup model", file.display());
    file
}

pub(crate) fn settings() -> LocalModelSettings {
    let launcher = JailLauncher::with_args(WORKER, [holm_jail::LAUNCHER_ARGUMENT.into()]);
    LocalModelSettings::new(file()).worker(WORKER).launcher(launcher).context(2048)
}

pub(crate) fn open(settings: LocalModelSettings) -> LocalModel {
    LocalModel::open(settings).unwrap()
}

pub(crate) fn tool(name: &str, description: &str, schema: &str) -> Arc<ToolSpec> {
    Arc::new(ToolSpec::new(name, description, Json::parse(schema).unwrap()))
}

/// A request with these tools.
pub(crate) fn request(system: &str, tools: Vec<Arc<ToolSpec>>) -> Request {
    Request {
        purpose: Purpose::Turn,
        model: Arc::new(ModelSpec::named("local/test")),
        system: system.into(),
        messages: Messages::Own(Vec::new()),
        tools: Arc::new(Offer { epoch: 1, tools }),
        max_output: Some(48),
        format: None,
    }
}

pub(crate) fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::text(MessageId::new(1), Role::User, text))
}

pub(crate) async fn ask(
    line: &mut dyn ModelConnection,
    request: &Request,
    messages: &[Arc<Message>],
) -> ModelResult {
    ask_watched(line, request, messages, Arc::new(NullDeltaSink), CancellationToken::new()).await
}

pub(crate) async fn ask_watched(
    line: &mut dyn ModelConnection,
    request: &Request,
    messages: &[Arc<Message>],
    deltas: Arc<dyn DeltaSink>,
    stop: CancellationToken,
) -> ModelResult {
    let told = Arc::clone(&request.tools);
    line.call(ModelRequest { call: ModelCallId::new(1), request, messages, told, deltas, stop }).await
}

/// Asks as the text protocol does: the request has no tools, its text has.
pub(crate) async fn ask_in_text(
    line: &mut dyn ModelConnection,
    request: &Request,
    messages: &[Arc<Message>],
    told: Vec<Arc<ToolSpec>>,
) -> ModelResult {
    let told = Arc::new(Offer { epoch: 1, tools: told });
    let (deltas, stop) = (Arc::new(NullDeltaSink), CancellationToken::new());
    line.call(ModelRequest { call: ModelCallId::new(1), request, messages, told, deltas, stop }).await
}

pub(crate) fn replied(result: ModelResult) -> Reply {
    match result {
        ModelResult::Replied(reply) => reply,
        other => panic!("no reply: {other:?}"),
    }
}

pub(crate) fn text(reply: &Reply) -> String {
    reply.blocks.iter().filter_map(Block::as_text).collect()
}
