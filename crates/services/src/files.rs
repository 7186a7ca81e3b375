//! Files of the project, below the roots a tool declares.
//!
//! The path is checked as text first (`path.rs`), then walked part by part without following
//! links (`disk.rs` over `folder.rs`), so that the checked path is the one that is opened.

mod disk;
mod folder;
#[cfg(any(not(unix), test))]
mod named_folder;
#[cfg(unix)]
mod open_folder;
mod path;

use std::sync::Arc;

use contract::Digest;
use policy::ServiceFault;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault::FaultCode;
use crate::grant::Grant;
use crate::handler_services::arguments::{self, Expectation};
use crate::handler_services::run_state::RunState;
use crate::permissions::Service;
use disk::DiskFault;
use path::{Access, ProjectPath};

#[cfg(not(unix))]
use named_folder::NamedFolder as NativeFolder;
#[cfg(unix)]
use open_folder::OpenFolder as NativeFolder;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PathArgs {
    path: String,
}

/// All files below a folder, as `[{path, size}]`, sorted by path, without hidden files and
/// links.
pub(crate) async fn list(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let path = readable_path(&run, Service::FilesList, args)?;
    let found = on_disk(run, path, |run, path| {
        let limits = &run.grant.limits;
        let (items_max, depth_max) = (limits.file_list_items_max, limits.file_list_depth_max);
        disk::list::<NativeFolder>(&run.grant.project, path, items_max, depth_max)
    });
    let files = found.await?.into_iter();
    Ok(files.map(|(path, size)| json!({ "path": path, "size": size })).collect())
}

/// The text of a file.
pub(crate) async fn read(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let path = readable_path(&run, Service::FilesRead, args)?;
    let shown = path.to_string();
    let bytes = on_disk(run, path, |run, path| {
        disk::read::<NativeFolder>(&run.grant.project, path, run.grant.limits.file_bytes_max)
    });
    match String::from_utf8(bytes.await?) {
        Ok(text) => Ok(Value::String(text)),
        Err(_) => Err(FaultCode::NotText.fault(format!("`{shown}` is not UTF-8 text"))),
    }
}

/// `{size, revision}`, or `null` if there is no such file.
pub(crate) async fn stat(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let path = readable_path(&run, Service::FilesStat, args)?;
    let bytes = on_disk(run, path, |run, path| {
        let max = run.grant.limits.file_bytes_max;
        match disk::read::<NativeFolder>(&run.grant.project, path, max) {
            Err(DiskFault::Missing) => Ok(None),
            other => other.map(Some),
        }
    });
    Ok(match bytes.await? {
        Some(bytes) => json!({ "size": bytes.len(), "revision": revision_of(&bytes) }),
        None => Value::Null,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Write {
    path: String,
    text: String,
    #[serde(default)]
    expected_revision: Expectation<String>,
}

/// Replaces the file atomically, or creates it and the folders above it.
pub(crate) async fn write(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let Write { path, text, expected_revision } = arguments::parse(Service::FilesWrite, args)?;
    let path = allowed_path(&run, &path, Access::Write)?;
    let max = run.grant.limits.file_bytes_max;
    if text.len() > max {
        let bytes = text.len();
        return Err(
            FaultCode::TooLarge.fault(format!("the text has {bytes} bytes; {max} are allowed"))
        );
    }
    let secret = run.redactor.found_in(&text).or(run.redactor.found_in(&path.to_string()));
    if let Some(name) = secret {
        return Err(FaultCode::NotAllowed.fault(format!(
            "the text or the name of `{path}` contains the secret `{name}`, and secrets are not stored"
        )));
    }
    let effect = run.effects.begin_write();
    let revision = revision_of(text.as_bytes());
    let written = on_disk(run, path, move |run, path| {
        disk::write::<NativeFolder>(
            &run.grant.project,
            path,
            text.as_bytes(),
            &expected_revision,
            run.grant.limits.file_bytes_max,
        )
    });
    match written.await {
        Ok(()) => Ok(json!({ "revision": revision })),
        Err(fault) => {
            if fault.code != FaultCode::Unsure.as_str() {
                effect.did_not_happen();
            }
            Err(fault)
        }
    }
}

/// The revision of a content: the first 16 hex digits of its SHA-256.
fn revision_of(bytes: &[u8]) -> String {
    Digest::of(bytes).hex(16)
}

fn readable_path(
    run: &RunState,
    service: Service,
    args: Value,
) -> Result<ProjectPath, ServiceFault> {
    let PathArgs { path } = arguments::parse(service, args)?;
    allowed_path(run, &path, Access::Read)
}

fn allowed_path(run: &RunState, path: &str, access: Access) -> Result<ProjectPath, ServiceFault> {
    let path = ProjectPath::parse(path)?;
    path.check(&run.grant.contract.capabilities.files, access)?;
    let Grant { own_files, project, .. } = &run.grant;
    if access == Access::Write && path.is_one_of(own_files, project) {
        return Err(FaultCode::NotAllowed.fault(format!("no tool may write `{path}`")));
    }
    Ok(path)
}

/// Runs on a blocking thread.
async fn on_disk<T: Send + 'static>(
    run: Arc<RunState>,
    path: ProjectPath,
    work: impl FnOnce(&RunState, &ProjectPath) -> Result<T, DiskFault> + Send + 'static,
) -> Result<T, ServiceFault> {
    let shown = path.to_string();
    let _slot = run.slot().await?;
    let worker = Arc::clone(&run);
    match tokio::task::spawn_blocking(move || work(&worker, &path)).await {
        Ok(done) => done.map_err(|fault| to_service_fault(&shown, fault)),
        Err(_) => Err(FaultCode::Unsure.fault(format!("the outcome for `{shown}` is unknown"))),
    }
}

/// The fault for the handler, with the path as it gave it and without paths of the machine.
fn to_service_fault(path: &str, fault: DiskFault) -> ServiceFault {
    match fault {
        DiskFault::Missing => FaultCode::NotFound.fault(format!("`{path}` does not exist")),
        DiskFault::NotPlain => FaultCode::NotAllowed.fault(format!(
            "`{path}` is not a plain file or folder, or is behind a link; links are not followed"
        )),
        DiskFault::TooLarge { max } => {
            FaultCode::TooLarge.fault(format!("`{path}` has more than {max} bytes"))
        }
        DiskFault::TooMany { max } => FaultCode::TooLarge
            .fault(format!("`{path}` has more than {max} entries; list a part of it")),
        DiskFault::TooDeep { max } => FaultCode::TooLarge
            .fault(format!("`{path}` is nested deeper than {max} folders; list a part of it")),
        DiskFault::Changed { now: Some(revision) } => {
            FaultCode::Conflict.fault(format!("`{path}` has changed; it is at revision {revision}"))
        }
        DiskFault::Changed { now: None } => {
            FaultCode::Conflict.fault(format!("`{path}` does not exist"))
        }
        DiskFault::Unsure => {
            FaultCode::Unsure.fault(format!("it is unknown whether `{path}` was written to disk"))
        }
        DiskFault::Io(error) => {
            FaultCode::Unavailable.fault(format!("`{path}` cannot be used: {}", error.kind()))
        }
    }
}

#[cfg(test)]
mod tests;
