import { createHmac, type Hmac, type KeyObject } from 'node:crypto'
import { passedOn } from '../../base/domain/common/passed-on.ts'
import { takeTurn } from '../../base/domain/common/slots.ts'
import { CHANGE_TYPES, type ChangeType } from '../../base/domain/item-rules.ts'
import { type KeyScope, opensType, sightOf } from '../../base/domain/key-scope.ts'
import { shownFromIn } from '../../base/domain/organization.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import type { Fleet, Listing, Listings, PublicAttributes } from '../../data/cache/fleet-cache.ts'
import type {
  CachedObject,
  FleetObject,
  OwnObject,
  Roster,
} from '../../data/cache/fleet-objects.ts'
import type { StatesRead } from '../../data/live/realtime.ts'
import { freshDays } from '../../engine/journeys/days/kept-days.ts'
import type {
  Coverage,
  CoverageDay,
  CoverageQuery,
} from '../../engine/journeys/days/read-coverage.ts'
import type { Api } from '../api.ts'
import { shortDigest } from '../parameters/page-cursor.ts'
import { boundedStates, type Narrowing, narrowingOf, type Reading } from './narrowing.ts'
import { joinedDay, scopedPositions } from './scoped-positions.ts'
import { scopedView, shownState, visiblePage } from './scoped-view.ts'

/*
 * The sources of a key: those of its organization, without everything that its scope does not open.
 */

/** All that operations read. */
export type Sources = {
  readonly api: Api
  readonly fleet: ReadFleet
  readonly opened: OpenedChanges
}

/** The changes that a key opens. */
export type OpenedChanges = {
  readonly types: ReadonlySet<ChangeType>
  /** A short text that cursors carry. It differs for keys that see different things. Undefined: the key sees everything. */
  readonly sight: string | undefined
}

const EVERYTHING: OpenedChanges = { types: new Set(CHANGE_TYPES), sight: undefined }

/** The scopes whose sources are kept: those that were used last. Each link has a scope of its own. */
const MAX_SCOPES = 500

/** Returns the kept value of a scope, by its sight. */
function keptOf<Value>(kept: Map<string, Value>, sight: string, make: () => Value): Value {
  const value = kept.get(sight) ?? make()
  kept.delete(sight)
  kept.set(sight, value)
  if (kept.size > MAX_SCOPES) kept.delete(kept.keys().next().value!)
  return value
}

const sourcesByFleet = new WeakMap<Fleet, Map<string, Sources>>()

/**
 * The sources of a key: those of its organization, as if the organization had only what the scope opens. An
 * operation that reads them does not need to know of scopes, and cannot show more. `api` must not be scoped yet: the
 * sources are kept with the fleet, and a record that has left a scope has no start in a view that is narrowed twice.
 */
export function sourcesOf(api: Api, fleet: Fleet, scope: KeyScope | null): Sources {
  const sight = sightOf(scope)
  if (scope === null || sight === undefined) return { api, fleet, opened: EVERYTHING }
  const known = sourcesByFleet.get(fleet) ?? new Map<string, Sources>()
  sourcesByFleet.set(fleet, known)
  return keptOf(known, sight, () => scopedSources(api, fleet, scope, sight))
}

function scopedSources(api: Api, fleet: Fleet, scope: KeyScope, sight: string): Sources {
  const narrowing = narrowingFor(scope)
  const { id } = fleet.organization
  const { secret } = api
  const shownCatalogue = async () => visibleEntries(await fleet.attributes(), narrowing, sight)
  const readingNow = readerOf(api, fleet, shownCatalogue)
  const views = scopedViews(api.views, narrowing, readingNow)
  const readStates = async (objects: readonly number[]) => {
    const reading = await readingNow()
    const states = await api.views.view(id, (view) =>
      boundedStates(view, objects, narrowing, reading),
    )
    return states ?? new Map()
  }
  return {
    opened: openedChanges(scope, sight),
    fleet: scopedFleet(fleet, narrowing, readStates, { sight, secret }),
    api: {
      ...passedOn(
        api,
        [
          'directory',
          'catchUp',
          'realtime',
          'testFleet',
          'clock',
          'secret',
          'usage',
          'disclosures',
        ],
        ['changeWatch', 'pageRoom', 'streams', 'waiting'],
        ['joinedChanges', 'changesDays'],
        ['historyLimits', 'inReportTurn', 'routeIndexes', 'bodies', 'rowRoom', 'knownAddresses'],
        ['url', 'documents', 'log'],
      ),
      positions: scopedPositions(api, narrowing, shownCatalogue),
      views,
      records: scopedRecords(api.records, narrowing, shownCatalogue),
      coverage: scopedCoverage(api.coverage, narrowing),
      daysOf: freshDays,
    },
  }
}

/** The parts of which moments of an organization are made. */
type MomentParts = Pick<Api, 'views' | 'clock' | 'knownAddresses'>

