//! The report: a line for each kind of fault, then what the clients did, then every finding.

use std::fmt;

use super::super::{Report, Run};
use super::faults::FaultOutcome;
use super::store_clients::StoreOutcome;
use super::talks::TalkOutcome;
use super::{ClusterPlan, FaultKind};
use crate::chaos::tally::PhaseCounts;

/// What a run found.
#[derive(Debug)]
pub struct ClusterReport {
    seed: u64,
    /// Violations, each in a sentence.
    pub findings: Vec<String>,
    faults: FaultOutcome,
    counts: Vec<PhaseCounts>,
    clients: Report,
    talks: Vec<TalkOutcome>,
    store: StoreOutcome,
}

impl ClusterReport {
    pub(super) fn new(
        plan: &ClusterPlan,
        run: &Run<'_>,
        mut clients: Report,
        faults: FaultOutcome,
        mut talks: Vec<TalkOutcome>,
        mut store: StoreOutcome,
    ) -> Self {
        let mut findings = std::mem::take(&mut clients.findings);
        let by_kind = faults.findings.iter();
        findings.extend(by_kind.map(|(kind, text)| format!("{}: {text}", kind.name())));
        for talk in &mut talks {
            findings.append(&mut talk.findings);
        }
        findings.append(&mut store.findings);
        let counts = FaultKind::ALL.map(|kind| run.tally.of(kind.index())).to_vec();
        Self { seed: plan.seed, findings, faults, counts, clients, talks, store }
    }
}

impl fmt::Display for ClusterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}, {} kills of servers\n", self.seed, self.faults.kills)?;
        writeln!(
            f,
            "{:<34}{:>6}{:>14}{:>6}{:>9}{:>9}{:>9}{:>10}",
            "fault", "tried", "acknowledged", "lost", "doubled", "pause s", "wait s", "answer s"
        )?;
        for kind in FaultKind::ALL {
            let at = kind.index();
            let counts = self.counts.get(at).copied().unwrap_or_default();
            let number = |map: &std::collections::BTreeMap<usize, usize>| {
                map.get(&at).copied().unwrap_or_default()
            };
            writeln!(
                f,
                "{:<34}{:>6}{:>14}{:>6}{:>9}{:>9.1}{:>9.1}{:>10.1}",
                kind.name(),
                self.faults.tried.get(at).copied().unwrap_or_default(),
                counts.acknowledged,
                number(&self.clients.lost),
                number(&self.clients.doubled),
                counts.pause_max.as_secs_f64(),
                counts.wait_max.as_secs_f64(),
                self.faults.answered_max.get(at).copied().unwrap_or_default().as_secs_f64(),
            )?;
        }
        writeln!(
            f,
            "\npause: the longest time in which nobody got an acknowledgement; wait: of one client \
             for one write,\nwith all its tries; answer: from the fault until a new message was \
             answered\n"
        )?;
        for (kind, why) in &self.faults.impossible {
            writeln!(f, "not tried: {}, {why}", kind.name())?;
        }
        let sum = |of: fn(&TalkOutcome) -> usize| self.talks.iter().map(of).sum::<usize>();
        let turns = sum(|talk| usize::try_from(talk.turns).unwrap_or_default());
        let talks = sum(|talk| usize::try_from(talk.talks).unwrap_or_default());
        let connections = sum(|talk| usize::try_from(talk.connections).unwrap_or_default());
        writeln!(
            f,
            "followed streams: {talks} conversations, {turns} turns, {connections} connections, \
             {} positions compared, {} reloads",
            sum(|talk| talk.positions),
            sum(|talk| talk.reloads),
        )?;
        let StoreOutcome { appends, sets, claims, unsure, followed, .. } = &self.store;
        writeln!(
            f,
            "the store itself: {appends} records, {sets} keys, {claims} claims, {followed} records \
             followed, {unsure} writes unsure\n"
        )?;
        write!(f, "{}", self.clients)
    }
}
