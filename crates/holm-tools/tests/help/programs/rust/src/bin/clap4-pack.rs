//! Stock clap 4: options of every kind, groups under headings, a long and a short help.
use clap4::{Arg, ArgAction, Command, value_parser};

fn main() {
    let command = Command::new("clap4-pack")
        .version("1.4.0")
        .about("Packs files into one archive")
        .long_about("Packs files into one archive.\n\nThe archive is written only when every input could be read, so that a failure\nleaves the former one in place.")
        .arg(Arg::new("output").short('o').long("output").value_name("FILE").required(true).help("Where the archive goes"))
        .arg(Arg::new("level").short('l').long("level").value_name("N").default_value("6").value_parser(value_parser!(u8)).help("How hard to press").long_help("How hard to press.\n\nHigher levels take longer and need more memory; beyond 9 the gain is small for most inputs, whatever they hold."))
        .arg(Arg::new("format").long("format").value_parser(["tar", "zip", "cpio"]).default_value("tar").help("Container format"))
        .arg(Arg::new("exclude").short('x').long("exclude").value_name("GLOB").action(ArgAction::Append).help("Leaves out what matches; may be given again"))
        .arg(Arg::new("owner").long("owner").num_args(2).value_names(["USER", "GROUP"]).help("Owner of every entry"))
        .arg(Arg::new("verbose").short('v').long("verbose").action(ArgAction::Count).help("Says more; twice says all"))
        .arg(Arg::new("dry-run").short('n').long("dry-run").visible_alias("simulate").action(ArgAction::SetTrue).help("Only says what would be done"))
        .arg(Arg::new("color").long("color").value_name("WHEN").num_args(0..=1).require_equals(true).default_missing_value("always").value_parser(["auto", "always", "never"]).help_heading("Display").help("Colours"))
        .arg(Arg::new("token").long("token").help_heading("Display").help("Progress token"))
        .arg(Arg::new("inputs").value_name("INPUT").required(true).num_args(1..).help("Files and folders to pack"));
    let matches = command.get_matches();
    println!("{:?}", matches.get_many::<String>("inputs").map(|v| v.collect::<Vec<_>>()));
}
