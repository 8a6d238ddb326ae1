import type { Fleet } from '../../cache/fleet.ts'
import { CHANGE_TYPES, type ChangeType } from '../../domain/items.ts'
import { type KeyScope, opensType, sightOf } from '../../domain/key-scope.ts'
import type { Api } from '../api.ts'
import { shortDigest } from '../parameters/page-cursor.ts'
import { boundedStates, type Narrowing, narrowingOf, type Reading } from './narrowing.ts'
import { type ReadFleet, scopedFleet } from './scoped-fleet.ts'
import { scopedView, visiblePage } from './scoped-view.ts'

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

const sourcesByFleet = new WeakMap<Fleet, Map<string, Sources>>()

/**
 * The sources of a key: those of its organization, as if the organization had only what the scope opens. An
 * operation that reads them does not need to know of scopes, and cannot show more.
 */
export function sourcesOf(api: Api, fleet: Fleet, scope: KeyScope | null): Sources {
  const sight = sightOf(scope)
  if (scope === null || sight === undefined) return { api, fleet, opened: EVERYTHING }
  const known = sourcesByFleet.get(fleet) ?? new Map<string, Sources>()
  sourcesByFleet.set(fleet, known)
  const sources = known.get(sight) ?? scopedSources(api, fleet, scope, sight)
  known.set(sight, sources)
  return sources
}

function scopedSources(api: Api, fleet: Fleet, scope: KeyScope, sight: string): Sources {
  const narrowing = narrowingOf(scope)
  const { language, id } = fleet.organization
  const { secret } = api
  const readingNow = async (): Promise<Reading> => ({
    now: api.clock.now(),
    addressAt: await api.knownAddresses?.(language),
    hasAttributes: narrowing.attributes(await fleet.attributes()).length > 0,
  })
  const readStates = async (objects: readonly number[]) => {
    const reading = await readingNow()
    const states = await api.views.view(id, (view) =>
      boundedStates(view, objects, narrowing.times!, reading),
    )
    return states ?? new Map()
  }
  return {
    opened: openedChanges(scope, sight),
    fleet: scopedFleet(fleet, narrowing, readStates, { sight, secret }),
    api: {
      ...api,
      positions: scopedPositions(api.positions, narrowing),
      views: {
        async view(organization, work, signal) {
          const reading = await readingNow()
          return api.views.view(
            organization,
            (view) => work(scopedView(view, narrowing, reading)),
            signal,
          )
        },
      },
      records: scopedRecords(api.records, narrowing),
      coverage: scopedCoverage(api.coverage, narrowing),
    },
  }
}

/** No time is in it. */
const NEVER = { from: 1, to: 0 }

function scopedPositions(
  { history, count }: Api['positions'],
  narrowing: Narrowing,
): Api['positions'] {
  const part = (object: number, range: { from: number; to: number }) =>
    narrowing.sees(object) ? narrowing.part(range) : NEVER
  return {
    history: (organization, object, range, ...rest) =>
      history(organization, object, part(object, range), ...rest),
    count: (organization, object, range, ...rest) =>
      count(organization, object, part(object, range), ...rest),
  }
}

function scopedCoverage(coverage: Api['coverage'], narrowing: Narrowing): Api['coverage'] {
  return {
    read: (organization, { objects, visible, ...days }) =>
      coverage.read(organization, {
        ...days,
        objects: narrowing.own(objects),
        visible: narrowing.part(visible),
      }),
  }
}

function scopedRecords(records: Api['records'], narrowing: Narrowing): Api['records'] {
  return {
    progress: (organizations) => records.progress(organizations),
    want: (organization) => records.want(organization),
    page: (organization, query) =>
      visiblePage(narrowing, query, (part) => records.page(organization, part)),
  }
}

/** The changes of a scope with this text. */
function openedChanges(scope: KeyScope, sight: string): OpenedChanges {
  return {
    types: new Set(CHANGE_TYPES.filter((type) => opensType(scope, type))),
    sight: shortDigest(sight),
  }
}
