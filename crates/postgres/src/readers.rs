//! A pool of connections for reads. A read that loses its connection is repeated.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use store::StoreFault;
use tokio::sync::Semaphore;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::connect::{Connector, Link};
use crate::fault::Trouble;
use crate::retry::Retry;

/// A pool of connections, opened when first needed.
pub(crate) struct Readers {
    connector: Arc<Connector>,
    /// How many reads may run; the others wait here.
    permits: Semaphore,
    /// Idle connections. Locked to take one or return one.
    idle: Mutex<Vec<Link>>,
    patience: Duration,
}

impl Readers {
    pub(crate) fn new(connector: Arc<Connector>, readers_max: usize, patience: Duration) -> Self {
        let permits = Semaphore::new(readers_max.max(1));
        Self { connector, permits, idle: Mutex::default(), patience }
    }

    /// Runs one statement: one moment of the database.
    pub(crate) async fn rows(
        &self,
        sql: &'static str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, StoreFault> {
        self.read(sql, Params::Prepared(params)).await
    }

    /// The same without a prepared statement: planned anew for these parameters.
    pub(crate) async fn rows_planned(
        &self,
        sql: &'static str,
        params: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, StoreFault> {
        self.read(sql, Params::Planned(params)).await
    }

    async fn read(&self, sql: &'static str, params: Params<'_>) -> Result<Vec<Row>, StoreFault> {
        let permit = tokio::time::timeout(self.patience, self.permits.acquire()).await;
        let busy = || StoreFault::Busy { because: "all connections are in use".to_owned() };
        let _permit = permit.map_err(|_| busy())?.map_err(|_| StoreFault::Closed)?;
        let mut retry = Retry::within(self.patience);
        loop {
            let trouble = match self.take().await {
                Ok(link) => match params.run(&link, sql).await {
                    Ok(rows) => {
                        self.idle().push(link);
                        return Ok(rows);
                    }
                    Err(trouble @ Trouble::Lost(_)) => {
                        // The idle ones went the same way.
                        self.idle().clear();
                        trouble
                    }
                    Err(trouble @ (Trouble::Repeat(_) | Trouble::Fault(_))) => {
                        self.idle().push(link);
                        trouble
                    }
                },
                Err(trouble) => trouble,
            };
            retry.pause(trouble).await?;
        }
    }

    async fn take(&self) -> Result<Link, Trouble> {
        let idle = self.idle().pop().filter(|link| !link.is_closed());
        match idle {
            Some(link) => Ok(link),
            None => self.connector.connect().await,
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Link>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy)]
enum Params<'a> {
    Prepared(&'a [&'a (dyn ToSql + Sync)]),
    Planned(&'a [(&'a (dyn ToSql + Sync), Type)]),
}

impl Params<'_> {
    async fn run(self, link: &Link, sql: &'static str) -> Result<Vec<Row>, Trouble> {
        match self {
            Self::Prepared(params) => link.query(sql, params).await,
            Self::Planned(params) => link.query_planned(sql, params).await,
        }
    }
}
