//! Conditions on the arguments of a system call.
//!
//! The kernel reads most arguments as 32 bits, so these ignore the upper half of the register.

use seccompiler::{BackendError, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

type Ruled = Result<SeccompRule, BackendError>;

/// The argument equals this value.
pub(super) fn equal(arg: u8, value: u32) -> Ruled {
    all(&[(arg, SeccompCmpOp::Eq, u64::from(value))])
}

/// Both arguments equal these values.
pub(super) fn both(first: (u8, u32), second: (u8, u32)) -> Ruled {
    let eq = |(arg, value): (u8, u32)| (arg, SeccompCmpOp::Eq, u64::from(value));
    all(&[eq(first), eq(second)])
}

/// Of the bits in `mask`, exactly those in `value` are set.
pub(super) fn masked(arg: u8, mask: u32, value: u32) -> Ruled {
    all(&[(arg, SeccompCmpOp::MaskedEq(u64::from(mask)), u64::from(value))])
}

/// The id of a single process, not of a group or of all.
pub(super) fn one_process(arg: u8) -> Ruled {
    all(&[(arg, SeccompCmpOp::Gt, 0), (arg, SeccompCmpOp::Lt, 1 << 31)])
}

/// The first argument equals a value, and masked bits of the second too.
pub(super) fn equal_and_masked(first: (u8, u32), second: (u8, u32, u32)) -> Ruled {
    let (arg, mask, value) = second;
    let masked = (arg, SeccompCmpOp::MaskedEq(u64::from(mask)), u64::from(value));
    all(&[(first.0, SeccompCmpOp::Eq, u64::from(first.1)), masked])
}

/// The argument is a null pointer.
pub(super) fn null(arg: u8) -> Ruled {
    let op = SeccompCmpOp::Eq;
    SeccompRule::new(vec![SeccompCondition::new(arg, SeccompCmpArgLen::Qword, op, 0)?])
}

fn all(conditions: &[(u8, SeccompCmpOp, u64)]) -> Ruled {
    let made = conditions.iter().map(|(arg, op, value)| {
        SeccompCondition::new(*arg, SeccompCmpArgLen::Dword, op.clone(), *value)
    });
    SeccompRule::new(made.collect::<Result<_, _>>()?)
}
