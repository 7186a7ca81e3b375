//! Environment variables for git in a sandbox. Many servers run it, and it gives up easily.
//!
//! Servers cannot read the user's git configuration, which may contain anything. Git fails on a
//! file that exists but is unreadable, so it is pointed to an empty one. It also refuses to work
//! in folders of other users; children of root run as another user, so root's folders are
//! declared safe.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use hosts::sandbox::Files;

use crate::client::server_config::ServerProgram;

const SETTINGS: [&str; 2] = [".gitconfig", ".config/git/config"];
const GLOBAL: &str = "GIT_CONFIG_GLOBAL";
const COUNT: &str = "GIT_CONFIG_COUNT";
const ROOT: u32 = 0;

/// The variables; none that the operator has set.
pub(crate) fn variables(server: &ServerProgram, files: &Files) -> Vec<(String, String)> {
    let is_said = |variable: &str| server.env.iter().any(|(name, _)| name == variable);
    let mut variables = Vec::new();
    if !is_said(GLOBAL) && !reads_settings(server, files) {
        variables.push((GLOBAL.to_owned(), "/dev/null".to_owned()));
    }
    if !is_said(COUNT) && hosts::sandbox::drops_root() {
        variables.extend(owners(server));
    }
    variables
}

/// Whether the existing configuration files are readable.
fn reads_settings(server: &ServerProgram, files: &Files) -> bool {
    let Some(home) = server.home() else { return true };
    let there = SETTINGS.iter().filter_map(|path| home.join(path).canonicalize().ok());
    let allowed: Vec<_> = files.read.iter().chain(&files.write).collect();
    there.into_iter().all(|path| allowed.iter().any(|allowed| path.starts_with(allowed)))
}

fn owners(server: &ServerProgram) -> Vec<(String, String)> {
    let folders = folders(server);
    // The second form matches everything below.
    let values = folders.iter().flat_map(|path| {
        let path = path.display();
        [path.to_string(), format!("{path}/*")]
    });
    let values: Vec<_> = values.collect();
    let count = (COUNT.to_owned(), values.len().to_string());
    let entries = values.into_iter().enumerate().flat_map(|(at, value)| {
        let key = (format!("GIT_CONFIG_KEY_{at}"), "safe.directory".to_owned());
        [key, (format!("GIT_CONFIG_VALUE_{at}"), value)]
    });
    entries.chain([count]).collect()
}

/// The folders that the operator names and root owns.
fn folders(server: &ServerProgram) -> Vec<PathBuf> {
    let named = server.args.iter().flat_map(|arg| super::named(server, arg));
    let allowed = server.read.iter().chain(&server.write).cloned().chain(named);
    let real = allowed.filter_map(|path| path.canonicalize().ok());
    real.filter(|path| path.metadata().is_ok_and(|found| found.is_dir() && found.uid() == ROOT))
        .collect()
}
