// crypto.randomUUID and crypto.getRandomValues, with random bytes of the system.

const BYTES_MAX = 65_536;

export function make({ host: { random } }) {
  const crypto = {
    getRandomValues(view) {
      if (!ArrayBuffer.isView(view) || view instanceof DataView) {
        throw new TypeError('getRandomValues needs an array of integers');
      }
      if (view.byteLength > BYTES_MAX) {
        throw Object.assign(new Error(`more than ${BYTES_MAX} bytes`), { name: 'QuotaExceededError' });
      }
      new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(random(view.byteLength));
      return view;
    },
    randomUUID() {
      const bytes = random(16);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
      const cuts = [0, 8, 12, 16, 20, 32];
      return cuts.slice(1).map((end, index) => hex.slice(cuts[index], end)).join('-');
    },
  };
  return { crypto };
}
