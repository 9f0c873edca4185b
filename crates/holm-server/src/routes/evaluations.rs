//! Routes that show stored evaluations, compare two of them, and replay the session of an attempt.
//! An evaluation is of the owner of the machine, so only administrators see them. Nothing is
//! changed here; `evaluations.rs` reads the files.
//!
//! Evaluations are run and compared in `holm-eval`; the session of an attempt is replayed as in
//! `live/session_watcher.rs`.

use std::{collections::BTreeSet, time::UNIX_EPOCH};

use axum::{
    Extension, Json,
    extract::{FromRequestParts, State},
};
use holm_eval::{AttemptResult, AttemptVerdict, DifferenceKind, EvalComparison, PassRate, StoredEvaluation};
use holm_kernel::Numbered;
use http::request::Parts;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    ApiError, HolmServer, Problem, SessionId,
    auth::AuthenticatedUser,
    evaluations::{EvaluationFolder, EvaluationName},
    extract::{PathParam, QueryParams},
    live::{self, Use},
    state::administers,
};

/// The most evaluations in the list.
const MOST_LISTED: usize = 100;
/// The most attempts of an evaluation that are shown.
const MOST_ATTEMPTS: usize = 5_000;
/// The most text about all attempts together, in bytes.
const MOST_TEXT: usize = 8 << 20;
/// The most text about one check or difference, in characters.
const MOST_WORDS: usize = 4_000;

/// An evaluation, without its attempts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EvaluationSummary {
    name: String,
    /// When its last result was written, in milliseconds since 1970; 0 if it cannot be read.
    updated: u64,
    /// The models that answered; `replay` stands for recorded replies.
    models: Vec<String>,
    /// How many cases it has.
    cases: usize,
    /// How many attempts were made.
    attempts: usize,
    /// Number of attempts that passed.
    passed: usize,
    /// Lower end of the interval of 95 % confidence of the pass rate.
    low: f64,
    /// Upper end of that interval.
    high: f64,
    /// Cost of all attempts in billionths of a US dollar, as far as prices are known.
    cost_nano_usd: u64,
    /// Why its results cannot be read; not set if they can.
    problem: Option<String>,
}

/// The evaluations on this machine.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EvaluationList {
    /// The evaluations, latest first.
    evaluations: Vec<EvaluationSummary>,
    /// Number of older evaluations that are not listed.
    left_out: usize,
}

/// An evaluation with its attempts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EvaluationView {
    summary: EvaluationSummary,
    /// The attempts, by case, model and number.
    attempts: Vec<EvaluationAttempt>,
    /// Number of attempts that are not shown, because there are too many.
    left_out: usize,
}

/// An attempt at a case.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EvaluationAttempt {
    case: String,
    /// The model, or `replay`.
    model: String,
    /// The number of the attempt, from 1.
    attempt: u32,
    /// The verdict: `passed`, `changed`, `failed` or `error`. `changed` has passed too.
    #[schema(value_type = String)]
    verdict: AttemptVerdict,
    /// The checks that failed.
    failures: Vec<FailedCheck>,
    /// The differences from the recording, by turn.
    differences: Vec<TurnDifference>,
    /// The first turn for which the recording no longer applies; not set if it applies to the end.
    applies_until: Option<usize>,
    /// The session of the attempt; not set if it has none.
    session: Option<String>,
    turns: u64,
    /// Input and output tokens together.
    tokens: u64,
    /// Its cost in billionths of a US dollar, as far as prices are known.
    cost_nano_usd: u64,
    /// How long it took, in seconds.
    seconds: f64,
}

/// A check that failed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FailedCheck {
    /// What the check looked at.
    check: String,
    /// Why the check failed.
    why: String,
}

/// A difference between the recording of a case and its replay.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TurnDifference {
    /// The turn, from 1; 0 stands for the start of the session.
    turn: usize,
    /// What differs: `prompt`, `tool`, `decision`, `call`, `result` or `answer`.
    #[schema(value_type = String)]
    kind: DifferenceKind,
    /// The difference, for people.
    what: String,
    /// Whether it fails the attempt.
    fails: bool,
}

