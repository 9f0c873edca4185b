use std::sync::{Arc, Mutex};

use holm_runtime::BoxFuture;
use rmcp::model::{ElicitRequestParams, ElicitationAction};
use serde_json::{Map, Value, json};

use super::{ElicitationHandler, ServerAnswer, ServerQuestion, ServerQuestionKind, elicit};

/// Says what it was told to say, and remembers what it was asked.
struct Person {
    says: ServerAnswer,
    asked: Mutex<Vec<ServerQuestion>>,
}

impl ElicitationHandler for Person {
    fn ask(&self, question: ServerQuestion) -> BoxFuture<'static, ServerAnswer> {
        self.asked.lock().unwrap().push(question);
        let says = self.says.clone();
        Box::pin(async move { says })
    }
}

fn form(fields: &Value) -> ElicitRequestParams {
    let schema = json!({ "type": "object", "properties": fields });
    serde_json::from_value(json!({ "mode": "form", "message": "please", "requestedSchema": schema })).unwrap()
}

async fn ask(
    says: ServerAnswer,
    request: ElicitRequestParams,
) -> (ElicitationAction, Option<Value>, Vec<ServerQuestion>) {
    let person = Arc::new(Person { says, asked: Mutex::default() });
    let asker: Arc<dyn ElicitationHandler> = Arc::clone(&person) as _;
    let result = elicit(&"shop".parse().unwrap(), &asker, request).await;
    let asked = person.asked.lock().unwrap().clone();
    (result.action, result.content, asked)
}

#[tokio::test]
async fn what_was_left_open_gets_its_default_and_nothing_is_added() {
    let fields = json!({ "size": { "type": "integer", "default": 3 }, "colour": { "type": "string", "default": "red" } });
    let given: Map<String, Value> =
        [("colour".into(), json!("blue")), ("extra".into(), json!(1))].into_iter().collect();
    let (action, content, asked) = ask(ServerAnswer::Given(given), form(&fields)).await;
    assert_eq!(action, ElicitationAction::Accept);
    assert_eq!(content, Some(json!({ "size": 3, "colour": "blue" })));
    assert_eq!(asked[0].server.as_str(), "shop", "the person sees who asks");
}

#[tokio::test]
async fn a_form_for_a_secret_is_declined_and_nobody_is_asked() {
    for field in ["password", "apiKey_token", "GitHub_Token", "client_secret", "privateKey"] {
        let fields = json!({ field: { "type": "string" } });
        let (action, content, asked) = ask(ServerAnswer::Given(Map::new()), form(&fields)).await;
        assert_eq!((action, content), (ElicitationAction::Decline, None), "{field}");
        assert!(asked.is_empty(), "{field}");
    }
    let titled = json!({ "a": { "type": "string", "title": "Your password" } });
    assert_eq!(ask(ServerAnswer::Given(Map::new()), form(&titled)).await.0, ElicitationAction::Decline);
}

#[tokio::test]
async fn a_no_is_a_no_and_going_away_is_another_thing() {
    let fields = json!({ "a": { "type": "string" } });
    assert_eq!(ask(ServerAnswer::Declined, form(&fields)).await.0, ElicitationAction::Decline);
    assert_eq!(ask(ServerAnswer::Cancelled, form(&fields)).await.0, ElicitationAction::Cancel);
}

#[tokio::test]
async fn a_page_is_shown_and_never_opened_for_the_person() {
    let request = json!({ "mode": "url", "message": "m".repeat(10_000), "url": "https://a.example", "elicitationId": "1" });
    let (action, content, asked) =
        ask(ServerAnswer::Given(Map::new()), serde_json::from_value(request).unwrap()).await;
    assert_eq!((action, content), (ElicitationAction::Accept, None));
    assert_eq!(asked[0].wanted, ServerQuestionKind::Visit("https://a.example".into()));
    assert_eq!(asked[0].message.len(), 4096, "long words are cut");
}
