//! gumdrop.
use gumdrop::Options;

/// Folds text
#[derive(Debug, Options)]
struct Fold {
    #[options(help = "print help message")]
    help: bool,
    #[options(help = "columns of a line", meta = "N", default = "80")]
    width: u32,
    #[options(help = "break at spaces only")]
    spaces: bool,
    #[options(help = "word that stays whole", meta = "WORD")]
    keep: Vec<String>,
    #[options(free, help = "files to fold")]
    files: Vec<String>,
}

fn main() {
    println!("{:?}", Fold::parse_args_default_or_exit());
}
