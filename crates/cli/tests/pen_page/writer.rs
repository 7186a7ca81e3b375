//! A writer at the page: a draft, remarks, edits, undo, saving, other platforms, no key.

use fake_providers::{Gate, Turn};
use serde_json::json;

use crate::axe::audited;
use crate::browser::Tab;
use crate::desk::{BETTER, Desk, GOOD, IDEA, has_text, mode, types_more};
use crate::pad::Pad;

#[test]
fn a_draft_is_written_checked_remarked_on_undone_and_saved() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    tab.sees("#findings-count >> Порушень не знайдено");
    tab.reads("#version", "версія 1 з 1");
    desk.pad.model.then(Turn::says(BETTER));
    tab.click(".remark >> занадто формально");
    has_text(&tab, BETTER);
    tab.sees("#changes .removed >> Плани не рятують.");
    tab.sees("#changes .added >> Плани брешуть.");
    tab.click("#undo");
    has_text(&tab, GOOD);
    tab.click("#redo");
    has_text(&tab, BETTER);
    tab.fill("#remark", "заміни «довго» на «роками»");
    tab.press("Enter");
    let edited = BETTER.replace("довго", "роками");
    has_text(&tab, &edited);
    tab.click("#save");
    tab.sees("#said >> збережено:");
    tab.sees("#draft-head >> збережено");
    assert!(desk.saved()[0].contains(&edited));
    assert_eq!(desk.pad.model.requests().len(), 2, "an edit and a save ask no model");
    tab.assert_quiet();
}

#[test]
fn findings_and_counts_follow_the_typing_and_show_their_place() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    tab.sees("#findings-count >> Порушень не знайдено");
    let before = tab.until("find('#count').textContent").as_str().unwrap().to_owned();
    types_more(&tab, " Друзі, це контент.");
    tab.sees("#findings [data-rule=avoid-word] >> контент");
    tab.sees("#unsent");
    tab.until(&format!("find('#count').textContent !== {}", json!(before)));
    tab.sees(".mirror mark.error");
    tab.click("#findings [data-rule=avoid-word] button >> контент");
    tab.gives("getSelection().toString() || (a => a.value.slice(a.selectionStart, a.selectionEnd))(find('#text'))", "контент");
    // The marks lie exactly under their words.
    tab.until("document.querySelector('.mirror').clientHeight === find('#text').clientHeight");
    tab.assert_quiet();
}

#[test]
fn what_was_typed_survives_a_reload_and_goes_with_the_next_action() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    types_more(&tab, "!");
    let typed = format!("{GOOD}!");
    tab.until("localStorage.length > 1");
    tab.reload();
    tab.until(&format!("find('#text')?.value === {}", json!(typed)));
    tab.click("#save");
    tab.sees("#said >> збережено:");
    assert!(desk.saved()[0].contains(&typed), "{:?}", desk.saved());
    tab.click("#undo");
    has_text(&tab, GOOD);
    tab.assert_quiet();
}

#[test]
fn an_edit_by_hand_becomes_a_version_when_the_field_is_left() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    types_more(&tab, "!");
    tab.click("#remark");
    tab.reads("#version", "версія 2 з 2");
    tab.sees("#changes .added");
    tab.gives("document.activeElement.id", "remark");
    tab.assert_quiet();
}

#[test]
fn a_text_is_shown_while_it_is_written_and_a_stop_loses_nothing() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    let gate = Gate::new();
    desk.pad.model.then(Turn::says(BETTER).gate_at(4, &gate));
    tab.click(".remark >> занадто довго");
    tab.until("find('#text').value.startsWith('Плани бре')");
    tab.sees("#progress >> Модель пише");
    // A reload shows the same work.
    tab.reload();
    tab.until("find('#text')?.value.startsWith('Плани бре')");
    tab.click("#stop");
    has_text(&tab, GOOD);
    tab.sees("#said [role=alert] >> зупинено");
    tab.until("!find('#text').readOnly");
    gate.open();
    tab.assert_quiet();
}

