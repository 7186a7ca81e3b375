//! The edits that count: complete imports, and nothing that was undone.

use std::collections::BTreeMap;

use super::{CardChange, Edit, EditRecord, Strategy};
use crate::deck::card::{Card, CardKey};
use crate::run::run_info::RunId;
use crate::text::language::Pair;

/// An edit that counts. The run is the one in which it can be undone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Standing {
    Changed { run: Option<RunId>, key: CardKey, change: CardChange },
    Shown { run: Option<RunId>, keys: Vec<CardKey>, visible: bool },
    Restored { run: Option<RunId>, key: CardKey },
    Imported { run: RunId, strategy: Strategy, cards: Vec<Card> },
}

impl Standing {
    /// Can this run undo it?
    pub(crate) fn is_of(&self, run: &RunId) -> bool {
        match self {
            Standing::Changed { run: of, .. }
            | Standing::Shown { run: of, .. }
            | Standing::Restored { run: of, .. } => of.as_ref() == Some(run),
            Standing::Imported { run: of, .. } => of == run,
        }
    }

    /// The edit after its run was deleted; none if it goes with the run.
    fn without_run(self, gone: &RunId) -> Option<Self> {
        if !self.is_of(gone) {
            return Some(self);
        }
        match self {
            Standing::Changed { key, change, .. } => {
                Some(Standing::Changed { run: None, key, change })
            }
            Standing::Shown { keys, visible, .. } => {
                Some(Standing::Shown { run: None, keys, visible })
            }
            Standing::Restored { key, .. } => Some(Standing::Restored { run: None, key }),
            Standing::Imported { .. } => None,
        }
    }
}

/// The edits of a language pair that count, in their order.
pub(crate) fn standing(records: Vec<EditRecord>, pair: &Pair) -> Vec<Standing> {
    let mut imports: BTreeMap<(RunId, String), (Strategy, usize, Vec<Card>)> = BTreeMap::new();
    let mut standing: Vec<Standing> = Vec::new();
    for EditRecord { run, edit } in records {
        match edit {
            Edit::Changed { key, change } => {
                let key = key.resolve(pair);
                standing.push(Standing::Changed { run: Some(run), key, change });
            }
            Edit::Shown { keys, visible } => {
                let keys = keys.iter().map(|key| key.resolve(pair)).collect();
                standing.push(Standing::Shown { run: Some(run), keys, visible });
            }
            Edit::Restored { key } => {
                standing.push(Standing::Restored { run: Some(run), key: key.resolve(pair) });
            }
            Edit::Undone => {
                if let Some(at) = standing.iter().rposition(|edit| edit.is_of(&run)) {
                    standing.remove(at);
                }
            }
            Edit::ImportBegun { import, strategy, cards } => {
                imports.insert((run, import), (strategy, cards, Vec::new()));
            }
            Edit::ImportPart { import, cards } => {
                if let Some((_, _, all)) = imports.get_mut(&(run, import)) {
                    all.extend(cards);
                }
            }
            Edit::ImportEnded { import } => {
                if let Some((strategy, count, cards)) = imports.remove(&(run.clone(), import))
                    && cards.len() == count
                {
                    standing.push(Standing::Imported { run, strategy, cards });
                }
            }
            Edit::RunRemoved => {
                standing = standing.into_iter().filter_map(|edit| edit.without_run(&run)).collect();
            }
        }
    }
    standing
}
