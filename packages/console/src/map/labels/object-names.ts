import { hasWords, plain, wordsOf } from '../../ui/match.ts'

/** The fields by which an object is found, and where it was when the list was loaded. */
export type ObjectName = {
  id: number
  name: string
  ident: string
  plate: string | null
  address: string | null
  longitude: number | null
  latitude: number | null
}

export type Found = { hits: ObjectName[]; total: number }

/** An object with its search texts: lower case, without accents. */
export type Entry = { object: ObjectName; text: string; ident: string }

/** The entries in the order of their texts, and the objects by id. */
export type NameList = { entries: Entry[]; objectOf: ReadonlyMap<number, ObjectName> }

/** `Van 2` comes before `Van 10`. */
const collator = new Intl.Collator(undefined, { numeric: true })

export function nameList(entries: Entry[]): NameList {
  return {
    entries: entries.sort((one, other) => collator.compare(one.text, other.text)),
    objectOf: new Map(entries.map(({ object }) => [object.id, object])),
  }
}

export function entryOf(object: ObjectName): Entry {
  const { name, ident, plate } = object
  return { object, text: plain(`${name}\n${plate ?? ''}`), ident: plain(ident) }
}

/** The ids of the objects that contain every word, in the order of the entries. */
export function idsOfMatches(entries: Entry[], typed: string): Float64Array<ArrayBuffer> {
  const words = wordsOf(plain(typed))
  return Float64Array.from(
    entries.filter(({ text, ident }) => hasWords(text, words, ident)),
    ({ object }) => object.id,
  )
}

/** Returns the objects that contain every word. Those that begin with the search text come first. */
export function findObjects(entries: Entry[], typed: string, most: number): Found {
  const whole = plain(typed.trim())
  const words = wordsOf(whole)
  const first: ObjectName[] = []
  const others: ObjectName[] = []
  let total = 0
  for (const { object, text, ident } of entries) {
    if (!hasWords(text, words, ident)) continue
    total++
    const starts = `\n${text}\n${ident}`.includes(`\n${whole}`)
    const list = starts ? first : others
    if (list.length < most) list.push(object)
  }
  return { hits: [...first, ...others].slice(0, most), total }
}
