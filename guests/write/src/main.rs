//! The guest as a command; see the library beside it.

fn main() -> std::process::ExitCode {
    guest_kit::main(&guest_write::TOOL, guest_write::work)
}
