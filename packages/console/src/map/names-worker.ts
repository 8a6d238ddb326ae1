/// <reference lib="webworker" />
import { parse } from '../api/parse.ts'
import type { FleetObjects } from '../api/types.ts'
import type { NamesAnswer, NamesQuestion } from './names-message.ts'
import { type Entry, entryOf, findObjects } from './object-names.ts'

/**
 * Keeps and searches the names of an organization's objects. The list of a large fleet is about 20 MB of
 * JSON. The worker parses it outside the page and keeps only the names.
 */

const page = self as unknown as DedicatedWorkerGlobalScope
let entries: Promise<Entry[]> | undefined

page.onmessage = async ({ data }: MessageEvent<NamesQuestion>) => {
  const { question, typed, most, anew } = data
  if (anew) entries = undefined
  entries ??= load()
  try {
    answer({ question, found: findObjects(await entries, typed, most) })
  } catch (error) {
    entries = undefined
    answer({ question, error: error instanceof Error ? error.message : String(error) })
  }
}

async function load(): Promise<Entry[]> {
  const response = await fetch(page.name)
  if (!response.ok) throw new Error(`The list of objects was refused (${response.status}).`)
  const { items } = parse<FleetObjects>(await response.text())
  return items
    .map(({ id, name, ident, plate_number }) => entryOf({ id, name, ident, plate: plate_number }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
}

function answer(message: NamesAnswer): void {
  page.postMessage(message)
}
