//! `holm job list`, `show` and `log`: prints jobs and their results. It changes nothing;
//! `job/add.rs` and `job/change.rs` do. The key of a job is printed only by `show --key`, never
//! among other values.
//!
//! Jobs are stored and run by `holm-server/src/jobs/`, which also computes the next time and words
//! an outcome. Other subcommands are in `commands/job.rs`.

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
    repository: &JobRepository,
    screen: &TerminalOutput,
    as_json: bool,
) -> Result<(), JobRepositoryError> {
    let listed = repository.list().await?;
    if listed.jobs.is_empty() && listed.broken.is_empty() {
        screen.note("holm: no jobs yet; add one with `holm job add`");
    }
    for stored_job in &listed.jobs {
        let done = repository.is_done(stored_job).await?;
        if as_json {
            screen.line(&summary(stored_job, done).to_string());
        } else {
            screen.answer(&job_line(stored_job, done));
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
    repository: &JobRepository,
    screen: &TerminalOutput,
    id: &JobId,
    shown: JobDisplay,
) -> Result<(), JobRepositoryError> {
    let stored_job = repository.job(id).await?;
    let done = repository.is_done(&stored_job).await?;
    match shown {
        JobDisplay::Words => in_words(screen, &stored_job, done),
        JobDisplay::Json => screen.line(&summary(&stored_job, done).to_string()),
        JobDisplay::Key => screen.answer(&stored_job.job.key.reveal()),
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

fn job_line(stored_job: &VersionedJob, done: bool) -> String {
    format!("{}  {}  {}", stored_job.job.id, when(&stored_job.job.spec.when), next_in_words(stored_job, done))
}

fn in_words(screen: &TerminalOutput, stored_job: &VersionedJob, done: bool) {
    let spec = &stored_job.job.spec;
    screen.answer(&job_line(stored_job, done));
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
    let standing = &stored_job.standing;
    screen.answer(&format!("failures  {} in a row", standing.failures));
    screen.answer(&format!("skipped   {} times", standing.skipped));
    if let Some(path) = webhook_path(stored_job) {
        let address = ServerOptions::new("").public_url();
        screen.answer(&format!("webhook   POST {path}, at the address of the server"));
        screen.answer(&format!("try it    KEY=$(holm job show {} --key)", stored_job.job.id));
        screen.answer(&format!("          {}", hook_command(&format!("{address}{path}"))));
    }
}

/// The path of the webhook, if messages may start the job. The command manages the jobs of the user
/// who starts the server.
fn webhook_path(stored_job: &VersionedJob) -> Option<String> {
    match stored_job.job.spec.hook {
        Door::Open => Some(hook_path(&UserName::owner(), &stored_job.job.id)),
        Door::Closed => None,
    }
}

pub(super) async fn log(
    repository: &JobRepository,
    screen: &TerminalOutput,
    id: &JobId,
    limit: u32,
    as_json: bool,
) -> Result<(), JobRepositoryError> {
    repository.job(id).await?;
    let runs = repository.runs(id, limit).await?;
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

fn summary(stored_job: &VersionedJob, done: bool) -> Value {
    json!({
        "id": stored_job.job.id.as_str(), "spec": stored_job.job.spec, "switch": stored_job.standing.switch,
        "done": done, "webhook": webhook_path(stored_job),
        "next": next(stored_job).map(Timestamp::value), "failures": stored_job.standing.failures,
        "skipped": stored_job.standing.skipped, "last_skip": stored_job.standing.last_skip,
    })
}

fn next(stored_job: &VersionedJob) -> Option<Timestamp> {
    match stored_job.standing.switch {
        Switch::On => stored_job.job.schedule.next(WallClock.now()),
        Switch::Off { .. } => None,
    }
}

fn next_in_words(stored_job: &VersionedJob, done: bool) -> String {
    match (stored_job.standing.switch, next(stored_job)) {
        (Switch::Off { why: OffReason::Person, .. }, _) => "switched off".into(),
        (Switch::Off { why: OffReason::Failing, .. }, _) => {
            "switched off, because it failed too often".into()
        }
        (Switch::On, Some(next)) => format!("next {} UTC", date(next)),
        (Switch::On, None) if done => "done".into(),
        (Switch::On, None) => match webhook_path(stored_job) {
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
