//! Reserved names: the tools that the run itself carries out. A model that calls one of them
//! means the run, so no other tool may have such a name. It would receive the call, or answer
//! in the run's place.

/// Defines a constant for each name and adds it to the list, so that none can be missing there.
macro_rules! own_names {
    ($($(#[$about:meta])+ $name:ident = $text:literal;)+) => {
        $($(#[$about])+ pub const $name: &str = $text;)+

        /// The reserved names: no other tool may have one of them.
        ///
        /// ```
        /// assert!(holm_kernel::OWN_NAMES.contains(&holm_kernel::ENTER_PLAN));
        /// ```
        pub const OWN_NAMES: &[&str] = &[$($name),+];
    };
}

own_names! {
    /// The name of the tool that enters plan mode.
    ENTER_PLAN = "enter_plan";
    /// The name of the tool that asks to leave plan mode.
    EXIT_PLAN = "exit_plan";
    /// The name of the tool that manages children in the background.
    CHILDREN = "children";
    /// The name of the host's tool search, if it has one. A model that misses a tool is sent there.
    FINDER = "tool_search";
}