#[test]
fn one_idea_goes_to_several_platforms_and_each_has_its_true_counts() {
    let desk = Desk::new();
    let long = "Плани не рятують, бо життя не читає планів. ".repeat(9);
    let long = long.trim();
    let told = long.to_owned();
    desk.pad.model.answering(move |body| {
        let is_short = body.to_string().contains("Platform: x.");
        Turn::says(if is_short { "Плани брешуть. А ви як?" } else { &told }).into()
    });
    let tab = desk.tab();
    tab.fill("#idea", IDEA);
    tab.click(".pick-chip >> X");
    tab.sees("#begin >> Написати чернетки");
    tab.click("#begin");
    has_text(&tab, long);
    tab.counts(".tabs .tab", 2);
    // LinkedIn takes it whole, X in posts of at most 280.
    tab.counts("#thread .post", 1);
    tab.click(".platform-tab[data-platform=x]");
    tab.sees("#thread .post-text >> 1/2");
    tab.counts("#thread .post", 2);
    tab.until(
        "[...document.querySelectorAll('.post-count')].every((one) => { \
               const [now, most] = one.textContent.split(' / ').map(Number); \
               return most === 280 && now <= most && now > 0; })",
    );
    tab.click(".tabs .tab >> X");
    has_text(&tab, "Плани брешуть. А ви як?");
    tab.reads("#count", "23 / 280");
    tab.assert_quiet();
}

#[test]
fn the_techniques_of_another_profile_are_chosen_in_the_form() {
    let desk = Desk::new().with_other("alex");
    desk.pad.model.then(Turn::says(GOOD));
    let tab = desk.tab();
    tab.click(".idea-form summary");
    tab.gives("[...find('#techniques').options].map((one) => one.value).join()", ",alex");
    tab.eval(
        "(pick => { pick.value = 'alex'; \
           pick.dispatchEvent(new Event('input', { bubbles: true })); })(find('#techniques'))",
    );
    tab.fill("#idea", IDEA);
    // The choice survives a reload, as the idea does.
    tab.reload();
    tab.until("document.querySelector('#techniques')?.value === 'alex'");
    tab.click("#begin");
    has_text(&tab, GOOD);
    tab.sees("#draft-head >> mix:default+alex");
    tab.assert_quiet();
}

#[test]
fn a_draft_is_deleted_from_the_list_or_from_its_page_and_brought_back() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    tab.click("#remove");
    tab.sees("#removed >> Чернетку «плани» видалено");
    tab.misses("#drafts [data-draft]");
    tab.gives("document.activeElement.id", "bring-back");
    tab.press("Enter");
    tab.misses("#removed");
    tab.click("#drafts [data-draft] [data-act=remove]");
    tab.sees("#removed");
    tab.reload();
    tab.sees("#modes >> Писати");
    tab.misses("#drafts [data-draft]");
    tab.assert_quiet();
}

#[test]
fn one_draft_is_worked_on_while_another_is_written() {
    let desk = Desk::new();
    let gate = Gate::new();
    let (told, held) = (GOOD.to_owned(), gate.clone());
    desk.pad.model.answering(move |body| {
        let body = body.to_string();
        match body.contains("Platform: x.") {
            true => Turn::says("Плани брешуть. А ви як?").into(),
            false if body.contains("The author says") => Turn::says(BETTER).gate(&held).into(),
            false => Turn::says(&told).into(),
        }
    });
    let tab = desk.tab();
    tab.fill("#idea", IDEA);
    tab.click(".pick-chip >> X");
    tab.click("#begin");
    has_text(&tab, GOOD);
    tab.click(".remark >> занадто довго");
    tab.sees("#progress");
    tab.click(".tabs .tab >> X");
    has_text(&tab, "Плани брешуть. А ви як?");
    tab.fill("#remark", "заміни «брешуть» на «мовчать»");
    tab.press("Enter");
    has_text(&tab, "Плани мовчать. А ви як?");
    tab.click(".tabs .tab >> LinkedIn");
    tab.sees("#progress");
    gate.open();
    has_text(&tab, BETTER);
    tab.assert_quiet();
}

