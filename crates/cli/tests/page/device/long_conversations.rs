//! A long conversation opens at its end, and its earlier messages come on request.

use crate::pad::{Pad, rests};

const TURNS: usize = 2_500;

#[test]
fn a_long_conversation_opens_at_its_end_and_shows_earlier_messages_on_request() {
    let pad = Pad::new();
    let tab = pad.tab();
    let entries = format!(
        "Array.from({{ length: {TURNS} }}, (_, at) => [{{ entry: 'user', turn: at + 1, text: \
         `Question ${{at + 1}}` }}, {{ entry: 'assistant', turn: at + 1, text: `**Answer** ${{at + 1}}` }}])\
         .flat()"
    );
    let made = tab.eval(&format!(
        "(await (await fetch('/api/conversations/import', {{ method: 'POST', headers: \
         {{ 'Content-Type': 'application/json' }}, body: JSON.stringify({{ title: 'Long', \
         entries: {entries} }}) }})).json()).id"
    ));
    let began = "performance.now()";
    let start = tab.eval(began).as_f64().unwrap();
    tab.eval(&format!("(location.hash = '#/{}')", made.as_str().unwrap()));
    tab.sees(&format!(".assistant >> Answer {TURNS}"));
    let end = tab.eval(began).as_f64().unwrap();
    println!("{} entries are open after {:.0} ms", 2 * TURNS, end - start);
    rests(&tab);
    tab.counts(".entry", 150);
    tab.sees(".earlier-entries button >> Show earlier messages (4,850)");
    tab.eval("(log.scrollTop = 0)");
    let first = tab.eval("log.querySelector('.entry').dataset.key");
    tab.click(".earlier-entries button");
    tab.counts(".entry", 300);
    // What was on the screen is still there.
    let at =
        format!("[...log.querySelectorAll('.entry')].find((one) => one.dataset.key === {first})");
    tab.gives(&format!("Math.abs({at}.getBoundingClientRect().top) < innerHeight"), true);
    let key = "(() => { const before = performance.now(); draft.focus(); \
               document.execCommand('insertText', false, 'a'); draft.offsetHeight; \
               return performance.now() - before })()";
    println!("a keystroke costs {:.1} ms", tab.eval(key).as_f64().unwrap());
    tab.assert_quiet();
}
