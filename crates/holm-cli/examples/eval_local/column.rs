//! The configurations that the evaluation compares.

/// One way to run the model.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) flags: &'static [&'static str],
    pub(crate) model: String,
    pub(crate) tools: Option<&'static str>,
}

/// All columns, for a model.
pub(crate) fn columns(model: &str) -> Vec<Column> {
    let column = |name, flags, tools| Column { name, flags, model: model.into(), tools };
    vec![
        column("adapter + grammar", &[][..], None),
        column("adapter alone", &["--no-grammar"], None),
        column("grammar alone", &["--no-adapter"], None),
        column("neither", &["--no-adapter", "--no-grammar"], None),
        column("adapter + grammar, all tools", &[], Some("all")),
    ]
}
