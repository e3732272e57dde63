/** Text roots of any node shape for the adapter's tests, and the adapter's outcome on them. */

import { check } from "fundstelle/check";

/**
 * A root in the page whose nodes hold these pieces; pieces to skip stand before it, as labels do.
 * @param {{text: string, skip?: boolean}[]} pieces
 * @param {{length: number, sha256: string}} expected
 * @returns {{root: HTMLElement, nodes: Text[]}}
 */
export function build(pieces, expected) {
  const root = document.createElement("div");
  root.hidden = true; // what is not laid out costs no time: a million emoji take Chromium 20 seconds
  Object.assign(root.dataset, { length: expected.length, sha256: expected.sha256 });
  const nodes = pieces.map(({ text }) => document.createTextNode(text));
  document.body.replaceChildren(...nodes.filter((_, index) => pieces[index].skip), root);
  root.append(...nodes.filter((_, index) => !pieces[index].skip));
  return { root, nodes };
}

/**
 * @param {string} text
 * @param {number[]} offsets - ascending UTF-16 offsets
 * @returns {{text: string}[]}
 */
export function split(text, offsets) {
  const edges = [0, ...offsets, text.length];
  return edges.slice(1).map((end, index) => ({ text: text.slice(edges[index], end) }));
}

/**
 * The adapter's finding in a form that can leave the browser; edges are [index of the node, offset in it].
 * @param {{pieces?: {text: string, skip?: boolean}[], text?: string, offsets?: number[]}} shape
 * @param {object} anchor
 * @param {{length: number, sha256: string}} expected
 */
export async function outcome({ pieces, text, offsets = [] }, anchor, expected) {
  const { root, nodes } = build(pieces ?? split(text, offsets), expected);
  const { state, reason, range } = await check(root, anchor);
  const edge = (node, offset) => [nodes.indexOf(node), offset];
  return {
    state,
    reason,
    quote: range && range.toString(),
    start: range && edge(range.startContainer, range.startOffset),
    end: range && edge(range.endContainer, range.endOffset),
  };
}
