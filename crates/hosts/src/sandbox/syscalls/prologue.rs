//! The start of every filter: calls that are decided by their number alone.

use libc::c_long;
use seccompiler::sock_filter;

const LOAD: u16 = 0x20;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;
/// Offsets of the call number and the architecture.
const NUMBER: u32 = 0;
const MACHINE: u32 = 4;
const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;
const MISSING: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

#[cfg(target_arch = "x86_64")]
const OURS: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const OURS: u32 = 0xc000_00b7;
/// Numbers from here on belong to the x32 ABI.
const X32: u32 = 0x4000_0000;
/// The first number that did not exist when this was written.
const UNKNOWN: u32 = 470;

/// Libraries have fallbacks for these, which a filter can inspect.
const DONE_WITHOUT: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect,
    libc::SYS_futex_waitv,
];

/// Never called by mistake.
const TAKES_OVER: &[c_long] = &[
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

pub(super) fn instructions() -> Vec<sock_filter> {
    let mut all = vec![
        step(LOAD, 0, 0, MACHINE),
        step(IF_EQUAL, 1, 0, OURS),
        step(RETURN, 0, 0, KILL),
        step(LOAD, 0, 0, NUMBER),
    ];
    let mut judge = |test: u16, number: u32, verdict: u32| {
        all.push(step(test, 0, 1, number));
        all.push(step(RETURN, 0, 0, verdict));
    };
    judge(IF_AT_LEAST, X32, KILL);
    judge(IF_AT_LEAST, UNKNOWN, MISSING);
    for number in DONE_WITHOUT {
        judge(IF_EQUAL, number_of(*number), MISSING);
    }
    for number in TAKES_OVER {
        judge(IF_EQUAL, number_of(*number), KILL);
    }
    all
}

/// Call numbers are small; `u32::MAX` never matches.
fn number_of(number: c_long) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}
