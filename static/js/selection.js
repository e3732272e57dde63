/**
 * What a DOM range chooses in the text: code points, as the server counts them, and the passages that it touches.
 *
 * The range's own text is used, which is the text nodes' data joined; `getSelection().toString()` adds line feeds between
 * blocks. Passages say where they begin (data-s), so that only the passage around an edge is counted. Line feeds at the
 * edges separate passages and are left out: a triple click takes them along. Nothing else is moved; an edge inside a
 * character of several code points is for the server to refuse.
 */

import { countCodePoints } from "fundstelle/codepoints";

/**
 * @typedef {object} Chosen
 * @property {number} start - code points
 * @property {number} end - code points, exclusive
 * @property {string} words
 * @property {number} first - number of the first passage
 * @property {number} last - number of the last passage
 */

const PASSAGE = ".passage";
const EDGE = { leading: /^\n+/u, trailing: /\n+$/u };

/**
 * @param {HTMLElement} root - the text
 * @param {Range} range - anywhere in the page
 * @returns {Chosen | null} null when it holds nothing of the text, or half a surrogate pair
 */
export function chosenIn(root, range) {
  const inside = clipped(root, range);
  const text = inside?.toString() ?? "";
  const trailing = EDGE.trailing.exec(text)?.[0].length ?? 0;
  const leading = EDGE.leading.exec(text)?.[0].length ?? 0;
  const words = text.slice(leading, text.length - trailing);
  if (inside === null || leading === text.length || !text.isWellFormed()) {
    return null;
  }
  const start = positionOf(root, inside.startContainer, inside.startOffset) + leading;
  const end = start + countCodePoints(words);
  const [first, last] = passagesOver(root, inside, start, end);
  return { start, end, words, first, last };
}

/**
 * The part of the range that lies in the text.
 * @param {HTMLElement} root
 * @param {Range} range
 * @returns {Range | null}
 */
function clipped(root, range) {
  if (range.collapsed || !range.intersectsNode(root)) {
    return null;
  }
  const inside = range.cloneRange();
  if (!root.contains(range.startContainer)) {
    inside.setStart(root, 0);
  }
  if (!root.contains(range.endContainer)) {
    inside.setEnd(root, root.childNodes.length);
  }
  return inside;
}

/**
 * @param {HTMLElement} root
 * @param {Node} container
 * @param {number} offset
 * @returns {number} code points from the beginning of the text
 */
function positionOf(root, container, offset) {
  const element = container instanceof Element ? container : container.parentElement;
  const passage = element?.closest(PASSAGE) ?? root;
  const before = new Range();
  before.setStart(passage, 0);
  before.setEnd(container, offset);
  return Number(passage.dataset.s ?? 0) + countCodePoints(before.toString());
}

/**
 * Numbers of the first and the last passage that hold something of `[start, end)`.
 * @param {HTMLElement} root
 * @param {Range} range
 * @param {number} start
 * @param {number} end
 * @returns {[number, number]}
 */
function passagesOver(root, range, start, end) {
  const begins = Array.from(root.querySelectorAll(PASSAGE)).filter((passage) => range.intersectsNode(passage));
  const numbers = begins.map((passage) => [Number(passage.dataset.s), Number(passage.id.slice("p-".length))]);
  const first = numbers.findLast(([begin]) => begin <= start) ?? numbers[0];
  const last = numbers.findLast(([begin]) => begin < end) ?? first;
  return [first[1], last[1]];
}
