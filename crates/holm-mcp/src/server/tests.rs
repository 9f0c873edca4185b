use std::sync::Arc;
use std::time::Duration;

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{Block, ModelResult, NanoUsd, Reply, ToolOutput, ToolSpec};
use holm_runtime::{
    Agent, BeforeCallHook, BoxFuture, HelperAgent, HelperSet, HookOpinion, HookSet, ProgressUpdate,
    ProposedCall, ToolInvocation, Toolbox, model_fn, tool_fn,
};
use holm_tools::registry::{SourceRank, ToolOffer, ToolRegistry, ToolSource};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientConfig, ClientRequest,
    ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RunningService};
use rmcp::{ClientHandler, RoleClient, ServiceExt as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::{
    AgentStarter, AnsweringAgent, CallRights, HttpAccessPolicy, McpHttpError, McpServerHandler,
    RegistryExposure, RunSetup, serve_http, serve_stdio,
};

/// Longer than any machine takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client that forwards the notifications between answers.
#[derive(Clone)]
struct Told(mpsc::UnboundedSender<String>);

impl ClientHandler for Told {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::default()
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.0.send(format!("{} of {:?}: {:?}", params.progress, params.total, params.message));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send("changed".into());
    }
}

async fn connect(
    exposed: McpServerHandler,
) -> (RunningService<RoleClient, Told>, mpsc::UnboundedReceiver<String>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(serve_stdio(exposed, read, write));
    let (sender, notices) = mpsc::unbounded_channel();
    (Told(sender).serve(ours).await.unwrap(), notices)
}

async fn call(
    client: &RunningService<RoleClient, Told>,
    tool: &'static str,
    arguments: Value,
) -> CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("{arguments}") };
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

fn declare(name: &str, level: Level) -> ToolSpec {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    ToolSpec::new(name, "Says where it was.", Json::parse(schema).unwrap()).level(level)
}

fn echo(name: &str, level: Level) -> Toolbox {
    Toolbox::new().with(tool_fn(declare(name, level), |job: ToolInvocation| async move {
        job.progress.say(ProgressUpdate::of(1, 2, "half"));
        ToolOutput::text(&*job.arguments)
    }))
}

