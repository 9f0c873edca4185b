//! The server that the official conformance suite talks with.
//!
//! The suite expects tools, resources and prompts of certain names that answer in certain ways. What Holm's own tools can
//! answer is answered by Holm's own tools, through [`McpServerHandler`] and the kernel; what only the protocol has (asking the client
//! for something in the middle of a call, resources, prompts, log messages) is answered here. Door and streams are Holm's.
//! Prints its address and serves until it is ended.

#![expect(clippy::print_stdout, reason = "the address is what the script that starts it waits for")]
#![expect(deprecated, reason = "the older era has parts that the newer one no longer has")]

mod asking;
mod plain;
mod reading;
mod within;

use holm_mcp::server::{CallRights, HttpAccessPolicy, McpServerHandler, RegistryExposure, serve_http};
use holm_tools::registry::ToolRegistry;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CompletionInfo, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use tokio::net::TcpListener;

/// How long the suite may believe what it read.
const FRESH_MS: u64 = 60_000;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|error| anyhow::anyhow!("{error}"))?;
    let registry = plain::registry();
    let exposed = McpServerHandler::new().registry(
        registry.clone(),
        RegistryExposure::Everything,
        CallRights::default(),
    );
    let fixtures = Fixtures { exposed, registry, states: RequestStateCodec::new_unchecked(key) };
    match serve_http(listener, fixtures, HttpAccessPolicy::open()).await? {}
}

/// Holm's server, and what the suite wants beyond it.
#[derive(Clone)]
struct Fixtures {
    exposed: McpServerHandler,
    registry: ToolRegistry,
    states: RequestStateCodec,
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("holm-conformance", "0.1.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = self.exposed.list();
        tools.extend(within::tools());
        tools.extend(asking::tools());
        let listed = ListToolsResult { tools, ..ListToolsResult::default() };
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.exposed.get_tool(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(answer) = asking::call(&self.states, &request, &context) {
            return answer;
        }
        if request.name == plain::TRIGGER {
            plain::change(&self.registry);
        }
        if within::tools().iter().any(|tool| tool.name == request.name) {
            return within::call(request, &context).await;
        }
        self.exposed.call_tool(request, context).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed =
            ListResourcesResult { resources: reading::resources(), ..ListResourcesResult::default() };
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listed = ListResourceTemplatesResult {
            resource_templates: reading::templates(),
            ..ListResourceTemplatesResult::default()
        };
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = reading::read(&request.uri)?;
        Ok(read.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let listed = ListPromptsResult { prompts: reading::prompts(), ..ListPromptsResult::default() };
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == asking::PROMPT {
            return Ok(asking::prompt(&request));
        }
        reading::prompt(request).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let start = request.argument.value.to_lowercase();
        let words = ["test", "testing", "template"].into_iter().filter(|word| word.starts_with(&start));
        let values = CompletionInfo::new(words.map(str::to_owned).collect());
        Ok(CompleteResult::new(values.map_err(|error| ErrorData::internal_error(error, None))?))
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.exposed.listen(context).await
    }
}
