//! System calls that newer ones have replaced and that programs on x86-64 still make.

use libc::c_long;

pub(in super::super) const FILES: &[c_long] = &[
    libc::SYS_arch_prctl,
    libc::SYS_creat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_getdents,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_dup2,
    libc::SYS_getpgrp,
    libc::SYS_time,
    libc::SYS_renameat,
    libc::SYS_getrlimit,
];

pub(in super::super) const WAITING: &[c_long] = &[
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_signalfd,
    libc::SYS_alarm,
    libc::SYS_pause,
];

pub(in super::super) const WATCHING: &[c_long] = &[libc::SYS_inotify_init];

pub(in super::super) const PROCESSES: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];

pub(in super::super) const MODES: &[c_long] =
    &[libc::SYS_chmod, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
