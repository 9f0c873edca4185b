"""The types of the server's API. Written by `scripts/make-client-types`; do not edit."""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AgentBounds(TypedDict):
    """The limits of an agent. Values that are not set have the defaults."""

    # Maximum depth of nested helpers.
    depth: NotRequired[int | None]
    # Maximum cost per run, in billionths of a US dollar.
    spend_nano_usd: NotRequired[int | None]
    # Maximum time per task, in milliseconds.
    time_ms: NotRequired[int | None]
    # Maximum number of tokens per run.
    tokens: NotRequired[int | None]
    # Maximum number of model turns per task.
    turns: NotRequired[int | None]


class AgentCard(TypedDict):
    """An agent that can be started."""

    description: str
    # Its name, also as a model of `/v1`.
    name: str


class AgentText(TypedDict):
    """The text of an agent file."""

    # A head between two `---` lines (name, description, model, tools, grants, mode, limits), then the prompt.
    text: str


class AgentView(TypedDict):
    """An agent with all details."""

    description: str
    # The value to send as `if-match` to change it; not set if it cannot be changed here.
    etag: NotRequired[str | None]
    # The grants it runs with, such as `read:src/**`.
    grants: list[str]
    limits: AgentBounds
    # The agents that it manages.
    manages: list[str]
    # Its permission mode; the caller's if not set.
    mode: NotRequired[str | None]
    # Its model; the caller's if not set.
    model: NotRequired[str | None]
    name: str
    # Its owner. Only the user's own agents can be changed here.
    owner: Owner
    # The system prompt that its model gets.
    prompt: str
    # Remarks for its author.
    remarks: list[str]
    # The text of its file; not set if it has no file.
    text: NotRequired[str | None]
    # Its tools; all tools if not set.
    tools: NotRequired[list[str] | None]


class AnsweredNoContent(TypedDict):
    """For an approval: deny the call, with a reason."""

    # The reason, which the model sees.
    reason: NotRequired[str]


class AnsweredNo(TypedDict):
    """For an approval: deny the call, with a reason."""

    # For an approval: deny the call, with a reason.
    no: AnsweredNoContent


class AnsweredWords(TypedDict):
    """For the model: this text."""

    # For the model: this text.
    words: str


class AnsweredForm(TypedDict):
    """For a server: these values; empty for a page."""

    # For a server: these values; empty for a page.
    form: dict[str, Any]


# An answer to a question.
Answered: TypeAlias = 'Literal["once", "session", "prefix", "family", "never", "decline"] | AnsweredNo | AnsweredWords | AnsweredForm'


# What to do if a call needs approval.
Approval: TypeAlias = 'Literal["deny", "park", "notify"]'


class BackupView(TypedDict):
    """A backup of all data."""

    # When it was created, in milliseconds since 1970.
    at: int
    bytes: int
    # How many files it contains.
    files: int
    # Number of workspace files and folders that could not be read and are not in the backup.
    left_out: int
    name: str


class BrokenView(TypedDict):
    """A job that cannot be read."""

    id: str
    # Why it cannot be read.
    reason: str


class CallView(TypedDict):
    """A call of a tool."""

    # Its arguments, as JSON.
    arguments: str
    # When it happened, in milliseconds since 1970.
    at: int
    # Size of its output, in bytes.
    bytes: int
    # How long it took, in milliseconds.
    millis: int
    # Its outcome; not set if it has not ended.
    outcome: NotRequired[str | None]
    # The journal record where the call ended, or where it was proposed if it has not ended.
    record: int
    # The session of the call.
    session: str


# What started a run.
Cause: TypeAlias = 'Literal["schedule", "person", "hook"]'


# Whether signed messages may start a job.
Door: TypeAlias = 'Literal["closed", "open"]'


