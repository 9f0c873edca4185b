//! Reads a command line: long options with `=` or a following word, bundled letters, `--`,
//! positions.

use crate::fault::GuestError;
use crate::tool::{ParamKind, GuestParam, ParamPlace, GuestTool};
use crate::values::ArgumentValues;

/// The request of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandLine {
    Help,
    Call(ArgumentValues),
}

impl GuestTool {
    /// Reads a command line that is a call, as tests do.
    ///
    /// # Errors
    ///
    /// If the command line is not valid.
    pub fn call(&self, args: impl IntoIterator<Item = String>) -> Result<ArgumentValues, GuestError> {
        match self.read_args(args)? {
            CommandLine::Call(values) => Ok(values),
            CommandLine::Help => Err(GuestError::Usage("this asks for help".to_owned())),
        }
    }

    /// Reads the words after the program's own name.
    pub(crate) fn read_args(&self, args: impl IntoIterator<Item = String>) -> Result<CommandLine, GuestError> {
        let mut reader = CommandLineReader { tool: self, values: ArgumentValues::default(), position: 0 };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            if arg == "--" {
                for rest in args {
                    reader.place(rest)?;
                }
                break;
            }
            if arg == "-h" || arg == "--help" {
                return Ok(CommandLine::Help);
            }
            if let Some(long) = arg.strip_prefix("--") {
                reader.long(long, &mut args)?;
            } else if let Some(letters) = arg.strip_prefix('-').filter(|rest| !rest.is_empty()) {
                reader.letters(letters, &mut args)?;
            } else {
                reader.place(arg)?;
                // The words after a script are the script's own options.
                if reader.next().is_some_and(|param| param.kind == ParamKind::Texts) {
                    for rest in args {
                        reader.place(rest)?;
                    }
                    break;
                }
            }
        }
        reader.values.settle(self).map(CommandLine::Call)
    }
}

struct CommandLineReader<'a> {
    tool: &'a GuestTool,
    values: ArgumentValues,
    position: usize,
}

impl CommandLineReader<'_> {
    fn long(&mut self, text: &str, args: &mut impl Iterator<Item = String>) -> Result<(), GuestError> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let found =
            self.tool.params.iter().find(|param| param.place != ParamPlace::Position && param.long() == name);
        let Some(param) = found else {
            return Err(GuestError::Usage(format!("there is no option --{name}; --help lists all")));
        };
        self.option(param, value, args)
    }

    fn letters(&mut self, letters: &str, args: &mut impl Iterator<Item = String>) -> Result<(), GuestError> {
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            let found = self.tool.params.iter().find(|param| param.place == ParamPlace::Short(letter));
            let Some(param) = found else {
                return Err(GuestError::Usage(format!("there is no option -{letter}; --help lists all")));
            };
            if param.kind == ParamKind::Flag {
                self.values.put(param, "true".to_owned())?;
                continue;
            }
            let inline = rest.as_str();
            let inline = inline.strip_prefix('=').unwrap_or(inline);
            let value = (!inline.is_empty()).then(|| inline.to_owned());
            return self.option(param, value, args);
        }
        Ok(())
    }

    fn option(
        &mut self,
        param: &GuestParam,
        value: Option<String>,
        args: &mut impl Iterator<Item = String>,
    ) -> Result<(), GuestError> {
        let value = match (param.kind, value) {
            (ParamKind::Flag, None) => "true".to_owned(),
            (ParamKind::Flag, Some(_)) => {
                return Err(GuestError::Usage(format!("--{} takes no value", param.long())));
            }
            (_, Some(value)) => value,
            (_, None) => {
                args.next().ok_or_else(|| GuestError::Usage(format!("--{} needs a value", param.long())))?
            }
        };
        self.values.put(param, value)
    }

    /// The parameter that the next position is for.
    fn next(&self) -> Option<&'static GuestParam> {
        self.tool.params.iter().filter(|param| param.place == ParamPlace::Position).nth(self.position)
    }

    fn place(&mut self, value: String) -> Result<(), GuestError> {
        let Some(param) = self.next() else {
            return Err(GuestError::Usage(format!("'{value}' is one word too many")));
        };
        if param.kind != ParamKind::Texts {
            self.position += 1;
        }
        self.values.put(param, value)
    }
}
