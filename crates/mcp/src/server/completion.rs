//! Completes the value of a prompt's or resource template's argument.

use rmcp::ErrorData;
use rmcp::model::{ArgumentInfo, CompletionInfo, Reference};

use super::mcp_server::McpServer;
use super::prompts::{find, unknown_argument};
use super::resources::may_see;
use engine::ToolFilter;

impl McpServer {
    /// For a prompt, the values that its author listed; for a resource template, those that lead
    /// to a file.
    pub(crate) fn completions(
        &self,
        reference: &Reference,
        argument: &ArgumentInfo,
        allowed: &ToolFilter,
    ) -> Result<CompletionInfo, ErrorData> {
        let library = self.library();
        let all = match reference {
            Reference::Prompt(reference) => {
                let prompt = find(&library, &reference.name, allowed)?;
                let known = prompt.arguments.iter().find(|one| one.name == argument.name);
                known.ok_or_else(|| unknown_argument(prompt, &argument.name))?.values.clone()
            }
            Reference::Resource(reference) => {
                let mut seen = library.resources().filter(|one| may_see(one, allowed));
                let template = seen.find(|one| one.uri() == reference.uri);
                let values = template.map(|one| one.suggestions(library.root(), &argument.name));
                values.unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let begun = argument.value.to_lowercase();
        let mut fitting: Vec<_> =
            all.into_iter().filter(|value| value.to_lowercase().starts_with(&begun)).collect();
        let total = u32::try_from(fitting.len()).ok();
        let more = fitting.len() > CompletionInfo::MAX_VALUES;
        fitting.truncate(CompletionInfo::MAX_VALUES);
        CompletionInfo::with_pagination(fitting, total, more)
            .map_err(|fault| ErrorData::internal_error(fault, None))
    }
}
