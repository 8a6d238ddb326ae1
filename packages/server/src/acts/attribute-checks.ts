import type { Fault } from '../base/domain/attributes/shown-value.ts'
import { faultsOf, takersByName } from '../base/domain/attributes/takers.ts'
import { takeTurn } from '../base/domain/common/slots.ts'
import type { AttributeValue } from '../base/domain/position/attribute.ts'
import type { CurrentAttributes, SentName } from '../base/domain/position/current-attributes.ts'
import type { GivenAttributes } from '../engine/store/item-store.ts'
import type { Store } from '../engine/store/store.ts'

/*
 * The newest stored values of an organization: how many of them answers do not show, and why.
 */

/** Objects that are looked at, and the positions of each. */
export const LOOKED_AT = { objects: 100, positions: 100 } as const

/** Names whose objects are found in one turn of the event loop. */
const SLICE = 20_000

/** The states of objects, with the names that their devices use. */
export type States = ReadonlyMap<number, { attributes: CurrentAttributes }>

/** A value as a device sent it. */
type Sent = { readonly name: string; readonly value: AttributeValue }

type StoredValue = Sent & { readonly object: number; readonly at: number }

/**
 * Passes on the newest stored values of some objects. `isFirst`: whether an object has to be among them because of its
 * newest value. Undefined: the value is of no interest.
 */
export async function recentValues(
  { changeLog }: Pick<Store, 'changeLog'>,
  organization: number,
  states: States,
  isFirst: (sent: Sent, object: number) => boolean | undefined,
  take: (stored: StoredValue) => void,
): Promise<void> {
  const chosen = await chosenObjects(states, isFirst)
  if (chosen.length === 0) return
  await changeLog.view(organization, async (view) => {
    const current = await view.states(chosen)
    for (const object of chosen) {
      const names = current.get(object)?.attributes ?? []
      const rows = await view.rowsBefore(object, Number.MAX_SAFE_INTEGER, LOOKED_AT.positions)
      for (const { time: at, attributes } of rows.toReversed()) {
        attributes?.((index, value) => take({ name: names[index]!.name, value, object, at }))
      }
      await takeTurn()
    }
  })
}

async function chosenObjects(
  states: States,
  isFirst: (sent: Sent, object: number) => boolean | undefined,
): Promise<number[]> {
  const found: { object: number; first: boolean; at: number }[] = []
  let looked = 0
  for (const [object, { attributes }] of states) {
    let newest: (typeof found)[number] | undefined
    for (const { name, value, at } of attributes) {
      const first = value === null ? undefined : isFirst({ name, value }, object)
      if (first === undefined) continue
      newest = { object, first: first || newest?.first === true, at: Math.max(at, newest?.at ?? 0) }
    }
    if (newest !== undefined) found.push(newest)
    looked += attributes.length
    if (looked < SLICE) continue
    looked = 0
    await takeTurn()
  }
  found.sort((a, b) => Number(b.first) - Number(a.first) || b.at - a.at || a.object - b.object)
  return found.slice(0, LOOKED_AT.objects).map(({ object }) => object)
}

/** Values of a name that decide its type. */
const MAX_VALUES = 1_000

/** The newest stored values of these names, first of the objects that sent the newest one of each. */
export async function valuesSent(
  store: Pick<Store, 'changeLog'>,
  organization: number,
  states: States,
  names: readonly SentName[],
): Promise<ReadonlyMap<string, readonly AttributeValue[]>> {
  const newest = new Map(names.map(({ name, object }) => [name, object]))
  const values = new Map(names.map(({ name }) => [name, [] as AttributeValue[]]))
  const isFirst = ({ name }: Sent, object: number) =>
    newest.has(name) ? newest.get(name) === object : undefined
  await recentValues(store, organization, states, isFirst, ({ name, value }) => {
    const known = values.get(name)
    if (known !== undefined && known.length < MAX_VALUES) known.push(value)
  })
  return values
}

/** Values that are not shown for one reason, and the newest of the first object that has one. */
type Unshown = {
  count: number
  readonly value: AttributeValue
  readonly valueAt: number
  readonly object: number
}

/** The newest stored values of an entry. Null: all of them are shown. */
export type Check = { checked: number } & Record<UnshownKind, Unshown | null>

type UnshownKind = 'noValue' | 'outOfRange' | 'wrongType'
const KIND_OF: Readonly<Record<Fault, UnshownKind>> = {
  none: 'noValue',
  range: 'outOfRange',
  type: 'wrongType',
}

/** Looks at the newest stored values of each entry, by its index. First at objects whose newest value is not shown. */
export async function checkValues(
  store: Pick<Store, 'changeLog'>,
  organization: number,
  states: States,
  entries: GivenAttributes,
): Promise<readonly Check[]> {
  const checks: Check[] = entries.map(() => {
    return { checked: 0, noValue: null, outOfRange: null, wrongType: null }
  })
  const takers = takersByName(entries)
  const isFirst = ({ name, value }: Sent, object: number) => {
    const faults = faultsOf(takers, name, value, object)
    return faults.size === 0 ? undefined : [...faults.values()].some((fault) => fault !== undefined)
  }
  await recentValues(store, organization, states, isFirst, ({ name, value, object, at }) => {
    for (const [index, fault] of faultsOf(takers, name, value, object)) {
      const check = checks[index]!
      check.checked += 1
      if (fault === undefined) continue
      const kind = KIND_OF[fault]
      check[kind] ??= { count: 0, value, valueAt: at, object }
      check[kind].count += 1
    }
  })
  return checks
}
