//! Changes an input at random, in the ways that break readers: cut, repeat, nest, splice, and
//! put in words that the format knows.

/// Random numbers by SplitMix64; the same seed gives the same numbers.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

/// No input grows beyond this, so that a run tries many of them.
const INPUT_BYTES_MAX: usize = 64 << 10;
/// How many changes one input gets at most.
const CHANGES_MAX: usize = 6;
const REPEATS_MAX: usize = 400;

/// Bytes that mean something to most readers.
const SPECIAL: [&str; 16] = [
    "\0",
    "\n",
    "\r\n",
    "\t",
    "\"",
    "\\",
    "\u{feff}",
    "{",
    "}",
    "[",
    "]",
    "\\ud800",
    "-0",
    "1e400",
    "18446744073709551616",
    "\u{202e}",
];

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 where there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or_default()
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &'a [impl AsRef<T>]) -> Option<&'a T> {
        let at = self.below(list.len());
        list.get(at).map(AsRef::as_ref)
    }

    /// A part of the bytes, as a range.
    fn part(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(bytes.len() + 1);
        let end = start + self.below((bytes.len() - start).min(256) + 1);
        start..end
    }
}

/// A new input from one of the seeds.
pub(crate) fn mutate(random: &mut Random, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut input = random.pick::<[u8]>(seeds).unwrap_or_default().to_vec();
    for _ in 0..=random.below(CHANGES_MAX) {
        change(random, &mut input, seeds, words);
        input.truncate(INPUT_BYTES_MAX);
    }
    input
}

fn change(random: &mut Random, input: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str]) {
    let part = random.part(input);
    match random.below(8) {
        0 => drop(input.drain(part)),
        1 => {
            let word = random.pick::<str>(words).unwrap_or_default().as_bytes();
            drop(input.splice(part.start..part.start, word.iter().copied()));
        }
        2 => {
            let word = random.pick::<str>(words).unwrap_or_default().as_bytes();
            drop(input.splice(part, word.iter().copied()));
        }
        3 => {
            let special = random.pick::<str>(&SPECIAL).unwrap_or_default().as_bytes();
            drop(input.splice(part.start..part.start, special.iter().copied()));
        }
        4 => {
            let times = 1 + random.below(REPEATS_MAX);
            let piece = input.get(part.clone()).unwrap_or_default().repeat(times);
            drop(input.splice(part.end..part.end, piece));
        }
        5 => {
            let other = random.pick::<[u8]>(seeds).unwrap_or_default();
            let taken = random.part(other);
            let piece = other.get(taken).unwrap_or_default().to_vec();
            drop(input.splice(part, piece));
        }
        6 => {
            if let Some(byte) = input.get_mut(part.start) {
                *byte ^= 1 << random.below(8);
            }
        }
        _ => {
            let word = random.pick::<str>(words).unwrap_or_default();
            let times = 1 + random.below(REPEATS_MAX);
            drop(input.splice(part.start..part.start, word.repeat(times).into_bytes()));
        }
    }
}
