//! Markdown while it is being written, and nothing that is empty in between.

use fake_providers::Turn;
use testkit::Gate;

use crate::pad::{Pad, rests, say};

/// The frame before which so many words have been sent; the first frame has none.
fn after_words(count: usize) -> usize {
    count + 2
}

#[test]
fn markdown_is_shown_while_it_is_written_and_what_is_shown_stays() {
    let pad = Pad::new();
    let (bold, code) = (Gate::new(), Gate::new());
    let told = "# Plan\n\nIt is **forty two** exactly.\n\n```rust\nfn main() {}\n```\n\nThe end.";
    pad.model.then(Turn::says(told).gate_at(after_words(4), &bold).gate_at(after_words(7), &code));
    let tab = pad.tab();
    say(&tab, "Tell me");
    tab.sees(".assistant.writing h1 >> Plan");
    tab.sees(".assistant.writing strong >> forty");
    tab.reads(".assistant .text", "Plan\n\nIt is forty");
    tab.eval("(window.title = find('.assistant h1'), getSelection().selectAllChildren(title))");
    bold.open();
    tab.sees(".assistant.writing strong >> forty two");
    tab.sees(".assistant.writing pre >> fn main()");
    tab.misses(".assistant .hl-keyword");
    code.open();
    rests(&tab);
    tab.sees(".assistant pre .hl-keyword >> fn");
    assert_eq!(tab.eval("window.title.isConnected"), true);
    assert_eq!(tab.eval("getSelection().toString()"), "Plan");
    tab.counts(".assistant h1", 1);
    tab.counts(".assistant pre", 1);
    tab.sees(".assistant p >> The end.");
    tab.assert_quiet();
}

#[test]
fn what_a_person_selected_and_opened_in_the_text_that_is_being_written_stays() {
    let pad = Pad::new();
    let gate = Gate::new();
    let told =
        "<details><summary>More</summary>\n\nInside\n\n</details>\n\nOne two three four five.";
    pad.model.then(Turn::says(told).gate_at(after_words(3), &gate));
    let tab = pad.tab();
    say(&tab, "Count");
    tab.sees(".assistant.writing p >> two three");
    tab.click(".assistant summary >> More");
    tab.sees(".assistant details p >> Inside");
    let text = "find('.assistant p >> One two').firstChild";
    tab.eval(&format!("getSelection().setBaseAndExtent({text}, 4, {text}, 7)"));
    gate.open();
    rests(&tab);
    tab.sees(".assistant p >> One two three four five.");
    tab.sees(".assistant details p >> Inside");
    assert_eq!(tab.eval("getSelection().toString()"), "two");
    tab.assert_quiet();
}

#[test]
fn a_page_that_comes_late_or_back_has_each_block_once() {
    let pad = Pad::new();
    let gate = Gate::new();
    let told = "First **one**.\n\nSecond *two*.\n\nThird `three` and four.";
    pad.model.then(Turn::says(told).gate_at(after_words(4), &gate));
    let tab = pad.tab();
    say(&tab, "Count");
    tab.sees(".assistant.writing code >> three");
    let place = tab.eval("location.hash");
    let late = pad.tab_at(place.as_str().unwrap());
    late.sees(".assistant.writing code >> three");
    tab.offline(true);
    tab.eval("window.stop()");
    tab.sees("#offline >> Connection lost");
    gate.open();
    rests(&late);
    tab.offline(false);
    rests(&tab);
    for tab in [&tab, &late] {
        tab.reads(".assistant .text", "First one.\n\nSecond two.\n\nThird three and four.");
        tab.counts(".assistant", 1);
        tab.counts(".assistant p", 3);
    }
}

#[test]
fn hostile_markup_in_pieces_is_harmless_at_each_of_them() {
    let pad = Pad::new();
    let told = "<script >window.hit=1</script > <img src=x onerror=window.hit=2 > \
        [go on](javascript:window.hit=3 \"on it\") <b onclick=window.hit=4 >now</b > \
        <iframe srcdoc=\"<script >top.hit=5</script >\" ></iframe > done";
    let gates: Vec<_> = (0..told.split(' ').count()).map(|_| Gate::new()).collect();
    let turn = gates
        .iter()
        .enumerate()
        .fold(Turn::says(told), |turn, (at, gate)| turn.gate_at(after_words(at), gate));
    pad.model.then(turn);
    let tab = pad.tab();
    say(&tab, "Go");
    for gate in &gates {
        pad.wait(gate.reached());
        tab.sees("#stop");
        tab.counts(".assistant :is(script, img, iframe, [onclick], [href^=java])", 0);
        gate.open();
    }
    rests(&tab);
    tab.sees(".assistant >> done");
    tab.counts(".assistant :is(script, img, iframe, [onclick], [href^=java])", 0);
    assert_eq!(tab.eval("window.hit ?? null"), serde_json::Value::Null);
    tab.assert_quiet();
}

#[test]
fn another_conversation_takes_the_place_of_the_first_without_an_empty_moment() {
    let pad = Pad::new();
    let tab = pad.talking();
    pad.begins_anew(&tab, "Weather");
    tab.eval(
        "(window.empty = 0, new MutationObserver(() => (window.empty += !log.childElementCount))\
         .observe(log, { childList: true }))",
    );
    tab.click("#conversations a >> Hello");
    tab.sees(".user >> Hello");
    tab.misses(".user >> Weather");
    tab.reads("#title", "Hello");
    assert_eq!(tab.eval("window.empty"), 0);
    tab.assert_quiet();
}