class EvaluationAttempt(TypedDict):
    """An attempt at a case."""

    # The first turn for which the recording no longer applies; not set if it applies to the end.
    applies_until: NotRequired[int | None]
    # The number of the attempt, from 1.
    attempt: int
    case: str
    # Its cost in billionths of a US dollar, as far as prices are known.
    cost_nano_usd: int
    # The differences from the recording, by turn.
    differences: list[TurnDifference]
    # The checks that failed.
    failures: list[FailedCheck]
    # The model, or `replay`.
    model: str
    # How long it took, in seconds.
    seconds: float
    # The session of the attempt; not set if it has none.
    session: NotRequired[str | None]
    # Input and output tokens together.
    tokens: int
    turns: int
    # The verdict: `passed`, `changed`, `failed` or `error`. `changed` has passed too.
    verdict: str


class EvaluationComparison(TypedDict):
    """A comparison of two evaluations."""

    # The comparison, as `holm eval compare --json` prints it.
    comparison: dict[str, Any]
    first: str
    # Whether the second evaluation is worse, as for `holm eval compare --gate`.
    is_worse: bool
    second: str


class EvaluationList(TypedDict):
    """The evaluations on this machine."""

    # The evaluations, latest first.
    evaluations: list[EvaluationSummary]
    # Number of older evaluations that are not listed.
    left_out: int


class EvaluationSummary(TypedDict):
    """An evaluation, without its attempts."""

    # How many attempts were made.
    attempts: int
    # How many cases it has.
    cases: int
    # Cost of all attempts in billionths of a US dollar, as far as prices are known.
    cost_nano_usd: int
    # Upper end of that interval.
    high: float
    # Lower end of the interval of 95 % confidence of the pass rate.
    low: float
    # The models that answered; `replay` stands for recorded replies.
    models: list[str]
    name: str
    # Number of attempts that passed.
    passed: int
    # Why its results cannot be read; not set if they can.
    problem: NotRequired[str | None]
    # When its last result was written, in milliseconds since 1970; 0 if it cannot be read.
    updated: int


class EvaluationView(TypedDict):
    """An evaluation with its attempts."""

    # The attempts, by case, model and number.
    attempts: list[EvaluationAttempt]
    # Number of attempts that are not shown, because there are too many.
    left_out: int
    summary: EvaluationSummary


class FailedCheck(TypedDict):
    """A check that failed."""

    # What the check looked at.
    check: str
    # Why the check failed.
    why: str


# What agents may do in a folder without asking.
FolderLevel: TypeAlias = 'Literal["ask", "look", "edit", "jail"]'


class FolderLevelCard(TypedDict):
    """A level, and what it means."""

    level: FolderLevel
    # What it means, for people.
    meaning: str


class FolderTrustView(TypedDict):
    """What agents may do in the folder of the server without asking."""

    # The folder that the level was chosen for: this one, or one above it.
    chosen_for: NotRequired[str | None]
    # The folder in which the server was started.
    folder: str
    level: NotRequired[FolderLevel | None]
    # All levels, from the one that allows least to the one that allows most.
    levels: list[FolderLevelCard]
    # What applies to new sessions in the folder, for people.
    meaning: str


class FolderView(TypedDict):
    """The contents of a folder."""

    # Whether there are more entries.
    cut: bool
    # Its entries, sorted by name, without those that are hidden from tools.
    entries: list[ItemView]
    # Its path, relative to the workspace.
    path: str


class ForkAt(TypedDict):
    """Where to fork a session."""

    # The last record that both sessions share.
    at: int
    # The name of the new session; generated if not set.
    id: NotRequired[str | None]


class Health(TypedDict):
    """The state of the server."""

    # Number of open sessions.
    sessions: int
    # `ok` as long as the server answers.
    status: str
    # The version of Holm.
    version: str


class Heard(TypedDict):
    """The session that accepted a request."""

    # The name of the session.
    session: str
    # The state of the session after the request.
    state: str


class HookHeard(TypedDict):
    """The result of a message."""

    # Whether this message started the run; false if an earlier copy of it did.
    new: bool
    # The run that the message started.
    run: str


