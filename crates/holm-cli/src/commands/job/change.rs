//! `holm job change`: changes parts of a job.

use holm::{
    kernel::{NanoUsd, Timestamp},
    runtime::Clock as _,
};
use holm_server::jobs::{Door, Held, JobError, JobId, Shelf, ShelfError, Spec, WallClock, When};

use super::add::{ApprovalArg, MisfireArg, OverlapArg, time};
use crate::{money, screen::Screen};

/// What is caught up with at the most, unless another number is said.
const USUAL_CATCH_UP: u32 = 10;

/// What `holm job change` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The job
    job: String,
    /// What is to be done
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// When, again and again: minute, hour, day, month and day of the week, or second and these five
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["at", "asked"])]
    cron: Option<String>,
    /// The place whose clocks count, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", conflicts_with_all = ["at", "asked"])]
    zone: Option<String>,
    /// When, once: a time such as 2026-01-31T02:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "asked")]
    at: Option<Timestamp>,
    /// Only when somebody asks
    #[arg(long)]
    asked: bool,
    /// What it is for, for people
    #[arg(long, value_name = "TEXT")]
    about: Option<String>,
    /// Which agent; `-` is the usual one
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Which model; `-` is the agent's own
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// How many seconds a try may take
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// The most a try may cost, in US dollars
    #[arg(long, value_name = "USD", value_parser = money::parse, conflicts_with = "no_budget")]
    budget: Option<NanoUsd>,
    /// A try may cost whatever it does
    #[arg(long)]
    no_budget: bool,
    /// What happens when it is due while it works
    #[arg(long, value_enum)]
    overlap: Option<OverlapArg>,
    /// What happens with times that passed while no server ran
    #[arg(long, value_enum)]
    misfire: Option<MisfireArg>,
    /// The most that is caught up with by --misfire all
    #[arg(long, value_name = "COUNT", requires = "misfire")]
    catch_up: Option<u32>,
    /// How often a failed run is tried again
    #[arg(long, value_name = "COUNT")]
    retries: Option<u32>,
    /// What happens when a call needs somebody's yes
    #[arg(long, value_enum)]
    approval: Option<ApprovalArg>,
    /// The most starts in an hour
    #[arg(long, value_name = "COUNT")]
    per_hour: Option<u32>,
    /// After so many failed runs in a row it is switched off
    #[arg(long, value_name = "COUNT")]
    off_after: Option<u32>,
    /// An https address that is told of failures and questions; `-` is nobody
    #[arg(long, value_name = "URL")]
    notify: Option<String>,
    /// Let signed messages start it
    #[arg(long, conflicts_with = "no_hook")]
    hook: bool,
    /// Let no message start it
    #[arg(long)]
    no_hook: bool,
}

impl Args {
    /// What becomes of what was said before.
    fn applied(&self, mut spec: Spec) -> Result<Spec, JobError> {
        spec.when = self.when(spec.when)?;
        for (field, said) in [(&mut spec.prompt, &self.prompt), (&mut spec.about, &self.about)] {
            if let Some(said) = said {
                field.clone_from(said);
            }
        }
        for (field, said) in
            [(&mut spec.agent, &self.agent), (&mut spec.model, &self.model), (&mut spec.notify, &self.notify)]
        {
            if let Some(said) = said {
                *field = Some(said.clone()).filter(|said| said != "-");
            }
        }
        spec.timeout_s = self.timeout.unwrap_or(spec.timeout_s);
        spec.budget = if self.no_budget { None } else { self.budget.or(spec.budget) };
        spec.overlap = self.overlap.map_or(spec.overlap, Into::into);
        let most = self.catch_up.unwrap_or(USUAL_CATCH_UP);
        spec.misfire = self.misfire.map_or(spec.misfire, |misfire| misfire.with(most));
        spec.retry.most = self.retries.unwrap_or(spec.retry.most);
        spec.approval = self.approval.map_or(spec.approval, Into::into);
        spec.per_hour = self.per_hour.unwrap_or(spec.per_hour);
        spec.off_after = self.off_after.unwrap_or(spec.off_after);
        spec.hook = match (self.hook, self.no_hook) {
            (true, _) => Door::Open,
            (false, true) => Door::Closed,
            (false, false) => spec.hook,
        };
        Ok(spec)
    }

    fn when(&self, now: When) -> Result<When, JobError> {
        if self.asked {
            return Ok(When::Asked);
        }
        if let Some(at) = self.at {
            return Ok(When::Once { at });
        }
        match (self.cron.clone(), self.zone.clone(), now) {
            (Some(pattern), said, When::Cron { zone, .. }) => {
                Ok(When::Cron { pattern, zone: said.unwrap_or(zone) })
            }
            (Some(pattern), said, When::Once { .. } | When::Asked) => {
                Ok(When::Cron { pattern, zone: said.unwrap_or_else(|| "UTC".into()) })
            }
            (None, said, When::Cron { pattern, zone }) => {
                Ok(When::Cron { pattern, zone: said.unwrap_or(zone) })
            }
            (None, None, now @ (When::Once { .. } | When::Asked)) => Ok(now),
            (None, Some(_), When::Once { .. } | When::Asked) => {
                let reason =
                    "a place counts for times that come again and again; say them with --cron".into();
                Err(JobError::Field { reason })
            }
        }
    }
}

pub(super) async fn change(shelf: &Shelf, screen: &Screen, args: &Args) -> Result<(), ShelfError> {
    let (id, now): (JobId, _) = (args.job.parse()?, WallClock.now());
    let change = |held: &mut Held| Ok(held.respecify(args.applied(held.job.spec.clone())?, now)?);
    shelf.alter(&id, change).await?;
    screen.note(&format!("holm: the job {id} is changed; what works goes on as it began"));
    Ok(())
}
