//! Remembers which output modes compatible servers refused, so that they are not tried again.
//!
//! One small file in the project's `.ghosthand`. It is a hint: a missing, damaged or unwritable file
//! only costs one more request. Entries expire after a week, because servers are updated. Addresses
//! may contain secrets, so only digests are stored.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use contract::{Digest, Digester, Rung, RungMemory};
use files::write_atomically;
use serde::{Deserialize, Serialize};

/// The refusals of the server of one model.
pub(crate) struct RungFile {
    path: PathBuf,
    server: Digest,
    now: fn() -> Duration,
}

#[derive(Default, Serialize, Deserialize)]
struct Written {
    refused: Vec<Refusal>,
}

#[derive(Serialize, Deserialize)]
struct Refusal {
    /// The digest of the server's address and the model's name.
    server: Digest,
    schema: Digest,
    rung: Rung,
    /// Seconds since 1970.
    at: u64,
}

const FILE: &str = "refused-rungs.json";
const FILE_BYTES_MAX: u64 = 1 << 20;
/// The oldest entries are dropped first.
const REFUSALS_MAX: usize = 500;
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

impl RungFile {
    /// The memory for a model at an address; none outside a project.
    pub(crate) fn of(base_url: &str, model: &str) -> Option<Self> {
        let root = crate::config::project::root();
        crate::config::project::is_project(&std::path::Path::new(".").join(&root)).then(|| Self {
            path: root.join(".ghosthand").join(FILE),
            server: server(base_url, model),
            now: since_1970,
        })
    }

    fn read(&self) -> Written {
        let read = files::read_file(&self.path, FILE_BYTES_MAX).ok();
        let mut written: Written =
            read.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let now = (self.now)();
        written.refused.retain(|one| {
            // A clock that went back must not extend an entry.
            let at = Duration::from_secs(one.at);
            at <= now && now - at < KEPT_FOR
        });
        written
    }
}

impl RungMemory for RungFile {
    fn refused(&self, schema: Digest) -> Vec<Rung> {
        let of_this = |one: &Refusal| one.server == self.server && one.schema == schema;
        self.read().refused.into_iter().filter(of_this).map(|one| one.rung).collect()
    }

    fn remember(&self, schema: Digest, refused: &[Rung]) {
        let mut written = self.read();
        let (server, at) = (self.server, (self.now)().as_secs());
        for rung in refused {
            written
                .refused
                .retain(|one| (one.server, one.schema, one.rung) != (server, schema, *rung));
            written.refused.push(Refusal { server, schema, rung: *rung, at });
        }
        let excess = written.refused.len().saturating_sub(REFUSALS_MAX);
        written.refused.drain(..excess);
        let folder = self.path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let bytes = serde_json::to_vec(&written).unwrap_or_default();
        if let Err(error) = folder.and_then(|()| write_atomically(&self.path, &bytes)) {
            tracing::debug!(%error, "cannot store what a server refused");
        }
    }
}

fn server(base_url: &str, model: &str) -> Digest {
    let mut digester = Digester::default();
    digester.part(base_url.trim_end_matches('/').as_bytes());
    digester.part(model.as_bytes());
    digester.finish()
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests;
