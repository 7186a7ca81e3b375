// Handler of end_voice_session: tells the host when to hang up.

import { ErrorType } from '../_core/error-types.js';
import { refuse } from '../_shared/refusal.js';

export async function execute({ args, context }) {
  if (!context.session.isActive || !context.voice.isActive()) {
    return refuse(ErrorType.SESSION_INACTIVE, 'No voice session is running any more.');
  }

  // A last sentence must be heard to its end; without one there is nothing to wait for.
  const after = args.final_message === undefined ? 'immediate' : 'farewell_spoken';
  const data = { status: 'ending', reason: args.reason, after };
  if (args.final_message !== undefined) data.final_message = args.final_message;

  context.audit.log('voice_session_end', { reason: args.reason, after });
  return { ok: true, data, intents: [{ type: 'END_VOICE_SESSION', after }] };
}
