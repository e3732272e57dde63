/**
 * Code point positions in UTF-16 strings. Pure.
 *
 * Positions come from Python and count code points; JavaScript's `length`, `slice` and `startsWith` count UTF-16 code
 * units. These are the only places where one becomes the other. A lone surrogate counts as one, as it does in Python.
 */

/**
 * The UTF-16 offset that lies `count` code points after the UTF-16 offset `from`, or -1 if the text ends before.
 * @param {string} text
 * @param {number} from - UTF-16 offset, not inside a surrogate pair
 * @param {number} count - code points
 * @returns {number}
 */
export function advance(text, from, count) {
  let offset = from;
  for (let left = count; left > 0; left -= 1) {
    if (offset >= text.length) {
      return -1;
    }
    offset += unitsAt(text, offset);
  }
  return offset;
}

/**
 * How many code points stand between two UTF-16 offsets.
 * @param {string} text
 * @param {number} from - UTF-16 offset, not inside a surrogate pair
 * @param {number} to - UTF-16 offset
 * @returns {number}
 */
export function countCodePoints(text, from = 0, to = text.length) {
  let count = 0;
  for (let offset = from; offset < to; offset += unitsAt(text, offset)) {
    count += 1;
  }
  return count;
}

/** @param {string} text @param {number} offset @returns {1 | 2} */
function unitsAt(text, offset) {
  const isPair = (text.charCodeAt(offset) & 0xfc00) === 0xd800 && (text.charCodeAt(offset + 1) & 0xfc00) === 0xdc00;
  return isPair ? 2 : 1;
}
