//! Turns a model's arguments into the command line and the standard input of one call. No shell is
//! involved: each value is one word or goes to standard input, so it cannot become another command.
//! It runs nothing; `program/tool.rs` does.

use std::borrow::Cow;

use holm_guards::json::{Json, JsonKind};

use super::{ArgumentArity, ArgumentMode, ProgramArgument, ProgramDescription, RUN};

/// The command line and the standard input of one call, without the program's own path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramCall {
    /// The words, from `run` on; they go to the program as they are, past no shell.
    pub argv: Vec<String>,
    /// Its standard input; empty where no argument goes there.
    pub stdin: Vec<u8>,
}

/// The arguments do not fit the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramCallError {
    /// They are not an object.
    #[error("the arguments are {0}, not an object; send an object of named values")]
    NotAnObject(JsonKind),
    /// A needed one is not there.
    #[error("the argument {0:?} is missing; send it")]
    Missing(String),
    /// One is not declared.
    #[error("there is no argument {0:?}; leave it out")]
    Unknown(String),
    /// A value has no text that a program could read.
    #[error("the argument {name:?} is {found}; send a string, a number or a boolean")]
    NotText { name: String, found: JsonKind },
    /// A word of a command line cannot hold this character.
    #[error("the argument {0:?} holds a zero byte, which cannot be passed on a command line; remove it")]
    ZeroByte(String),
}

impl ProgramDescription {
    /// Makes a call of arguments, in the order in which the program declared them.
    ///
    /// ```
    /// use holm_guards::json::Json;
    /// use holm_tools::describe::ProgramDescription;
    ///
    /// let program = ProgramDescription::parse(
    ///     "note.sh",
    ///     br#"{"slug": "note", "description": "Keeps notes.", "args": [
    ///     {"name": "first", "mode": "stdin"}, {"name": "second", "mode": "stdin"}]}"#,
    /// )?;
    /// let call = program.call(&Json::parse(r#"{"first": "one", "second": 2}"#).unwrap()).unwrap();
    /// assert_eq!(call.stdin, b"one\n\n2\n");
    /// # Ok::<(), holm_tools::describe::DescriptionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a required argument is missing, an argument is not declared, or a value is not text.
    pub fn call(&self, arguments: &Json) -> Result<ProgramCall, ProgramCallError> {
        let Some(members) = arguments.as_object() else {
            return Err(ProgramCallError::NotAnObject(arguments.kind()));
        };
        if let Some(name) = members.keys().find(|name| self.args.iter().all(|arg| arg.name != **name)) {
            return Err(ProgramCallError::Unknown(name.clone()));
        }
        let mut call = ProgramCall { argv: vec![RUN.into()], stdin: Vec::new() };
        for arg in &self.args {
            match members.get(&arg.name) {
                None | Some(Json::Null) if arg.arity == ArgumentArity::Optional => {}
                None | Some(Json::Null) => return Err(ProgramCallError::Missing(arg.name.clone())),
                Some(value) => call.add(arg, value)?,
            }
        }
        Ok(call)
    }
}

impl ProgramCall {
    fn add(&mut self, arg: &ProgramArgument, value: &Json) -> Result<(), ProgramCallError> {
        let value = value_text(arg, value)?;
        if arg.mode != ArgumentMode::Stdin && value.contains('\0') {
            return Err(ProgramCallError::ZeroByte(arg.name.clone()));
        }
        match arg.mode {
            ArgumentMode::Positional => self.argv.push(value.into_owned()),
            ArgumentMode::DashDashSpace => self.argv.extend([format!("--{}", arg.name), value.into_owned()]),
            ArgumentMode::DashDashEqual => self.argv.push(format!("--{}={value}", arg.name)),
            ArgumentMode::Stdin => {
                // Written as by `echo`, with an empty line between two values.
                if !self.stdin.is_empty() {
                    self.stdin.push(b'\n');
                }
                self.stdin.extend_from_slice(value.as_bytes());
                self.stdin.push(b'\n');
            }
        }
        Ok(())
    }
}

/// Lists and objects are allowed only if the program said that it reads them.
fn value_text<'a>(arg: &ProgramArgument, value: &'a Json) -> Result<Cow<'a, str>, ProgramCallError> {
    match value {
        Json::String(text) => Ok(Cow::Borrowed(text)),
        Json::Number(number) => Ok(Cow::Borrowed(number.as_str())),
        Json::Bool(true) => Ok(Cow::Borrowed("true")),
        Json::Bool(false) => Ok(Cow::Borrowed("false")),
        Json::Array(_) if arg.kind == "array" => Ok(Cow::Owned(value.canonical())),
        Json::Object(_) if arg.kind == "object" => Ok(Cow::Owned(value.canonical())),
        Json::Array(_) | Json::Object(_) | Json::Null => {
            Err(ProgramCallError::NotText { name: arg.name.clone(), found: value.kind() })
        }
    }
}
