//! Stock clap 3.
use clap3::{Arg, ArgAction, Command};

fn main() {
    let command = Command::new("clap3-pack")
        .version("1.4.0")
        .about("Packs files into one archive")
        .arg(Arg::new("output").short('o').long("output").value_name("FILE").takes_value(true).required(true).help("Where the archive goes"))
        .arg(Arg::new("level").short('l').long("level").value_name("N").takes_value(true).default_value("6").help("How hard to press"))
        .arg(Arg::new("format").long("format").takes_value(true).possible_values(["tar", "zip"]).default_value("tar").help("Container format"))
        .arg(Arg::new("exclude").short('x').long("exclude").value_name("GLOB").takes_value(true).multiple_values(true).multiple_occurrences(true).help("Leaves out what matches"))
        .arg(Arg::new("verbose").short('v').long("verbose").action(ArgAction::Count).help("Says more"))
        .arg(Arg::new("inputs").value_name("INPUT").required(true).multiple_values(true).help("Files and folders to pack"));
    println!("{:?}", command.get_matches());
}
