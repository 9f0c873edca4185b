//! argh with subcommands.
use argh::FromArgs;

#[derive(FromArgs, Debug)]
struct Top {
    /// be loud
    #[argh(switch)]
    loud: bool,
    #[argh(subcommand)]
    what: What,
}

#[derive(FromArgs, Debug)]
#[argh(subcommand)]
enum What {
    Open(Open),
    Close(Close),
}

#[derive(FromArgs, Debug)]
#[argh(subcommand, name = "open")]
struct Open {
    /// with this key
    #[argh(option)]
    key: String,
}

#[derive(FromArgs, Debug)]
#[argh(subcommand, name = "close")]
struct Close {}

fn main() {
    let top: Top = argh::from_env();
    println!("{top:?}");
}
