//! The tools with which a model enters and leaves plan mode. The kernel carries out both, so these
//! are declarations and contain no code to run.

use holm_kernel::{ENTER_PLAN, EXIT_PLAN, PlanRole, ToolSpec};

/// The tools by which a model narrows itself to looking, and asks a person to be let out again.
///
/// ```
/// use holm_kernel::{Config, ModelSpec};
/// use holm_tools::conversation::plan_tools;
///
/// let mut config = Config::new(ModelSpec::named("example/model"));
/// config.tools.extend(plan_tools());
/// assert_eq!(config.tools[0].name, "enter_plan");
/// ```
pub fn plan_tools() -> [ToolSpec; 2] {
    let enter = "Enters plan mode: from now on you explore and change nothing. Use it before work that is \
        large or cannot be undone, and return with a plan.";
    let exit = "Shows your plan to the user and asks whether to carry it out. If the answer is no, you \
        stay in plan mode and learn why.";
    [ToolSpec::plan(PlanRole::Enter, ENTER_PLAN, enter), ToolSpec::plan(PlanRole::Exit, EXIT_PLAN, exit)]
}
