// atob and btoa.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function btoa(text) {
  const binary = String(text);
  let out = '';
  for (let at = 0; at < binary.length; at += 3) {
    const codes = [0, 1, 2].map((step) => binary.charCodeAt(at + step));
    if (codes.some((code) => code > 255)) throw invalid('a character is above U+00FF');
    const [first, second, third] = codes.map((code) => code || 0);
    const bits = (first << 16) | (second << 8) | third;
    out += DIGITS[bits >> 18] + DIGITS[(bits >> 12) & 63];
    out += at + 1 < binary.length ? DIGITS[(bits >> 6) & 63] : '=';
    out += at + 2 < binary.length ? DIGITS[bits & 63] : '=';
  }
  return out;
}

export function atob(text) {
  let digits = String(text).replace(/[\t\n\f\r ]+/g, '');
  if (digits.length % 4 === 0) digits = digits.replace(/={1,2}$/, '');
  if (digits.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(digits)) throw invalid('not valid Base64');
  let out = '';
  let bits = 0;
  let count = 0;
  for (const digit of digits) {
    bits = ((bits << 6) | DIGITS.indexOf(digit)) & 0xffffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += String.fromCharCode((bits >> count) & 255);
    }
  }
  return out;
}

function invalid(message) {
  return Object.assign(new Error(message), { name: 'InvalidCharacterError' });
}
