//! Opens the store: connects, creates or checks the tables, starts the tasks.

use std::collections::HashMap;
use std::sync::Arc;

use store::StoreFault;
use store::engine::Topics;

use crate::config::PostgresConfig;
use crate::connect::Connector;
use crate::fault::Trouble;
use crate::listener::{Announcer, Listener};
use crate::look::Looks;
use crate::migrate::migrate;
use crate::readers::Readers;
use crate::writer::{Writer, WriterTask};
use crate::{PostgresOptions, PostgresStore, Shared};

/// The longest name of a schema; it is the name of the channel for notifications too.
const SCHEMA_BYTES_MAX: usize = 63;

/// Why a store was not opened. The database is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostgresOpenFault {
    /// Start the server, or fix the address.
    #[error("{place} cannot be reached: {because}")]
    Unreachable { place: String, because: String },
    /// Fix user, password, rights or certificates.
    #[error("{place} cannot be used: {because}")]
    Refused { place: String, because: String },
    /// Use another database or schema.
    #[error("{place} is not a Ghosthand store: {because}; it was not changed")]
    NotAStore { place: String, because: String },
    /// Use the newer program.
    #[error(
        "{place} was written by a newer Ghosthand (schema {found}, this one supports {known}); \
         it was not changed"
    )]
    Newer { place: String, found: i64, known: i64 },
    /// Upgrade the server.
    #[error("{place} is PostgreSQL {version}; 15 or newer is needed")]
    OldServer { place: String, version: String },
    /// Create the database with UTF8.
    #[error(
        "{place} has the encoding {encoding}; create the database with \
         `create database … encoding 'UTF8' template template0`"
    )]
    Encoding { place: String, encoding: String },
    /// Fix the options.
    #[error("`{schema}` is not a name for a schema: use 1 to 63 of a-z, 0-9 and _")]
    Schema { schema: String },
}

impl PostgresOpenFault {
    pub(crate) fn of(place: &str, trouble: Trouble) -> Self {
        let place = place.to_owned();
        match trouble {
            Trouble::Lost(because)
            | Trouble::Repeat(because)
            | Trouble::Fault(StoreFault::Busy { because }) => Self::Unreachable { place, because },
            Trouble::Fault(StoreFault::Unusable { because }) => Self::Refused { place, because },
            Trouble::Fault(fault) => Self::Refused { place, because: fault.to_string() },
        }
    }
}

pub(crate) async fn open(
    config: &PostgresConfig,
    options: PostgresOptions,
) -> Result<PostgresStore, PostgresOpenFault> {
    let PostgresOptions { limits, schema, readers_max, patience, statement_max, .. } = options;
    check_schema(&schema)?;
    let place = config.to_string();
    let refused = |because: String| PostgresOpenFault::Refused { place: place.clone(), because };
    let connector = Connector::new(config.clone(), &schema, statement_max).map_err(refused)?;
    let connector = Arc::new(connector);
    let link = connector.connect().await;
    let link = link.map_err(|trouble| PostgresOpenFault::of(&place, trouble))?;
    migrate(&link, &schema, &place).await?;

    let topics = Arc::new(Topics::default());
    let readers = Readers::new(Arc::clone(&connector), readers_max, patience);
    let shared = Arc::new(Shared {
        connector: Arc::clone(&connector),
        readers,
        topics: Arc::clone(&topics),
        limits,
        clock: options.clock,
    });
    let (announcer, written) = Announcer::new();
    let (writer, inbox) = Writer::new(&limits);
    let writer_task = WriterTask {
        connector: Arc::clone(&connector),
        topics: Arc::clone(&topics),
        announcer: announcer.clone(),
        limits,
        patience,
        link: Some(link),
    };
    let process = process_name().map_err(refused)?;
    let listener = Listener { connector, topics, channel: schema, process, written };
    let looks = Looks {
        shared: Arc::clone(&shared),
        announcer,
        look_every: options.look_every,
        deletions_kept: options.deletions_kept,
        seen: HashMap::new(),
    };
    let tasks = vec![
        tokio::spawn(writer_task.work(inbox)),
        tokio::spawn(listener.work()),
        tokio::spawn(looks.work()),
    ];
    Ok(PostgresStore { writer, shared, tasks })
}

/// The name goes into statements as it is, so only these characters are allowed.
fn check_schema(schema: &str) -> Result<(), PostgresOpenFault> {
    let starts_well = schema.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match starts_well && schema.chars().all(is_plain) && schema.len() <= SCHEMA_BYTES_MAX {
        true => Ok(()),
        false => Err(PostgresOpenFault::Schema { schema: schema.to_owned() }),
    }
}

/// A name that no other process has.
fn process_name() -> Result<String, String> {
    let number = getrandom::u64().map_err(|error| error.to_string())?;
    Ok(format!("{number:016x}"))
}
