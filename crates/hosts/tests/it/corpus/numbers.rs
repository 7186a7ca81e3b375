//! The system call numbers that attempts use.

use serde_json::Value;

/// By name; -1 if this architecture does not have the call.
pub(super) fn numbers() -> Value {
    #[cfg(target_arch = "x86_64")]
    let old = [("iopl", libc::SYS_iopl), ("vfork", libc::SYS_vfork)];
    #[cfg(not(target_arch = "x86_64"))]
    let old = [("iopl", -1), ("vfork", -1)];
    let all = old.into_iter().chain([
        ("fchmodat2", 452),
        ("inotify_init1", libc::SYS_inotify_init1),
        ("inotify_add_watch", libc::SYS_inotify_add_watch),
        ("socket", libc::SYS_socket),
        ("socketpair", libc::SYS_socketpair),
        ("connect", libc::SYS_connect),
        ("sendto", libc::SYS_sendto),
        ("listen", libc::SYS_listen),
        ("open_by_handle_at", libc::SYS_open_by_handle_at),
        ("openat2", libc::SYS_openat2),
        ("tgkill", libc::SYS_tgkill),
        ("rt_sigqueueinfo", libc::SYS_rt_sigqueueinfo),
        ("pidfd_open", libc::SYS_pidfd_open),
        ("pidfd_send_signal", libc::SYS_pidfd_send_signal),
        ("pidfd_getfd", libc::SYS_pidfd_getfd),
        ("ptrace", libc::SYS_ptrace),
        ("capget", libc::SYS_capget),
        ("capset", libc::SYS_capset),
        ("sched_setattr", libc::SYS_sched_setattr),
        ("ioprio_set", libc::SYS_ioprio_set),
        ("clock_settime", libc::SYS_clock_settime),
        ("clock_adjtime", libc::SYS_clock_adjtime),
        ("adjtimex", libc::SYS_adjtimex),
        ("mount", libc::SYS_mount),
        ("mount_setattr", libc::SYS_mount_setattr),
        ("fsopen", libc::SYS_fsopen),
        ("move_mount", libc::SYS_move_mount),
        ("open_tree", libc::SYS_open_tree),
        ("pivot_root", libc::SYS_pivot_root),
        ("unshare", libc::SYS_unshare),
        ("setns", libc::SYS_setns),
        ("clone", libc::SYS_clone),
        ("clone3", libc::SYS_clone3),
        ("personality", libc::SYS_personality),
        ("bpf", libc::SYS_bpf),
        ("perf_event_open", libc::SYS_perf_event_open),
        ("userfaultfd", libc::SYS_userfaultfd),
        ("io_uring_setup", libc::SYS_io_uring_setup),
        ("keyctl", libc::SYS_keyctl),
        ("add_key", libc::SYS_add_key),
        ("process_vm_readv", libc::SYS_process_vm_readv),
        ("process_vm_writev", libc::SYS_process_vm_writev),
        ("kcmp", libc::SYS_kcmp),
        ("shmget", libc::SYS_shmget),
        ("msgget", libc::SYS_msgget),
        ("semget", libc::SYS_semget),
        ("mq_open", libc::SYS_mq_open),
        ("fanotify_init", libc::SYS_fanotify_init),
        ("syslog", libc::SYS_syslog),
        ("sethostname", libc::SYS_sethostname),
        ("kexec_load", libc::SYS_kexec_load),
        ("finit_module", libc::SYS_finit_module),
        ("delete_module", libc::SYS_delete_module),
        ("reboot", libc::SYS_reboot),
        ("swapon", libc::SYS_swapon),
    ]);
    Value::Object(all.map(|(name, number)| (name.to_owned(), Value::from(number))).collect())
}
