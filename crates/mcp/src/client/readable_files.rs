//! The files that a sandboxed server may read: system libraries, its interpreter, its package,
//! the files its arguments name, and those the operator allows.
//!
//! Must hold: our store and logins and the user's keys are never readable, even if the operator
//! allows a folder that contains them; then the entries of that folder are allowed one by one.

pub(crate) mod git;
mod installed;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hosts::sandbox::{Files, SandboxPolicy};

use super::server_config::ServerProgram;

/// The parts of a system that programs need.
const SYSTEM: [&str; 46] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/gitconfig",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/mime.types",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/group",
    // Without their private keys.
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/openssl.cnf",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    // Only its own process.
    "/proc/self",
    "/proc/meminfo",
    "/proc/cpuinfo",
    "/proc/stat",
    "/proc/version",
    "/proc/uptime",
    "/proc/loadavg",
    "/proc/filesystems",
    "/sys/devices/system/cpu",
    "/run/systemd/resolve",
];
/// Devices that every server may write.
const DEVICES: [&str; 2] = ["/dev/null", "/dev/tty"];
/// How many parent folders are searched for a package.
const LEVELS_MAX: usize = 6;
/// How many entries may replace a folder that contains private files.
const ENTRIES_MAX: usize = 2_000;
const SHEBANG_BYTES_MAX: usize = 256;

/// The files of the sandbox. The error is for the operator.
pub(crate) fn files(server: &ServerProgram) -> Result<Files, String> {
    let devices = DEVICES.iter().map(PathBuf::from).filter(|path| path.exists());
    if server.sandbox == SandboxPolicy::BestEffort {
        return Ok(Files { read: Vec::new(), write: vec![PathBuf::from("/")] });
    }
    let private: Vec<_> =
        server.private.iter().filter_map(|path| path.canonicalize().ok()).collect();
    for folder in server.write.iter().filter_map(|path| path.canonicalize().ok()) {
        if let Some(inside) =
            private.iter().find(|path| path.starts_with(&folder) || folder.starts_with(path))
        {
            let (folder, inside) = (folder.display(), inside.display());
            return Err(format!(
                "`write` includes `{folder}`, but no server may write `{inside}`; list the folders next to it"
            ));
        }
    }
    let mut read: BTreeSet<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    read.extend(program(server, &server.program, 2));
    read.extend(server.args.iter().flat_map(|arg| named(server, arg)));
    read.extend(server.read.iter().cloned());
    let mut readable = Vec::new();
    for path in read.into_iter().filter(|path| path.exists()) {
        without(&path, &private, &mut readable)?;
    }
    Ok(Files { read: readable, write: server.write.iter().cloned().chain(devices).collect() })
}

/// What a program needs: itself, its libraries, its environment, and for a script also its
/// interpreter.
fn program(server: &ServerProgram, name: &Path, depth: u8) -> Vec<PathBuf> {
    let Some(path) = found(server, name) else { return Vec::new() };
    let Ok(real) = path.canonicalize() else { return Vec::new() };
    let mut read = vec![real.clone()];
    for one in [&path, &real] {
        read.extend(server.home().into_iter().flat_map(|home| installed::needs(home, one)));
        let Some(prefix) = one.parent().and_then(Path::parent) else { continue };
        if prefix.join("pyvenv.cfg").is_file() {
            read.push(prefix.to_owned());
        }
        // Not the whole prefix: it may be a home directory.
        let is_bin = one.parent().is_some_and(|folder| folder.ends_with("bin"));
        if is_bin && !server.is_home(prefix) {
            read.extend(["lib", "lib64", "libexec", "include"].map(|folder| prefix.join(folder)));
        }
    }
    read.extend(package(server, &real));
    if depth > 0
        && let Some(interpreter) = shebang(&real)
    {
        read.extend(program(server, &interpreter, depth - 1));
    }
    read
}

