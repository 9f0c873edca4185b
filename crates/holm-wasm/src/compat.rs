//! The agent.rs protocol with its own names.

/// The functions that a host of agent.rs calls, and those that it had to write itself.
pub mod agent_rs {
    pub use holm_kernel::compat::agent_rs::{
        apply_skill_result, apply_tool_result, check_skill_reply, check_tool_result, create_agent_state,
        run_agent_step,
    };
}
