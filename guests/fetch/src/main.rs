//! The guest as a command; see the library beside it.

fn main() -> std::process::ExitCode {
    guest_kit::main(&guest_fetch::TOOL, |values, out| guest_fetch::work(values, &mut guest_fetch::WasiExchange, out))
}
