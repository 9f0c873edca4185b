use crate::{TOOL, work};

fn ask(database: &str, options: &[&str], sql: &str) -> Result<String, String> {
    let line = options.iter().copied().chain([database, sql]).map(str::to_owned);
    let mut out = Vec::new();
    TOOL.call(line).and_then(|values| work(&values, &mut out)).map_err(|fault| fault.to_string())?;
    Ok(String::from_utf8(out).unwrap())
}

#[track_caller]
fn check(options: &[&str], sql: &str, expect: Result<&str, &str>) {
    let answer = ask(":memory:", options, sql);
    assert_eq!(answer.as_deref().map_err(String::as_str), expect, "{sql}");
}

#[test]
fn rows_are_shown_in_three_forms() {
    let sql = "create table t(a, b); insert into t values (1, 'x,y'), (null, 2.5); select * from t";
    let changed = "[0 rows changed]\n[2 rows changed]\n";
    check(&[], sql, Ok(&format!("{changed}{{\"a\":1,\"b\":\"x,y\"}}\n{{\"a\":null,\"b\":2.5}}\n")));
    check(&["--form=csv"], sql, Ok(&format!("{changed}a,b\n1,\"x,y\"\n,2.5\n")));
    check(&["--form=table"], sql, Ok(&format!("{changed}a  b\n1  x,y\n   2.5\n")));
}

#[test]
fn values_are_bound_and_rows_are_bounded() {
    check(&["--param", "it's"], "select ? as t", Ok("{\"t\":\"it's\"}\n"));
    check(&[], "select ?", Err("the statement wants 1 values and was given 0"));
    let many = "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n";
    check(&["--limit=2"], many, Ok("{\"i\":1}\n{\"i\":2}\n[cut after 2 rows; there are more]\n"));
}

#[test]
fn a_file_lasts_and_can_be_protected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db").to_str().unwrap().to_owned();
    assert!(ask(&path, &[], "create table t(a); insert into t values (7)").is_ok());
    assert_eq!(ask(&path, &["-r"], "select a from t").as_deref(), Ok("{\"a\":7}\n"));
    assert!(ask(&path, &["-r"], "delete from t").unwrap_err().contains("readonly"));
    assert!(ask(&path, &[], "select * from none").unwrap_err().contains("no such table"));
}

#[test]
fn a_number_finds_numbers_and_a_text_finds_texts() {
    let table = "create table t(any_, n integer, r real, s text); insert into t values (2, 2, 2.5, '2'), ('x', 7, 1.5, '007');";
    let find = |column: &str, value: &str| {
        let sql = format!("{table} select count(*) as c from t where {column} = ?");
        let answer = ask(":memory:", &["--param", value], &sql).unwrap();
        answer.lines().last().unwrap_or_default().to_owned()
    };
    for (column, value, found) in [
        ("any_", "2", 1),
        ("any_", "x", 1),
        ("n", "2", 1),
        ("n", "02", 1),
        ("r", "2.5", 1),
        ("r", "2.50", 1),
        ("s", "2", 1),
        ("s", "007", 1),
        ("s", "7", 0),
        ("any_", "02", 0),
    ] {
        assert_eq!(find(column, value), format!("{{\"c\":{found}}}"), "{column} = {value}");
    }
    for (value, kind) in [
        ("2", "integer"),
        ("-7", "integer"),
        ("2.5", "real"),
        ("007", "text"),
        ("1.50", "text"),
        ("1e5", "text"),
        ("+1", "text"),
        ("", "text"),
        ("nan", "text"),
        ("99999999999999999999", "text"),
    ] {
        check(&["--param", value], "select typeof(?) as t", Ok(&format!("{{\"t\":\"{kind}\"}}\n")));
    }
    check(&["--param", "2"], "select typeof(cast(? as text)) as t", Ok("{\"t\":\"text\"}\n"));
}
