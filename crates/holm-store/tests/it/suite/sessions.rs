//! What people ask about sessions.

use holm_kernel::{NanoUsd, Seq, Timestamp, Usage, journal};
use holm_runtime::{BlobStore as _, Durability, JournalStorageError, JournalStore as _};
use holm_store::{
    MasterKey, RetentionPolicy, SessionFileFormat, SessionOrder, SessionQuery, SessionSort, Store,
    StoreError, StoreOptions, TextKind, UsageGrouping, UsageQuery, UsageSubject, UtcDay,
};

use super::{
    Place,
    script::{DAY, Script, session},
};

async fn keep(store: &Store, id: &str, script: &Script) {
    let mut journal = store.create(id).await.unwrap();
    journal.append(&script.text(), Durability::Written).await.unwrap();
}

async fn ids(store: &Store, wanted: &SessionQuery) -> Vec<String> {
    store.list(wanted).await.unwrap().sessions.into_iter().map(|session| session.run).collect()
}

pub(crate) async fn sessions_are_listed_page_by_page(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    // Made in one order, used in another.
    for (id, day) in [("a", 3), ("b", 1), ("c", 5), ("d", 2), ("e", 4)] {
        keep(&store, id, Script::at(id, day * DAY).prompt("hello")).await;
    }
    let by_use = SessionQuery { limit: Some(2), ..SessionQuery::default() };
    let mut seen = Vec::new();
    let mut wanted = by_use.clone();
    loop {
        let page = store.list(&wanted).await.unwrap();
        assert!(page.sessions.len() <= 2);
        seen.extend(page.sessions.into_iter().map(|session| session.run));
        let Some(next) = page.next else { break };
        wanted.after = Some(next.to_string().parse().unwrap());
    }
    assert_eq!(seen, ["c", "e", "a", "d", "b"]);
    let all = |sort, order| SessionQuery { sort, order, ..SessionQuery::default() };
    assert_eq!(
        ids(&store, &all(SessionSort::Updated, SessionOrder::OldestFirst)).await,
        ["b", "d", "a", "e", "c"]
    );
    assert_eq!(
        ids(&store, &all(SessionSort::Created, SessionOrder::OldestFirst)).await,
        ["a", "b", "c", "d", "e"]
    );
    assert_eq!(
        ids(&store, &all(SessionSort::Created, SessionOrder::NewestFirst)).await,
        ["e", "d", "c", "b", "a"]
    );

    let mut script = Script::at("b", DAY);
    script.prompt("hello").later(9 * DAY).answer("late");
    let mut opened = store.open("b").await.unwrap();
    opened.journal.append(&script.lines[2], Durability::Written).await.unwrap();
    assert_eq!(ids(&store, &by_use).await, ["b", "c"], "a session that moves moves up at once");
    let session = store.session("b").await.unwrap();
    assert_eq!((session.records, session.updated.value()), (3, 10 * DAY + 2));
    assert_eq!((session.agent.as_str(), session.model.as_str()), ("tester", "test/one"));
}

pub(crate) async fn a_title_is_the_first_prompt_until_somebody_gives_one(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    keep(&store, "one", Script::new("one").prompt("\n  Find the bug\nand mend it").answer("done")).await;
    keep(&store, "two", &Script::new("two")).await;
    assert_eq!(store.session("one").await.unwrap().title, "Find the bug");
    assert_eq!(store.session("two").await.unwrap().title, "");
    store.rename("one", Some("The parser's bug")).await.unwrap();
    assert_eq!(store.session("one").await.unwrap().title, "The parser's bug");
    store.rename("one", None).await.unwrap();
    assert_eq!(store.session("one").await.unwrap().title, "Find the bug");
    assert!(matches!(store.rename("one", Some("two\nlines")).await, Err(StoreError::BadLabel { .. })));
    assert!(matches!(store.rename("none", Some("x")).await, Err(StoreError::Missing { .. })));
}

