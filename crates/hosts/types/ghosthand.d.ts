// Types for handlers of Ghosthand tools, for editors and `tsc --checkJs`.
//
// At the top of a handler:
//
//   // @ts-check
//   /** @type {import('../ghosthand').Execute<{ query: string }>} */
//   export const execute = async ({ args, context }) => ({ ok: true, data: args.query });
//
// A handler runs in a fresh state for every call: module variables do not persist.
// There is no Node, no `Intl` (options of `toLocaleString` are ignored), no `eval`, and the
// local time is UTC.

/** Any JSON value. Properties that are `undefined` are omitted. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/** What a handler exports as `execute`. */
export type Execute<Args = any, Data extends Json = Json> = (input: {
  args: Args;
  context: Context;
}) => ToolResponse<Data> | Promise<ToolResponse<Data>>;

export type ToolResponse<Data extends Json = Json> = Success<Data> | Failure | Asked;

/** Questions instead of data: return the result of `context.ask` unchanged. */
export interface Asked {
  ask: Record<string, Question>;
}

/** A question, by default to the person. `asks` in the contract must name its kind. */
export type Question =
  | { kind?: 'person'; message: string; schema: Form }
  | { kind: 'model'; message: string; system?: string; maxTokens?: number }
  | { kind: 'folders' };

/** A form of plain fields. */
export interface Form {
  type: 'object';
  title?: string;
  description?: string;
  properties: Record<string, Field>;
  required?: readonly string[];
}

export type Field = { title?: string; description?: string } & (
  | {
      type: 'string';
      minLength?: number;
      maxLength?: number;
      format?: 'email' | 'uri' | 'date' | 'date-time';
      default?: string;
      enum?: readonly string[];
      enumNames?: readonly string[];
      oneOf?: readonly Titled[];
    }
  | { type: 'number' | 'integer'; minimum?: number; maximum?: number; default?: number }
  | { type: 'boolean'; default?: boolean }
  | {
      type: 'array';
      minItems?: number;
      maxItems?: number;
      items: { type: 'string'; enum: readonly string[] } | { anyOf: readonly Titled[] };
      default?: readonly string[];
    }
);

export interface Titled {
  const: string;
  title: string;
}

/** An answer. `content` is the filled form, `{ text }` of a model, or `{ folders }`. */
export type Replied =
  | { action: 'accept'; content: any }
  | { action: 'decline' | 'cancel'; content: null };

export interface Success<Data extends Json = Json> {
  ok: true;
  data: Data;
  intents?: Intent[];
  /** Files for the person; at most 8, of 512 KiB each. */
  artifacts?: Artifact[];
}

/** A file that the page shows beside the conversation. */
export interface Artifact {
  /** A file name without folders: `report.html`. */
  name: string;
  text: string;
  /** As in Markdown; by default the end of the name. */
  language?: string;
}

/** An expected failure. The model reads the message: say what it can do next. */
export interface Failure {
  ok: false;
  error: { type: ErrorTypeName; message: string; retryable: boolean; details?: Json };
}

export type Intent =
  | { type: 'END_VOICE_SESSION'; after?: 'immediate' | 'current_turn' | 'farewell_spoken' }
  | { type: 'SUPPRESS_AUDIO'; value: boolean }
  | { type: 'SUPPRESS_TRANSCRIPT'; value: boolean }
  | { type: 'SET_PENDING_MESSAGE'; message: string };

export type ErrorTypeName =
  | 'VALIDATION'
  | 'NOT_FOUND'
  | 'INTERNAL'
  | 'MODE_RESTRICTED'
  | 'BUDGET_EXCEEDED'
  | 'CONFIRMATION_REQUIRED'
  | 'LOOP_DETECTED'
  | 'SESSION_INACTIVE'
  | 'TRANSIENT'
  | 'PERMANENT'
  | 'RATE_LIMIT'
  | 'AUTH'
  | 'CONFLICT';

