//! FC-16, FC-17, FC-22 and FC-25 in the browser.

use std::sync::atomic::Ordering;

use serde_json::json;

use crate::axe::audited;
use crate::pad::Pad;
use crate::story::{Learner, STORY, choose, mode};

const THREE: &str = "Suns rej. Kaķis skrien. Putns dzied.";

#[test]
fn fc_16_cards_are_flipped_turned_and_hidden_by_keys() {
    let learner = Learner::new();
    let tab = learner.learning(THREE);
    tab.reads("#place", "1 / 3");
    tab.reads(".face .base", "Suns");
    tab.reads(".face mark", "Suns");
    tab.counts(".face .meaning", 0);
    for key in [" ", "ArrowUp", "ArrowDown"] {
        tab.press(key);
        tab.sees(".face.flipped .meaning >> значення");
        tab.press(key);
        tab.misses(".face.flipped");
    }
    // Another card always shows its front first.
    tab.press(" ");
    tab.press("ArrowRight");
    tab.sees(".face:not(.flipped) .base >> Kaķis");
    tab.reads("#place", "2 / 3");
    tab.press("h");
    tab.sees(".face .base >> Putns");
    tab.reads("#place", "2 / 2");
    tab.press("ArrowLeft");
    tab.sees(".face .base >> Suns");
    tab.press("ArrowLeft");
    tab.sees(".face .base >> Putns");
    tab.click("[data-act=undo]");
    tab.sees("#place >> / 3");
    // A click on a button leaves the keys to the cards.
    tab.click("[data-act=next]");
    tab.press(" ");
    tab.sees(".face.flipped");
    tab.assert_quiet();
}

#[test]
fn fc_16_a_card_shows_one_sentence_and_the_others_when_asked() {
    let learner = Learner::new();
    let tab = learner.learning(STORY);
    tab.press("ArrowRight");
    tab.sees(".face .base >> Anna");
    tab.counts(".context", 1);
    tab.click("[data-act=more] >> 1 more");
    tab.until("document.querySelectorAll('.context').length === 2");
    // The button does not flip the card.
    tab.counts(".face.flipped", 0);
    tab.counts(".context mark", 2);
    tab.assert_quiet();
}

#[test]
fn fc_22_a_hole_has_a_banner_in_three_languages_and_is_filled_in_its_place() {
    let learner = Learner::new();
    learner.refuses.store(true, Ordering::SeqCst);
    let tab = learner.learning(STORY);
    tab.sees("#notices [data-code=HOLES]");
    mode(&tab, "reading");
    let mut said = Vec::new();
    for locale in ["en", "uk", "ru"] {
        choose(&tab, "#locale", locale);
        tab.until(&format!("document.documentElement.lang === '{locale}'"));
        let words = "find('.in-place [data-code=REFUSED]')?.innerText";
        said.push(tab.until(words));
    }
    assert!(said[0] != said[1] && said[1] != said[2], "{said:?}");
    choose(&tab, "#locale", "uk");
    tab.sees(".in-place button >> Спробувати");
    tab.reads(".missing[data-index='1']", "Viņa meklēja dzintaru.");
    mode(&tab, "translation");
    tab.sees("li[data-index='1'] [data-code=REFUSED]");
    learner.refuses.store(false, Ordering::SeqCst);
    tab.click("li[data-index='1'] button >> Спробувати");
    tab.sees("li[data-index='1'] >> Вона шукала бурштин.");
    tab.misses(".banner");
    tab.assert_quiet();
}

#[test]
fn words_and_phrases_are_marked_and_say_what_they_mean() {
    let learner = Learner::new();
    let tab = learner.learning(STORY);
    mode(&tab, "reading");
    // The text is as it was, blank lines too.
    tab.gives("document.querySelector('.prose-text')?.textContent", STORY);
    tab.reads(".prose-text .w.phrase", "Rīta agrumā");
    tab.hover(".prose-text .w >> jūru");
    tab.sees("#tip >> моря");
    tab.sees("#tip >> jūra – море");
    tab.hover(".prose-text .w.phrase >> pilns ar");
    tab.sees("#tip >> повний");
    tab.press("Escape");
    tab.misses("#tip");
    tab.eval("find('.prose-text .w >> silts').focus()");
    tab.sees("#tip >> теплий");
    tab.size(360, 700);
    tab.eval("find('.prose-text .w.phrase').focus()");
    tab.sees("#tip >> рано-вранці");
    tab.until(
        "(({ left, right, top }) => left >= 0 && right <= innerWidth && top >= 0)\
         (find('#tip').getBoundingClientRect())",
    );
    tab.assert_quiet();
}

#[test]
fn fc_17_an_edit_goes_everywhere_and_can_be_taken_back() {
    let learner = Learner::new();
    let tab = learner.learning(STORY);
    mode(&tab, "edit");
    let row = "li[data-key='lv:uk:word:jūra']";
    tab.fill(&format!("{row} .meaning"), "океан");
    tab.press("Enter");
    tab.sees(&format!("{row} .chip >> edited"));
    mode(&tab, "reading");
    tab.hover(".prose-text .w >> jūru");
    tab.sees("#tip >> jūra – океан");
    mode(&tab, "edit");
    // Hidden here is hidden everywhere.
    tab.click(&format!("{row} .switch"));
    tab.sees(&format!("{row}.hidden-card"));
    mode(&tab, "reading");
    tab.sees(".prose-text .w");
    tab.counts(".prose-text .w[data-key='lv:uk:word:jūra']", 0);
    mode(&tab, "edit");
    tab.click("#undo");
    tab.misses(&format!("{row}.hidden-card"));
    tab.click("#undo");
    tab.until(&format!("find(\"{row} .meaning\").value === 'море'"));
    tab.misses(&format!("{row} .chip >> edited"));
    tab.fill("#search", "сонце");
    tab.sees("#found >> 2");
    tab.click("#master");
    tab.until("document.querySelectorAll('.hidden-card').length === 2");
    tab.fill("#search", "");
    tab.until("document.querySelector('#master').indeterminate");
    tab.assert_quiet();
}

