//! Routes to list, create, change, switch and start jobs, and to read their runs. All work is done
//! in `jobs/job_scheduler.rs`; messages that start a job come in at `routes/hooks.rs`. A key is
//! shown only once. A token that is limited to some sessions has no access, because jobs create
//! sessions.

use axum::{Extension, Json, extract::State, response::IntoResponse};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    ApiError, HolmServer, Problem,
    auth::{AuthenticatedUser, UserName},
    extract::{JsonBody, PathParam, QueryParams},
    jobs::{
        Door, HookKey, JobId, JobScheduler, Run, ScheduledJob, Skip, Spec, Switch, VersionedJob,
        hook_command, hook_path,
    },
    routes::sessions::all_sessions,
};

/// The default number of listed runs.
const USUAL_RUNS: u32 = 50;
/// The largest number of listed runs.
const MOST_RUNS: u32 = 500;
/// Default time in seconds for which an old key stays valid together with a new one: time to update
/// the programs that use it.
const USUAL_OVERLAP_S: u64 = 86_400;
/// The longest overlap: a month. A key that stays valid forever was not replaced.
const MOST_OVERLAP_S: u64 = 30 * 86_400;

/// A job with its state.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobView {
    id: String,
    spec: Spec,
    /// Whether it is enabled.
    switch: Switch,
    /// Whether it is on, off, or has nothing left to do.
    status: JobStatus,
    /// Where signed messages start it; not set if they are rejected.
    webhook: Option<WebhookView>,
    /// When it was created, in milliseconds since 1970.
    made: u64,
    /// When it is due next; not set if it is disabled or never due again.
    next: Option<u64>,
    /// Number of failed runs in a row.
    failures: u32,
    /// Total number of skipped times.
    skipped: u64,
    /// The last skipped times.
    last_skip: Option<Skip>,
    /// Why the last message about it was not delivered.
    untold: Option<String>,
}

/// Whether a job still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobStatus {
    /// It runs when it is due or triggered.
    On,
    /// It does not run until a user enables it.
    Off,
    /// It was for one time, and its run has ended.
    Done,
}

/// How signed messages start a job.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookView {
    /// The address for signed messages.
    url: String,
    /// A shell command that sends a signed message; `$KEY` is the key of the job.
    command: String,
}

/// The jobs, with those that cannot be read.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobList {
    /// The jobs, sorted by name.
    jobs: Vec<JobView>,
    /// The jobs that cannot be read.
    broken: Vec<BrokenView>,
}

/// A job that cannot be read.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BrokenView {
    id: String,
    /// Why it cannot be read.
    reason: String,
}

/// A job to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewJob {
    id: String,
    spec: Spec,
}

/// A newly created job.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeJob {
    job: JobView,
    /// The key that signs its messages. It is shown only once.
    key: String,
}

/// A request for a new key of a job.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKey {
    /// How many seconds the old key stays valid; one day by default.
    #[schema(maximum = 2_592_000)]
    old_for_s: Option<u64>,
}

/// The new key of a job.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeKey {
    /// The key. It is shown only once.
    key: String,
    /// How many seconds the old key stays valid.
    old_for_s: u64,
}

/// A run that was requested by a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Started {
    /// The key of the run, as in the list of runs.
    run: String,
}

/// Selects the latest runs of a job.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct JobRunsQuery {
    /// Maximum number of runs; 50 by default.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// Lists all jobs, with those that cannot be read.
