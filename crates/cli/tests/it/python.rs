//! Python tools: modules, packages, private folders.

mod ghostpad;
mod modules;
mod packages;
mod private_folder;
