import { type MonitoredObject, withOwnSettings } from '../../base/domain/monitored-object.ts'
import { isPrivate } from '../../base/domain/private-hours.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { Fleet } from '../../data/cache/fleet.ts'
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

  return async (fleet: Fleet, rows: readonly Row[], known: Idents): Promise<void> => {
    const wanted = new Map<number, string>()
    for (const row of rows) {
      if (isFault(row) || row.name === undefined || row.name === row.ident) continue
      const roster = await fleet.objects()
      const object = roster.get(known.get(row.ident) ?? 0)?.object
      if (object?.name !== row.ident || settled.has(object)) continue
      if (isPrivate(withOwnSettings(object, fleet.organization), row.fix.timeDevice)) continue
      settled.add(object)
      wanted.set(object.id, row.name)
    }
    if (wanted.size === 0) return
    const states = await fleet.committed([...wanted.keys()])
    for (const [id, name] of wanted) {
      const heardAt = states.get(id)?.timeServer ?? null
      if (heardAt === null) await objects.update(fleet.organization.id, id, { name }, clock.now())
    }
  }
}
