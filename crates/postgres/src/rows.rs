//! Reads the columns of rows, and turns our numbers into PostgreSQL's.

use std::str::FromStr;
use std::time::Duration;

use store::{BadName, Json, Prefix, StoreFault, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

/// A number for a parameter. What is larger than PostgreSQL can hold exists nowhere.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A span in milliseconds, rounded up, so that nothing ends early.
pub(crate) fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX)
}

pub(crate) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T, StoreFault> {
    row.try_get(column).map_err(|error| StoreFault::Damaged { because: error.to_string() })
}

pub(crate) fn number(row: &Row, column: usize) -> Result<u64, StoreFault> {
    Ok(unsigned(get(row, column)?))
}

pub(crate) fn optional_number(row: &Row, column: usize) -> Result<Option<u64>, StoreFault> {
    Ok(get::<Option<i64>>(row, column)?.map(unsigned))
}

pub(crate) fn small_number(row: &Row, column: usize) -> Result<u32, StoreFault> {
    Ok(u32::try_from(number(row, column)?).unwrap_or(u32::MAX))
}

pub(crate) fn moment(row: &Row, column: usize) -> Result<Timestamp, StoreFault> {
    Ok(Timestamp::from_millis(number(row, column)?))
}

pub(crate) fn optional_moment(row: &Row, column: usize) -> Result<Option<Timestamp>, StoreFault> {
    Ok(optional_number(row, column)?.map(Timestamp::from_millis))
}

pub(crate) fn name<T: FromStr<Err = BadName>>(row: &Row, column: usize) -> Result<T, StoreFault> {
    parsed(get(row, column)?)
}

pub(crate) fn optional_name<T: FromStr<Err = BadName>>(
    row: &Row,
    column: usize,
) -> Result<Option<T>, StoreFault> {
    get::<Option<&str>>(row, column)?.map(parsed).transpose()
}

/// It was checked when it was written.
pub(crate) fn json(row: &Row, column: usize) -> Result<Json, StoreFault> {
    Ok(Json::trusted(get(row, column)?))
}

/// The only row of a call that always gives one.
pub(crate) fn only(rows: &[Row]) -> Result<&Row, StoreFault> {
    rows.first().ok_or_else(|| StoreFault::Damaged { because: "a row is missing".to_owned() })
}

/// The range of names under a prefix, after the last one seen.
pub(crate) fn bounds(prefix: &Prefix, after: Option<&str>) -> (String, String) {
    // Names contain no control characters, so this is the first text after the last one seen.
    let after = after.map(|after| format!("{after}\u{1}")).unwrap_or_default();
    // Longer than any name, of the greatest character.
    let end = prefix.end().unwrap_or_else(|| "\u{10ffff}".repeat(Prefix::BYTES_MAX / 4 + 1));
    (after.max(prefix.as_str().to_owned()), end)
}

fn parsed<T: FromStr<Err = BadName>>(text: &str) -> Result<T, StoreFault> {
    text.parse().map_err(|bad: BadName| StoreFault::Damaged { because: bad.to_string() })
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
