//! The Python host from outside: real interpreters behind the real sandbox.

mod context;
mod crowd;
mod discovery;
mod ghostpad;
mod handlers;
mod hostile;
mod pad;
mod robust;
mod semantics;
mod speed;
mod walls;