#[tokio::test]
async fn a_tool_is_listed_and_called_and_says_how_far_it_is() {
    let (client, mut notices) =
        connect(McpServerHandler::new().tools(echo("look", Level::ReadOnly), CallRights::default())).await;
    let listed = client.list_all_tools().await.unwrap();
    assert_eq!(listed[0].name, "look");
    assert_eq!(listed[0].annotations.as_ref().unwrap().read_only_hint, Some(true));
    let result = call(&client, "look", json!({ "path": "a" })).await;
    assert_eq!((text(&result), result.is_error), (r#"{"path":"a"}"#, Some(false)));
    let notice = tokio::time::timeout(PATIENCE, notices.recv()).await.unwrap().unwrap();
    assert_eq!(notice, r#"1 of Some(2.0): Some("half")"#);
}

#[tokio::test]
async fn a_call_that_a_client_takes_back_is_stopped() {
    let (begun, mut has_begun) = mpsc::unbounded_channel();
    let (ended, mut has_ended) = mpsc::unbounded_channel();
    let tool = tool_fn(declare("wait", Level::None), move |job: ToolInvocation| {
        let (begun, ended) = (begun.clone(), ended.clone());
        async move {
            let _ = begun.send(());
            job.stop.cancelled().await;
            let _ = ended.send(());
            ToolOutput::failed("stopped")
        }
    });
    let (client, _told) =
        connect(McpServerHandler::new().tools(Toolbox::new().with(tool), CallRights::default())).await;
    let arguments = [("path".to_owned(), Value::from("a"))].into_iter().collect();
    let call = CallToolRequest::new(CallToolRequestParams::new("wait").with_arguments(arguments));
    let request = ClientRequest::CallToolRequest(call);
    let sent =
        client.peer().send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    tokio::time::timeout(PATIENCE, has_begun.recv()).await.expect("it has begun").unwrap();
    sent.cancel(Some("no longer wanted".into())).await.unwrap();
    tokio::time::timeout(PATIENCE, has_ended.recv()).await.expect("it is stopped").unwrap();
}

#[tokio::test]
async fn the_kernel_decides_about_calls_from_outside() {
    let check = |level: Level, rights: CallRights, arguments: Value, expect: &'static str| async move {
        let (client, _told) = connect(McpServerHandler::new().tools(echo("act", level), rights)).await;
        let result = call(&client, "act", arguments).await;
        assert!(text(&result).contains(expect), "{level:?}: {:?} is not {expect}", text(&result));
        result.is_error == Some(true)
    };
    let path = json!({ "path": "a" });
    assert!(check(Level::Execute, CallRights::default(), path.clone(), "no user is present").await);
    let full = CallRights { mode: Mode::Full, ..CallRights::default() };
    assert!(!check(Level::Execute, full.clone(), path, r#"{"path":"a"}"#).await);
    assert!(check(Level::None, full, json!({ "other": 1 }), "path").await);
}

#[tokio::test]
async fn what_a_call_needs_must_be_granted() {
    let needy = declare("read", Level::ReadOnly).needs(["read:{path}"]).unwrap();
    let tools = Toolbox::new().with(tool_fn(needy, |_| async { ToolOutput::text("read") }));
    let rights = CallRights { grants: GrantSet::parse(["read:src/**"]).unwrap(), ..CallRights::default() };
    let (client, _told) = connect(McpServerHandler::new().tools(tools, rights)).await;
    assert_eq!(text(&call(&client, "read", json!({ "path": "src/a" })).await), "read");
    assert_eq!(call(&client, "read", json!({ "path": "/etc/passwd" })).await.is_error, Some(true));
}

struct Never;

impl BeforeCallHook for Never {
    fn before_call<'a>(&'a self, _call: &'a ProposedCall) -> BoxFuture<'a, HookOpinion> {
        Box::pin(async { HookOpinion::deny("never") })
    }
}

#[tokio::test]
async fn the_hooks_of_a_run_look_at_calls_from_outside_also_under_a_budget() {
    let budget =
        || RunSetup::new(|builder| builder.config(|config| config.limits.budget.usd = Some(NanoUsd::new(1))));
    let hooks = HookSet::new().before_call(Never);
    let hooked = RunSetup::new(move |builder| builder.hooks(hooks.clone()));
    for (outfit, expect) in [(budget(), r#"{"path":"a"}"#), (hooked, "never")] {
        let rights = CallRights { mode: Mode::Full, outfit, ..CallRights::default() };
        let (client, _told) =
            connect(McpServerHandler::new().tools(echo("act", Level::Execute), rights)).await;
        let result = call(&client, "act", json!({ "path": "a" })).await;
        assert!(text(&result).contains(expect), "{:?} is not {expect}", text(&result));
    }
}

fn agent(says: &'static str) -> Arc<dyn AnsweringAgent> {
    let model = model_fn(move |_| {
        let reply = Reply { blocks: vec![Block::Text(says.into())], ..Reply::default() };
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    Arc::new(Arc::new(Agent::builder("scripted/x", model).build().unwrap()))
}

#[tokio::test]
async fn agents_are_asked_by_names_that_follow_from_their_order() {
    let exposed = || {
        McpServerHandler::new().agents([
            ("Reviewer", "Reviews.", agent("first")),
            ("reviewer!", "Reviews too.", agent("second")),
            ("…", "Has no name.", agent("third")),
        ])
    };
    let names = |exposed: &McpServerHandler| {
        exposed.list().iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&exposed()), ["ask_reviewer", "ask_reviewer_2", "ask_agent"]);
    let (client, _told) = connect(exposed()).await;
    assert_eq!(text(&call(&client, "ask_reviewer_2", json!({ "prompt": "hi" })).await), "second");
    assert_eq!(call(&client, "ask_reviewer", json!({})).await.is_error, Some(true));
}

#[tokio::test]
async fn agents_of_a_registry_whose_names_are_one_to_a_client_are_told_apart_in_their_order() {
    let agent = || {
        let model = model_fn(|_| Box::pin(async { ModelResult::Replied(Reply::default()) }));
        Agent::builder("scripted/x", model).build().unwrap()
    };
    let files = ["code-reviewer", "Code_Reviewer", "holm", "code_reviewer"];
    let listed = || {
        let helpers = files
            .iter()
            .fold(HelperSet::new(), |all, name| all.with(HelperAgent::new(*name, "Helps.", agent())));
        let registry = ToolRegistry::new();
        let offers: Vec<ToolOffer> = helpers
            .declarations()
            .into_iter()
            .map(|tool| {
                ToolOffer::new(Arc::new(tool_fn(tool, |_| async { ToolOutput::failed("never run") })))
            })
            .collect();
        registry.edit(|edit| edit.set(ToolSource::new(SourceRank::User, "x"), offers));
        let rights = CallRights { spawner: Some(AgentStarter::new(helpers)), ..CallRights::default() };
        let own: Arc<dyn AnsweringAgent> = Arc::new(Arc::new(agent()));
        let exposed = McpServerHandler::new().agents([("holm", "Works here.", own)]).registry(
            registry,
            RegistryExposure::Agents,
            rights,
        );
        exposed.list().iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>()
    };
    let names = listed();
    assert_eq!(names.len(), 5, "{names:?}");
    assert_eq!(names[0], "ask_holm", "{names:?}");
    for expect in ["ask_holm_2", "ask_code_reviewer", "ask_code_reviewer_2", "ask_code_reviewer_2_2"] {
        assert!(names.iter().any(|name| name == expect), "{expect} in {names:?}");
    }
    assert_eq!(listed(), names, "the same files in the same order");
}

#[tokio::test]
async fn agents_of_a_registry_are_asked_and_its_tools_stay_inside() {
    let model = model_fn(|_| {
        let reply = Reply { blocks: vec![Block::Text("looks good".into())], ..Reply::default() };
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let agent = Agent::builder("scripted/x", model).build().unwrap();
    let helpers = HelperSet::new().with(HelperAgent::new("reviewer", "Reviews.", agent));
    let declared = helpers.declarations().remove(0);
    let registry = ToolRegistry::new();
    let tools =
        echo("look", Level::None).with(tool_fn(declared, |_| async { ToolOutput::failed("never run") }));
    let offers: Vec<ToolOffer> = tools.iter().map(|tool| ToolOffer::new(Arc::clone(tool))).collect();
    registry.edit(|edit| edit.set(ToolSource::new(SourceRank::User, "x"), offers));
    let rights = CallRights { spawner: Some(AgentStarter::new(helpers)), ..CallRights::default() };
    let (client, _told) =
        connect(McpServerHandler::new().registry(registry, RegistryExposure::Agents, rights)).await;
    let names: Vec<String> =
        client.list_all_tools().await.unwrap().iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names, ["ask_reviewer"]);
    let result = call(&client, "ask_reviewer", json!({ "prompt": "look at it" })).await;
    assert_eq!((text(&result), result.is_error), ("looks good", Some(false)));
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_an_error_of_the_protocol() {
    let (client, _told) = connect(McpServerHandler::new()).await;
    let called = client.call_tool(CallToolRequestParams::new("nothing")).await;
    assert!(called.unwrap_err().to_string().contains("no tool `nothing`"));
}

#[tokio::test]
async fn a_client_hears_that_tools_came_and_went() {
    let registry = ToolRegistry::new();
    let (client, mut notices) = connect(McpServerHandler::new().registry(
        registry.clone(),
        RegistryExposure::Everything,
        CallRights::default(),
    ))
    .await;
    assert!(client.list_all_tools().await.unwrap().is_empty());
    let tools = echo("late", Level::None);
    let offers: Vec<ToolOffer> = tools.iter().map(|tool| ToolOffer::new(Arc::clone(tool))).collect();
    registry.edit(|edit| edit.set(ToolSource::new(SourceRank::User, "x"), offers));
    let notice = tokio::time::timeout(PATIENCE, notices.recv()).await.unwrap();
    assert_eq!(notice.as_deref(), Some("changed"));
    assert_eq!(client.list_all_tools().await.unwrap()[0].name, "late");
}

#[tokio::test]
async fn a_client_hears_nothing_of_a_look_that_found_the_same() {
    let (registry, tools) = (ToolRegistry::new(), echo("one", Level::None));
    let offers = || tools.iter().map(|tool| ToolOffer::new(Arc::clone(tool))).collect::<Vec<ToolOffer>>();
    let same = || registry.edit(|edit| edit.set(ToolSource::new(SourceRank::User, "x"), offers()));
    same();
    let (client, mut notices) = connect(McpServerHandler::new().registry(
        registry.clone(),
        RegistryExposure::Everything,
        CallRights::default(),
    ))
    .await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 1);
    for _ in 0..5 {
        same();
        // The answer arrives after everything that was sent before it.
        client.list_all_tools().await.unwrap();
    }
    registry.edit(|edit| edit.remove(&ToolSource::new(SourceRank::User, "x")));
    assert_eq!(tokio::time::timeout(PATIENCE, notices.recv()).await.unwrap().as_deref(), Some("changed"));
    assert!(client.list_all_tools().await.unwrap().is_empty());
    assert!(notices.try_recv().is_err(), "one change is told once");
}

#[tokio::test]
async fn without_a_token_other_machines_are_not_served() {
    let listener = TcpListener::bind(("0.0.0.0", 0)).await.unwrap();
    let served = serve_http(listener, McpServerHandler::new(), HttpAccessPolicy::open()).await;
    assert!(matches!(served, Err(McpHttpError::Exposed(_))));
}
