//! The `#[tool]` attribute turns a plain function into a tool. This crate has no runtime code; the
//! generated code calls `holm-runtime`.
//!
//! Where things are: `options.rs` (the content of the attribute), `signature.rs` (whether a
//! function can be a tool), `parameter.rs` (its parameters), `expand.rs` (the generated code).

mod expand;
mod options;
mod parameter;
mod signature;

use proc_macro::TokenStream;

/// Turns a function into a tool.
///
/// The model reads the doc comment. The parameters are the call's arguments, and a parameter's own
/// doc comment describes it. An `Option` may be left out, and an enum that is `Deserialize` and
/// `JsonSchema` offers its variants. An async function runs where it is called; a plain one runs on
/// a thread where it may block. It may return a text, a number, anything that is `Serialize`, a
/// `ToolOutput`, nothing, or a `Result` of these. An `Err` is a failed call.
///
/// The name then refers to the tool: `agent.tool(read_lines)`, or `read_lines()` where a value is
/// required. The function itself is available as `read_lines::call`.
///
/// ```
/// use holm_macros::tool;
/// use holm_runtime::{ToolInvocation, Tool};
///
/// /// Reads lines of a file.
/// #[tool(crate = "::holm_runtime", level = read_only, needs("read:{path}"), timeout = "10s")]
/// fn read_lines(
///     /// The file, relative to the project.
///     path: String,
///     /// How many lines; all if left out.
///     count: Option<usize>,
/// ) -> std::io::Result<String> {
///     let text = std::fs::read_to_string(path)?;
///     Ok(text.lines().take(count.unwrap_or(usize::MAX)).collect::<Vec<_>>().join("\n"))
/// }
///
/// assert_eq!(read_lines().declaration().description, "Reads lines of a file.");
/// assert!(read_lines::call("no such file".into(), None).is_err());
/// ```
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `level = none`, `read_only`, `write` or `execute` | how much a call can change; without it, anything |
/// | `needs("read:{path}", …)` | what a call needs, as grants with arguments in braces |
/// | `name = "…"` | the name for the model, if not the function's |
/// | `idempotent` | running twice is the same as once |
/// | `exclusive` | nothing runs beside it |
/// | `advisory` | its results do not count when a batch decides to end the run |
/// | `polling` | repeating the same call is its purpose |
/// | `aborts_siblings` | its failure stops the other calls of its batch |
/// | `may_be_empty` | no output is a fair result |
/// | `shows_errors` | output that reads like an error message may be data |
/// | `untrusted`, `private`, `egress` | what passes through it |
/// | `timeout = "30s"` | how long one call may take (`ms`, `s`, `m`, `h`) |
/// | `result_limit = 8000` | how many characters of a result the model sees |
/// | `crate = "::holm_runtime"` | where the runtime is, if not at `::holm::runtime` |
///
/// A parameter of the type `ToolInvocation`, `ProgressReporter` or `CancellationToken` is not an
/// argument: the function receives the call's own. A parameter with `#[arguments]` stands for all
/// arguments, for types that are used elsewhere too.
/// `#[serde(…)]` and `#[schemars(…)]` on a parameter are kept.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(options.into(), item.into()).unwrap_or_else(|error| error.to_compile_error()).into()
}
