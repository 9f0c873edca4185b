//! Stock clap 4: subcommands, nested, with aliases and global options.
use clap4::{Arg, ArgAction, Command};

fn main() {
    let command = Command::new("clap4-repo")
        .version("1.4.0")
        .about("Keeps versions of a folder")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(Arg::new("quiet").short('q').long("quiet").global(true).action(ArgAction::SetTrue).help("Says nothing"))
        .arg(Arg::new("dir").short('C').long("dir").value_name("DIR").global(true).help("Works in this folder"))
        .subcommand(Command::new("save").visible_alias("commit").about("Saves the present state")
            .arg(Arg::new("message").short('m').long("message").required(true).help("What changed"))
            .arg(Arg::new("amend").long("amend").conflicts_with("paths").action(ArgAction::SetTrue).help("Replaces the last version"))
            .arg(Arg::new("paths").num_args(0..).help("Only these paths")))
        .subcommand(Command::new("remote").about("Other places that hold versions").subcommand_required(true)
            .subcommand(Command::new("add").about("Adds a place").arg(Arg::new("name").required(true)).arg(Arg::new("url").required(true).help("Where it is"))
                .arg(Arg::new("tags").long("tags").value_delimiter(',').num_args(1..).help("Tags to follow")))
            .subcommand(Command::new("remove").about("Removes a place").arg(Arg::new("name").required(true))))
        .subcommand(Command::new("run").about("Runs a program on each version").arg(Arg::new("command").required(true).num_args(1..).last(true).help("The program and its arguments")));
    println!("{:?}", command.get_matches());
}
