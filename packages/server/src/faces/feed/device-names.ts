import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { Fleet } from '../../data/cache/fleet-cache.ts'
import type { Idents } from '../../data/cache/fleet-objects.ts'
import type { Store } from '../../engine/store/store.ts'
import { isFault, type Row } from './packet.ts'

/**
 * An object that somebody made before its device sent, and called by its ident, gets the name of the device with its first
 * packet, as an object does that the packet makes. Later the name stays, whatever the device is called.
 */
export function namingByDevice({ objects }: Pick<Store, 'objects'>, clock: Clock) {
  /** Objects that are called by their ident and have sent before. */
  const settled = new WeakSet<MonitoredObject>()

  return {
    /** The objects that a packet among the rows may name. The store takes the rows afterwards. */
    async unnamed(fleet: Fleet, rows: readonly Row[], known: Idents): Promise<ReadonlySet<number>> {
      const waiting = new Map<number, MonitoredObject>()
      for (const row of rows) {
        if (isFault(row) || row.name === undefined || row.name === row.ident) continue
        const roster = await fleet.objects()
        const object = roster.get(known.get(row.ident) ?? 0)?.object
        if (object?.name === row.ident && !settled.has(object)) waiting.set(object.id, object)
      }
      if (waiting.size === 0) return NONE
      const states = await fleet.committed([...waiting.keys()])
      for (const [id, object] of waiting) {
        const heardAt = states.get(id)?.timeServer ?? null
        if (heardAt === null) continue
        settled.add(object)
        waiting.delete(id)
      }
      return new Set(waiting.keys())
    },

    async name(organization: number, names: ReadonlyMap<number, string>): Promise<void> {
      for (const [id, name] of names) await objects.update(organization, id, { name }, clock.now())
    },
  }
}

const NONE: ReadonlySet<number> = new Set()
