// Handler of start_voice_session: asks the client to open the microphone.

import { ToolError, ErrorType } from '../_core/error-types.js';
import { refuse } from '../_shared/refusal.js';

const REQUEST_CHARACTERS_MIN = 3;

export async function execute({ args, context }) {
  if (!context.session.isActive) {
    return refuse(ErrorType.SESSION_INACTIVE, 'The session has ended; there is nobody to talk to.');
  }
  if (context.voice.isActive()) {
    return refuse(ErrorType.CONFLICT, 'A voice session is already running; just speak.');
  }

  const pendingRequest = requestOf(args.pending_request);
  try {
    await context.messaging.send({ type: 'start_voice_session', pendingRequest });
  } catch {
    throw new ToolError(ErrorType.TRANSIENT, 'The client could not be asked to start voice', {
      retryable: true,
      partialSideEffects: false,
    });
  }
  context.audit.log('voice_session_start', { hasPendingRequest: pendingRequest !== null });

  const result = { ok: true, data: { status: 'starting', pending_request: pendingRequest } };
  if (pendingRequest !== null) {
    result.intents = [{ type: 'SET_PENDING_MESSAGE', message: pendingRequest }];
  }
  return result;
}

/** One or two characters are noise ("?", "ok"), not a request to carry over. */
function requestOf(text) {
  const trimmed = text?.trim() ?? '';
  return [...trimmed].length < REQUEST_CHARACTERS_MIN ? null : trimmed;
}