/// Looks a program up in PATH.
fn found(server: &ServerProgram, name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return Some(server.dir.join(name));
    }
    let path = server.env.iter().rfind(|(key, _)| key == "PATH").map(|(_, value)| value.as_str());
    let folders = path.unwrap_or("/usr/local/bin:/usr/bin:/bin").split(':');
    folders.map(|folder| Path::new(folder).join(name)).find(|path| path.is_file())
}

/// The interpreter of a script; with `env`, the program that `env` looks up.
fn shebang(script: &Path) -> Option<PathBuf> {
    use std::io::Read;
    let mut start = Vec::new();
    let file = std::fs::File::open(script).ok()?;
    file.take(SHEBANG_BYTES_MAX as u64).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let mut words = line.split_ascii_whitespace();
    let first = Path::new(words.next()?);
    let looked_for = words.find(|word| !word.starts_with('-'));
    match (first.file_name()?.to_str()?, looked_for) {
        ("env", Some(name)) => Some(PathBuf::from(name)),
        _ => Some(first.to_owned()),
    }
}

/// The existing file or folder that an argument names.
fn named(server: &ServerProgram, arg: &str) -> Vec<PathBuf> {
    let value =
        arg.split_once('=').filter(|(key, _)| key.starts_with('-')).map_or(arg, |(_, value)| value);
    let path = Path::new(value);
    let looks_like_a_path =
        value.contains('/') || path.extension().is_some() || server.dir.join(path).is_dir();
    if value.is_empty() || !looks_like_a_path {
        return Vec::new();
    }
    match server.dir.join(path).canonicalize() {
        Ok(real) if real.is_dir() && !server.is_home(&real) => vec![real],
        Ok(real) if real.is_file() => package(server, &real).into_iter().chain([real]).collect(),
        Ok(_) | Err(_) => Vec::new(),
    }
}

/// The package of a file: its `node_modules`, its project, or its folder.
fn package(server: &ServerProgram, file: &Path) -> Option<PathBuf> {
    if SYSTEM.iter().any(|folder| file.starts_with(folder)) {
        return None;
    }
    let modules = file.ancestors().filter(|folder| folder.ends_with("node_modules")).last();
    let marked = || {
        file.ancestors().skip(1).take(LEVELS_MAX).find(|folder| {
            ["package.json", "pyproject.toml"].iter().any(|mark| folder.join(mark).is_file())
        })
    };
    let is_program = file.parent().is_some_and(|folder| folder.ends_with("bin"));
    let own = || file.parent().filter(|_| !is_program);
    let folder = modules.or_else(marked).or_else(own)?;
    (!server.is_home(folder)).then(|| folder.to_owned())
}

impl ServerProgram {
    /// Whether this is or contains the home directory.
    fn is_home(&self, folder: &Path) -> bool {
        folder.parent().is_none() || self.home().is_some_and(|home| home.starts_with(folder))
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        let home = self.env.iter().rfind(|(key, _)| key == "HOME");
        home.map(|(_, value)| Path::new(value)).filter(|home| home.is_absolute())
    }
}

/// Adds a path without its private files; a folder that contains some is added entry by entry.
fn without(path: &Path, private: &[PathBuf], readable: &mut Vec<PathBuf>) -> Result<(), String> {
    // Compares the real path, with links resolved.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if private.iter().any(|one| real.starts_with(one)) {
        return Ok(());
    }
    if !private.iter().any(|one| one.starts_with(&real)) {
        readable.push(path.to_owned());
        return Ok(());
    }
    let entries =
        std::fs::read_dir(&real).map_err(|fault| format!("`{}`: {fault}", real.display()))?;
    for entry in entries.flatten() {
        if readable.len() >= ENTRIES_MAX {
            return Err(format!(
                "`{}` has too many entries next to files that no server may read; list fewer folders",
                real.display()
            ));
        }
        // The target of a link is not allowed by allowing the link.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            without(&entry.path(), private, readable)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
