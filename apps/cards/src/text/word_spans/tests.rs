//! FC-16: whole forms are found, the longest first, and the text stays intact.

use proptest::prelude::*;

use super::{WantedForm, find, html};

fn wanted(forms: &[&str]) -> Vec<WantedForm<()>> {
    let one = |form: &&str| {
        let is_phrase = form.contains(' ');
        WantedForm { form: (*form).to_owned(), is_phrase, of: () }
    };
    forms.iter().map(one).collect()
}

#[track_caller]
fn check(text: &str, forms: &[&str], expected: &str) {
    let wanted = wanted(forms);
    let places: Vec<_> = find(text, &wanted).into_iter().map(|(range, _)| range).collect();
    assert_eq!(html(text, &places, "[", "]"), expected);
}

#[test]
fn fc_16_the_longest_form_is_marked_first_and_only_whole_words() {
    check("Es redzu māju.", &["māju"], "Es redzu [māju].");
    check("MĀJU redz mājupceļā.", &["māju"], "[MĀJU] redz mājupceļā.");
    check("Labu rīt un labrīt!", &["rīt", "labrīt"], "Labu [rīt] un [labrīt]!");
    check("uz redzēšanos, uz!", &["uz", "uz redzēšanos"], "[uz redzēšanos], [uz]!");
    check("a & b < \"c\"", &["b"], "a &amp; [b] &lt; &quot;c&quot;");
    check("<b>suns</b>", &["suns", "b"], "&lt;[b]&gt;[suns]&lt;/[b]&gt;");
    check("Straße, STRASSE", &["straße"], "[Straße], STRASSE");
    check("İstanbul", &["i"], "İstanbul");
    check("nekā", &[""], "nekā");
}

proptest! {
    #[test]
    fn fc_16_the_pieces_are_the_text(text in any::<String>(), forms in proptest::collection::vec(any::<String>(), 0..5)) {
        let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
        let found = find(&text, &wanted(&forms));
        let mut at = 0;
        for (range, _) in &found {
            prop_assert!(at <= range.start && range.start < range.end);
            prop_assert!(text.get(range.clone()).is_some());
            at = range.end;
        }
        prop_assert!(at <= text.len());
    }
}
