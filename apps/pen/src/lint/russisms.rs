//! Finds Russian words and calques in Ukrainian text, each with what to write instead.
//!
//! The list has only what is wrong in every context: «на рахунок» is a calque or a bank account,
//! so it is not in it. An author who writes so in their own examples is left alone.

use std::ops::Range;

use super::{Level, LintContext, Report, Rule};
use crate::text::{fold, words};

/// Forms, and what to write instead. `*` stands for any ending.
const TABLE: [(&str, &str); 42] = [
    ("на протязі", "протягом"),
    ("в якості, у якості", "як"),
    ("на даний момент", "зараз"),
    ("в даний час, у даний час", "тепер"),
    ("тим не менше", "проте"),
    ("по крайній мірі", "принаймні"),
    ("в кінці кінців, у кінці кінців", "зрештою"),
    ("не дивлячись на", "попри, незважаючи на"),
    ("в залежності від, у залежності від", "залежно від"),
    ("у відповідності з, у відповідності до, в відповідності до", "відповідно до"),
    ("при допомозі", "за допомогою"),
    ("по відношенню до", "щодо"),
    ("на днях", "цими днями"),
    ("в цілому, у цілому", "загалом"),
    ("прийма* участь, прийня* участь", "брати участь"),
    ("прийма* міри, прийня* міри", "вживати заходів"),
    ("привод* приклад*, приве* приклад*", "наводити приклад"),
    ("кида* в очі, кину* в очі", "впадати в око"),
    ("самий кращий, сама краща, самі кращі", "найкращий"),
    ("самий головний, сама головна, самі головні", "найголовніший"),
    ("самий важливий, сама важлива, самі важливі", "найважливіший"),
    (
        "відноситися, відноситись, відноситься, відносяться, відносився, відносилася, відносилась, \
         відносилися, відносились, відношуся, відношусь",
        "ставитися або належати",
    ),
    ("являється, являються, являлося, являлась, являлася, являюся, являюсь", "бути"),
    ("слідуюч*", "наступний"),
    ("співпада*, співпало, співпала, співпали, співпасти, співпадінн*", "збігатися"),
    ("получ*", "отримати; «получається» — виходить"),
    ("вообще, вобще, ваще", "взагалі"),
    ("кароче, короче", "коротше кажучи"),
    ("канєшно, конєшно, конешно", "звісно"),
    ("навєрно, навєрне, навірно", "мабуть"),
    ("щас", "зараз"),
    ("тоже", "теж"),
    ("даже", "навіть"),
    ("нада", "треба"),
    ("чуть", "трохи"),
    ("вопрос, вопроси, вопроса, вопросів", "питання"),
    ("нравиться, нравився, нравилось", "подобатися"),
    ("учбов*", "навчальний"),
    ("багаточисельн*, багаточисленн*", "численний"),
    ("прийшлося, прийшлось", "довелося"),
    ("поскільки", "оскільки"),
    ("бувший, бувша, бувші, бувшого, бувшої", "колишній"),
];

/// Letters that Ukrainian does not have.
const FOREIGN: [char; 4] = ['ы', 'э', 'ё', 'ъ'];

pub(super) fn check(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    if !against.profile.language().starts_with("uk") {
        return;
    }
    let examples = against.profile.examples();
    let is_own = |form: &str| {
        examples.iter().any(|one| !places(&one.text, &folded(&one.text), form).is_empty())
    };
    let words = folded(draft);
    for (forms, better) in TABLE {
        for form in forms.split(", ") {
            let found = places(draft, &words, form);
            if found.is_empty() || is_own(form) {
                continue;
            }
            for span in found {
                let hint = report.lang.fill("lint.russism", &[("better", &better)]);
                report.find(Rule::Russism, Level::Warn, draft, span, hint);
            }
        }
    }
    let is_foreign = |text: &str| text.to_lowercase().contains(FOREIGN);
    if !is_foreign(draft) || examples.iter().any(|one| is_foreign(&one.text)) {
        return;
    }
    for (span, _) in words.into_iter().filter(|(span, _)| is_foreign(&draft[span.clone()])) {
        let hint = report.say("lint.foreign_letter");
        report.find(Rule::Russism, Level::Warn, draft, span, hint.to_owned());
    }
}

/// A word's place, and the word as it is compared.
type FoldedWord = (Range<usize>, String);

fn folded(text: &str) -> Vec<FoldedWord> {
    words(text).map(|word| (word.start..word.end(), fold(word.text))).collect()
}

/// The places of a form, as whole words without a mark between them.
fn places(text: &str, words: &[FoldedWord], form: &str) -> Vec<Range<usize>> {
    let wanted: Vec<&str> = form.split_whitespace().collect();
    let fits = |run: &&[FoldedWord]| {
        run.iter().zip(&wanted).all(|((_, word), wanted)| match wanted.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == wanted,
        }) && run
            .windows(2)
            .all(|two| text[two[0].0.end..two[1].0.start].chars().all(char::is_whitespace))
    };
    let runs = words.windows(wanted.len().max(1)).filter(fits);
    runs.map(|run| run[0].0.start..run[run.len() - 1].0.end).collect()
}
