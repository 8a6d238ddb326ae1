import type { Grant } from './grant.ts'
import { indexFrom } from './time/ranges.ts'
import { LAST_TIME, type TimeRange } from './time/time.ts'

/*
 * The times of an object that grants show: intervals that neither overlap nor touch, ascending. Each has segments without
 * gaps, in which the same attributes are open.
 */

export type Interval = TimeRange & { readonly segments: readonly Segment[] }

/** `attributes`: those that any grant of the segment opens. Null: all public ones. */
export type Segment = TimeRange & { readonly attributes: ReadonlySet<string> | null }

/** The intervals of each object. Those of objects that the same grants show are shared. */
export type GrantedTimes = (object: number) => readonly Interval[]

export function grantedTimes(grants: readonly Grant[]): GrantedTimes {
  const ofAll = grants.filter(({ objects }) => objects === null)
  const named = new Map<number, Grant[]>()
  for (const grant of grants) {
    for (const object of grant.objects ?? []) {
      const own = named.get(object)
      if (own === undefined) named.set(object, [...ofAll, grant])
      else own.push(grant)
    }
  }
  const others = intervalsOf(ofAll)
  const known = new Map<number, readonly Interval[]>()
  const shared = new Map<Grant, readonly Interval[]>()
  return (object) => {
    const own = named.get(object)
    if (own === undefined) return others
    const [only] = own
    const found =
      known.get(object) ?? (own.length === 1 ? shared.get(only!) : undefined) ?? intervalsOf(own)
    if (own.length === 1) shared.set(only!, found)
    known.set(object, found)
    return found
  }
}

/** The intervals of grants of one object. */
export function intervalsOf(grants: readonly Grant[]): Interval[] {
  const edges = grants.flatMap((grant) => [
    { time: grant.from ?? 0, grant, isBeginning: true },
    { time: (grant.until ?? LAST_TIME) + 1, grant, isBeginning: false },
  ])
  edges.sort((a, b) => a.time - b.time)
  const open = openGrants()
  const segments: Segment[] = []
  for (const [index, { time, grant, isBeginning }] of edges.entries()) {
    open.count(grant, isBeginning ? 1 : -1)
    const next = edges[index + 1]?.time ?? time
    if (open.isAny() && next > time) {
      segments.push({ from: time, to: next - 1, attributes: open.attributes() })
    }
  }
  return joined(segments)
}

/** Counts the open grants, and those that open each attribute. */
function openGrants() {
  let grants = 0
  let unlimited = 0
  const byName = new Map<string, number>()
  let names: ReadonlySet<string> | undefined
  return {
    count({ attributes }: Grant, by: 1 | -1): void {
      grants += by
      if (attributes === null) unlimited += by
      for (const name of attributes ?? []) {
        const count = (byName.get(name) ?? 0) + by
        if (count === 0 || !byName.has(name)) names = undefined
        if (count === 0) byName.delete(name)
        else byName.set(name, count)
      }
    },
    isAny: () => grants > 0,
    attributes(): ReadonlySet<string> | null {
      if (unlimited > 0) return null
      names ??= new Set(byName.keys())
      return names
    },
  }
}

function joined(segments: readonly Segment[]): Interval[] {
  const intervals: { from: number; to: number; segments: Segment[] }[] = []
  for (const segment of segments) {
    const { from, to } = segment
    const last = intervals.at(-1)
    if (last === undefined || last.to + 1 < from) {
      intervals.push({ from, to, segments: [segment] })
      continue
    }
    last.to = to
    last.segments.push(segment)
  }
  return intervals
}

/** Whether an attribute is open in the whole of a range. */
export function isOpenIn(interval: Interval, { from, to }: TimeRange, attribute: string): boolean {
  const { segments } = interval
  for (let index = indexFrom(segments, from); index < segments.length; index += 1) {
    const { attributes, from: begun } = segments[index]!
    if (begun > to) break
    if (attributes !== null && !attributes.has(attribute)) return false
  }
  return true
}
