// console, to the log of the host.

const TEXT_CHARACTERS_MAX = 8_000;

export function make({ host, tell }) {
  let show = null;
  const log = (level) => (...values) => {
    show ??= host.load('ghosthand:failure').show;
    const text = values.map((value) => show(value)).join(' ');
    tell('console', { level, text: text.slice(0, TEXT_CHARACTERS_MAX) });
  };
  const [debug, info, warn, error] = ['debug', 'info', 'warn', 'error'].map(log);
  return { console: { debug, log: info, info, warn, error, trace: debug } };
}
