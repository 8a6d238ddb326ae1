import type { Collection, Key, Node } from 'react-stately'
import { VehicleRow } from './VehicleRow.tsx'

type RowNode = Node<null>

/** Nodes are kept, because a row is rendered again when its node is another one. */
export type RowNodes = Map<number, RowNode>

/**
 * The rows of the list for React Aria, which otherwise renders each item of a collection once to learn of it.
 */
export function idCollection(ids: Float64Array, nodes: RowNodes): Collection<RowNode> {
  const rows = Array.from(ids, (id, index) => {
    const node = nodes.get(id) ?? newNode(id)
    nodes.set(id, node)
    node.index = index
    return node
  })
  const indexOf = new Map<Key, number>(rows.map(({ key }, index) => [key, index]))
  const keyAt = (index: number | undefined) =>
    index === undefined ? null : (rows[index]?.key ?? null)
  const besides = (key: Key, step: number) => {
    const index = indexOf.get(key)
    return index === undefined ? null : keyAt(index + step)
  }
  return {
    size: rows.length,
    getKeys: () => indexOf.keys(),
    getItem: (key) => rows[indexOf.get(key) ?? -1] ?? null,
    at: (index) => rows[index] ?? null,
    getKeyBefore: (key) => besides(key, -1),
    getKeyAfter: (key) => besides(key, 1),
    getFirstKey: () => keyAt(0),
    getLastKey: () => keyAt(rows.length - 1),
    getChildren: () => [],
    [Symbol.iterator]: () => rows.values(),
  }
}

function newNode(id: number): RowNode {
  return {
    type: 'item',
    key: id,
    value: null,
    level: 0,
    hasChildNodes: false,
    childNodes: [],
    rendered: null,
    textValue: '',
    index: 0,
    render: () => <VehicleRow id={id} />,
  }
}