#[test]
fn a_profile_is_changed_only_by_a_yes_to_the_shown_change() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    desk.pad.model.otherwise(Turn::says(BETTER));
    for number in 2..=4 {
        tab.click(".remark >> занадто формально");
        tab.sees(&format!("#version >> версія {number}"));
        tab.until("find('.desk').getAttribute('aria-busy') === 'false'");
    }
    tab.sees(".question[data-ask=proposal] code >> voice.formality");
    tab.sees(".question .added");
    tab.until("find('#save').disabled");
    // A reload asks the same question.
    tab.reload();
    tab.sees(".question[data-ask=proposal] code >> voice.formality");
    tab.fill("#value", "теплий");
    tab.press("Enter");
    tab.sees(".question[data-ask=value] .added >> теплий");
    tab.click("#yes");
    tab.sees("#said >> профіль оновлено");
    let text = std::fs::read_to_string(desk.pad.dir().join("data/profiles/default.json")).unwrap();
    assert!(text.contains("\"formality\": \"теплий\""), "{text}");
    mode(&tab, "voice");
    tab.sees(".traits dd >> теплий");
    tab.assert_quiet();
}

#[test]
fn without_a_key_the_page_checks_and_gives_a_prompt_to_paste() {
    let desk = Desk::keyless();
    let tab = desk.tab();
    tab.sees("#no-key >> Ключа моделі немає");
    tab.fill("#idea", IDEA);
    tab.click("#begin >> Скласти запит");
    tab.until("find('#prompt')?.value.includes('You are Ghostpen')");
    tab.fill("#text", GOOD);
    tab.sees("#findings-count >> Порушень не знайдено");
    tab.click(".remark >> занадто формально");
    tab.until("find('#prompt')?.value.includes('занадто формально')");
    tab.click("#save");
    tab.sees("#said >> збережено:");
    assert!(desk.saved()[0].contains(GOOD));
    tab.assert_quiet();
}

#[test]
fn a_first_profile_is_made_from_pasted_posts() {
    let pad = Pad::rehearsing();
    let tab = pad.opened();
    tab.eval("localStorage.setItem('pen-lang', 'uk')");
    tab.click("#side a[href='/pen']");
    tab.sees("h2 >> Спершу — ваш голос");
    let post = |n: u32| format!("Я теж боявся писати цей пост, день {n}.\n\nІ це нормально.");
    tab.fill("#posts", &[post(1), post(2), post(3)].join("\n---\n"));
    tab.click("#make-profile");
    tab.sees("main.view-voice .measures td.number");
    mode(&tab, "ideas");
    tab.sees("#idea");
    tab.assert_quiet();
}

#[test]
fn the_voice_shows_posts_beside_the_profile_and_finds_any_form_of_a_word() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    tab.click("#save");
    tab.sees("#said >> збережено:");
    mode(&tab, "voice");
    tab.sees(".traits dd >> дружній");
    tab.sees("#posts li >> плани");
    tab.fill("#search", "вигорання");
    tab.sees("#posts >> Нічого не знайдено");
    tab.fill("#search", "планам");
    tab.click("#posts summary >> плани");
    tab.sees("#posts .post-text >> А ви плануєте?");
    tab.assert_quiet();
}

#[test]
fn the_calendar_has_drafts_on_their_days() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    let today = tab.eval(
        "(d => [d.getFullYear(), d.getMonth() + 1, 15].map((n) => String(n)\
                          .padStart(2, '0')).join('-'))(new Date())",
    );
    let day = today.as_str().unwrap();
    tab.eval(&format!(
        "(input => {{ input.value = '{day}'; input.dispatchEvent(new Event('change')); }})(find('#day'))"
    ));
    tab.until("find('.desk')");
    mode(&tab, "calendar");
    tab.sees(&format!("td[data-day='{day}'] .dot-link >> плани"));
    tab.click(&format!("td[data-day='{day}'] .dot-link"));
    has_text(&tab, GOOD);
    tab.assert_quiet();
}

/// Nothing is wider than the screen.
#[track_caller]
fn fits(tab: &Tab, place: &str) {
    for element in ["document.documentElement", "find('#main')"] {
        let wide = tab.eval(&format!("({element}).scrollWidth - ({element}).clientWidth"));
        assert!(wide.as_i64().unwrap() <= 0, "{place} is {wide} pixels too wide");
    }
}

