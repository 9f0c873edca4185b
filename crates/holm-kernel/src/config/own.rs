//! Reserved names: the tools that the run itself carries out. A model that calls one of them means
//! the run, so no other tool may have such a name. It would receive the call, or answer in the
//! run's place.

/// Makes a constant of each name and puts it on the list, so that none can be missing there.
macro_rules! own_names {
    ($($(#[$about:meta])+ $name:ident = $text:literal;)+) => {
        $($(#[$about])+ pub const $name: &str = $text;)+

        /// The names of all tools that belong to a run itself; no other tool is given one of them.
        ///
        /// ```
        /// assert!(holm_kernel::OWN_NAMES.contains(&holm_kernel::ENTER_PLAN));
        /// ```
        pub const OWN_NAMES: &[&str] = &[$($name),+];
    };
}

own_names! {
    /// How the tool is called by which a model enters plan mode.
    ENTER_PLAN = "enter_plan";
    /// How the tool is called by which a model asks to be let out of plan mode.
    EXIT_PLAN = "exit_plan";
    /// How the tool is called by which a model looks after its children in the background.
    CHILDREN = "children";
    /// How a tool that finds tools is called, where the host has one: a model that misses a tool is sent there.
    FINDER = "tool_search";
}