pub(crate) async fn tags_are_put_on_and_taken_off(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    for id in ["one", "two"] {
        keep(&store, id, Script::new(id).prompt("hello")).await;
    }
    for tag in ["work", "a tag", "work"] {
        store.tag("one", tag).await.unwrap();
    }
    assert_eq!(store.session("one").await.unwrap().tags, ["a tag", "work"]);
    let tagged = SessionQuery { tag: Some("work".into()), ..SessionQuery::default() };
    assert_eq!(ids(&store, &tagged).await, ["one"]);
    store.untag("one", "work").await.unwrap();
    store.untag("one", "never there").await.unwrap();
    assert!(ids(&store, &tagged).await.is_empty());
    assert!(matches!(store.tag("one", "a\nb").await, Err(StoreError::BadLabel { .. })));
    assert!(matches!(store.tag("none", "work").await, Err(StoreError::Missing { .. })));
}

pub(crate) async fn words_are_found_in_prompts_answers_calls_and_results(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    keep(
        &store,
        "one",
        &session("one", "Where is Gr\u{fc}nwald?", "a village; 100% \"safe_here\"", "In the south"),
    )
    .await;
    keep(&store, "two", &session("two", "More SOUTH", "nothing", "ok then")).await;
    let found = async |query: &str| -> Vec<(String, u64, TextKind)> {
        let hits = store.search(query, 10).await.unwrap();
        hits.into_iter().map(|hit| (hit.run, hit.seq.value(), hit.kind)).collect()
    };
    let hit = |run: &str, seq, kind| (run.to_owned(), seq, kind);
    assert_eq!(found("gr\u{dc}nwald").await, [hit("one", 1, TextKind::Prompt)]);
    assert_eq!(found("nwal").await, [hit("one", 1, TextKind::Prompt)], "a part of a word");
    assert_eq!(found("village").await, [hit("one", 4, TextKind::Tool)]);
    assert_eq!(found("\"where\"").await.len(), 3, "prompt of one, and the arguments of both calls");
    assert_eq!(
        found("south").await,
        [hit("two", 1, TextKind::Prompt), hit("one", 5, TextKind::Answer)],
        "the latest run first"
    );
    assert_eq!(found("the south").await, [hit("one", 5, TextKind::Answer)], "every word");
    assert_eq!(found("\"the south\"").await, [hit("one", 5, TextKind::Answer)]);
    for nothing in ["\"south the\"", "elsewhere", "100_", "s_fe_here", "vill*", "village NOT there", ""] {
        assert!(found(nothing).await.is_empty(), "{nothing}");
    }
    assert_eq!(found("100%").await, [hit("one", 4, TextKind::Tool)], "no letter has a meaning of its own");
    assert_eq!(store.search("of", 10).await, Err(StoreError::TooShort { term: "of".into() }));
    assert_eq!(store.search("south", 1).await.unwrap().len(), 1);
    let excerpt = &store.search("village", 1).await.unwrap()[0].excerpt;
    assert_eq!(excerpt, "a village; 100% \"safe_here\"");
}

pub(crate) async fn what_came_since_the_last_search_is_found_too(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let mut script = Script::new("one");
    script.prompt("first things first");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.text(), Durability::Written).await.unwrap();
    assert_eq!(store.search("things", 9).await.unwrap().len(), 1);
    let known = script.lines.len();
    script.answer("second things second");
    journal.append(&script.lines[known..].concat(), Durability::Written).await.unwrap();
    let hits = store.search("things", 9).await.unwrap();
    assert_eq!(hits.iter().map(|hit| hit.seq).collect::<Vec<_>>(), [Seq::new(2), Seq::new(1)]);
    drop(journal);
    assert_eq!(store.search("things", 9).await.unwrap().len(), 2, "nothing twice");
}

pub(crate) async fn an_export_is_imported_to_the_byte(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello \u{1f600}", "out", "answer");
    keep(&store, "one", &script).await;
    let text = store.export("one", SessionFileFormat::JsonLines).await.unwrap();
    assert_eq!(text, script.text().as_bytes());
    assert_eq!(store.import(&text, Some("copy")).await.unwrap(), "copy");
    assert_eq!(store.read("copy").await.unwrap(), text);
    assert_eq!(store.session("copy").await.unwrap().title, "hello \u{1f600}");
    // It is a run like any other.
    let mut opened = store.open("copy").await.unwrap();
    let mut more = session("one", "hello \u{1f600}", "out", "answer");
    more.prompt("more");
    opened.journal.append(more.lines.last().unwrap(), Durability::Synced).await.unwrap();
    assert_eq!(store.read("copy").await.unwrap(), more.text().as_bytes());
}

