//! The agent.rs protocol under its own names.

/// What a host of agent.rs calls, and what it had to write by hand.
pub mod agent_rs {
    pub use holm_kernel::compat::agent_rs::{
        apply_skill_result, apply_tool_result, check_skill_reply, check_tool_result, create_agent_state,
        run_agent_step,
    };
}
