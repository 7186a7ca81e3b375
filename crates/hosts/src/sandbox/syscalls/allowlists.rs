//! Which child may make which system calls.
//!
//! | child | may use |
//! | --- | --- |
//! | engine | memory, threads, time, and its open descriptors |
//! | interpreter | the same, and files, its own signals, a nested sandbox |
//! | template | the same, and forks of itself |
//! | program | files, file watches, processes, signals; no sockets except pairs |
//! | networked | the same, and internet sockets |
//!
//! Refused to all: modes, owners, times and attributes of files, devices, mounts, namespaces,
//! clocks, priorities, memory of other processes, keys, kernel interfaces.

mod groups;

use libc::c_long;
use seccompiler::BackendError;

use self::groups::{COMPUTING, FILES, MODES, NETWORK, PROCESSES, WAITING, WATCHING, legacy};
use super::arguments::{both, equal, equal_and_masked, masked, null, one_process};
use super::{FilterContext, Rules};
use crate::sandbox::Calls;

pub(super) fn of(calls: Calls, context: FilterContext) -> Result<Rules, BackendError> {
    let mut rules = Rules::new();
    add(&mut rules, COMPUTING);
    match calls {
        Calls::Engine => engine(&mut rules, context)?,
        Calls::Interpreter => {
            interpreter(&mut rules, context)?;
            alone(&mut rules, context)?;
        }
        Calls::Template => {
            interpreter(&mut rules, context)?;
            add(&mut rules, PROCESSES);
            add(&mut rules, legacy::PROCESSES);
            rules.remove(&libc::SYS_setsid);
            rules.remove(&libc::SYS_setpgid);
            add(&mut rules, &[libc::SYS_pidfd_open]);
            // It signals its own forks, which restrict themselves.
            for number in [libc::SYS_kill, libc::SYS_tgkill] {
                rules.insert(number, vec![one_process(0)?]);
            }
            rules.insert(libc::SYS_clone, vec![no_namespaces()?]);
        }
        Calls::Program | Calls::Networked => {
            interpreter(&mut rules, context)?;
            add(&mut rules, PROCESSES);
            add(&mut rules, legacy::PROCESSES);
            add(&mut rules, WATCHING);
            add(&mut rules, legacy::WATCHING);
            // `Level::signals` confines their targets.
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

fn engine(rules: &mut Rules, context: FilterContext) -> Result<(), BackendError> {
    let not_executable = || masked(2, libc::PROT_EXEC as u32, 0);
    rules.insert(libc::SYS_mmap, vec![not_executable()?]);
    rules.insert(libc::SYS_mprotect, vec![not_executable()?]);
    rules.insert(libc::SYS_clone, vec![thread()?]);
    rules.insert(libc::SYS_prctl, vec![equal(0, libc::PR_SET_NAME as u32)?]);
    // `abort` signals its own process.
    rules.insert(libc::SYS_tgkill, vec![equal(0, context.own)?]);
    Ok(())
}

/// What whole programs need.
fn interpreter(rules: &mut Rules, context: FilterContext) -> Result<(), BackendError> {
    add(rules, FILES);
    add(rules, legacy::FILES);
    add(rules, WAITING);
    add(rules, legacy::WAITING);
    add(rules, &[libc::SYS_mmap, libc::SYS_mprotect]);
    if context.landlock_confines_truncate {
        add(rules, &[libc::SYS_truncate]);
    }
    if context.modes {
        add(rules, MODES);
        add(rules, legacy::MODES);
    }
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, opened(1)?);
    rules.insert(libc::SYS_openat, opened(2)?);
    rules.insert(libc::SYS_prctl, process_options()?);
    rules.insert(libc::SYS_ioctl, any_of(1, DEVICE_QUESTIONS)?);
    rules.insert(libc::SYS_fcntl, any_of(1, DESCRIPTOR_ORDERS)?);
    // Zero means the calling process.
    rules.insert(libc::SYS_prlimit64, vec![equal(0, 0)?]);
    rules.insert(libc::SYS_sched_setaffinity, vec![equal(0, 0)?]);
    rules.insert(libc::SYS_personality, vec![equal(0, u32::MAX)?]);
    // Only stream pairs: a datagram socket can send to any address, even in a pair.
    let stream = equal_and_masked((0, libc::AF_UNIX as u32), (1, 0xf, libc::SOCK_STREAM as u32))?;
    rules.insert(libc::SYS_socketpair, vec![stream]);
    rules.insert(libc::SYS_sendto, vec![null(4)?]);
    Ok(())
}

/// For children that start no processes: only threads, and signals to itself.
fn alone(rules: &mut Rules, context: FilterContext) -> Result<(), BackendError> {
    rules.insert(libc::SYS_clone, vec![thread()?]);
    rules.insert(libc::SYS_kill, vec![equal(0, context.own)?]);
    rules.insert(libc::SYS_tgkill, vec![equal(0, context.own)?]);
    Ok(())
}

fn network(rules: &mut Rules) -> Result<(), BackendError> {
    add(rules, NETWORK);
    add(rules, &[libc::SYS_sendto]);
    let families = [
        equal(0, libc::AF_INET as u32)?,
        equal(0, libc::AF_INET6 as u32)?,
        // To list local addresses.
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

/// Truncating on open requires opening for writing, which Landlock confines; old kernels also
/// truncate files that are opened for reading.
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

/// `prctl` options that affect only the process itself. It still dies with its parent.
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

/// Harmless ioctls. None of them injects terminal input.
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

/// All `fcntl` commands except those that make the kernel signal others.
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
