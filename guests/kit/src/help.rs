//! The help text, laid out as clap does, because users and the help-text reader know that layout
//! best.

use std::fmt::Write;

use crate::tool::{Kind, Need, Param, Place, Tool};

impl Tool {
    /// The text that `--help` prints.
    #[must_use]
    pub fn help(&self) -> String {
        let mut text = format!("{}\n\nUsage: {}", self.about, self.usage());
        let positions: Vec<_> =
            self.params.iter().filter(|param| param.place == Place::Position).map(entry).collect();
        let mut options: Vec<_> =
            self.params.iter().filter(|param| param.place != Place::Position).map(entry).collect();
        options.push(("-h, --help".to_owned(), "Print help".to_owned()));
        section(&mut text, "Arguments", &positions);
        section(&mut text, "Options", &options);
        let _ = write!(text, "\nKeywords: {}\nPermissionLevel: {}\n", self.keywords, self.level.word());
        text
    }

    fn usage(&self) -> String {
        let mut usage = self.name.to_owned();
        usage.push_str(" [OPTIONS]");
        for param in self.params {
            let value = place(param);
            let required = param.need == Need::Required;
            let words = match (param.place, required) {
                (Place::Position, true) => value,
                (Place::Position, false) => {
                    let value = value.replace(['<', '>'], "");
                    value
                        .strip_suffix("...")
                        .map_or_else(|| format!("[{value}]"), |one| format!("[{one}]..."))
                }
                (Place::Long | Place::Short(_), true) => format!("--{} {value}", param.long()),
                (Place::Long | Place::Short(_), false) => continue,
            };
            usage.push(' ');
            usage.push_str(&words);
        }
        usage.push('\n');
        usage
    }
}

/// The placeholder of the value.
fn place(param: &Param) -> String {
    let name = param.long().to_uppercase();
    match param.kind {
        Kind::Texts if param.place == Place::Position => format!("<{name}>..."),
        Kind::Flag | Kind::Text | Kind::Number | Kind::Texts | Kind::Choice(_) => format!("<{name}>"),
    }
}

/// The left and the right of one line.
fn entry(param: &Param) -> (String, String) {
    let value = if param.kind == Kind::Flag { String::new() } else { format!(" {}", place(param)) };
    let left = match param.place {
        Place::Position if param.need == Need::Required => place(param),
        Place::Position => {
            let name = param.long().to_uppercase();
            if param.kind == Kind::Texts { format!("[{name}]...") } else { format!("[{name}]") }
        }
        Place::Long => format!("    --{}{value}", param.long()),
        Place::Short(letter) => format!("-{letter}, --{}{value}", param.long()),
    };
    let mut right = param.about.to_owned();
    if param.kind == Kind::Texts && param.place != Place::Position {
        right.push_str(" (may be given again)");
    }
    if let Need::Default(value) = param.need {
        let _ = write!(right, " [default: {value}]");
    }
    if let Kind::Choice(words) = param.kind {
        let _ = write!(right, " [possible values: {}]", words.join(", "));
    }
    (left, right)
}

fn section(text: &mut String, title: &str, entries: &[(String, String)]) {
    if entries.is_empty() {
        return;
    }
    let width = entries.iter().map(|(left, _)| left.len()).max().unwrap_or(0);
    let _ = write!(text, "\n{title}:\n");
    for (left, right) in entries {
        let _ = writeln!(text, "  {left:width$}  {right}");
    }
}
