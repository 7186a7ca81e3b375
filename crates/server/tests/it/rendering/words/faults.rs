//! The faults of the API in the languages of the page: each code has words, and so has each text
//! that an action of the page can cause. A fault names the file, the text and the fix.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::page_texts::{Text, texts};
use super::{server, table};

/// The enums whose faults the API passes on, beside the server's own files.
const ENUMS: [&str; 7] = [
    "../attachments/src/fault.rs",
    "../conversation/src/fault.rs",
    "../documents/src/lib.rs",
    "../knowledge/src/fault.rs",
    "../mcp-web/src/fault.rs",
    "../providers/src/fault.rs",
    "../services/src/kv/quota.rs",
];

/// What only programs, other pages, or requests that no page sends can cause.
const NOT_BY_THE_PAGE: &[&str] = &[
    // Requests that the page does not make.
    "a header that must be unique is repeated",
    "the body must be a JSON object",
    "the body was cut off",
    "the form cannot be read",
    "the request comes from a page of another site",
    "there is no `Host`",
    "there is nothing at this address",
    "`title` must be a string",
    "`utcOffset` is {}",
    "invalid position in the stream",
    "not the name of an icon",
    "unknown `Host`",
    "unknown form",
    "unknown format",
    "unknown kind of snippet",
    // The sign-in page has its own words.
    "too many logins at once",
    "too many wrong tokens",
    // The page has words of its own for a picture that cannot be shown.
    "the picture cannot be loaded: {}",
    "there is no PNG, JPEG, GIF, WebP or AVIF picture",
    "this is not the address of a picture",
    // Calls of programs.
    "an `Idempotency-Key` has 1 to {} plain characters",
    "the arguments are too large",
    // They become other faults on the way.
    "another program is answering in this conversation; try again in a moment",
    "event {} of the conversation cannot be read: {}",
    "the conversation `{}` already exists",
    "there is no conversation `{}`",
    // Their texts come from elsewhere.
    "{}",
];

/// Functions of `Fault` whose first argument is the message.
const MADE_BY: [&str; 8] = [
    "bad_request",
    "conflict",
    "expired",
    "forbidden",
    "foreign",
    "not_found",
    "too_large",
    "too_many",
];

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => rust_files(&path, files),
            false if path.extension().is_some_and(|kind| kind == "rs") => files.push(path),
            false => {}
        }
    }
}

/// With `{}` for every value, as both sides name them differently.
fn plain(text: &str) -> String {
    let mut pieces = text.split('{');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str("{}");
        plain.push_str(piece.split_once('}').map_or("", |(_, rest)| rest));
    }
    plain
}

/// The literal at the beginning of some code.
fn literal(code: &str) -> Option<String> {
    let code = code.trim_start().trim_start_matches("format!(").trim_start();
    let text = code.strip_prefix('"')?.split_once('"')?.0;
    Some(plain(&text.replace("\\\n", "").split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// The messages of the API, each with its file.
fn messages() -> Vec<(String, String)> {
    let (mut files, mut found) = (Vec::new(), Vec::new());
    rust_files(&server().join("src"), &mut files);
    rust_files(&server().join("../mcp-web/src"), &mut files);
    for file in files.iter().filter(|file| !file.ends_with("agui.rs")) {
        let code = fs::read_to_string(file).unwrap();
        let made = MADE_BY.iter().flat_map(|name| {
            let calls = [format!("Fault::{name}("), format!("Self::{name}(")];
            calls.into_iter().flat_map(|call| code.split(call.as_str()).skip(1).collect::<Vec<_>>())
        });
        // A message that is made in the line before.
        let named = code.split("let message = ").skip(1).filter(|rest| {
            let next: String = rest.chars().take(400).collect();
            next.split(';').nth(1).is_some_and(|next| next.contains("Fault::"))
        });
        let all = made.chain(named).filter_map(literal);
        found.extend(all.map(|text| (file.display().to_string(), text)));
    }
    for file in ENUMS {
        let code = fs::read_to_string(server().join(file)).unwrap();
        let all = code.split("#[error(").skip(1).filter_map(literal);
        found.extend(all.map(|text| (file.to_owned(), text)));
    }
    found
}

fn page() -> String {
    fs::read_to_string(server().join("page/faults.js")).unwrap()
}

fn known() -> BTreeSet<String> {
    let page = page();
    let list = page.split_once("const KNOWN").unwrap().1.split_once("];").unwrap().0;
    let keys = texts(&format!("const KNOWN{list}];")).into_iter().filter_map(|found| match found {
        Text::Key { key, .. } => Some(plain(&key)),
        Text::Plain { .. } | Text::Computed { .. } => None,
    });
    keys.collect()
}

#[test]
fn every_fault_that_the_page_can_cause_has_words() {
    let (known, messages) = (known(), messages());
    assert!(messages.len() > 100, "{} messages were found", messages.len());
    let mut faults = Vec::new();
    for (file, text) in &messages {
        if !known.contains(text) && !NOT_BY_THE_PAGE.contains(&text.as_str()) {
            faults
                .push(format!("{file}: add `known({text:?})` to page/faults.js, or to this test"));
        }
    }
    let unused = NOT_BY_THE_PAGE.iter().filter(|text| !messages.iter().any(|one| one.1 == **text));
    faults.extend(unused.map(|text| format!("no file has {text:?}; remove it from this test")));
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_page_knows_no_fault_that_is_gone() {
    let mut files = Vec::new();
    for folder in ["src", "../mcp-web/src", "../engine/src/call"] {
        rust_files(&server().join(folder), &mut files);
    }
    files.extend(ENUMS.map(|file| server().join(file)));
    let code = files.iter().map(|file| fs::read_to_string(file).unwrap());
    let code: Vec<_> =
        code.flat_map(|code| code.split('"').map(plain).collect::<Vec<_>>()).collect();
    let gone: Vec<_> = known().into_iter().filter(|text| !code.contains(text)).collect();
    assert!(gone.is_empty(), "no file has these any more; page/faults.js: {gone:#?}");
}

#[test]
fn every_code_of_the_api_has_words_in_every_language() {
    let rust = fs::read_to_string(server().join("src/fault.rs")).unwrap();
    let codes = rust.split("StatusCode::").skip(1).filter_map(|rest| {
        let (status, rest) = rest.split_once(", \"")?;
        let is_status = status.chars().all(|one| one.is_ascii_uppercase() || one == '_');
        is_status.then(|| rest.split_once('"').map(|(code, _)| code.to_owned()))?
    });
    let codes: BTreeSet<_> = codes.collect();
    assert!(codes.len() > 20, "{codes:?}");
    let page = page();
    let list = page.split_once("const CODES = {").unwrap().1.split_once("};").unwrap().0;
    let lines = list.lines().filter_map(|line| line.trim().split_once(": t(\""));
    let words: Vec<_> =
        lines.map(|(code, text)| (code.to_owned(), text.trim_end_matches("\"),"))).collect();
    let of_page: BTreeSet<_> = words.iter().map(|(code, _)| code.clone()).collect();
    assert_eq!(of_page, codes);
    for language in ["uk", "ru"] {
        let table = table(language);
        for (code, text) in &words {
            assert!(table.contains_key(*text), "{language}: no words for `{code}`");
        }
    }
}