#[utoipa::path(get, path = "/api/jobs", responses((status = 200, body = JobList), (status = 403, body = Problem)))]
pub(crate) async fn list(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<JobList>, ApiError> {
    let scheduler = scheduler(&server, &who).await?;
    let listed = scheduler.shelf().list().await?;
    let mut jobs = Vec::with_capacity(listed.jobs.len());
    for stored_job in &listed.jobs {
        jobs.push(view(&server, &scheduler, &who.user, stored_job).await?);
    }
    let broken = listed.broken.into_iter();
    let broken = broken.map(|broken| BrokenView { id: broken.id, reason: broken.reason }).collect();
    Ok(Json(JobList { jobs, broken }))
}

/// Creates a job and its key.
#[utoipa::path(post, path = "/api/jobs", request_body = NewJob,
    responses((status = 201, body = MadeJob), (status = 400, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn create(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(new): JsonBody<NewJob>,
) -> Result<impl IntoResponse, ApiError> {
    let scheduler = scheduler(&server, &who).await?;
    let now = server.inner.jobs.clock().now();
    let job = ScheduledJob::to_come(new.id.parse()?, new.spec, HookKey::new()?, now);
    let job = job.map_err(|error| ApiError::bad("bad_job", error.to_string()))?;
    scheduler.add(&job).await?;
    let stored_job = scheduler.shelf().job(&job.id).await?;
    let made =
        MadeJob { job: view(&server, &scheduler, &who.user, &stored_job).await?, key: job.key.reveal() };
    Ok((StatusCode::CREATED, Json(made)))
}

/// Shows one job with its state.
#[utoipa::path(get, path = "/api/jobs/{id}", params(("id" = String, Path)),
    responses((status = 200, body = JobView), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn show(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<JobId>,
) -> Result<Json<JobView>, ApiError> {
    let scheduler = scheduler(&server, &who).await?;
    shown(&server, &scheduler, &who.user, &id).await
}

/// Replaces the specification of a job.
#[utoipa::path(post, path = "/api/jobs/{id}/spec", params(("id" = String, Path)), request_body = Spec,
    responses((status = 200, body = JobView), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn respecify(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<JobId>,
    JsonBody(spec): JsonBody<Spec>,
) -> Result<Json<JobView>, ApiError> {
    let scheduler = scheduler(&server, &who).await?;
    scheduler.respecify(&id, spec).await?;
    shown(&server, &scheduler, &who.user, &id).await
}

/// Changes parts of the specification of a job.
///
/// Replaces the fields that are given. A field that is `null` gets its default value.
#[utoipa::path(patch, path = "/api/jobs/{id}", params(("id" = String, Path)), request_body = Object,
    responses((status = 200, body = JobView), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 422, body = Problem)))]
pub(crate) async fn amend(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<JobId>,
    JsonBody(fields): JsonBody<serde_json::Map<String, serde_json::Value>>,
) -> Result<Json<JobView>, ApiError> {
    let scheduler = scheduler(&server, &who).await?;
    scheduler.amend(&id, |spec| spec.with(&fields)).await?;
    shown(&server, &scheduler, &who.user, &id).await
}

/// Creates a new key for a job. It is shown only once.
#[utoipa::path(post, path = "/api/jobs/{id}/key", params(("id" = String, Path)), request_body = NewKey,
    responses((status = 200, body = MadeKey), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn rekey(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<JobId>,
    JsonBody(new): JsonBody<NewKey>,
) -> Result<Json<MadeKey>, ApiError> {
    let old_for_s = new.old_for_s.unwrap_or(USUAL_OVERLAP_S);
    if old_for_s > MOST_OVERLAP_S {
        return Err(ApiError::bad("bad_job", format!("`old_for_s` is at most {MOST_OVERLAP_S}")));
    }
    let key = scheduler(&server, &who).await?.rekey(&id, old_for_s * 1_000).await?;
    Ok(Json(MadeKey { key: key.reveal(), old_for_s }))
}

/// Enables a job that was disabled.
#[utoipa::path(post, path = "/api/jobs/{id}/enable", params(("id" = String, Path)),
    responses((status = 200, body = JobView), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn enable(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<JobId>,
) -> Result<Json<JobView>, ApiError> {
    let scheduler = scheduler(&server, &who).await?;
    scheduler.switch(&id, Switch::On).await?;
    shown(&server, &scheduler, &who.user, &id).await
}

/// Disables a job: it does not run until it is enabled.
#[utoipa::path(post, path = "/api/jobs/{id}/disable", params(("id" = String, Path)),
    responses((status = 200, body = JobView), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn disable(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<JobId>,
) -> Result<Json<JobView>, ApiError> {
    let scheduler = scheduler(&server, &who).await?;
    scheduler.switch_off(&id).await?;
    shown(&server, &scheduler, &who.user, &id).await
}

/// Runs a job now.
#[utoipa::path(post, path = "/api/jobs/{id}/run", params(("id" = String, Path)),
    responses((status = 202, body = Started), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn run(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<JobId>,
) -> Result<impl IntoResponse, ApiError> {
    let run = scheduler(&server, &who).await?.run_now(&id).await?;
    Ok((StatusCode::ACCEPTED, Json(Started { run: run.to_string() })))
}

/// Stops the runs of a job that are in progress.
#[utoipa::path(post, path = "/api/jobs/{id}/stop", params(("id" = String, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn stop(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<JobId>,
) -> Result<StatusCode, ApiError> {
    if scheduler(&server, &who).await?.stop(&id).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::conflict("idle", "nothing is running"))
    }
}

/// Deletes a job. The sessions of its runs stay.
#[utoipa::path(delete, path = "/api/jobs/{id}", params(("id" = String, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn remove(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<JobId>,
) -> Result<StatusCode, ApiError> {
    scheduler(&server, &who).await?.remove(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the latest runs of a job.
#[utoipa::path(get, path = "/api/jobs/{id}/runs", params(("id" = String, Path), JobRunsQuery),
    responses((status = 200, body = Vec<Run>), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn runs(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<JobId>,
    QueryParams(query): QueryParams<JobRunsQuery>,
) -> Result<Json<Vec<Run>>, ApiError> {
    let scheduler = scheduler(&server, &who).await?;
    scheduler.shelf().job(&id).await?;
    let limit = query.limit.unwrap_or(USUAL_RUNS).clamp(1, MOST_RUNS);
    let mut runs = scheduler.shelf().runs(&id, limit).await?;
    // A list of long messages would be of no use; the session of a run has its message.
    runs.iter_mut().for_each(|run| run.message = None);
    Ok(Json(runs))
}

/// A token that is limited to some sessions has no access to jobs, because jobs create sessions.
async fn scheduler(
    server: &HolmServer,
    who: &AuthenticatedUser,
) -> Result<std::sync::Arc<JobScheduler>, ApiError> {
    all_sessions(who)?;
    server.inner.jobs.of(server, &who.user).await
}

async fn shown(
    server: &HolmServer,
    scheduler: &JobScheduler,
    user: &UserName,
    id: &JobId,
) -> Result<Json<JobView>, ApiError> {
    let stored_job = scheduler.shelf().job(id).await?;
    Ok(Json(view(server, scheduler, user, &stored_job).await?))
}

async fn view(
    server: &HolmServer,
    scheduler: &JobScheduler,
    user: &UserName,
    stored_job: &VersionedJob,
) -> Result<JobView, ApiError> {
    let now = server.inner.jobs.clock().now();
    let next = match stored_job.standing.switch {
        Switch::On => stored_job.job.schedule.next(now),
        Switch::Off { .. } => None,
    };
    let is_done = scheduler.shelf().is_done(stored_job).await?;
    let status = match stored_job.standing.switch {
        Switch::Off { .. } => JobStatus::Off,
        Switch::On if is_done => JobStatus::Done,
        Switch::On => JobStatus::On,
    };
    Ok(JobView {
        id: stored_job.job.id.to_string(),
        spec: stored_job.job.spec.clone(),
        switch: stored_job.standing.switch,
        status,
        webhook: webhook(server, user, stored_job),
        made: stored_job.job.made.value(),
        next: next.map(holm_kernel::Timestamp::value),
        failures: stored_job.standing.failures,
        skipped: stored_job.standing.skipped,
        last_skip: stored_job.standing.last_skip,
        untold: scheduler.untold(&stored_job.job.id),
    })
}

fn webhook(server: &HolmServer, user: &UserName, stored_job: &VersionedJob) -> Option<WebhookView> {
    let url = match stored_job.job.spec.hook {
        Door::Open => server.config().public_url() + &hook_path(user, &stored_job.job.id),
        Door::Closed => return None,
    };
    Some(WebhookView { command: hook_command(&url), url })
}
