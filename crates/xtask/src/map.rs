//! The generated parts of the documents: the crate list and the page of faults.
//!
//! A generated part is between two marker comments, or is a whole file. `write` updates them,
//! and `tidy` fails when one is out of date.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use registry::{Code, Severity};
use serde::Deserialize;

use crate::dialects;

/// A document with what it should say.
pub(crate) struct Page {
    pub path: PathBuf,
    pub content: String,
}

/// Renews every generated part.
pub(crate) fn write(root: &Path) -> Result<()> {
    for page in pages(root)? {
        if let Some(folder) = page.path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&page.path, page.content)
            .with_context(|| format!("{} cannot be written", page.path.display()))?;
    }
    Ok(())
}

/// Every document with a generated part, as it should be.
pub(crate) fn pages(root: &Path) -> Result<Vec<Page>> {
    let architecture = root.join("ARCHITECTURE.md");
    let text = fs::read_to_string(&architecture)
        .with_context(|| format!("{} cannot be read", architecture.display()))?;
    let content = replace_between(&text, "crates", &crate_list(root)?)?;
    let dialects = root.join("docs/reference/dialects.md");
    let text = fs::read_to_string(&dialects)
        .with_context(|| format!("{} cannot be read", dialects.display()))?;
    let measured = replace_between(&text, "corpus", &dialects::table()?)?;
    Ok(vec![
        Page { path: architecture, content },
        Page { path: dialects, content: measured },
        Page { path: root.join("docs/reference/faults.md"), content: fault_page() },
    ])
}

fn replace_between(text: &str, name: &str, new: &str) -> Result<String> {
    let (open, close) = (format!("<!-- {name}: generated -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = text.split_once(&open).with_context(|| format!("no `{open}`"))?;
    let (_, after) = rest.split_once(&close).with_context(|| format!("no `{close}`"))?;
    Ok(format!("{before}{open}{new}{close}{after}"))
}

/// What a `Cargo.toml` says of its crate.
#[derive(Deserialize)]
pub(crate) struct Manifest {
    pub package: Package,
    #[serde(default)]
    pub dependencies: toml::Table,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub name: String,
    description: String,
}

/// The order of the crates: the path of one call, then the apps, then the tools for developers.
const WALK: [&str; 34] = [
    "contract",
    "files",
    "documents",
    "attachments",
    "knowledge",
    "registry",
    "dialect",
    "conversation",
    "models",
    "rehearsal",
    "engine",
    "policy",
    "services",
    "hosts",
    "store",
    "postgres",
    "voice",
    "server",
    "mcp",
    "emit",
    "cancel",
    "cli",
    "cards",
    "cards-web",
    "pen",
    "pen-web",
    "voice-session",
    "voice-web",
    "mcp-web",
    "fake-providers",
    "testkit",
    "fuzz",
    "benches",
    "xtask",
];

fn crate_list(root: &Path) -> Result<String> {
    let mut manifests = Vec::new();
    let apps = fs::read_dir(root.join("apps"))?
        .chain(fs::read_dir(root.join("apps/cards"))?)
        .chain(fs::read_dir(root.join("apps/pen"))?);
    for entry in fs::read_dir(root.join("crates"))?.chain(apps).chain(fs::read_dir(root)?) {
        let path = entry?.path().join("Cargo.toml");
        if path.exists() {
            let text = fs::read_to_string(&path)?;
            manifests.push(
                toml::from_str::<Manifest>(&text).with_context(|| path.display().to_string())?,
            );
        }
    }
    let rank = |name: &str| WALK.iter().position(|known| *known == name).unwrap_or(WALK.len());
    manifests.sort_by_key(|manifest| (rank(&manifest.package.name), manifest.package.name.clone()));
    let names: Vec<_> = manifests.iter().map(|manifest| manifest.package.name.clone()).collect();
    let mut table = String::from("| crate | holds | sees |\n| --- | --- | --- |\n");
    for Manifest { package, dependencies } in &manifests {
        let sees: Vec<_> = names.iter().filter(|name| dependencies.contains_key(*name)).collect();
        let sees: Vec<_> = sees.into_iter().map(|name| format!("`{name}`")).collect();
        table +=
            &format!("| `{}` | {} | {} |\n", package.name, package.description, sees.join(", "));
    }
    Ok(table)
}

fn fault_page() -> String {
    let mut page = String::from(
        "# Faults\n\n\
         Every fault that `ghosthand check` can report, with a bad and a good example.\n\
         `ghosthand faults CODE` prints the same page.\n\
         This file is generated (`cargo xtask map`) from `crates/registry/goldens`, \
         which are also its tests.\n\n\
         | code | | what is wrong |\n| --- | --- | --- |\n",
    );
    for code in Code::ALL {
        let severity = match code.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let link = format!("{code}: {}", code.title());
        page += &format!("| [{code}](#{}) | {severity} | {} |\n", anchor(&link), code.title());
    }
    for code in Code::ALL {
        page.push('\n');
        let mut in_fence: Option<usize> = None;
        for line in code.page().lines() {
            let marks = line.chars().take_while(|c| *c == '`').count();
            in_fence = match in_fence {
                None if marks >= 3 => Some(marks),
                Some(length) if marks >= length && line.len() == marks => None,
                other => other,
            };
            // Each page is a chapter here, so its headings move down by one.
            let heading = in_fence.is_none() && line.starts_with('#');
            page += &format!("{}{line}\n", if heading { "#" } else { "" });
        }
    }
    page
}

/// The anchor that a Markdown renderer gives a heading.
fn anchor(title: &str) -> String {
    let keep = |c: char| c.is_alphanumeric() || c == ' ' || c == '-' || c == '_';
    title.to_lowercase().chars().filter(|c| keep(*c)).collect::<String>().replace(' ', "-")
}
