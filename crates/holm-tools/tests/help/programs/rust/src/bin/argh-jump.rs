//! argh, the small parser of Fuchsia.
use argh::FromArgs;

#[derive(FromArgs, Debug)]
struct Jump {
    /// whether or not to jump
    #[argh(switch, short = 'j')]
    jump: bool,
    /// how high to go
    #[argh(option)]
    height: usize,
    /// an optional nickname for the pilot
    #[argh(option)]
    pilot_nickname: Option<String>,
    /// waypoints, in order
    #[argh(option)]
    via: Vec<String>,
    /// where to land
    #[argh(positional)]
    target: String,
    /// who comes along
    #[argh(positional)]
    crew: Vec<String>,
}

fn main() {
    let jump: Jump = argh::from_env();
    println!("{jump:?}");
}
