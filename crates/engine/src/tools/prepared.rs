//! What is computed once per tool: its digest, its shared contract, its schemas.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{Contract, Digest};
use dialect::{Arguments, SchemaFault};
use registry::Tool;

/// One tool, ready to check and run calls of it.
#[derive(Debug)]
pub(crate) struct PreparedTool {
    pub tool: Arc<Tool>,
    pub contract: Arc<Contract>,
    /// Of the whole tool: schema, documents, handler.
    pub digest: Digest,
    pub parameters: Arguments,
    pub returns: Option<Arguments>,
}

/// Every tool prepared so far.
#[derive(Debug, Default)]
pub(crate) struct PreparedTools {
    /// By the address of the tool. Each value keeps its tool alive, so that no other tool gets
    /// the address. Never locked while a schema is compiled.
    known: Mutex<HashMap<usize, Arc<PreparedTool>>>,
}

/// All are dropped when more than this many are known.
const KNOWN_MAX: usize = 20_000;

impl PreparedTools {
    pub(crate) fn of(&self, tool: &Arc<Tool>) -> Result<Arc<PreparedTool>, SchemaFault> {
        let address = Arc::as_ptr(tool).addr();
        if let Some(known) = self.lock().get(&address) {
            return Ok(Arc::clone(known));
        }
        let prepared = Arc::new(PreparedTool {
            contract: Arc::new(tool.contract.clone()),
            digest: tool.digests.whole(),
            parameters: Arguments::compile(&tool.contract.parameters)?,
            returns: tool.contract.returns.as_ref().map(Arguments::compile).transpose()?,
            tool: Arc::clone(tool),
        });
        let mut known = self.lock();
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(address, Arc::clone(&prepared));
        Ok(prepared)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Arc<PreparedTool>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
