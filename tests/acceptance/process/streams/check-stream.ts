import assert from 'node:assert/strict'
import type { Json } from '../../harness/fleetgate.ts'
import type { RawStream } from '../../harness/raw-stream.ts'

/** The view of a stream. `key`: the number of the key. `objects`: their numbers. */
export type View = { query: string; key: number; objects: readonly number[]; limit?: number }

/** An organization as its streams must show it. */
export type Expected = {
  organization: number
  unit: 'km' | 'mi'
  /** The ids of its objects, by their numbers. */
  ids: readonly number[]
  /** The attributes of each position. */
  attributes: Json
  /** The rows of each object from the first one that a stream may show, by its id. */
  histories: ReadonlyMap<number, readonly Json[]>
  hasQuota: boolean
}

/** The entries that a stream has shown, and the positions among them, by object. */
type Counted = { events: number; entries: Map<number, number>; positions: Map<number, number> }

const RETRY = 'retry: 2000'
const COMMENT = ':'
const EVENT = /^(?:id: (?<id>[\w-]+)\n)?(?:event: (?<event>\w+)\n)?data: (?<data>[^\n]+)$/

/** The name of a vehicle, and the mark of an organization in its addresses. */
export const markOf = (organization: number, vehicle?: number) =>
  `of-organization-${organization}${vehicle === undefined ? '' : `-vehicle-${vehicle}`}`
const MARKS = /of-organization-(\d+)(?:-vehicle-(\d+))?/g

/**
 * Checks that every byte of a stream is of its view, and that the positions of each object are the beginning of its
 * history.
 */
export function checkStream({ blocks, rest }: RawStream, view: View, expected: Expected): Counted {
  for (const text of [...blocks, rest()]) assertMarks(text, view, expected)
  const pages = pagesIn(blocks, expected)
  const entries = new Map<number, number>()
  const positions = new Map(view.objects.map((object) => [expected.ids[object]!, 0]))
  for (const page of pages) {
    assert.equal(page.distance_unit, expected.unit)
    assert.ok(page.changes.length <= (view.limit ?? Number.POSITIVE_INFINITY))
    for (const { type, position, state } of page.changes) {
      assert.ok(view.query.includes(type), type)
      const { id } = position ?? state
      entries.set(id, (entries.get(id) ?? 0) + 1)
      if (position === undefined) continue
      const at = positions.get(id)!
      positions.set(id, at + 1)
      assertPosition(position, expected.histories.get(id)![at]!, view, expected)
    }
  }
  return { events: pages.length, entries, positions }
}

/** Names and addresses in a text are of the organization, and of objects that the view has. */
function assertMarks(text: string, { objects }: View, { organization }: Expected): void {
  for (const [mark, ofOrganization, vehicle] of text.matchAll(MARKS)) {
    assert.equal(Number(ofOrganization), organization, mark)
    if (vehicle !== undefined) assert.ok(objects.includes(Number(vehicle)), mark)
  }
}

/** The pages of a stream, which nothing is between. An `error` is the last one. */
function pagesIn([first, ...blocks]: readonly string[], { hasQuota }: Expected): Json[] {
  assert.equal(first, RETRY)
  const pages: Json[] = []
  let hasEnded = false
  for (const block of blocks.filter((each) => each !== COMMENT)) {
    assert.ok(!hasEnded, 'nothing comes after an error')
    const { id, event, data } = EVENT.exec(block)!.groups!
    const page = JSON.parse(data!)
    if (event === 'error') {
      assert.deepEqual([page.errorCode, hasQuota], ['PUBLIC.400_005', true])
      hasEnded = true
      continue
    }
    assert.deepEqual([event, page.cursor], [undefined, id])
    pages.push(page)
  }
  return pages
}

/** A position is the row of the history, with what the view includes and nothing else. */
function assertPosition(
  { exact, attributes, ...row }: Json,
  inHistory: Json,
  { query }: View,
  expected: Expected,
): void {
  const includes = query.includes('include')
  const fields = Object.keys(inHistory)
  assert.deepEqual(Object.fromEntries(fields.map((field) => [field, row[field]])), inHistory)
  assert.equal(Object.keys(row).length > fields.length, includes)
  assert.equal(exact !== undefined, includes)
  assert.deepEqual(attributes, includes ? expected.attributes : undefined)
}
