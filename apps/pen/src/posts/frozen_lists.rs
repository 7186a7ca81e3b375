//! The lists of an index as they are in its file: sorted stems, searched where they stand.
//!
//! A new process reads the file in one piece and parses none of the lists; a search reads the few
//! that it needs. All numbers have four bytes, the lowest first.
//!
//! Must hold: a file that is damaged gives wrong or empty lists, never a panic; the numbers are
//! checked against the posts by whoever uses them.

use std::collections::HashMap;
use std::ops::Range;

use super::word_hasher::WordHash;

const NUMBER: usize = 4;
/// A row of the directory: where the stem ends, and where its list ends.
const ROW: usize = 2 * NUMBER;

/// Lists of posts by stem.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FrozenLists {
    bytes: Vec<u8>,
    rows: Range<usize>,
    stems: Range<usize>,
    posts: Range<usize>,
}

impl FrozenLists {
    /// The lists in the rest of a file, from `start` on; none if the sizes do not fit.
    pub(super) fn read(bytes: Vec<u8>, start: usize) -> Option<Self> {
        let number = |at: usize| number(&bytes, start + at * NUMBER);
        let (rows, stems, posts) = (number(0)?, number(1)?, number(2)?);
        let rows_start = start + 3 * NUMBER;
        let stems_start = rows_start.checked_add(rows.checked_mul(ROW)?)?;
        let posts_start = stems_start.checked_add(stems)?;
        let end = posts_start.checked_add(posts.checked_mul(NUMBER)?)?;
        (end == bytes.len()).then_some(Self {
            bytes,
            rows: rows_start..stems_start,
            stems: stems_start..posts_start,
            posts: posts_start..end,
        })
    }

    /// Writes these lists and others, merged.
    pub(super) fn write(&self, added: &HashMap<String, Vec<u32>, WordHash>, out: &mut Vec<u8>) {
        let mut new: Vec<(&[u8], &[u32])> =
            added.iter().map(|(stem, posts)| (stem.as_bytes(), posts.as_slice())).collect();
        new.sort_unstable_by_key(|(stem, _)| *stem);
        let mut new = new.into_iter().peekable();
        let mut old = (0..self.len()).peekable();
        let (mut rows, mut stems, mut posts) = (Vec::new(), Vec::new(), Vec::new());
        // Both are sorted: the smaller stem is next, and equal ones join their lists.
        loop {
            let stem = match (old.peek().map(|row| self.stem(*row)), new.peek()) {
                (None, None) => break,
                (Some(old), None) => old,
                (None, Some((new, _))) => new,
                (Some(old), Some((new, _))) => old.min(new),
            };
            if let Some(row) = old.next_if(|row| self.stem(*row) == stem) {
                posts.extend_from_slice(self.list_bytes(row));
            }
            if let Some((_, list)) = new.next_if(|(new, _)| *new == stem) {
                posts.extend(list.iter().flat_map(|post| post.to_le_bytes()));
            }
            stems.extend_from_slice(stem);
            push(&mut rows, stems.len());
            push(&mut rows, posts.len() / NUMBER);
        }
        push(out, rows.len() / ROW);
        push(out, stems.len());
        push(out, posts.len() / NUMBER);
        out.extend([rows, stems, posts].concat());
    }

    fn len(&self) -> usize {
        self.rows.len() / ROW
    }

    /// The posts that have a stem.
    pub(super) fn posts(&self, stem: &str) -> Vec<u32> {
        let stem = stem.as_bytes();
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.stem(middle).cmp(stem) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let (numbers, _) = self.list_bytes(middle).as_chunks::<NUMBER>();
                    return numbers.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
                }
            }
        }
        Vec::new()
    }

    fn stem(&self, row: usize) -> &[u8] {
        let (start, end) = (self.end_of(row, 0), self.end_of(row + 1, 0));
        let stems = self.bytes.get(self.stems.clone()).unwrap_or_default();
        stems.get(start..end).unwrap_or_default()
    }

    fn list_bytes(&self, row: usize) -> &[u8] {
        let (start, end) = (self.end_of(row, 1), self.end_of(row + 1, 1));
        let posts = self.bytes.get(self.posts.clone()).unwrap_or_default();
        posts.get(start.saturating_mul(NUMBER)..end.saturating_mul(NUMBER)).unwrap_or_default()
    }

    /// Where the row before this one ends, in one of the two columns.
    fn end_of(&self, row: usize, column: usize) -> usize {
        let Some(before) = row.checked_sub(1) else { return 0 };
        let at = self.rows.start + before * ROW + column * NUMBER;
        number(&self.bytes, at).unwrap_or_default()
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(NUMBER)?)?;
    usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
}

/// A size beyond four bytes makes a file that is not read again.
fn push(out: &mut Vec<u8>, size: usize) {
    out.extend(u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{FrozenLists, WordHash};

    fn frozen(lists: &[(&str, &[u32])], on: &FrozenLists) -> FrozenLists {
        let added: HashMap<String, Vec<u32>, WordHash> =
            lists.iter().map(|(stem, posts)| ((*stem).to_owned(), posts.to_vec())).collect();
        let mut bytes = b"head".to_vec();
        on.write(&added, &mut bytes);
        FrozenLists::read(bytes, 4).unwrap()
    }

    #[test]
    fn lists_are_found_after_writing_and_merging() {
        let first =
            frozen(&[("план", &[0, 2]), ("сон", &[1]), ("", &[7])], &FrozenLists::default());
        let both = frozen(&[("план", &[5]), ("ранок", &[6])], &first);
        for (stem, expected) in
            [("план", &[0, 2, 5][..]), ("сон", &[1]), ("ранок", &[6]), ("", &[7]), ("ніч", &[])]
        {
            assert_eq!(both.posts(stem), expected, "{stem}");
        }
        assert_eq!(first.posts("план"), [0, 2]);
    }

    proptest! {
        #[test]
        fn a_damaged_file_is_refused_or_gives_some_list(
            at in 0_usize..60, to in any::<u8>(), cut in 0_usize..60,
        ) {
            let mut bytes = Vec::new();
            let added =
                [("план".to_owned(), vec![1, 2]), ("сон".to_owned(), vec![3])].into_iter().collect();
            FrozenLists::default().write(&added, &mut bytes);
            if let Some(byte) = bytes.get_mut(at) {
                *byte = to;
            }
            bytes.truncate(bytes.len() - cut.min(bytes.len()) % 3);
            if let Some(lists) = FrozenLists::read(bytes, 0) {
                prop_assert!(lists.posts("план").len() <= 3);
            }
        }
    }
}