class ItemView(TypedDict):
    """An entry of a folder."""

    # Its size in bytes; 0 if it is not a file.
    bytes: int
    kind: KindView
    # When it was last written, in milliseconds since 1970.
    modified: int
    name: str


class JobList(TypedDict):
    """The jobs, with those that cannot be read."""

    # The jobs that cannot be read.
    broken: list[BrokenView]
    # The jobs, sorted by name.
    jobs: list[JobView]


# Whether a job still runs.
JobStatus: TypeAlias = 'Literal["on", "off", "done"]'


class JobView(TypedDict):
    """A job with its state."""

    # Number of failed runs in a row.
    failures: int
    id: str
    last_skip: NotRequired[Skip | None]
    # When it was created, in milliseconds since 1970.
    made: int
    # When it is due next; not set if it is disabled or never due again.
    next: NotRequired[int | None]
    # Total number of skipped times.
    skipped: int
    spec: Spec
    # Whether it is on, off, or has nothing left to do.
    status: JobStatus
    # Whether it is enabled.
    switch: Switch
    # Why the last message about it was not delivered.
    untold: NotRequired[str | None]
    webhook: NotRequired[WebhookView | None]


# The kind of an entry.
KindView: TypeAlias = 'Literal["file", "folder", "other"]'


class MadeJob(TypedDict):
    """A newly created job."""

    job: JobView
    # The key that signs its messages. It is shown only once.
    key: str


class MadeKey(TypedDict):
    """The new key of a job."""

    # The key. It is shown only once.
    key: str
    # How many seconds the old key stays valid.
    old_for_s: int


class MadeToken(TypedDict):
    """A newly created token."""

    # Information about the token.
    card: TokenView
    # The token. It is shown only once.
    token: str


class Me(TypedDict):
    """The user of a token."""

    # What the token allows.
    role: Role
    # The sessions that the token can be used with; all sessions of the user if not set.
    sessions: NotRequired[list[str] | None]
    # The number of the token, as in `/api/tokens`.
    token: int
    user: str


class MisfireAllContent(TypedDict):
    """Run each of them, up to a limit; the latest ones are chosen."""

    # The largest number of missed runs that run later.
    most: int


class MisfireAll(TypedDict):
    """Run each of them, up to a limit; the latest ones are chosen."""

    # Run each of them, up to a limit; the latest ones are chosen.
    all: MisfireAllContent


# What to do about runs missed while no server could run them.
Misfire: TypeAlias = 'Literal["skip", "once"] | MisfireAll'


class ModelCard(TypedDict):
    """A model that can be requested."""

    name: str


class ModelEntry(TypedDict):
    """An agent, in the format of OpenAI's model list."""

    # Always 0, because the time is unknown.
    created: int
    # The agent's name, to send as `model`.
    id: str
    # Always `model`, as clients expect.
    object: str
    # Always `holm`, as clients expect.
    owned_by: str


class Models(TypedDict):
    """The agents, in the format of OpenAI's model list."""

    data: list[ModelEntry]
    # Always `list`, as clients expect.
    object: str


# A file or folder to rename.
Move = TypedDict("Move", {
    "from": 'str',
    "to": 'str',
})


class NewBackup(TypedDict):
    """A backup to create."""

    # Its name, which must be new.
    name: str


class NewBudget(TypedDict):
    """The budget of all sessions of a user together."""

    # The budget in billionths of a US dollar; unlimited if not set.
    nano_usd: NotRequired[int | None]


class NewFolder(TypedDict):
    """A folder to create."""

    # Its path, relative to the workspace. The parent folder must exist.
    path: str


class NewFolderLevel(TypedDict):
    """A level to choose for the folder of the server."""

    level: FolderLevel


class NewJob(TypedDict):
    """A job to create."""

    id: str
    spec: Spec


class NewKey(TypedDict):
    """A request for a new key of a job."""

    # How many seconds the old key stays valid; one day by default.
    old_for_s: NotRequired[int | None]


