use std::sync::{Arc, Mutex};
use std::time::Duration;

use holm_runtime::{BoxFuture, SecretRedactor, SecretString};
use rmcp::model::{ClientConfig, GetPromptRequestParams, PaginatedRequestParams, ReadResourceRequestParams};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::{ClientHandler, RoleClient, ServiceExt as _};
use tokio::sync::{mpsc, watch};

use crate::server::{
    CallRights, LibraryPrompt, McpServerHandler, PromptLibrary, ResourceEntry, ResourceLibrary, ResourcePage,
    ResourceText, serve_stdio,
};

/// Longer than any machine takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Texts and prompts in memory, a page of two at a time.
#[derive(Clone)]
struct Books {
    titles: Arc<Mutex<Vec<String>>>,
    bell: watch::Sender<u64>,
}

impl Books {
    fn of(titles: &[&str]) -> Self {
        let titles = titles.iter().map(|title| (*title).to_owned()).collect();
        Self { titles: Arc::new(Mutex::new(titles)), bell: watch::Sender::new(0) }
    }

    fn add(&self, title: &str) {
        self.titles.lock().unwrap().push(title.to_owned());
        self.bell.send_modify(|count| *count += 1);
    }
}

impl ResourceLibrary for Books {
    fn page(&self, after: Option<String>) -> BoxFuture<'static, Result<ResourcePage, String>> {
        let titles = self.titles.lock().unwrap().clone();
        Box::pin(async move {
            let begin: usize = after.map_or(Ok(0), |after| after.parse()).map_err(|_| "no such page")?;
            let entry = |title: &String| ResourceEntry {
                uri: format!("book://{}", title.len()),
                name: format!("book {}", title.len()),
                title: title.clone(),
                kind: "text/plain".into(),
            };
            let entries = titles.iter().skip(begin).take(2).map(entry).collect();
            Ok(ResourcePage { entries, next: (begin + 2 < titles.len()).then(|| (begin + 2).to_string()) })
        })
    }

    fn read(&self, uri: String) -> BoxFuture<'static, Result<Option<ResourceText>, String>> {
        let titles = self.titles.lock().unwrap().clone();
        Box::pin(async move {
            let found = titles.into_iter().find(|title| uri == format!("book://{}", title.len()));
            Ok(found.map(|title| ResourceText { kind: "text/plain".into(), text: format!("about {title}") }))
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.bell.subscribe()
    }
}

impl PromptLibrary for Books {
    fn list(&self) -> Vec<LibraryPrompt> {
        let titles = self.titles.lock().unwrap().clone();
        let prompt =
            |name: String| LibraryPrompt { description: format!("For {name}."), text: "Do it.".into(), name };
        titles.into_iter().map(prompt).collect()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.bell.subscribe()
    }
}

/// A client that forwards the list changes that it is notified of.
#[derive(Clone)]
struct Told(mpsc::UnboundedSender<&'static str>);

impl ClientHandler for Told {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::default()
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send("resources");
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send("prompts");
    }
}

async fn connect(
    exposed: McpServerHandler,
) -> (RunningService<RoleClient, Told>, mpsc::UnboundedReceiver<&'static str>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(serve_stdio(exposed, read, write));
    let (sender, notices) = mpsc::unbounded_channel();
    (Told(sender).serve(ours).await.unwrap(), notices)
}

fn after(cursor: Option<String>) -> Option<PaginatedRequestParams> {
    Some(PaginatedRequestParams::default().with_cursor(cursor))
}

