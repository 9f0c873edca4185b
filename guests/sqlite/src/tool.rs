//! The declaration of the guest, and the work of one call.

use std::io::Write;

use guest_kit::{GuestError, ParamKind, GuestToolLevel, ParamNeed, GuestParam, ParamPlace, GuestTool, ArgumentValues};
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::Value;
use rusqlite::{Batch, Connection, OpenFlags, params_from_iter};

use crate::rows::{RowFormat, show};

/// The declaration of the guest.
pub const TOOL: GuestTool = GuestTool {
    name: "sqlite",
    about: "Runs SQL statements on an SQLite database file and shows the rows",
    keywords: "sqlite, sql, database, query, table",
    level: GuestToolLevel::Write,
    params: &[
        GuestParam::position("database", "The database file, or :memory:"),
        GuestParam::position("sql", "One statement or several"),
        GuestParam {
            name: "param",
            about: "A value for a ?: 2 and 2.5 are numbers, everything else is text; cast(? as text) takes 2 as text",
            place: ParamPlace::Long,
            kind: ParamKind::Texts,
            need: ParamNeed::Optional,
        },
        GuestParam::text("form", "How rows are shown").of(ParamKind::Choice(&["json", "table", "csv"])).or("json"),
        GuestParam::number("limit", "1000", "The most rows to show"),
        GuestParam::flag("read_only", "Refuse to change anything").short('r'),
    ],
};

/// Does the work of one call.
///
/// # Errors
///
/// If the database cannot be opened or a statement fails.
pub fn work(values: &ArgumentValues, out: &mut dyn Write) -> Result<(), GuestError> {
    let (path, sql) = (values.need("database")?, values.need("sql")?);
    let open = if values.flag("read_only") {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    } else {
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
    };
    let wrong = |error: rusqlite::Error| GuestError::failed(error.to_string());
    let database = Connection::open_with_flags(path, open | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| GuestError::failed(format!("could not open {path}: {error}")))?;
    // A guest has no shared memory for a journal of the newer kind, and no folder for temporary
    // files.
    database.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF;").map_err(wrong)?;
    let form = match values.need("form")? {
        "table" => RowFormat::Table,
        "csv" => RowFormat::Csv,
        _ => RowFormat::Json,
    };
    let limit = values.number("limit").unwrap_or(usize::MAX);
    let mut batch = Batch::new(&database, sql);
    while let Some(mut statement) = batch.next().map_err(wrong)? {
        let given: Vec<&str> = values.texts("param").collect();
        let wanted = statement.parameter_count();
        if wanted > given.len() {
            return Err(GuestError::Usage(format!(
                "the statement wants {wanted} values and was given {}",
                given.len()
            )));
        }
        let given = params_from_iter(given.into_iter().take(wanted).map(bound));
        if statement.column_count() == 0 {
            let changed = statement.execute(given).map_err(wrong)?;
            writeln!(out, "[{changed} rows changed]").map_err(|error| GuestError::failed(error.to_string()))?;
            continue;
        }
        let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let rows = statement.query(given).map_err(wrong)?;
        show(&names, rows, form, limit, out)?;
    }
    Ok(())
}

/// A parameter with the type that its author means. SQLite never takes the text `2` for the number
/// 2 if a column has no type, and a query for `a = 2` then finds nothing. So a text that is written
/// exactly as SQLite would write a number becomes that number. `007`, `1.50` and `+1` are not, and
/// stay the texts that codes, versions and telephone numbers are. A column that is declared as text
/// turns the number back into the same text.
fn bound(text: &str) -> Value {
    if let Some(number) = text.parse::<i64>().ok().filter(|number| number.to_string() == text) {
        return Value::Integer(number);
    }
    match text.parse::<f64>() {
        Ok(number) if text.contains('.') && number.to_string() == text => Value::Real(number),
        _ => Value::Text(text.to_owned()),
    }
}
