//! Delivers progress in the order in which it arrives.
//!
//! rmcp spawns a task per notification, so the last report of a call could be delivered after its
//! result and be lost. This transport delivers it before it reads on.

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::client_handler::McpClientHandler;

pub(crate) struct OrderedProgress<T> {
    pub wire: T,
    pub handler: McpClientHandler,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for OrderedProgress<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.wire.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.wire.receive().await?;
        if let JsonRpcMessage::Notification(notification) = &message
            && let ServerNotification::ProgressNotification(report) = &notification.notification
        {
            self.handler.deliver_progress(report.params.clone());
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.wire.close().await
    }
}
