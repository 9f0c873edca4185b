//! Serves the provider double until its input ends: prints the base URL, then answers by the model's name.
//!
//! ```text
//! cargo run -p holm-testkit --example double
//! curl http://127.0.0.1:PORT/v1/chat/completions -d '{"model":"hello","messages":[]}'
//! ```

use std::io::{self, Read, Write};

use holm_testkit::double::{Double, rehearsed};

fn main() -> io::Result<()> {
    let double = Double::answering(rehearsed)?;
    writeln!(io::stdout(), "http://{}", double.address())?;
    io::stdout().flush()?;
    // Whoever started it closes the pipe, or ends, and so ends this too.
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
