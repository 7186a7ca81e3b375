//! Reports of real interpreters.

use super::*;

#[track_caller]
fn check(because: &str, expected: &str) {
    assert_eq!(summarize(because, Path::new("/usr")), expected);
}

#[test]
fn only_the_fault_and_the_authors_line_are_kept() {
    check("its channel ended; it ended with code 3", "its channel ended; it ended with code 3");
    check("it ended; stderr: \n", "it ended");
    check("it ended; stderr: one\ntwo\n\n", "it ended: two");
    check(
        "it ended by signal 11; stderr: noise\nFatal Python error: Segmentation fault\n\n\
         Current thread 0x1 (most recent call first):\n  File \"/opt/ctypes.py\", line 9 in at\n  \
         File \"/usr/core/a.py\", line 3 in run\n  File \"/usr/b.py\", line 1 in x\n",
        "it ended by signal 11: Fatal Python error: Segmentation fault, at core/a.py:3",
    );
}
