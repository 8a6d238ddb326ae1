import type { Clock } from '../domain/clock.ts'
import type { GeofenceSettings, RouteSettings } from '../domain/place.ts'
import type { PositionStore, Store } from '../store/store.ts'
import { auditedCatalogue } from './audited-catalogue.ts'
import { auditedKeys } from './audited-keys.ts'
import { auditedOperator } from './audited-operator.ts'
import { auditedOrganizations } from './audited-organizations.ts'
import type { Told } from './changed-settings.ts'
import { type Note, noting } from './note.ts'

/**
 * A store whose writes by an operator are audited: the action, its subject and, for an update, what
 * changed. No-op writes and writes by devices or background tasks are not audited. A write whose entry
 * cannot be added rejects with `StoreUnavailable`, although it took effect.
 */
export function auditedStore(
  store: Store,
  actor: string,
  clock: Clock,
  address: string | null = null,
): Store {
  const note = noting(store.audit, actor, clock)
  return {
    ...store,
    organizations: auditedOrganizations(store.organizations, note),
    keys: auditedKeys(store.keys, 'key', note),
    feedTokens: auditedKeys(store.feedTokens, 'feed_token', note),
    objects: { ...store.objects, ...auditedCatalogue(store.objects, { noun: 'object' }, note) },
    geofences: auditedCatalogue(store.geofences, { noun: 'geofence', told: GEOFENCE }, note),
    routes: auditedCatalogue(store.routes, { noun: 'route', told: ROUTE }, note),
    sites: auditedCatalogue(store.sites, { noun: 'site' }, note),
    positions: auditedPositions(store, note),
    operator: auditedOperator(store.operator, note, address),
  }
}

const GEOFENCE: Told<GeofenceSettings> = {
  coordinates: (ring) => counted(ring.length, 'vertex', 'vertices'),
}

const ROUTE: Told<RouteSettings> = {
  points: (points) => counted(points.length, 'waypoint', 'waypoints'),
  coordinates: (lines) => {
    const vertices = lines.reduce((sum, line) => sum + line.length, 0)
    return `${counted(lines.length, 'line', 'lines')}, ${counted(vertices, 'vertex', 'vertices')}`
  },
}

function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`
}

function auditedPositions({ positions, objects }: Store, note: Note): PositionStore {
  return {
    ...positions,
    async requestRefold(scope) {
      const requested = await positions.requestRefold(scope)
      if (requested === 0) return 0
      const { organization, object } = scope
      const found = object === null ? null : await objects.find(organization, object)
      await note({
        action: 'positions.recompute',
        organization,
        target: object,
        name: found?.name ?? null,
        changes: { objects: { to: requested } },
      })
      return requested
    },
  }
}
