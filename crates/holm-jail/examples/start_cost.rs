//! How long a job takes that does nothing, in a workspace with many hidden files or repositories:
//! the shortest of several.
//!
//! `cargo run --release -p holm-jail --example start_cost -- [FILES] [REPOSITORIES]`

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use holm_jail::{CaptureOptions, Jail, JailEnding, JailEngine, JailLauncher, JailTask};

const ROUNDS: usize = 15;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    holm_jail::launch_if_asked();
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<usize>());
    let files = numbers.next().unwrap_or(Ok(3_000))?;
    let repositories = numbers.next().unwrap_or(Ok(400))?;
    let folder = tempfile::tempdir()?;
    let work = folder.path().canonicalize()?;
    let plain = Jail::new().write(&work).exec_system().cwd(&work);
    let mut hiding = plain.clone();
    for number in 0..files {
        let place = work.join(format!("d{number}"));
        fs::create_dir(&place)?;
        fs::write(place.join(".env"), "secret")?;
        hiding = hiding.hide(place.join(".env"));
    }
    let mut protecting = plain.clone();
    for number in 0..repositories {
        let git = work.join(format!("g{number}/.git"));
        fs::create_dir_all(git.join("hooks"))?;
        fs::write(git.join("config"), "")?;
        protecting = protecting.repository(git);
    }
    for engine in [JailEngine::bubblewrap(), JailEngine::landlock()].into_iter().flatten() {
        let name = if engine == JailEngine::Landlock { "landlock" } else { "bubblewrap" };
        for (what, jail) in [
            ("nothing to hold".to_owned(), &plain),
            (format!("{files} hidden files"), &hiding),
            (format!("{repositories} repositories"), &protecting),
        ] {
            let took = shortest(&engine, jail, Path::new("/bin/true")).await?;
            writeln(&format!("{name}: {what}: {:.1} ms", took.as_secs_f64() * 1e3))?;
        }
    }
    Ok(())
}

fn writeln(line: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    writeln!(std::io::stdout(), "{line}")
}

async fn shortest(engine: &JailEngine, jail: &Jail, program: &Path) -> Result<Duration, Box<dyn Error>> {
    let launcher = JailLauncher::this_executable();
    let task = JailTask::new(program.canonicalize()?);
    let mut shortest = Duration::MAX;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let outcome = launcher.spawn(engine, jail, &task).await?.finish(CaptureOptions::default()).await;
        shortest = shortest.min(began.elapsed());
        if outcome.ending != JailEnding::Exited(0) {
            return Err(format!("{outcome:?}").into());
        }
    }
    Ok(shortest)
}
