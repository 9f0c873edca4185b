//! Wraps a file tool so that it takes one plain argument instead of many. The work is done by
//! `files/list.rs` and `files/read.rs`; this file changes only the arguments and the form of the
//! result, so it must follow when the form of their results changes. It asks for the same grants as
//! the tool that it wraps.

use std::sync::Arc;

use holm_grants::Level;
use holm_guards::{
    json::Json,
    plausibility::{EmptyOutput, ErrorText},
};
use holm_kernel::{self as kernel, Outcome, ToolOutput};
use holm_runtime::{BoxFuture, Tool, ToolInvocation};

/// Characters of a result that a small model sees: a quarter of its context.
pub(super) const SHOWN: u64 = 6_000;

/// The declaration of a simple tool, and the tool that it wraps.
pub(super) struct SimpleToolForm {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// The one argument, and whether it must be given.
    pub(super) argument: (&'static str, ArgumentNeed),
    pub(super) need: &'static str,
    /// The tool that does the work.
    pub(super) inner: &'static str,
    pub(super) arguments: fn(Option<&str>) -> Json,
    pub(super) shown: fn(&str) -> String,
}

/// Whether an argument is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentNeed {
    Always,
    Sometimes,
}

pub(super) const LIST: SimpleToolForm = SimpleToolForm {
    name: "list_files",
    about: "Lists the files in a folder, and says how many there are and which is the largest.",
    argument: ("path", ArgumentNeed::Sometimes),
    need: "read:{path=.}",
    inner: "list",
    arguments: |path| Json::object(path.map(|path| ("path", Json::from(path)))),
    shown: summed_up,
};

pub(super) const READ: SimpleToolForm = SimpleToolForm {
    name: "read_file",
    about: "Reads a text file and shows what is in it.",
    argument: ("path", ArgumentNeed::Always),
    need: "read:{path}",
    inner: "read",
    arguments: |path| Json::object([("path", Json::from(path.unwrap_or_default()))]),
    shown: without_numbers,
};

/// A tool that wraps another one with a single plain argument.
pub(super) struct SimpleTool {
    declaration: kernel::ToolSpec,
    form: SimpleToolForm,
    inner: Arc<dyn Tool>,
}

impl SimpleTool {
    pub(super) fn of(form: SimpleToolForm, inner: &Arc<dyn Tool>) -> Self {
        let (name, given) = form.argument;
        let declaration =
            declared(form.name, form.about, &[(name, given == ArgumentNeed::Always)], form.need);
        Self { declaration, form, inner: Arc::clone(inner) }
    }
}

impl Tool for SimpleTool {
    fn declaration(&self) -> &kernel::ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let given = Json::parse(&job.arguments).unwrap_or(Json::Null);
        let value = given.get(self.form.argument.0).and_then(Json::as_str).filter(|text| !text.is_empty());
        let arguments = (self.form.arguments)(value).canonical();
        let (running, shown) = (self.inner.run(job.arguments(arguments)), self.form.shown);
        Box::pin(async move {
            let mut output = running.await;
            if output.outcome == Outcome::Succeeded {
                output.text = shown(&output.text);
            }
            output
        })
    }
}

/// The common part of the declarations of these tools: text arguments, and
/// whether each is required.
pub(super) fn declared(name: &str, about: &str, arguments: &[(&str, bool)], need: &str) -> kernel::ToolSpec {
    let text = || Json::object([("type", Json::from("string"))]);
    let properties = Json::object(arguments.iter().map(|(name, _)| (*name, text())));
    let required =
        arguments.iter().filter(|(_, needed)| *needed).map(|(name, _)| Json::from(*name)).collect();
    let schema = Json::object([
        ("type", Json::from("object")),
        ("properties", properties),
        ("required", Json::Array(required)),
    ]);
    #[expect(clippy::expect_used, reason = "constants of the tools, each of which a test makes")]
    let mut tool = kernel::ToolSpec::new(name, about, schema)
        .needs([need])
        .expect("needs of our own tools are templates");
    tool.level = Level::ReadOnly;
    tool.result_limit = Some(SHOWN);
    // The content of a file is data, even if it reads like an error.
    tool.error_text = ErrorText::Allowed;
    tool.empty = EmptyOutput::Allowed;
    // The same as for the wrapped tools.
    tool.yields.private = need.starts_with("read:");
    tool
}

/// A listing, and before it how much is in it: a small model does not count and does not compare.
fn summed_up(listing: &str) -> String {
    let entries = listing.lines().filter(|line| !line.starts_with('['));
    let (folders, files): (Vec<&str>, Vec<&str>) = entries.partition(|line| line.ends_with('/'));
    let sized = files.iter().filter_map(|line| {
        let (name, size) = line.strip_suffix(" bytes")?.rsplit_once("  ")?;
        Some((size.parse::<u64>().ok()?, name))
    });
    // The first of several with equal size.
    let largest = sized.fold(
        None,
        |best: Option<(u64, &str)>, next| {
            if best.is_none_or(|best| next.0 > best.0) { Some(next) } else { best }
        },
    );
    let largest = largest
        .map_or_else(String::new, |(size, name)| format!("; the largest file is {name} with {size} bytes"));
    let (files, folders) = (number(files.len(), "file"), number(folders.len(), "folder"));
    format!("{files} and {folders}{largest}:\n{listing}")
}

/// How many there are, in words.
pub(super) fn number(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// A page without the numbers of its lines.
fn without_numbers(page: &str) -> String {
    let plain = |line: &str| match line.split_once('\t') {
        Some((number, text)) if number.trim().parse::<u64>().is_ok() => text.to_owned(),
        Some(_) | None => line.to_owned(),
    };
    page.lines().map(plain).collect::<Vec<_>>().join("\n")
}