class NewServer(TypedDict):
    """An MCP server to add."""

    # How to reach it, in the format of `mcpServers`: `{"command", "args", "env"}` or `{"url", "headers"}`, with `grants` and `network`. It is never returned.
    entry: dict[str, Any]
    # Its name; the names of its tools start with it.
    name: str


class NewSession(TypedDict):
    """A session to create."""

    # The agent; the default one if not set.
    agent: NotRequired[str | None]
    # Its name; generated if not set.
    id: NotRequired[str | None]
    # The model; the agent's own if not set.
    model: NotRequired[str | None]
    # A prompt to run at once.
    prompt: NotRequired[str | None]


class NewSite(TypedDict):
    """A folder to publish."""

    # The folder, relative to your workspace.
    folder: str
    name: str
    # The password for visitors; if not set, everyone who can reach the site can see it.
    password: NotRequired[str | None]
    # Where to publish it: `{"listen": "127.0.0.1:8080"}` or `{"host": "docs.localhost"}`.
    place: SitePlace


class NewToken(TypedDict):
    """A token to create."""

    # What the token allows.
    role: Role
    # The sessions that the token can be used with; all sessions of the user if not set.
    sessions: NotRequired[list[str] | None]
    # The user; a new name creates a new user.
    user: str


# Why a job was disabled.
OffReason: TypeAlias = 'Literal["person", "failing"]'


class OutcomeAnsweredContent(TypedDict):
    # The beginning of the answer.
    text: str


class OutcomeAnswered(TypedDict):
    answered: OutcomeAnsweredContent


class OutcomeFailedContent(TypedDict):
    """It failed, but another attempt may succeed."""

    reason: str


class OutcomeFailed(TypedDict):
    """It failed, but another attempt may succeed."""

    # It failed, but another attempt may succeed.
    failed: OutcomeFailedContent


class OutcomeRefusedContent(TypedDict):
    """It failed, and another attempt would fail too: the model declined, the budget is used up, or the agent does not exist."""

    reason: str


class OutcomeRefused(TypedDict):
    """It failed, and another attempt would fail too: the model declined, the budget is used up, or the agent does not exist."""

    # It failed, and another attempt would fail too: the model declined, the budget is used up, or the agent does not exist.
    refused: OutcomeRefusedContent


class OutcomeStoppedContent(TypedDict):
    """It was stopped before it ended."""

    # Why it was stopped.
    why: Stopped


class OutcomeStopped(TypedDict):
    """It was stopped before it ended."""

    # It was stopped before it ended.
    stopped: OutcomeStoppedContent


# The outcome of an attempt.
Outcome: TypeAlias = 'Literal["timed_out", "lost"] | OutcomeAnswered | OutcomeFailed | OutcomeRefused | OutcomeStopped'


# What to do if a job is due while it is still running.
Overlap: TypeAlias = 'Literal["skip", "queue", "replace"]'


# The owner of an agent, a skill or a server.
Owner: TypeAlias = 'Literal["holm", "user", "project"]'


class PhaseWaitingContent(TypedDict):
    """Waiting for its turn or for the next attempt."""

    # The earliest time at which it can start.
    not_before: int


class PhaseWaiting(TypedDict):
    """Waiting for its turn or for the next attempt."""

    # Waiting for its turn or for the next attempt.
    waiting: PhaseWaitingContent


class PhaseWorkingContent(TypedDict):
    """An attempt is running."""

    # When the question that is open now was asked.
    asked: NotRequired[int | None]
    # Milliseconds spent waiting for a user's answer; they do not count towards the timeout.
    held_ms: NotRequired[int]
    # When the attempt started.
    since: int


class PhaseWorking(TypedDict):
    """An attempt is running."""

    # An attempt is running.
    working: PhaseWorkingContent


class PhaseEndedContent(TypedDict):
    """The run has ended."""

    at: int
    outcome: Outcome


