//! structopt, which is clap 2.
use structopt::StructOpt;

/// Scans hosts for open ports
#[derive(StructOpt, Debug)]
#[structopt(name = "structopt-scan")]
struct Scan {
    /// Ports to try
    #[structopt(short, long, use_delimiter = true, default_value = "22,80")]
    ports: Vec<u16>,
    /// Stops at the first open port
    #[structopt(short, long)]
    first: bool,
    /// How to report
    #[structopt(long, possible_values = &["text", "json"], default_value = "text")]
    report: String,
    /// Seconds to wait
    #[structopt(short, long, name = "SECONDS")]
    wait: Option<u32>,
    /// Hosts to scan
    #[structopt(required = true, name = "HOST")]
    hosts: Vec<String>,
}

fn main() {
    println!("{:?}", Scan::from_args());
}
