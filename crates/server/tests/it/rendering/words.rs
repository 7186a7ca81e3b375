//! The texts of the page: each has its translations, and none is written past the tables.
//!
//! A fault names the module, the line, the text and the fix.

mod faults;
mod page_texts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use self::page_texts::{Text, html_texts, modules, rust_texts, texts};

type Table = BTreeMap<String, String>;

/// HTML files with texts as `{{…}}`.
const HTML_FILES: [&str; 4] = [
    "page/index.html",
    "page/install/offline.html",
    "src/auth/sign_in.html",
    "../mcp-web/page/logged_in.html",
];

/// Files of ours that write HTML, with texts as `language.text("…")`.
const RUST_FILES: [&str; 2] =
    ["src/routes/conversations/shares/html.rs", "src/routes/conversations/shares/entry_html.rs"];

fn server() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn table(language: &str) -> Table {
    let text = fs::read_to_string(server().join(format!("page/words/{language}.toml"))).unwrap();
    toml::from_str(&text).unwrap()
}

/// Every key, with the places that use it.
fn keys() -> BTreeMap<String, Vec<String>> {
    let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (module, text) in modules() {
        for found in texts(&text) {
            if let Text::Key { key, line } = found {
                keys.entry(key).or_default().push(format!("{module}:{line}"));
            }
        }
    }
    for file in HTML_FILES {
        for key in html_texts(&fs::read_to_string(server().join(file)).unwrap()) {
            keys.entry(key).or_default().push(file.to_owned());
        }
    }
    for file in RUST_FILES {
        let found = rust_texts(&fs::read_to_string(server().join(file)).unwrap());
        assert!(!found.is_empty(), "{file} has no text");
        for key in found {
            keys.entry(key).or_default().push(file.to_owned());
        }
    }
    keys
}

#[test]
fn both_tables_have_every_text_and_no_other() {
    let keys = keys();
    assert!(keys.len() > 400, "{} texts were found", keys.len());
    let mut faults = Vec::new();
    for language in ["uk", "ru"] {
        let table = table(language);
        let missing = keys.iter().filter(|(key, _)| !table.contains_key(*key));
        faults.extend(missing.map(|(key, places)| {
            format!("{}: add {key:?} to page/words/{language}.toml", places.join(", "))
        }));
        let unused = table.keys().filter(|key| !keys.contains_key(*key));
        faults.extend(
            unused.map(|key| {
                format!("page/words/{language}.toml: no module uses {key:?}; remove it")
            }),
        );
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn a_translation_fills_in_the_same_values_in_the_forms_of_its_language() {
    let mut faults = Vec::new();
    for (language, forms) in [("uk", 3), ("ru", 3)] {
        for (key, text) in table(language) {
            let (wanted, found) = (placeholders(&key), placeholders(&text));
            let names = |all: &[Placeholder]| -> BTreeSet<String> {
                all.iter().map(|one| one.name.clone()).collect()
            };
            if names(&wanted) != names(&found) {
                faults.push(format!("{language}: {text:?} has other values than {key:?}"));
            }
            let is_bad =
                |one: &&Placeholder, number| one.forms.is_some_and(|forms| forms != number);
            if let Some(bad) = found.iter().find(|one| is_bad(one, forms)) {
                let name = &bad.name;
                faults.push(format!("{language}: `{{{name}:…}}` of {text:?} needs {forms} forms"));
            }
            if wanted.iter().any(|one| is_bad(&one, 2)) {
                faults.push(format!("{key:?}: English has two forms"));
            }
            if text.trim().is_empty() || edges(&key) != edges(&text) {
                faults.push(format!(
                    "{language}: {text:?} is empty, or begins or ends unlike {key:?}"
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

struct Placeholder {
    name: String,
    /// How many forms `{n:…}` has.
    forms: Option<usize>,
}

/// `{name}` and `{n:one|other}`.
fn placeholders(text: &str) -> Vec<Placeholder> {
    let inside = text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    let one = |inside: &str| match inside.split_once(':') {
        Some((name, forms)) => {
            Placeholder { name: name.to_owned(), forms: Some(forms.split('|').count()) }
        }
        None => Placeholder { name: inside.to_owned(), forms: None },
    };
    inside.map(one).collect()
}

/// Spaces and marks that must be kept: a text before another begins or ends with a space.
fn edges(text: &str) -> (bool, bool, bool, bool) {
    let ends = |mark: char| text.trim_end().ends_with(mark);
    (text.starts_with(' '), text.ends_with(' '), ends('…'), ends(':'))
}

#[test]
fn no_text_for_people_is_written_past_the_tables() {
    let mut faults = Vec::new();
    for (module, text) in modules() {
        for found in texts(&text) {
            match found {
                Text::Key { .. } => {}
                Text::Plain { text, line } => faults.push(format!(
                    "{module}:{line}: people may see {text:?}; write `t({text:?})`, or add it to \
                     NOT_FOR_PEOPLE in tests/it/rendering/words/page_texts.rs"
                )),
                Text::Computed { line } => faults.push(format!(
                    "{module}:{line}: `t` takes a text in quotes, so that it can be looked up"
                )),
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_search_for_texts_finds_them() {
    let check = |code: &str, wanted: &[&str]| {
        let found = texts(code).into_iter().map(|one| match one {
            Text::Key { key, .. } => format!("key {key}"),
            Text::Plain { text, .. } => format!("plain {text}"),
            Text::Computed { .. } => "computed".to_owned(),
        });
        assert_eq!(found.collect::<Vec<_>>(), wanted, "{code}");
    };
    check(r#"t("Save")"#, &["key Save"]);
    check(
        r#"withParts("Run {command}", { command: h("code", {}, "x y") })"#,
        &["key Run {command}", "plain x y"],
    );
    check("t(name)", &["computed"]);
    check(r#"toast("Saved", "bad")"#, &["plain Saved"]);
    check(r#"list.classList.toggle("open", is); "one two three".split(" ")"#, &[]);
    check(
        r#"h("span", { class: "faint hint", title: "edited" }, "edited")"#,
        &["plain edited", "plain edited"],
    );
    check(r#"h("span", {}, isNew ? "new" : t("old"))"#, &["plain new", "key old"]);
    check(r#"h("input", { type: "text", "aria-label": `Use ${name}` })"#, &["plain Use …"]);
    check(r#"iconButton("x", "Close", close)"#, &["plain Close"]);
    check(r#"note.textContent = "gone""#, &["plain gone"]);
    check("element.querySelector(\"section > .row button\"); path`/a b/${id}`", &[]);
    check(r#"const STATUS = { open: "still running" };"#, &["plain still running"]);
    check(r#"if (event.key === "Escape" || event.key === "Home") emit("stale");"#, &[]);
    check(
        r#"new Fault(0, { message: "gone", fix: "Try again" })"#,
        &["plain gone", "plain Try again"],
    );
}
