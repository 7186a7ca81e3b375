//! The difference between two texts, by lines or by words (longest common subsequence).

use serde::{Deserialize, Serialize};

/// Beyond this many items on both sides, everything between the common ends counts as changed.
const ITEMS_MAX: usize = 3_000;

/// A line that went or came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change", content = "line")]
pub enum LineChange {
    Removed(String),
    Added(String),
}

/// The lines that differ, in order; lines that stay are left out.
pub fn line_changes(old: &str, new: &str) -> Vec<LineChange> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut changes = Vec::new();
    for (gone, come) in changed_runs(&old, &new) {
        let lines = |run: &[&str]| -> Vec<String> {
            run.iter()
                .filter(|line| !line.trim().is_empty())
                .map(|line| (*line).to_owned())
                .collect()
        };
        changes.extend(lines(gone).into_iter().map(LineChange::Removed));
        changes.extend(lines(come).into_iter().map(LineChange::Added));
    }
    changes
}

/// The runs in which two lists differ: what went, and what came in its place.
pub(crate) fn changed_runs<'a, T: PartialEq>(
    old: &'a [T],
    new: &'a [T],
) -> Vec<(&'a [T], &'a [T])> {
    let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other);
    let tail = tail.count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    if old.len() > ITEMS_MAX || new.len() > ITEMS_MAX {
        return vec![(old, new)];
    }
    let mut runs = aligned(old, new);
    runs.retain(|(gone, come)| !gone.is_empty() || !come.is_empty());
    runs
}

fn aligned<'a, T: PartialEq>(old: &'a [T], new: &'a [T]) -> Vec<(&'a [T], &'a [T])> {
    let width = new.len() + 1;
    let mut lengths = vec![0_u16; (old.len() + 1) * width];
    for (row, a) in old.iter().enumerate().rev() {
        for (column, b) in new.iter().enumerate().rev() {
            let here = row * width + column;
            lengths[here] = match a == b {
                true => lengths[here + width + 1] + 1,
                false => lengths[here + width].max(lengths[here + 1]),
            };
        }
    }
    let mut runs = Vec::new();
    let (mut row, mut column) = (0, 0);
    let (mut from_row, mut from_column) = (0, 0);
    while row < old.len() && column < new.len() {
        if old[row] == new[column] {
            runs.push((&old[from_row..row], &new[from_column..column]));
            (row, column) = (row + 1, column + 1);
            (from_row, from_column) = (row, column);
        } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    runs.push((&old[from_row..], &new[from_column..]));
    runs
}

#[cfg(test)]
mod tests {
    use super::{LineChange, line_changes};

    #[test]
    fn lines_that_differ_are_listed_in_order() {
        let check = |old: &str, new: &str, expected: &[&str]| {
            let found: Vec<String> = line_changes(old, new)
                .into_iter()
                .map(|change| match change {
                    LineChange::Removed(line) => format!("-{line}"),
                    LineChange::Added(line) => format!("+{line}"),
                })
                .collect();
            assert_eq!(found, expected, "{old:?} {new:?}");
        };
        check("a\n\nb\n\nc", "a\n\nB\n\nc", &["-b", "+B"]);
        check("a\nb", "a\nb", &[]);
        check("a", "a\n\nb", &["+b"]);
        check("a\n\nb\n\nc", "a\n\nc", &["-b"]);
        check("a\nb\nc", "x\nb\ny", &["-a", "+x", "-c", "+y"]);
        check("", "a", &["+a"]);
    }
}