pub(crate) async fn a_journal_that_was_changed_is_not_imported(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "answer");
    let text = script.text();
    let swapped = [&script.lines[0], &script.lines[2], &script.lines[1]].map(String::as_str).concat();
    let damaged = [
        text.replacen("hello", "hullo", 1),
        text[..text.len() - 3].to_owned(),
        swapped,
        script.lines[1..].concat(),
        "no journal\n".to_owned(),
    ];
    for text in damaged {
        let refused = store.import(text.as_bytes(), None).await;
        assert!(matches!(refused, Err(StoreError::NotAJournal(_))), "{refused:?}");
        let cause = refused.as_ref().err().and_then(std::error::Error::source);
        assert!(cause.is_none(), "what is wrong is said once: {refused:?}");
    }
    assert!(matches!(store.import(b"", None).await, Err(StoreError::NotStarted { .. })));
    assert!(matches!(store.import(text.as_bytes(), Some("../x")).await, Err(StoreError::BadName { .. })));
    assert!(store.list(&SessionQuery::default()).await.unwrap().sessions.is_empty());
}

pub(crate) async fn an_import_never_writes_over_a_run(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let text = session("one", "hello", "out", "answer").text();
    assert_eq!(store.import(text.as_bytes(), None).await.unwrap(), "one");
    assert_eq!(store.import(text.as_bytes(), None).await, Err(StoreError::Exists { run: "one".into() }));
    store.erase("one").await.unwrap();
    assert_eq!(store.import(text.as_bytes(), None).await, Err(StoreError::Erased { run: "one".into() }));
    assert_eq!(store.import(text.as_bytes(), Some("restored")).await.unwrap(), "restored");
}

pub(crate) async fn a_session_reads_as_markdown(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    keep(&store, "one", &session("one", "# Hello", "```\ncode\n```", "Done.")).await;
    store.tag("one", "demo").await.unwrap();
    let text = String::from_utf8(store.export("one", SessionFileFormat::Markdown).await.unwrap()).unwrap();
    let expect = "# # Hello\n\n- run: `one`\n- agent: tester\n- model: test/one\n- records: 6, last on 2024-10-04\n\
        - tags: demo\n\n## Prompt 1\n\n> # Hello\n\n## Answer\n\n\n### Call of `look`\n\n```\n{\"where\":\"here\"}\n```\n\n\
        ### Result\n\n````\n```\ncode\n```\n````\n\n## Answer\n\n> Done.\n";
    assert_eq!(text, expect);
}

/// Three sessions over two days, one of them still open.
async fn used(store: &Store) -> Vec<Script> {
    let mut scripts = Vec::new();
    for (index, id) in ["one", "two", "three"].into_iter().enumerate() {
        let mut script = Script::at(id, 20_000 * DAY + DAY / 2);
        script.prompt("go").tool("look", "{}", "some output");
        if index > 0 {
            script.later(DAY).tool("search", "{}", "more");
        }
        script.answer("done");
        keep(store, id, &script).await;
        scripts.push(script);
    }
    scripts
}