#[tokio::test]
async fn texts_are_listed_in_pages_and_read() {
    let books = Books::of(&["a", "bb", "ccc"]);
    let (client, _told) = connect(McpServerHandler::new().library(books)).await;
    let first = client.list_resources(after(None)).await.unwrap();
    let uris: Vec<String> = first.resources.iter().map(|resource| resource.uri.clone()).collect();
    assert_eq!((uris, first.next_cursor.as_deref()), (vec!["book://1".into(), "book://2".into()], Some("2")));
    let last = client.list_resources(after(first.next_cursor)).await.unwrap();
    assert_eq!((last.resources[0].uri.as_str(), last.next_cursor), ("book://3", None));
    assert!(client.list_resources(after(Some("x".into()))).await.is_err(), "a page that nobody named");
    let read = client.read_resource(ReadResourceRequestParams::new("book://2")).await.unwrap();
    let text = serde_json::to_value(&read.contents[0]).unwrap();
    assert_eq!((text["text"].as_str(), text["mimeType"].as_str()), (Some("about bb"), Some("text/plain")));
    let missing = client.read_resource(ReadResourceRequestParams::new("book://9")).await.unwrap_err();
    assert!(missing.to_string().contains("no such resource"), "{missing}");
}

#[tokio::test]
async fn no_secret_leaves_in_a_title_or_in_a_text() {
    let books = Books::of(&["the key is canary-in-a-coal-mine"]);
    let secrets = SecretRedactor::new().know("mine", SecretString::from("canary-in-a-coal-mine".to_owned()));
    let exposed = McpServerHandler::new()
        .tools(holm_runtime::Toolbox::new(), CallRights { secrets, ..CallRights::default() });
    let (client, _told) = connect(exposed.library(books)).await;
    let listed = client.list_resources(after(None)).await.unwrap();
    let read = client.read_resource(ReadResourceRequestParams::new(&*listed.resources[0].uri)).await.unwrap();
    let output = format!("{listed:?} {read:?}");
    assert!(!output.contains("canary") && output.matches("‹secret:mine›").count() == 2, "{output}");
}

#[tokio::test]
async fn prompts_are_listed_in_pages_and_filled_in() {
    let names: Vec<String> = (0..150).map(|number| format!("p{number:03}")).collect();
    let names: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    let (client, _told) = connect(McpServerHandler::new().prompts(Books::of(&names))).await;
    let first = client.list_prompts(after(None)).await.unwrap();
    assert_eq!((first.prompts.len(), first.next_cursor.as_deref()), (100, Some("p099")));
    let last = client.list_prompts(after(first.next_cursor)).await.unwrap();
    assert_eq!((last.prompts[0].name.as_str(), last.prompts.len(), last.next_cursor), ("p100", 50, None));
    let mut wanted = GetPromptRequestParams::new("p007");
    assert_eq!(client.get_prompt(wanted.clone()).await.unwrap().messages.len(), 1);
    wanted.arguments = Some([("task".to_owned(), "Now.".into())].into_iter().collect());
    let filled = client.get_prompt(wanted).await.unwrap();
    assert_eq!((filled.messages.len(), filled.description.as_deref()), (2, Some("For p007.")));
    let missing = client.get_prompt(GetPromptRequestParams::new("none")).await.unwrap_err();
    assert!(missing.to_string().contains("no prompt `none`"), "{missing}");
}

#[tokio::test]
async fn a_client_hears_that_texts_and_prompts_came() {
    let (texts, prompts) = (Books::of(&[]), Books::of(&[]));
    let (client, mut notices) =
        connect(McpServerHandler::new().library(texts.clone()).prompts(prompts.clone())).await;
    assert!(client.list_resources(after(None)).await.unwrap().resources.is_empty());
    for (books, expect) in [(&texts, "resources"), (&prompts, "prompts"), (&texts, "resources")] {
        books.add("more");
        let notice = tokio::time::timeout(PATIENCE, notices.recv()).await.unwrap();
        assert_eq!(notice, Some(expect));
    }
    assert_eq!(client.list_prompts(after(None)).await.unwrap().prompts.len(), 1);
}

#[tokio::test]
async fn what_is_not_there_is_not_announced() {
    let (client, _told) = connect(McpServerHandler::new()).await;
    let info = client.peer().peer_info().unwrap().capabilities.clone();
    assert!(info.resources.is_none() && info.prompts.is_none() && info.tools.is_some());
    assert!(client.list_resources(after(None)).await.is_err());
    assert!(client.list_prompts(after(None)).await.is_err());
}
