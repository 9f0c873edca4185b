//! Formats rows as text.

use std::io::Write;

use guest_kit::GuestError;
use rusqlite::Rows;
use rusqlite::types::ValueRef;
use serde_json::{Map, Value};

/// The output format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowFormat {
    /// An object a line.
    Json,
    /// Columns that are aligned.
    Table,
    /// Values with commas between.
    Csv,
}

/// The widest column of a table.
const MAX_WIDTH: usize = 60;

/// Shows at most so many rows, and reports if there are more.
pub(crate) fn show(
    names: &[String],
    mut rows: Rows<'_>,
    form: RowFormat,
    limit: usize,
    out: &mut dyn Write,
) -> Result<(), GuestError> {
    let failed = |error: rusqlite::Error| GuestError::failed(error.to_string());
    let mut lines: Vec<Vec<Value>> = Vec::new();
    let mut more = false;
    while let Some(row) = rows.next().map_err(failed)? {
        if lines.len() >= limit {
            more = true;
            break;
        }
        let cells = (0..names.len()).map(|index| row.get_ref(index).map(value));
        lines.push(cells.collect::<Result<_, _>>().map_err(failed)?);
    }
    let text = match form {
        RowFormat::Json => lines.iter().map(|line| object(names, line) + "\n").collect(),
        RowFormat::Csv => csv(names, &lines),
        RowFormat::Table => table(names, &lines),
    };
    let note = if more { format!("[cut after {limit} rows; there are more]\n") } else { String::new() };
    write!(out, "{text}{note}").map_err(|error| GuestError::failed(error.to_string()))
}

fn value(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(bytes) => format!("[{} bytes]", bytes.len()).into(),
    }
}

fn object(names: &[String], line: &[Value]) -> String {
    let map: Map<String, Value> = names.iter().cloned().zip(line.iter().cloned()).collect();
    Value::Object(map).to_string()
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn csv(names: &[String], lines: &[Vec<Value>]) -> String {
    let cell = |text: String| {
        if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
    };
    let head = names.iter().cloned().map(cell).collect::<Vec<_>>().join(",");
    let rows =
        lines.iter().map(|line| line.iter().map(|value| cell(plain(value))).collect::<Vec<_>>().join(","));
    std::iter::once(head).chain(rows).map(|line| line + "\n").collect()
}

fn table(names: &[String], lines: &[Vec<Value>]) -> String {
    let cut = |text: String| text.replace('\n', " ").chars().take(MAX_WIDTH).collect::<String>();
    let rows: Vec<Vec<String>> = std::iter::once(names.to_vec())
        .chain(lines.iter().map(|line| line.iter().map(|value| cut(plain(value))).collect()))
        .collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(text, width)| format!("{text:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}
