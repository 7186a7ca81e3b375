//! Where conversations are in the list, and links to them.

use super::super::conversations::{organisation, shares};
use super::super::json_body::Empty;
use super::super::operation::Operation;
use crate::conversations::conversation_folders::ConversationFolder;
use crate::conversations::organisation::OrganisationChange;
use crate::conversations::shares::Share;
use crate::state::AppState;

pub(super) fn operations() -> Vec<Operation<AppState>> {
    vec![
        Operation::patch("/api/conversations/{id}", organisation::organise)
            .summary(
                "Pin, archive, tag a conversation or move it to a folder; what is missing stays",
            )
            .status(204)
            .body::<OrganisationChange>(r#"{"pinned":true,"tags":["work"]}"#),
        Operation::get("/api/folders", organisation::folders)
            .summary("List the owner's folders of conversations")
            .answer::<Vec<ConversationFolder>>(),
        Operation::post("/api/folders", organisation::create_folder)
            .summary("Create a folder of conversations")
            .status(201)
            .body::<organisation::FolderName>(r#"{"name":"Work"}"#)
            .answer::<ConversationFolder>(),
        Operation::put("/api/folders/{id}", organisation::rename_folder)
            .summary("Rename a folder of conversations")
            .status(204)
            .body::<organisation::FolderName>(r#"{"name":"Work"}"#),
        Operation::delete("/api/folders/{id}", organisation::remove_folder)
            .summary("Delete a folder; its conversations stay and move out of it")
            .status(204),
        Operation::post("/api/conversations/{id}/shares", shares::create)
            .summary("Share a conversation as it is now, under a link that ends")
            .status(201)
            .body::<shares::NewShare>(r#"{"expiresInSeconds":604800}"#)
            .answer::<shares::CreatedShare>(),
        Operation::get("/api/shares", shares::list)
            .summary("List the owner's shared links, without their secrets")
            .answer::<Vec<Share>>(),
        Operation::post("/api/shares/{id}/update", shares::update)
            .summary("Share what is in the conversation now, under the same link")
            .body::<Empty>("{}")
            .answer::<Share>(),
        Operation::delete("/api/shares/{id}", shares::revoke)
            .summary("Revoke a shared link at once")
            .status(204),
    ]
}
