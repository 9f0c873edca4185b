//! The help text, laid out as clap does, because users and the help-text reader know that layout
//! best.

use std::fmt::Write;

use crate::tool::{ParamKind, ParamNeed, GuestParam, ParamPlace, GuestTool};

impl GuestTool {
    /// The text that `--help` prints.
    #[must_use]
    pub fn help(&self) -> String {
        let mut text = format!("{}\n\nUsage: {}", self.about, self.usage());
        let positions: Vec<_> =
            self.params.iter().filter(|param| param.place == ParamPlace::Position).map(entry).collect();
        let mut options: Vec<_> =
            self.params.iter().filter(|param| param.place != ParamPlace::Position).map(entry).collect();
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
            let required = param.need == ParamNeed::Required;
            let words = match (param.place, required) {
                (ParamPlace::Position, true) => value,
                (ParamPlace::Position, false) => {
                    let value = value.replace(['<', '>'], "");
                    value
                        .strip_suffix("...")
                        .map_or_else(|| format!("[{value}]"), |one| format!("[{one}]..."))
                }
                (ParamPlace::Long | ParamPlace::Short(_), true) => format!("--{} {value}", param.long()),
                (ParamPlace::Long | ParamPlace::Short(_), false) => continue,
            };
            usage.push(' ');
            usage.push_str(&words);
        }
        usage.push('\n');
        usage
    }
}

/// The placeholder of the value.
fn place(param: &GuestParam) -> String {
    let name = param.long().to_uppercase();
    match param.kind {
        ParamKind::Texts if param.place == ParamPlace::Position => format!("<{name}>..."),
        ParamKind::Flag | ParamKind::Text | ParamKind::Number | ParamKind::Texts | ParamKind::Choice(_) => format!("<{name}>"),
    }
}

/// The left and the right of one line.
fn entry(param: &GuestParam) -> (String, String) {
    let value = if param.kind == ParamKind::Flag { String::new() } else { format!(" {}", place(param)) };
    let left = match param.place {
        ParamPlace::Position if param.need == ParamNeed::Required => place(param),
        ParamPlace::Position => {
            let name = param.long().to_uppercase();
            if param.kind == ParamKind::Texts { format!("[{name}]...") } else { format!("[{name}]") }
        }
        ParamPlace::Long => format!("    --{}{value}", param.long()),
        ParamPlace::Short(letter) => format!("-{letter}, --{}{value}", param.long()),
    };
    let mut right = param.about.to_owned();
    if param.kind == ParamKind::Texts && param.place != ParamPlace::Position {
        right.push_str(" (may be given again)");
    }
    if let ParamNeed::Default(value) = param.need {
        let _ = write!(right, " [default: {value}]");
    }
    if let ParamKind::Choice(words) = param.kind {
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
