//! A support desk: a program of yours with an agent in it.
//!
//! The agent can call one function of the program and do nothing else: it has no files, no commands
//! and no network. Each customer has a conversation, which is kept in SQLite, continues at the next
//! start, and costs at most ten cents.

use std::{collections::BTreeMap, error::Error, sync::Arc};

use holm::{
    kernel::{Budget, ModelSpec},
    prelude::*,
    runtime::{DriveError, JournalStorageError, Session, tool},
    wire::catalogue::{ModelCatalogue, to_kernel},
};
use schemars::JsonSchema;
use serde::Deserialize;

/// What the program knows. Yours is a database.
type Orders = BTreeMap<u32, &'static str>;

#[derive(Deserialize, JsonSchema)]
struct OrderQuery {
    /// The number of the order.
    number: u32,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let [customer, question] = std::env::args().skip(1).collect::<Vec<_>>().try_into().map_err(
        |_| "name the customer and the question, for example: support-desk ada \"Where is order 7?\"",
    )?;
    let orders = Arc::new(Orders::from([(7, "shipped on Monday"), (8, "waiting for the supplier")]));
    let agent = desk(orders).await?;
    let mut session = open(&agent, &customer).await?;
    let report = session.prompt(question).await?;
    println!("{}", report.text()?);
    println!("spent so far: {} nano-dollars", report.spent);
    session.close().await;
    Ok(())
}

/// Puts the agent together: model, tool, limits and journal.
async fn desk(orders: Arc<Orders>) -> Result<Agent, Box<dyn Error>> {
    let name = std::env::var("HOLM_MODEL").unwrap_or_else(|_| "openai/gpt-5-mini".into());
    let model = ModelClient::from_name(&name, ProviderKeys::from_environment())?;
    // The catalogue has the price, without which a budget cannot hold.
    let spec = ModelCatalogue::pinned().model(&name).map_or_else(|| ModelSpec::named(&name), to_kernel);
    let order_status = tool("order_status", "Tells the status of an order.", move |query: OrderQuery| {
        let status = orders.get(&query.number).copied();
        async move { status.ok_or_else(|| format!("there is no order {}", query.number)) }
    });
    let limits = Limits { budget: Budget { usd: Some(NanoUsd::new(100_000_000)) }, ..Limits::default() };
    let store = Store::open("desk.db").await?;
    Ok(Agent::builder(spec, model)
        .system("You answer customers about their orders. Look orders up; never guess.")
        .tool(order_status.level(Level::ReadOnly))
        .limits(limits)
        .journals(store.clone())
        .blobs(store)
        .build()?)
}

/// Continues the customer's conversation, or begins it.
async fn open(agent: &Agent, customer: &str) -> Result<Session, DriveError> {
    match agent.resume(customer).await {
        Ok(mut session) => {
            // An answer that a crash interrupted comes first.
            if let Some(report) = session.go_on().await? {
                println!("(the interrupted answer) {}", report.text().unwrap_or_default());
            }
            Ok(session)
        }
        Err(DriveError::Journal(JournalStorageError::Missing { .. })) => agent.start_as(customer).await,
        Err(error) => Err(error),
    }
}
