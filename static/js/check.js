/**
 * The browser's own check of a marked place, independent of the server's marking.
 *
 * Four things decide, and all must hold: the length of the text, the quote at its position, the context directly around
 * it, and the SHA-256 of the whole text. Equality only: nothing is searched for, folded or repaired.
 */

import { advance, countCodePoints } from "fundstelle/codepoints";
import { mapText, rangeOver, textNodes } from "fundstelle/textmap";

/**
 * @typedef {object} Anchor
 * @property {number} start - code points
 * @property {number} end - code points, exclusive
 * @property {string} exact
 * @property {string} prefix
 * @property {string} suffix
 * @property {string} text_sha256 - lower case hex
 */

/**
 * @typedef {object} Finding
 * @property {"checked" | "checked-without-hash" | "refused"} state
 * @property {"" | "text" | "hash"} reason - what does not fit, when refused
 * @property {Range | null} range - the place, unless refused
 */

/**
 * Check the anchor against the text under `root`, whose data-length (code points) and data-sha256 the server wrote.
 * The text is read at once; only the digest is waited for. Without a secure context a browser has no SHA-256.
 * @param {HTMLElement} root
 * @param {Anchor} anchor
 * @param {SubtleCrypto | undefined} subtle
 * @returns {Promise<Finding>}
 */
export async function check(root, anchor, subtle = globalThis.crypto?.subtle) {
  const map = mapText(root);
  const range = rangeOfQuote(map, anchor, Number(root.dataset.length));
  if (range === null) {
    return refused("text");
  }
  if (root.dataset.sha256 !== anchor.text_sha256) {
    return refused("hash");
  }
  if (subtle === undefined) {
    return { state: "checked-without-hash", reason: "", range };
  }
  const digest = await sha256(map.text, subtle);
  return digest === anchor.text_sha256 ? { state: "checked", reason: "", range } : refused("hash");
}

/**
 * Do the marks cover the range, all of it and nothing else? Line feeds between passages may stay unmarked.
 * @param {Range} range
 * @param {Iterable<Element>} marks - not nested in one another
 * @returns {boolean}
 */
export function marksCover(range, marks) {
  const nodes = Array.from(marks).flatMap(textNodes);
  const marked = nodes.map((node) => node.data).join("");
  return withoutLineFeeds(marked) === withoutLineFeeds(range.toString()) && nodes.every((node) => isInside(range, node));
}

/** @param {"text" | "hash"} reason @returns {Finding} */
function refused(reason) {
  return { state: "refused", reason, range: null };
}

/**
 * @param {import("fundstelle/textmap").TextMap} map
 * @param {Anchor} anchor
 * @param {number} length - of the whole text, in code points
 * @returns {Range | null}
 */
function rangeOfQuote(map, { start, end, exact, prefix, suffix }, length) {
  const { text } = map;
  // TextEncoder writes U+FFFD for a lone surrogate: a text with one must not reach the digest.
  if (!isHalfOpenRange(start, end) || !text.isWellFormed()) {
    return null;
  }
  const from = advance(text, 0, start);
  const to = from < 0 ? -1 : advance(text, from, end - start);
  if (to < 0 || end + countCodePoints(text, to) !== length) {
    return null;
  }
  if (text.slice(from, to) !== exact || !text.endsWith(prefix, from) || !text.startsWith(suffix, to)) {
    return null;
  }
  const range = rangeOver(map, from, to);
  return range.toString() === exact ? range : null;
}

/** @param {unknown} start @param {unknown} end @returns {boolean} */
function isHalfOpenRange(start, end) {
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && 0 <= start && start < end;
}

/** @param {string} text @param {SubtleCrypto} subtle @returns {Promise<string>} lower case hex */
async function sha256(text, subtle) {
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} text @returns {string} */
function withoutLineFeeds(text) {
  return text.replaceAll("\n", "");
}

/** @param {Range} range @param {Text} node @returns {boolean} */
function isInside(range, node) {
  return range.comparePoint(node, 0) === 0 && range.comparePoint(node, node.length) === 0;
}
