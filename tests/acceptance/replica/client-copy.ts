import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { ChangesPage } from '../../../packages/client/src/index.ts'
import type { Answer } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'
import { applyPage, newReplica, type Replica, startAgain } from '../harness/following/replica.ts'
import type { TakenPage } from './package-copy.ts'
import type { Age, TrialFleet } from './trial-fleet.ts'

/** The choices of a client of `/changes`. */
export type Query = {
  from: 'history' | 'snapshot' | 'now'
  isExact: boolean
  hasAttributes: boolean
  types: readonly string[] | null
  ids: readonly number[] | null
  ways: readonly Way[]
}
export type Way = 'poll' | 'wait' | 'stream'

/** The part of an answer that a client applies. */
export type Shown = Pick<Answer, 'status' | 'json' | 'text'>

/** The data of a client: a replica, and the cursor after the last page that it has applied. */
export type ClientCopy = {
  readonly replica: Replica
  /** The pages that it is made of. */
  readonly pages: readonly TakenPage[]
  /** Undefined before the first page, and after a 410. */
  readonly cursor: string | undefined
  /** When the client got its first page, by the server's clock. */
  readonly startedAt: number
  /** Whether it can continue: an organization without any of its objects answers 404. */
  readonly isOver: boolean
  /** The path of the next page. With a cursor the other parameters may be absent. */
  pathOf(limit: number, more?: string): string
  /** Applies an answer that was asked for at this age. Returns whether more follows at once. */
  take(answer: Shown, asked: Age): boolean
  /** Loses the last transactions of the client: its rows and its cursor are as they were. */
  loseSome(): void
}

/** `asked`: when the page before it was asked for, or its stream was opened. */
type Place = { cursor: string; unit: string; asked: Age }

/** The refusals after which a client tries again later: no quota, no subscription. */
export const LATER = [400, 403]

export function newClientCopy(fleet: TrialFleet, query: Query): ClientCopy {
  const { random, host } = fleet
  let replica = newReplica()
  let place: Place | undefined
  let startedAt = host.now()
  let isOver = false
  let pages: TakenPage[] = []
  let saved: { replica: Replica; pages: TakenPage[]; place: Place } | undefined

  function takePage(page: Json, asked: Age): boolean {
    const { cursor, distance_unit: unit } = page
    if (place !== undefined) {
      assert.equal(place.asked.epoch, asked.epoch, 'a cursor continued over a restored backup')
      assert.equal(place.unit, unit, 'a cursor continued in another unit')
      if (random.chance(0.02))
        saved = { replica: structuredClone(replica), pages: [...pages], place }
    }
    applyPage(replica, page, host.now())
    pages.push({ page: { ...page, after: place?.cursor ?? null } as ChangesPage, at: host.now() })
    if (place === undefined) startedAt = host.now()
    place = { cursor, unit, asked }
    return page.has_more
  }

  function beginAgain(): void {
    const { age, mayBeTooOld } = fleet
    const isExpired = !isDeepStrictEqual(place?.asked, age)
    assert.ok(isExpired || mayBeTooOld, 'a 410 without a reason')
    place = undefined
    saved = undefined
    startAgain(replica)
  }

  return {
    get replica() {
      return replica
    },
    get pages() {
      return pages
    },
    get cursor() {
      return place?.cursor
    },
    get startedAt() {
      return startedAt
    },
    get isOver() {
      return isOver
    },
    pathOf(limit, more = '') {
      const first = [`limit=${limit}${more}`]
      if (place === undefined)
        return pathWith([...first, `from=${query.from}`, ...choicesOf(query)])
      const again = random.chance(0.2) ? choicesOf({ ...query, ids: null }) : []
      return pathWith([...first, `cursor=${place.cursor}`, ...again])
    },
    take({ status, json, text }, asked) {
      if (status === 200) return takePage(json.result, asked)
      if (status === 410) {
        beginAgain()
        return true
      }
      if (status === 404) isOver = true
      else if (!LATER.includes(status)) assert.fail(`${status} ${text}`)
      return false
    },
    loseSome() {
      if (saved === undefined || saved.place.asked.epoch !== fleet.age.epoch) return
      replica = saved.replica
      pages = saved.pages
      place = saved.place
      saved = undefined
    },
  }
}

function pathWith(query: readonly string[]): string {
  return `/changes?${query.join('&')}`
}

/** The parameters that belong to a cursor. */
function choicesOf({ types, ids, isExact, hasAttributes }: Query): string[] {
  const include = [...(isExact ? ['exact'] : []), ...(hasAttributes ? ['attributes'] : [])]
  return [
    ...(types === null ? [] : [`types=${types.join()}`]),
    ...(ids === null ? [] : ids.map((id) => `ids=${id}`)),
    ...(include.length === 0 ? [] : [`include=${include.join()}`]),
  ]
}