const narrowings = new WeakMap<KeyScope, Narrowing>()

function narrowingFor(scope: KeyScope): Narrowing {
  const narrowing = narrowings.get(scope) ?? narrowingOf(scope)
  narrowings.set(scope, narrowing)
  return narrowing
}

/** The changes that a reader without a key sees, and the moments from which its pages are made. */
export function changesSeenBy(
  parts: MomentParts,
  fleet: Fleet,
  scope: KeyScope | null,
): { views: Api['views']; opened: OpenedChanges } {
  const sight = sightOf(scope)
  if (scope === null || sight === undefined) return { views: parts.views, opened: EVERYTHING }
  const narrowing = narrowingFor(scope)
  const catalogue = async () => visibleEntries(await fleet.attributes(), narrowing, sight)
  const views = scopedViews(parts.views, narrowing, readerOf(parts, fleet, catalogue))
  return { views, opened: openedChanges(scope, sight) }
}

function readerOf(
  { clock, knownAddresses }: MomentParts,
  fleet: Fleet,
  catalogue: () => Promise<PublicAttributes>,
): () => Promise<Reading> {
  return async () => ({
    shownFrom: shownFromIn(fleet.organization, await fleet.objects(), clock.now()),
    addressAt: await knownAddresses?.(fleet.organization.language),
    entries: await catalogue(),
  })
}

function scopedViews(
  views: Api['views'],
  narrowing: Narrowing,
  readingNow: () => Promise<Reading>,
): Api['views'] {
  return {
    async view(organization, work, signal) {
      const reading = await readingNow()
      return views.view(organization, (view) => work(scopedView(view, narrowing, reading)), signal)
    },
  }
}

/** Objects whose coverage is joined at once. */
const COVERED_AT_ONCE = 50

function scopedCoverage(coverage: Coverage, narrowing: Narrowing): Coverage {
  /** Objects with the same part of their times are read together. */
  async function* ofSome(organization: number, query: CoverageQuery, objects: readonly number[]) {
    const parts = objects.flatMap((object) => {
      const shown = query.visible(object)
      const asked = {
        from: Math.max(shown.from, query.from * DAY_MS),
        to: Math.min(shown.to, (query.to + 1) * DAY_MS - 1),
      }
      return narrowing.visibleParts(object, asked).map((visible) => ({ object, visible }))
    })
    parts.sort((a, b) => a.visible.from - b.visible.from)
    const days = new Map(objects.map((object) => [object, new Map<number, CoverageDay>()]))
    for (const same of Map.groupBy(
      parts,
      ({ visible: { from, to } }) => `${from} ${to}`,
    ).values()) {
      const { visible } = same[0]!
      const part = { ...query, objects: same.map(({ object }) => object), visible: () => visible }
      for await (const found of coverage.read(organization, part)) {
        for (const day of found) {
          const own = days.get(day.object)!
          own.set(day.day, joinedDay(own.get(day.day), day))
        }
      }
    }
    for (const own of days.values()) if (own.size > 0) yield [...own.values()]
  }

  return {
    async *read(organization, query) {
      const objects = narrowing.visibleObjects(query.objects)
      const visible = (object: number) => narrowing.visibleHull(query.visible(object))
      const all = { ...query, objects, visible }
      if (narrowing.isAlike) return yield* coverage.read(organization, all)
      for (let at = 0; at < objects.length; at += COVERED_AT_ONCE) {
        yield* ofSome(organization, query, objects.slice(at, at + COVERED_AT_ONCE))
      }
    },
  }
}

function scopedRecords(
  records: Api['records'],
  narrowing: Narrowing,
  catalogue: () => Promise<PublicAttributes>,
): Api['records'] {
  return {
    progress: (organizations) => records.progress(organizations),
    want: (organization) => records.want(organization),
    async page(organization, query) {
      const entries = await catalogue()
      return visiblePage(narrowing, entries, query, (part) => records.page(organization, part))
    },
  }
}

const entriesBySight = new WeakMap<PublicAttributes, Map<string, PublicAttributes>>()

/** One list for all keys that see the same, because encoders are kept with it. */
function visibleEntries(
  all: PublicAttributes,
  narrowing: Pick<Narrowing, 'attributes'>,
  sight: string,
): PublicAttributes {
  const known = entriesBySight.get(all) ?? new Map<string, PublicAttributes>()
  entriesBySight.set(all, known)
  return keptOf(known, sight, () => narrowing.attributes(all))
}

/** The entries of a catalogue that a scope shows. */
export async function shownEntries(
  fleet: Pick<Fleet, 'attributes'>,
  scope: KeyScope | null,
): Promise<PublicAttributes> {
  const [all, sight] = [await fleet.attributes(), sightOf(scope)]
  if (scope === null || sight === undefined) return all
  return visibleEntries(all, narrowingFor(scope), sight)
}

