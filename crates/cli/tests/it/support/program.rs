//! Runs the real binary in a directory of its own.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run left behind, ready to compare.
#[derive(Debug)]
pub(crate) struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

pub(crate) fn command(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ghosthand"));
    command.current_dir(dir).env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

pub(crate) fn run(dir: &Path, args: &[&str]) -> Run {
    run_with(command(dir).args(args))
}

pub(crate) fn run_with(command: &mut Command) -> Run {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    Run {
        code: status.code().expect("the program ends by itself"),
        out: String::from_utf8(stdout).expect("stdout is text"),
        err: String::from_utf8(stderr).expect("stderr is text"),
    }
}

/// Sends JSON over HTTP, and gives the status and what came back.
pub(crate) fn exchange(address: &str, method: &str, path: &str, body: &str) -> (u16, String) {
    exchange_with(address, "", method, path, body)
}

/// The same with further headers, each with the end of its line.
pub(crate) fn exchange_with(
    address: &str,
    headers: &str,
    method: &str,
    path: &str,
    body: &str,
) -> (u16, String) {
    let (head, body) = exchange_heads(address, headers, method, path, body);
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
}

/// The same, and gives the whole head of the response.
pub(crate) fn exchange_heads(
    address: &str,
    headers: &str,
    method: &str,
    path: &str,
    body: &str,
) -> (String, String) {
    let mut socket = TcpStream::connect(address).unwrap();
    write!(
        socket,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut told = String::new();
    socket.read_to_string(&mut told).unwrap();
    let (head, body) = told.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// The root of this repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository is there")
}

/// The tools of a folder without their lock: tests change them and add to them.
pub(crate) fn copy_unlocked(from: &Path, to: &Path) {
    copy_tree(from, to);
    let lock = to.join("tools.lock");
    if lock.exists() {
        std::fs::remove_file(lock).expect("the lock can be removed");
    }
}

pub(crate) fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the folder can be made");
    for entry in std::fs::read_dir(from).expect("the folder can be read").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_tree(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).expect("the file can be copied")),
        }
    }
}
