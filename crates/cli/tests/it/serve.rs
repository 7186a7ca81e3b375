//! `ghosthand serve`: the API, Ghostpad's tools, and hostile requests.

mod api;
mod chaos;
mod deploy;
pub(crate) mod hostile;
mod nodes;
mod pad_tools;
mod postgres;
pub(crate) mod served_pad;
