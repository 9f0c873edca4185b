//! The declaration of the guest, and the work of one call.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write;

use boa_engine::object::ObjectInitializer;
use boa_engine::property::Attribute;
use boa_engine::{Context, JsResult, JsValue, NativeFunction, Source, js_string};
use guest_kit::{GuestError, ParamKind, GuestToolLevel, GuestParam, GuestTool, ArgumentValues};

/// The declaration of the guest.
pub const TOOL: GuestTool = GuestTool {
    name: "js",
    about: "Runs JavaScript and shows what it logs and its last value; a script has neither files nor network",
    keywords: "javascript, js, script, compute, code, json",
    level: GuestToolLevel::None,
    params: &[
        GuestParam::position("code", "The script"),
        GuestParam::position("args", "What the global args holds").optional().of(ParamKind::Texts),
    ],
};

/// How deep functions may call: the stack of a guest is small.
const MAX_DEPTH: usize = 400;
/// The most text that a script may log.
const MAX_LOG: usize = 1 << 20;

thread_local! {
    /// The log of the script. A function of the engine can hold no borrow, so it writes here.
    static LOG: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Does the work of one call.
///
/// # Errors
///
/// If the script throws; its log up to then is shown all the same.
pub fn work(values: &ArgumentValues, out: &mut dyn Write) -> Result<(), GuestError> {
    let code = values.need("code")?;
    let args: Vec<&str> = values.texts("args").collect();
    let ran = run(code, &args);
    let log = LOG.with_borrow_mut(std::mem::take);
    let value = ran.as_ref().ok().filter(|text| *text != "undefined").map(|text| format!("{text}\n"));
    let text = log + &value.unwrap_or_default();
    out.write_all(text.as_bytes()).map_err(|error| GuestError::failed(error.to_string()))?;
    ran.map(drop).map_err(GuestError::Failed)
}

fn run(code: &str, args: &[&str]) -> Result<String, String> {
    let mut context = Context::default();
    context.runtime_limits_mut().set_recursion_limit(MAX_DEPTH);
    let value = prepare(&mut context, args)
        .and_then(|()| context.eval(Source::from_bytes(code)))
        .and_then(|value| context.run_jobs().map(|()| value));
    match value {
        Ok(value) => Ok(show(&value, &mut context)),
        Err(error) => Err(error.to_string()),
    }
}

/// Adds `console` and `args`.
fn prepare(context: &mut Context, args: &[&str]) -> JsResult<()> {
    let log = || NativeFunction::from_fn_ptr(log);
    let console = ObjectInitializer::new(context)
        .function(log(), js_string!("log"), 0)
        .function(log(), js_string!("info"), 0)
        .function(log(), js_string!("warn"), 0)
        .function(log(), js_string!("error"), 0)
        .build();
    context.register_global_property(js_string!("console"), console, Attribute::all())?;
    let args = args.iter().map(|text| JsValue::from(js_string!(*text)));
    let args = boa_engine::object::builtins::JsArray::from_iter(args, context);
    context.register_global_property(js_string!("args"), args, Attribute::all())
}

fn log(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let words: Vec<String> = args.iter().map(|value| show(value, context)).collect();
    LOG.with_borrow_mut(|log| {
        if log.len() < MAX_LOG {
            let _ = writeln!(log, "{}", words.join(" "));
        }
    });
    Ok(JsValue::undefined())
}

/// Texts as they are, data as JSON, everything else as the engine shows it.
fn show(value: &JsValue, context: &mut Context) -> String {
    if let Some(text) = value.as_string() {
        return text.to_std_string_lossy();
    }
    if value.is_object()
        && !value.is_callable()
        && let Ok(Some(json)) = value.to_json(context)
    {
        return json.to_string();
    }
    value.display().to_string()
}
