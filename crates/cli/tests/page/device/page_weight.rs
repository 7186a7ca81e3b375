//! What the page costs before anybody has said anything.

use crate::browser::Tab;
use crate::device::languages::tab_in;
use crate::pad::Pad;

#[test]
fn the_first_load_is_light_and_stays_at_home() {
    let pad = Pad::rehearsing();
    for (languages, none_yet) in [
        ("en", "No conversations yet."),
        ("uk-UA,uk", "Розмов поки немає."),
        ("ru-RU,ru", "Бесед пока нет."),
    ] {
        println!("{languages}: {}", weigh(&pad, &tab_in(&pad, languages), none_yet));
    }
}

/// What the first load took; `none_yet` is shown when everything is there.
#[track_caller]
fn weigh(pad: &Pad, tab: &Tab, none_yet: &str) -> String {
    tab.sees(".welcome");
    tab.sees(&format!("#conversations >> {none_yet}"));
    let finished = tab.events("Network.loadingFinished").into_iter();
    let bytes: f64 = finished.filter_map(|event| event["encodedDataLength"].as_f64()).sum();
    let asked = tab.events("Network.requestWillBeSent");
    let urls: Vec<_> = asked.iter().filter_map(|event| event["request"]["url"].as_str()).collect();
    assert!(urls.iter().all(|url| url.starts_with(&pad.url)), "{urls:#?}");
    // Each script of the first load is in the list of `index.html`, and the list has no others.
    let asset = |url: &str| url.split_once("/assets/").map(|(_, path)| path.to_owned());
    let scripts = urls.iter().filter(|url| url.ends_with(".js") && !url.ends_with("/theme.js"));
    let mut loaded: Vec<_> = scripts.filter_map(|url| asset(url)).collect();
    loaded.sort_unstable();
    let links = "[...document.querySelectorAll('[rel=modulepreload], script[type=module]')]\
                 .map((one) => one.href || one.src)";
    let links = tab.eval(links);
    let links = links.as_array().unwrap().iter().filter_map(|link| asset(link.as_str()?));
    let mut listed: Vec<_> = links.collect();
    listed.sort_unstable();
    assert_eq!(loaded, listed);
    let ready = || tab.eval("performance.getEntriesByName('ready')[0]?.startTime ?? null");
    let first = ready();
    tab.reload();
    tab.sees(".welcome");
    let again = ready();
    assert!((20_000.0..=45_000.0).contains(&bytes), "{bytes} bytes in {urls:#?}");
    assert!(urls.len() <= 10, "{urls:#?}");
    tab.assert_quiet();
    format!("{bytes} bytes in {} requests, ready after {first} ms, again {again} ms", urls.len())
}
