import { LISTED, RECORDS } from '../changes/change-kinds.ts'
import type { ExactCounters } from '../types.ts'
import { type PositionRows, positionRows } from './position-rows.ts'
import type {
  ItemKind,
  RecordKind,
  ReplicaProgress,
  ReplicaStore,
  ReplicaWrite,
  StoredItem,
  StoredPosition,
} from './replica-store.ts'

type Data = {
  items: { [Kind in ItemKind]: Map<number, StoredItem<Kind>> }
  positions: Map<number, PositionRows>
}

/**
 * A store in memory. When a replica starts again, the store shows the data of before until the new ones are
 * complete.
 */
export function memoryStore(): ReplicaStore {
  let shown = noData()
  let growing = shown
  let wasComplete = false
  let progress: ReplicaProgress | undefined

  return {
    load: () => progress,
    commit(writes, next) {
      for (const write of writes) {
        if (write.write === 'clear') growing = noData()
        else apply(growing, write)
      }
      if (next.isComplete || !wasComplete) shown = growing
      wasComplete ||= next.isComplete
      progress = next
    },
    item: (kind, id) => shown.items[kind].get(id),
    items: (kind) => shown.items[kind].values(),
    positions: (id, from, to) => shown.positions.get(id)?.between(from, to) ?? [],
  }
}

function noData(): Data {
  const kinds = ['object', 'state', ...Object.keys(LISTED), ...Object.keys(RECORDS)]
  const items = Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as Data['items']
  return { items, positions: new Map() }
}

const RECORD_KINDS = Object.keys(RECORDS) as RecordKind[]
type DataWrite = Exclude<ReplicaWrite, { write: 'clear' }>

function apply({ items, positions }: Data, write: DataWrite): void {
  switch (write.write) {
    case 'put': {
      const { kind, id, item, asOf } = write
      const all: Map<number, StoredItem<ItemKind>> = items[kind]
      all.set(id, { item, asOf })
      return
    }
    case 'delete':
      items[write.kind].delete(write.id)
      return
    case 'delete-records': {
      const { id, endedBefore } = write
      for (const kind of RECORD_KINDS) {
        for (const { item } of items[kind].values()) {
          const isOf = id === null || item.object_id === id
          const isOld =
            endedBefore === null || (item.end_time !== null && item.end_time < endedBefore)
          if (isOf && isOld) items[kind].delete(item.id)
        }
      }
      return
    }
    case 'put-position': {
      const { id, time, position, asOf } = write
      const rows = positions.get(id) ?? positionRows()
      positions.set(id, rows)
      rows.put(time, { position, asOf })
      return
    }
    case 'delete-positions': {
      const { id, from, to } = write
      const affected = id === null ? positions.values() : [positions.get(id)]
      for (const rows of affected) rows?.delete(from, to)
      return
    }
    case 'shift-positions': {
      const { id, from, to, seq } = write
      const shift = (row: StoredPosition) => (row.asOf < seq ? shifted(row, write, seq) : row)
      positions.get(id)?.replace(from, to, shift)
    }
  }
}

/** `asOf`: the number of the shift's change, so that an entry that is repeated does not shift the row again. */
function shifted(
  row: StoredPosition,
  by: { [Counter in keyof ExactCounters]: number },
  asOf: number,
): StoredPosition {
  const { exact } = row.position
  if (exact === undefined) return row
  const sum = (counter: keyof ExactCounters) =>
    exact[counter] === null ? null : exact[counter] + by[counter]
  const moved: ExactCounters = {
    odometer_mm: sum('odometer_mm'),
    mileage_mm: sum('mileage_mm'),
    engine_hours_ms: sum('engine_hours_ms'),
  }
  return { ...row, position: { ...row.position, exact: moved }, asOf }
}