#[test]
fn a_phone_has_room_for_every_view() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    tab.size(360, 740);
    types_more(&tab, " Друзі, контент.");
    tab.sees("#findings [data-level=error]");
    fits(&tab, "draft");
    tab.click("#save");
    tab.sees("#said >> збережено:");
    fits(&tab, "a saved draft");
    for name in ["voice", "calendar", "ideas"] {
        mode(&tab, name);
        tab.until("document.querySelector('#main').innerText.length > 60");
        fits(&tab, name);
    }
    tab.click(".idea-form summary");
    fits(&tab, "more");
    tab.click("#drafts [data-draft] [data-act=remove]");
    tab.sees("#removed");
    fits(&tab, "a deleted draft");
    tab.assert_quiet();
}

#[test]
fn without_a_key_every_view_fits_a_phone_and_can_be_read_aloud() {
    let desk = Desk::keyless();
    let tab = desk.tab();
    tab.size(360, 740);
    tab.sees("#no-key");
    fits(&tab, "no key");
    audited(&tab, "no key", json!({}));
    tab.fill("#idea", IDEA);
    tab.click("#begin >> Скласти запит");
    tab.until("find('#prompt')?.value.includes('You are Ghostpen')");
    fits(&tab, "prompt");
    audited(&tab, "prompt", json!({}));
}

#[test]
fn a_question_about_the_profile_fits_a_phone_and_can_be_read_aloud() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    desk.pad.model.otherwise(Turn::says(BETTER));
    for number in 2..=4 {
        tab.click(".remark >> занадто формально");
        tab.sees(&format!("#version >> версія {number}"));
        tab.until("find('.desk').getAttribute('aria-busy') === 'false'");
    }
    tab.sees(".question[data-ask=proposal]");
    audited(&tab, "a proposal", json!({}));
    tab.size(360, 740);
    fits(&tab, "a proposal");
    // By keyboard alone.
    tab.eval("find('.question').querySelector('button, input').focus()");
    reach(&tab, "#no");
    tab.press("Enter");
    tab.misses(".question");
    tab.sees("#said >> профіль лишився як був");
}

#[test]
fn every_view_can_be_read_aloud_and_seen_in_the_dark() {
    let desk = Desk::new();
    let tab = desk.written(GOOD);
    types_more(&tab, " Друзі, контент.");
    tab.sees("#findings [data-level=error]");
    tab.click("#remark");
    tab.reads("#version", "версія 2 з 2");
    tab.sees("#changes .added");
    audited(&tab, "draft", json!({}));
    for name in ["ideas", "voice", "calendar"] {
        mode(&tab, name);
        tab.until("document.querySelector('#main').children.length > 0");
        audited(&tab, name, json!({}));
    }
    tab.assert_quiet();
}

#[test]
fn the_whole_way_can_be_gone_by_keyboard() {
    let desk = Desk::new();
    desk.pad.model.then(Turn::says(GOOD)).then(Turn::says(BETTER));
    let tab = desk.tab();
    tab.eval("find('#idea').focus()");
    tab.types(IDEA);
    reach(&tab, "#begin");
    tab.press("Enter");
    has_text(&tab, GOOD);
    reach(&tab, ".remark");
    tab.press(" ");
    has_text(&tab, BETTER);
    reach(&tab, "#undo");
    tab.press("Enter");
    has_text(&tab, GOOD);
    reach(&tab, "#save");
    tab.press("Enter");
    tab.sees("#said >> збережено:");
    assert_eq!(desk.saved().len(), 1);
    // The other views too.
    for (name, first) in [("voice", "#search"), ("calendar", "#next"), ("ideas", "#idea")] {
        tab.eval("find('#home').focus()");
        reach(&tab, &format!("[data-mode={name}]"));
        tab.press("Enter");
        tab.sees(&format!("main.view-{name}"));
        tab.sees(first);
        reach(&tab, first);
    }
    tab.assert_quiet();
}

/// Goes on by Tab until the focus is there.
#[track_caller]
fn reach(tab: &Tab, what: &str) {
    for _ in 0..80 {
        if tab.eval(&format!("document.activeElement.matches({})", json!(what))) == true {
            return;
        }
        tab.press("Tab");
    }
    panic!("{what} is not reached by Tab");
}
