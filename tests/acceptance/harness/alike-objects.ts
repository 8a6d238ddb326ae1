import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Json } from './fleetgate.ts'

const PATIENCE_MS = 60_000

/** Ids, times of writing, and what is computed from these, differ between two objects. */
const OWN =
  /"(id|object_id|ident|name|revision|updated_at|time_server|late|worst_lateness|changed_at|digest|counters_digest)":("[^"]*"|[^,}]*),?/g

function comparable(value: Json): Json {
  return JSON.parse(JSON.stringify(value).replaceAll(OWN, '').replaceAll(',}', '}'))
}

/** Waits until two objects answer alike. `answersOn`: the paths of an object that `read` reads, by name. */
export async function assertAlikeObjects(
  read: (path: string) => Promise<Json>,
  answersOn: (object: number) => Record<string, string>,
  one: number,
  other: number,
): Promise<void> {
  const theirs = answersOn(other)
  for (const [name, path] of Object.entries(answersOn(one))) {
    let answers: Json[] = []
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
      answers = [comparable(await read(path)), comparable(await read(theirs[name]!))]
      if (isDeepStrictEqual(answers[0], answers[1])) break
      await pause(250)
    }
    assert.deepEqual(answers[0], answers[1], name)
    assert.ok(answers[0] !== undefined, name)
  }
}