class PhaseEnded(TypedDict):
    """The run has ended."""

    # The run has ended.
    ended: PhaseEndedContent


# The phase of a run.
Phase: TypeAlias = 'PhaseWaiting | PhaseWorking | PhaseEnded'


class Posed(TypedDict):
    """A question with its number."""

    # The number that an answer has to name.
    id: QuestionId
    question: Question


class ProbeResult(TypedDict):
    """The answer to a probe."""

    # `ok`, `stopping`, or `no_store` if the sessions cannot be read.
    status: str


class Problem(TypedDict):
    """The body of every error response."""

    error: ProblemDetail


class ProblemDetail(TypedDict):
    """An error, for programs and for people."""

    # A code for programs.
    code: str
    # A message for people.
    message: str


class ProviderKey(TypedDict):
    """A provider key to store."""

    # The key. It is never returned.
    key: str
    # The name of the provider in the catalogue.
    provider: str


class QuestionApprovalContent(TypedDict):
    """Whether a call may run."""

    # What the answer `session` would cover, in words; not set if no lasting answer is possible, and `session` is then rejected.
    always: NotRequired[str | None]
    # Its arguments, as canonical JSON with control characters made visible.
    arguments: str
    # The number of the call. The calls of one reply may be asked about in any order.
    call: NotRequired[int]
    # What a whole-file write does to the file as it is: `"new"`, `{"replaced": {"added": …, "removed": …, "lines": […]}}` or `{"uncompared": {"size": …}}`; not set for other calls.
    change: NotRequired[dict[str, Any] | None]
    # For shells: the command as a user would type it.
    command: NotRequired[str | None]
    # SHA-256 of the tool and its arguments: only the approved call can run.
    digest: str
    # What the answer `family` would cover, in words and as grants; not set if there is no such answer.
    family: NotRequired[str | None]
    # The grants that a sub-agent would hold; empty for other tools.
    hands_on: NotRequired[list[str]]
    # The helper that makes the call, below the helpers that started it; not set if the session itself makes the call.
    helper: NotRequired[str | None]
    # How much the call can change.
    level: str
    # Whether untrusted or private content has entered the run.
    marks: NotRequired[dict[str, Any]]
    # The needs that are not granted.
    missing: list[str]
    # What the call needs.
    needs: list[str]
    # The needs that can never be granted.
    never_granted: NotRequired[list[str]]
    # What the answer `prefix` would cover, in words; not set if no prefix is safe to remember.
    prefix: NotRequired[str | None]
    # Why approval is needed.
    reasons: list[str]
    tool: str
    # Why approval is needed, as sentences for the user.
    why: NotRequired[list[str]]


class QuestionApproval(TypedDict):
    """Whether a call may run."""

    # Whether a call may run.
    approval: QuestionApprovalContent


class QuestionWordsContent(TypedDict):
    """A question from the model."""

    # Suggested answers; the user may give any other.
    choices: list[str]
    text: str


class QuestionWords(TypedDict):
    """A question from the model."""

    # A question from the model.
    words: QuestionWordsContent


class QuestionFormContent(TypedDict):
    """A question from an MCP server. Its text is not trustworthy."""

    # The text that the server wrote.
    message: str
    # The fields, as a JSON Schema; not set if the user should visit a page.
    schema: NotRequired[dict[str, Any] | None]
    # The name of the server.
    server: str
    # The page, which users open themselves.
    url: NotRequired[str | None]


class QuestionForm(TypedDict):
    """A question from an MCP server. Its text is not trustworthy."""

    # A question from an MCP server. Its text is not trustworthy.
    form: QuestionFormContent


# A question for a user.
Question: TypeAlias = 'QuestionApproval | QuestionWords | QuestionForm'


# Identifies a question within its session.
QuestionId: TypeAlias = 'int'


class Reloaded(TypedDict):
    """The result of reloading the tools."""

    # What cannot be used, and why.
    problems: list[str]
    # How many tools can be used now.
    tools: int


