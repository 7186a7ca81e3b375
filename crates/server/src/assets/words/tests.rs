//! Which language a browser gets, and what its pages have inside.

use std::collections::BTreeMap;

use axum::http::{HeaderMap, HeaderValue, header};

use super::{Language, later, translated, with_table};

#[test]
fn the_browser_says_which_language_it_is() {
    let check = |accepted: &str, cookie: &str, wanted: Language| {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_LANGUAGE, HeaderValue::from_str(accepted).unwrap());
        headers.insert(header::COOKIE, HeaderValue::from_str(cookie).unwrap());
        assert_eq!(Language::of_browser(&headers), wanted, "{accepted:?} {cookie:?}");
    };
    check("", "", Language::En);
    check("de-DE, fr;q=0.8", "", Language::En);
    check("uk-UA,uk;q=0.9,en-US;q=0.8,en;q=0.7", "", Language::Uk);
    check("de, ru;q=0.5, uk;q=0.9", "", Language::Uk);
    check("RU", "", Language::Ru);
    check("en-GB,ru;q=0.9", "", Language::En);
    check("ru;q=0", "", Language::En);
    check("ru;q=many, *;q=0.1", "", Language::En);
    check("en", "a=b; ghosthand-language=uk", Language::Uk);
    check("ru", "ghosthand-language=xx", Language::Ru);
}

#[test]
fn a_choice_is_kept_in_a_cookie_until_there_is_none() {
    let check = |cookie: &'static str, chosen: Option<Language>, wanted: Option<&str>| {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_static(cookie));
        let set = Language::cookie(chosen, &headers);
        let set = set.as_ref().map(|set| set.to_str().unwrap());
        assert_eq!(set.map(|set| set.split_once(';').unwrap().0), wanted, "{cookie:?} {chosen:?}");
        assert_eq!(
            set.is_some_and(|set| set.ends_with("Max-Age=0")),
            wanted.is_some() && chosen.is_none()
        );
    };
    check("", Some(Language::Ru), Some("ghosthand-language=ru"));
    check("ghosthand-language=ru", Some(Language::Ru), None);
    check("ghosthand-language=ru", Some(Language::En), Some("ghosthand-language=en"));
    check("ghosthand-language=ru", None, Some("ghosthand-language="));
    check("", None, None);
}

#[test]
fn a_page_has_its_texts_and_those_of_its_first_bundles() {
    let page = "<html lang=\"en\"><body><h1 title=\"{{Settings}}\">{{Settings}}</h1>{{\n</body>";
    let first = ["x = t(\"Close\")", "t(\"{n} ms\", { n })"];
    let english = translated(page, Language::En);
    assert_eq!(english, page.replace("{{Settings}}", "Settings"));
    assert_eq!(with_table(&english, Language::En, &first), english);
    let ukrainian = with_table(&translated(page, Language::Uk), Language::Uk, &first);
    assert!(ukrainian.starts_with("<html lang=\"uk\"><body><h1 title=\"Налаштування\">Налашт"));
    let table = "<script type=\"application/json\" id=\"page-words\">\
                 {\"Close\":\"Закрити\",\"{n} ms\":\"{n} мс\"}</script>\n</body>";
    assert!(ukrainian.ends_with(table), "{ukrainian}");
    let files = later(&first);
    assert_eq!(
        files.iter().map(|(path, _)| path).collect::<Vec<_>>(),
        ["words/uk.json", "words/ru.json"]
    );
    for (path, json) in files {
        let texts: BTreeMap<String, String> = serde_json::from_str(&json).unwrap();
        assert!(texts.contains_key("Settings") && !texts.contains_key("Close"), "{path}");
    }
}
