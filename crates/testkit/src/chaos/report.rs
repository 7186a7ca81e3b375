//! The report: a small table, and every finding in a sentence.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::client::{Client, Sent};
use super::kills::KillStats;
use super::writes::{self, Write};
use super::{OWNERS, Plan, Run, chats};

/// This many keys are sent once more at the end.
const AGAIN_MAX: usize = 400;

#[derive(Debug, Default)]
pub struct Report {
    seed: u64,
    /// Violations, each in a sentence.
    pub findings: Vec<String>,
    stats: KillStats,
    writes: Vec<Write>,
    chats: Vec<chats::Chat>,
    /// By the fault during which they began.
    pub(super) lost: BTreeMap<usize, usize>,
    pub(super) doubled: BTreeMap<usize, usize>,
    /// The same of other effects.
    pub(super) phases: BTreeMap<String, usize>,
}

impl Report {
    pub(super) fn new(plan: &Plan) -> Self {
        Self { seed: plan.seed, ..Self::default() }
    }

    pub(super) fn server(&mut self, mut stats: KillStats) {
        self.findings.append(&mut stats.findings);
        self.stats = stats;
    }

    pub(super) fn writes(&mut self, mut writes: Vec<Write>) {
        self.writes.append(&mut writes);
    }

    pub(super) fn chats(&mut self, mut chats: Vec<chats::Chat>) {
        self.chats.append(&mut chats);
    }

    /// Compares the answers with the effects, the store and the inbox.
    pub(super) fn weigh(&mut self, run: &Run<'_>) {
        self.weigh_writes(run);
        self.weigh_chats();
        self.ask_again(run);
        self.look_for_doubts(run);
        // None of these may have had an effect.
        for (id, times) in run.far_sides.all().into_iter().filter(|(_, times)| *times > 1) {
            *self.doubled.entry(self.phase_of(&id)).or_default() += 1;
            self.findings.push(format!("{id}: done {times} times"));
        }
    }

    fn weigh_writes(&mut self, run: &Run<'_>) {
        for write in &self.writes {
            let (id, times) = (&write.id, run.far_sides.done(&write.id));
            match &write.end {
                writes::End::Acknowledged if times == 0 => {
                    *self.lost.entry(write.phase).or_default() += 1;
                    self.findings.push(format!("{id}: acknowledged, but without an effect"));
                }
                writes::End::Acknowledged if !is_kept(run, write) => {
                    *self.lost.entry(write.phase).or_default() += 1;
                    self.findings.push(format!("{id}: acknowledged, but not in the store"));
                }
                writes::End::Refused(why) if times > 0 => {
                    self.findings.push(format!("{id}: reported as not run, but done: {why}"));
                }
                writes::End::Never(last) => {
                    self.findings.push(format!("{id}: no end in time; the last answer was {last}"));
                }
                writes::End::Acknowledged | writes::End::InDoubt | writes::End::Refused(_) => {}
            }
        }
    }

    fn weigh_chats(&mut self) {
        let stuck = self.chats.iter().filter_map(|chat| Some((chat, chat.end.as_ref().err()?)));
        let stuck = stuck.map(|(chat, why)| format!("{} of {}: {why}", chat.id, chat.owner));
        self.findings.extend(stuck);
    }

    fn ask_again(&mut self, run: &Run<'_>) {
        let newest = self.writes.iter().rev().take(AGAIN_MAX);
        self.findings.extend(newest.filter_map(|write| write.again(run)));
    }

    /// A person is asked about every call whose outcome is unknown.
    fn look_for_doubts(&mut self, run: &Run<'_>) {
        for owner in OWNERS {
            let client = Client { servers: run.servers, owner };
            let is_open =
                |write: &&Write| write.owner == owner && write.end == writes::End::InDoubt;
            let open = self.writes.iter().filter(is_open).count();
            let listed = match client.get("/api/doubts") {
                Sent::Answer(answer) => answer.body.as_array().map_or(0, Vec::len),
                Sent::NotConnected | Sent::CutOff => 0,
            };
            // The page lists the newest 200.
            if listed < open.min(200) {
                self.findings
                    .push(format!("{owner}: {open} calls in doubt, but {listed} are listed"));
            }
        }
    }

    /// The fault during which a write or chat began.
    fn phase_of(&self, id: &str) -> usize {
        let write = self.writes.iter().find(|write| write.id == id).map(|write| write.phase);
        let chat = || self.chats.iter().find(|chat| chat.id == id).map(|chat| chat.phase);
        let other = || self.phases.get(id).copied();
        write.or_else(chat).or_else(other).unwrap_or_default()
    }

    fn count(&self, is: impl Fn(&Write) -> bool) -> usize {
        self.writes.iter().filter(|write| is(write)).count()
    }

    fn chats_that(&self, end: chats::End) -> usize {
        self.chats.iter().filter(|chat| chat.accepted && chat.end == Ok(end)).count()
    }
}

fn is_kept(run: &Run<'_>, write: &Write) -> bool {
    let client = Client { servers: run.servers, owner: write.owner };
    let key = format!("marks/{}", write.id);
    let path = format!("/api/kv?key={}", key.replace('/', "%2F"));
    matches!(client.get(&path), Sent::Answer(answer) if answer.body[&key] == "kept")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KillStats { kills, young, starts, pauses, .. } = &self.stats;
        let acknowledged = |write: &Write| write.end == writes::End::Acknowledged;
        let refused = |write: &Write| matches!(write.end, writes::End::Refused(_));
        let accepted = self.chats.iter().filter(|chat| chat.accepted).count();
        let stuck = self.chats.iter().filter(|chat| chat.end.is_err()).count();
        let mut row = |name: &str, value: String| writeln!(f, "  {name:<28}{value}");
        row("seed", self.seed.to_string())?;
        row("kills", format!("{kills}, {young} of them before the server was ready"))?;
        row("a start, ms", spread(starts))?;
        row("no server, ms", spread(pauses))?;
        row("writes acknowledged", self.count(acknowledged).to_string())?;
        row("  interrupted and sent again", self.count(|write| write.cut_off > 0).to_string())?;
        row("  answered again", self.count(|write| write.replayed).to_string())?;
        row("writes in doubt", self.count(|write| write.end == writes::End::InDoubt).to_string())?;
        row("writes refused, not run", self.count(refused).to_string())?;
        row("chats acknowledged", accepted.to_string())?;
        row("  answered", self.chats_that(chats::End::Answered).to_string())?;
        row("  outcome of its call unknown", self.chats_that(chats::End::Open).to_string())?;
        row("  ended with a note", self.chats_that(chats::End::Ended).to_string())?;
        row("  in doubt, a person asked", self.chats_that(chats::End::InDoubt).to_string())?;
        row("lost", self.lost.values().sum::<usize>().to_string())?;
        row("doubled", self.doubled.values().sum::<usize>().to_string())?;
        row("stuck", stuck.to_string())?;
        row("findings", self.findings.len().to_string())?;
        let mut why: BTreeMap<&str, usize> = BTreeMap::new();
        for write in &self.writes {
            if let writes::End::Refused(text) = &write.end {
                *why.entry(text).or_default() += 1;
            }
        }
        why.iter().try_for_each(|(why, times)| writeln!(f, "  refused {times} times: {why}"))
    }
}

/// The median and the maximum.
fn spread(times: &[Duration]) -> String {
    let mut times: Vec<u128> = times.iter().map(Duration::as_millis).collect();
    times.sort_unstable();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    format!("{middle} median, {} maximum", times.last().copied().unwrap_or_default())
}
