//! Faults in which there is too little of something: connections of a server, or of the database.

use std::io;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::Faults;
use crate::chaos::client::Client;
use crate::chaos::{OWNERS, Servers, pause};

impl Faults<'_> {
    /// More readers at once than a server has connections.
    pub(super) fn exhaust(&self, number: usize) {
        let Some(address) = self.nodes.node(number).address() else { return };
        let one = OneServer { address };
        let until = Instant::now() + Duration::from_secs(3);
        std::thread::scope(|threads| {
            for reader in 0..64 {
                let client = Client { servers: &one, owner: OWNERS[reader % OWNERS.len()] };
                threads.spawn(move || {
                    while Instant::now() < until {
                        drop(client.get("/api/conversations"));
                    }
                });
            }
        });
    }

    /// Takes all connections that the database has, and ends those of the servers.
    pub(super) fn take_connections(&self) -> io::Result<()> {
        let end = "select pg_sleep(1); select pg_terminate_backend(pid) from pg_stat_activity \
                   where application_name = 'ghosthand'; select pg_sleep(4)";
        let mut takers = Vec::new();
        for taker in 0..90 {
            let mut psql = self.database.client("psql");
            let sleep = if taker == 0 { end } else { "select pg_sleep(5)" };
            psql.args(["--command", sleep]).stdout(Stdio::null());
            takers.push(psql.spawn()?);
            // The later ones wait for what the first frees.
            if taker == 60 {
                pause(Duration::from_millis(900));
            }
        }
        for mut taker in takers {
            taker.wait()?;
        }
        Ok(())
    }
}

struct OneServer {
    address: String,
}

impl Servers for OneServer {
    fn address(&self) -> Option<String> {
        Some(self.address.clone())
    }

    fn answer_time_max(&self) -> Duration {
        Duration::from_secs(20)
    }
}
