//! Every file can be read, is complete, and is written in its normal form.

use super::*;
use crate::words::answer::normalize;

#[test]
fn every_language_has_a_complete_file() {
    for language in Language::ALL {
        let words: Words = toml::from_str(language.file()).unwrap();
        assert_eq!(words.dates.months.len(), 12, "{language:?}");
        assert_eq!(words.choices.ordinals.len(), 10, "{language:?}");
        let lists = [
            &words.yes,
            &words.no,
            &words.polite,
            &words.backchannel,
            &words.abbreviations,
            &words.commands.skip,
            &words.commands.back,
            &words.commands.repeat,
            &words.commands.cancel,
            &words.dates.today,
            &words.dates.tomorrow,
            &words.dates.yesterday,
        ];
        assert!(lists.iter().all(|list| !list.is_empty()), "{language:?}");
        assert_eq!(Language::from_code(language.code()), Some(language));
        assert!(language.words().say.approval_intro.contains("{tool}"), "{language:?}");
        assert!(language.words().say.form_readback.contains("{answers}"), "{language:?}");
        assert!(language.words().say.form_options.contains("{options}"), "{language:?}");
    }
}

#[test]
fn entries_are_written_as_answers_are_compared() {
    for language in Language::ALL {
        let words = language.words();
        let lists = [&words.yes, &words.no, &words.polite, &words.backchannel];
        let commands = &words.commands;
        let moves = [&commands.skip, &commands.back, &commands.repeat, &commands.cancel];
        for entry in lists.into_iter().chain(moves).flatten() {
            assert_eq!(&normalize(entry), entry, "{language:?}");
        }
        let numbers = words.numbers.words.keys().chain(words.numbers.scales.keys());
        for entry in numbers.chain(words.dates.months.iter().flatten()) {
            assert_eq!(&normalize(entry), entry, "{language:?}");
        }
    }
}

#[test]
fn no_word_is_a_yes_and_a_no() {
    for language in Language::ALL {
        let words = language.words();
        let both: Vec<_> = words.yes.iter().filter(|word| words.no.contains(word)).collect();
        assert!(both.is_empty(), "{language:?}: {both:?}");
    }
}

#[test]
fn a_code_may_name_a_region() {
    assert_eq!(Language::from_code("uk-UA"), Some(Language::Uk));
    assert_eq!(Language::from_code("EN_us"), Some(Language::En));
    assert_eq!(Language::from_code("tlh"), None);
}