/** The changes that a scope opens. `sight`: what it opens, as a text. */
function openedChanges(scope: KeyScope, sight: string): OpenedChanges {
  return {
    types: new Set(CHANGE_TYPES.filter((type) => opensType(scope, type))),
    sight: shortDigest(sight),
  }
}

/** The part of a fleet that operations read. */
export type ReadFleet = Pick<
  Fleet,
  'organization' | 'objects' | 'attributes' | 'states' | 'lastPositions' | 'listing' | 'withStates'
>

/** Reads the states of objects that a range of time bounds. */
type ReadStates = (objects: readonly number[]) => Promise<ReadonlyMap<number, ObjectState>>

/** A fleet as if it had only what a scope opens. `sight` and `secret` go into the tag of its list. */
export function scopedFleet(
  fleet: Fleet,
  narrowing: Narrowing,
  readStates: ReadStates,
  { sight, secret }: { sight: string; secret: KeyObject },
): ReadFleet {
  const rosters = new WeakMap<Roster, Roster>()
  let listed: Listing<FleetObject> | undefined

  function visible(all: Roster): Roster {
    const roster = rosters.get(all) ?? visibleRoster(narrowing, all)
    rosters.set(all, roster)
    return roster
  }

  function objects(): Roster | Promise<Roster> {
    const all = fleet.objects()
    return all instanceof Promise ? all.then(visible) : visible(all)
  }

  function attributes(): PublicAttributes | Promise<PublicAttributes> {
    const all = fleet.attributes()
    return all instanceof Promise ? all.then(visibleAttributes) : visibleAttributes(all)
  }

  function visibleAttributes(all: PublicAttributes): PublicAttributes {
    return visibleEntries(all, narrowing, sight)
  }

  async function bounded(own: readonly OwnObject[]): Promise<CachedObject[]> {
    const states = await readStates(own.map(({ object }) => object.id))
    return own.map(({ object }) => ({ object, state: states.get(object.id)!, made: {} }))
  }

  const join = async (own: readonly OwnObject[], read: StatesRead | null) =>
    narrowing.isBounded ? bounded(own) : shownOnly(await fleet.states.join(own, read))
  const withStates = async (own: readonly OwnObject[]): Promise<CachedObject[]> =>
    narrowing.isBounded ? bounded(own) : shownOnly(await fleet.withStates(own))

  async function shownOnly(all: CachedObject[]): Promise<CachedObject[]> {
    if (narrowing.openAt === null) return all
    const entries = await attributes()
    return all.map(({ object, state }) => ({
      ...{ object, state: shownState(narrowing, { entries }, object.id, state), made: {} },
    }))
  }

  /** Returns the same listing as long as it shows the same, because its body is kept with it. */
  async function objectListing(): Promise<Listing<FleetObject>> {
    const items = await withStates([...(await objects()).values()])
    const { distanceUnit } = fleet.organization
    const digest = createHmac('sha256', secret).update(`objects ${sight} ${distanceUnit}`)
    const tag = await tagOf(items, digest)
    if (listed?.tag !== tag) listed = { tag, items: () => onePage(items) }
    return listed
  }

  return {
    organization: fleet.organization,
    objects,
    attributes,
    states: { join },
    withStates,
    lastPositions: {
      // The kept positions may be outside of the range, so all objects are candidates.
      find: async (filter) =>
        narrowing.isBounded ? [...(await objects()).keys()] : fleet.lastPositions.find(filter),
    },
    async listing<Kind extends keyof Listings>(kind: Kind, read: StatesRead | null) {
      return kind === 'objects'
        ? ((await objectListing()) as Listings[Kind])
        : fleet.listing(kind, read)
    },
  }
}

function visibleRoster(narrowing: Narrowing, all: Roster): Roster {
  const { objects, isBounded } = narrowing
  const ids = objects ?? [...all.keys()]
  const roster = new Map<number, OwnObject>()
  for (const id of ids) {
    const own = all.get(id)
    if (own === undefined) continue
    const bounded = { object: narrowing.object(own.object), existing: undefined }
    roster.set(id, isBounded ? bounded : own)
  }
  return roster
}

async function* onePage<Item>(items: readonly Item[]) {
  yield items
}

/** Objects between which others have their turn: about 1 ms of work. */
const SLICE = 250

/**
 * A tag of what is visible. The versions of the fleet would also change with what the key does not see, and so would the
 * attributes of a state, which have the names of all values.
 */
async function tagOf(items: readonly FleetObject[], digest: Hmac): Promise<string> {
  for (const [index, { object, state }] of items.entries()) {
    digest.update(JSON.stringify([object, { ...state, attributes: null }]))
    if (index % SLICE === SLICE - 1) await takeTurn()
  }
  return digest.digest('base64url').slice(0, 22)
}