/// The evaluations to compare.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EvaluationPair {
    /// Name of the first evaluation.
    first: String,
    /// Name of the second evaluation.
    second: String,
}

/// A comparison of two evaluations.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EvaluationComparison {
    first: String,
    second: String,
    /// The comparison, as `holm eval compare --json` prints it.
    #[schema(value_type = Object)]
    comparison: EvalComparison,
    /// Whether the second evaluation is worse, as for `holm eval compare --gate`.
    is_worse: bool,
}

/// Lists the evaluations on this machine.
#[utoipa::path(get, path = "/api/evaluations", responses((status = 200, body = EvaluationList), (status = 403, body = Problem)))]
pub(crate) async fn list(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<EvaluationList>, ApiError> {
    administers(&who)?;
    let Some(folder) = folder(&server) else {
        return Ok(Json(EvaluationList { evaluations: Vec::new(), left_out: 0 }));
    };
    let listed = blocking(move || {
        let names = folder.names()?;
        let summary = |name: &EvaluationName| match folder.read(name) {
            Ok(stored) => EvaluationSummary::of(name, &stored),
            Err(error) => EvaluationSummary::unreadable(name, error.message),
        };
        let evaluations = names.iter().take(MOST_LISTED).map(summary).collect();
        Ok(EvaluationList { evaluations, left_out: names.len().saturating_sub(MOST_LISTED) })
    });
    Ok(Json(listed.await?))
}

/// Shows an evaluation with its attempts.
#[utoipa::path(get, path = "/api/evaluations/{id}", params(("id" = String, Path)),
    responses((status = 200, body = EvaluationView), (status = 400, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn show(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<EvaluationName>,
) -> Result<Json<EvaluationView>, ApiError> {
    administers(&who)?;
    let folder = folder(&server).ok_or_else(|| ApiError::missing("evaluation"))?;
    Ok(Json(blocking(move || Ok(EvaluationView::of(&name, &folder.read(&name)?))).await?))
}

/// Compares two evaluations.
#[utoipa::path(get, path = "/api/compare-evaluations", params(EvaluationPair),
    responses((status = 200, body = EvaluationComparison), (status = 400, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn compare(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    QueryParams(pair): QueryParams<EvaluationPair>,
) -> Result<Json<EvaluationComparison>, ApiError> {
    administers(&who)?;
    let (one, two): (EvaluationName, EvaluationName) = (pair.first.parse()?, pair.second.parse()?);
    let folder = folder(&server).ok_or_else(|| ApiError::missing("evaluation"))?;
    let compared = blocking(move || {
        let (before, now) = (folder.read(&one)?, folder.read(&two)?);
        let comparison = EvalComparison::between(&before.results(), &now.results());
        let is_worse = comparison.is_worse();
        Ok(EvaluationComparison { first: one.to_string(), second: two.to_string(), comparison, is_worse })
    });
    Ok(Json(compared.await?))
}

/// Replays all events of an attempt's session.
#[utoipa::path(get, path = "/api/evaluations/{id}/sessions/{session}/replay", params(("id" = String, Path), ("session" = String, Path)),
    responses((status = 200, body = Vec<Object>), (status = 400, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
pub(crate) async fn replay(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    AttemptSession { evaluation, session }: AttemptSession,
) -> Result<Json<Vec<Numbered>>, ApiError> {
    administers(&who)?;
    let folder = folder(&server).ok_or_else(|| ApiError::missing("evaluation"))?;
    let store = folder.sessions(&evaluation).await?;
    Ok(Json(live::past(&store, &session).await?))
}

/// Lists what each call of an attempt's session needed, what needed approval, and what it ran with.
#[utoipa::path(get, path = "/api/evaluations/{id}/sessions/{session}/grants", params(("id" = String, Path), ("session" = String, Path)),
    responses((status = 200, body = Vec<Use>), (status = 400, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
pub(crate) async fn grants(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    AttemptSession { evaluation, session }: AttemptSession,
) -> Result<Json<Vec<Use>>, ApiError> {
    administers(&who)?;
    let folder = folder(&server).ok_or_else(|| ApiError::missing("evaluation"))?;
    let store = folder.sessions(&evaluation).await?;
    Ok(Json(live::uses(&store, &session).await?))
}

/// The session of an attempt, from the path.
pub(crate) struct AttemptSession {
    evaluation: EvaluationName,
    session: SessionId,
}

impl<S: Send + Sync> FromRequestParts<S> for AttemptSession {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = axum::extract::Path::<(String, String)>::from_request_parts(parts, state).await;
        let path = path.map_err(|_| ApiError::bad("bad_id", "the path is not valid UTF-8"))?;
        let (evaluation, session) = path.0;
        Ok(Self { evaluation: evaluation.parse()?, session: session.parse()? })
    }
}

fn folder(server: &HolmServer) -> Option<EvaluationFolder> {
    server.config().evaluations.clone().map(EvaluationFolder::new)
}

/// Reads files without blocking other requests.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| ApiError::failed("the evaluations could not be read"))?
}

impl EvaluationSummary {
    fn of(name: &EvaluationName, stored: &StoredEvaluation) -> Self {
        let results = stored.results();
        let rate = PassRate::of(&results);
        let models: BTreeSet<&str> = results.iter().map(|result| result.model.as_str()).collect();
        let cases: BTreeSet<&str> = results.iter().map(|result| result.case.as_str()).collect();
        let since = stored.modified().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            name: name.to_string(),
            updated: u64::try_from(since.as_millis()).unwrap_or_default(),
            models: models.into_iter().map(ToOwned::to_owned).collect(),
            cases: cases.len(),
            attempts: rate.attempts,
            passed: rate.passed,
            low: rate.interval.0,
            high: rate.interval.1,
            cost_nano_usd: results.iter().fold(0, |sum, result| sum.saturating_add(result.cost_nano_usd)),
            problem: None,
        }
    }

    fn unreadable(name: &EvaluationName, why: String) -> Self {
        Self {
            name: name.to_string(),
            updated: 0,
            models: Vec::new(),
            cases: 0,
            attempts: 0,
            passed: 0,
            low: 0.0,
            high: 1.0,
            cost_nano_usd: 0,
            problem: Some(why),
        }
    }
}

impl EvaluationView {
    fn of(name: &EvaluationName, stored: &StoredEvaluation) -> Self {
        let results = stored.results();
        let (mut attempts, mut bytes) = (Vec::new(), 0);
        for result in results.iter().take(MOST_ATTEMPTS) {
            let attempt = EvaluationAttempt::of(result);
            bytes += attempt.bytes();
            if bytes > MOST_TEXT {
                break;
            }
            attempts.push(attempt);
        }
        let left_out = results.len() - attempts.len();
        Self { summary: EvaluationSummary::of(name, stored), attempts, left_out }
    }
}

impl EvaluationAttempt {
    fn of(result: &AttemptResult) -> Self {
        let failures = result.checks.iter().filter_map(|check| {
            let why = check.failure.as_ref()?;
            Some(FailedCheck { check: shortened(&check.check), why: shortened(why) })
        });
        let differences = result.differences.iter().map(|difference| TurnDifference {
            turn: difference.turn,
            kind: difference.kind,
            what: shortened(&difference.what),
            fails: difference.is_regression(),
        });
        Self {
            case: shortened(&result.case),
            model: shortened(&result.model),
            attempt: result.attempt,
            verdict: result.verdict,
            failures: failures.collect(),
            differences: differences.collect(),
            applies_until: result.applies_until(),
            session: Some(result.session.clone()).filter(|session| session.parse::<SessionId>().is_ok()),
            turns: result.turns,
            tokens: result.tokens,
            cost_nano_usd: result.cost_nano_usd,
            seconds: result.seconds,
        }
    }

    /// About how long its text is.
    fn bytes(&self) -> usize {
        let failures = self.failures.iter().map(|failure| failure.check.len() + failure.why.len());
        let differences = self.differences.iter().map(|difference| difference.what.len());
        self.case.len() + self.model.len() + failures.chain(differences).sum::<usize>()
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_WORDS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
