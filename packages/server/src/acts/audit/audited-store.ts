import { addAll, maxOf, minOf } from '../../base/domain/common/any-number.ts'
import { passedOn } from '../../base/domain/common/passed-on.ts'
import {
  byTopic,
  ITEM_NOUNS,
  type ItemSettings,
  LIST_TOPICS,
  type ListTopic,
} from '../../base/domain/item-rules.ts'
import type { GeofenceSettings, RouteSettings } from '../../base/domain/places/place.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { NotedEntry } from '../../engine/store/audit-store.ts'
import type { ItemStore, ListStores, ObjectStore } from '../../engine/store/item-store.ts'
import type { PositionStore } from '../../engine/store/position-store.ts'
import type { Store } from '../../engine/store/store.ts'
import type { AppendOutcome } from '../../engine/tracking/fold-tables.ts'
import { auditedAccess } from './audited-access.ts'
import { auditedApiKeys, auditedKeys, auditedLinks, auditedRouting } from './audited-keys.ts'
import {
  auditedAttributes,
  auditedItems,
  auditedMappings,
  auditedOrganizations,
  auditedWebhooks,
} from './audited-organizations.ts'
import { type Changes, type Descriptions, type EntryOf, entriesOf } from './entry.ts'

/**
 * A store whose writes by an operator are audited: the action, its subject and, for an update, what
 * changed. No-op writes and writes by devices or background tasks are not audited. A write and its entry are one
 * transaction. `appendRows`: the positions of one transaction.
 */
export function auditedStore(
  store: Store,
  actor: string,
  clock: Clock,
  address: string | null = null,
  appendRows = Number.POSITIVE_INFINITY,
): Store {
  const entryOf = entriesOf(actor, clock)
  return {
    ...passedOn(
      store,
      ['refusedIdents', 'changeLog', 'attempts', 'audit', 'usage', 'disclosures'],
      ['records', 'coverage', 'secret', 'watch', 'backup', 'close'],
    ),
    organizations: auditedOrganizations(store.organizations, entryOf),
    keys: auditedApiKeys(store.keys, entryOf),
    feedTokens: auditedKeys(store.feedTokens, 'feed_token', entryOf),
    links: auditedLinks(store.links, entryOf),
    deploymentTokens: auditedKeys(store.deploymentTokens, 'deployment_token', entryOf),
    routing: auditedRouting(store.routing, entryOf),
    objects: auditedObjects(store.objects, entryOf),
    ...auditedLists(store, entryOf),
    positions: auditedPositions(store, entryOf, appendRows),
    attributes: auditedAttributes(store.attributes, entryOf),
    savedMappings: auditedMappings(store.savedMappings, entryOf),
    ...auditedAccess(store, entryOf, address),
    webhooks: auditedWebhooks(store.webhooks, entryOf),
  }
}

function auditedLists(store: Store, entryOf: EntryOf): ListStores {
  const descriptions: { [Topic in ListTopic]?: Descriptions<ItemSettings[Topic]> } = {
    geofences: GEOFENCE,
    routes: ROUTE,
  }
  return byTopic(LIST_TOPICS, (topic) => {
    const kind = { noun: ITEM_NOUNS[topic], descriptions: descriptions[topic] as never }
    return auditedItems(store[topic] as ItemStore<never, never>, kind, entryOf)
  }) as ListStores
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

function auditedObjects(objects: ObjectStore, entryOf: EntryOf): ObjectStore {
  return {
    ...passedOn(objects, ['ofOrganization', 'trackerMoves']),
    ...auditedItems(objects, { noun: 'object' }, entryOf),
    ensure: (organization, idents, now, maker) =>
      objects.ensure(organization, idents, now, maker, ({ created }) => {
        const changes = { created: { to: created } }
        return created === 0 ? null : entryOf('object.import', { organization, changes })
      }),
    moveTracker: (organization, target, tracker, now) =>
      objects.moveTracker(organization, target, tracker, now, (after, before) => {
        const since = new Date(tracker.since).toISOString()
        const changes = { ident: { from: before!.ident, to: after.ident }, since: { to: since } }
        return entryOf('object.update', { organization, target, name: after.name, changes })
      }),
  }
}

/** Names that the entry of an act has. */
const MAX_NOTED_NAMES = 200

/** Only imports append positions in an operator's name. */
function auditedPositions(
  { positions, objects }: Store,
  entryOf: EntryOf,
  appendRows: number,
): PositionStore {
  return {
    ...passedOn(
      positions,
      ['appendSize', 'rejects', 'refold', 'moveSlice', 'address', 'history', 'count', 'states'],
      [
        'eraseSlice',
        'erasures',
        'storedIn',
        'requestNewRules',
        'waitingForRefold',
        'purgeExpired',
        'makeRoom',
        'pack',
        'packingCounts',
        'checkBlocks',
      ],
    ),
    async append(organization, fixes, rules) {
      const outcomes: AppendOutcome[] = []
      /** The entry of the first transaction that changes something. Later ones add to it. */
      let id: number | undefined
      for (let start = 0; start < fixes.length; start += appendRows) {
        let noted: readonly NotedEntry[] = []
        const part = fixes.slice(start, start + appendRows)
        const appended = await positions.append(organization, part, rules, (taken) => {
          const changes = countedPositions(outcomes.concat(taken))
          const about = { organization, changes, ...(id !== undefined && { id }) }
          noted = changes === null ? [] : entryOf('positions.import', about)
          return noted
        })
        id = noted[0]?.id
        addAll(outcomes, appended)
      }
      return outcomes
    },
    forgetNames(organization, names, after) {
      const changes = {
        names: { to: [...names].slice(0, MAX_NOTED_NAMES) },
        count: { to: names.size },
      }
      // Later slices are of the same act.
      const note =
        after === 0 ? () => entryOf('attributes.forget', { organization, changes }) : undefined
      return positions.forgetNames(organization, names, after, note)
    },
    /** The entry has no value: it is to be forgotten. */
    async erase(organization, target, what, now) {
      const name = (await objects.find(organization, target))?.name ?? null
      const { ranges, attribute = null } = what
      const [from, to] = [
        minOf(ranges.map((range) => range.from)),
        maxOf(ranges.map((range) => range.to)),
      ]
      const iso = (time: number) => ({ to: new Date(time).toISOString() })
      const changes = {
        ...(attribute !== null && { attribute: { to: attribute } }),
        ...{ from: iso(from), to: iso(to) },
        ...(ranges.length > 1 && { ranges: { to: ranges.length } }),
      }
      const action = attribute === null ? 'positions.delete' : 'attributes.erase'
      return positions.erase(organization, target, what, now, () =>
        entryOf(action, { organization, target, name, changes }),
      )
    },
    async requestRefold(subject) {
      const { organization, object } = subject
      const { name = null } = (object && (await objects.find(organization, object))) || {}
      return positions.requestRefold(subject, (requested) => {
        const changes = { objects: { to: requested } }
        const about = { organization, target: object, name, changes }
        return requested === 0 ? null : entryOf('positions.recompute', about)
      })
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
