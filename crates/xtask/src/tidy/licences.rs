//! Every dependency has a licence that `deny.toml` allows, read from `cargo metadata`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

#[derive(Deserialize)]
struct Deny {
    licenses: Licences,
}

#[derive(Deserialize)]
struct Licences {
    allow: BTreeSet<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    package: String,
    allow: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// What `cargo metadata` says of one package.
#[derive(Deserialize)]
struct Package {
    name: String,
    license: Option<String>,
    license_file: Option<PathBuf>,
    manifest_path: PathBuf,
}

impl Package {
    /// The expression in its manifest, or what the file that it names begins with.
    fn licence(&self) -> String {
        let file = self.license_file.as_ref().map(|file| self.manifest_path.with_file_name(file));
        let text = || fs::read_to_string(file?).ok();
        let first = || Some(text()?.lines().next()?.trim_end_matches(" License").to_owned());
        self.license.clone().or_else(first).unwrap_or_default()
    }
}

#[expect(clippy::disallowed_methods, reason = "cargo, in the folder that it is asked about")]
pub(super) fn check(root: &Path, broken: &mut Vec<String>) -> Result<()> {
    let text = fs::read_to_string(root.join("deny.toml")).context("deny.toml")?;
    let Deny { licenses } = toml::from_str(&text).context("deny.toml")?;
    let asked = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform"])
        .arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .current_dir(root)
        .output()
        .context("cargo metadata")?;
    ensure!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    let metadata: Metadata = serde_json::from_slice(&asked.stdout)?;
    for package in metadata.packages {
        let own = licenses.exceptions.iter().find(|exception| exception.package == package.name);
        let allow = own.map_or(&licenses.allow, |exception| &exception.allow);
        let licence = package.licence();
        if !is_allowed(&licence, allow) {
            let name = package.name;
            broken.push(format!("{name} has the licence `{licence}`, which deny.toml forbids"));
        }
    }
    Ok(())
}

/// Does an SPDX expression leave a choice that is allowed? `/` is how old crates write `OR`.
pub(super) fn is_allowed(licence: &str, allow: &BTreeSet<String>) -> bool {
    let licence = licence.replace('/', " OR ").replace(['(', ')'], " ");
    let known = |name: &str| allow.contains(name.trim());
    // In the expressions that are in use, each side of an `AND` is a choice of its own.
    licence.split(" AND ").all(|part| part.split(" OR ").any(known))
}

#[cfg(test)]
mod tests;
