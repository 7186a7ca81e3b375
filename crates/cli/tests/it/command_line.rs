//! What every command shares: projects, paths, mistakes, the width of a terminal.

mod project;
mod usage;
mod width;
mod wrong_paths;
