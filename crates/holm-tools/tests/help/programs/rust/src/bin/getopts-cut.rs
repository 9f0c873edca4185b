//! getopts, the oldest of the Rust parsers.
use getopts::Options;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut options = Options::new();
    options.reqopt("o", "output", "where the result goes", "FILE");
    options.optopt("d", "delimiter", "what stands between fields", "CHAR");
    options.optmulti("f", "field", "a field to keep; may be given again", "N");
    options.optflagmulti("v", "verbose", "says more");
    options.optflagopt("t", "trim", "cuts white space (all, left or right)", "SIDE");
    options.optflag("h", "help", "prints this help");
    if args.iter().any(|arg| arg == "-h" || arg == "--help") {
        print!("{}", options.usage("Usage: getopts-cut -o FILE [options] [FILE ...]"));
        return;
    }
    match options.parse(&args[1..]) {
        Ok(matches) => println!("{:?}", matches.free),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2);
        }
    }
}
