//! Prints the words of a call, each ended by a zero byte, for a help text and JSON arguments.
//!
//!     argv HELP.txt '{"lines": 3}' head [SUBCOMMAND...]
//!
//! Without arguments (`-` in their place) the schema is printed instead. A program to try plans with; it runs nothing.
#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::error::Error;

use holm_guards::json::Json;
use holm_tools::help::{HelpDescription, HelpProgram};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, arguments, program, path @ ..] = args.as_slice() else {
        return Err("give a file with the help text, arguments as JSON (or `-`), and the program".into());
    };
    let text = std::fs::read(file)?;
    let description =
        HelpDescription::read(&HelpProgram::at(program, path.iter().map(String::as_str)), None, Some(&text))?;
    if arguments == "-" {
        println!("{}", description.schema.canonical());
        return Ok(());
    }
    for word in description.plan.argv(&Json::parse(arguments)?)? {
        print!("{word}\0");
    }
    Ok(())
}