pub(crate) async fn usage_is_what_the_kernel_counted(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let scripts = used(&store).await;
    let all = UsageQuery::default();
    for (script, line) in scripts.iter().zip({
        let mut lines = store.usage(UsageGrouping::Session, &all).await.unwrap();
        lines.sort_by_key(|line| ["one", "two", "three"].iter().position(|id| *id == line.name));
        lines
    }) {
        assert_eq!(line.tally.tokens, script.run().usage(), "{}", line.name);
        assert_eq!(line.tally.cost, script.run().spent(), "{}", line.name);
    }
    let models = store.usage(UsageGrouping::Model, &all).await.unwrap();
    assert_eq!(models.len(), 1);
    let total = models[0].tally;
    assert_eq!((models[0].name.as_str(), total.calls, total.unpriced), ("test/one", 8, 0));
    assert_eq!(total.tokens, Usage { input: 8_000, output: 800, ..Usage::default() });
    assert_eq!(total.cost, NanoUsd::new(8 * 4_500_000));
    let tools = store.usage(UsageGrouping::Tool, &all).await.unwrap();
    let calls: Vec<_> = tools.iter().map(|line| (line.name.as_str(), line.tally.calls)).collect();
    assert_eq!(calls, [("look", 3), ("search", 2)]);
    let days = store.usage(UsageGrouping::Day, &all).await.unwrap();
    let calls: Vec<_> = days.iter().map(|line| (line.name.as_str(), line.tally.calls)).collect();
    assert_eq!(calls, [("2024-10-04", 4), ("2024-10-05", 4)]);
    let agents = store.usage(UsageGrouping::Agent, &all).await.unwrap();
    assert_eq!((agents.len(), agents[0].tally), (1, total), "all three are of one agent");
    let later = UsageQuery { since: Some(UtcDay::new(20_001)), run: Some("two".into()), until: None };
    assert_eq!(store.usage(UsageGrouping::Model, &later).await.unwrap()[0].tally.calls, 2);
    let never = UsageQuery { until: Some(UtcDay::new(1)), ..UsageQuery::default() };
    assert!(store.usage(UsageGrouping::Model, &never).await.unwrap().is_empty());
}

pub(crate) async fn usage_can_be_computed_again_and_is_the_same(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let scripts = used(&store).await;
    let all = UsageQuery::default();
    let before = store.usage(UsageGrouping::Tool, &all).await.unwrap();
    for (id, script) in ["one", "two", "three"].into_iter().zip(&scripts) {
        let folded = store.fold_usage(id).await.unwrap();
        assert_eq!(folded.understood, script.lines.len() as u64);
        let tokens = folded.entries.iter().fold(Usage::default(), |sum, entry| sum.plus(entry.tally.tokens));
        assert_eq!(tokens, script.run().usage());
        // What the tables say is what the fold says, entry by entry.
        for entry in &folded.entries {
            let (by, name) = match &entry.subject {
                UsageSubject::Model(name) => (UsageGrouping::Model, name),
                UsageSubject::Tool(name) => (UsageGrouping::Tool, name),
            };
            let day = UsageQuery { run: Some(id.into()), since: Some(entry.day), until: Some(entry.day) };
            let lines = store.usage(by, &day).await.unwrap();
            assert!(lines.iter().any(|line| &line.name == name && line.tally == entry.tally), "{entry:?}");
        }
    }
    store.rebuild().await.unwrap();
    assert_eq!(store.usage(UsageGrouping::Tool, &all).await.unwrap(), before);
    assert_eq!(store.search("output", 9).await.unwrap().len(), 3);
    assert_eq!(store.session("one").await.unwrap().title, "go");
}

pub(crate) async fn an_erased_session_is_gone_and_its_name_stays_taken(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello there", "some output", "answer");
    keep(&store, "one", &script).await;
    keep(&store, "two", &session("two", "hello there", "out", "answer")).await;
    store.tag("one", "work").await.unwrap();
    assert_eq!(store.search("hello", 9).await.unwrap().len(), 2);
    let erased = store.erase("one").await.unwrap();
    let records = journal::decode_strict(script.text().as_bytes()).unwrap();
    assert_eq!(erased.records, records.len() as u64);
    assert_eq!(erased.chain, records.last().unwrap().head().chain.to_string());
    assert_eq!(store.read("one").await, Err(JournalStorageError::Missing { run: "one".into() }));
    assert_eq!(store.erase("one").await, Err(StoreError::Missing { run: "one".into() }));
    assert_eq!(ids(&store, &SessionQuery::default()).await, ["two"]);
    assert_eq!(store.search("hello", 9).await.unwrap().len(), 1);
    let sessions = store.usage(UsageGrouping::Session, &UsageQuery::default()).await.unwrap();
    assert_eq!(sessions.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["two"]);
    assert!(matches!(store.create("one").await.map(|_| ()), Err(JournalStorageError::BadName { .. })));
}