class Reply(TypedDict):
    """An answer to a question."""

    answer: Answered
    # For an approval: the `digest` that was shown. An answer for a different call is rejected.
    digest: NotRequired[str | None]
    # The number of the question.
    question: QuestionId


class Retry(TypedDict):
    """How often to retry a failed run. The delay doubles each time."""

    # Seconds before the first retry.
    first_s: NotRequired[int]
    # Maximum number of retries.
    most: NotRequired[int]


# What a token allows. Each role includes the ones before it.
Role: TypeAlias = 'Literal["viewer", "operator", "admin"]'


class Run(TypedDict):
    """One run of a job. Each attempt is a session of its own."""

    cause: Cause
    # When it was due.
    due: int
    # The beginning of the message that started it; not part of the list of runs.
    message: NotRequired[str | None]
    phase: Phase
    # The key of the run: a scheduled time, a user's request, or a message.
    slot: str
    # Its attempts, oldest first.
    tries: NotRequired[list[Try]]


class ServerSettings(TypedDict):
    """The settings of the server."""

    # The path prefix of everything served.
    base: str
    # Maximum size of a request body, in bytes.
    body_bytes: int
    # Additional host names that requests may use.
    hosts: list[str]
    # The address that the server listens on.
    listen: str
    # Additional origins whose pages may send requests.
    origins: list[str]
    # Maximum number of requests per minute for each token.
    requests_per_minute: int
    # Maximum number of concurrent runs.
    runs: int
    # Maximum number of concurrent runs per user.
    runs_per_user: int
    # Maximum number of open sessions.
    sessions: int
    # Whether the server has its own certificate.
    tls: bool
    # The version of Holm.
    version: str


# The state of an MCP server.
ServerState: TypeAlias = 'Literal["ready", "silent", "untrusted", "flawed"]'


class ServerTest(TypedDict):
    """The result of testing an MCP server."""

    # The names of tools that changed since they were confirmed; they are left out.
    changed: list[str]
    # What is wrong with other tools.
    problems: list[str]
    # The tools that it offers now.
    tools: list[ToolCard]
    # The protocol version that it uses.
    version: str


class ServerView(TypedDict):
    """An MCP server, without its command line or address, which may contain secrets."""

    name: str
    owner: Owner
    # Why it cannot be used, or only in part.
    problems: list[str]
    state: ServerState
    # The names of its tools.
    tools: list[str]


class SessionPage(TypedDict):
    """A page of the list."""

    # The value of `after` for the next page; not set on the last page.
    next: NotRequired[str | None]
    # The sessions, latest first.
    sessions: list[SessionView]


class SessionView(TypedDict):
    """A session, without its messages."""

    # When it was created, in milliseconds since 1970.
    created: int
    # How it last ended, if it is open and has ended.
    ending: NotRequired[dict[str, Any] | None]
    id: str
    # The model that it started with.
    model: str
    # Number of open questions.
    questions: int
    # Number of records in its journal.
    records: int
    # Its state: `closed`, `idle`, `waiting` or `working`.
    state: str
    tags: list[str]
    # The title that a user gave it, or the beginning of its first prompt.
    title: str
    # When its journal was last written.
    updated: int


class SettingView(TypedDict):
    """A setting in effect."""

    # Its key in `holm.toml`.
    key: str
    # Where it was set.
    origin: str
    value: Any


class SettingsView(TypedDict):
    """The settings of the server and of agents."""

    # The settings in effect for agents, and where each comes from.
    agents: list[SettingView]
    # The settings of the server.
    server: ServerSettings


class SitePlaceListen(TypedDict):
    """At its own address."""

    # At its own address.
    listen: str


class SitePlaceHost(TypedDict):
    """Under its own host name, at the address that all such sites share."""

    # Under its own host name, at the address that all such sites share.
    host: str


