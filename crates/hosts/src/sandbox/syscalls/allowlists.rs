//! Who may make which system call.
//!
//! | child | what it may |
//! | --- | --- |
//! | engine | memory, threads, time, and the descriptors it has |
//! | interpreter | the same, and files, its own signals, a fence of its own inside this one |
//! | template | the same, and processes like itself |
//! | program | files, watching them, processes, signals; no socket but pairs |
//! | networked | the same, and sockets of the internet |
//!
//! On no list, so refused to all: modes, owners, times and attributes of files, devices,
//! mounts, namespaces, clocks, priorities, other processes' memory, keys, kernel interfaces.

mod names;

use libc::c_long;
use seccompiler::BackendError;

use self::names::{COMPUTING, FILES, MODES, NETWORK, PROCESSES, WAITING, WATCHING, old};
use super::arguments::{both, equal, equal_and_masked, masked, null, one_process};
use super::{Around, Rules};
use crate::sandbox::Calls;

pub(super) fn of(calls: Calls, around: Around) -> Result<Rules, BackendError> {
    let mut rules = Rules::new();
    add(&mut rules, COMPUTING);
    match calls {
        Calls::Engine => engine(&mut rules, around)?,
        Calls::Interpreter => {
            interpreter(&mut rules, around)?;
            alone(&mut rules, around)?;
        }
        Calls::Template => {
            interpreter(&mut rules, around)?;
            add(&mut rules, PROCESSES);
            add(&mut rules, old::PROCESSES);
            rules.remove(&libc::SYS_setsid);
            rules.remove(&libc::SYS_setpgid);
            add(&mut rules, &[libc::SYS_pidfd_open]);
            // It signals those it made; what they may do, they restrict themselves.
            for number in [libc::SYS_kill, libc::SYS_tgkill] {
                rules.insert(number, vec![one_process(0)?]);
            }
            rules.insert(libc::SYS_clone, vec![no_namespaces()?]);
        }
        Calls::Program | Calls::Networked => {
            interpreter(&mut rules, around)?;
            add(&mut rules, PROCESSES);
            add(&mut rules, old::PROCESSES);
            add(&mut rules, WATCHING);
            add(&mut rules, old::WATCHING);
            // Whom they may reach is decided around this list: see `Level::signals`.
            add(&mut rules, &[libc::SYS_kill, libc::SYS_tgkill, libc::SYS_tkill]);
            add(&mut rules, &[libc::SYS_pidfd_open, libc::SYS_pidfd_send_signal]);
            rules.insert(libc::SYS_clone, vec![no_namespaces()?]);
            if calls == Calls::Networked {
                network(&mut rules)?;
            }
        }
    }
    Ok(rules)
}

fn add(rules: &mut Rules, numbers: &[c_long]) {
    rules.extend(numbers.iter().map(|number| (*number, Vec::new())));
}

fn engine(rules: &mut Rules, around: Around) -> Result<(), BackendError> {
    let not_executable = || masked(2, libc::PROT_EXEC as u32, 0);
    rules.insert(libc::SYS_mmap, vec![not_executable()?]);
    rules.insert(libc::SYS_mprotect, vec![not_executable()?]);
    rules.insert(libc::SYS_clone, vec![thread()?]);
    rules.insert(libc::SYS_prctl, vec![equal(0, libc::PR_SET_NAME as u32)?]);
    // `abort` sends itself a signal; nobody else can be reached.
    rules.insert(libc::SYS_tgkill, vec![equal(0, around.own)?]);
    Ok(())
}

/// What whole programs of others need, whatever they do.
fn interpreter(rules: &mut Rules, around: Around) -> Result<(), BackendError> {
    add(rules, FILES);
    add(rules, old::FILES);
    add(rules, WAITING);
    add(rules, old::WAITING);
    add(rules, &[libc::SYS_mmap, libc::SYS_mprotect]);
    if around.truncate_is_kept {
        add(rules, &[libc::SYS_truncate]);
    }
    if around.modes {
        add(rules, MODES);
        add(rules, old::MODES);
    }
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, opened(1)?);
    rules.insert(libc::SYS_openat, opened(2)?);
    rules.insert(libc::SYS_prctl, process_options()?);
    rules.insert(libc::SYS_ioctl, any_of(1, DEVICE_QUESTIONS)?);
    rules.insert(libc::SYS_fcntl, any_of(1, DESCRIPTOR_ORDERS)?);
    // Zero is itself, in these.
    rules.insert(libc::SYS_prlimit64, vec![equal(0, 0)?]);
    rules.insert(libc::SYS_sched_setaffinity, vec![equal(0, 0)?]);
    rules.insert(libc::SYS_personality, vec![equal(0, u32::MAX)?]);
    // Pairs of streams alone: a datagram may be sent to any address, even on a pair.
    let stream = equal_and_masked((0, libc::AF_UNIX as u32), (1, 0xf, libc::SOCK_STREAM as u32))?;
    rules.insert(libc::SYS_socketpair, vec![stream]);
    rules.insert(libc::SYS_sendto, vec![null(4)?]);
    Ok(())
}

