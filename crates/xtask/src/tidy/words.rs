//! Words that the glossary and the style replace, as far as a program can tell them.
//!
//! Phrases are looked for in code, comments and documents; names where a type or a module is
//! declared. Every row has the word to use instead.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// What is written, and what to write.
const PHRASES: [(&str, &str); 8] = [
    ("is no valid", "is not a valid"),
    ("is no digest", "is not a digest"),
    ("is no string", "is not a string"),
    ("is no number", "is not a number"),
    ("another try changes nothing", "the error is not retryable"),
    ("1 tools", "1 tool"),
    ("a int ", "an int"),
    ("nobody can listen", "cannot listen"),
];

/// Names of types that do not say what they hold, and a name that does.
const TYPES: [(&str, &str); 4] = [
    ("Circle", "`LoopKind`"),
    ("Void", "`InvalidApproval`"),
    ("Brought", "what is imported"),
    ("Replied", "`HandlerAnswer`"),
];

/// Names of modules that nobody would search for, and the word of the field.
const MODULES: [(&str, &str); 11] = [
    ("beside", "side_events"),
    ("carry", "passthrough"),
    ("dress", "personalised_model"),
    ("earlier", "history"),
    ("hear", "dry_run"),
    ("mend", "repair"),
    ("purse", "cost_limit"),
    ("residue", "validator_only"),
    ("seats", "concurrency"),
    ("spelled", "messages"),
    ("spoken", "text_message"),
];

/// It lists the words.
const GLOSSARY: &str = "GLOSSARY.md";

pub(super) fn check(root: &Path, files: &[PathBuf], broken: &mut Vec<String>) -> Result<()> {
    let documents = documents(root)?;
    for path in files.iter().chain(&documents) {
        let name = super::shown(root, path);
        if name == GLOSSARY {
            continue;
        }
        let text = fs::read_to_string(path)?;
        for (index, line) in text.lines().enumerate() {
            let place = || format!("{name}:{}", index + 1);
            broken.extend(faults(line).into_iter().map(|fault| format!("{}: {fault}", place())));
        }
    }
    Ok(())
}

/// The documents of the repository.
fn documents(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned(), root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| super::shown(root, &folder))? {
            let path = entry?.path();
            if path.is_dir() && folder != root {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn faults(line: &str) -> Vec<String> {
    let say = |(word, instead): &(&str, &str)| format!("`{}`: write {instead}", word.trim());
    let phrases = PHRASES.iter().filter(|(phrase, _)| has_phrase(line, phrase)).map(say);
    let types = TYPES.iter().filter(|(name, _)| declares(line, &["struct", "enum", "trait"], name));
    let modules = MODULES.iter().filter(|(name, _)| declares(line, &["mod"], name));
    phrases.chain(types.map(say)).chain(modules.map(say)).collect()
}

/// The phrase with no letter or digit before it.
fn has_phrase(line: &str, phrase: &str) -> bool {
    let before = |at: usize| line[..at].chars().next_back();
    let free = |at: usize| before(at).is_none_or(|c| !c.is_alphanumeric());
    line.match_indices(phrase).any(|(at, _)| free(at))
}

/// `pub struct NAME`, `mod NAME;`: a keyword, then exactly this name.
fn declares(line: &str, keywords: &[&str], name: &str) -> bool {
    let mut words =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let code = !line.trim_start().starts_with("//");
    code && words.any(|word| keywords.contains(&word)) && words.next() == Some(name)
}

#[cfg(test)]
mod tests;