# Where a site is served. Each place is an origin of its own.
SitePlace: TypeAlias = 'SitePlaceListen | SitePlaceHost'


class SiteView(TypedDict):
    """A folder that is published as a site."""

    # The address where it is served now; not set if it is not served.
    address: NotRequired[str | None]
    # The folder, relative to the workspace.
    folder: str
    # Whether visitors need a password.
    locked: bool
    name: str
    # Where it is published.
    place: SitePlace
    # The user whose workspace contains the folder.
    user: str


class SkillCard(TypedDict):
    """A skill that an agent can read."""

    description: str
    name: str


class SkillView(TypedDict):
    """A skill with all details."""

    # The names of its arguments.
    args: list[str]
    description: str
    name: str
    owner: Owner
    # The instructions that a model reads.
    text: str
    # When a model should use it.
    when_to_use: NotRequired[str | None]


class Skip(TypedDict):
    """Scheduled times that were skipped."""

    # How many were skipped.
    count: int
    # The last of them.
    due: int
    # Why they were skipped.
    why: SkipReason


# Why a scheduled time was skipped.
SkipReason: TypeAlias = 'Literal["missed", "overlap", "full", "too_often", "backing_off"]'


class Spec(TypedDict):
    """What a job does, when it runs, and how it is limited."""

    # A description for people.
    about: NotRequired[str]
    # The agent; the default one if not set.
    agent: NotRequired[str | None]
    # What to do if a call needs approval.
    approval: NotRequired[Approval]
    # Maximum cost of each attempt, in billionths of a US dollar.
    budget: NotRequired[int | None]
    # Whether signed messages may start the job.
    hook: NotRequired[Door]
    # What to do about runs missed while no server could run them.
    misfire: NotRequired[Misfire]
    # The model; the agent's own if not set.
    model: NotRequired[str | None]
    # An `https` address to notify about failures and questions.
    notify: NotRequired[str | None]
    # The job is disabled after this many failed runs in a row.
    off_after: NotRequired[int]
    # What to do if the job is due while it is still running.
    overlap: NotRequired[Overlap]
    # Maximum number of starts per hour, including retries.
    per_hour: NotRequired[int]
    # The prompt that each run begins with.
    prompt: str
    # How often to retry.
    retry: NotRequired[Retry]
    # Timeout for each attempt, in seconds; time spent waiting for a user's answer does not count.
    timeout_s: NotRequired[int]
    when: When


class Started(TypedDict):
    """A run that was requested by a user."""

    # The key of the run, as in the list of runs.
    run: str


class Stop(TypedDict):
    """A request to stop a session."""

    # The reason, which the journal records.
    reason: NotRequired[str | None]


# Why a run was stopped.
Stopped: TypeAlias = 'Literal["replaced", "off", "person"]'


class SwitchOffContent(TypedDict):
    """It does not run until a user enables it."""

    # When it was disabled.
    at: int
    # Why it was disabled.
    why: OffReason


class SwitchOff(TypedDict):
    """It does not run until a user enables it."""

    # It does not run until a user enables it.
    off: SwitchOffContent


# Whether a job is enabled.
Switch: TypeAlias = 'Literal["on"] | SwitchOff'


class Title(TypedDict):
    """The title of a session."""

    # The title; the beginning of the first prompt if not set.
    title: NotRequired[str | None]


class TokenView(TypedDict):
    """A token, without the token itself."""

    # The number by which it is revoked.
    id: int
    # What the token allows.
    role: Role
    # The sessions that the token can be used with; all sessions of the user if not set.
    sessions: NotRequired[list[str] | None]
    user: str


class ToolCard(TypedDict):
    """A tool of an agent."""

    description: str
    # How much a call can change: `none`, `read-only`, `write` or `execute`.
    level: str
    name: str
    # Where it comes from.
    origin: str


