//! What an operator wants to know about the server.

use std::time::{Duration, Instant};

use store::StoreFault;

use crate::Shared;
use crate::fault::Trouble;
use crate::rows::{get, number, only};

/// The state of the server, as this process sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresStatus {
    /// Such as `18.6`.
    pub version: String,
    /// The address without user and password.
    pub place: String,
    /// How long one small statement took, there and back.
    pub latency: Duration,
    /// How many standbys receive what is written, and how many of them a commit waits for.
    pub standbys: u64,
    pub standbys_synchronous: u64,
    pub connections: u64,
    pub connections_max: u64,
    pub is_encrypted: bool,
    /// Whether something between us and the server changes sessions: a pooler in transaction mode,
    /// which breaks prepared statements, settings and notifications.
    pub has_pooler: bool,
}

const STATUS: &str = "select current_setting('server_version'),
    (select count(*) from pg_stat_replication),
    (select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum')),
    (select count(*) from pg_stat_activity where backend_type = 'client backend'),
    current_setting('max_connections')::bigint,
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false)";
const SESSION: &str = "select pg_backend_pid()";

pub(crate) async fn status(shared: &Shared) -> Result<PostgresStatus, StoreFault> {
    // The first statement may have to connect.
    shared.readers.rows("select 1", &[]).await?;
    let begun = Instant::now();
    shared.readers.rows("select 1", &[]).await?;
    let latency = begun.elapsed();
    let rows = shared.readers.rows(STATUS, &[]).await?;
    let row = only(&rows)?;
    Ok(PostgresStatus {
        version: get(row, 0)?,
        place: shared.connector.place(),
        latency,
        standbys: number(row, 1)?,
        standbys_synchronous: number(row, 2)?,
        connections: number(row, 3)?,
        connections_max: number(row, 4)?,
        is_encrypted: get(row, 5)?,
        has_pooler: has_pooler(shared).await?,
    })
}

/// Two connections that are both open are two sessions, unless something shares sessions out.
async fn has_pooler(shared: &Shared) -> Result<bool, StoreFault> {
    let connector = &shared.connector;
    let one = connector.connect().await.map_err(Trouble::into_fault)?;
    let two = connector.connect().await.map_err(Trouble::into_fault)?;
    let first = one.query(SESSION, &[]).await.map_err(Trouble::into_fault)?;
    let second = two.query(SESSION, &[]).await.map_err(Trouble::into_fault)?;
    Ok(get::<i32>(only(&first)?, 0)? == get::<i32>(only(&second)?, 0)?)
}
