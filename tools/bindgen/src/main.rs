//! Writes the JavaScript side of a WASM module.
//!
//!     holm-bindgen MODULE.wasm OUT_FOLDER
//!
//! It stands in for `wasm-bindgen --target web`, of which it uses the library: the command's own
//! lock file cannot be relied on, and set-up would have to install it.

use std::{env, process::ExitCode};

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder] = arguments.as_slice() else {
        eprintln!("usage: holm-bindgen MODULE.wasm OUT_FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    // The package finds the module in its own way on each host, so the glue must not look for it.
    let written = bindgen
        .input_path(module)
        .out_name("holm")
        .web(true)
        .and_then(|bindgen| bindgen.typescript(true).omit_default_module_path(true).generate(folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
