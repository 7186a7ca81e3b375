//! One connection: its settings, its prepared statements, its notices and notifications.

mod readers;
mod retry;
mod tls;

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Connection, Row, Socket, Statement};

use crate::config::PostgresConfig;
use crate::fault::{Trouble, described, is_rolled_back, trouble};
use tls::{Stream, Tls};

pub(crate) use readers::Readers;
pub(crate) use retry::Retry;

/// A parameter of a statement that waits to be run.
pub(crate) type Param = Box<dyn ToSql + Sync + Send>;

/// How long a connection to a host may take to be made, with TLS and password.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// The same if there are others: one that is silent must not keep us from them.
const CONNECT_ONE_MAX: Duration = Duration::from_secs(3);

/// Makes connections to one schema.
pub(crate) struct Connector {
    config: PostgresConfig,
    hosts: Vec<tokio_postgres::Config>,
    /// The host that was the primary last, which is tried first.
    primary: AtomicUsize,
    tls: Tls,
    settings: String,
    statement_max: Duration,
}

impl Connector {
    pub(crate) fn new(
        config: PostgresConfig,
        schema: &str,
        statement_max: Duration,
    ) -> Result<Self, String> {
        let tls = Tls::new(&config)?;
        let millis = statement_max.as_millis().max(1);
        // A session that this process lost must not hold its locks for long. Commits wait for the
        // disk whatever the server's default is; waiting for standbys is the operator's choice.
        let settings = format!(
            "set search_path = {schema}; set statement_timeout = {millis}; \
             set lock_timeout = {millis}; set idle_in_transaction_session_timeout = {millis}; \
             set client_min_messages = warning; \
             set default_transaction_isolation = 'read committed'; \
             select set_config('synchronous_commit', 'on', false) \
             where current_setting('synchronous_commit') = 'off'"
        );
        let (hosts, primary) = (config.hosts(), AtomicUsize::new(0));
        Ok(Self { config, hosts, primary, tls, settings, statement_max })
    }

    /// The address without the password.
    pub(crate) fn place(&self) -> String {
        self.config.to_string()
    }

    pub(crate) async fn connect(&self) -> Result<Link, Trouble> {
        self.connect_with(None).await
    }

    /// Connects to the first host that takes writes.
    async fn first_primary(&self) -> Result<(Client, Connection<Socket, Stream<Socket>>), Trouble> {
        let (count, first) = (self.hosts.len(), self.primary.load(Ordering::Relaxed));
        let time = if count > 1 { CONNECT_ONE_MAX } else { CONNECT_MAX };
        let mut last = None;
        for place in (first..first + count).map(|place| place % count) {
            let Some(host) = self.hosts.get(place) else { continue };
            match tokio::time::timeout(time, host.connect(self.tls.clone())).await {
                Ok(Ok(connected)) => {
                    self.primary.store(place, Ordering::Relaxed);
                    return Ok(connected);
                }
                // What one says says more than another's silence.
                Ok(Err(error)) => last = Some(trouble(&error)),
                Err(_) => {
                    last = last.or_else(|| Some(Trouble::lost("the server does not answer")));
                }
            }
        }
        Err(last.unwrap_or_else(|| Trouble::lost("the address has no host")))
    }

    /// A connection that passes the payloads of notifications on.
    pub(crate) async fn connect_with(
        &self,
        notifications: Option<UnboundedSender<String>>,
    ) -> Result<Link, Trouble> {
        let (client, mut connection) = self.first_primary().await?;
        let warning = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&warning);
        // It ends when the client is dropped, or the connection is lost.
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await
            {
                match (message, &notifications) {
                    (AsyncMessage::Notice(notice), _) => {
                        let text = notice.message().to_owned();
                        *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
                    }
                    (AsyncMessage::Notification(notification), Some(out)) => {
                        let _ = out.send(notification.payload().to_owned());
                    }
                    (_, _) => {}
                }
            }
        });
        let statements = Mutex::default();
        let answer_max = self.statement_max + Duration::from_secs(2);
        let tls = self.tls.clone();
        let link = Link { client, statements, warning, answer_max, tls };
        link.batch(&self.settings).await?;
        Ok(link)
    }
}

/// A connection in use.
pub(crate) struct Link {
    client: Client,
    statements: Mutex<HashMap<&'static str, Statement>>,
    /// The last warning of the server.
    warning: Arc<Mutex<Option<String>>>,
    /// The server ends statements itself; when it does not even do that, it is gone.
    answer_max: Duration,
    tls: Tls,
}

/// How a commit ended.
pub(crate) enum Committed {
    Yes,
    /// For certain.
    RolledBack(String),
    Unsure(String),
}

impl Link {
    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Commits the transaction.
    pub(crate) async fn commit(&self) -> Committed {
        // An old warning, of a step, says nothing about the commit.
        let _ = self.take_warning();
        let mut commit = pin!(self.client.batch_execute("commit"));
        let done = match tokio::time::timeout(self.answer_max, &mut commit).await {
            Ok(done) => done,
            // It may wait for a standby, which no time limit of the server ends, and would hold
            // its locks. A cancelled commit is committed here all the same.
            Err(_) => {
                let cancelled = self.client.cancel_token();
                let cancel = async {
                    let _ = cancelled.cancel_query(self.tls.clone()).await;
                    commit.await
                };
                let _ = tokio::time::timeout(CONNECT_MAX, cancel).await;
                return Committed::Unsure("the commit took too long".to_owned());
            }
        };
        match done {
            // Committed here, and perhaps nowhere else: the wait for a standby was broken off.
            Ok(()) => match self.take_warning() {
                Some(warning) => Committed::Unsure(format!("PostgreSQL warns: {warning}")),
                None => Committed::Yes,
            },
            Err(error) if is_rolled_back(&error) => Committed::RolledBack(described(&error)),
            Err(error) => Committed::Unsure(described(&error)),
        }
    }

    /// The last warning of the server, once.
    fn take_warning(&self) -> Option<String> {
        self.warning.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Runs statements without parameters.
    pub(crate) async fn batch(&self, sql: &str) -> Result<(), Trouble> {
        self.answer(self.client.batch_execute(sql)).await
    }

    /// Prepares a statement once per connection.
    pub(crate) async fn statement(&self, sql: &'static str) -> Result<Statement, Trouble> {
        let known = || self.statements.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(statement) = known().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.answer(self.client.prepare(sql)).await?;
        known().insert(sql, statement.clone());
        Ok(statement)
    }

    pub(crate) async fn query(
        &self,
        sql: &'static str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Trouble> {
        let statement = self.statement(sql).await?;
        self.answer(self.client.query(&statement, params)).await
    }

    /// A query without a prepared statement.
    pub(crate) async fn query_planned(
        &self,
        sql: &str,
        params: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, Trouble> {
        self.answer(self.client.query_typed(sql, params)).await
    }

    /// A query that has been prepared, so that it is sent as soon as it is polled.
    pub(crate) async fn query_prepared(
        &self,
        statement: &Statement,
        params: &[Param],
    ) -> Result<Vec<Row>, Trouble> {
        let params = params.iter().map(|param| param.as_ref() as &(dyn ToSql + Sync));
        let params: Vec<_> = params.collect();
        self.answer(self.client.query(statement, &params)).await
    }

    async fn answer<T>(
        &self,
        request: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Trouble> {
        match tokio::time::timeout(self.answer_max, request).await {
            Ok(answer) => answer.map_err(|error| trouble(&error)),
            Err(_) => Err(Trouble::lost("the server does not answer")),
        }
    }
}