/** What a handler gets besides its arguments. */
export interface Context {
  clientId: string;
  tool: { id: string; version: string; idempotent: boolean };
  session: {
    isActive: boolean;
    mode: 'text' | 'voice';
    toolsVersion: string;
    /** Read-only: writing to it throws. */
    readonly state: Readonly<Record<string, any>>;
  };
  /** The key is the same for every attempt of the same call. */
  call: { id: string; idempotencyKey: string; mayOnlyAsk: boolean };
  /** The conversation. Keys with its id as a segment are deleted with it. */
  metadata: { conversationId: string; modelName: string | null; toolCallCount: number };
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;

  /**
   * Return the result of this before changing anything: the handler runs again with the
   * answers in `answers`.
   */
  ask(questions: Record<string, Question>): Asked;
  /** The answers of this call so far, by question name. */
  answers: Record<string, Replied | undefined>;
  /** Whom the caller can ask. */
  canAsk: ('person' | 'model' | 'folders')[];

  messaging: { send(message: Json): Promise<void> };
  voice: { isActive(): boolean };
  /** Recorded in order. Never include what the user wrote. */
  audit: { log(event: string, data?: Json): void };
  /** Progress from 0 to 1. */
  progress(fraction: number, note?: string): Promise<void>;

  /** A chunk of the answer. Await it for backpressure. */
  assistant(text: string): Promise<void>;
  /** A separate message. */
  system(text: string): Promise<void>;
  /** For the model only; not shown to people. */
  context(text: string): Promise<void>;
  emit(channel: 'assistant' | 'system' | 'context', text: string): Promise<void>;

  /** Available if `capabilities.kv` names key prefixes. */
  kv?: KeyValue;
  /** Available if `capabilities.files` names roots. */
  files?: FileAccess;
  /** Available if `capabilities.attachments` is `["read"]`. */
  attachments?: AttachmentAccess;
  /** Available if `capabilities.net` names hosts; then `fetch` is a global too. */
  fetch?: typeof fetch;
  /** Available if `capabilities.secrets` names secrets. */
  secrets?: { get(name: string): Promise<string> };
}

/** What a service throws. `CONFLICT`, `NOT_FOUND`, `NOT_ALLOWED`, `UNAVAILABLE`, `TOO_LARGE`, … */
export interface ServiceError extends Error {
  code: string;
}

export interface Revised {
  revision: number;
}

export interface KeyValue {
  get(key: string): Promise<{ value: any; revision: number } | null>;
  /** With `expectedRevision` (`null`: must not exist), a lost race throws `CONFLICT`. */
  set(
    key: string,
    value: Json,
    options?: { expectedRevision?: number | null; ttlMs?: number },
  ): Promise<Revised>;
  delete(key: string, options?: { expectedRevision?: number }): Promise<boolean>;
  /** All keys with the prefix, sorted. */
  list(prefix?: string): Promise<{ key: string; value: any; revision: number }[]>;
}

export interface FileAccess {
  /** All files below a directory. */
  list(path: string): Promise<{ path: string; size: number }[]>;
  read(path: string): Promise<string>;
  stat(path: string): Promise<{ size: number; revision: string } | null>;
  /** Writes atomically. */
  write(
    path: string,
    text: string,
    options?: { expectedRevision?: string | null },
  ): Promise<{ revision: string }>;
}

/** The files that the person attached in this conversation. */
export interface AttachmentAccess {
  list(): Promise<{ id: string; name: string; mediaType: string; bytes: number; hasText: boolean }[]>;
  /** The text of a document, at most 4 MiB; throws `NOT_TEXT` for a picture. */
  text(id: string): Promise<string>;
  /** At most 4 MiB; throws `TOO_LARGE` for more. */
  bytes(id: string): Promise<Uint8Array>;
}

