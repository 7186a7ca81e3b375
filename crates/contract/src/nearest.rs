//! "Did you mean": the known word nearest to a misspelt one.

/// The nearest known word, if one is similar enough.
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = plain(found);
    known
        .into_iter()
        .map(|word| (distance(&wanted, &plain(word)), word))
        .filter(|(distance, word)| *distance <= 1.max(word.chars().count() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// How many characters of a word are compared, which bounds the work.
const CHARACTERS_MAX: usize = 80;

/// Case, dashes and underscores are the most common differences.
fn plain(word: &str) -> Vec<char> {
    let skipped = |c: &char| !matches!(c, '-' | '_' | ' ' | '.');
    word.chars().filter(skipped).flat_map(char::to_lowercase).take(CHARACTERS_MAX).collect()
}

/// The number of insertions, deletions, replacements and adjacent swaps between two words.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before = vec![0; to.len() + 1];
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, a) in from.iter().enumerate() {
        let mut next = vec![row + 1; to.len() + 1];
        for (column, b) in to.iter().enumerate() {
            let replaced = last[column] + usize::from(a != b);
            next[column + 1] = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            let swapped =
                row > 0 && column > 0 && *a == to[column - 1] && from[row - 1] == *b && a != b;
            if swapped {
                next[column + 1] = next[column + 1].min(before[column - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, next);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests;
