//! The sandbox, tried from inside.

use hosts::sandbox::doctor::Kind;
use hosts::sandbox::{Files, Protection, Sandbox, SandboxPolicy};
use hosts::spawn::{Launch, Role, Running, launch};
use hosts::{JsHost, doctor};

use crate::harness::{config, program, runtime};

#[test]
fn a_javascript_worker_can_only_compute() {
    let report = runtime().block_on(doctor(program(), Kind::Engine)).unwrap();
    assert_eq!(report.open, Vec::<String>::new(), "{report:?}");
    assert!(report.blocked.contains(&"read a file".to_owned()));
    assert_eq!(report.gap(SandboxPolicy::Required), None);
}

#[test]
fn a_server_can_do_only_what_it_is_allowed() {
    for (kind, listens) in [(Kind::Program, false), (Kind::Networked, true)] {
        let report = runtime().block_on(doctor(program(), kind)).unwrap();
        assert_eq!(report.open, Vec::<String>::new(), "{report:?}");
        assert_eq!(report.blocked.contains(&"listen on TCP".to_owned()), !listens);
        assert_eq!(report.gap(SandboxPolicy::Required), None);
    }
}

#[test]
fn the_level_reports_what_is_enforced() {
    let level = runtime().block_on(async { JsHost::start(config()).level().await }).unwrap();
    for (name, part) in level.parts() {
        // A kernel may lack Landlock; then the level says so.
        assert!(matches!(part, Protection::Enforced(_)) || name == "files", "{name}: {part:?}");
    }
}

/// Runs a shell in a sandbox; returns what it wrote to its channel.
fn shell(files: Files, script: &str) -> String {
    let runtime = runtime();
    let sandbox = Sandbox::program(files, 1 << 30, 1 << 20);
    let role = Role::Exec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
    };
    let started = launch(Launch { program: program(), sandbox, role });
    let mut running: Running = runtime.block_on(started).unwrap();
    let mut channel = running.take_channel().unwrap();
    let mut written = Vec::new();
    std::io::Read::read_to_end(&mut channel, &mut written).unwrap();
    // The hello comes first: a length, then JSON.
    let length = u32::from_le_bytes(written[..4].try_into().unwrap()) as usize;
    String::from_utf8_lossy(&written[4 + length..]).into_owned()
}

fn system() -> Files {
    let read = ["/bin", "/usr", "/lib", "/lib64", "/etc/ld.so.cache"];
    Files { read: read.map(Into::into).into(), write: vec!["/dev/null".into()] }
}

#[test]
fn another_program_sees_only_its_allowed_files() {
    let scratch = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "secret").unwrap();
    let mut files = system();
    files.write.push(scratch.path().into());
    let (scratch, outside) = (scratch.path().display(), outside.path().display());
    let output = shell(
        files,
        &format!(
            "exec >&3 2>/dev/null
             echo hello > {scratch}/note && cat {scratch}/note
             cat {outside}/secret || echo no reading
             (echo x > {outside}/new) || echo no writing
             (echo x > /usr/new) || echo no writing there
             ls /root /home || echo no listing"
        ),
    );
    assert_eq!(output, "hello\nno reading\nno writing\nno writing there\nno listing\n");
}

#[test]
fn another_program_has_no_network_and_an_empty_environment() {
    let python = "import socket
for family, kind in ((socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_INET6, socket.SOCK_STREAM), (socket.AF_NETLINK, socket.SOCK_RAW)):
    try:
        socket.socket(family, kind); print('open')
    except PermissionError:
        print('refused')
print(type(socket.socketpair()).__name__)
";
    if !std::path::Path::new("/usr/bin/python3").exists() {
        return;
    }
    let output = shell(
        system(),
        &format!(
            "exec >&3 2>&3; env | grep -v -e PWD -e _= -e SHLVL -e OLDPWD; /usr/bin/python3 -I -S -c \"{python}\""
        ),
    );
    assert_eq!(output, "PATH=/usr/bin:/bin\nrefused\nrefused\nrefused\nrefused\ntuple\n");
}
