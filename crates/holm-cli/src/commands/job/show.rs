//! `holm job list`, `show` and `log`: prints jobs and their results. It changes nothing. The key of
//! a job is printed only by `show --key`, never among other values.

use holm::{kernel::Timestamp, runtime::Clock as _};
use holm_server::{
    ServerOptions,
    auth::UserName,
    jobs::{
        Door, JobId, JobRepository, JobRepositoryError, OffReason, Outcome, Phase, Run, Switch, VersionedJob,
        WallClock, When, hook_command, hook_path,
    },
};
use serde_json::{Value, json};

use crate::{commands::session::date, money, screen::TerminalOutput};

pub(super) async fn list(
    shelf: &JobRepository,
    screen: &TerminalOutput,
    as_json: bool,
) -> Result<(), JobRepositoryError> {
    let listed = shelf.list().await?;
    if listed.jobs.is_empty() && listed.broken.is_empty() {
        screen.note("holm: no jobs yet; add one with `holm job add`");
    }
    for held in &listed.jobs {
        let done = shelf.is_done(held).await?;
        if as_json {
            screen.line(&summary(held, done).to_string());
        } else {
            screen.answer(&headline(held, done));
        }
    }
    for broken in &listed.broken {
        if as_json {
            screen.line(&json!({ "id": broken.id, "broken": broken.reason }).to_string());
        } else {
            screen.answer(&format!("{}  cannot be understood: {}", broken.id, broken.reason));
        }
    }
    Ok(())
}

pub(super) async fn show(
    shelf: &JobRepository,
    screen: &TerminalOutput,
    id: &JobId,
    shown: JobDisplay,
) -> Result<(), JobRepositoryError> {
    let held = shelf.job(id).await?;
    let done = shelf.is_done(&held).await?;
    match shown {
        JobDisplay::Words => in_words(screen, &held, done),
        JobDisplay::Json => screen.line(&summary(&held, done).to_string()),
        JobDisplay::Key => screen.answer(&held.job.key.reveal()),
    }
    Ok(())
}

/// How a job is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobDisplay {
    Words,
    Json,
    Key,
}

fn headline(held: &VersionedJob, done: bool) -> String {
    format!("{}  {}  {}", held.job.id, when(&held.job.spec.when), next_in_words(held, done))
}

fn in_words(screen: &TerminalOutput, held: &VersionedJob, done: bool) {
    let spec = &held.job.spec;
    screen.answer(&headline(held, done));
    if !spec.about.is_empty() {
        screen.answer(&spec.about);
    }
    screen.answer(&format!("prompt    {}", spec.prompt));
    let chosen = [
        ("agent", spec.agent.clone()),
        ("model", spec.model.clone()),
        ("budget", spec.budget.map(|budget| format!("{} for each try", money::show(budget)))),
        ("notify", spec.notify.clone()),
    ];
    for (name, said) in chosen {
        said.iter().for_each(|said| screen.answer(&format!("{name:<8}  {said}")));
    }
    screen.answer(&format!("timeout   {} s for each try", spec.timeout_s));
    let standing = &held.standing;
    screen.answer(&format!("failures  {} in a row", standing.failures));
    screen.answer(&format!("skipped   {} times", standing.skipped));
    if let Some(path) = webhook_path(held) {
        let address = ServerOptions::new("").public_url();
        screen.answer(&format!("webhook   POST {path}, at the address of the server"));
        screen.answer(&format!("try it    KEY=$(holm job show {} --key)", held.job.id));
        screen.answer(&format!("          {}", hook_command(&format!("{address}{path}"))));
    }
}

/// The path of the webhook, if messages may start the job. The command manages the jobs of the user
/// who starts the server.
fn webhook_path(held: &VersionedJob) -> Option<String> {
    match held.job.spec.hook {
        Door::Open => Some(hook_path(&UserName::owner(), &held.job.id)),
        Door::Closed => None,
    }
}

pub(super) async fn log(
    shelf: &JobRepository,
    screen: &TerminalOutput,
    id: &JobId,
    limit: u32,
    as_json: bool,
) -> Result<(), JobRepositoryError> {
    shelf.job(id).await?;
    let runs = shelf.runs(id, limit).await?;
    if runs.is_empty() {
        screen.note(&format!("holm: {id} has not run yet"));
    }
    for run in runs {
        if as_json {
            let line = serde_json::to_string(&run)
                .map_err(|error| JobRepositoryError::Unreadable(error.to_string()))?;
            screen.line(&line);
        } else {
            screen.answer(&line(&run));
        }
    }
    Ok(())
}

/// One run on one line, with the session where the rest is.
fn line(run: &Run) -> String {
    let session = run.tries.last().map(|last| last.session.as_str()).unwrap_or_default();
    let said = match &run.phase {
        Phase::Waiting { not_before } => format!("waits until {}", date(*not_before)),
        Phase::Working { asked: Some(_), .. } => "waits for an answer".into(),
        Phase::Working { asked: None, .. } => "works".into(),
        Phase::Ended { outcome: Outcome::Answered { text }, .. } => {
            text.lines().next().unwrap_or_default().chars().take(80).collect()
        }
        Phase::Ended { outcome, .. } => outcome.in_words().replace('\n', " "),
    };
    format!("{}  {}  {session}  {said}", date(run.due), run.slot).trim_end().to_owned()
}

fn summary(held: &VersionedJob, done: bool) -> Value {
    json!({
        "id": held.job.id.as_str(), "spec": held.job.spec, "switch": held.standing.switch,
        "done": done, "webhook": webhook_path(held),
        "next": next(held).map(Timestamp::value), "failures": held.standing.failures,
        "skipped": held.standing.skipped, "last_skip": held.standing.last_skip,
    })
}

fn next(held: &VersionedJob) -> Option<Timestamp> {
    match held.standing.switch {
        Switch::On => held.job.schedule.next(WallClock.now()),
        Switch::Off { .. } => None,
    }
}

fn next_in_words(held: &VersionedJob, done: bool) -> String {
    match (held.standing.switch, next(held)) {
        (Switch::Off { why: OffReason::Person, .. }, _) => "switched off".into(),
        (Switch::Off { why: OffReason::Failing, .. }, _) => {
            "switched off, because it failed too often".into()
        }
        (Switch::On, Some(next)) => format!("next {} UTC", date(next)),
        (Switch::On, None) if done => "done".into(),
        (Switch::On, None) => match webhook_path(held) {
            Some(path) => format!("on demand, or by POST {path}"),
            None => "only on demand".into(),
        },
    }
}

fn when(when: &When) -> String {
    match when {
        When::Cron { pattern, zone } => format!("{pattern} ({zone})"),
        When::Once { at } => format!("once, {} UTC", date(*at)),
        When::Asked => "-".into(),
    }
}
