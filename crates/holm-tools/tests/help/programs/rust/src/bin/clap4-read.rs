//! clap 4 with the help template of self-describing tools: keywords and a level.
use clap4::{Arg, Command};

fn main() {
    let command = Command::new("clap4-read")
        .version("1.4.0")
        .about("Reads a file in pages")
        .before_help("Keywords: file, read, text\n\nPermissionLevel: ReadOnly")
        .help_template("{name} {version}\n{about}\n\n{before-help}{usage-heading} {usage}\n\n{all-args}")
        .arg(Arg::new("file-path").long("file-path").value_name("STRING").required(true).help("Path of the file"))
        .arg(Arg::new("offset").long("offset").value_name("NUMBER").default_value("0").help("First line"))
        .arg(Arg::new("numbers").long("numbers").value_name("BOOLEAN").default_value("true").value_parser(["true", "false"]).help("Puts line numbers in front"));
    println!("{:?}", command.get_matches());
}
