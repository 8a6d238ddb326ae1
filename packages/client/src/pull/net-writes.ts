import type { ItemKind, ReplicaWrite } from '../replica/replica-store.ts'

type Of<What extends ReplicaWrite['write']> = Extract<ReplicaWrite, { write: What }>

export type Put = Of<'put-position'>
export type Removal = Of<'delete-positions'>
export type RecordRemoval = Of<'delete-records'>
export type Shift = Of<'shift-positions'>
export type ItemWrite = Of<'put'> | Of<'delete'>

/** The writes of a page without those that others supersede. They apply in the order of these fields. */
export type NetWrites = {
  isStart: boolean
  shifts: Shift[]
  removals: Removal[]
  puts: Put[]
  recordRemovals: RecordRemoval[]
  /** The last write of each item. A removal of records also deletes those that the page put before it. */
  items: ItemWrite[]
}

/**
 * Sorts the writes of one page so that each kind of write is one statement. Shifts come first, because the positions
 * of a page contain its shifts already. A removal also drops the positions that the page put before it.
 */
export function netWrites(writes: readonly ReplicaWrite[]): NetWrites {
  const net: NetWrites = {
    ...{ isStart: false, shifts: [], removals: [], puts: [], recordRemovals: [], items: [] },
  }
  const puts = new Map<number, Map<string, Put>>()
  const items = new Map<`${ItemKind} ${number}`, ItemWrite>()
  for (const write of writes) {
    switch (write.write) {
      case 'clear':
        net.isStart = true
        break
      case 'put-position': {
        const of = puts.get(write.id) ?? new Map<string, Put>()
        puts.set(write.id, of.set(write.time, write))
        break
      }
      case 'delete-positions':
        net.removals.push(write)
        for (const of of write.id === null ? puts.values() : [puts.get(write.id)]) {
          for (const time of of?.keys() ?? []) if (isIn(time, write)) of!.delete(time)
        }
        break
      case 'shift-positions':
        net.shifts.push(write)
        break
      case 'delete-records':
        net.recordRemovals.push(write)
        for (const [key, item] of items) {
          const { kind, id } = item
          if (isRemoved(item, write)) items.set(key, { write: 'delete', kind, id })
        }
        break
      default:
        items.set(`${write.kind} ${write.id}`, write)
    }
  }
  net.puts = [...puts.values()].flatMap((of) => [...of.values()])
  net.items = [...items.values()]
  return net
}

function isRemoved(item: ItemWrite, { id, endedBefore }: RecordRemoval): boolean {
  if (item.write === 'delete' || !('object_id' in item.item)) return false
  const { object_id, end_time } = item.item
  if (id !== null && object_id !== id) return false
  return endedBefore === null || (end_time !== null && end_time < endedBefore)
}

/** Times of the API sort as text. */
function isIn(time: string, { from, to }: Removal): boolean {
  return (from === null || time >= from) && (to === null || time <= to)
}
