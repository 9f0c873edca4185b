//! Scripts nest: a function that calls itself a hundred times deep needs more stack than a linker gives by itself.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family.contains("wasm")) {
        println!("cargo:rustc-link-arg-bins=-zstack-size=4194304");
    }
}
