//! Creates the tables, or checks those that are there.
//!
//! Must hold: one process at a time; all of a migration or nothing; a schema that is not a store,
//! or is of a newer version, is not changed.

use crate::connect::Link;
use crate::fault::{Trouble, trouble};
use crate::open::PostgresOpenFault;
use crate::rows::get;

/// The number of `schema.sql` and `functions.sql`.
const SCHEMA: i64 = 1;
/// The oldest server that the tests run on.
const SERVER_MIN: i32 = 150_000;

/// What a number adds to the one before it, from 1 on.
const MIGRATIONS: [(i64, &str); 1] =
    [(SCHEMA, concat!(include_str!("schema.sql"), include_str!("functions.sql")))];

pub(crate) async fn migrate(
    link: &Link,
    schema: &str,
    place: &str,
) -> Result<(), PostgresOpenFault> {
    let fault = |trouble: Trouble| PostgresOpenFault::of(place, trouble);
    check_server(link, place).await?;
    // Most processes find everything there, and may lack the right to create anything.
    if version(link, schema, place).await? == Some(SCHEMA) {
        return Ok(());
    }
    link.batch("begin").await.map_err(fault)?;
    let lock = "select pg_advisory_xact_lock(hashtextextended('ghosthand ' || $1, 0))";
    link.query(lock, &[&schema]).await.map_err(fault)?;
    let found = version(link, schema, place).await?.unwrap_or(0);
    if found == 0 {
        let create = format!(
            "create schema if not exists {schema}; \
             create table version (number bigint not null, only_row boolean primary key \
             default true check (only_row)); insert into version (number) values (0)"
        );
        link.batch(&create).await.map_err(fault)?;
    }
    for (number, sql) in MIGRATIONS.iter().filter(|(number, _)| *number > found) {
        link.batch(sql).await.map_err(fault)?;
        link.batch(&format!("update version set number = {number}")).await.map_err(fault)?;
    }
    link.batch("commit").await.map_err(fault)
}

async fn check_server(link: &Link, place: &str) -> Result<(), PostgresOpenFault> {
    let sql = "select current_setting('server_version_num')::int, \
               current_setting('server_version'), current_setting('server_encoding')";
    let row = link.client().query_one(sql, &[]).await;
    let row = row.map_err(|error| PostgresOpenFault::of(place, trouble(&error)))?;
    let read = |trouble| PostgresOpenFault::of(place, Trouble::Fault(trouble));
    let number: i32 = get(&row, 0).map_err(read)?;
    let (version, encoding): (String, String) =
        (get(&row, 1).map_err(read)?, get(&row, 2).map_err(read)?);
    let place = place.to_owned();
    match encoding == "UTF8" {
        _ if number < SERVER_MIN => Err(PostgresOpenFault::OldServer { place, version }),
        false => Err(PostgresOpenFault::Encoding { place, encoding }),
        true => Ok(()),
    }
}

/// The number of the schema; `None` if it has no tables.
async fn version(link: &Link, schema: &str, place: &str) -> Result<Option<i64>, PostgresOpenFault> {
    let fault = |error: tokio_postgres::Error| PostgresOpenFault::of(place, trouble(&error));
    let read = |error| PostgresOpenFault::of(place, Trouble::Fault(error));
    let sql = "select count(*), count(*) filter (where tablename = 'version') \
               from pg_catalog.pg_tables where schemaname = $1";
    let row = link.client().query_one(sql, &[&schema]).await.map_err(fault)?;
    let (tables, versions): (i64, i64) = (get(&row, 0).map_err(read)?, get(&row, 1).map_err(read)?);
    if tables == 0 {
        return Ok(None);
    }
    let not_ours = |because: &str| PostgresOpenFault::NotAStore {
        place: place.to_owned(),
        because: format!("the schema `{schema}` {because}"),
    };
    if versions == 0 {
        return Err(not_ours("has tables of something else"));
    }
    let found = link.client().query_one("select number from version", &[]).await.map_err(fault)?;
    let found: i64 =
        get(&found, 0).map_err(|_| not_ours("has a table `version` that is not ours"))?;
    match found > SCHEMA {
        true => Err(PostgresOpenFault::Newer { place: place.to_owned(), found, known: SCHEMA }),
        false => Ok(Some(found)),
    }
}
