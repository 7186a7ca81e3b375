//! Replaces `npx` and `uvx` by the installed program that they would start. The sandbox does not
//! let them look up and download packages.
//!
//! In: a configured server. Out: the same server with the resolved program, or the command that
//! installs it. Nothing is downloaded, so the program that was reviewed is the one that runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Deserialize;
use serde_json::Value;

use super::connection::fault::NotInstalled;
use super::server_config::ServerProgram;

/// Larger package descriptions are not read.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// How many packages in the cache of `npx` are searched.
const PACKAGES_MAX: usize = 1_000;

/// The server with the program that finally runs.
pub(crate) fn resolve(server: &ServerProgram) -> Result<ServerProgram, NotInstalled> {
    let (package_option, find, by_hand): (_, fn(&_, &_) -> _, _) =
        match server.program.file_name().and_then(|name| name.to_str()) {
            Some("npx") => (["-p", "--package"], npx, "npx -y"),
            Some("uvx") => (["--from", "--from"], uvx, "uv tool install"),
            _ => return Ok(server.clone()),
        };
    // Other options are left to the runner.
    let Some(wanted) = PackageSpec::read(&server.args, package_option) else {
        return Ok(server.clone());
    };
    let found: Option<PathBuf> = find(server, &wanted);
    let program = found.ok_or_else(|| {
        let package = wanted.package.clone();
        NotInstalled { by_hand: format!("{by_hand} {package}"), package }
    })?;
    Ok(ServerProgram { program, args: wanted.args, ..server.clone() })
}

/// The requested package.
#[derive(Debug, PartialEq, Eq)]
struct PackageSpec {
    /// With its version, if one is given.
    package: String,
    /// Which of its programs, if given.
    program: Option<String>,
    /// For the program.
    args: Vec<String>,
}

impl PackageSpec {
    fn read(args: &[String], package_option: [&str; 2]) -> Option<Self> {
        let mut args = args.iter();
        let mut package = None;
        loop {
            let arg = args.next()?;
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (arg.as_str(), None),
            };
            match name {
                "-y" | "--yes" | "-q" | "--quiet" | "--" => {}
                _ if package_option.contains(&name) && package.is_none() => {
                    package = Some(value.or_else(|| args.next().cloned())?);
                }
                _ if name.starts_with('-') => return None,
                _ => {
                    let args = args.cloned().collect();
                    return Some(match package {
                        Some(package) => Self { package, program: Some(arg.clone()), args },
                        None => Self { package: arg.clone(), program: None, args },
                    });
                }
            }
        }
    }

    /// The name without its version; an npm name may itself start with `@`.
    fn name(&self) -> &str {
        let at = self.package.get(1..).and_then(|rest| rest.find('@'));
        at.map_or(self.package.as_str(), |at| &self.package[..=at])
    }
}

/// The file that `npx` writes next to the packages that it installs.
#[derive(Deserialize)]
struct Installed {
    #[serde(rename = "_npx")]
    npx: Option<Packages>,
}

#[derive(Deserialize)]
struct Packages {
    packages: Vec<String>,
}

#[derive(Deserialize)]
struct Package {
    bin: Option<Value>,
}

/// In the project, or the newest in the cache of `npx`.
fn npx(server: &ServerProgram, wanted: &PackageSpec) -> Option<PathBuf> {
    let own = (wanted.name() == wanted.package).then(|| server.dir.clone());
    let cache = server.env.iter().rfind(|(name, _)| name == "npm_config_cache");
    let cache = cache.map(|(_, path)| PathBuf::from(path));
    let cache = cache.or_else(|| server.home().map(|home| home.join(".npm")));
    let cached = cache.and_then(|cache| fs::read_dir(cache.join("_npx")).ok());
    let mut cached: Vec<_> = cached
        .into_iter()
        .flatten()
        .flatten()
        .take(PACKAGES_MAX)
        .map(|entry| entry.path())
        .filter(|folder| holds(folder, &wanted.package))
        .collect();
    cached.sort_by_key(|folder| std::cmp::Reverse(changed(folder)));
    own.into_iter().chain(cached).find_map(|folder| program_of(&folder, wanted))
}

fn holds(folder: &Path, package: &str) -> bool {
    let installed: Option<Installed> = read(&folder.join("package.json"));
    let packages = installed.and_then(|file| file.npx).map(|npx| npx.packages);
    packages.is_some_and(|packages| packages.iter().any(|one| one == package))
}

fn changed(folder: &Path) -> Option<SystemTime> {
    folder.join("package.json").metadata().ok()?.modified().ok()
}

fn program_of(folder: &Path, wanted: &PackageSpec) -> Option<PathBuf> {
    let package = folder.join("node_modules").join(wanted.name());
    let Package { bin } = read(&package.join("package.json"))?;
    let short = wanted.name().rsplit('/').next()?;
    let path = match bin? {
        Value::String(path) => path,
        Value::Object(programs) => {
            let name = wanted.program.as_deref().unwrap_or(short);
            // A package with a single program may name it differently.
            let only = programs.values().next().filter(|_| programs.len() == 1);
            let only = only.filter(|_| wanted.program.is_none());
            programs.get(name).or(only)?.as_str()?.to_owned()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    let program = package.join(path).canonicalize().ok()?;
    // A package may only name programs of its own.
    program.starts_with(package.canonicalize().ok()?).then_some(program)
}

/// In the tools that uv has installed.
fn uvx(server: &ServerProgram, wanted: &PackageSpec) -> Option<PathBuf> {
    let name = wanted.name();
    if name != wanted.package {
        return None;
    }
    let folder = name.to_lowercase().replace(['_', '.'], "-");
    let is_plain =
        |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let program = wanted.program.as_deref().unwrap_or(name);
    if !is_plain(&folder) || !is_plain(program) || program.starts_with('.') {
        return None;
    }
    let tools = server.home()?.join(".local/share/uv/tools");
    Some(tools.join(folder).join("bin").join(program)).filter(|path| path.is_file())
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    if path.metadata().ok()?.len() > FILE_BYTES_MAX {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests;
