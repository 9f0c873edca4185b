//! The guest as a command; see the library beside it.

fn main() -> std::process::ExitCode {
    guest_kit::main(&guest_glob::TOOL, guest_glob::work)
}
