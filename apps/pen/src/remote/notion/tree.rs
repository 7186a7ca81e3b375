//! Reads the blocks of a page with all descendants.
//!
//! Must hold: every list is read to its end, page by page; a cut by a limit is reported.

use contract::BoxFuture;
use serde_json::Value;

use super::call::{Caller, Failed};
use super::fault;
use super::markdown::Block;

/// Blocks in their order.
pub(crate) struct Tree {
    pub(crate) blocks: Vec<Block>,
    /// A limit left some out.
    pub(crate) cut: bool,
}

/// Everything below a page or a block.
pub(crate) async fn below(caller: &Caller<'_>, place: &str, id: &str) -> Result<Tree, Failed> {
    let mut reading = Reading { caller, place, left: caller.client.limits.blocks_max, cut: false };
    let blocks = reading.children(id, 0).await?;
    Ok(Tree { blocks, cut: reading.cut })
}

struct Reading<'a> {
    caller: &'a Caller<'a>,
    place: &'a str,
    /// How many blocks may still be read.
    left: usize,
    cut: bool,
}

impl Reading<'_> {
    fn children<'b>(
        &'b mut self,
        id: &'b str,
        depth: usize,
    ) -> BoxFuture<'b, Result<Vec<Block>, Failed>> {
        Box::pin(async move {
            let mut blocks = Vec::new();
            for found in list(self.caller, self.place, id, self.left).await? {
                if self.left == 0 {
                    self.cut = true;
                    break;
                }
                self.left -= 1;
                let mut block = Block::new(&found);
                if found["has_children"] == true && block.is_entered() {
                    match (depth + 1 < self.caller.client.limits.depth_max, id_of(&found)) {
                        (true, Some(id)) => block.children = self.children(id, depth + 1).await?,
                        (_, _) => self.cut = true,
                    }
                }
                blocks.push(block);
            }
            Ok(blocks)
        })
    }
}

fn id_of(block: &Value) -> Option<&str> {
    block["id"].as_str()
}

/// More than any page written here has.
pub(crate) const CHILDREN_MAX: usize = 10_000;

/// The children of one block, to the end or until there is one more than `max`.
pub(crate) async fn list(
    caller: &Caller<'_>,
    place: &str,
    id: &str,
    max: usize,
) -> Result<Vec<Value>, Failed> {
    let mut found = Vec::new();
    let mut path = format!("/v1/blocks/{id}/children?page_size=100");
    loop {
        let mut answer = caller.get(place, &path).await?;
        let Value::Array(results) = answer["results"].take() else {
            return Err(fault::garbled(place, "a list without `results`").into());
        };
        let has_more = answer["has_more"] == true && found.len() + results.len() <= max;
        if has_more && results.is_empty() {
            return Err(fault::garbled(place, "an incomplete list without a cursor").into());
        }
        found.extend(results);
        match answer["next_cursor"].as_str() {
            Some(cursor) if has_more => {
                let cursor = percent(cursor);
                path = format!("/v1/blocks/{id}/children?page_size=100&start_cursor={cursor}");
            }
            _ => return Ok(found),
        }
    }
}

/// Percent-encodes a cursor.
fn percent(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let spell = |byte: u8| match plain(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(spell).collect()
}
