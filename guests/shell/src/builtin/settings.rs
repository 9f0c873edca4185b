//! Built-ins that change the current folder and the shell's behaviour.

use crate::shell::{ShellOptions, ShellState, CommandResult, OptionSwitch};

pub(super) async fn cd(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let mut args = args.iter().filter(|arg| !matches!(arg.as_str(), "-L" | "-P" | "--"));
    let to = match args.next().map(String::as_str) {
        None => shell.vars.text("HOME").unwrap_or_else(|| "/".to_owned()),
        Some("-") => shell.vars.text("OLDPWD").unwrap_or_else(|| "/".to_owned()),
        Some(path) => path.to_owned(),
    };
    match shell.change_directory(&to) {
        Ok(()) => Ok(0),
        Err(why) => {
            shell.complain(&format!("cd: {why}")).await;
            Ok(1)
        }
    }
}

pub(super) async fn pwd(shell: &mut ShellState, _: &[String]) -> CommandResult {
    let line = format!("{}\n", shell.directory);
    Ok(i32::from(shell.fds.get(1).write(line.as_bytes()).await.is_err()))
}

pub(super) async fn set(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let (switch, letters) = match arg.split_at_checked(1) {
            Some(("-", "-")) => {
                shell.args = rest.cloned().collect();
                return Ok(0);
            }
            Some(("-", letters)) => (OptionSwitch::On, letters),
            Some(("+", letters)) => (OptionSwitch::Off, letters),
            _ => {
                shell.args = std::iter::once(arg).chain(rest).cloned().collect();
                return Ok(0);
            }
        };
        for letter in letters.chars() {
            let name = match letter {
                'o' => rest.next().map(String::as_str),
                letter => ShellOptions::letter(letter),
            };
            if let Some(on) = name.and_then(|name| shell.options.named(name)) {
                *on = switch == OptionSwitch::On;
            }
        }
    }
    Ok(0)
}

pub(super) async fn shopt(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let mut switch = None;
    for arg in args {
        match arg.as_str() {
            "-s" => switch = Some(OptionSwitch::On),
            "-u" => switch = Some(OptionSwitch::Off),
            "-q" | "-o" => {}
            name => match (shell.options.named(name), switch) {
                (Some(on), Some(switch)) => *on = switch == OptionSwitch::On,
                (Some(on), None) => return Ok(i32::from(!*on)),
                // Extended patterns are always on; the others change nothing here.
                (None, _) => {}
            },
        }
    }
    Ok(0)
}

pub(super) async fn shift(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let count = args.first().map_or(Some(1), |text| text.parse::<usize>().ok());
    match count.filter(|&count| count <= shell.args.len()) {
        Some(count) => {
            shell.args.drain(..count);
            Ok(0)
        }
        None => Ok(1),
    }
}

pub(super) async fn trap(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let args: Vec<&String> = args.iter().filter(|arg| *arg != "--").collect();
    let Some((action, events)) = args.split_first() else {
        let lines: String = shell
            .traps
            .iter()
            .map(|(event, action)| format!("trap -- {} {event}\n", crate::expand::quote(action)))
            .collect();
        return Ok(i32::from(shell.fds.get(1).write(lines.as_bytes()).await.is_err()));
    };
    for event in events {
        let event = event.strip_prefix("SIG").unwrap_or(event);
        let event = if event == "0" { "EXIT" } else { event };
        if action.as_str() == "-" || action.is_empty() {
            shell.traps.remove(event);
        } else {
            shell.traps.insert(event.to_owned(), (*action).clone());
        }
    }
    Ok(0)
}

pub(super) async fn unset(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let functions = args.first().is_some_and(|arg| arg == "-f");
    for name in args.iter().filter(|arg| !arg.starts_with('-')) {
        if functions {
            shell.functions.remove(name);
        } else if shell.vars.is_readonly(name) {
            shell.complain(&format!("unset: {name}: cannot unset: readonly variable")).await;
            return Ok(1);
        } else if let Some((list, key)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            let key = if shell.vars.is_map(list) {
                key.to_owned()
            } else {
                shell.arithmetic(key).await?.to_string()
            };
            shell.vars.remove_element(list, &key);
        } else if shell.vars.find(name).is_some() {
            shell.vars.remove(name);
        } else {
            shell.functions.remove(name);
        }
    }
    Ok(0)
}

/// Reads one option of the arguments; the place is kept in `OPTIND` and, inside bundled letters, in
/// a name of our own.
pub(super) async fn getopts(shell: &mut ShellState, args: &[String]) -> CommandResult {
    let [spec, name, rest @ ..] = args else { return Ok(2) };
    let words = if rest.is_empty() { shell.args.clone() } else { rest.to_vec() };
    let number = |shell: &ShellState, name: &str, or: usize| {
        shell.vars.text(name).and_then(|text| text.parse().ok()).unwrap_or(or)
    };
    let (index, inner) = (number(shell, "OPTIND", 1), number(shell, "__OPTPOS", 1).max(1));
    let word = words.get(index.saturating_sub(1)).cloned().unwrap_or_default();
    let letters: Vec<char> = word.chars().collect();
    let Some(&letter) = letters.get(inner).filter(|_| word.starts_with('-') && word != "--") else {
        shell.vars.set_text(name, "?".to_owned());
        if word == "--" {
            shell.vars.set_text("OPTIND", (index + 1).to_string());
        }
        return Ok(1);
    };
    let known = spec.trim_start_matches(':').find(letter).filter(|_| letter != ':');
    let valued = known.is_some() && spec.contains(&format!("{letter}:"));
    let (mut next, mut place) = (index, inner + 1);
    let mut found = known.map_or_else(|| "?".to_owned(), |_| letter.to_string());
    let mut argument = known.map_or_else(|| letter.to_string(), |_| String::new());
    if valued {
        let inline: String = letters.get(place..).unwrap_or_default().iter().collect();
        next += 1;
        if inline.is_empty() {
            match words.get(index) {
                Some(value) => argument.clone_from(value),
                None => {
                    (found, argument) =
                        (if spec.starts_with(':') { ":" } else { "?" }.to_owned(), letter.to_string());
                }
            }
            next += 1;
        } else {
            argument = inline;
        }
        place = 1;
    } else if place >= letters.len() {
        next += 1;
        place = 1;
    }
    if found == "?" && !spec.starts_with(':') {
        shell.complain(&format!("getopts: illegal option -- {letter}")).await;
    }
    shell.vars.set_text(name, found);
    shell.vars.set_text("OPTARG", argument);
    shell.vars.set_text("OPTIND", next.to_string());
    shell.vars.set_text("__OPTPOS", place.to_string());
    Ok(0)
}
