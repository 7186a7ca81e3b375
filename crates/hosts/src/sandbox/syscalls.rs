//! Seccomp: the system calls a child may make; every other is answered with `EPERM`.
//!
//! `libc` is used for the numbers only; no call is made here but the one that installs the
//! filter.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::{Calls, Part, part};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

pub(super) fn restrict(calls: Calls) -> Part {
    part(install(calls))
}

fn install(calls: Calls) -> Result<String, Box<dyn std::error::Error>> {
    let (filters, how) = filters(calls, std::process::id())?;
    for filter in &filters {
        seccompiler::apply_filter(filter)?;
    }
    Ok(how)
}

/// The filters for a process of this number, in the order in which it takes them on.
pub(super) fn filters(
    calls: Calls,
    pid: u32,
) -> Result<(Vec<BpfProgram>, String), Box<dyn std::error::Error>> {
    let (rules, if_listed, if_not, how) = match calls {
        Calls::Engine => {
            let rules = engine(pid)?;
            let how = format!("seccomp: {} system calls allowed", rules.len());
            (rules, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32), how)
        }
        Calls::Program => {
            let rules = refused_to_programs()?;
            let how = format!("seccomp: {} system calls refused", rules.len());
            (rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow, how)
        }
        Calls::Networked => {
            let mut rules = refused_to_programs()?;
            rules.remove(&libc::SYS_socket);
            let how = format!("seccomp: {} system calls refused, with network", rules.len());
            (rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow, how)
        }
        Calls::Template => {
            let rules = refused_to_programs()?;
            let how = format!("seccomp: {} system calls refused, forks only", rules.len());
            (rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow, how)
        }
        Calls::Interpreter => {
            let rules = refused_to_interpreters(pid)?;
            let how = format!("seccomp: {} system calls refused, no processes", rules.len());
            (rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow, how)
        }
    };
    // `clone3` hides its flags behind a pointer; without it libraries fall back to `clone`.
    let no_clone3 = Rules::from([(libc::SYS_clone3, Vec::new())]);
    let missing = SeccompAction::Errno(libc::ENOSYS as u32);
    let no_clone3 = compile(no_clone3, SeccompAction::Allow, missing)?;
    Ok((vec![no_clone3, compile(rules, if_not, if_listed)?], how))
}

fn compile(
    rules: Rules,
    if_not_listed: SeccompAction,
    if_listed: SeccompAction,
) -> Result<BpfProgram, Box<dyn std::error::Error>> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    Ok(SeccompFilter::new(rules, if_not_listed, if_listed, arch)?.try_into()?)
}

/// What our own engine needs once it has its channel: memory, threads, time, randomness.
fn engine(pid: u32) -> Result<Rules, seccompiler::BackendError> {
    const ANYHOW: &[c_long] = &[
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_readv,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_munmap,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_clone3, // refused by a filter of its own, with the error that libraries know
        libc::SYS_set_robust_list,
        libc::SYS_rseq,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_getrandom,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_gettimeofday,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_gettid,
        libc::SYS_getpid,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    let mut rules: Rules = ANYHOW.iter().map(|number| (*number, Vec::new())).collect();
    let not_executable = || masked(2, libc::PROT_EXEC as u64, 0);
    rules.insert(libc::SYS_mmap, vec![not_executable()?]);
    rules.insert(libc::SYS_mprotect, vec![not_executable()?]);
    rules.insert(libc::SYS_mremap, Vec::new());
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![masked(0, thread, thread)?]);
    rules.insert(libc::SYS_prctl, vec![equal(0, libc::PR_SET_NAME as u64)?]);
    // `abort` sends itself a signal; nobody else can be reached.
    let own = u64::from(pid);
    rules.insert(libc::SYS_tgkill, vec![equal(0, own)?]);
    Ok(rules)
}

