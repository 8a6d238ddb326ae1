import type { Fleet } from '../cache/fleet.ts'
import type { Idents } from '../cache/fleet-objects.ts'
import type { MonitoredObject } from '../domain/monitored-object.ts'
import type { Clock } from '../domain/time/time.ts'
import type { Store } from '../store/store.ts'
import { isFault, type Packet, type Row } from './packet.ts'

/** Names objects after the devices of their first packets. `known`: the objects of the fleet by ident. */
export type NameByDevice = (fleet: Fleet, rows: readonly Row[], known: Idents) => Promise<void>

/**
 * An object that somebody made before its device sent, and called by its ident, gets the name of the device with its first
 * packet, as an object does that the packet makes. Later the name stays, whatever the device is called.
 */
export function namingByDevice({ objects }: Pick<Store, 'objects'>, clock: Clock): NameByDevice {
  /** Objects that are called by their ident and have sent before. */
  const settled = new WeakSet<MonitoredObject>()

  return async (fleet, rows, known) => {
    const named = rows.filter(hasName)
    if (named.length === 0) return
    const roster = await fleet.objects()
    const wanted = new Map<number, string>()
    for (const { ident, name } of named) {
      const object = roster.get(known.get(ident) ?? 0)?.object
      if (object?.name !== ident || name === ident || settled.has(object)) continue
      settled.add(object)
      wanted.set(object.id, name)
    }
    if (wanted.size === 0) return
    const states = await fleet.committed([...wanted.keys()])
    for (const [id, name] of wanted) {
      if ((states.get(id)?.timeServer ?? null) !== null) continue
      await objects.update(fleet.organization.id, id, { name }, clock.now())
    }
  }
}

function hasName(row: Row): row is Packet & { name: string } {
  return !isFault(row) && row.name !== undefined
}