pub(crate) async fn retention_keeps_what_it_is_told_to(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    for day in 1..=6 {
        let id = format!("day-{day}");
        keep(&store, &id, Script::at(&id, day * DAY).prompt("hello")).await;
    }
    store.tag("day-1", "keep").await.unwrap();
    let driven = store.open("day-2").await.unwrap();
    let policy = RetentionPolicy {
        older_than: Some(Timestamp::new(4 * DAY)),
        keep_latest: Some(2),
        keep_tag: Some("keep".into()),
    };
    let unkept: Vec<_> = store.unkept(&policy).await.unwrap().into_iter().map(|one| one.run).collect();
    assert_eq!(unkept, ["day-2", "day-3", "day-4"]);
    let erased: Vec<_> = store.retain(&policy).await.unwrap().into_iter().map(|one| one.run).collect();
    assert_eq!(erased, ["day-3", "day-4"], "what is driven stays");
    drop(driven);
    assert_eq!(ids(&store, &SessionQuery::default()).await, ["day-6", "day-5", "day-2", "day-1"]);
    assert!(store.retain(&RetentionPolicy::default()).await.unwrap().is_empty(), "no rule, no loss");
}

pub(crate) async fn an_encrypted_store_does_the_same_and_tells_nothing(place: &dyn Place) {
    let store = place.open(StoreOptions::new().key(MasterKey::new([7; 32]))).await;
    let mut script = session("one", "hello there", "some output", "answer");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    journal.append(&script.lines[1..].concat(), Durability::Written).await.unwrap();
    journal.keep_snapshot(script.snapshot().as_bytes()).await.unwrap();
    drop(journal);
    let text: Vec<u8> = (0..60_000_u32).flat_map(u32::to_be_bytes).collect();
    let digest = store.put("one", &text).await.unwrap();
    assert_eq!(store.get(&digest, 65_000..140_000).await.unwrap(), &text[65_000..140_000]);
    assert_eq!(store.get(&digest, 0..u64::MAX).await.unwrap(), text);
    assert_eq!(store.read("one").await.unwrap(), script.text().as_bytes());
    assert_eq!(store.session("one").await.unwrap().title, "hello there");
    store.rename("one", Some("a name")).await.unwrap();
    assert_eq!(store.session("one").await.unwrap().title, "a name");
    let hits = store.search("OUTPUT", 9).await.unwrap();
    assert_eq!(
        hits.iter().map(|hit| (hit.seq.value(), hit.excerpt.as_str())).collect::<Vec<_>>(),
        [(4, "some output")]
    );
    assert_eq!(store.usage(UsageGrouping::Model, &UsageQuery::default()).await.unwrap()[0].tally.calls, 2);
    let again = place.open(StoreOptions::new().key(MasterKey::new([7; 32]))).await;
    drop(store);
    let mut opened = again.open("one").await.unwrap();
    assert_eq!(opened.text, script.lines.last().unwrap().as_bytes());
    assert_eq!(opened.snapshot.unwrap().encode(), script.snapshot());
    assert_eq!(again.read("one").await.unwrap(), script.text().as_bytes());
    script.prompt("more");
    opened.journal.append(script.lines.last().unwrap(), Durability::Synced).await.unwrap();
    drop(opened.journal);
    again.import(script.text().as_bytes(), Some("copy")).await.unwrap();
    assert_eq!(again.export("copy", SessionFileFormat::JsonLines).await.unwrap(), script.text().as_bytes());
    again.erase("one").await.unwrap();
    assert!(again.get(&digest, 0..1).await.is_err());
}

pub(crate) async fn a_store_is_opened_with_its_own_key_only(place: &dyn Place) {
    let key = |byte| StoreOptions::new().key(MasterKey::new([byte; 32]));
    drop(place.open(key(1)).await);
    assert_eq!(place.try_open(key(2)).await.map(|_| ()), Err(StoreError::WrongKey));
    assert_eq!(place.try_open(StoreOptions::new()).await.map(|_| ()), Err(StoreError::KeyNeeded));
    assert!(place.try_open(key(1)).await.is_ok());
}
