import { addAll } from '../../domain/any-number.ts'
import type { GeofenceSettings, RouteSettings } from '../../domain/place.ts'
import type { Clock } from '../../domain/time/clock.ts'
import type { AppendOutcome } from '../../fold/outcome.ts'
import type { ObjectStore, PositionStore, Store } from '../../store/store.ts'
import { auditedApiKeys, auditedItems, auditedKeys } from './audited-items.ts'
import { auditedOperator } from './audited-operator.ts'
import { auditedOrganizations } from './audited-organizations.ts'
import { auditedWebhooks } from './audited-webhooks.ts'
import { type Changes, type Descriptions, type Note, noting } from './note.ts'

/**
 * A store whose writes by an operator are audited: the action, its subject and, for an update, what
 * changed. No-op writes and writes by devices or background tasks are not audited. A write whose entry
 * cannot be added rejects with `StoreUnavailable`, although it took effect. `appendRows`: the positions of one
 * transaction.
 */
export function auditedStore(
  store: Store,
  actor: string,
  clock: Clock,
  address: string | null = null,
  appendRows = Number.POSITIVE_INFINITY,
): Store {
  const note = noting(store.audit, actor, clock)
  return {
    ...store,
    organizations: auditedOrganizations(store.organizations, note),
    keys: auditedApiKeys(store.keys, note),
    feedTokens: auditedKeys(store.feedTokens, 'feed_token', note),
    objects: auditedObjects(store.objects, note),
    geofences: auditedItems(store.geofences, { noun: 'geofence', descriptions: GEOFENCE }, note),
    routes: auditedItems(store.routes, { noun: 'route', descriptions: ROUTE }, note),
    sites: auditedItems(store.sites, { noun: 'site' }, note),
    positions: auditedPositions(store, note, appendRows),
    operator: auditedOperator(store.operator, note, address),
    webhooks: auditedWebhooks(store.webhooks, note),
  }
}

const GEOFENCE: Descriptions<GeofenceSettings> = {
  coordinates: (ring) => counted(ring.length, 'vertex', 'vertices'),
}

const ROUTE: Descriptions<RouteSettings> = {
  points: (points) => counted(points.length, 'waypoint', 'waypoints'),
  coordinates: (lines) => {
    const vertices = lines.reduce((sum, line) => sum + line.length, 0)
    return `${counted(lines.length, 'line', 'lines')}, ${counted(vertices, 'vertex', 'vertices')}`
  },
}

function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`
}

function auditedObjects(objects: ObjectStore, note: Note): ObjectStore {
  return {
    ...objects,
    ...auditedItems(objects, { noun: 'object' }, note),
    async ensure(organization, idents, now, feedToken) {
      const ensured = await objects.ensure(organization, idents, now, feedToken)
      const changes = { created: { to: ensured.created } }
      if (ensured.created > 0) await note({ action: 'object.import', organization, changes })
      return ensured
    },
  }
}

/** Only imports append positions in an operator's name. */
function auditedPositions(
  { positions, objects }: Store,
  note: Note,
  appendRows: number,
): PositionStore {
  return {
    ...positions,
    async append(organization, fixes, rules) {
      const outcomes: AppendOutcome[] = []
      try {
        for (let start = 0; start < fixes.length; start += appendRows) {
          const part = fixes.slice(start, start + appendRows)
          addAll(outcomes, await positions.append(organization, part, rules))
        }
      } finally {
        // After a failure too: what was stored before it stays.
        const changes = countedPositions(outcomes)
        if (changes !== null) await note({ action: 'positions.import', organization, changes })
      }
      return outcomes
    },
    async requestRefold(subject) {
      const requested = await positions.requestRefold(subject)
      if (requested === 0) return 0
      const { organization, object } = subject
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

/** Null if nothing changed. */
function countedPositions(outcomes: readonly AppendOutcome[]): Changes | null {
  const count = (outcome: AppendOutcome) => outcomes.filter((each) => each === outcome).length
  const [accepted, conflict] = [count('accepted'), count('conflict')]
  if (accepted + conflict === 0) return null
  const rejected = outcomes.filter((each) => typeof each === 'object').length
  return {
    accepted: { to: accepted },
    duplicate: { to: count('duplicate') },
    conflict: { to: conflict },
    rejected: { to: rejected },
  }
}
