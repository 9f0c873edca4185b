//! Starts `/bin/true` again and again, in every way, and says what one start to end costs.

#[path = "../../startup/src/keep.rs"]
mod keep;
mod measure;
mod report;
mod ways;

use measure::{Figure, measure};
use ways::Way;

/// How much a large process has in memory, every page of it touched.
const LARGE: usize = 1 << 30;

fn main() {
    // The launcher is this very program, as it would be `holm` itself.
    holm_jail::launch_if_asked();
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        eprintln!("no runtime could be made");
        std::process::exit(1);
    };
    let mut figures: Vec<Figure> = Vec::new();
    let mut run = |large: bool| {
        for way in Way::ALL {
            match runtime.block_on(measure(way, large)) {
                Ok(figure) => figures.push(figure),
                Err(why) => eprintln!("{} could not be measured: {why}", way.name()),
            }
        }
    };
    run(false);
    let ballast = vec![1_u8; LARGE];
    run(true);
    drop(std::hint::black_box(ballast));
    println!("{}", report::markdown(&figures));
    keep::keep("jail", &report::json(&figures));
}
