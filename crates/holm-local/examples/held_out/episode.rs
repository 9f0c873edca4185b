//! An episode as `holm_training.generate` writes it, and each of its replies as a question to the model.

use std::sync::Arc;

use holm_guards::json::Json;
use holm_kernel::{
    Block, Config, Effect, Input, Message, MessageId, Messages, ModelSpec, Offer, Protocol, Purpose, Request,
    Role, Run, Started, Timestamp, ToolCall, ToolResult, ToolSpec,
};

/// Tokens of a reply: as many as the evaluation in Python allows (`LONGEST` in `evaluate.py`), so that figures compare.
const LONGEST: u64 = 110;
/// What the model is called in requests.
const NAME: &str = "local/held-out";

#[derive(Debug)]
pub(crate) struct Episode {
    system: String,
    form: Form,
    tools: Vec<Arc<ToolSpec>>,
    turns: Vec<Json>,
}

/// How tools and results are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As the local host shows them (`training/PROTOCOL.md`).
    Compact,
    /// As the kernel's text protocol does.
    Kernel,
}

/// What is asked of the model.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) request: Request,
    /// The tools that the reply may call, wherever the prompt shows them.
    pub(crate) told: Arc<Offer>,
    pub(crate) view: Vec<Arc<Message>>,
}

impl Episode {
    pub(crate) fn read(line: &str) -> Result<Self, String> {
        let value = Json::parse(line).map_err(|error| format!("an episode is no JSON: {error}"))?;
        Self::new(&value).ok_or_else(|| "an episode has no form, tools or turns".into())
    }

    fn new(value: &Json) -> Option<Self> {
        let form = match text(value, "form") {
            "compact" => Form::Compact,
            "kernel" => Form::Kernel,
            _ => return None,
        };
        let tool = |tool: &Json| {
            let schema = tool.get("parameters")?.clone();
            Some(Arc::new(ToolSpec::new(text(tool, "name"), text(tool, "description"), schema)))
        };
        let tools = value.get("tools")?.as_array()?.iter().map(tool).collect::<Option<_>>()?;
        let turns = value.get("turns")?.as_array()?.to_vec();
        Some(Self { system: text(value, "system").into(), form, tools, turns })
    }

    /// The turns that are the model's to say.
    pub(crate) fn due(&self) -> impl Iterator<Item = usize> {
        let learned = |turn: &Json| turn.get("learn").and_then(Json::as_bool) == Some(true);
        self.turns.iter().enumerate().filter(move |(_, turn)| learned(turn)).map(|(at, _)| at)
    }

    /// What is asked before that turn, with all that was rightly said and done before.
    pub(crate) fn question(&self, turn: usize) -> Result<Question, String> {
        let told = Arc::new(Offer { epoch: 1, tools: self.tools.clone() });
        let (system, tools) = match self.form {
            Form::Compact => (Arc::from(self.system.as_str()), Arc::clone(&told)),
            Form::Kernel => {
                let system = self.instructions().ok_or("the kernel did not ask the model")?;
                (system, Arc::new(Offer { epoch: 1, tools: Vec::new() }))
            }
        };
        let request = Request {
            purpose: Purpose::Turn,
            model: Arc::new(ModelSpec::named(NAME)),
            system,
            messages: Messages::Own(Vec::new()),
            tools,
            max_output: Some(LONGEST),
            format: None,
        };
        Ok(Question { request, told, view: self.view(turn) })
    }

    /// The system prompt that the kernel writes for models without calls of their own.
    fn instructions(&self) -> Option<Arc<str>> {
        let config = Config {
            system: self.system.clone(),
            tools: self.tools.iter().map(|tool| ToolSpec::clone(tool)).collect(),
            protocol: Protocol::Text,
            ..Config::new(ModelSpec::named(NAME))
        };
        let now = Timestamp::new(0);
        let mut run = Run::start(Started::new("held-out", 0, config), now);
        run.handle(now, Input::Prompted("?".into())).ok()?;
        loop {
            let effect = run.poll();
            if let Effect::CallModel { request, .. } = effect {
                return Some(request.system);
            }
            if matches!(effect, Effect::Wait(_)) {
                return None;
            }
        }
    }

    fn view(&self, upto: usize) -> Vec<Arc<Message>> {
        let message = |(number, turn): (u64, &Json)| {
            let (id, content) = (MessageId::new(number), text(turn, "content"));
            Arc::new(match text(turn, "role") {
                "assistant" => Message::new(id, Role::Assistant, vec![self.said(content)]),
                "tool" => self.result(id, turn),
                _ => Message::text(id, Role::User, content),
            })
        };
        (1..).zip(self.turns.iter().take(upto)).map(message).collect()
    }

    /// A reply: words, or where the host takes calls out of replies, a call.
    fn said(&self, content: &str) -> Block {
        let call = match (self.form, Json::parse(content)) {
            (Form::Compact, Ok(Json::Object(members))) => Some(members),
            _ => None,
        };
        let named = call.and_then(|mut members| match members.remove("tool")? {
            Json::String(name) => Some((name, members)),
            _ => None,
        });
        match named {
            Some((name, members)) => Block::ToolCall(ToolCall {
                id: "1".into(),
                name,
                arguments: Json::Object(members).canonical(),
                replay: None,
            }),
            None => Block::Text(content.into()),
        }
    }

    /// What a tool gave back.
    fn result(&self, id: MessageId, turn: &Json) -> Message {
        let (name, content) = (text(turn, "name"), text(turn, "content"));
        let seal = turn.get("seal").and_then(Json::as_u64).unwrap_or_default() & 0xffff_ffff;
        let sealed = format!("<tool_output seal=\"{seal:08x}\">{content}</tool_output seal=\"{seal:08x}\">");
        match self.form {
            Form::Compact => {
                let result =
                    ToolResult { call: "1".into(), tool: name.into(), text: sealed, ..ToolResult::default() };
                Message::new(id, Role::Tool, vec![Block::ToolResult(result)])
            }
            Form::Kernel => Message::text(id, Role::User, sealed),
        }
    }
}

fn text<'a>(value: &'a Json, name: &str) -> &'a str {
    value.get(name).and_then(Json::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use holm_local::messages;

    use super::*;

    const VECTORS: &str = include_str!("../../../../training/vectors.json");

    /// The prompt as the model's template writes it.
    fn prompt(question: &Question) -> String {
        let said = messages(&question.request, &question.view);
        let mut out: String = said
            .iter()
            .map(|said| format!("<|im_start|>{}\n{}<|im_end|>\n", said.by.name(), said.text))
            .collect();
        out.push_str("<|im_start|>assistant\n");
        out
    }

    #[test]
    fn questions_are_the_prompts_that_the_adapter_was_trained_on() {
        let vectors = Json::parse(VECTORS).unwrap();
        let mut seen = [0; 2];
        for vector in vectors.as_array().unwrap() {
            let episode = Episode::new(vector.get("episode").unwrap()).unwrap();
            let turn = usize::try_from(vector.get("turn").and_then(Json::as_u64).unwrap()).unwrap();
            assert!(episode.due().any(|due| due == turn), "{turn}");
            assert_eq!(prompt(&episode.question(turn).unwrap()), text(vector, "prompt"));
            seen[usize::from(episode.form == Form::Kernel)] += 1;
        }
        assert!(seen[0] >= 50 && seen[1] >= 1, "{seen:?}");
    }

    #[test]
    fn what_is_no_episode_is_refused() {
        for line in ["", "[]", "{}", r#"{"form":"other","tools":[],"turns":[]}"#] {
            assert!(Episode::read(line).is_err(), "{line}");
        }
    }
}