declare global {
  class URL {
    constructor(input: string | URL, base?: string | URL);
    static canParse(input: string | URL, base?: string | URL): boolean;
    static parse(input: string | URL, base?: string | URL): URL | null;
    href: string;
    protocol: string;
    username: string;
    password: string;
    host: string;
    hostname: string;
    port: string;
    pathname: string;
    search: string;
    hash: string;
    readonly origin: string;
    readonly searchParams: URLSearchParams;
    toString(): string;
    toJSON(): string;
  }

  class URLSearchParams {
    constructor(init?: string | Record<string, string> | Iterable<[string, string]>);
    readonly size: number;
    append(name: string, value: string): void;
    delete(name: string, value?: string): void;
    get(name: string): string | null;
    getAll(name: string): string[];
    has(name: string, value?: string): boolean;
    set(name: string, value: string): void;
    sort(): void;
    forEach(visit: (value: string, name: string, params: URLSearchParams) => void): void;
    entries(): IterableIterator<[string, string]>;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    [Symbol.iterator](): IterableIterator<[string, string]>;
    toString(): string;
  }

  class TextEncoder {
    readonly encoding: 'utf-8';
    encode(text?: string): Uint8Array;
  }

  /** UTF-8 only. */
  class TextDecoder {
    constructor(label?: 'utf-8', options?: { fatal?: boolean; ignoreBOM?: boolean });
    readonly encoding: 'utf-8';
    readonly fatal: boolean;
    readonly ignoreBOM: boolean;
    decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
  }

  class Headers {
    constructor(init?: Headers | Record<string, string> | [string, string][]);
    append(name: string, value: string): void;
    set(name: string, value: string): void;
    get(name: string): string | null;
    has(name: string): boolean;
    delete(name: string): void;
    forEach(visit: (value: string, name: string, headers: Headers) => void): void;
    entries(): IterableIterator<[string, string]>;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    [Symbol.iterator](): IterableIterator<[string, string]>;
  }

  class Response {
    constructor(
      body?: string | ArrayBuffer | ArrayBufferView | null,
      init?: { status?: number; statusText?: string; headers?: Record<string, string> },
    );
    readonly ok: boolean;
    readonly status: number;
    readonly statusText: string;
    readonly url: string;
    readonly redirected: boolean;
    readonly headers: Headers;
    readonly bodyUsed: boolean;
    text(): Promise<string>;
    json(): Promise<any>;
    arrayBuffer(): Promise<ArrayBuffer>;
    bytes(): Promise<Uint8Array>;
  }

  /** Only to the hosts that `capabilities.net` names. */
  function fetch(
    url: string | URL,
    init?: {
      method?: string;
      headers?: Headers | Record<string, string> | [string, string][];
      body?: string | ArrayBuffer | ArrayBufferView | URLSearchParams | null;
      redirect?: 'follow' | 'error' | 'manual';
      signal?: AbortSignal;
    },
  ): Promise<Response>;

  class Event {
    constructor(type: string);
    readonly type: string;
    target: EventTarget | null;
    readonly defaultPrevented: boolean;
    preventDefault(): void;
  }

  class EventTarget {
    addEventListener(
      type: string,
      listener: ((event: Event) => void) | { handleEvent(event: Event): void } | null,
      options?: boolean | { once?: boolean },
    ): void;
    removeEventListener(type: string, listener: unknown): void;
    dispatchEvent(event: Event): boolean;
  }

  class AbortSignal extends EventTarget {
    private constructor();
    static abort(reason?: unknown): AbortSignal;
    static timeout(delayMs: number): AbortSignal;
    static any(signals: AbortSignal[]): AbortSignal;
    readonly aborted: boolean;
    readonly reason: any;
    onabort: ((event: Event) => void) | null;
    throwIfAborted(): void;
  }

  class AbortController {
    readonly signal: AbortSignal;
    abort(reason?: unknown): void;
  }

  function setTimeout<A extends unknown[]>(action: (...args: A) => void, delayMs?: number, ...args: A): number;
  function setInterval<A extends unknown[]>(action: (...args: A) => void, delayMs?: number, ...args: A): number;
  function clearTimeout(timer: number | undefined): void;
  function clearInterval(timer: number | undefined): void;
  function queueMicrotask(action: () => void): void;
  function structuredClone<T>(value: T): T;
  function atob(text: string): string;
  function btoa(text: string): string;

  const crypto: {
    randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
    getRandomValues<T extends ArrayBufferView>(view: T): T;
  };

  /** Writes to the log of the host. */
  const console: Record<
    'debug' | 'log' | 'info' | 'warn' | 'error' | 'trace',
    (...values: unknown[]) => void
  >;
}
