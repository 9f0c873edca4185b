//! bpaf by combinators.
use bpaf::{Parser, construct, long, positional, short};

fn main() {
    let volume = short('V').long("volume").help("How loud, 0 to 11").argument::<u32>("LEVEL").fallback(5).display_fallback();
    let track = long("track").help("Track to mix in; may be given again").argument::<String>("FILE").many();
    let mute = short('m').long("mute").help("Keeps quiet").switch();
    let output = positional::<String>("OUTPUT").help("Where the mix goes");
    let note = positional::<String>("NOTE").help("A line for the log").optional();
    let parser = construct!(volume, track, mute, output, note);
    let options = parser.to_options().descr("Mixes tracks").footer("Tracks are mixed in the order given.");
    let got = options.run();
    println!("{got:?}");
}
