//! clap 4 with descriptions on their own lines, flattened subcommands and an optional positional.
use clap4::{Arg, ArgAction, Command, builder::PossibleValue};

fn main() {
    let command = Command::new("clap4-wide")
        .about("Watches a folder")
        .next_line_help(true)
        .disable_help_subcommand(true)
        .arg(Arg::new("dir").value_name("DIR").default_value(".").help("Folder to watch"))
        .arg(Arg::new("on").long("on").value_parser([
            PossibleValue::new("create").help("A file appears"),
            PossibleValue::new("change").help("A file has new content"),
            PossibleValue::new("remove").help("A file goes"),
        ]).action(ArgAction::Append).help("What to look for"))
        .arg(Arg::new("depth").short('d').long("depth").value_name("LEVELS").allow_negative_numbers(true).help("How deep; -1 has no end"))
        .arg(Arg::new("no-ignore").long("no-ignore").action(ArgAction::SetTrue).help("Takes ignored files too"));
    println!("{:?}", command.get_matches());
}
