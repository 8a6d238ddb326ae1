import { type DerivedRecord, keyOf } from '../../domain/record.ts'

type Recorded = { readonly record: DerivedRecord }

/**
 * Pairs stored records with derived ones of the same kind and place, so that ids stay: those with the same
 * start, then those that overlap longest.
 */
export function matched<Old extends Recorded, New extends Recorded>(
  old: readonly Old[],
  derived: readonly New[],
): Map<New, Old> {
  const pairs = new Map<New, Old>()
  const groups = groupsOf(derived)
  for (const [group, olds] of groupsOf(old)) matchGroup(pairs, olds, groups.get(group) ?? [])
  return pairs
}

function groupsOf<T extends Recorded>(all: readonly T[]): Map<string, T[]> {
  return Map.groupBy(all, ({ record }) => {
    const { kind, place } = keyOf(record)
    return `${kind} ${place}`
  })
}

function matchGroup<Old extends Recorded, New extends Recorded>(
  pairs: Map<New, Old>,
  old: readonly Old[],
  derived: readonly New[],
): void {
  const byStart = new Map(old.map((each) => [each.record.start, each]))
  const leftOld = new Set(old)
  const leftNew: New[] = []
  for (const each of derived) {
    const same = byStart.get(each.record.start)
    if (same === undefined) {
      leftNew.push(each)
      continue
    }
    pairs.set(each, same)
    leftOld.delete(same)
  }
  for (const { a, b } of overlaps([...leftOld], leftNew)) {
    if (!leftOld.has(a) || pairs.has(b)) continue
    pairs.set(b, a)
    leftOld.delete(a)
  }
}

/** The pairs that overlap or touch, the longest overlap first. Records of a group hardly overlap each other. */
function overlaps<Old extends Recorded, New extends Recorded>(old: Old[], derived: New[]) {
  const found: { a: Old; b: New; length: number }[] = []
  const olds = old.sort(byStart)
  let first = 0
  for (const b of derived.sort(byStart)) {
    while (first < olds.length && olds[first]!.record.until < b.record.start) first += 1
    for (let at = first; at < olds.length; at += 1) {
      const a = olds[at]!
      if (a.record.start > b.record.until) break
      const until = Math.min(a.record.until, b.record.until)
      found.push({ a, b, length: until - Math.max(a.record.start, b.record.start) })
    }
  }
  return found.sort((x, y) => y.length - x.length || byStart(x.a, y.a) || byStart(x.b, y.b))
}

function byStart(a: Recorded, b: Recorded): number {
  return a.record.start - b.record.start
}
