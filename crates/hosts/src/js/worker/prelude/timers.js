// setTimeout and the like. The host keeps the time, this module the callbacks.

export function make(handles) {
  const { host } = handles;
  const timers = { __proto__: null };
  let last = 0;

  function start(action, delay, args, isRepeated) {
    if (typeof action !== 'function') throw new TypeError('a timer needs a function');
    last += 1;
    timers[last] = { action, delay: +delay || 0, args, isRepeated };
    host.setTimer(last, timers[last].delay);
    return last;
  }

  function clear(n) {
    if (timers[n] === undefined) return;
    delete timers[n];
    host.clearTimer(n);
  }

  handles.fire = (n) => {
    const timer = timers[n];
    if (timer === undefined) return;
    if (timer.isRepeated) host.setTimer(n, timer.delay);
    else delete timers[n];
    try {
      timer.action(...timer.args);
    } catch (error) {
      // Nobody awaits a timer, so an exception in it ends the call.
      handles.fail(error);
    }
  };

  const resolved = Promise.resolve();
  const { then } = resolved;
  return {
    setTimeout: (action, delay, ...args) => start(action, delay, args, false),
    setInterval: (action, delay, ...args) => start(action, delay, args, true),
    clearTimeout: clear,
    clearInterval: clear,
    queueMicrotask(action) {
      if (typeof action !== 'function') throw new TypeError('a microtask needs a function');
      Reflect.apply(then, resolved, [() => action()]);
    },
  };
}
