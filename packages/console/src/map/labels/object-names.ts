/** The fields by which an object is found. */
export type ObjectName = { id: number; name: string; ident: string; plate: string | null }

export type Found = { hits: ObjectName[]; total: number }

/** An object with its search text: lower case, without accents. */
export type Entry = { object: ObjectName; text: string }

/** The entries in the order of their texts, and the names by id. */
export type NameList = { entries: Entry[]; nameOf: ReadonlyMap<number, string> }

export function nameList(entries: Entry[]): NameList {
  return {
    entries: entries.sort((one, other) => (one.text < other.text ? -1 : 1)),
    nameOf: new Map(entries.map(({ object: { id, name } }) => [id, name])),
  }
}

export function entryOf(object: ObjectName): Entry {
  return { object, text: plain(`${object.name}\n${object.ident}\n${object.plate ?? ''}`) }
}

/** Returns the objects that contain every word. Those that begin with the search text come first. */
export function findObjects(entries: Entry[], typed: string, most: number): Found {
  const whole = plain(typed.trim())
  const words = whole.split(/\s+/)
  const first: ObjectName[] = []
  const others: ObjectName[] = []
  let total = 0
  for (const { object, text } of entries) {
    if (!words.every((word) => text.includes(word))) continue
    total++
    const list = text.startsWith(whole) || text.includes(`\n${whole}`) ? first : others
    if (list.length < most) list.push(object)
  }
  return { hits: [...first, ...others].slice(0, most), total }
}

function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
}