/// A child that starts no other: threads are all it makes, and it signals itself alone.
fn alone(rules: &mut Rules, around: Around) -> Result<(), BackendError> {
    rules.insert(libc::SYS_clone, vec![thread()?]);
    rules.insert(libc::SYS_kill, vec![equal(0, around.own)?]);
    rules.insert(libc::SYS_tgkill, vec![equal(0, around.own)?]);
    Ok(())
}

fn network(rules: &mut Rules) -> Result<(), BackendError> {
    add(rules, NETWORK);
    add(rules, &[libc::SYS_sendto]);
    let families = [
        equal(0, libc::AF_INET as u32)?,
        equal(0, libc::AF_INET6 as u32)?,
        // Which addresses this machine has.
        both((0, libc::AF_NETLINK as u32), (2, libc::NETLINK_ROUTE as u32))?,
    ];
    rules.insert(libc::SYS_socket, families.into());
    Ok(())
}

fn thread() -> Result<seccompiler::SeccompRule, BackendError> {
    let thread = libc::CLONE_THREAD as u32;
    masked(0, thread | NAMESPACES, thread)
}

fn no_namespaces() -> Result<seccompiler::SeccompRule, BackendError> {
    masked(0, NAMESPACES, 0)
}

const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

/// A file that is cut off when it is opened must be opened for writing, which Landlock sees;
/// old kernels also cut off what is opened for reading.
fn opened(flags: u8) -> Result<Vec<seccompiler::SeccompRule>, BackendError> {
    let (cut, mode) = (libc::O_TRUNC as u32, libc::O_ACCMODE as u32);
    Ok(vec![
        masked(flags, cut, 0)?,
        masked(flags, mode, libc::O_WRONLY as u32)?,
        masked(flags, mode, libc::O_RDWR as u32)?,
    ])
}

fn any_of(arg: u8, values: &[u32]) -> Result<Vec<seccompiler::SeccompRule>, BackendError> {
    values.iter().map(|value| equal(arg, *value)).collect()
}

/// What a process may change and ask about itself. It dies with its parent, whatever it does.
fn process_options() -> Result<Vec<seccompiler::SeccompRule>, BackendError> {
    const SET_VMA: i32 = 0x5356_4d41;
    let harmless = [
        libc::PR_SET_NAME,
        libc::PR_GET_NAME,
        libc::PR_GET_PDEATHSIG,
        libc::PR_GET_DUMPABLE,
        libc::PR_SET_NO_NEW_PRIVS,
        libc::PR_GET_NO_NEW_PRIVS,
        libc::PR_SET_SECCOMP,
        libc::PR_GET_SECCOMP,
        libc::PR_CAPBSET_READ,
        libc::PR_SET_TIMERSLACK,
        libc::PR_GET_TIMERSLACK,
        SET_VMA,
    ];
    let mut rules: Vec<_> =
        harmless.into_iter().map(|option| equal(0, option as u32)).collect::<Result<_, _>>()?;
    rules.push(both((0, libc::PR_SET_PDEATHSIG as u32), (1, libc::SIGKILL as u32))?);
    rules.push(both((0, libc::PR_SET_DUMPABLE as u32), (1, 0))?);
    Ok(rules)
}

/// What may be asked of a descriptor's device. Nothing here types into a terminal.
const DEVICE_QUESTIONS: &[u32] = &[
    libc::TCGETS as u32,
    0x802c_542a, // TCGETS2
    libc::TIOCGWINSZ as u32,
    libc::TIOCGPGRP as u32,
    libc::FIONREAD as u32,
    libc::FIONBIO as u32,
    libc::FIOCLEX as u32,
    libc::FIONCLEX as u32,
];

/// All but the orders that make the kernel send signals to others.
const DESCRIPTOR_ORDERS: &[u32] = &[
    libc::F_DUPFD as u32,
    libc::F_DUPFD_CLOEXEC as u32,
    libc::F_GETFD as u32,
    libc::F_SETFD as u32,
    libc::F_GETFL as u32,
    libc::F_SETFL as u32,
    libc::F_GETLK as u32,
    libc::F_SETLK as u32,
    libc::F_SETLKW as u32,
    libc::F_OFD_GETLK as u32,
    libc::F_OFD_SETLK as u32,
    libc::F_OFD_SETLKW as u32,
    libc::F_GETPIPE_SZ as u32,
    libc::F_SETPIPE_SZ as u32,
    libc::F_GETOWN as u32,
];
