/// <reference lib="webworker" />
import { parse } from '../../api/parse.ts'
import type { FleetObjects } from '../../api/types.ts'
import type { NamesAnswer, NamesQuestion, NamesResult } from './names-message.ts'
import { entryOf, findObjects, idsOfMatches, type NameList, nameList } from './object-names.ts'

/**
 * Keeps and searches the names of an organization's objects. The list of a large fleet is about 20 MB of
 * JSON. The worker parses it outside the page and keeps only the names.
 */

const page = self as unknown as DedicatedWorkerGlobalScope
let list: Promise<NameList> | undefined
/** The number of the list. */
let loaded = 0

page.onmessage = async ({ data }: MessageEvent<NamesQuestion>) => {
  const { question } = data
  if (data.list !== loaded) list = undefined
  loaded = data.list
  list ??= load()
  try {
    const result = resultOf(await list, data)
    answer({ question, result }, result instanceof Float64Array ? [result.buffer] : [])
  } catch (error) {
    list = undefined
    answer({ question, error: error instanceof Error ? error.message : String(error) })
  }
}

function resultOf({ entries, objectOf }: NameList, asked: NamesQuestion): NamesResult {
  if ('ids' in asked) return asked.ids.map((id) => objectOf.get(id))
  if ('matching' in asked) return idsOfMatches(entries, asked.matching)
  return findObjects(entries, asked.typed, asked.most)
}

async function load(): Promise<NameList> {
  const response = await fetch(page.name)
  if (!response.ok) throw new Error(`The list of objects was refused (${response.status}).`)
  const { items } = parse<FleetObjects>(await response.text())
  return nameList(
    items.map(({ id, name, ident, plate_number: plate, address, longitude, latitude }) =>
      entryOf({ id, name, ident, plate, address, longitude, latitude }),
    ),
  )
}

function answer(message: NamesAnswer, transferred: Transferable[] = []): void {
  page.postMessage(message, transferred)
}
