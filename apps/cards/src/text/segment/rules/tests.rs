//! The lists of the languages are consistent.

use super::*;

#[test]
fn every_file_can_be_read_and_no_word_contradicts_itself() {
    assert_eq!(KNOWN.len(), FILES.len());
    for (code, rules) in KNOWN.iter() {
        let both: Vec<_> = rules.never.intersection(&rules.may_end).collect();
        let shortened: Words = rules.never.union(&rules.may_end).cloned().collect();
        assert!(both.iter().all(|word| rules.ambiguous.contains(*word)), "{code}: {both:?}");
        for list in [&rules.ambiguous, &rules.with_number, &rules.after_number] {
            let stray: Vec<_> = list.difference(&shortened).collect();
            assert!(stray.is_empty(), "{code}: {stray:?} shorten nothing");
        }
    }
}
