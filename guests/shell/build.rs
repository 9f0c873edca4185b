//! Sets a larger stack: a script function that calls itself a hundred times deep needs more than a
//! linker's default.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family.contains("wasm")) {
        println!("cargo:rustc-link-arg-bins=-zstack-size=4194304");
    }
}
