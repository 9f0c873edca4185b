//! Stock clap 3 with subcommands.
use clap3::{Arg, Command};

fn main() {
    let command = Command::new("clap3-repo")
        .version("1.4.0")
        .author("The makers")
        .about("Keeps versions of a folder")
        .subcommand_required(true)
        .subcommand(Command::new("save").about("Saves the present state")
            .arg(Arg::new("message").short('m').long("message").takes_value(true).required(true).help("What changed"))
            .arg(Arg::new("path").multiple_values(true)))
        .subcommand(Command::new("log").about("Shows what was saved")
            .arg(Arg::new("count").short('n').takes_value(true).help("How many")));
    println!("{:?}", command.get_matches());
}
