//! Reviews without a connection: the page opens, cards are answered, and each answer counts once.

use serde_json::json;

use crate::story::{Learner, mode};

const THREE: &str = "Suns rej. Kaķis skrien. Putns dzied.";
/// The service worker has kept the page, and serves it from now on.
const KEPT: &str = "Boolean(navigator.serviceWorker.controller)";

#[test]
fn reviews_open_without_a_connection_and_each_answer_counts_once() {
    let mut learner = Learner::new();
    let tab = learner.learning(THREE);
    mode(&tab, "review");
    tab.sees(".review .face .base >> Suns");
    tab.until(KEPT);
    tab.press(" ");
    tab.sees(".face.flipped");
    tab.press("4");
    tab.until("(localStorage.getItem('cards-reviews') ?? '[]') === '[]'");
    learner.pad.goes_away();
    tab.reload();
    tab.sees(".away >> No connection");
    tab.sees(".review .face .base >> Kaķis");
    tab.reads("#today", "Today: 1");
    tab.press(" ");
    tab.sees(".face.flipped");
    tab.press("4");
    tab.sees(".kept >> 1 answer is kept");
    // A second reload goes on where the first one ended.
    tab.reload();
    tab.sees(".review .face .base >> Putns");
    tab.reads("#today", "Today: 2");
    learner.pad.comes_back();
    tab.eval("document.querySelector('.kept [data-act=send], .away [data-act=again]')?.click()");
    tab.misses(".kept, .away");
    tab.until("(localStorage.getItem('cards-reviews') ?? '[]') === '[]'");
    tab.reads("#today", "Today: 2");
    tab.sees(".review .face .base >> Putns");
    tab.reads("#left", "1 left");
    let given = tab.eval("(await (await fetch('/api/cards/review?day=0')).json()).today");
    assert_eq!(given, 2, "each answer counts once");
}

#[test]
fn the_page_of_a_server_that_answers_is_never_an_old_one() {
    let learner = Learner::new();
    let tab = learner.learning("Suns rej.");
    mode(&tab, "review");
    tab.until(KEPT);
    // What the browser has kept says something else than the server.
    tab.eval(
        "await (async () => { const [name] = await caches.keys(); \
           const place = await caches.open(name); \
           await place.put('/cards', new Response('<p id=old>old</p>', \
             { headers: { 'content-type': 'text/html' } })); })()",
    );
    tab.reload();
    tab.sees(".review .face");
    tab.counts("#old", 0);
    // Every file that the page loads is kept, and none of another version.
    let missing = tab.eval(
        "await (async () => { const [name] = await caches.keys(); \
           const place = await caches.open(name); \
           const kept = (await place.keys()).map((one) => new URL(one.url).pathname); \
           const loaded = performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname); \
           return loaded.filter((one) => one.startsWith('/assets/') && !kept.includes(one)); })()",
    );
    assert_eq!(missing, json!([]));
    assert_eq!(tab.eval("(await caches.keys()).length"), 1);
    tab.assert_quiet();
}

#[test]
fn who_is_signed_out_leaves_no_cards_to_read() {
    let learner = Learner::new();
    let tab = learner.learning("Suns rej.");
    mode(&tab, "review");
    tab.until("localStorage.getItem('cards-queues')?.includes('Suns')");
    tab.call("Network.clearBrowserCookies", json!({}));
    tab.click("[data-mode=text]");
    tab.eval("location.hash = '#/review'");
    tab.until("localStorage.getItem('cards-queues') === '[]'");
}
