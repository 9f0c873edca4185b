//! Queries in one schema. Each query names its tables with the schema, so one connection serves
//! every user and carries nothing over from the last one.
//!
//! Every statement of a store must go through here or through [`SchemaName::qualify`], or it would
//! reach another user's tables. Tables of the whole database begin with `holmdb_` and stay as they
//! are. A schema's name is checked in `postgres/mod.rs` before it gets here. This file also marks a
//! query in flight, which `postgres/pool.rs` needs when a caller goes.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio_postgres::{Client, Error, Row, Transaction, types::ToSql};

use crate::backend::StoreCounters;

/// The prefix of a store's tables. Tables of the whole database begin with `holmdb_`.
const TABLE: &str = "holm_";
/// Stands for the name of the schema as a text in a query.
const SCHEMA: &str = ":schema";

pub(super) type QueryValues<'a> = &'a [&'a (dyn ToSql + Sync)];

/// The schema of a store; none is the usual one of the connection.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SchemaName(Option<String>);

impl SchemaName {
    /// The caller has checked the name: nothing in it ends a quotation.
    pub(super) fn new(name: Option<&str>) -> Self {
        Self(name.map(str::to_owned))
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The name of the schema in tables of the whole database.
    pub(super) fn key(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// A query with the schema before each table of the store.
    pub(super) fn qualify<'a>(&self, sql: &'a str) -> Cow<'a, str> {
        let qualified = self.with_tables(sql);
        if !qualified.contains(SCHEMA) {
            return qualified;
        }
        // Last, because the name of a schema may look like that of a table.
        Cow::Owned(qualified.replace(SCHEMA, &format!("'{}'", self.key())))
    }

    fn with_tables<'a>(&self, sql: &'a str) -> Cow<'a, str> {
        let Some(name) = &self.0 else { return Cow::Borrowed(sql) };
        let mut qualified = String::with_capacity(sql.len() + 64);
        let mut rest = sql;
        while let Some(position) = rest.find(TABLE) {
            let (before, table) = rest.split_at(position);
            qualified.push_str(before);
            let is_within = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            if !before.as_bytes().last().is_some_and(is_within) {
                qualified.push_str(&format!("\"{name}\"."));
            }
            let (found, after) = table.split_at(TABLE.len());
            qualified.push_str(found);
            rest = after;
        }
        qualified.push_str(rest);
        Cow::Owned(qualified)
    }
}

/// Whether a query is in flight. A query whose caller has gone stays in flight.
#[derive(Debug)]
pub(super) struct QueryActivity {
    is_set: AtomicBool,
    counters: Arc<StoreCounters>,
}

impl QueryActivity {
    pub(super) fn new(counters: Arc<StoreCounters>) -> Self {
        Self { is_set: AtomicBool::new(false), counters }
    }

    /// As [`during`](Self::during), for a statement, which is counted.
    async fn statement<T>(&self, query: impl Future<Output = T>) -> T {
        StoreCounters::count(&self.counters.questions, 1);
        self.during(query).await
    }

    /// Marks a query for as long as its answer is awaited.
    pub(super) async fn during<T>(&self, query: impl Future<Output = T>) -> T {
        self.is_set.store(true, Ordering::Relaxed);
        let answer = query.await;
        self.is_set.store(false, Ordering::Relaxed);
        answer
    }

    pub(super) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }
}

/// A connection that asks in one schema.
pub(super) struct SchemaConnection<'a> {
    pub(super) client: &'a Client,
    pub(super) schema: &'a SchemaName,
    pub(super) under_way: &'a QueryActivity,
}

impl SchemaConnection<'_> {
    pub(super) async fn query(&self, sql: &str, values: QueryValues<'_>) -> Result<Vec<Row>, Error> {
        let sql = self.schema.qualify(sql);
        self.under_way.statement(self.client.query(&*sql, values)).await
    }

    pub(super) async fn query_opt(&self, sql: &str, values: QueryValues<'_>) -> Result<Option<Row>, Error> {
        let sql = self.schema.qualify(sql);
        self.under_way.statement(self.client.query_opt(&*sql, values)).await
    }

    pub(super) async fn execute(&self, sql: &str, values: QueryValues<'_>) -> Result<u64, Error> {
        let sql = self.schema.qualify(sql);
        self.under_way.statement(self.client.execute(&*sql, values)).await
    }

    pub(super) async fn batch_execute(&self, sql: &str) -> Result<(), Error> {
        let sql = self.schema.qualify(sql);
        self.under_way.statement(self.client.batch_execute(&sql)).await
    }
}

/// A transaction that asks in one schema; rolled back when it is dropped.
pub(super) struct SchemaTransaction<'a> {
    pub(super) transaction: Transaction<'a>,
    pub(super) schema: &'a SchemaName,
    pub(super) under_way: &'a QueryActivity,
}

impl SchemaTransaction<'_> {
    pub(super) async fn query_opt(&self, sql: &str, values: QueryValues<'_>) -> Result<Option<Row>, Error> {
        let sql = self.schema.qualify(sql);
        self.under_way.statement(self.transaction.query_opt(&*sql, values)).await
    }

    pub(super) async fn execute(&self, sql: &str, values: QueryValues<'_>) -> Result<u64, Error> {
        let sql = self.schema.qualify(sql);
        self.under_way.statement(self.transaction.execute(&*sql, values)).await
    }

    pub(super) async fn batch_execute(&self, sql: &str) -> Result<(), Error> {
        let sql = self.schema.qualify(sql);
        self.under_way.statement(self.transaction.batch_execute(&sql)).await
    }

    pub(super) async fn commit(self) -> Result<(), Error> {
        self.under_way.during(self.transaction.commit()).await
    }
}

#[cfg(test)]
mod tests;
