//! Where figures for programs go. The benchmarks of the chat and of the jail use this file too.

/// Writes them next to the build output, where `scripts/bench` gathers them.
pub fn keep(name: &str, figures: &str) {
    let program = std::env::current_exe().unwrap_or_default();
    let Some(folder) = program.parent().and_then(|profile| profile.parent()) else { return };
    let path = folder.join(format!("{name}.json"));
    if let Err(error) = std::fs::write(&path, figures) {
        eprintln!("could not write {}: {error}", path.display());
    }
}