#[test]
fn lists_are_turned_by_pages_of_25_and_one_card_is_made_anew() {
    let learner = Learner::new();
    let words = ["Aa", "Bb", "Cc", "Dd", "Ee", "Ff", "Gg"];
    let text: Vec<_> =
        words.iter().flat_map(|word| (0..4).map(move |n| format!("{word}{n} ir."))).collect();
    let tab = learner.learning(&text.join(" "));
    mode(&tab, "edit");
    tab.sees("#found >> 28");
    tab.counts(".deck > li", 25);
    tab.click(".turn[aria-label=Next]");
    tab.sees("#page >> Page 2 of 2");
    tab.counts(".deck > li", 3);
    let before = learner.pad.model.requests().len();
    tab.click(".deck > li button >> Make again");
    tab.sees(".toast >> Making it again");
    tab.misses(".at-work");
    assert_eq!(learner.pad.model.requests().len(), before + 1);
    tab.assert_quiet();
}

#[test]
fn a_phone_has_room_for_every_view() {
    let learner = Learner::new();
    let tab = learner.learning(STORY);
    tab.size(360, 740);
    for name in ["flash", "reading", "translation", "edit", "text"] {
        mode(&tab, name);
        let wide = tab.eval("document.documentElement.scrollWidth - innerWidth");
        assert!(wide.as_i64().unwrap() <= 0, "{name} is {wide} pixels too wide");
        let inner = tab.eval("(main => main.scrollWidth - main.clientWidth)(find('#main'))");
        assert!(inner.as_i64().unwrap() <= 0, "{name} is {inner} pixels too wide inside");
    }
    tab.assert_quiet();
}

#[test]
fn texts_that_are_too_long_are_not_sent_and_old_ones_are_listed() {
    let learner = Learner::new();
    let tab = learner.learning(THREE);
    tab.open(&format!("{}cards", learner.pad.url));
    tab.sees(".runs li >> ready");
    tab.click(".runs a");
    tab.sees(".face");
    tab.eval("location.hash = ''");
    tab.sees("#text");
    tab.eval(
        "(() => { const area = find('#text'); area.value = 'ā'.repeat(100001); \
         area.dispatchEvent(new Event('input')); })()",
    );
    tab.sees("#count.fault >> 1 character");
    tab.until("find('#make').disabled");
    tab.assert_quiet();
}

#[test]
fn every_view_can_be_read_aloud_and_seen_in_the_dark() {
    let learner = Learner::new();
    learner.refuses.store(true, Ordering::SeqCst);
    let tab = learner.learning(STORY);
    for name in ["flash", "reading", "translation", "edit", "text"] {
        mode(&tab, name);
        audited(&tab, name, json!({}));
    }
    tab.eval("location.hash = ''");
    tab.sees("#text");
    audited(&tab, "a new text", json!({}));
    tab.assert_quiet();
}

#[test]
fn cards_are_brought_from_a_file_after_a_look_at_what_changes() {
    let learner = Learner::new();
    let tab = learner.learning(THREE);
    mode(&tab, "edit");
    tab.click(".fold > summary >> Import cards");
    let text = r#"[{"base_form":"suns","base_translation":"пес"},{"base_form":"lauva"}]"#;
    tab.eval(&format!(
        "(() => {{ const all = new DataTransfer(); all.items.add(new File([{}], 'deck.json')); \
         const input = find('#file'); input.files = all.files; \
         input.dispatchEvent(new Event('change')); }})()",
        json!(text)
    ));
    tab.sees("[data-sort=added] >> lauva");
    choose(&tab, "#strategy", "merge-prefer-imported");
    tab.sees("[data-sort=changed] >> suns");
    // A look changes nothing.
    tab.counts(".deck > li", 3);
    tab.click("button.primary >> Import");
    tab.sees("li[data-key='lv:uk:word:lauva']");
    tab.until("find(\"li[data-key='lv:uk:word:suns'] .meaning\").value === 'пес'");
    tab.click(".fold > summary >> Export");
    let file =
        tab.eval("(await (await fetch(find('[data-export=json]').href)).json()).cards.length");
    assert_eq!(file, 4);
    tab.assert_quiet();
}

#[test]
fn a_button_reached_by_keyboard_is_pressed_by_space() {
    let learner = Learner::new();
    let tab = learner.learning(THREE);
    tab.eval("document.querySelector('#main').focus()");
    while tab.eval("document.activeElement.dataset.act") != "next" {
        tab.press("Tab");
    }
    tab.press(" ");
    tab.sees("#place >> 2 / 3");
    // The focus stays.
    tab.gives("document.activeElement.dataset.act", "next");
    tab.assert_quiet();
}

#[test]
fn without_a_key_a_rehearsal_shows_how_it_works_and_asks_for_no_money() {
    let pad = Pad::rehearsing();
    let tab = pad.opened();
    tab.sees("#side a[href='/cards']");
    tab.click("#side a[href='/cards']");
    tab.sees("p >> No model is set up");
    tab.fill("#text", THREE);
    tab.click("#make");
    tab.sees(".face .base >> suns");
    tab.sees("#place >> 1 / 6");
    // What was made is there for whoever comes back.
    tab.reload();
    tab.sees("#place >> 1 / 6");
    tab.assert_quiet();
}
