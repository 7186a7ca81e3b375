//! The allowlists of every kind of child.

use super::*;

const ALL: [Calls; 5] =
    [Calls::Engine, Calls::Interpreter, Calls::Template, Calls::Program, Calls::Networked];

fn listed(calls: Calls) -> Rules {
    let context = FilterContext { landlock_confines_truncate: true, modes: false, own: 7 };
    allowlists::of(calls, context).unwrap()
}

#[test]
fn calls_that_affect_more_than_a_scratch_folder_are_on_no_list() {
    let never = [
        libc::SYS_fchmod,
        libc::SYS_fchmodat,
        libc::SYS_fchown,
        libc::SYS_fchownat,
        libc::SYS_utimensat,
        libc::SYS_setxattr,
        libc::SYS_lsetxattr,
        libc::SYS_fsetxattr,
        libc::SYS_removexattr,
        libc::SYS_mknodat,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_mount_setattr,
        libc::SYS_move_mount,
        libc::SYS_open_tree,
        libc::SYS_fsopen,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_clone3,
        libc::SYS_openat2,
        libc::SYS_open_by_handle_at,
        libc::SYS_clock_settime,
        libc::SYS_clock_adjtime,
        libc::SYS_adjtimex,
        libc::SYS_settimeofday,
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setattr,
        libc::SYS_setpriority,
        libc::SYS_ioprio_set,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_getfd,
        libc::SYS_kcmp,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_io_uring_setup,
        libc::SYS_io_setup,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_kexec_load,
        libc::SYS_finit_module,
        libc::SYS_reboot,
        libc::SYS_setuid,
        libc::SYS_setresuid,
        libc::SYS_setgroups,
        libc::SYS_capset,
        libc::SYS_memfd_create,
        libc::SYS_shmget,
        libc::SYS_mq_open,
        libc::SYS_fanotify_init,
        libc::SYS_syslog,
        libc::SYS_quotactl,
        libc::SYS_acct,
        libc::SYS_sethostname,
    ];
    for calls in ALL {
        let rules = listed(calls);
        for number in never {
            assert!(!rules.contains_key(&number), "{calls:?} may make call {number}");
        }
    }
}

#[test]
fn only_networked_children_have_sockets_and_only_programs_have_processes() {
    for calls in ALL {
        let rules = listed(calls);
        for number in [libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen] {
            assert_eq!(rules.contains_key(&number), calls == Calls::Networked, "{calls:?}");
        }
        let starts = matches!(calls, Calls::Template | Calls::Program | Calls::Networked);
        #[cfg(target_arch = "x86_64")]
        assert_eq!(rules.contains_key(&libc::SYS_fork), starts, "{calls:?}");
        let leaves = matches!(calls, Calls::Program | Calls::Networked);
        assert_eq!(rules.contains_key(&libc::SYS_setsid), leaves, "{calls:?}");
    }
}

#[test]
fn every_filter_fits_into_the_kernel() {
    for calls in ALL {
        let length = program(listed(calls)).unwrap().len();
        assert!(length <= 4096, "{calls:?}: {length}");
    }
}

#[test]
fn truncating_by_name_is_allowed_only_if_landlock_confines_it() {
    for calls in ALL {
        let context = FilterContext { landlock_confines_truncate: false, modes: false, own: 7 };
        let rules = allowlists::of(calls, context).unwrap();
        assert!(!rules.contains_key(&libc::SYS_truncate), "{calls:?}");
    }
}