/// What no program needs that only computes, reads its files and writes its scratch.
fn refused_to_programs() -> Result<Rules, seccompiler::BackendError> {
    const ANYHOW: &[c_long] = &[
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_getfd,
        libc::SYS_kcmp,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_open_tree,
        libc::SYS_move_mount,
        libc::SYS_fsopen,
        libc::SYS_fsmount,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_kexec_load,
        libc::SYS_reboot,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_acct,
        libc::SYS_quotactl,
        libc::SYS_sethostname,
        libc::SYS_setdomainname,
        libc::SYS_clock_settime,
        libc::SYS_settimeofday,
        libc::SYS_syslog,
        libc::SYS_open_by_handle_at,
        libc::SYS_name_to_handle_at,
        libc::SYS_fanotify_init,
    ];
    let mut rules: Rules = ANYHOW.iter().map(|number| (*number, Vec::new())).collect();
    // Only sockets between processes of this machine; their paths are Landlock's business.
    let not_unix =
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?;
    rules.insert(libc::SYS_socket, vec![SeccompRule::new(vec![not_unix])?]);
    // New namespaces are also made by `clone`.
    let namespaces = [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ];
    let rule = |flag: libc::c_int| masked(0, flag as u64, flag as u64);
    rules.insert(libc::SYS_clone, namespaces.into_iter().map(rule).collect::<Result<_, _>>()?);
    Ok(rules)
}

/// What an interpreter needs even less: other processes, and sockets with an address.
fn refused_to_interpreters(pid: u32) -> Result<Rules, seccompiler::BackendError> {
    const ANYHOW: &[c_long] = &[
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_listen,
        libc::SYS_sendmsg,
        libc::SYS_sendmmsg,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_send_signal,
        libc::SYS_rt_sigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
        libc::SYS_tkill,
        libc::SYS_setpriority,
        libc::SYS_ioprio_set,
        libc::SYS_process_madvise,
        libc::SYS_migrate_pages,
        libc::SYS_move_pages,
        libc::SYS_setsid,
        libc::SYS_setpgid,
        libc::SYS_memfd_create,
        libc::SYS_shmget,
        libc::SYS_shmat,
        libc::SYS_msgget,
        libc::SYS_semget,
        libc::SYS_mq_open,
        libc::SYS_personality,
    ];
    let mut rules = refused_to_programs()?;
    rules.extend(ANYHOW.iter().map(|number| (*number, Vec::new())));
    #[cfg(target_arch = "x86_64")]
    rules.extend([libc::SYS_fork, libc::SYS_vfork].map(|number| (number, Vec::new())));
    // A thread is all that it may start.
    rules.insert(libc::SYS_clone, vec![masked(0, libc::CLONE_THREAD as u64, 0)?]);
    // Its own number stays the same when it becomes the interpreter.
    let own = u64::from(pid);
    rules.insert(libc::SYS_kill, vec![other(0, own)?]);
    rules.insert(libc::SYS_tgkill, vec![other(0, own)?]);
    // It dies with its parent, and keeps the filters it has.
    let fixed = [libc::PR_SET_PDEATHSIG, libc::PR_SET_SECCOMP];
    let fixed = fixed.into_iter().map(|option| equal(0, option as u64));
    rules.insert(libc::SYS_prctl, fixed.collect::<Result<_, _>>()?);
    // Zero is itself, in these.
    for number in [
        libc::SYS_prlimit64,
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setattr,
    ] {
        rules.insert(number, vec![other(0, 0)?]);
    }
    // A message to whom it concerns is fine, one with an address is not.
    rules.insert(libc::SYS_sendto, vec![other(4, 0)?]);
    Ok(rules)
}

fn other(arg: u8, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    let op = SeccompCmpOp::Ne;
    SeccompRule::new(vec![SeccompCondition::new(arg, SeccompCmpArgLen::Qword, op, value)?])
}

fn masked(arg: u8, mask: u64, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    let op = SeccompCmpOp::MaskedEq(mask);
    SeccompRule::new(vec![SeccompCondition::new(arg, SeccompCmpArgLen::Qword, op, value)?])
}

fn equal(arg: u8, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    let op = SeccompCmpOp::Eq;
    SeccompRule::new(vec![SeccompCondition::new(arg, SeccompCmpArgLen::Qword, op, value)?])
}
