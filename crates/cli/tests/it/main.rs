//! The whole program, run as a person runs it: exit code, stdout, stderr.

mod build;
mod fixture;
mod goldens;
mod lock;
mod new;
mod program;
mod samples;
mod usage;
