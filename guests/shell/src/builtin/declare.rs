//! `export`, `local`, `declare` and similar built-ins, whose words may be assignments.

use std::collections::BTreeMap;

use brush_parser::ast::{Assignment, AssignmentName};

use crate::expand::quote;
use crate::shell::{ShellFlow, ShellState, CommandResult, VariableValue};

/// Whether the words of a command may be assignments.
pub(crate) fn declares(words: &[String]) -> bool {
    let name = words.first().map(String::as_str);
    matches!(name, Some("export" | "readonly" | "local" | "declare" | "typeset"))
}

/// The attributes to set on the names.
#[derive(Debug, Clone, Copy, Default)]
struct DeclareFlags {
    export: Option<bool>,
    readonly: bool,
    integer: bool,
    list: bool,
    map: bool,
    local: bool,
    global: bool,
    print: bool,
}

/// Runs one of them by words alone.
pub(super) async fn words(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let words: Vec<String> = std::iter::once("export".to_owned()).chain(args.iter().cloned()).collect();
    declare(shell, &words, &[]).await
}

/// Runs one of them.
pub(crate) async fn declare(shell: &mut ShellState, words: &[String], assignments: &[&Assignment]) -> CommandResult {
    let Some((name, args)) = words.split_first() else { return Ok(0) };
    let mut marks = DeclareFlags::default();
    match name.as_str() {
        "export" => marks.export = Some(true),
        "readonly" => marks.readonly = true,
        "local" if !shell.vars.in_function() => {
            shell.complain("local: can only be used in a function").await;
            return Ok(1);
        }
        _ => marks.local = shell.vars.in_function(),
    }
    let flags = args.iter().take_while(|arg| arg.starts_with(['-', '+']) && arg.len() > 1);
    let mut names = Vec::new();
    for flag in flags.clone() {
        marks.read(flag);
    }
    names.extend(args.iter().skip(flags.count()));
    if marks.print || (names.is_empty() && assignments.is_empty()) {
        return print(shell, &names, marks).await;
    }
    for word in names {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        mark(shell, name, marks);
        if let Some(value) = value {
            if refuse(shell, name).await? {
                return Ok(1);
            }
            shell.vars.set_text(name, value.to_owned());
        }
        seal(shell, name, marks);
    }
    for assignment in assignments {
        let (AssignmentName::VariableName(name) | AssignmentName::ArrayElementName(name, _)) =
            &assignment.name;
        if marks.local && !marks.global {
            // The value may speak of the variable that is about to be hidden.
            let mut hidden = (*assignment).clone();
            if let brush_parser::ast::AssignmentValue::Scalar(word) = &assignment.value {
                let text = shell.expand_text(&word.value).await?;
                hidden.value = brush_parser::ast::AssignmentValue::Scalar(quote(&text).into());
            }
            mark(shell, name, marks);
            shell.assign(&hidden).await?;
        } else {
            mark(shell, name, marks);
            shell.assign(assignment).await?;
        }
        seal(shell, name, marks);
    }
    Ok(if shell.substituted { shell.status } else { 0 })
}

async fn refuse(shell: &ShellState, name: &str) -> Result<bool, ShellFlow> {
    let readonly = shell.vars.is_readonly(name);
    if readonly {
        shell.complain(&format!("shell: {name}: readonly variable")).await;
    }
    Ok(readonly)
}

impl DeclareFlags {
    fn read(&mut self, flag: &str) {
        let on = flag.starts_with('-');
        for letter in flag.chars().skip(1) {
            match letter {
                'x' => self.export = Some(on),
                'n' => self.export = Some(false),
                'r' => self.readonly = on,
                'i' => self.integer = on,
                'a' => self.list = on,
                'A' => self.map = on,
                'g' => self.global = on,
                'p' => self.print = on,
                _ => {}
            }
        }
    }
}

/// Creates the variable and sets the attributes that do not need a value.
fn mark(shell: &mut ShellState, name: &str, marks: DeclareFlags) {
    let var =
        if marks.local && !marks.global { shell.vars.declare_local(name) } else { shell.vars.entry(name) };
    var.integer |= marks.integer;
    if let Some(export) = marks.export {
        var.exported = export;
    }
    match (&var.value, marks.map, marks.list) {
        (VariableValue::Map(_), true, _) | (VariableValue::List(_), _, true) => {}
        (_, true, _) => var.value = VariableValue::Map(BTreeMap::new()),
        (VariableValue::Unset, _, true) => var.value = VariableValue::List(BTreeMap::new()),
        _ => {}
    }
}

fn seal(shell: &mut ShellState, name: &str, marks: DeclareFlags) {
    if marks.readonly {
        shell.vars.entry(name).readonly = true;
    }
}

async fn print(shell: &mut ShellState, names: &[&String], marks: DeclareFlags) -> CommandResult {
    let all = shell.vars.names();
    let names: Vec<&String> = if names.is_empty() { all.iter().collect() } else { names.to_vec() };
    for name in names {
        let Some(var) = shell.vars.find(name) else { continue };
        if (marks.export == Some(true) && !var.exported) || (marks.readonly && !var.readonly) {
            continue;
        }
        let pairs = |keys: Vec<String>, values: Vec<String>| {
            let pair = |(key, value): (String, String)| format!("[{key}]={}", quote(&value));
            keys.into_iter().zip(values).map(pair).collect::<Vec<_>>().join(" ")
        };
        let (flag, value) = match &var.value {
            VariableValue::Unset => ("--", String::new()),
            VariableValue::Text(text) => (if var.exported { "-x" } else { "--" }, format!("={}", quote(text))),
            VariableValue::List(_) => {
                ("-a", format!("=({})", pairs(shell.vars.keys(name), shell.vars.elements(name))))
            }
            VariableValue::Map(_) => {
                ("-A", format!("=({})", pairs(shell.vars.keys(name), shell.vars.elements(name))))
            }
        };
        let _ = shell.fds.get(1).write(format!("declare {flag} {name}{value}\n").as_bytes()).await;
    }
    Ok(0)
}
