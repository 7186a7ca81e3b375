// Handler of ignore_user: blocks the user for a while, after a farewell.

import { ToolError, ErrorType } from '../_core/error-types.js';
import { refuse } from '../_shared/refusal.js';

const BLOCK_MS_MAX = 24 * 60 * 60 * 1000;
const LOST_RACE =
  'Another call changed the block of this user at the same moment. ' +
  'The user is already blocked; do not call again.';

export async function execute({ args, context }) {
  if (!context.session.isActive) {
    return refuse(
      ErrorType.SESSION_INACTIVE,
      'The session has already ended, so there is nobody to block.',
    );
  }

  const key = `timeouts/${context.clientId}`;
  const previous = await context.kv.get(key);
  const now = Date.now();
  const extended = previous !== null && previous.value.timeoutUntil > now;
  const timeoutUntil = endOfBlock(now, extended ? previous.value.timeoutUntil : now, args);

  // The stored block is what the server enforces, so it comes first; the message only shows it.
  let stored;
  try {
    stored = await context.kv.set(
      key,
      { timeoutUntil },
      { expectedRevision: previous?.revision ?? null, ttlMs: timeoutUntil - now },
    );
  } catch (cause) {
    if (cause.code === 'CONFLICT') return refuse(ErrorType.CONFLICT, LOST_RACE);
    throw new ToolError(ErrorType.TRANSIENT, 'It is unknown whether the block was stored', {
      retryable: false,
      partialSideEffects: true,
    });
  }

  try {
    await context.messaging.send({
      type: 'timeout',
      timeoutUntil,
      durationSeconds: args.duration_seconds,
      message: args.farewell_message,
    });
  } catch {
    // A user must not be blocked without being told.
    const isUndone = await takeBack(context.kv, key, previous, stored.revision);
    throw new ToolError(ErrorType.TRANSIENT, 'The user could not be reached', {
      retryable: isUndone,
      partialSideEffects: !isUndone,
    });
  }

  context.audit.log('user_timeout', { duration: args.duration_seconds, timeoutUntil, extended });
  return {
    ok: true,
    data: { timeoutUntil, duration: args.duration_seconds, extended },
    intents: [
      { type: 'END_VOICE_SESSION', after: 'farewell_spoken' },
      { type: 'SUPPRESS_AUDIO', value: true },
    ],
  };
}

/** A running block is extended; no block reaches further than a day from now. */
function endOfBlock(now, from, { duration_seconds }) {
  return Math.min(from + duration_seconds * 1000, now + BLOCK_MS_MAX);
}

/**
 * Puts the earlier state back and says whether that worked. It writes rather than deletes: only
 * a write can be refused if somebody else came in between.
 */
async function takeBack(kv, key, previous, revision) {
  const value = previous?.value ?? { timeoutUntil: 0 };
  const ttlMs = Math.max(1, value.timeoutUntil - Date.now());
  try {
    await kv.set(key, value, { expectedRevision: revision, ttlMs });
    return true;
  } catch {
    return false;
  }
}
