//! Maps errors of SQLite to [`StoreFault`].

use std::str::FromStr;

use rusqlite::types::ValueRef;
use rusqlite::{Error, ErrorCode, Row};

use crate::fault::StoreFault;
use crate::json::Json;
use crate::name::BadName;

impl From<Error> for StoreFault {
    fn from(error: Error) -> Self {
        let because = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { because },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { because },
            Some(_) => Self::Unusable { because },
            // Not from SQLite but from reading a row: a value of the wrong type.
            None => Self::Damaged { because },
        }
    }
}

/// The name in a column.
pub(super) fn name_in<T: FromStr<Err = BadName>>(
    row: &Row<'_>,
    column: usize,
) -> Result<T, StoreFault> {
    let text = row.get_ref(column)?.as_str().map_err(Error::from)?;
    text.parse().map_err(|bad: BadName| StoreFault::Damaged { because: bad.to_string() })
}

/// The name in a column that may be empty.
pub(super) fn optional_name_in<T: FromStr<Err = BadName>>(
    row: &Row<'_>,
    column: usize,
) -> Result<Option<T>, StoreFault> {
    match row.get_ref(column)? == ValueRef::Null {
        true => Ok(None),
        false => name_in(row, column).map(Some),
    }
}

/// The JSON in a column. It was checked when it was written; `check` validates it again.
pub(super) fn json_in(row: &Row<'_>, column: usize) -> Result<Json, StoreFault> {
    Ok(Json::trusted(row.get(column)?))
}
