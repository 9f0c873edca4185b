use holm::{
    grants::{GrantSet, Level},
    guards::json::Json,
    kernel::{NanoUsd, ToolKind, ToolOutput, ToolSpec},
    runtime::{ToolInvocation, Toolbox, tool_fn},
};

use super::AgentWork;

#[test]
fn a_manager_gets_no_tool_that_acts_whenever_it_comes() {
    let agent = ToolKind::Agent { grants: GrantSet::new(), reserve: NanoUsd::ZERO, tokens: 0 };
    let mut tools = Toolbox::new();
    for (name, level, kind) in [
        ("todo", Level::None, ToolKind::Host),
        ("executor", Level::Execute, agent),
        ("look", Level::ReadOnly, ToolKind::Host),
        ("late", Level::Execute, ToolKind::Host),
    ] {
        let mut tool =
            ToolSpec::new(name, "Is a tool.", Json::object([("type", "object".into())])).level(level);
        tool.kind = kind;
        tools = tools.with(tool_fn(tool, |_: ToolInvocation| async { ToolOutput::text("") }));
    }
    let check = |work: AgentWork, expect: &[&str]| {
        let left = work.bounds(tools.clone()).declarations();
        let names: Vec<&str> = left.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, expect, "{work:?}");
    };
    check(AgentWork::Any, &["todo", "executor", "look", "late"]);
    check(AgentWork::Delegates, &["todo", "executor"]);
}
