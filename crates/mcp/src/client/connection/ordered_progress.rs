//! Hears progress as it comes off the wire.
//!
//! rmcp gives each notification to a task of its own, so the last report of a call could be
//! heard after its result, by nobody. Here it is heard before anything further is read.

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::ear::Ear;

pub(super) struct InOrder<T> {
    pub wire: T,
    pub ear: Ear,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for InOrder<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.wire.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.wire.receive().await?;
        if let JsonRpcMessage::Notification(told) = &message
            && let ServerNotification::ProgressNotification(said) = &told.notification
        {
            self.ear.hear(said.params.clone());
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.wire.close().await
    }
}