class ToolView(TypedDict):
    """A tool with all details."""

    description: str
    # Keywords for finding it.
    keywords: list[str]
    # How much a call can change: `none`, `read-only`, `write` or `execute`.
    level: str
    # Limits of one call in the sandbox, such as `mem:256MiB`; empty if the tool does not run in the sandbox.
    limits: list[str]
    name: str
    # What a call needs, as templates over its arguments.
    needs: list[str]
    # Where it comes from.
    origin: str
    # Problems with its source.
    problems: list[str]
    # The JSON Schema of its arguments.
    schema: dict[str, Any]
    # Timeout of a call, in milliseconds; the run's if not set.
    timeout_ms: NotRequired[int | None]


class Trial(TypedDict):
    """A call to try."""

    # The arguments, checked against the tool's schema.
    arguments: NotRequired[dict[str, Any]]
    # What the call may do, such as `read:src/**`. It runs without further approval, and nothing else is allowed.
    grants: NotRequired[list[str]]


class Tried(TypedDict):
    """The result of a trial call."""

    # How long it took, in milliseconds.
    millis: int
    # The kernel's name of the outcome: `succeeded`, `failed`, `refused`, ….
    outcome: str
    # The output that a model would see.
    said: str


class Try(TypedDict):
    """One attempt of a run."""

    began: int
    ended: NotRequired[int | None]
    outcome: NotRequired[Outcome | None]
    # The session of the attempt, with all its messages and calls.
    session: str
    # Its cost, in billionths of a US dollar.
    spent: NotRequired[int]


class TurnDifference(TypedDict):
    """A difference between the recording of a case and its replay."""

    # Whether it fails the attempt.
    fails: bool
    # What differs: `prompt`, `tool`, `decision`, `call`, `result` or `answer`.
    kind: str
    # The turn, from 1; 0 stands for the start of the session.
    turn: int
    # The difference, for people.
    what: str


class UsageView(TypedDict):
    """Tokens used and their cost."""

    # The budget of all sessions together; unlimited if not set.
    budget_nano_usd: NotRequired[int | None]
    # Number of tokens that no provider reported; they and their cost are estimates.
    estimated_tokens: int
    # One total for each model, session, tool, day or agent.
    lines: list[dict[str, Any]]
    # Total cost in billionths of a US dollar, as far as prices are known.
    spent_nano_usd: int
    # Number of calls without a known price. They are not free: their cost is missing from the total.
    unpriced: int


class Use(TypedDict):
    """What a call may use, starting at a record of the journal."""

    # The number of the call in the events.
    call: int
    # What an agent holds that the call starts.
    hands_on: list[str]
    # The needs that were not granted when the user was asked.
    missing: list[str]
    # What the call needs, as grants; once it runs, what it runs with.
    needs: list[str]
    # Why the user is asked.
    reasons: list[str]
    # The journal record of the decision.
    record: int
    # Whether the user is asked, or the call runs.
    step: UseStep
    tool: str


# The state of a call.
UseStep: TypeAlias = 'Literal["asked", "run"]'


class WebhookView(TypedDict):
    """How signed messages start a job."""

    # A shell command that sends a signed message; `$KEY` is the key of the job.
    command: str
    # The address for signed messages.
    url: str


class WhenCronContent(TypedDict):
    """Whenever the pattern matches the clock of a time zone."""

    # Minute, hour, day, month and day of the week, optionally preceded by second.
    pattern: str
    # The time zone, by its IANA name.
    zone: NotRequired[str]


class WhenCron(TypedDict):
    """Whenever the pattern matches the clock of a time zone."""

    # Whenever the pattern matches the clock of a time zone.
    cron: WhenCronContent


class WhenOnceContent(TypedDict):
    """At one time, and never again."""

    # The time, in milliseconds since 1970.
    at: int


class WhenOnce(TypedDict):
    """At one time, and never again."""

    # At one time, and never again.
    once: WhenOnceContent


# When a job runs.
When: TypeAlias = 'Literal["asked"] | WhenCron | WhenOnce'


class Words(TypedDict):
    """A text for a session."""

    text: str
