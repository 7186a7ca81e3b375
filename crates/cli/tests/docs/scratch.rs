//! A project and a home of their own, and the commands of a document inside them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::repository;

/// Longer than anything takes on a busy machine; a command that waits for input has none.
const SECONDS_MAX: &str = "200";

/// Where a document's commands run. What they see: the program on the path, an empty home,
/// no keys, and nothing but this machine.
pub(crate) struct Scratch {
    root: tempfile::TempDir,
    /// Where the next command runs, after every `cd`.
    folder: RefCell<PathBuf>,
    /// The ports that the document names, and the free ones in their place.
    ports: RefCell<BTreeMap<String, u16>>,
}

/// How a command ended, and what a terminal would have shown.
pub(crate) struct Ran {
    pub code: i32,
    pub said: String,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["home/project", "bin", "tmp"] {
            fs::create_dir_all(root.path().join(name)).unwrap();
        }
        let folder = RefCell::new(root.path().join("home/project"));
        let scratch = Self { root, folder, ports: RefCell::default() };
        // The usual port may be taken on this machine: a server that names none gets a free one.
        let usual = scratch.port("7777");
        let program = format!(
            "#!/bin/sh\nfor word; do test \"$word\" = --listen && exec {0:?} \"$@\"; done\n\
             test \"$1\" = serve && exec {0:?} \"$@\" --listen 127.0.0.1:{usual}\nexec {0:?} \"$@\"\n",
            env!("CARGO_BIN_EXE_ghosthand")
        );
        scratch.program("ghosthand", &program);
        let pen = env!("CARGO_BIN_EXE_ghostpen");
        scratch.program("ghostpen", &format!("#!/bin/sh\nexec {pen:?} \"$@\"\n"));
        scratch
    }

    fn program(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.root.path().join("bin").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A command of the document, ready to be started.
    pub(crate) fn command(&self, line: &str) -> Command {
        let root = self.root.path();
        let after =
            format!("{}\nended=$?\npwd >{:?}\nexit $ended\n", self.ported(line), self.state());
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", SECONDS_MAX, "sh", "-c", &after]);
        let path = std::env::var("PATH").unwrap();
        command
            .env_clear()
            .env("PATH", format!("{}:{path}", root.join("bin").display()))
            .env("HOME", root.join("home"))
            .env("TMPDIR", root.join("tmp"))
            .env("REPOSITORY", repository())
            .env("LANG", "C.UTF-8")
            .env("NO_COLOR", "1")
            .env("TERM", "dumb")
            .env("TZ", "UTC")
            .current_dir(&*self.folder.borrow())
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, line: &str) -> Ran {
        let mut command = self.command(line);
        let transcript = self.root.path().join("tmp/transcript");
        let file = fs::File::create(&transcript).unwrap();
        command.stdout(file.try_clone().unwrap()).stderr(file);
        let status = command.status().unwrap();
        if let Ok(folder) = fs::read_to_string(self.state()) {
            self.folder.replace(PathBuf::from(folder.trim_end()));
        }
        let said = String::from_utf8_lossy(&fs::read(transcript).unwrap()).into_owned();
        Ran { code: status.code().unwrap_or(-1), said: self.shown(&said) }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.borrow().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn state(&self) -> PathBuf {
        self.root.path().join("tmp/folder")
    }

    /// The text with a free port for each that is named in it.
    fn ported(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((at, host)) = next_host(rest) {
            let (before, after) = rest.split_at(at + host.len());
            let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            out.push_str(before);
            match &after[..end] {
                "" | "0" => out.push_str(&after[..end]),
                port => out.push_str(&self.port(port).to_string()),
            }
            rest = &after[end..];
        }
        out.push_str(rest);
        out
    }

    fn port(&self, named: &str) -> u16 {
        let mut ports = self.ports.borrow_mut();
        *ports.entry(named.to_owned()).or_insert_with(|| {
            TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
        })
    }

    /// What was said, with the names that a reader would have instead of ours.
    pub(crate) fn shown(&self, said: &str) -> String {
        let named = |path: &Path| path.display().to_string();
        let mut text = said
            .replace(&named(&self.root.path().join("home")), "/home/you")
            .replace(env!("CARGO_BIN_EXE_ghosthand"), "/home/you/.cargo/bin/ghosthand")
            .replace(&named(&repository()), "/home/you/ghosthand");
        for (name, port) in self.ports.borrow().iter() {
            text = text.replace(&format!(":{port}"), &format!(":{name}"));
        }
        text
    }
}

fn next_host(text: &str) -> Option<(usize, &'static str)> {
    let hosts = ["127.0.0.1:", "localhost:", "0.0.0.0:"];
    hosts.into_iter().filter_map(|host| text.find(host).map(|at| (at, host))).min()
}
