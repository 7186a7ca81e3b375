//! One transaction of many writes: locks, steps and commit.
//!
//! The steps are sent without waiting for each other's answers; the commit is sent when all
//! answers are known, so that a connection that is lost before it has written nothing.

use store::{BoxFuture, Json, Key, Limits, ListEdit, ListEditResult, Revision, StoreFault};
use store::{LogName, submit_all};
use tokio_postgres::Statement;
use tokio_postgres::types::ToSql;

use super::{Lock, Order, Outcome, Step};
use crate::connect::{Committed, Link, Param};
use crate::fault::Trouble;
use crate::rows;

/// How a transaction ended.
pub(super) enum Ended {
    Committed(Vec<Outcome>),
    /// For certain.
    NotWritten(Trouble),
    Unsure(String),
}

pub(super) async fn run(link: &Link, orders: &[Order], limits: &Limits) -> Ended {
    let outcomes = match steps(link, orders, limits).await {
        Ok(outcomes) => outcomes,
        Err(trouble) => return Ended::NotWritten(trouble),
    };
    match link.commit().await {
        Committed::Yes => Ended::Committed(outcomes),
        Committed::RolledBack(because) => Ended::NotWritten(Trouble::Repeat(because)),
        Committed::Unsure(because) => Ended::Unsure(because),
    }
}

async fn steps(link: &Link, orders: &[Order], limits: &Limits) -> Result<Vec<Outcome>, Trouble> {
    let begin_sql = "select begin_batch($1, $2)";
    let mut statements: Vec<Option<Statement>> = Vec::with_capacity(orders.len());
    for order in orders {
        statements.push(match &order.step {
            Step::Call { sql, .. } => Some(link.statement(sql).await?),
            Step::Edit { .. } => None,
        });
    }
    let begin_batch = link.statement(begin_sql).await?;
    let end_batch = link.statement("select end_batch()").await?;
    let has_keys = orders.iter().any(|order| matches!(order.lock, Lock::Keys));
    let locks: Vec<Param> = vec![Box::new(has_keys), Box::new(logs_of(orders))];

    let mut outcomes = Vec::with_capacity(orders.len());
    let mut rest = orders.iter().zip(&statements).peekable();
    let mut is_first = true;
    loop {
        // All calls up to the next edit of a list go out together.
        let mut sent: Vec<BoxFuture<'_, Result<Option<Outcome>, Trouble>>> = Vec::new();
        if is_first {
            sent.push(Box::pin(async { link.batch("begin").await.map(|()| None) }));
            sent.push(Box::pin(async {
                link.query_prepared(&begin_batch, &locks).await.map(|_| None)
            }));
            is_first = false;
        }
        while let Some((order, Some(statement))) = rest.peek().copied() {
            if let Step::Call { params, .. } = &order.step {
                sent.push(Box::pin(async move {
                    let rows = link.query_prepared(statement, params).await?;
                    Ok(Some(Outcome::Rows(rows)))
                }));
            }
            rest.next();
        }
        let edit = rest.next();
        if edit.is_none() && has_keys {
            sent.push(Box::pin(async { link.query_prepared(&end_batch, &[]).await.map(|_| None) }));
        }
        for answer in submit_all(sent).await {
            outcomes.extend(answer?);
        }
        match edit {
            Some((Order { step: Step::Edit { key, edit, now }, .. }, _)) => {
                outcomes.push(Outcome::Edited(edit_list(link, key, edit, *now, limits).await?));
            }
            Some((Order { step: Step::Call { .. }, .. }, _)) => {}
            None => return Ok(outcomes),
        }
    }
}

/// The logs that are appended to, each once.
fn logs_of(orders: &[Order]) -> Vec<String> {
    let name = |order: &Order| match &order.lock {
        Lock::Log(log) => Some(LogName::as_str(log).to_owned()),
        Lock::Keys | Lock::Rows => None,
    };
    let mut logs: Vec<String> = orders.iter().filter_map(name).collect();
    logs.sort_unstable();
    logs.dedup();
    logs
}

/// The row of revisions is held, so nobody writes between the two calls.
async fn edit_list(
    link: &Link,
    key: &Key,
    edit: &ListEdit,
    now: Option<i64>,
    limits: &Limits,
) -> Result<Result<ListEditResult, StoreFault>, Trouble> {
    let before = link.query(crate::kv::GET, &[&key.as_str(), &now]).await?;
    let before = before.first();
    let damaged = Trouble::Fault;
    let value: Option<Json> = before.map(|row| rows::json(row, 1)).transpose().map_err(damaged)?;
    let change = match edit.apply(key, value.as_ref(), limits) {
        Ok(change) => change,
        Err(fault) => return Ok(Err(fault)),
    };
    let revision = match &change.write {
        Some(value) => {
            let until: Option<i64> =
                before.map(|row| rows::get(row, 3)).transpose().map_err(damaged)?.flatten();
            let params: [&(dyn ToSql + Sync); 3] = [&key.as_str(), &value.as_str(), &until];
            let put = link.query("select kv_put($1, $2, $3)", &params).await?;
            Some(rows::number(rows::only(&put).map_err(damaged)?, 0).map_err(damaged)?)
        }
        None => before.map(|row| rows::number(row, 2)).transpose().map_err(damaged)?,
    };
    let revision = revision.map(Revision);
    Ok(Ok(ListEditResult { taken: change.taken, len: change.len, revision }))
}
