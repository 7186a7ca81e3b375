//! Kills a real server repeatedly, with writes and chats in flight, and checks what is left.
//!
//! In: the program, an empty folder, a [`Plan`]. Out: a [`Report`] with every finding. Only the
//! far sides are fakes: a provider, and the service that tools write to, which counts effects.
//!
//! Must hold: times and pauses come from the seed alone; every wait has a limit; a finding names
//! its write or chat.
//!
//! Start at [`run`].

mod far_sides;
mod project;

pub mod cluster;
mod kills;

mod approvals;
mod chats;
mod client;
mod writes;

mod random;
mod report;
mod tally;

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use far_sides::FarSides;
use kills::KilledServer;
use random::Random;
pub use report::Report;
use tally::Tally;

/// The size of a run.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub kills: u32,
    /// The same seed gives the same times, pauses and delays.
    pub seed: u64,
    /// The longest life of a server after it is ready.
    pub life_max: Duration,
    /// The pause after a kill; sometimes four times as long.
    pub pause_max: Duration,
    pub writers: u32,
    pub chatters: u32,
}

impl Plan {
    pub fn new(kills: u32, seed: u64) -> Self {
        Self {
            kills,
            seed,
            life_max: Duration::from_millis(1_600),
            pause_max: Duration::from_millis(1_000),
            writers: 8,
            chatters: 4,
        }
    }
}

/// Where clients send their requests.
trait Servers: Sync {
    /// The address of a server, while there is one; each request asks again.
    fn address(&self) -> Option<String>;

    /// After this a client gives up a request.
    fn answer_time_max(&self) -> Duration;
}

/// The state that all threads share.
struct Run<'a> {
    servers: &'a dyn Servers,
    far_sides: Arc<FarSides>,
    /// Since when nothing new is started.
    ended: OnceLock<Instant>,
    rests: AtomicBool,
    tally: Tally,
}

/// The time of the last server to finish everything.
const SETTLING_TIME_MAX: Duration = Duration::from_secs(90);

impl<'a> Run<'a> {
    fn new(servers: &'a dyn Servers, far_sides: Arc<FarSides>, phases: usize) -> Self {
        let (ended, rests, tally) = (OnceLock::new(), AtomicBool::new(false), Tally::new(phases));
        Self { servers, far_sides, ended, rests, tally }
    }

    fn ended(&self) -> bool {
        self.ended.get().is_some()
    }

    /// No more approvals are needed.
    fn rest(&self) {
        self.rests.store(true, Ordering::SeqCst);
    }

    fn rests(&self) -> bool {
        self.rests.load(Ordering::SeqCst)
    }

    /// Whether the time for finishing has passed.
    fn is_late(&self) -> bool {
        let is_over = |since: &Instant| since.elapsed() > SETTLING_TIME_MAX;
        self.rests() || self.ended.get().is_some_and(is_over)
    }

    /// Drives all clients while `faults` runs, and waits until they are done.
    fn drive<T>(
        &self,
        plan: &Plan,
        report: &mut Report,
        faults: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        std::thread::scope(|threads| {
            let people = OWNERS.map(|owner| threads.spawn(move || approvals::agree(self, owner)));
            let writers: Vec<_> = (0..plan.writers)
                .map(|number| threads.spawn(move || writes::drive(self, number)))
                .collect();
            let chatters: Vec<_> = (0..plan.chatters)
                .map(|number| threads.spawn(move || chats::drive(self, number, plan.seed)))
                .collect();
            let done = faults();
            self.ended.get_or_init(Instant::now);
            if done.is_err() {
                self.rest();
            }
            for writer in writers {
                report.writes(joined(writer)?);
            }
            for chatter in chatters {
                report.chats(joined(chatter)?);
            }
            self.rest();
            people.into_iter().try_for_each(joined)?;
            done
        })
    }
}

/// The owners whose tokens the server knows.
const OWNERS: [&str; 2] = ["ana", "bob"];

/// Runs everything; an error is one of the test itself, not a finding.
pub fn run(program: &Path, folder: &Path, plan: &Plan) -> io::Result<Report> {
    let far_sides = FarSides::start(plan.seed)?;
    project::write(folder, &far_sides)?;
    let server = KilledServer::new(program, folder);
    let run = Run::new(&server, far_sides, 1);
    let mut report = Report::new(plan);
    let stats =
        run.drive(plan, &mut report, || server.run_kills(plan, &mut Random::new(plan.seed)))?;
    report.server(stats);
    report.weigh(&run);
    server.end();
    Ok(report)
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> io::Result<T> {
    thread.join().map_err(|_| io::Error::other("a thread panicked"))
}

/// Random timing is the point of this test, so this one place sleeps.
#[expect(clippy::disallowed_methods, reason = "random timing is the point of this test")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}
