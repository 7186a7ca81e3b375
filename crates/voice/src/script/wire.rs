//! What carries the messages of a scripted session: memory, or a socket that is tested.

/// Carries messages between a session and the provider that a script plays. Each call returns when
/// the other end has what was sent, so that virtual time can stand still meanwhile.
pub trait ScriptWire {
    /// A new connection, instead of the one before.
    fn connect(&mut self);

    /// The provider breaks the connection.
    fn lose(&mut self);

    /// Ours; gives it as the provider received it.
    fn send(&mut self, text: &str) -> String;

    /// The provider's; gives it as we received it.
    fn receive(&mut self, text: &str) -> String;
}
