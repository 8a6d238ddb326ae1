import { createHash } from 'node:crypto'
import type { Fleet } from '../../directory/fleet.ts'
import { type KeyScope, sightOf } from '../../domain/key-scope.ts'
import type { Api } from '../api.ts'
import { boundedStates } from './bounded-states.ts'
import { type Narrowing, narrowingOf, type Reading, visiblePart } from './narrowing.ts'
import { type ReadFleet, scopedFleet } from './scoped-fleet.ts'
import { readVisible } from './scoped-records.ts'
import { scopedView } from './scoped-view.ts'

/** All that operations read. */
export type Sources = { readonly api: Api; readonly fleet: ReadFleet }

const made = new WeakMap<Fleet, Map<string, Sources>>()

/**
 * The sources of a key: those of its organization, as if the organization had only what the scope opens. An
 * operation that reads them does not need to know of scopes, and cannot show more.
 */
export function sourcesOf(api: Api, fleet: Fleet, scope: KeyScope | null): Sources {
  const sight = sightOf(scope)
  if (scope === null || sight === undefined) return { api, fleet }
  const known = made.get(fleet) ?? new Map<string, Sources>()
  made.set(fleet, known)
  const sources = known.get(sight) ?? scopedSources(api, fleet, narrowingOf(scope), sight)
  known.set(sight, sources)
  return sources
}

function scopedSources(api: Api, fleet: Fleet, narrowing: Narrowing, sight: string): Sources {
  const { language, id } = fleet.organization
  const { secret } = api
  const readingNow = async (): Promise<Reading> => ({
    now: api.clock.now(),
    addressAt: await api.knownAddresses?.(language),
  })
  const readStates = async (objects: readonly number[]) => {
    const { now, addressAt } = await readingNow()
    const states = await api.views.view(id, (view) =>
      boundedStates(view, objects, narrowing.times!, now, addressAt),
    )
    return states ?? new Map()
  }
  return {
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
    narrowing.sees(object) ? visiblePart(narrowing, range) : NEVER
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
        objects: objects.filter(narrowing.sees),
        visible: visiblePart(narrowing, visible),
      }),
  }
}

function scopedRecords(records: Api['records'], narrowing: Narrowing): Api['records'] {
  return {
    progress: (organizations) => records.progress(organizations),
    want: (organization) => records.want(organization),
    page(organization, query) {
      const objects = query.objects?.filter(narrowing.sees) ?? narrowing.objects
      const range = visiblePart(narrowing, query.range)
      if (range.from > range.to) return Promise.resolve([])
      return readVisible(narrowing, query.after, query.limit, (after, limit) =>
        records.page(organization, { ...query, objects, range, after, limit }),
      )
    },
  }
}

const DIGEST_BYTES = 9
const digests = new WeakMap<KeyScope, string>()

/** A short text that cursors of `/changes` carry. Undefined for a key that sees everything. */
export function sightDigest(scope: KeyScope | null): string | undefined {
  if (scope === null) return undefined
  const known = digests.get(scope)
  if (known !== undefined) return known
  const sight = sightOf(scope)
  if (sight === undefined) return undefined
  const digest = createHash('sha256').update(sight).digest()
  const short = digest.subarray(0, DIGEST_BYTES).toString('base64url')
  digests.set(scope, short)
  return short
}
