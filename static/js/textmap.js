/**
 * The text under an element and the text nodes that hold it, however many there are and wherever they were cut.
 *
 * Parsers, extensions and translations cut nodes anywhere, also inside a surrogate pair. Nothing here changes the page:
 * `normalize()` would move other people's ranges. Empty nodes are left out. All offsets are UTF-16 code units.
 */

/**
 * @typedef {object} TextMap
 * @property {string} text - what all nodes hold together; equal to the element's textContent
 * @property {Text[]} nodes - in document order
 * @property {number[]} ends - the offset in `text` at which each node ends
 */

/**
 * @param {Node} root
 * @returns {TextMap}
 */
export function mapText(root) {
  const nodes = textNodes(root);
  const ends = [];
  let end = 0;
  for (const node of nodes) {
    end += node.length;
    ends.push(end);
  }
  return { text: root.textContent ?? "", nodes, ends };
}

/**
 * The range over `[start, end)`: from the node that begins with its first unit to the node that ends with its last one.
 * @param {TextMap} map
 * @param {number} start
 * @param {number} end - greater than `start` and within the text
 * @returns {Range}
 */
export function rangeOver({ nodes, ends }, start, end) {
  const first = nodeHolding(ends, start);
  const last = nodeHolding(ends, end - 1);
  const range = new Range();
  range.setStart(nodes[first], start - beginning(ends, first));
  range.setEnd(nodes[last], end - beginning(ends, last));
  return range;
}

/**
 * @param {Node} root
 * @returns {Text[]} those that hold anything, in document order
 */
export function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.length > 0) {
      nodes.push(node);
    }
  }
  return nodes;
}

/** @param {number[]} ends @param {number} index @returns {number} */
function beginning(ends, index) {
  return index === 0 ? 0 : ends[index - 1];
}

/**
 * The index of the node that holds the unit at `offset`: the first one that ends after it.
 * @param {number[]} ends
 * @param {number} offset
 * @returns {number}
 */
function nodeHolding(ends, offset) {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] > offset) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
